#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Recordings of others - SigMF collections and archives, GNU Radio's File Meta Sink - are one
argument of every command, with the visibilities of the same samples without a header."""
import json
import os
import tarfile
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.observing.recording_names import size_of
from gnuradio.fringe.receiving.read_samples import read_samples

from qa_cli import in_a_folder
from qa_recorders import voltages

SAMPLES, RATE, FREQUENCY = 40001, 1e5, 1420.4e6
START = "2026-06-12T11:20:40Z"
SECONDS = 1781263240  # the same instant


class qa_one_argument(in_a_folder):
    seed = 29

    def setUp(self):
        super().setUp()
        noise = self.rng.normal(0, 3000, (SAMPLES + 700, 2))
        both = self.rng.normal(0, 2000, (SAMPLES + 700, 2))
        #: [time][input][re, im]: the second hears the common noise 37 samples later
        self.x = np.stack([noise + both, np.roll(noise, 9, axis=0) + np.roll(both, 37, axis=0)], 1)
        self.x = np.rint(self.x[700:]).astype("<i2")
        self.write("plain.ci16", self.x.tobytes())

    def pair(self, name, x, first=0):
        """Writes samples [time] or [time][channel], [re, im], as x.sigmf-meta and -data."""
        start = fringe.epoch.from_iso(START).plus_samples(first, RATE).iso(12)
        words = {"core:datatype": "ci16_le", "core:sample_rate": RATE, "core:version": "1.2.0",
                 "core:num_channels": x.shape[1] if x.ndim == 3 else 1}
        self.write(name + ".sigmf-data", x.tobytes())
        captures = [{"core:sample_start": 0, "core:frequency": FREQUENCY, "core:datetime": start}]
        self.write(name + ".sigmf-meta",
                   json.dumps({"global": words, "captures": captures, "annotations": []}))

    def collection(self, *names):
        return self.write("x.sigmf-collection", json.dumps({"collection": {
            "core:version": "1.2.0", "core:streams": [{"name": n, "hash": ""} for n in names]}}))

    def receivers(self):
        for k, name in enumerate(("west", "east")):
            self.pair(name, self.x[:, k])
        return self.collection("west", "east")

    def parts(self):
        """Two receivers, three files each, in the order of their times."""
        for p, (a, b) in enumerate(((0, 9001), (9001, 30000), (30000, SAMPLES))):
            for k in range(2):
                self.pair(f"rx{k}.{p:04d}", self.x[a:b, k], a)
        return self.collection(*(f"rx{k}.{p:04d}" for p in range(3) for k in range(2)))

    def archive(self):
        self.pair("both", self.x)
        with tarfile.open(self.path("both.sigmf"), "w") as out:
            for ending in ("meta", "data"):
                out.add(self.path("both.sigmf-" + ending), "both/both.sigmf-" + ending)
        return "both.sigmf"

    def file_meta(self, detached):
        """GNU Radio's own sink, of shorts, two inputs in a vector."""
        name = "detached.bin" if detached else "inline.bin"
        more = pmt.dict_add(pmt.make_dict(), pmt.intern("rx_freq"), pmt.from_double(FREQUENCY))
        sink = blocks.file_meta_sink(8, self.path(name), RATE, 1, blocks.GR_FILE_SHORT, True, 7001,
                                     more, detached)
        source = blocks.vector_source_s(self.x.reshape(-1).tolist(), False, 4, [
            gr.python_to_tag({"offset": 0, "key": pmt.intern("rx_time"),
                              "srcid": pmt.PMT_F, "value": pmt.make_tuple(
                                  pmt.from_uint64(SECONDS), pmt.from_double(0))})])
        flowgraph = gr.top_block()
        flowgraph.connect(source, sink)
        flowgraph.run()
        return name

    def check(self, argument, in_parts=False):
        """The one argument in info, correlate, align and File Source; and in plan, work, merge."""
        output = self.run_well("info", argument)
        self.assertIn("2, complex samples of 16 + 16 bits", output)
        self.assertIn(f"{SAMPLES} of each input", output)
        self.assertIn("2026-06-12 11:20:40.000 UTC", output)
        options = ("--channels", 16, "--integration", 0.1, "--quiet")
        fringe.correlate(self.path("plain.ci16"), self.path("plain.uvh5"), inputs=2,
                         sample_rate=RATE, center_frequency=FREQUENCY, start_time=START,
                         channels=16, integration=0.1)
        self.run_well("correlate", argument, *options, "-o", "found.uvh5")
        outputs = ["found.uvh5"]
        if in_parts:
            self.run_well("plan", argument, *options[:-1], "--parts", 2, "-o", "plan.json")
            self.run_well("work", "plan.json", 0, 1)
            self.run_well("merge", "plan.json", "-o", "planned.uvh5")
            outputs.append("planned.uvh5")
        expected = fringe.read_visibilities(self.path("plain.uvh5"))
        for name in outputs:
            found = fringe.read_visibilities(self.path(name))
            for what in ("data", "weights", "times", "exposures", "frequencies"):
                np.testing.assert_array_equal(getattr(found, what), getattr(expected, what), what)
        aligned = self.run_well("align", argument, argument, "--input", 0, "--other-input", 1,
                                "--search", 0.01)
        self.assertIn("one signal in both", aligned)
        _, x = voltages([self.path(argument)], fringe.format_by_content(self.path(argument)), 1000)
        np.testing.assert_array_equal(x, self.complex())
        np.testing.assert_array_equal(read_samples(self.path(argument), wanted=1)[0],
                                      self.complex()[1])

    def test_what_a_plan_is_made_for(self):
        """The size of the samples, not of the words on them: a file that changed is noticed."""
        names = [self.receivers(), "west.sigmf-meta", "west"]
        sizes = [size_of(self.path(name)) for name in names]
        self.assertEqual(sizes[1:], [4 * SAMPLES] * 2)
        self.assertEqual(sizes[0], 8 * SAMPLES)
        self.assertEqual(size_of(self.path(self.file_meta(True) + ".hdr")), 8 * SAMPLES)
        os.remove(self.path("east.sigmf-data"))
        self.assertIsNone(size_of(self.path(names[0])))

    def complex(self):
        return (self.x[..., 0] + 1j * self.x[..., 1]).T.astype(np.complex64)

    def test_a_collection_of_receivers(self):
        self.check(self.receivers())

    def test_a_collection_of_receivers_in_parts(self):
        self.check(self.parts(), True)

    def test_an_archive(self):
        self.check(self.archive())

    def test_an_archive_of_receivers_in_parts(self):
        """What fringe record wrote, packed by tar."""
        self.parts()
        with tarfile.open(self.path("x.sigmf"), "w") as out:
            for name in sorted(os.listdir(self.folder), reverse=True):
                if "sigmf-" in name:
                    out.add(self.path(name), "x/" + name)
        self.check("x.sigmf")

    def test_file_meta_sink(self):
        self.check(self.file_meta(False))

    def test_file_meta_sink_with_headers_apart(self):
        name = self.file_meta(True)
        self.check(name, True)
        self.assertIn("file_meta", self.run_well("info", name + ".hdr"))


if __name__ == "__main__":
    unittest.main()
