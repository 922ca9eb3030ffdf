#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Dumps folded by phase: phases against exact arithmetic, bins against numpy, a pulsar."""
import os
import unittest
from fractions import Fraction

import numpy as np
import pmt

from gnuradio import blocks, fringe, gr
from qa_blocks import rx_time, tag
from qa_scratch import scratch_case

POLYCO = """\
0329+54    7-Mar-26   120000.00   61106.500000000000            26.764100 -0.512 -6.301
   1234567890.123456    1.399541538720    1   60    4 1420.000
  1.23456789012345678D-05 -3.45678901234567890D-02  2.50000000000000000D-07
 -1.10000000000000000D-09
0329+54    7-Mar-26   130000.00   61106.541666666667            26.764100 -0.512 -6.301
   1234572928.471234    1.399541538720    1   60    4 1420.000
 -2.23456789012345678D-05 -3.45600000000000000e-02  2.60000000000000000D-07
 -1.20000000000000000D-09
"""


def instant(t):
    """Seconds since 1970, exactly."""
    return t.seconds + Fraction(t.attos, 10**18)


def at(seconds):
    """The epoch of an exact number of seconds since 1970."""
    t = fringe.epoch()
    t.seconds = int(seconds)
    t.attos = int((seconds - int(seconds)) * 10**18)
    return t


