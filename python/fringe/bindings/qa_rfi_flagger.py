#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""rfi_flagger in a flowgraph: rates, recall, masks, windows, gaps, tags, messages, errors."""
import itertools
import os
import sys
import tempfile
import unittest

import numpy as np
import pmt

from gnuradio import blocks, fringe, gr
from qa_scratch import tag, times_tried

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..",
                                "bench"))
import rfi_sky  # noqa: E402

LOST, BAD, MASK, KURTOSIS, POWER = 1, 2, 4, 8, 16
CAUSES = ("lost", "bad_input", "mask", "kurtosis", "power", "median", "threshold")


def noise(dumps, channels, inputs, seed=1):
    """Visibilities of receiver noise, [dump, channel, product], powers 1 +- 0.01."""
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(inputs)
    shape = (dumps, channels, len(i))
    data = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    data *= 0.01 / np.sqrt(2)
    data[..., i == j] = 1 + np.sqrt(2) * data[..., i == j].real
    return data.astype(np.complex64)


def rx_time(offset, seconds):
    return tag(offset, "rx_time", pmt.make_tuple(pmt.from_uint64(int(seconds)),
                                                 pmt.from_double(seconds % 1)))


class run:
    """Dumps through a flagger, and everything that came out."""

    def __init__(self, data, obs, weights=None, flags=None, tags=(), per_item=0, **settings):
        dumps, channels, products = data.shape
        per_item = per_item or channels
        values = per_item * products
        weights = np.ones(data.shape) if weights is None else weights
        self.flagger = fringe.rfi_flagger(obs, channels, channels_per_item=per_item, **settings)
        top = gr.top_block()
        top.connect(blocks.vector_source_c(data.ravel().tolist(), False, values, list(tags)),
                    self.flagger)
        top.connect(blocks.vector_source_f(weights.ravel().tolist(), False, values),
                    (self.flagger, 1))
        if flags is not None:
            top.connect(blocks.vector_source_b(flags.ravel().tolist(), False, values),
                        (self.flagger, 2))
        sinks = [blocks.vector_sink_c(values), blocks.vector_sink_f(values),
                 blocks.vector_sink_b(values), blocks.vector_sink_f(per_item)]
        for port, sink in enumerate(sinks):
            top.connect((self.flagger, port), sink)
        messages = blocks.message_debug()
        top.msg_connect(self.flagger, "occupancy", messages, "store")
        top.run()
        self.data, self.weights, self.flags = (
            np.array(s.data()).reshape(-1, channels, products) for s in sinks[:3])
        self.occupancy = np.array(sinks[3].data()).reshape(-1, channels)
        self.tags = [[(t.offset, pmt.symbol_to_string(t.key), pmt.to_python(t.value))
                      for t in sink.tags()] for sink in sinks]
        self.messages = [pmt.to_python(messages.get_message(k))
                         for k in range(messages.num_messages())]


