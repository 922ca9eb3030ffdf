#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""fringe align: offset, clock, frequency and phase of two recordings, or that there is no peak."""
import contextlib
import io
import math
import unittest

import numpy as np
from gnuradio.fringe import cli
from gnuradio.fringe.calibration.alignment import align
from gnuradio.fringe.calibration.alignment_search import log_tail
from qa_scratch import scratch_case, times_tried

TAPS = 24


def pair(rng, samples, offset, rate=0.0, turn=0.0, phase=0.0, coherence=0.5):
    """Two streams of noise in four fifths of the band: sample n + offset + rate n of the second
    belongs to sample n of the first, and its phase is ahead by phase + 2 pi turn n, counted from
    the first common sample. Interpolated by a windowed sinc, evaluated directly."""
    count = samples + abs(math.ceil(offset)) + 8192
    spectrum = rng.normal(size=count) + 1j * rng.normal(size=count)
    spectrum[np.abs(np.fft.fftfreq(count)) > 0.4] = 0
    sky = np.fft.ifft(spectrum)
    sky /= np.sqrt(np.mean(np.abs(sky) ** 2) / 2)
    base = 4096 + max(0, math.floor(offset))
    t = np.arange(samples) - offset - max(0.0, -round(offset))
    place = base + np.arange(samples) - offset - rate * t
    at = np.floor(place).astype(int)
    second = np.zeros(samples, complex)
    for j in range(1 - TAPS, TAPS + 1):
        x = place - at - j
        window = np.sinc(x) * np.cos(np.pi * x / 2 / TAPS) ** 2
        second += sky[np.clip(at + j, 0, count - 1)] * window
    second *= np.exp(1j * (math.radians(phase) + 2 * np.pi * turn * t))
    noise = math.sqrt(1 / coherence - 1)
    return tuple(stream + noise * (rng.normal(size=samples) + 1j * rng.normal(size=samples))
                 for stream in (sky[base:base + samples], second))


