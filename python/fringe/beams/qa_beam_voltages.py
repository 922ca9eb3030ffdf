#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe beam -o x.vdif: voltages of a beam, against the samples of the one station it is made of.
"""
import importlib.util
import subprocess
import sys
import unittest
from unittest import mock

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.beams import vdif_files
from gnuradio.fringe.beams.few_bits import LEVELS, codes_of, packed
from gnuradio.fringe.beams.form_beams import form_beams
from gnuradio.fringe.beams.inverse_filter_bank import inverse_filter_bank
from qa_cli import FRINGE
from qa_scratch import TIMEOUT, scratch_case
from qa_vdif_packets import parsed

RATE, START = 1e5, "2026-06-30T23:59:59.505Z"  # VDIF's epoch changes behind this half year
WINDOWS = {1: "rectangular", 4: "hann"}  #: windows of taps


def observation(channels, taps, sample_format="ci8", start=START, antennas=1, polarizations="X"):
    """Stations at one place, towards whose zenith nothing is delayed."""
    return fringe.observation.from_text(repr({
        "site": {"latitude": 50.0, "longitude": 8.0}, "antennas": [[0, 0, 0]] * antennas,
        "polarizations": list(polarizations), "sample_rate": RATE, "center_frequency": 150e6,
        "channels": channels, "taps": taps, "window": WINDOWS[taps], "format": sample_format,
        "start_time": start, "integration": 0.1}))


def spectra_of(x, channels, taps, complex_samples):
    """The channelizer by its equation: [channel][spectrum]."""
    n = channels if complex_samples else 2 * channels
    middle = (taps * n - 1) / 2
    at = np.arange(taps * n) - middle
    h = np.sinc(at / n) * (0.5 + 0.5 * np.cos(np.pi * at / middle)) if taps > 1 else np.ones(n)
    h *= np.sqrt(n / (h * h).sum())
    rows = len(x) // n - taps + 1
    found = np.array([np.fft.fft((x[s * n:(s + taps) * n] * h).reshape(taps, n).sum(axis=0))
                      for s in range(rows)]).T / np.sqrt(n)
    return np.fft.fftshift(found, axes=0) if complex_samples else found[:channels]


def frames_of(path):
    """All frames of a VDIF file, as parsed() has them."""
    with open(path, "rb") as file:
        data = file.read()
    size = parsed(data[:8192 + 32])["bytes"]
    return [parsed(data[at:at + size]) for at in range(0, len(data), size)]


def samples_of(path, thread=0):
    """(second, number of the first sample in it, samples [time][channel], header) of a thread."""
    frames = [frame for frame in frames_of(path) if frame["thread"] == thread]
    head = frames[0]
    middle = 1 << (head["bits"] - 1)
    values = np.concatenate([frame["codes"] for frame in frames]).astype(float) - middle
    if head["bits"] == 2:
        values = np.array([-3.336, -1, 1, 3.336])[values.astype(int) + 2]
    if head["complex"]:
        values = values.reshape(-1, 2) @ [1, 1j]
    values = values.reshape(-1, head["channels"])
    return head["second"], head["frame"] * (len(values) // len(frames)), values, head


def fitted(found, wanted):
    """(factor, error of the power) with which found is wanted."""
    factor = np.vdot(wanted, found) / np.vdot(wanted, wanted)
    return factor, np.mean(np.abs(found - factor * wanted)**2) / np.mean(np.abs(found)**2)


class qa_beam_voltages(scratch_case):

    def noise(self, length, complex_samples=True):
        """Whole numbers, as ci8 or i8 has them."""
        parts = np.rint(np.clip(self.rng.standard_normal((length, 2)) * 24, -127, 127))
        return parts @ [1, 1j] if complex_samples else parts[:, 0]

    def recorded(self, *voltages):
        """Writes voltages of inputs as ci8, or i8."""
        path = self.path("sky.ci8")
        values = np.stack(voltages, axis=1)
        if np.iscomplexobj(values):
            values = values.astype(np.complex64).view(np.float32)
        values.astype(np.int8).tofile(path)
        return path

    def test_inverse_filter_bank(self):
        """What a channelizer made is the samples again, with the error that is stated; in pieces of
        any length; channels are 48 or, odd, 45."""
        for channels, taps, is_complex, least in ((48, 4, True, 6e-4), (45, 4, True, 6e-4),
                                                  (48, 4, False, 0.02), (32, 1, True, 1e-5)):
            points = channels if is_complex else 2 * channels
            x = self.noise(points * 3000, is_complex)
            bank = inverse_filter_bank(channels, taps, WINDOWS[taps], is_complex)
            spectra = spectra_of(x, channels, taps, is_complex)[:, None].astype(np.complex64)
            parts = [bank.take(piece) for piece in np.array_split(spectra, 7, axis=2)]
            parts.append(bank.finish())
            made = np.concatenate(parts, axis=2)[:, 0].T
            self.assertEqual(len(made), spectra.shape[2] - bank.past - bank.future)
            wanted = x.reshape(-1, points)[bank.past:bank.past + len(made)]
            error = np.mean(np.abs(made - wanted)**2) / np.mean(np.abs(wanted)**2)
            self.assertLess(bank.error(), least)
            self.assertLess(abs(error / bank.error() - 1), 0.25, (channels, taps))

    def test_levels_lose_least(self):
        """The steps are the optimum for Gaussian noise, and keep as much as is said."""
        from scipy.optimize import minimize_scalar
        from scipy.stats import norm
        x = np.linspace(-8, 8, 200001)
        density = norm.pdf(x)
        for bits, (step, kept) in LEVELS.items():
            levels = np.arange(1 << bits) - (1 << (bits - 1))
            if bits == 2:
                levels = np.array([-3.3359, -1, 1, 3.3359])

            def efficiency(step, bits=bits, levels=levels):
                q = levels[codes_of(x, step / LEVELS[bits][0], bits)]
                return (x * q * density).sum()**2 / (q * q * density).sum() / density.sum()

            self.assertAlmostEqual(efficiency(step), kept, 4)
            best = minimize_scalar(lambda s: -efficiency(s), bounds=(0.7 * step, 1.3 * step),
                                   method="bounded")
            self.assertLess(-best.fun - efficiency(step), 1e-5)

    def test_packed(self):
        """The first in the least significant bits."""
        np.testing.assert_array_equal(packed(np.array([[3, 0, 1, 2, 1, 1, 1, 1]], np.uint8), 2),
                                      [[0b10010011, 0b01010101]])
        np.testing.assert_array_equal(packed(np.array([1, 15], np.uint8), 4), [0xf1])

    def test_one_station(self):
        """The beam of one station is its samples: at the same instants, with the error of the
        filter bank and of the bits, and no more."""
        for bits, taps, is_complex in ((8, 4, True), (4, 4, False), (2, 4, True), (8, 1, True)):
            with self.subTest(bits=bits, taps=taps, is_complex=is_complex):
                x = self.noise(int(0.7 * RATE), is_complex)
                obs = observation(16, taps, "ci8" if is_complex else "i8")
                path = self.path("beam.vdif")
                lines = form_beams([self.recorded(x)], [path], ["zenith"], obs, bits=bits,
                                   overwrite=True)
                self.assertEqual(lines[0], f"wrote {path}")
                self.assertIn(f"{LEVELS[bits][0]:.3g} sigma", lines[1])
                second, first, values, head = samples_of(path)
                self.assertEqual((head["bits"], head["complex"], head["channels"], head["sync"]),
                                 (bits, is_complex, 1, 0xacabfeed))
                began = fringe.epoch.from_iso(START[:-1])
                skip = (second - began.seconds) * int(RATE) + first - round(
                    began.fraction() * RATE)
                self.assertGreater(len(values), 0.5 * RATE)
                wanted = x[skip:skip + len(values)]
                factor, error = fitted(values[:, 0], wanted)
                self.assertAlmostEqual(np.angle(factor), 0, delta=0.01)
                # (signal to noise kept)^2 is the coherence with what went in
                lost = 1 - LEVELS[bits][1] + inverse_filter_bank(
                    16, taps, WINDOWS[taps], is_complex).error()
                self.assertLess(abs(error - lost), (0.1 if is_complex else 0.3) * lost + 2e-4)

    def test_a_signal_that_begins_late(self):
        """Levels are those of the signal, not of the zeros before it."""
        for late in (0.35, 0.6):  # a part of the samples that set levels is 0, or all
            x = self.noise(int(1.5 * RATE))
            x[:int(late * RATE)] = 0
            path = self.path("beam.vdif")
            with mock.patch.object(vdif_files, "LEVEL_SAMPLES", 40000):
                form_beams([self.recorded(x)], [path], ["zenith"], observation(16, 1), bits=2,
                           overwrite=True)
            _, _, values, _ = samples_of(path)
            # Of 2 bits a third of the samples of noise is above the threshold, 0.9816 sigma.
            parts = np.abs(values[-int(0.5 * RATE):, 0].view(float))
            self.assertAlmostEqual((parts > 2).mean(), 0.3263, delta=0.01)

    def test_between_samples(self):
        """Samples that lie beside VDIF's instants are moved there."""
        x = np.fft.fft(self.noise(2**16))
        f = np.fft.fftfreq(2**16)
        x[np.abs(f) > 0.4] = 0  # the ends of the band have two delays
        x = np.fft.ifft(x)
        path = self.path("sky.cf32")
        x.astype(np.complex64).tofile(path)
        obs = observation(64, 4, "cf32", "2026-06-30T23:59:59.5050030Z")
        form_beams([path], [self.path("beam.vdif")], ["zenith"], obs)
        second, first, values, _ = samples_of(self.path("beam.vdif"))
        moved = np.fft.ifft(np.fft.fft(x) * np.exp(-2j * np.pi * f * 0.3))
        skip = (second - fringe.epoch.from_iso(START[:-1]).seconds) * int(RATE) + first - 50500
        factor, error = fitted(values[:, 0], moved[skip:skip + len(values)])
        self.assertAlmostEqual(np.angle(factor), 0, delta=0.01)
        self.assertLess(error, 2e-3)

    def test_correlated(self):
        """fringe correlate takes the file: its two polarizations make the visibilities of the
        recording, over the second at which VDIF's epoch changes."""
        common = self.noise(int(RATE))
        voltages = [np.rint(0.5 * (common + self.noise(int(RATE)))) for _ in "XY"]
        obs = observation(16, 4, polarizations="XY")
        sky = self.recorded(*voltages)
        form_beams([sky], [self.path("beam.vdif"), self.path("beam.h5")], ["zenith"], obs,
                   interval=0.01)
        found = []
        for source, name, more in ((sky, "sky", {"obs": obs}),
                                   (self.path("beam.vdif"), "beam", {"center_frequency": 150e6})):
            fringe.correlate(source, self.path(f"{name}.uvh5"), channels=16, integration=0.1,
                             **more)
            found.append(fringe.read_visibilities(self.path(f"{name}.uvh5")))
        sky, beam = found
        compared = 0
        for dump, (second, fraction) in enumerate(zip(sky.seconds, sky.fractions)):
            late = beam.seconds - second + beam.fractions - fraction
            there = int(np.argmin(np.abs(late)))
            if (abs(late[there]) > 1e-4 or sky.weights[dump].min() < 0.999
                    or beam.weights[there].min() < 0.999):
                continue
            coherences = []
            for vis, at in ((sky, dump), (beam, there)):
                xx, xy, yy = vis.data[at, 1:].T  # without the channel at the edge
                coherences.append(xy / np.sqrt(xx.real * yy.real))
            self.assertLess(np.abs(coherences[0] - coherences[1]).max(), 0.06)
            self.assertLess(np.abs(coherences[1].mean() - 0.5), 0.1)
            compared += 1
        self.assertGreater(compared, 4)

    def test_channels(self):
        """--channelized: the spectra of the filter bank, each channel with levels of its own, dated
        to half a sample."""
        x = self.noise(int(RATE))
        obs = observation(8, 4, start="2026-06-30T23:59:59.500Z")
        path = self.path("beam.vdif")
        lines = form_beams([self.recorded(x)], [path], ["zenith"], obs, channelized=True)
        self.assertTrue(any("each channel has levels of its own" in line for line in lines), lines)
        second, first, values, head = samples_of(path)
        self.assertEqual((head["channels"], head["complex"]), (8, True))
        spectra = spectra_of(x, 8, 4, True)
        # Spectrum s has its middle 16 samples behind sample 8 s, or half a sample before that.
        skip = first + (second - fringe.epoch.from_iso(START[:-1]).seconds) * 12500 - 6250 - 2
        self.assertGreaterEqual(skip, 0)
        for channel in range(8):
            factor, error = fitted(values[:, channel],
                                   spectra[channel, skip:skip + len(values)])
            self.assertAlmostEqual(np.angle(factor), 0, delta=0.01)
            self.assertLess(error, 1e-3)

    def test_invalid_frames(self):
        """Where the recording is not valid, frames are marked."""
        x = self.noise(int(0.6 * RATE)) + 0j
        form_beams([self.recorded(x)], [self.path("first.vdif")], ["zenith"], observation(16, 1))
        frames = frames_of(self.path("first.vdif"))
        size = frames[0]["bytes"]
        with open(self.path("first.vdif"), "r+b") as file:
            file.seek(20 * size + 3)
            file.write(bytes([0x80 | frames[20]["second"] >> 31]))
        obs = observation(16, 4, "vdif")
        lines = form_beams([self.path("first.vdif")], [self.path("beam.vdif")], ["zenith"], obs,
                           prefer="header")
        marked = [frame["invalid"] for frame in frames_of(self.path("beam.vdif"))]
        self.assertTrue(any("frames have invalid samples" in line for line in lines), lines)
        self.assertTrue(0 < sum(marked) <= 4, marked)

    def test_what_vdif_cannot_say(self):
        path, sky = self.path("beam.vdif"), self.recorded(self.noise(8000))
        for obs, settings, kind, sentence in (
                (observation(12, 4), {"channelized": True}, ValueError, "12500|12 channels"),
                (observation(20, 4), {"channelized": True}, ValueError, "20 channels of an instant"
                 "; VDIF has a power of two"),
                (observation(64, 4), {"channelized": True}, ValueError, "1562.5 samples a second"),
                (observation(8, 4), {"channelized": True}, RuntimeError, "begin 4 samples later"),
                (observation(8, 4), {"bits": 3}, ValueError, "bits: 3: must be 2, 4 or 8"),
                (observation(8, 4), {"products": "stokes"}, ValueError, "holds voltages"),
                (observation(8, 4), {"interval": 1.0}, ValueError, "interval: 1.0: is for means"),
                (observation(8, 4), {"samples": 200}, ValueError, "holds no VDIF frame")):
            with self.subTest(**settings):
                with self.assertRaisesRegex(kind, sentence):
                    form_beams([sky], [path], ["zenith"], obs, **settings)
        # Spectra longer than a mean by default: there is none.
        form_beams([sky], [path], ["zenith"], observation(1024, 1))
        with self.assertRaisesRegex(ValueError, "bits: is for voltages"):
            form_beams([sky], [self.path("x.h5")], ["zenith"], observation(8, 4), bits=2)

    def test_the_command(self):
        obs, sky = self.path("array.yml"), self.recorded(*[self.noise(int(0.5 * RATE))] * 2)
        with open(obs, "w", encoding="utf-8") as file:
            file.write(observation(16, 4, antennas=2).to_text())
        done = subprocess.run(
            [sys.executable, FRINGE, "beam", sky, "--obs", obs, "-b", "zenith", "-b", "az=9,el=80",
             "--bits", "2", "-o", self.path("x.vdif")], capture_output=True, text=True,
            timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the threshold is 0.982 sigma", done.stdout)
        for name in ("x_zenith.vdif", "x_2.vdif"):
            self.assertEqual(frames_of(self.path(name))[0]["bits"], 2)

    @unittest.skipUnless(importlib.util.find_spec("baseband"), "baseband is not installed")
    def test_in_baseband(self):
        """The package of astronomers reads the same numbers at the same time."""
        from baseband import vdif
        x = self.noise(int(0.6 * RATE))
        for bits in LEVELS:
            form_beams([self.recorded(x)], [self.path("beam.vdif")], ["zenith"],
                       observation(16, 4), bits=bits, overwrite=True)
            second, first, values, _ = samples_of(self.path("beam.vdif"))
            with vdif.open(self.path("beam.vdif"), "rs") as file:
                data = file.read()
                self.assertEqual(file.sample_rate.to_value("Hz"), RATE)
                self.assertAlmostEqual(file.start_time.unix, second + first / RATE, 6)
            self.assertGreater(abs(np.corrcoef(data.ravel(), values.ravel())[0, 1]), 0.9999)


if __name__ == "__main__":
    unittest.main()
