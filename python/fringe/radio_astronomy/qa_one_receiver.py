#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""One receiver: its power in kelvin by two loads, and a line by frequency switching."""
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from gnuradio.fringe import radio_astronomy as lab
from gnuradio.fringe.ground.dump_items import dump_times
from gnuradio.fringe.radio_astronomy.dump_meter import power_spectrum

TEXT = """
site: {latitude: 50, longitude: 8, height: 100}
antennas: [[0, 0, 0]]
sample_rate: 2.4e6
center_frequency: 1420.25e6
start_time: 2026-06-12T22:00:00Z
phase_center: {ra: 20h35m00s, dec: +42d00m00s}
channels: 192
integration: 0.05
"""
CENTER, RATE, SHIFT = 1420.25e6, 2.4e6, 0.9e6


class one_receiver(gr.sync_block):
    """Voltages of 110 K of noise and a line through a band that is not flat; it is tuned by
    retune(), after which it says so with rx_freq, as a receiver does."""

    BLOCK = 2400

    def __init__(self, obs, rng, kelvin=0.0, velocity=0.0, width=14e3, retune=None,
                 ripple=0.1):
        gr.sync_block.__init__(self, "one receiver", None, [np.complex64])
        self.obs, self.rng, self.line, self.ripple = obs, rng, (kelvin, velocity, width), ripple
        self.frequency, self.retune, self.tags = CENTER, retune or (lambda: CENTER), True
        self.set_output_multiple(self.BLOCK)

    def work(self, input_items, output_items):
        now = self.nitems_written(0)
        wanted = self.retune()
        if self.tags:
            self.add_item_tag(0, now, pmt.intern("rx_time"), pmt.make_tuple(
                pmt.from_uint64(self.obs.start_time.seconds), pmt.from_double(0.0)))
            self.add_item_tag(0, now, pmt.intern("rx_rate"), pmt.from_double(RATE))
        if self.tags or wanted != self.frequency:
            self.frequency = wanted
            self.add_item_tag(0, now, pmt.intern("rx_freq"), pmt.from_double(wanted))
        self.tags = False
        offset = np.fft.fftfreq(self.BLOCK, 1 / RATE)
        kelvin, velocity, width = self.line
        seen = lab.lsr_velocity(self.frequency + offset, self.obs)
        power = 110 + kelvin * np.exp(-((seen - velocity) / width) ** 2 / 2)
        power *= (1 + self.ripple * np.cos(offset / 2e5)) / (1 + (offset / 1.05e6) ** 8)
        noise = self.rng.normal(size=(self.BLOCK, 2)) @ [1, 1j] / np.sqrt(2)
        output_items[0][:self.BLOCK] = np.fft.ifft(noise * np.sqrt(power * self.BLOCK))
        return self.BLOCK