class qa_align(scratch_case):

    def test_offsets(self):
        """0.2 s at 500 kS/s and more: each number is right to six times its error."""
        for sign in (1, -1):
            offset = sign * self.rng.uniform(100000, 120000)
            phase = self.rng.uniform(-180, 180)
            rate, turn = self.rng.uniform(-1e-5, 1e-5), self.rng.uniform(-5e-6, 5e-6)
            a, b = pair(self.rng, 200000, offset, rate, turn, phase)
            found = align(a, b, 5e5, search=0.25)
            with self.subTest(offset=offset, phase=phase, rate=rate, turn=turn, found=found):
                self.assertTrue(found.found)
                self.assertLess(found.false_alarm, 1e-50)
                self.assertLess(abs(found.offset - offset), 6 * found.offset_error + 2e-3)
                self.assertLess(abs(found.rate - rate), 6 * found.rate_error)
                self.assertLess(abs(found.frequency - turn * 5e5), 6 * found.frequency_error)
                self.assertLess(abs(math.remainder(found.phase - phase, 360)),
                                6 * found.phase_error)
                self.assertLess(found.offset_error, 0.02)
                self.assertLess(found.phase_error, 3)
                self.assertTrue(0.4 < found.coherence < 0.7)
                self.assertLessEqual(abs(found.first - max(0, -round(offset))), 4)

    def test_frequencies(self):
        turn = self.rng.uniform(-4e-4, 4e-4)
        a, b = pair(self.rng, 60000, 1000.3, 0.0, turn, 30.0)
        found = align(a, b, 1e6, search=0.005, frequency_search=500)
        self.assertLess(abs(found.frequency - turn * 1e6), 6 * found.frequency_error)
        self.assertLess(abs(found.offset - 1000.3), 6 * found.offset_error + 2e-3)
        self.assertGreater(found.trials, 3)

    def test_wide_searches(self):
        """Tens of kHz, delays of much of the recording, clocks that differ by up to 100 ppm, and
        lengths for which the frequency was wrong by 64 / length: right to six errors."""
        cases = ((120000, -9000, -60, 10000), (200000, 20000, 100, 20000),
                 (300000, 500, 20, 500), (300000, 137, 3, 500))
        for count, hertz, ppm, seek in cases[:times_tried(2, 4)]:
            offset = self.rng.uniform(-0.02, 0.02) * 1e6
            turn, rate = hertz / 1e6, ppm * 1e-6
            a, b = pair(self.rng, count, offset, rate, turn, 0.0, coherence=0.4)
            found = align(a, b, 1e6, search=0.03, frequency_search=seek)
            with self.subTest(count=count, hertz=hertz, ppm=ppm, offset=offset, found=found):
                self.assertFalse(found.ambiguous)
                self.assertLess(abs(found.frequency - hertz), 6 * found.frequency_error)
                self.assertLess(abs(found.rate - rate), 6 * found.rate_error)
                at_first = offset + rate * (found.first - max(0, -round(offset)))
                self.assertLess(abs(found.offset - at_first), 6 * found.offset_error + 2e-3)
                self.assertGreater(found.coherence, 0.3)

    def test_errors_are_standard_deviations(self):
        """Of n runs the mean square of the deviations is 1 +- sqrt(2 / n), four of which count;
        the band's edges add a little."""
        off, runs = [], times_tried(15, 40)
        for _ in range(runs):
            offset, rate = self.rng.uniform(-500, 500), self.rng.uniform(-3e-5, 3e-5)
            turn = self.rng.uniform(-4e-4, 4e-4)
            a, b = pair(self.rng, 60000, offset, rate, turn, 0.0, coherence=0.2)
            found = align(a, b, 1e6, search=0.001, frequency_search=500)
            at_first = offset + rate * (found.first - max(0, -round(offset)))
            off.append(((found.offset - at_first) / found.offset_error,
                        (found.rate - rate) / found.rate_error,
                        (found.frequency - turn * 1e6) / found.frequency_error))
        square = np.mean(np.square(off), axis=0)
        self.assertTrue((square > 0.3).all(), square)
        self.assertTrue((square < 1.3 + 4 * math.sqrt(2 / runs)).all(), square)

    def test_what_does_not_last_is_ambiguous(self):
        """A receiver's frequency jumps by 40 Hz in the middle of 0.3 s: no number holds."""
        a, b = pair(self.rng, 300000, 100.0, coherence=0.5)
        late = np.arange(len(b)) > 150000
        b = b * np.exp(2j * np.pi * 40e-6 * np.arange(len(b)) * late)
        self.assertTrue(align(a, b, 1e6, search=0.001, frequency_search=500).ambiguous)

    def test_real_samples(self):
        a, b = pair(self.rng, 100000, 5432.0, coherence=0.6)
        found = align(a.real, b.real, 1e6, search=0.02)
        self.assertLess(abs(found.offset - 5432), 6 * found.offset_error + 2e-3)

    def test_noise_alone(self):
        """No peak, and the chance is one of noise: one of 1e-8 counts, and ten of
        them all below 1e-3 have one of 1e-30."""
        chances = []
        for _ in range(times_tried(10, 40)):
            a, b = (self.rng.normal(size=(8192, 2)) @ [1, 1j] for _ in range(2))
            found = align(a, b, 1e5, search=0.02)
            self.assertFalse(found.found)
            chances.append(found.false_alarm)
        self.assertGreater(max(chances), 1e-3)

    def test_a_carrier_is_no_common_signal(self):
        """A transmitter that both hear beside their noise is periodic: no offset is right."""
        n = np.arange(60000)
        a, b = (self.rng.normal(size=(60000, 2)) @ [1, 1j] + 3 * np.exp(0.4j * np.pi * n)
                for _ in range(2))
        self.assertFalse(align(a, b, 1e6, search=0.01).found)

    def test_the_distribution(self):
        """Sums of exponential variables against random ones, six standard deviations away."""
        sums = self.rng.exponential(size=(200000, 8)).sum(axis=1)
        for x in (8.0, 14.0, 18.0):
            expected = math.exp(log_tail(np.array([8]), np.array([x]))[0])
            counted = np.mean(sums > x)
            self.assertLess(abs(counted - expected), 6 * math.sqrt(expected / len(sums)))

    def command(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(["align", *words])
        return code, out.getvalue(), err.getvalue()

    def test_command(self):
        a, b = pair(self.rng, 120000, 20000.0)
        for name, samples in (("a.cf32", a), ("b.cf32", b), ("c.cf32", a[::-1])):
            samples.astype(np.complex64).tofile(self.path(name))
        code, text, _ = self.command(self.path("a.cf32"), self.path("b.cf32"), "--sample-rate",
                                     "1e6", "--search", "0.04")
        self.assertEqual(code, 0)
        self.assertRegex(text, r"offset +(20000\.0|19999\.9)")
        self.assertRegex(text, "--start-sample 0,20000")
        self.assertRegex(text, r"sky +a source in the sky .* does not say that receivers do not")
        code, text, _ = self.command(self.path("a.cf32"), self.path("c.cf32"), "--sample-rate",
                                     "1e6", "--search", "0.04")
        self.assertEqual(code, 3)
        self.assertIn("there is no peak", text)
        code, _, text = self.command(self.path("a.cf32"), self.path("b.cf32"))
        self.assertEqual(code, 2)
        self.assertIn("--sample-rate", text)

    def test_refusals(self):
        with self.assertRaisesRegex(ValueError, "at least 4096"):
            align(np.ones(100), np.ones(100), 1e6)
        with self.assertRaisesRegex(ValueError, "must be positive"):
            align(np.ones(5000), np.ones(5000), 1e6, search=0)


if __name__ == "__main__":
    unittest.main()
