#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Solutions become corrections of a running flowgraph, from a time on."""
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.calibration.corrections_message import CORRECTIONS, solutions_message
from gnuradio.fringe.calibration.solutions import solutions, term_solution
from qa_scratch import scratch_case

INPUTS, CHANNELS, SPECTRA, RATE = 3, 32, 16, 1e6
OBSERVATION = """
site: {latitude: 52, longitude: 6, height: 20}
antennas: [{name: a, enu: [0, 0, 0]}, {name: b, enu: [90, 0, 0]}]
inputs:
  - {antenna: b, polarization: Y, stream: 0, cable_delay: 2.0e-7, gain: 1.5, phase: 30}
  - {antenna: a, polarization: X, stream: 1}
  - {antenna: b, polarization: X, stream: 2}
sample_rate: 1e6
center_frequency: 1.42e9
channels: 32
integration: 0.1
"""
START = fringe.epoch.from_iso("2026-06-12T10:00:00")


class qa_corrections_message(scratch_case):
    seed = 307

    def setUp(self):
        super().setUp()
        self.obs = fringe.observation.from_text(OBSERVATION)
        self.frequencies = np.array(self.obs.channel_frequencies(CHANNELS, True))
        self.times = START.seconds + np.array([0.0, 10.0])

    def term(self, kind, values, flags=None):
        values, channels = np.asarray(values), np.shape(values)[1]
        centers = self.frequencies if channels > 1 else [self.frequencies.mean()]
        return term_solution(kind, self.times[:len(values)], np.full(len(values), 1.0), centers,
                             np.full(channels, RATE / channels * 1.1), values,
                             np.zeros(values.shape),
                             np.zeros(values.shape, bool) if flags is None else flags,
                             np.ones(values.shape))

    def night(self, **more):
        """Gains of two times, delays and a bandpass; antennas in another order."""
        gain = self.rng.uniform(0.5, 2, (2, 1, 2, 2)) * np.exp(
            1j * self.rng.uniform(-1, 1, (2, 1, 2, 2)))
        late = 1e-7 * self.rng.normal(size=(1, 1, 2, 2))
        band = self.rng.normal(size=(1, CHANNELS, 2, 2)) + 3j
        return gain, late, band, solutions(["b", "a"], "XY", [
            self.term("G", gain, **more), self.term("K", late), self.term("B", band)])

    def expected(self, gain, late, band, part):
        """1 / g of each input, times what takes out the observation's own errors."""
        found = np.empty((INPUTS, CHANNELS), complex)
        for row, entry in enumerate(self.obs.inputs):
            antenna, hand = 1 - entry.antenna, "XY".index(entry.polarization)
            first, second = gain[:, 0, antenna, hand]
            size = abs(first) + part * (abs(second) - abs(first))
            phase = np.angle(first) + part * np.angle(second / first)
            g = size * np.exp(1j * phase) * band[0, :, antenna, hand] * np.exp(
                -2j * np.pi * (self.frequencies - self.frequencies.mean())
                * late[0, 0, antenna, hand])
            found[row] = 1 / g
            if entry.cable_delay:
                found[row] *= np.exp(2j * np.pi * self.frequencies * 2e-7
                                     - 1j * np.radians(30)) / 1.5
        return found

    def test_factors_and_time(self):
        gain, late, band, found = self.night()
        for when, part in ((START.plus_seconds(2.5), 0.25), (None, 1.0)):
            message = solutions_message(found, self.obs, CHANNELS, when)
            factors = np.array(pmt.c32vector_elements(pmt.dict_ref(message, CORRECTIONS,
                                                                   pmt.PMT_NIL)))
            right = self.expected(gain, late, band, part)
            np.testing.assert_allclose(factors.reshape(INPUTS, CHANNELS), right, rtol=1e-5)
            stamp = pmt.to_python(pmt.dict_ref(message, pmt.intern("time"), pmt.PMT_NIL))
            self.assertEqual(stamp, (when.seconds, when.fraction()) if when else None)

    def test_the_channelizer_takes_them(self):
        gain, late, band, found = self.night()
        items, at, taps = 6, 40, 1
        when = START.plus_samples(at * CHANNELS + taps * CHANNELS // 2, RATE)
        x = (self.rng.standard_normal((items, INPUTS, SPECTRA * CHANNELS, 2)).astype("f4")
             .view("c8"))
        stamp = pmt.make_tuple(pmt.from_uint64(START.seconds), pmt.from_double(0))
        tags = [gr.tag_utils.python_to_tag((0, pmt.intern(key), value, None)) for key, value in (
            ("rx_time", stamp), ("rx_rate", pmt.from_double(RATE)))]
        spectra = []
        for message in (None, solutions_message(found, self.obs, CHANNELS, when)):
            block = fringe.channelizer(INPUTS, CHANNELS, SPECTRA, taps=taps, backend="cpu")
            if message is not None:
                block.to_basic_block()._post(CORRECTIONS, message)
            size = INPUTS * SPECTRA * CHANNELS
            sink, flowgraph = blocks.vector_sink_c(size), gr.top_block()
            flowgraph.connect(blocks.vector_source_c(x.ravel().tolist(), False, size, tags),
                              block, sink)
            flowgraph.run()
            y = np.array(sink.data()).reshape(-1, CHANNELS, INPUTS, SPECTRA)
            spectra.append(y.transpose(2, 1, 0, 3).reshape(INPUTS, CHANNELS, -1))
        plain, corrected = spectra
        right = self.expected(gain, late, band, when.seconds_since(START) / 10)
        np.testing.assert_array_equal(corrected[..., :at], plain[..., :at])
        np.testing.assert_allclose(corrected[..., at:], plain[..., at:] * right[..., None],
                                   rtol=1e-4, atol=1e-4)

    def test_what_has_no_solution(self):
        flags = np.zeros((2, 1, 2, 2), bool)
        flags[:, :, 1, 0] = True  # a X
        *_, found = self.night(flags=flags)
        with self.assertRaisesRegex(ValueError, "no solution for the inputs a X"):
            solutions_message(found, self.obs, CHANNELS)
        inputs = self.obs.inputs
        lost = next(k for k, entry in enumerate(inputs) if entry.antenna == 0)
        inputs[lost].bad = True
        self.obs.inputs = inputs
        message = solutions_message(found, self.obs, CHANNELS)
        factors = pmt.c32vector_elements(pmt.dict_ref(message, CORRECTIONS, pmt.PMT_NIL))
        np.testing.assert_array_equal(factors[lost * CHANNELS:][:CHANNELS], 1)
        leak = solutions(["b", "a"], "XY", [self.term("D", np.zeros((1, 1, 2, 2), complex))])
        with self.assertRaisesRegex(ValueError, "leakage .* one by one"):
            solutions_message(leak, self.obs, CHANNELS)


if __name__ == "__main__":
    unittest.main()
