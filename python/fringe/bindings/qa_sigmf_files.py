#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""SigMF: the words of its specification that say where samples lie, archives and collections."""
import json
import os
import tarfile
import unittest

import numpy as np

from gnuradio import fringe
from gnuradio.fringe.describing.info import describe
from qa_recorder_headers import SAMPLES, header_case


class qa_sigmf_files(header_case):

    def sigmf(self, name, data, captures=({},), **words):
        with open(self.path(words.get("dataset") or name + ".sigmf-data"), "wb") as out:
            out.write(data)
        meta = {"global": {"core:datatype": "ci16_le", "core:sample_rate": 1e6,
                           "core:version": "1.0.0", **{f"core:{k}": v for k, v in words.items()}},
                "captures": [{"core:sample_start": 0, "core:frequency": 1.4e9,
                              "core:datetime": "2026-01-01T00:00:00Z",
                              **{f"core:{k}": v for k, v in capture.items()}}
                             for capture in captures],
                "annotations": []}
        with open(self.path(name + ".sigmf-meta"), "w", encoding="utf-8") as out:
            json.dump(meta, out)
        return self.path(name + ".sigmf-meta")

    def setUp(self):
        super().setUp()
        self.x = np.rint(self.rng.normal(0, 900, (SAMPLES, 2)))
        self.raw = self.x.astype("<i2").tobytes()

    def test_where_the_samples_lie(self):
        for path in (self.sigmf("a", self.raw + b"\x7f" * 100, trailing_bytes=100),
                     self.sigmf("b", self.raw, dataset="my.iq"),
                     self.sigmf("c", self.raw, [{"sample_start": 5000}], offset=5000),
                     self.sigmf("d", b"?" * 36 + self.raw, [{"header_bytes": 36}])):
            self.assertEqual(fringe.recording_info(path, "sigmf").samples, SAMPLES)
            self.check_input(path, 0, self.x)

    def test_headers_of_captures(self):
        """Each capture has bytes in front of it, and the second begins 1000 samples late."""
        half = len(self.raw) // 2
        path = self.sigmf("a", b"1" * 12 + self.raw[:half] + b"2" * 20 + self.raw[half:] + b"3" * 8,
                          [{"header_bytes": 12, "global_index": 70},
                           {"header_bytes": 20, "sample_start": SAMPLES // 2,
                            "global_index": 70 + SAMPLES // 2 + 1000}], trailing_bytes=8)
        expected = [self.x[:SAMPLES // 2], np.zeros((1000, 2)), self.x[SAMPLES // 2:]]
        self.check_input(path, 0, np.concatenate(expected))
        self.assertIn("1000 samples missing", describe(path))

    def test_kinds_of_samples(self):
        for kind, mark in (("ci16_be", ">i2"), ("cf32_be", ">f4"), ("cf32_le", "<f4")):
            path = self.sigmf("a", self.x.astype(mark).tobytes(), datatype=kind)
            self.check_input(path, 0, self.x)
        for kind in ("cf64_le", "ci32_be", "ci16", "ci8_be", ""):
            self.refused(self.sigmf("a", self.raw, datatype=kind), f"'{kind}'", "ci16_le")

    def test_refusals(self):
        for words, named in ((dict(metadata_only=True), "core:metadata_only"),
                             (dict(dataset="./a.iq"), "core:dataset"),
                             (dict(version="2.0.0"), "core:version 2.0.0"),
                             (dict(offset=5), "core:offset, 5"),
                             (dict(extensions=[{"name": "cube", "optional": False}]), "'cube'")):
            self.refused(self.sigmf("a", self.raw, **words), named)
        second = {"sample_start": 4096}
        self.refused(self.sigmf("a", self.raw, [{}, second | {"frequency": 1e9}]), "core:frequency")
        self.refused(self.sigmf("a", self.raw, [{}, second | {"sample_rate": 2e6}]), "sample_rate")
        self.refused(self.sigmf("a", self.raw, [{"datetime": "2026-01-01T02:00:00+02:00"}]),
                     "core:datetime")
        describe(self.sigmf("a", self.raw, extensions=[{"name": "cube", "optional": True}]))

    def archive(self, *names, kind=tarfile.PAX_FORMAT):
        with tarfile.open(self.path("x.sigmf"), "w", format=kind) as out:
            for name in names:
                out.add(self.path(name), "folder/" + "deep/" * 40 + name)
        return self.path("x.sigmf")

    def test_archives(self):
        self.sigmf("a", self.raw)
        for kind in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
            path = self.archive("a.sigmf-data", "a.sigmf-meta", kind=kind)
            self.assertEqual(fringe.format_by_content(path), "sigmf")
            self.check_input(path, 0, self.x)
        self.refused(self.archive("a.sigmf-meta"), "a.sigmf-data")
        # Several recordings are those of a collection, by their names, however they are packed.
        y = self.noise(SAMPLES).astype("<i2")
        self.sigmf("b10", y.tobytes())
        self.sigmf("b9", self.raw)
        path = self.archive(*(f"{name}.sigmf-{end}" for name in ("b10", "b9")
                              for end in ("data", "meta")))
        self.assertEqual(fringe.recording_info(path, "sigmf").streams, 2)
        self.check_input(path, 0, self.x)
        self.check_input(path, 1, y)
        self.sigmf("b10", self.raw, [{"frequency": 1.5e9}])
        self.refused(self.archive("b9.sigmf-meta", "b9.sigmf-data", "b10.sigmf-meta",
                                  "b10.sigmf-data"), "core:frequency")
        path = self.archive("a.sigmf-meta", "a.sigmf-data")
        os.truncate(path, os.path.getsize(path) // 2)
        self.refused(path, "truncated")

    def collection(self, *names):
        with open(self.path("x.sigmf-collection"), "w", encoding="utf-8") as out:
            json.dump({"collection": {"core:version": "1.0.0", "core:streams": [
                {"name": name, "hash": ""} for name in names]}}, out)
        return self.path("x.sigmf-collection")

    def test_collections(self):
        """Inputs of one receiver after those of another, each at its time."""
        y = self.noise(SAMPLES).astype("<i2")
        self.sigmf("a", self.raw)
        self.sigmf("b", y.tobytes(), [{"datetime": "2026-01-01T00:00:00.001Z"}])
        path = self.collection("a", "b")
        self.assertEqual(fringe.recording_info(path, "sigmf").streams, 2)
        self.check_input(path, 0, np.concatenate([self.x, np.zeros((1000, 2))]))
        self.check_input(path, 1, np.concatenate([np.zeros((1000, 2)), y]))
        fringe.correlate(path, self.path("x.uvh5"), channels=8, spectra=1000)
        self.refused(self.collection("a", "../a"), "'name'")
        self.refused(self.collection(), "core:streams")
        self.sigmf("b", self.raw, [{"frequency": 1.5e9}])
        self.refused(self.collection("a", "b"), "core:frequency")

    def test_files_of_one_receiver(self):
        """Names that differ in the last number, in any order; one sample is lost between two of
        them, which the counter says and the times, to a microsecond, do not."""
        cuts = (0, 3000, 5001, SAMPLES)
        for k, (a, b) in enumerate(zip(cuts, cuts[1:])):
            late = int(k == 2)
            time = fringe.epoch.from_iso("2026-01-01T00:00:00Z").plus_samples(a + late, 1e6).iso(6)
            self.sigmf(f"n.{k + 8}", self.raw[4 * a:4 * b],
                       [{"datetime": time, "global_index": 77 + a + late}])
        path = self.collection("n.10", "n.8", "n.9")
        expected = np.insert(self.x, 5001, 0, axis=0)
        self.assertEqual(fringe.recording_info(path, "sigmf").streams, 1)
        self.check_input(path, 0, expected)
        self.check_input(self.path("n.*.sigmf-meta"), 0, expected)
        # Of two that overlap each is a receiver, whatever they are called.
        self.sigmf("n.9", self.raw)
        self.assertEqual(fringe.recording_info(path, "sigmf").streams, 3)


if __name__ == "__main__":
    unittest.main()