class qa_rfi_flagger(unittest.TestCase):
    def test_noise_is_flagged_at_the_asked_rate(self):
        sky = rfi_sky.simulated(strength=0, kinds=(), sources=(), seed=3)
        sky.data = noise(sky.dumps, sky.channels, sky.inputs)  # the same without the band
        for rate in (1e-3, 1e-2):
            flags, _ = rfi_sky.flag(sky, false_alarm_rate=rate)
            with self.subTest(rate=rate):
                self.assertLess(abs((flags != 0).mean() / rate - 1), 0.2)

    def test_interference_is_found(self):
        sky = rfi_sky.simulated(strength=8, seed=5)
        flags, _ = rfi_sky.flag(sky)
        for kind, where in sky.truth.items():
            with self.subTest(kind=kind):
                self.assertGreater((flags[where] != 0).mean(), 0.99)
        self.assertLess((flags[~sky.dirty()] != 0).mean(), 0.03)

    def test_weak_interference_is_found_beside_sources(self):
        # No stronger than the noise of one visibility, and a third of the sources.
        sky = rfi_sky.simulated(strength=1, seed=6)
        flags, _ = rfi_sky.flag(sky)
        for kind, least in (("persistent", 0.98), ("burst", 0.97), ("transients", 0.7),
                            ("drifting", 0.8)):
            with self.subTest(kind=kind):
                self.assertGreater((flags[sky.truth[kind]] != 0).mean(), least)
        self.assertLess((flags[~sky.dirty()] != 0).mean(), 2e-3)

    def test_what_goes_in_comes_out(self):
        data = noise(11, 12, 3)
        data[4, 5, 1], data[6, 7, 2] = 1, np.nan
        weights = np.random.default_rng(1).uniform(0, 1, data.shape).astype(np.float32)
        weights[2, 3] = 0
        obs = fringe.observation.example(3)
        # Each day every second pair, in which each value of both is.
        pairs = itertools.product((12, 4, 1), ((32, 0), (4, 0), (4, 1), (11, 3), (1, 0)))
        for per_item, (window, hop) in list(pairs)[::times_tried(2, 1)]:
            with self.subTest(per_item=per_item, window=window, hop=hop):
                out = run(data, obs, weights, per_item=per_item, window=window, hop=hop)
                np.testing.assert_array_equal(out.data, data)
                np.testing.assert_array_equal(out.weights, weights)
                self.assertTrue((out.flags[2, 3] == LOST).all())
                self.assertEqual(out.flags[6, 7, 2], LOST)
                self.assertEqual(out.flagger.dumps(), 11)
                np.testing.assert_allclose(out.occupancy, (out.flags != 0).mean(axis=2),
                                           atol=1e-6)

    def test_flags_that_come_in_are_kept_and_respected(self):
        data = noise(32, 64, 3)
        flags = np.zeros(data.shape, np.uint8)
        flags[:, 10:20] = KURTOSIS
        data[:, 10:20] *= 100
        out = run(data, fringe.observation.example(3), flags=flags)
        self.assertTrue((out.flags[:, 10:20] == KURTOSIS).all())
        self.assertLess((out.flags[:, 20:] != 0).mean(), 5e-3)
        self.assertLess((out.flags[:, :10] != 0).mean(), 5e-3)

    def test_masks_and_bad_inputs(self):
        obs = fringe.observation.from_text("""
antennas: [[0, 0, 0], [5, 0, 0], [9, 0, 0]]
sample_rate: 64e3
center_frequency: 100e6
""")
        inputs = obs.inputs
        inputs[1].bad = True
        obs.inputs = inputs
        tags = [rx_time(0, 1_781_263_240.0), tag(0, "interval", pmt.from_double(1))]
        out = run(noise(8, 64, 3), obs, tags=tags, mask_frequencies=[(99.9705e6, 99.972e6)],
                  mask_times=[("2026-06-12T11:20:43", "2026-06-12T11:20:44.5")])
        i, j = np.triu_indices(3)
        bad = (i == 1) | (j == 1)
        self.assertTrue((out.flags[..., bad] & BAD).all())
        self.assertFalse((out.flags[..., ~bad] & BAD).any())
        masked = (out.flags & MASK) != 0
        f = np.array(obs.channel_frequencies(64, True))
        band = (f + 500 > 99.9705e6) & (f - 500 < 99.972e6)
        self.assertEqual(band.sum(), 2)
        self.assertTrue(masked[:, band].all() and masked[3:5].all())
        masked[:, band], masked[3:5] = False, False
        self.assertFalse(masked.any())

    def test_tags_travel_with_their_dump(self):
        tags = [t for k in range(7) for t in
                (rx_time(2 * k, 1000.25 + 0.5 * k), tag(2 * k, "interval", pmt.from_double(0.5)),
                 tag(2 * k, "exposure", pmt.from_double(0.1 * k)))]
        tags += [tag(0, "rx_freq", pmt.from_double(5e6)), tag(0, "rx_rate", pmt.from_double(7.0)),
                 tag(5, "noise_diode", pmt.PMT_T), tag(12, "damaged", pmt.intern("why"))]
        out = run(noise(7, 8, 2), fringe.observation.example(2), tags=tags, per_item=4, window=3)
        sent = sorted((t.offset, pmt.symbol_to_string(t.key), str(pmt.to_python(t.value)))
                      for t in tags)
        for port in range(4):
            # Besides, each output says what it is.
            self.assertEqual([o for o, k, _ in out.tags[port] if k == "stream"], [0])
            self.assertEqual(sorted((o, k, str(v)) for o, k, v in out.tags[port]
                                    if k != "stream"), sent)

    def test_a_gap_ends_a_window(self):
        data = noise(20, 32, 2)
        times = [1000 + k + (60 if k >= 13 else 0) for k in range(20)]
        tags = [t for k, at in enumerate(times)
                for t in (rx_time(k, at), tag(k, "interval", pmt.from_double(1)))]
        obs = fringe.observation.example(2)
        out = run(data, obs, tags=tags, window=8)
        self.assertEqual([m["dumps"] for m in out.messages], [8, 5, 7])
        self.assertEqual([m["rx_time"][0] for m in out.messages], [1000, 1008, 1073])
        np.testing.assert_array_equal(out.data, data)
        # A level that changes with the gap is none of the flagger's business.
        data[13:] *= 30
        out = run(data, obs, tags=tags, window=8)
        self.assertLess((out.flags != 0).mean(), 0.01)

    def test_the_end_is_searched_with_what_was_before(self):
        data = noise(34, 64, 4)
        data[33] += 0.3  # a burst over the whole band in the last of two dumps
        out = run(data, fringe.observation.example(4), window=32)
        self.assertEqual([m["dumps"] for m in out.messages], [32, 2])
        self.assertTrue((out.flags[33] != 0).all())
        self.assertLess((out.flags[:33] != 0).mean(), 5e-3)

    def test_messages_and_totals(self):
        data = noise(40, 64, 4)
        data[:, 9] += 0.2
        weights = np.ones(data.shape)
        weights[3] = 0
        out = run(data, fringe.observation.example(4), weights, window=16)
        first = 0
        for message in out.messages:
            some = out.flags[first:first + message["dumps"]]
            np.testing.assert_allclose(message["any"], (some != 0).mean(axis=(0, 2)), atol=1e-6)
            for bit, cause in enumerate(CAUSES):
                np.testing.assert_allclose(message[cause], (some >> bit & 1).mean(axis=(0, 2)),
                                           atol=1e-6)
            first += message["dumps"]
        self.assertEqual(first, 40)
        totals = out.flagger.totals()
        self.assertEqual(totals["all"], out.flags.size)
        self.assertEqual(totals["any"], np.count_nonzero(out.flags))
        for bit, cause in enumerate(CAUSES):
            self.assertEqual(totals[cause], np.count_nonzero(out.flags >> bit & 1))
        self.assertGreater(totals["power"], 0)
        self.assertEqual(totals["lost"], data[0].size)

    def test_one_input_and_one_channel(self):
        for inputs, channels in ((1, 32), (2, 1), (1, 1)):
            data = noise(64, channels, inputs)
            data[30] += 3
            out = run(data, fringe.observation.example(inputs), window=64)
            self.assertTrue((out.flags[30] != 0).all())
            self.assertLess((out.flags[:30] != 0).mean(), 0.05)

    def test_dumps_without_tags_and_without_weights(self):
        data = noise(5, 16, 2)
        flagger = fringe.rfi_flagger(fringe.observation.example(2), 16, window=2)
        sink = blocks.vector_sink_c(16 * 3)
        top = gr.top_block()
        top.connect(blocks.vector_source_c(data.ravel().tolist(), False, 16 * 3), flagger, sink)
        top.run()
        np.testing.assert_array_equal(np.array(sink.data()), data.ravel())

    @unittest.skipUnless(os.path.isdir("/usr/share/doc/python3-casacore"),
                         "python3-casacore is not installed")
    def test_flags_end_in_the_measurement_set(self):
        sky = rfi_sky.simulated(stations=4, channels=32, dumps=32, strength=10, seed=2)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.ms")
            rfi_sky.write(sky, path, fringe.rfi_flagger(sky.obs, sky.channels))
            written = rfi_sky.read_flags(sky, path)
        flags, _ = rfi_sky.flag(sky)
        crosses = sky.crosses()
        expected = flags != 0
        expected[:, 0] = True  # both edges of the band, in every file
        np.testing.assert_array_equal(written[..., crosses], expected[..., crosses])
        self.assertGreater(written[..., crosses].mean(), 0.05)

    def test_what_makes_no_sense_is_refused(self):
        obs = fringe.observation.example(2)
        for settings, says in (
                ({"channels": 0}, "channels: 0: must be at least 1"),
                ({"window": 0}, "window: 0: must be at least 1 dump"),
                ({"window": 4, "hop": 5}, "hop: 5: must be at most the window of 4 dumps"),
                ({"false_alarm_rate": 0}, "false_alarm_rate: 0: must be more than 0"),
                ({"detectors": ["magic"]}, "detectors: magic: must be of median, threshold"),
                ({"background_channels": 1}, "background_channels: 1: must be at least 4"),
                ({"channels_per_item": 5}, "channels_per_item: 5: must divide"),
                ({"mask_frequencies": [(2e6, 1e6)]}, "from its lower to its upper end"),
                ({"mask_times": [("2026-01-02T00:00:00", "2026-01-01T00:00:00")]},
                 "from its beginning to its end"),
                ({"memory": 1e5, "channels": 64}, "`memory` allows")):
            with self.subTest(**settings):
                with self.assertRaisesRegex(ValueError, says):
                    fringe.rfi_flagger(obs, **{"channels": 64, **settings})
        with self.assertRaisesRegex(ValueError, "no inputs"):
            fringe.rfi_flagger(fringe.observation(), 64)
        with self.assertRaisesRegex(ValueError, "flag groups of channels, each with a flagger"):
            fringe.rfi_flagger(fringe.observation.example(512), 1280)
        with self.assertRaisesRegex(ValueError, "mask_frequencies: the observation has no"):
            empty = fringe.observation.from_text("antennas: [[0, 0, 0]]")
            fringe.rfi_flagger(empty, 8, mask_frequencies=[(1, 2)])


if __name__ == "__main__":
    unittest.main()
