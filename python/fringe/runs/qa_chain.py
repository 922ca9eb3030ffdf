#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The whole chain, recording to .ACC file, against a plain FX correlator in numpy."""
import calendar
import itertools
import os
import unittest

import numpy as np

from gnuradio import fringe
from qa_scratch import scratch_case

RATE = 1e6


def decoders():
    """Per format: (dtype, words per sample, function words -> samples); written from the
    formats' definitions, independently of the module's own code."""
    def pair(words):
        return words[..., 0] + 1j * words[..., 1]

    def signed(bits, field):
        return np.where(field >= 1 << (bits - 1), field.astype(int) - (1 << bits), field)

    return {
        "i8": ("<i1", 1, lambda w: w[..., 0].astype(float)),
        "u8": ("<u1", 1, lambda w: w[..., 0] - 128.0),
        "i16": ("<i2", 1, lambda w: w[..., 0].astype(float)),
        "u16": ("<u2", 1, lambda w: w[..., 0] - 32768.0),
        "f32": ("<f4", 1, lambda w: w[..., 0].astype(float)),
        "ci8": ("<i1", 2, lambda w: pair(w.astype(float))),
        "cu8": ("<u1", 2, lambda w: pair(w - 127.4)),
        "cu8_128": ("<u1", 2, lambda w: pair(w - 128.0)),
        "ci16": ("<i2", 2, lambda w: pair(w.astype(float))),
        "cf32": ("<f4", 2, lambda w: pair(w.astype(float))),
        "mwa16": ("<u2", 1, lambda w: signed(5, w[..., 0] & 31)
                  + 1j * signed(5, w[..., 0] >> 5 & 31)),
        "mwa8": ("<u1", 1, lambda w: signed(4, w[..., 0] & 15) + 0.5
                 + 1j * (signed(4, w[..., 0] >> 4) + 0.5)),
    }


def window(name, length):
    n = np.arange(length)
    if name == "rectangular":
        return np.ones(length)
    if name == "kaiser":
        return np.kaiser(length, 8.6)
    a = {"hann": (0.5, 0.5, 0), "hamming": (0.54, 0.46, 0), "blackman": (0.42, 0.5, 0.08)}[name]
    x = 2 * np.pi * n / max(length - 1, 1)
    return a[0] - a[1] * np.cos(x) + a[2] * np.cos(2 * x)


def numpy_spectra(x, channels, taps, name):
    """[input][spectrum][channel] in double precision, as docs/conventions.md defines it."""
    real = not np.iscomplexobj(x)
    points = 2 * channels if real else channels
    length = taps * points
    n = np.arange(length) - (length - 1) / 2
    h = window(name, length) * (np.sinc(n / points) if taps > 1 else 1)
    h *= np.sqrt(points / np.sum(h ** 2))
    count = x.shape[1] // points - taps + 1
    spectra = np.empty((x.shape[0], count, channels), complex)
    for s in range(count):
        folded = (x[:, s * points:s * points + length] * h).reshape(-1, taps, points).sum(1)
        full = np.fft.fft(folded) / np.sqrt(points)
        spectra[:, s] = full[:, :channels] if real else np.fft.fftshift(full, axes=1)
    return spectra


def numpy_products(spectra):
    """[channel][product] summed over the spectra."""
    inputs = spectra.shape[0]
    i, j = np.triu_indices(inputs)
    cube = np.einsum("itc,jtc->cij", spectra, spectra.conj())
    return cube[:, i, j]


def random_recording(rng, name, inputs, samples):
    """Raw words of a recording in which the inputs have something in common."""
    dtype, words, _ = decoders()[name]
    dtype = np.dtype(dtype)
    shape = (samples, inputs, words)
    if dtype.kind == "f":
        common = rng.standard_normal((samples, 1, words))
        return (rng.standard_normal(shape) + common).astype(dtype)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return rng.integers(low, high, shape, dtype, endpoint=True)


