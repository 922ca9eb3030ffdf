#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Blocks that are gathered of small items on a device give what whole blocks give.

With FRINGE_STAND_IN (as the build's tests are run) the device is a stand-in whose streams sleep at
random, otherwise the GPU of this machine, if there is one.
"""
import os
import tempfile
import unittest

from qa_stand_in import STAND_IN, use_stand_in

use_stand_in(2)

import numpy as np  # noqa: E402
import pmt  # noqa: E402
from gnuradio import blocks, fringe, gr  # noqa: E402
from gnuradio.fringe.qualifying.vdif import write_vdif  # noqa: E402
from qa_scratch import random_numbers  # noqa: E402

FOUND, WHY = fringe.find_devices()
needs_device = unittest.skipUnless(FOUND and not FOUND[0].refused, f"no device: {WHY}")
needs_two = unittest.skipUnless(len(FOUND) > 1, "not two devices here")
REFERENCE = "generic" if STAND_IN else "cpu"


class correlated:
    """A recording through the whole correlator: dumps, weights, and what was counted."""

    def __init__(self, paths, form, inputs, channels, block, items=0, backend="cuda", **more):
        points = fringe.item_sizes.points("ci8" if form == "ci8" else "f32", channels)
        samples = {"rate": 4000.0, "repeat": False, "to": 0, **more.pop("read", {})}
        source = fringe.file_source(
            paths, form, inputs, block * points, samples["rate"], 0, "", [0], samples["to"],
            samples["repeat"], "settings", False, items * points)
        where = more if "devices" in more else {"backend": backend, **more}
        box = fringe.fx_correlator(
            inputs, channels, source.encoding(), 0, 17, 3, "hann", "8", [1.0], source.parts(),
            block_spectra=block, item_spectra=items, **where)
        values = fringe.item_sizes.visibilities(inputs, channels)
        sinks = blocks.vector_sink_c(values), blocks.vector_sink_f(values)
        run = gr.top_block(catch_exceptions=False)
        run.connect(source, box, sinks[0])
        run.connect((box, 1), sinks[1])
        run.run()
        self.why = fringe.failure(sinks[0])
        self.dumps, self.weights = (np.array(sink.data()) for sink in sinks)
        self.lost = source.losses(), box.losses(), source.samples_read(), box.spectra_lost()
        self.starts = [pmt.to_python(tag.value) for tag in sinks[0].tags()
                       if pmt.symbol_to_string(tag.key) == "rx_time"]


class unpacked:
    """Items of ci8 through unpack: its items of 16 samples of 3 inputs, and their tags."""

    def __init__(self, raw, item_samples, backend, tags=()):
        source = blocks.vector_source_b(raw.tolist(), False, 6 * item_samples, list(tags))
        sink = blocks.vector_sink_b(96)
        run = gr.top_block(catch_exceptions=False)
        run.connect(source, fringe.unpack("ci8", 3, 16, backend=backend,
                                          item_samples=item_samples), sink)
        run.run()
        self.items = np.array(sink.data(), np.uint8).reshape(-1, 3, 32)
        self.tags = {(tag.offset, pmt.symbol_to_string(tag.key)): python_of(tag.value)
                     for tag in sink.tags() if pmt.symbol_to_string(tag.key) != "stream"}


def python_of(value):
    return list(pmt.u64vector_elements(value)) if pmt.is_u64vector(value) else \
        pmt.to_python(value)


def tag(item, key, value):
    made = gr.tag_t()
    made.offset, made.key, made.value = item, pmt.intern(key), value
    return made


@needs_device
class qa_gathered_items(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.folder.cleanup)
        self.random = random_numbers()

    def same(self, got, expected):
        self.assertEqual((got.why, expected.why), ("", ""))
        self.assertGreater(len(expected.dumps), 0)
        np.testing.assert_array_equal(got.dumps, expected.dumps)
        np.testing.assert_array_equal(got.weights, expected.weights)
        self.assertEqual(got.lost, expected.lost)
        self.assertEqual(got.starts, expected.starts)

    def ci8(self, name, size):
        path = os.path.join(self.folder.name, name)
        self.random.integers(-128, 128, size, np.int8).tofile(path)
        return path

    def test_headerless_files(self):
        # The last block: of one whole item, of two and a piece, of all.
        for files, end in ((1, 4 * 13), (2, 4 * 24 + 5), (3, 16 * 13)):
            inputs, channels, block = 6, 10, 16
            paths = [self.ci8(f"{k}.ci8", 2 * inputs // files * channels * (16 * 20 + end))
                     for k in range(files)]
            whole = correlated(paths, "ci8", inputs, channels, block)
            for items in (1, 4, 8):
                with self.subTest(files=files, items=items):
                    self.same(correlated(paths, "ci8", inputs, channels, block, items), whole)
            if STAND_IN:
                self.same(correlated(paths, "ci8", inputs, channels, block, backend=REFERENCE),
                          whole)

    def test_packed_samples_of_threads_with_gaps(self):
        for bits in (1, 2, 4):
            path = os.path.join(self.folder.name, f"{bits}.vdif")
            samples = 800 * 8 // bits
            rate = 10 * samples
            codes = self.random.integers(0, 1 << bits, (4, 60 * samples))
            there = self.random.choice([1, 1, 1, 1, 0, -1], (4, 60))
            there[:, [0, -1]] = 1
            write_vdif(path, codes, bits, rate, 800, there)
            sizes = [path], "vdif", 4, 40, 24
            read = {"read": {"rate": rate}}
            whole = correlated(*sizes, **read)
            self.assertLess(whole.weights.min(), 17)
            for items in (1, 6, 12):
                with self.subTest(bits=bits, items=items):
                    self.same(correlated(*sizes, items, **read), whole)
            if STAND_IN:
                self.same(correlated(*sizes, backend=REFERENCE, **read), whole)

    def test_a_long_gap_is_passed_over(self):
        path = os.path.join(self.folder.name, "gap.vdif")
        there = np.ones((2, 300), int)
        there[:, 120:260] = 0  # 14 seconds
        write_vdif(path, self.random.integers(0, 4, (2, 300 * 416)), 2, 4160, 104, there)
        sizes = [path], "vdif", 2, 20, 24
        read = {"read": {"rate": 4160.0}}
        whole = correlated(*sizes, **read)
        self.assertGreater(len(whole.starts), 1)
        self.assertGreater(whole.lost[3], 0)
        for items in (1, 8):
            with self.subTest(items=items):
                self.same(correlated(*sizes, items, **read), whole)

    @needs_two
    def test_levels_on_two_devices(self):
        path = os.path.join(self.folder.name, "levels.vdif")
        there = self.random.choice([1, 1, 1, 0], (4, 60))
        there[:, [0, -1]] = 1
        write_vdif(path, self.random.integers(0, 4, (4, 60 * 3200)), 2, 32000, 800, there)
        sizes = [path], "vdif", 4, 40, 24
        read = {"read": {"rate": 32000}}
        whole = correlated(*sizes, **read)
        for split in ("channels", "time"):
            with self.subTest(split=split):
                self.same(correlated(*sizes, devices=[0, 1], split=split, **read), whole)

    @needs_two
    def test_two_devices_in_turn(self):
        path = self.ci8("x", 2 * 3 * 10 * 333)
        sizes = [path], "ci8", 3, 10, 16
        on = {"devices": [0, 1], "split": "time"}
        whole = correlated(*sizes, **on)
        for items in (2, 8):
            with self.subTest(items=items):
                self.same(correlated(*sizes, items, **on), whole)

    def test_the_ends_of_blocks(self):
        raw = self.random.integers(0, 256, 6 * 4 * 11, np.uint8)
        rows = raw.reshape(-1, 3, 2).transpose(1, 0, 2).reshape(3, -1)  # [input][time and part]
        now = pmt.make_tuple(pmt.from_uint64(5), pmt.from_double(0.5))
        got = unpacked(raw, 4, "cuda", [
            tag(0, "rx_rate", pmt.from_double(4.0)),
            tag(1, "invalid", pmt.init_u64vector(3, [2, 1, 3])),
            tag(2, "invalid", pmt.init_u64vector(6, [2, 0, 2, 0, 1, 1])),
            tag(5, "samples", pmt.from_uint64(3)),  # ends the second block
            tag(7, "rx_time", now),  # begins the fourth one
            tag(8, "note", pmt.from_long(7))])
        samples = {1: 7, 2: 4}
        # The last block has all that is left: items 7 to 10.
        self.assertEqual(got.tags, {
            (0, "rx_rate"): 4.0, (3, "rx_time"): (5, 0.5), (3, "note"): 7,
            (0, "invalid"): [0, 9, 1, 2, 5, 5],
            **{(block, "samples"): count for block, count in samples.items()}})
        self.assertEqual(len(got.items), 4)
        for block, (first, count) in enumerate(((0, 4), (4, 2), (6, 1), (7, 4))):
            expected = np.zeros((3, 32), np.uint8)
            part = rows[:, 8 * first:8 * (first + count)]
            expected[:, :part.shape[1]] = part
            np.testing.assert_array_equal(got.items[block], expected)

    def test_data_that_end_within_a_block(self):
        raw = self.random.integers(0, 256, 6 * 4 * 6, np.uint8)
        got = unpacked(raw, 4, "cuda")
        self.assertEqual(got.tags, {(1, "samples"): 8})
        rows = raw.reshape(-1, 3, 2).transpose(1, 0, 2).reshape(3, -1)
        np.testing.assert_array_equal(got.items[0], rows[:, :32])
        np.testing.assert_array_equal(got.items[1][:, :16], rows[:, 32:])
        self.assertFalse(got.items[1][:, 16:].any())

    def test_what_cannot_be_gathered(self):
        for make, words in (
                (lambda: fringe.unpack("ci8", 3, 16, backend="cuda", item_samples=5),
                 "unpack: item_samples: 5: must divide the 16 samples of a block"),
                (lambda: fringe.unpack("ci8", 3, 16, backend="cpu", item_samples=4),
                 "unpack: item_samples: 4: blocks are gathered from items on a GPU only"),
                (lambda: fringe.fx_correlator(3, 10, "ci8", block_spectra=16, item_spectra=3),
                 "item_spectra: 3: must divide the 16 spectra of a block"),
                (lambda: fringe.fx_correlator(3, 10, "ci8", block_spectra=16, item_spectra=4,
                                              backend="cpu"),
                 "fx_correlator: item_spectra: 4: blocks are gathered from raw items by one GPU")):
            with self.subTest(words=words):
                with self.assertRaises(ValueError) as caught:
                    make()
                self.assertIn(words, str(caught.exception))

    def test_items_for_a_gpu(self):
        for form, inputs, points, block in (("ci8", 512, 1280, 128), ("ci8", 32, 256, 1024),
                                            ("vdif2", 36, 2048, 2048), ("ci8", 3, 10, 128),
                                            ("cvdif1", 7, 1001, 8192)):
            with self.subTest(form=form, inputs=inputs):
                items = fringe.gpu_item_spectra(form, inputs, points, block)
                bits = fringe.encoding_by_name(form).bits
                self.assertEqual(block % items, 0)
                self.assertEqual(items * points % 8, 0)
                self.assertLess(inputs * items * points * bits // 8, 16 << 20)


if __name__ == "__main__":
    unittest.main()
