#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The simulated sky: delays, powers, formats, and the sources made of it."""

import os
import tempfile
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.ground.quantize import quantize
from gnuradio.fringe.primary_beams import beam_of

RATE = 10e6
CENTER = 150e6


def sky(noise=0.0, sources=((0.3, -0.4, 1.0),), spacing=150.0, antennas=3):
    """A few antennas hundreds of meters apart: delays of many samples."""
    obs = fringe.observation.example(antennas, spacing)
    obs.set_site(-30, 20, 1000)
    obs.start_time = fringe.epoch(1781263240, 0.25)
    obs.has_start_time = True
    obs.sample_rate = RATE
    obs.center_frequency = CENTER
    obs.receiver_noise = noise
    obs.sky = [fringe.point_source(*s) for s in sources]
    return obs


def change(obs, number, **fields):
    """Sets fields of one input."""
    inputs = obs.inputs
    for name, value in fields.items():
        setattr(inputs[number], name, value)
    obs.inputs = inputs


def correlate(voltages, conjugated=None, points=512):
    """A plain FX correlator: [channel][input][input], Hann window, ascending frequency."""
    v = np.array(voltages, np.complex128 if np.iscomplexobj(voltages) else np.float64)
    for i in np.flatnonzero(conjugated if conjugated is not None else []):
        v[i] = v[i].conj() if np.iscomplexobj(v) else v[i] * (-1.0) ** np.arange(v.shape[1])
    window = np.hanning(points)
    window /= np.sqrt(np.mean(window ** 2))
    spectra = v[:, :v.shape[1] // points * points].reshape(len(v), -1, points) * window
    if np.iscomplexobj(v):
        spectra = np.fft.fftshift(np.fft.fft(spectra), axes=-1)
    else:
        spectra = np.fft.rfft(spectra)[..., :points // 2]
    return np.einsum("isk,jsk->kij", spectra, spectra.conj()) / spectra.shape[1] / points


def phase_error(vis, obs, complex_samples, delay):
    """Largest error in degrees of V_01, over groups of channels, against an exact delay."""
    f = obs.channel_frequencies(len(vis), complex_samples)
    turned = vis[:, 0, 1] * np.exp(-2j * np.pi * f * delay)
    groups = turned[len(f) // 16:-len(f) // 16].reshape(8, -1).mean(axis=1)
    return np.max(np.abs(np.degrees(np.angle(groups))))


class qa_simulator(unittest.TestCase):
    def test_reads_of_any_size_are_the_same_stream(self):
        obs = sky(noise=1.0)
        change(obs, 1, inverted=True, cable_delay=3e-6)
        for is_complex in (True, False):
            whole = fringe.simulator(obs, is_complex, 7).read(40000)
            cut = fringe.simulator(obs, is_complex, 7)
            pieces = [cut.read(n) for n in (1, 0, 8191, 3, 8192, 20000, 3613)]
            with self.subTest(complex=is_complex):
                np.testing.assert_array_equal(np.concatenate(pieces, axis=1), whole)
                other = fringe.simulator(obs, is_complex, 8).read(1000)
                self.assertFalse(np.allclose(other, whole[:, :1000]))

    def test_the_phase_is_that_of_the_delay(self):
        # 300 m at l = 0.6: 0.6 us, six samples and a fraction, and 90 turns of phase.
        obs = sky(sources=((0.6003, 0.1, 1.0),), spacing=300.0)
        direction = fringe.source_direction(obs, obs.sky[0], obs.start_time)
        tau = fringe.delays(obs, direction)
        for is_complex in (True, False):
            vis = correlate(fringe.simulator(obs, is_complex).read(1 << 18))
            # x_0 conj(x_1), x_i ~ exp(-2 pi i f tau_i)
            error = phase_error(vis, obs, is_complex, tau[1] - tau[0])
            with self.subTest(complex=is_complex):
                self.assertLess(error, 0.5)

    def test_the_waveform_is_delayed(self):
        # One octave of the band, far from its edges, delayed by numpy's own FFT.
        obs = sky(spacing=333.3, antennas=2)
        direction = fringe.source_direction(obs, obs.sky[0], obs.start_time)
        tau = fringe.delays(obs, direction)[1]
        n = 1 << 16
        f = np.fft.fftfreq(n, 1 / RATE)
        band = np.exp(-(f / (0.1 * RATE)) ** 2)
        v = np.fft.ifft(np.fft.fft(fringe.simulator(obs, True).read(n)) * band)
        late = np.fft.ifft(np.fft.fft(v[0]) * np.exp(-2j * np.pi * (f + CENTER) * tau))
        inside = slice(1000, -1000)
        # The sky turns on: within these 6.5 ms the delay changes by 1e-4 turns.
        self.assertLess(np.max(np.abs(late - v[1])[inside]), 2e-3)

    def test_powers(self):
        obs = sky(noise=0.7, sources=((0.1, 0.0, 0.5), (-0.2, 0.3, 0.3)))
        change(obs, 2, gain=3.0)
        for is_complex in (True, False):
            v = fringe.simulator(obs, is_complex).read(1 << 18)
            power = np.mean(np.abs(v) ** 2, axis=1)
            with self.subTest(complex=is_complex):
                np.testing.assert_allclose(power, [1.5, 1.5, 13.5], rtol=0.02)
                # White: every part of the band has its share.
                spectrum = correlate(v[:1], points=64)[:, 0, 0].real
                np.testing.assert_allclose(spectrum[2:-2], 1.5, rtol=0.12)
        alone = fringe.simulator(sky(noise=2.0, sources=())).read(1 << 17)
        vis = np.cov(alone)
        np.testing.assert_allclose(np.abs(vis), 2 * np.eye(3), atol=0.04)

    def test_polarizations_are_independent(self):
        obs = sky(antennas=1)
        x, y = obs.inputs[0], fringe.input()
        y.polarization, y.stream = "Y", 1
        obs.inputs = [x, y]
        vis = np.cov(fringe.simulator(obs).read(1 << 17))
        np.testing.assert_allclose(np.abs(vis), np.eye(2), atol=0.03)

    def test_beams(self):
        """Powers of dipoles (Balanis, Antenna Theory, 4.2), and of a dish that points to its source
        and of one that does not."""
        obs = fringe.observation.from_text(repr({
            "site": {"latitude": -30, "longitude": 20}, "antennas": [[0, 0, 0]],
            "polarizations": ["X", "Y"], "sample_rate": RATE, "center_frequency": CENTER,
            "sky": {"receiver_noise": 0, "sources": [{"az": 90, "el": 30, "flux": 2.0}]}}))
        for name, powers in (("dipole", (0.5, 2.0)), ("gaussian:180deg@150MHz", (1.47, 1.47))):
            v = fringe.simulator(obs, beam=beam_of(name)).read(1 << 17)
            with self.subTest(name):
                np.testing.assert_allclose(np.mean(np.abs(v) ** 2, axis=1), powers, rtol=0.03)
        obs.phase_center = fringe.phase_center.at_azel(np.pi / 2, np.pi / 6)
        v = fringe.simulator(obs, beam=beam_of("airy:25m")).read(1 << 17)
        np.testing.assert_allclose(np.mean(np.abs(v) ** 2, axis=1), 2, rtol=0.03)

    def test_the_receiver_is_taken_out_again(self):
        for is_complex in (True, False):
            for lower in (False, True):
                obs = sky(sources=((0.1, -0.2, 1.0),))
                plain = fringe.simulator(obs, is_complex).read(1 << 17)
                change(obs, 0, gain=2.0, phase=77.0)
                change(obs, 1, cable_delay=431.7e-9, inverted=True)
                obs.lower_sideband = lower
                v = fringe.simulator(obs, is_complex).read(1 << 17)
                vis = correlate(v, obs.conjugated())
                c = obs.corrections(len(vis), is_complex).T
                vis *= c[:, :, None] * c[:, None, :].conj()
                with self.subTest(complex=is_complex, lower=lower):
                    self.assertGreater(np.max(np.abs(v - plain)), 0.5)
                    inner = slice(len(vis) // 16, -len(vis) // 16)
                    expected = correlate(plain)[inner]
                    self.assertLess(np.abs(np.mean(vis[inner] / expected) - 1), 0.003)
                    error = np.angle(np.sum(vis[inner] * expected.conj(), axis=0))
                    self.assertLess(np.max(np.abs(error)), np.radians(0.5))

    def test_the_sky_turns_over_a_fixed_array(self):
        obs = sky(spacing=3000.0, antennas=2, sources=((0.0, 0.0, 1.0),))
        ra, dec = fringe.radec_of_azel(obs, 0.0, 1.4, obs.start_time)
        obs.phase_center = fringe.phase_center.at_radec(ra, dec, "field")
        obs.sample_rate = 20e3  # frames of 0.8 s: the fringe turns in seconds
        v = fringe.simulator(obs).read(1 << 18).reshape(2, 32, -1)
        phase = np.unwrap(np.angle(np.einsum("ist,jst->ijs", v, v.conj())[0, 1]))
        middles = [obs.start_time.plus_samples((2 * k + 1) << 12, 20e3) for k in range(32)]
        tau = [fringe.delays(obs, fringe.source_direction(obs, obs.sky[0], t))[1]
               for t in middles]
        expected = 2 * np.pi * CENTER * np.array(tau)
        self.assertGreater(np.ptp(expected), 3)
        self.assertLess(np.max(np.abs(np.angle(np.exp(1j * (phase - expected))))), 0.1)

    def test_wrong_use(self):
        obs = sky()
        for wrong, words in (({"sample_rate": 0}, "no sample_rate"),
                             ({"sample_rate": -1}, "must be positive"),
                             ({"receiver_noise": -1}, "not negative")):
            bad = fringe.observation(obs)
            for name, value in wrong.items():
                setattr(bad, name, value)
            with self.assertRaisesRegex(ValueError, words):
                fringe.simulator(bad)
        with self.assertRaisesRegex(ValueError, "seed -1"):
            fringe.simulator(obs, True, -1)
        obs.phase_center = fringe.phase_center.at_radec(1, 1)
        obs.has_start_time = False
        with self.assertRaisesRegex(ValueError, "no start_time"):
            fringe.simulator(obs)


def decoded(data, name, streams):
    """An independent reading of each format: [stream][time] numbers."""
    raw = bytes(data)
    width = 2 if "16" in name else 4 if "32" in name else 1
    if "32" in name:
        values = np.frombuffer(raw, "<f4").astype(float)
    else:
        words = [int.from_bytes(raw[k:k + width], "little") for k in range(0, len(raw), width)]
        if name.startswith("mwa"):
            bits = 5 if name == "mwa16" else 4
            values = []
            for word in words:
                for part in (word % 2 ** bits, word // 2 ** bits % 2 ** bits):
                    signed = part - 2 ** bits if part >= 2 ** (bits - 1) else part
                    values.append(signed + (0.5 if name == "mwa8" else 0))
        elif "u" in name:
            zero = 127.4 if name == "cu8" else 2 ** (8 * width - 1)
            values = [word - zero for word in words]
        else:
            values = [word - 2 ** (8 * width) if word >= 2 ** (8 * width - 1) else word
                      for word in words]
        values = np.array(values, float)
    if name[0] in "cm":
        values = values[0::2] + 1j * values[1::2]
    return values.reshape(-1, streams).T


class qa_quantize(unittest.TestCase):
    FORMATS = ("i8", "u8", "i16", "u16", "f32", "ci8", "cu8", "cu8_128", "ci16", "cf32",
               "mwa16", "mwa8")

    def voltages(self, name):
        rng = np.random.default_rng(5)
        v = np.clip(rng.standard_normal((2, 3, 1000)), -2.5, 2.5)
        return v[0] + 1j * v[1] if name[0] in "cm" else v[0]

    def test_every_format(self):
        for name in self.FORMATS:
            v = self.voltages(name)
            q = quantize(v, name)
            back = decoded(q.data, name, 3) / q.level
            with self.subTest(format=name):
                self.assertEqual((q.data.dtype, q.data.ndim, q.clipped), (np.uint8, 1, 0))
                step = (1e-6 if "32" in name else 0.502) / q.level
                self.assertLess(np.max(np.abs((back - v).real)), step)
                self.assertLess(np.max(np.abs((back - v).imag)), step)

    def test_clipping_is_counted(self):
        for name, largest in (("i8", 127), ("u8", 127), ("i16", 32767), ("mwa16", 15),
                              ("mwa8", 7.5), ("cu8_128", 127), ("cu8", (127.6, 127.4))):
            v = np.array([[1e6, -1e6, 0.3]]) + (0 if name[0] in "iu" else 0.3j)
            q = quantize(v, name, 1.0)
            high, low = np.broadcast_to(largest, 2)
            with self.subTest(format=name):
                self.assertEqual(q.clipped, 2)
                back = decoded(q.data, name, 1)
                np.testing.assert_allclose(back[0, :2].real, [high, -low], rtol=1e-12)

    def test_wrong_use(self):
        for name, words in (("tart", "one-bit"), ("ci9", "one of i8, u8"), ("ci8", "complex")):
            with self.assertRaisesRegex(ValueError, words):
                quantize(np.zeros((1, 4)), name)
        with self.assertRaisesRegex(ValueError, "NaN"):
            quantize(np.full((1, 4), np.nan), "i8", 1.0)


class qa_simulate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "sky.ci8")

    def test_recording(self):
        obs = sky(noise=1.0)
        change(obs, 0, stream=1)
        change(obs, 1, stream=0)
        done = []
        made = fringe.simulate(obs, self.path, 20000, "ci8", 3, progress=done.append)
        self.assertEqual((made.path, made.samples, done[-1]), (self.path, 20000, 20000))
        self.assertLess(made.clipped, 10)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["sky.ci8", "sky.ci8.yml"])
        with open(self.path, "rb") as file:
            back = decoded(file.read(), "ci8", 3)
        v = fringe.simulator(obs, True, 3).read(20000)[[1, 0, 2]]
        self.assertLess(np.max(np.abs((back / made.level - v).real)), 0.501 / made.level)
        again = fringe.observation.from_file(self.path + ".yml")
        self.assertEqual((again.format, again.streams()), ("ci8", [1, 0, 2]))
        with open(self.path + ".yml", encoding="utf-8") as file:
            self.assertIn(f"level = {made.level!r}", file.readline())

    def test_the_ending_names_the_format(self):
        for ending in ("cu8", "ci16"):
            beside = os.path.join(self.folder.name, "obs.yml")
            with open(beside, "w", encoding="utf-8") as file:
                file.write(sky().to_text())
            made = fringe.simulate(beside if ending == "cu8" else sky(),
                                   os.path.join(self.folder.name, "sky." + ending), 100)
            self.assertEqual(fringe.observation.from_file(made.path + ".yml").format, ending)

    def test_nothing_is_overwritten_or_left_behind(self):
        obs = sky()
        fringe.simulate(obs, self.path, 100, "ci8")
        with self.assertRaisesRegex(FileExistsError, "exists already"):
            fringe.simulate(obs, self.path, 200, "ci8")
        fringe.simulate(obs, self.path, 200, "ci8", overwrite=True)
        self.assertEqual(os.path.getsize(self.path), 200 * 3 * 2)

        def stop(done):
            raise KeyboardInterrupt
        other = os.path.join(self.folder.name, "other")
        with self.assertRaises(KeyboardInterrupt):
            fringe.simulate(obs, other, 100, "ci8", progress=stop)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["sky.ci8", "sky.ci8.yml"])
        for samples, name, level, words in ((0, "ci8", None, "samples 0"),
                                            (1, None, None, "format: not given, .* one of .*ci8"),
                                            (1, "ci8", -1, "level -1")):
            with self.assertRaisesRegex(ValueError, words):
                fringe.simulate(obs, other, samples, name, level=level)


class qa_sky_source(unittest.TestCase):
    def check_tags(self, tags, obs):
        values = {pmt.symbol_to_string(t.key): t.value for t in tags}
        self.assertEqual({t.offset for t in tags}, {0})
        self.assertEqual(pmt.to_uint64(pmt.tuple_ref(values["rx_time"], 0)), 1781263240)
        self.assertEqual(pmt.to_double(pmt.tuple_ref(values["rx_time"], 1)), 0.25)
        self.assertEqual(pmt.to_double(values["rx_rate"]), obs.sample_rate)
        self.assertEqual(pmt.to_double(values["rx_freq"]), obs.center_frequency)

    def test_streams(self):
        obs = sky(noise=0.5)
        for is_complex in (True, False):
            top = gr.top_block()
            source = fringe.sky_source(obs, is_complex, 4)
            item = gr.sizeof_gr_complex if is_complex else gr.sizeof_float
            sinks = []
            for port in range(3):
                head = blocks.head(item, 20000)
                sinks.append(blocks.vector_sink_c() if is_complex else blocks.vector_sink_f())
                top.connect((source, port), head, sinks[-1])
            top.run()
            expected = fringe.simulator(obs, is_complex, 4).read(20000)
            with self.subTest(complex=is_complex):
                for row, sink in zip(expected, sinks):
                    np.testing.assert_array_equal(sink.data(), row)
                    self.check_tags(sink.tags(), obs)

    def test_raw_blocks(self):
        obs = sky(noise=0.5, antennas=4)
        for name in ("ci8", "i16", "mwa16", "mwa8", "cf32"):
            top = gr.top_block()
            source = fringe.raw_sky_source(obs, name, 1024, 4)
            head = blocks.head(source.block_bytes, 5)
            sink = blocks.vector_sink_b(source.block_bytes)
            top.connect(source, head, sink)
            top.run()
            v = fringe.simulator(obs, name != "i16", 4).read(5 * 1024)
            with self.subTest(format=name):
                expected = quantize(v, name, source.level).data
                np.testing.assert_array_equal(np.array(sink.data(), np.uint8), expected)
                self.check_tags(sink.tags(), obs)

    def test_wrong_use(self):
        with self.assertRaisesRegex(ValueError, "block_samples 0"):
            fringe.raw_sky_source(sky(), "ci8", 0)
        with self.assertRaisesRegex(ValueError, "one of i8"):
            fringe.raw_sky_source(sky(), "ci9", 10)


if __name__ == "__main__":
    unittest.main()