class in_a_folder(scratch_case):

    def write(self, text, name="pulsar.polyco"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


class qa_pulse_phase(in_a_folder):

    def expect(self, turns, exact, within):
        whole, fraction = turns
        self.assertTrue(0 <= fraction < 1)
        self.assertLess(abs(whole + Fraction(fraction) - exact), within)

    def test_a_period(self):
        period, derivative, zero = 0.0333924123, 4.2e-13, fringe.epoch.from_iso("1994-01-01")
        phase = fringe.pulse_phase.from_period(period, zero, derivative, 0.125)
        for time in ("1994-01-01T00:00:00", "1993-12-31T23:59:59.99", "2026-06-12T11:20:40.25",
                     "2026-12-31T23:59:59.999999999999", "2027-01-01T00:00:00"):
            t = fringe.epoch.from_iso(time)
            n = (instant(t) - instant(zero)) / Fraction(period)
            self.expect(phase.at(t), Fraction(1, 8) + n - Fraction(derivative) * n * n / 2, 1e-8)

    def test_a_noise_diode_for_years(self):
        phase = fringe.pulse_phase.from_period(0.1)
        t = fringe.epoch.from_iso("2026-03-01T12:00:00.05")
        self.expect(phase.at(t), instant(t) / Fraction(0.1), 1e-9)

    def test_a_polyco(self):
        phase = fringe.pulse_phase.from_polyco(self.write(POLYCO))
        self.assertEqual((phase.frequency, phase.dispersion), (1420e6, 26.7641))
        for mjd, rphase, coefficients in (
                ("61106.5", "1234567890.123456", (1.23456789012345678e-05, -3.4567890123456789e-02,
                                                  2.5e-07, -1.1e-09)),
                ("61106.541666666667", "1234572928.471234", (-2.23456789012345678e-05, -3.456e-02,
                                                             2.6e-07, -1.2e-09))):
            middle = (Fraction(mjd) - 40587) * 86400
            for minutes in (-29.9, -12.25, 0, 0.001, 17.5, 29.9):
                t = at(middle + Fraction(minutes) * 60)
                dt = (instant(t) - middle) / 60
                exact = Fraction(rphase) + 60 * dt * Fraction("1.399541538720") + sum(
                    Fraction(c) * dt**k for k, c in enumerate(coefficients))
                self.expect(phase.at(t), exact, 2e-9)

    def test_what_no_polynomial_covers(self):
        phase = fringe.pulse_phase.from_polyco(self.write(POLYCO))
        with self.assertRaisesRegex(RuntimeError, "no polynomial covers 2026-03-07T13:31.*0329.*"
                                    "2026-03-07T11:30:00 to 2026-03-07T13:30:00"):
            phase.at(fringe.epoch.from_iso("2026-03-07T13:31:00"))

    def test_files_that_are_none(self):
        for change, words in (
                (("26.764100", "dm"), "line 1: DM: dm: must be a number"),
                (("61106.500000000000", "100.5"), "line 1: TMID: 100.5: must be a date"),
                (("1.399541538720    1", "-1.39    1"), "line 2: F0: -1.39: must be positive"),
                (("60    4", "60  4.5"), "line 2: number of coefficients: 4.5: must be a whole"),
                (("2.50000000000000000D-07\n", "oops\n"), "line 3: coefficient: oops: .*-05"),
                ((" -1.10000000000000000D-09\n", ""), "line 4: coefficient: 0329.*3 were found"),
                (("   1234567890.123456 ", ""), "line 2: second line.*5 values: must be RPHASE"),
                (("-3.45678901234567890D-02", "1D+60"), "line 4: phase within the span: 3e.61"),
                (("1234567890.123456 ", "1D+308 "), "line 4: phase within the span: 1e.308"),
                (("1234567890.123456 ", "1D+309 "), "line 2: RPHASE: 1D.309: must be a number"),
                (("60    4", "6e4   4"), "line 2: span: 6e4: must be above 0 minutes and at most"),
                ((POLYCO, ""), "is empty"),
                ((" -1.20000000000000000D-09\n", ""), "the file ends: .* 4 coefficients")):
            path = self.write(POLYCO.replace(*change, 1))
            with self.subTest(words), self.assertRaisesRegex(ValueError, path + ".*" + words):
                fringe.pulse_phase.from_polyco(path)
        with self.assertRaisesRegex(ValueError, "absent.*cannot be read"):
            fringe.pulse_phase.from_polyco("absent")
        several = self.write(POLYCO.replace("0329+54", "0531+21", 1))
        with self.assertRaisesRegex(ValueError, "several pulsars: say which of 0329.54, 0531.21"):
            fringe.pulse_phase.from_polyco(several)
        with self.assertRaisesRegex(ValueError, "pulsar: X: there are 0329.54"):
            fringe.pulse_phase.from_polyco(several, "X")
        self.assertEqual(fringe.pulse_phase.from_polyco(several, "0531+21").frequency, 1420e6)
        with self.assertRaisesRegex(ValueError, "period: 0 s: must be positive"):
            fringe.pulse_phase.from_period(0)
        with self.assertRaisesRegex(RuntimeError, "e.19 turns at 2026-.*: must be fewer than 1e16"):
            fringe.pulse_phase.from_period(1e-10).at(fringe.epoch.from_iso("2026-03-01T12:00:00"))


class binning:
    """Dumps [dump][channel][product] of 1 ms, at given starts, through the block."""

    def __init__(self, phase, starts, data, weights, flags=None, obs=None, **options):
        count, channels, products = data.shape
        axes = fringe.dump_axes(obs or fringe.observation.example(2), channels)
        tags = []
        for k, start in enumerate(starts):
            tags.append(rx_time(k, int(start), float(start - int(start))))
            tags += [tag(k, key, pmt.from_double(1e-3)) for key in ("interval", "exposure")]
        flowgraph, size = gr.top_block(), channels * products
        self.block = fringe.dump_binner(axes, phase, **options)
        arrays = [(blocks.vector_source_c, data), (blocks.vector_source_f, weights)]
        if flags is not None:
            arrays.append((blocks.vector_source_b, flags))
        for port, (kind, array) in enumerate(arrays):
            source = kind(array.ravel().tolist(), False, size, [] if port else tags)
            flowgraph.connect(source, (self.block, port))
        bins = self.block.bins()
        sinks = [blocks.vector_sink_c(size) for _ in range(bins)]
        sinks += [blocks.vector_sink_f(size) for _ in range(bins)]
        for port, sink in enumerate(sinks):
            flowgraph.connect((self.block, port), sink)
        flowgraph.run()
        self.failed = self.block.dumps() == 0
        shape = bins, -1, channels, products
        self.data = np.array([s.data() for s in sinks[:bins]]).reshape(shape)
        self.weights = np.array([s.data() for s in sinks[bins:]]).reshape(shape)
        self.tags = [{} for _ in range(bins)]
        for of, sink in zip(self.tags, sinks):
            for t in sink.tags():
                of.setdefault(pmt.symbol_to_string(t.key), []).append(
                    t.value if pmt.is_tuple(t.value) else pmt.to_python(t.value))


class qa_dump_binner(in_a_folder):

    def setUp(self):
        super().setUp()
        self.rng = np.random.default_rng(5)

    def noise(self, *shape):
        return (self.rng.normal(size=shape) + 1j * self.rng.normal(size=shape)).astype(
            np.complex64)

    def test_bins_through_a_gap_and_midnight(self):
        # From a second before midnight, with 0.37 s missing behind it, in dumps of a second.
        first = instant(fringe.epoch.from_iso("2025-12-31T23:59:59.000123"))
        starts = [first + Fraction(k, 1000) + (Fraction(37, 100) if k >= 1200 else 0)
                  for k in range(2500)]
        data, shape = self.noise(2500, 2, 3), (2500, 2, 3)
        weights = self.rng.uniform(0, 1, shape).astype(np.float32)
        flags = (self.rng.uniform(size=shape) < 0.2).astype(np.uint8)
        period, zero = 0.0891, fringe.epoch.from_iso("2020-01-01")
        phase = fringe.pulse_phase.from_period(period, zero, 0, 0.3)
        made = binning(phase, starts, data, weights, flags, bins=7)
        middles = [start + Fraction(1, 2000) for start in starts]
        turns = [Fraction(3, 10) + (m - instant(zero)) / Fraction(period) for m in middles]
        bins = np.array([int(7 * (t - int(t))) for t in turns])
        dumps = np.array([int(m) for m in middles]) - int(first)
        self.assertEqual(made.data.shape, (7, 3, 2, 3))
        good = np.where(flags, 0, weights) * 1e-3
        for b in range(7):
            for n in range(3):
                mine = (bins == b) & (dumps == n)
                total = good[mine].sum(axis=0)
                interval = made.tags[b]["interval"][n]
                np.testing.assert_allclose(made.weights[b, n] * interval, total, rtol=1e-5)
                np.testing.assert_allclose(
                    made.data[b, n], (good * data)[mine].sum(axis=0) / total, atol=1e-5)
                self.assertAlmostEqual(made.tags[b]["exposure"][n], mine.sum() * 1e-3)
            self.assertEqual(made.tags[b]["bin"], [b] * 3)
        exposures = np.sum([made.tags[b]["exposure"] for b in range(7)], axis=0)
        np.testing.assert_allclose(exposures, np.bincount(dumps) * 1e-3)

    def test_gates(self):
        starts = [Fraction(k, 1000) for k in range(1000)]
        ones = np.ones((1000, 1, 3), np.complex64)
        gates = [0.9, 1.2, 0.5, 0.7]
        made = binning(fringe.pulse_phase.from_period(0.1), starts, ones, ones.real, gates=gates)
        # 30 and 20 dumps of 100; the rest is in no gate.
        np.testing.assert_allclose(made.weights[:, 0, 0, 0], [0.3, 0.2], rtol=1e-5)
        np.testing.assert_allclose([t["exposure"][0] for t in made.tags], [0.3, 0.2])

    def test_dispersed_pulses(self):
        # Over the megahertz at 150 MHz 30 pc/cm^3 are 70 ms, a third of the period.
        obs, channels, dm, period = fringe.observation.example(2), 10, 30.0, 0.2
        f = np.array(obs.channel_frequencies(channels, True)) / 1e6
        delay = dm / 2.41e-4 * (f**-2 - f[channels // 2]**-2)
        self.assertGreater(np.ptp(delay), 0.05)
        times = 1000 + (np.arange(4000) + 0.5) * 1e-3
        pulse = (times[:, None] - delay) / period % 1 < 0.1
        data = np.repeat(pulse[..., None], 3, axis=2).astype(np.complex64)
        starts = [1000 + Fraction(k, 1000) for k in range(4000)]
        phase = fringe.pulse_phase.from_period(period)
        made = binning(phase, starts, data, np.ones(data.shape, np.float32), bins=10, seconds=10.0,
                       dispersion=dm)
        profile = made.data[:, 0, :, 0].real
        np.testing.assert_array_less(0.94, profile[0])  # a millisecond on either side
        np.testing.assert_array_less(profile[2:9], 1e-6)
        smeared = binning(phase, starts, data, np.ones(data.shape, np.float32), bins=10,
                          seconds=10.0)
        self.assertLess(smeared.data[0, 0, :, 0].real.min(), 0.1)

    def test_a_polyco_that_ends_ends_the_data(self):
        phase = fringe.pulse_phase.from_polyco(self.write(POLYCO))
        dump = np.ones((10, 1, 3), np.complex64)
        self.assertTrue(binning(phase, [Fraction(1)] * 10, dump, dump.real).failed)

    def test_a_pulsar(self):
        # Two inputs of noise; common noise in a tenth of the period. Raw samples to bins.
        rate, channels, count, period = 64e3, 16, 64000 * 4, 0.0317
        start = instant(fringe.epoch.from_iso("2026-01-01T00:00:00"))
        turns = float(start % Fraction(period)) / period + np.arange(count) / rate / period
        on = (turns % 1 >= 0.4) & (turns % 1 < 0.5)
        samples = self.noise(count, 2) + 2 * self.noise(count, 1) * on[:, None]
        path = os.path.join(self.folder, "pulsar.cf32")
        samples.astype(np.complex64).tofile(path)
        obs = fringe.observation.example(2)
        flowgraph = gr.top_block()
        block = fringe.fx_correlator.block_samples("cf32", channels, 4)
        source = fringe.file_source([path], "cf32", 2, block, rate, 150e6, "2026-01-01T00:00:00")
        correlator = fringe.fx_correlator(2, channels, "cf32", 0.0, 1, taps=1, window="rectangular",
                                          block_spectra=4)
        binner = fringe.dump_binner(fringe.dump_axes(obs, channels),
                                    fringe.pulse_phase.from_period(period), 20, seconds=60.0)
        flowgraph.connect(source, correlator, binner)
        flowgraph.connect((correlator, 1), (binner, 1))
        sinks = [blocks.vector_sink_c(48) for _ in range(20)]
        sinks += [blocks.vector_sink_f(48) for _ in range(20)]
        for port, sink in enumerate(sinks):
            flowgraph.connect((binner, port), sink)
        flowgraph.run()
        cross = np.array([np.mean(np.reshape(s.data(), (channels, 3))[:, 1]) for s in sinks[:20]])
        self.assertEqual(binner.dumps(), 1)
        # Signal power 8, in bins 8 and 9; a spectrum is a quarter of a millisecond.
        np.testing.assert_allclose(cross[8:10].real, 8, rtol=0.1)
        np.testing.assert_allclose(np.abs(np.delete(cross, [7, 8, 9, 10])), 0, atol=0.1)
        weights = np.sum([np.array(s.data()) for s in sinks[20:]], axis=0)
        np.testing.assert_allclose(weights, 1, rtol=1e-4)

    def test_errors(self):
        axes = fringe.dump_axes(fringe.observation.example(2), 4)
        phase = fringe.pulse_phase.from_period(1)
        for options, words in ((dict(bins=0), "bins: 0: must be at least 1"),
                               (dict(gates=[0.1]), "gates: 1 numbers: must be from, to"),
                               (dict(gates=[0.5, 0.4]), "gates: 0.5 to 0.4: must be 0 <= from"),
                               (dict(seconds=0.0), "seconds: 0: must be positive")):
            with self.assertRaisesRegex(ValueError, "dump_binner: " + words):
                fringe.dump_binner(axes, phase, **options)


if __name__ == "__main__":
    unittest.main()
