#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The Occupancy Display, and the axis of time that it has in common with the Waterfall Display."""
import datetime
import importlib.util
import os
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr

from qa_scratch import rx_time, scratch_case, tag

os.environ["QT_QPA_PLATFORM"] = "offscreen"
HAVE_QT = importlib.util.find_spec("PyQt5") is not None
if HAVE_QT:
    from PyQt5 import QtWidgets
    from gnuradio.fringe import displays
    from gnuradio.fringe.displays.time_map import ROWS, time_map
    APPLICATION = QtWidgets.QApplication.instance() or QtWidgets.QApplication([])

START, CHANNELS, PER_ITEM = 1781229600, 12, 4


def tagged(item, seconds, interval):
    """The tags of a dump that begins `seconds` after START."""
    return [rx_time(item, START + int(seconds), seconds % 1),
            tag(item, "interval", pmt.from_double(interval))]


@unittest.skipUnless(HAVE_QT, "PyQt5 is not installed")
class qa_occupancy_display(scratch_case):

    def setUp(self):
        super().setUp()
        self.obs = fringe.observation.from_text(
            "antennas: [[0, 0, 0], [10, 0, 0]]\nsample_rate: 12e6\ncenter_frequency: 150e6\n")

    def shown(self, display, fractions, starts, interval):
        """Runs fractions [dump][channel] through a display; returns what it shows, in per cent."""
        tags = [t for k, at in enumerate(starts)
                for t in tagged(k * CHANNELS // PER_ITEM, at, interval)]
        top = gr.top_block()
        top.connect(blocks.vector_source_f(np.ravel(fractions).tolist(), False, PER_ITEM, tags),
                    display)
        top.run()
        return display.map.values

    def test_rows_are_dumps_and_the_newest_is_at_the_top(self):
        fractions = self.rng.random((4, CHANNELS))
        display = displays.occupancy(self.obs, CHANNELS, seconds=5, channels_per_item=PER_ITEM)
        rows = self.shown(display, fractions, (0, 1, 3, 4), 1.0)  # the dump from 2 to 3 s was lost
        self.assertEqual(len(rows), ROWS)
        second = ROWS // 5
        for at, wanted in zip((0, 1, 2, 3, 4), (3, 2, None, 1, 0)):
            for row in (at * second, (at + 1) * second - 1):
                if wanted is None:
                    self.assertTrue(np.isnan(rows[row]).all())
                else:
                    np.testing.assert_allclose(rows[row], 100 * fractions[wanted], atol=1e-3)
        self.assertFalse(display.map.grab().isNull())

    def test_frequencies_are_those_of_the_observation(self):
        display = displays.occupancy(self.obs, CHANNELS, channels_per_item=PER_ITEM)
        np.testing.assert_allclose(display.map.x, (143.5, 155.5))
        display.set_channels(3, 5)
        for _ in range(5):
            APPLICATION.processEvents()
        np.testing.assert_allclose(display.map.x, (146.5, 149.5))
        fractions = self.rng.random((1, CHANNELS))
        np.testing.assert_allclose(self.shown(display, fractions, (0,), 1.0)[0],
                                   100 * fractions[0, 3:6], atol=1e-3)

    def test_no_dump_is_left_out(self):
        """A thousand dumps that come at once: each row is the mean of those in it."""
        together = int(self.rng.integers(2, 9))
        count = ROWS * together
        fractions = (self.rng.random((count, CHANNELS)) < 0.01).astype(float)
        interval = 0.01
        display = displays.occupancy(self.obs, CHANNELS, seconds=count * interval,
                                     channels_per_item=PER_ITEM)
        rows = self.shown(display, fractions, interval * np.arange(count), interval)
        self.assertEqual(display.tap.seen(), count)
        means = fractions.reshape(ROWS, together, CHANNELS).mean(axis=1)
        np.testing.assert_allclose(rows[::-1], 100 * means, atol=1e-3)

    def test_after_a_flagger(self):
        """What a flagger says of a masked channel: all of it; times are those of the dumps."""
        products, dumps = 3, 8
        rng, masked = self.rng, int(self.rng.integers(1, CHANNELS))
        noise = rng.normal(size=(dumps, CHANNELS, products, 2)) @ (1, 1j)
        noise[..., [0, 2]] = 100 + noise[..., [0, 2]].real
        tags = [t for k in range(dumps) for t in tagged(k, 2.0 * k, 2.0)]
        f = self.obs.channel_frequencies(CHANNELS, True)[masked]
        flagger = fringe.rfi_flagger(self.obs, CHANNELS, window=4,
                                     mask_frequencies=[(f - 1e5, f + 1e5)])
        display = displays.occupancy(self.obs, CHANNELS, seconds=16)
        top = gr.top_block()
        values = CHANNELS * products
        top.connect(blocks.vector_source_c(noise.ravel().tolist(), False, values, tags), flagger)
        for port, size in enumerate((8, 4, 1)):
            top.connect((flagger, port), blocks.null_sink(size * values))
        top.connect((flagger, 3), display)
        top.run()
        rows = display.map.values
        np.testing.assert_allclose(rows[:, masked], 100)
        self.assertIn("2026-06-12", display.map.y_label)

    def test_mistakes_are_reported(self):
        for make, words in (
                (lambda: displays.occupancy(self.obs, 12, seconds=0), "seconds 0; the axis"),
                (lambda: displays.occupancy(self.obs, 12, maximum=101), "maximum 101; it must be"),
                (lambda: displays.occupancy(self.obs, 12, channels_per_item=5), "must divide")):
            with self.assertRaisesRegex(ValueError, words):
                make()

    def test_the_axis_has_utc(self):
        axis = time_map("x")
        for _ in range(100):
            axis.resize(400, int(self.rng.integers(180, 900)))
            end = float(self.rng.integers(10 ** 9, 2 * 10 ** 9)) + self.rng.random()
            length = 10 ** self.rng.uniform(-1, 5.5)
            axis.set_seconds(length)
            axis.set_end(end)
            numbers = axis.y_numbers()
            self.assertGreater(len(numbers), 0)
            for value, word in numbers:
                self.assertGreaterEqual(value, -length * (1 + 1e-6))
                self.assertLessEqual(value, 1e-6)
                when = datetime.datetime.fromtimestamp(end + value + 1e-6, datetime.timezone.utc)
                self.assertTrue(when.strftime("%H:%M:%S.%f").startswith(word), (when, word))
            heights = [axis.at(0, value)[1] for value, _ in numbers]
            self.assertGreater(-np.diff(heights).max(initial=-np.inf), 18)
            room = axis.left - 25
            self.assertTrue(all(axis.fontMetrics().horizontalAdvance(word) <= room
                                for _, word in numbers if len(word) < 11))


if __name__ == "__main__":
    unittest.main()