class qa_chain(scratch_case):

    def path(self, name):
        return os.path.join(self.folder, name)

    def correlated(self, raw, name, inputs, channels, **options):
        """Visibilities [dump][channel][product] of raw words through the flowgraph."""
        raw.tofile(self.path("raw"))
        if "integration" not in options:
            options.setdefault("spectra", 10 ** 6)
        fringe.correlate(self.path("raw"), self.path("x.ACC"), format=name, inputs=inputs,
                         sample_rate=RATE, center_frequency=1e8, channels=channels,
                         overwrite=True, keep_edge=True, **options)
        v = np.fromfile(self.path("x.ACC"), np.complex64)
        return v.reshape(-1, inputs * (inputs + 1) // 2, channels).swapaxes(1, 2)

    def expect_close(self, got, want, label):
        autos = np.abs(want).max()
        self.assertEqual(got.shape, want.shape, label)
        self.assertTrue(np.isfinite(got).all(), label)
        self.assertLessEqual(np.abs(got - want).max() / autos, 1e-5, label)

    def check(self, name, inputs, channels, taps, window_name, spectra, **options):
        label = f"{name}, {inputs} inputs, {channels} channels, {taps} taps, {window_name}"
        points = channels * (2 if name in ("i8", "u8", "i16", "u16", "f32") else 1)
        extra = int(self.rng.integers(0, points))  # samples that make no spectrum
        samples = (spectra + taps - 1) * points + extra
        raw = random_recording(self.rng, name, inputs, samples)
        got = self.correlated(raw, name, inputs, channels, taps=taps, window=window_name,
                              **options)
        x = decoders()[name][2](raw).T
        want = numpy_products(numpy_spectra(x, channels, taps, window_name)) / spectra
        self.expect_close(got, want[None], label)

    def test_every_format(self):
        for name in decoders():
            with self.subTest(name):
                self.check(name, 3, 96, 4, "hann", 37)

    def test_every_format_is_tested(self):
        names = {f.name for f in fringe.recording_formats()}
        # qa_real_data, qa_recorders, qa_recorder_headers and qa_sdr_files have those.
        self.assertEqual(names - set(decoders()), {"tart", "mwa32t", "vdif", "mark5b", "dada",
                                                   "guppi", "sigmf", "file_meta", "wav", "gqrx"})

    def test_inputs_channels_and_taps(self):
        names = itertools.cycle(decoders())
        windows = itertools.cycle(["hann", "hamming", "blackman", "kaiser", "rectangular"])
        for inputs in (1, 2, 3, 31, 64):
            for channels in (5, 96, 128, 1000):
                taps = (1, 4, 16)[int(self.rng.integers(3))]
                name = next(names)
                with self.subTest(f"{name} {inputs} x {channels}, {taps} taps"):
                    self.check(name, inputs, channels, taps, next(windows), 9)

    def test_taps(self):
        for taps in (1, 2, 4, 16, 32):
            for name in ("ci8", "i8"):
                with self.subTest(f"{name}, {taps} taps"):
                    self.check(name, 2, 60, taps, "hann", 50)

    def test_generic_backend(self):
        for name in ("ci16", "u8"):
            self.check(name, 3, 96, 4, "hamming", 40, backend="generic")

    def test_many_blocks_and_long_sums(self):
        # More spectra than a block and than a short sum of the X-engine.
        self.check("ci8", 2, 16, 4, "hann", 9001)

    def test_dumps_by_spectra(self):
        raw = random_recording(self.rng, "ci8", 3, 1003 * 64)
        got = self.correlated(raw, "ci8", 3, 64, taps=1, window="hann", spectra=100)
        spectra = numpy_spectra(decoders()["ci8"][2](raw).T, 64, 1, "hann")
        want = [numpy_products(spectra[:, k:k + 100]) / min(100, 1003 - k)
                for k in range(0, 1003, 100)]
        self.expect_close(got, np.array(want), "11 dumps, the last of 3 spectra")

    def test_dumps_by_seconds_lie_on_absolute_time(self):
        channels = 50  # a spectrum is 50 us, dumps are 3 ms
        start = calendar.timegm((2026, 1, 2, 3, 4, 5)) * 10 ** 6 + 12300  # us
        raw = random_recording(self.rng, "ci8", 2, 400 * channels)
        got = self.correlated(raw, "ci8", 2, channels, taps=1, window="rectangular",
                              integration=0.003, start_time="2026-01-02T03:04:05.0123")
        spectra = numpy_spectra(decoders()["ci8"][2](raw).T, channels, 1, "rectangular")
        dump = (start + np.arange(400) * 50 + 25) // 3000
        want = np.array([numpy_products(spectra[:, dump == d]) / np.sum(dump == d)
                         for d in np.unique(dump)])
        self.expect_close(got, want, "dumps of 3 ms")

    def test_requantized_sums_are_exact_integers(self):
        # With the gains known, V n g_i g_j is a sum of products of whole numbers: those that
        # numpy rounds to, but for values so near to a half that float32 may go the other way.
        # Each of these moves its spectrum's product by at most one unit times the partner.
        count = 200
        i, j = np.triu_indices(3)
        for bits, limit in (("8", 127), ("4", 7)):
            with self.subTest(bits):
                raw = random_recording(self.rng, "ci8", 3, count * 32)
                got = self.correlated(raw, "ci8", 3, 32, taps=1, window="rectangular",
                                      requantize=bits)
                x = decoders()["ci8"][2](raw)
                gains = {"8": 16.0, "4": 2.95}[bits] / np.sqrt(np.mean(np.abs(x) ** 2, axis=0) / 2)
                scaled = numpy_spectra(x.T, 32, 1, "rectangular") * gains[:, None, None]
                parts = np.stack([scaled.real, scaled.imag])
                whole = np.clip(np.rint(parts), -limit, limit)
                near = np.abs(np.abs(parts - np.floor(parts)) - 0.5) < 1e-6 * (16 + np.abs(parts))
                either = near.sum(axis=0)
                size = np.abs(whole[0] + 1j * whole[1])
                freedom = (either[i] * size[j] + either[j] * size[i]
                           + 2 * either[i] * either[j]).sum(axis=1).T
                sums = got[0] * (count * gains[i] * gains[j])
                want = numpy_products(whole[0] + 1j * whole[1])
                rounding = 1e-6 * np.abs(want).max()
                self.assertLess(np.max(np.abs(sums - want) - freedom), rounding)
                self.assertLess(np.abs(sums - np.rint(sums)).max(), rounding)
                self.assertGreater(np.mean(freedom == 0), 0.5)  # or nothing was compared

    def test_several_files_with_their_own_start(self):
        raws = [random_recording(self.rng, "ci8", 2, 3000) for _ in range(3)]
        for k, raw in enumerate(raws):
            raw.tofile(self.path(f"rx{k}"))
        starts, count = (100, 0, 37), 64 * 40
        fringe.correlate([self.path(f"rx{k}") for k in range(3)], self.path("y.ACC"),
                         format="ci8", inputs=6, sample_rate=RATE, channels=64, taps=4,
                         window="hann", spectra=1000, start_sample=starts, samples=count,
                         keep_edge=True)
        got = np.fromfile(self.path("y.ACC"), np.complex64).reshape(1, 21, 64).swapaxes(1, 2)
        x = np.concatenate([decoders()["ci8"][2](raw[s:s + count]).T
                            for raw, s in zip(raws, starts)])
        want = numpy_products(numpy_spectra(x, 64, 4, "hann")) / 37
        self.expect_close(got, want[None], "three files")

    def test_normalization(self):
        # An autocorrelation averaged over channels is the mean power of the samples.
        for name in ("ci16", "i16"):
            samples = 512 * 128
            raw = (self.rng.standard_normal((samples, 1, decoders()[name][1])) * 3000)
            raw = np.rint(raw).astype("<i2")
            power = np.mean(np.abs(decoders()[name][2](raw)) ** 2)
            got = self.correlated(raw, name, 1, 64, taps=8, window="hann")
            self.assertAlmostEqual(got.real.mean() / power, 1, delta=0.02)


if __name__ == "__main__":
    unittest.main()