def chain(obs, source, seconds, *meters):
    """Runs a correlator of one input; what each meter sent, [dump][value]."""
    flowgraph = gr.top_block()
    stack = fringe.stack(1, fringe.item_sizes.samples("voltages", 1, obs.channels), RATE)
    correlator = fringe.fx_correlator.of(obs, "voltages")
    flowgraph.connect(source, blocks.head(8, int(seconds * RATE)), stack, correlator)
    flowgraph.connect((correlator, 1), blocks.null_sink(4 * fringe.item_sizes.visibilities(
        1, obs.channels)))
    kept = []
    for meter in meters:
        flowgraph.connect(correlator, meter)
        made = meter.output_signature()  # the list of all sizes is not in GNU Radio 3.10.12
        sizes = [made.sizeof_stream_item(0)]
        for port, size in enumerate(sizes * (2 if isinstance(meter, fringe.radiometer) else 1)):
            kept.append((blocks.vector_sink_f(size // 4), size // 4))
            flowgraph.connect((meter, port), kept[-1][0])
    flowgraph.run()
    return [np.array(sink.data()).reshape(-1, size) for sink, size in kept], correlator


class qa_one_receiver(unittest.TestCase):

    def setUp(self):
        self.rng = np.random.default_rng(5)
        self.obs = fringe.observation.from_text(TEXT)

    def dump(self, powers, middle=CENTER, interval=0.05, seconds=1781301600):
        return power_spectrum(np.array(powers, float), dump_times(seconds, 0.0, interval, interval),
                              middle, RATE / len(powers), True)

    def test_the_equations_of_the_loads(self):
        meter = fringe.radiometer(self.obs, 9, settle=0.1, first_channel=1, last_channel=-2,
                                  hot_kelvin=300, cold_kelvin=20)
        shape = self.rng.uniform(1, 3, 9)
        shape[[0, 8]] = np.nan, 1e9
        per_kelvin = np.mean(shape[1:8])
        self.assertTrue(np.isnan(meter.y_factor()))
        for load, kelvin in (("hot", 300), ("cold", 20)):
            meter.set_load(load)
            for _ in range(2):  # what comes while the load is changed
                meter.measured(self.dump(777 * shape))
            for _ in range(5):
                system, level = meter.measured(self.dump((kelvin + 130) * shape))
                self.assertAlmostEqual(level, 10 * np.log10((kelvin + 130) * per_kelvin), 9)
        self.assertAlmostEqual(meter.y_factor(), 430 / 150, 9)
        self.assertAlmostEqual(meter.receiver_temperature(), 130, 6)
        self.assertAlmostEqual(1 / meter.kelvin_per_unit(), per_kelvin, 9)
        self.assertAlmostEqual(system, 150, 6)
        meter.set_load("sky")
        self.assertAlmostEqual(meter.measured(self.dump(171 * shape))[0], 171, 6)
        self.assertAlmostEqual(meter.system_temperature(), 171, 6)
        meter.set_load("hot")  # measured anew, with less power: they are exchanged
        for _ in range(4):
            meter.measured(self.dump(100 * shape))
        self.assertTrue(np.isnan(meter.y_factor()) and np.isnan(meter.receiver_temperature()))
        self.assertIsNone(meter.measured(self.dump(np.full(9, np.nan))))
        self.assertEqual(meter.measured(self.dump(np.zeros(9))), (0, -200))

    def test_every_dump_of_a_correlator_of_one_input(self):
        meter = fringe.radiometer(self.obs, first_channel=40, last_channel=150)
        (kelvin, level), correlator = chain(self.obs, one_receiver(self.obs, self.rng), 0.52, meter)
        self.assertEqual(len(level), correlator.dumps())
        self.assertEqual(correlator.dumps(), 11)
        offset = (np.arange(192) - 96)[40:151] * RATE / 192
        expected = 110 * np.mean((1 + 0.1 * np.cos(offset / 2e5)) / (1 + (offset / 1.05e6) ** 8))
        error = 1 / np.sqrt(111 / 192 * RATE * 0.05)
        np.testing.assert_allclose(10 ** (level[:10, 0] / 10) / expected, 1, atol=5 * error)
        self.assertEqual(abs(kelvin).max(), 0)  # no load was measured

    def line(self, ripple=0.1, **more):
        """(found, true) of amplitude and velocity, with their errors."""
        kelvin, velocity = self.rng.uniform(40, 80), self.rng.uniform(-40e3, -20e3)
        meter = fringe.line_spectrometer(self.obs, system_temperature=110.0, settle=0.05, dwell=0.1,
                                         velocities=(-150e3, 150e3, 2.64e3), **more)
        source = one_receiver(self.obs, self.rng, kelvin, velocity, retune=meter.wanted_frequency,
                              ripple=ripple)
        (rows,), _ = chain(self.obs, source, 2.5, meter)
        fit = lab.fit_beam(meter.velocities(), rows[-1])
        away = (meter.velocities() > 35e3) & (meter.velocities() < 80e3)
        noise = np.std(rows[-1][away])  # of one channel
        # Of a Gaussian in so many independent channels; the polynomial has errors of its own.
        count = 14e3 * np.sqrt(np.pi) / 2.64e3
        errors = noise * np.sqrt(1.5 / count), 14e3 * noise / kelvin * np.sqrt(2 / count)
        self.assertLess(abs(fit.width / (2.3548 * 14e3) - 1), 0.1)
        return (fit.height, kelvin, errors[0]), (fit.center, velocity, errors[1]), meter, noise

    def test_a_line_by_frequency_switching(self):
        height, center, meter, noise = self.line(shift=SHIFT, line=(-85e3, 25e3))
        for found, true, error in (height, center):
            self.assertLess(abs(found - true), 3 * error)
        signal, reference = meter.seconds()
        self.assertTrue(0.5 < signal < 1.5 and 0.5 < reference < 1.5)
        expected = 110 / np.sqrt(12.5e3 * (signal + reference) / 2)
        self.assertTrue(0.6 < noise / expected < 1.5)

    def test_a_line_without_a_reference(self):
        """A polynomial takes most of the band's shape out."""
        height, center, meter, _ = self.line(line=(-85e3, 25e3), order=3, edges=0.2, ripple=0.01)
        self.assertLess(abs(height[0] / height[1] - 1), 0.15)
        self.assertLess(abs(center[0] - center[1]), 1.5e3)
        self.assertEqual(meter.seconds()[1], 0)
        self.assertEqual(meter.wanted_frequency(), CENTER)

    def test_when_dumps_count(self):
        meter = fringe.line_spectrometer(self.obs, shift=SHIFT, settle=0.1, dwell=0.2,
                                         line=(-85e3, 25e3))
        flat = np.ones(192)
        sent = [meter.measured(self.dump(flat)) is not None for _ in range(4)]
        self.assertEqual(sent, [True] * 4)
        self.assertEqual(meter.wanted_frequency(), CENTER + SHIFT)  # after 0.2 s
        sent = [meter.measured(self.dump(2 * flat, CENTER + SHIFT)) is not None for _ in range(6)]
        self.assertEqual(sent, [False, False] + [True] * 4)
        self.assertEqual(meter.wanted_frequency(), CENTER)
        np.testing.assert_allclose(meter.seconds(), (0.2, 0.2))
        meter.set_average(False)
        for _ in range(9):
            self.assertIsNone(meter.measured(self.dump(5 * flat)))
        meter.set_average(True)
        self.assertEqual(meter.seconds(), (0, 0))
        sent = [meter.measured(self.dump(flat)) is not None for _ in range(30)]
        self.assertEqual(sent, [False] * 20 + [True] * 10)

    def test_refusals(self):
        obs = self.obs
        for make, words, sentence in (
                (fringe.radiometer, {"load": "warm"}, "load warm; it must be one of sky, hot"),
                (fringe.radiometer, {"input": 1}, "input 1; the observation has inputs 0 ... 0"),
                (fringe.radiometer, {"hot_kelvin": 5}, "the hot load must be hotter"),
                (fringe.radiometer, {"first_channel": 192}, "numbered 0 ... 191"),
                (fringe.radiometer, {"settle": -1}, "it must be 0 s or more"),
                (fringe.line_spectrometer, {"velocities": (1, 0, 1)}, "they must rise"),
                (fringe.line_spectrometer, {"shift": 1e3}, "whole number of channels"),
                (fringe.line_spectrometer, {"shift": 3e6}, "within the band"),
                (fringe.line_spectrometer, {"edges": 0.5}, "below 0.4 of the band"),
                (fringe.line_spectrometer, {"dwell": 0}, "more than 0 s"),
                (fringe.line_spectrometer, {"order": 1.5}, "order 1.5"),
                (fringe.line_spectrometer, {"line": (-1e6, 1e6)}, "leave channels"),
                (fringe.line_spectrometer, {"channels_per_item": 7}, "divide the 192 channels")):
            with self.subTest(words=words), self.assertRaisesRegex(ValueError, sentence):
                make(obs, **words)
        with self.assertRaisesRegex(ValueError, "site"):
            fringe.line_spectrometer(fringe.observation.example(1), 64)
        meter = fringe.line_spectrometer(obs, shift=SHIFT)
        source = one_receiver(obs, self.rng, retune=lambda: CENTER + 2 * SHIFT)
        (rows,), _ = chain(obs, source, 0.2, meter)
        self.assertEqual(len(rows), 0)
        self.assertRegex(fringe.failure(meter), "a dump is tuned to 1422050000 Hz; it must be "
                         "1420250000 Hz, or by the shift of 900000 Hz")


if __name__ == "__main__":
    unittest.main()
