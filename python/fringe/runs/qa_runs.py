#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Flowgraphs that run more than once, and their files."""
import os
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from qa_scratch import rx_time, scratch_case, tag

INPUTS, CHANNELS, START = 2, 8, 1781229600


class dumps_source(gr.sync_block):
    """Dumps of a second, an item each; every run goes on where the last one ended."""

    def __init__(self, rng, per_run):
        values = CHANNELS * INPUTS * (INPUTS + 1) // 2
        gr.sync_block.__init__(self, "dumps", None, [(np.complex64, values)])
        self.rng, self.per_run, self.values, self.left = rng, per_run, [], 0

    def start(self):
        self.left = self.per_run
        return True

    def work(self, _, output_items):
        if self.left == 0:
            return -1
        self.left -= 1
        size = output_items[0].shape[1]
        # V = (sum of |x|^2 ...): powers are real.
        dump = self.rng.normal(size=2 * size).astype(np.float32).view(np.complex64)
        dump[0::3], dump[2::3] = abs(dump[0::3]), abs(dump[2::3])
        item = self.nitems_written(0)
        for each in (rx_time(item, START + len(self.values)),
                    tag(item, "interval", pmt.from_double(1.0)),
                    tag(item, "exposure", pmt.from_double(1.0))):
            self.add_item_tag(0, each.offset, each.key, each.value)
        self.values.append(dump)
        output_items[0][0] = dump
        return 1


class qa_files_of_runs(scratch_case):

    def setUp(self):
        super().setUp()
        self.obs = fringe.observation.example(INPUTS)

    def run_again(self, name, runs=3, per_run=4, **options):
        """The values that were sent, and the sink, after so many runs."""
        source = dumps_source(self.rng, per_run)
        sink = fringe.visibility_sink(self.obs, self.path(name), CHANNELS, keep_edge=True,
                                      **options)
        top = gr.top_block()
        top.connect(source, sink)
        for _ in range(runs):
            top.run()
            self.assertEqual(sink.error(), "")
        return np.array(source.values), sink

    def test_every_run_has_a_file(self):
        for ending in ("ms", "uvh5", "uvfits", "ACC"):
            for overwrite in (False, True):
                stem = f"{ending}{overwrite}"
                with self.subTest(ending=ending, overwrite=overwrite):
                    sent, sink = self.run_again(f"{stem}.{ending}", overwrite=overwrite)
                    names = [self.path(f"{stem}{k}.{ending}") for k in ("", "_2", "_3")]
                    self.assertEqual(sink.files(), names)
                    self.assertEqual((sink.path(), sink.dumps()), (names[-1], 12))
                    for run, name in enumerate(names):
                        vis = fringe.read_visibilities(name)
                        self.assertEqual(list(vis.seconds), [START + 4 * run + k
                                                             for k in range(4)])
                        if ending == "ACC":  # the others are phased
                            np.testing.assert_array_equal(
                                vis.data.reshape(4, -1), sent[4 * run:4 * run + 4])

    def test_what_has_a_name_keeps_it(self):
        for name in ("x_2.ACC", "x_3.ACC"):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write("mine")
        _, sink = self.run_again("x.ACC", runs=2, overwrite=True)
        self.assertEqual(sink.files(), [self.path("x.ACC"), self.path("x_4.ACC")])
        with open(self.path("x_2.ACC"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")

    def test_a_run_without_dumps_leaves_its_name(self):
        source = dumps_source(self.rng, 0)
        sink = fringe.visibility_sink(self.obs, self.path("x.uvh5"), CHANNELS)
        top = gr.top_block()
        top.connect(source, sink)
        top.run()
        self.assertIn("no dump was received", sink.error())
        source.per_run = 3
        top.run()
        self.assertEqual((sink.error(), sink.files()), ("", [self.path("x.uvh5")]))
        self.assertEqual(os.listdir(self.folder), ["x.uvh5"])


if __name__ == "__main__":
    unittest.main()
