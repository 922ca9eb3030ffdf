#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Two devices of one machine: chains beside each other, and what must not be connected.

With FRINGE_STAND_IN (as the build's tests are run) these are two stand-ins, each of which fails
when it is given the memory of the other; without it two GPUs of this machine, if it has them.
"""
import os
import sys
import tempfile
import unittest

from qa_stand_in import STAND_IN, use_stand_in

use_stand_in(2)

import numpy as np  # noqa: E402
from gnuradio import blocks, fringe, gr  # noqa: E402
from qa_cli import command  # noqa: E402
from qa_scratch import random_numbers  # noqa: E402

FOUND, WHY = fringe.find_devices()
USABLE = len(FOUND) > 1 and not any(device.refused for device in FOUND[:2])
REFERENCE = "generic" if STAND_IN else "cpu"
GPUS = ("cuda:0", "cuda:1")


def noise(items, size):
    return random_numbers().integers(-60, 61, items * size, np.int8).view(np.uint8)


class chain:
    """unpack -> channelizer -> flagger -> X-engine -> integrator -> sinks, each on a backend."""

    def __init__(self, on, inputs=17, channels=8, block=130, dump=300):
        self.item = 2 * inputs * channels * block
        values = fringe.item_sizes.visibilities(inputs, channels)
        self.stages = (
            fringe.unpack("ci8", inputs, channels * block, backend=on[0]),
            fringe.channelizer(inputs, channels, block, taps=3, component="i8", requantize="8",
                               backend=on[1]),
            fringe.kurtosis_flagger(inputs, channels, block, "i8", window=2 * block, mask=[3],
                                    power=False, backend=on[2]),
            fringe.xengine(inputs, channels, block, "i8", 64, 0, dump, 0, on[3]),
            fringe.integrator(inputs, channels, "i8", 0, dump, 0, on[4]))
        self.sink, self.weights = blocks.vector_sink_c(values), blocks.vector_sink_f(values)

    def connect(self, top, source):
        top.connect(source, *self.stages, self.sink)
        top.connect((self.stages[-1], 1), self.weights)

    def result(self):
        return np.array(self.sink.data()), np.array(self.weights.data())


def run(raw, chains, source=None):
    """The chains in one flowgraph, each with a source of its own or all with one."""
    top = gr.top_block(catch_exceptions=False)
    common = blocks.vector_source_b(raw.tolist(), False, chains[0].item) if source else None
    for run in chains:
        run.top = top  # its blocks are asked when it has run
        run.connect(top, common or blocks.vector_source_b(raw.tolist(), False, run.item))
    top.run()
    return [run.result() for run in chains]


@unittest.skipUnless(USABLE, f"not two devices here: {WHY}")
class qa_two_devices(unittest.TestCase):

    def same(self, got, expected):
        self.assertGreater(len(expected[0]), 0)
        self.assertEqual(len(got[0]), len(expected[0]))
        if STAND_IN:  # the same kernels
            np.testing.assert_array_equal(got[0], expected[0])
        else:
            np.testing.assert_allclose(got[0], expected[0], rtol=0,
                                       atol=2e-3 * np.abs(expected[0]).max())
        np.testing.assert_array_equal(got[1], expected[1])

    def test_a_chain_on_each(self):
        raw = noise(13, chain((REFERENCE,) * 5).item)
        (expected,) = run(raw, [chain((REFERENCE,) * 5)])
        for common in (False, True):
            with self.subTest("one source" if common else "two sources"):
                first, second = run(raw, [chain((gpu,) * 5) for gpu in GPUS], common)
                self.same(first, expected)
                self.same(second, expected)
                np.testing.assert_array_equal(first[0], second[0])

    def test_from_one_to_the_other_by_the_cpu(self):
        raw = noise(9, chain((REFERENCE,) * 5).item)
        (expected,) = run(raw, [chain((REFERENCE,) * 5)])
        for on in (("cuda:0", "cuda:0", REFERENCE, "cuda:1", "cuda:1"),
                   ("cuda:1", REFERENCE, "cuda:0", "cuda:0", REFERENCE)):
            with self.subTest(on=on):
                (got,) = run(raw, [chain(on)])
                self.same(got, expected)

    def test_neighbors_on_different_devices_are_refused(self):
        raw = noise(5, chain((REFERENCE,) * 5).item)
        names = ("fringe_unpack", "fringe_channelizer", "fringe_kurtosis_flagger",
                 "fringe_xengine", "fringe_integrator")
        for at in range(1, 5):
            for here, there in (GPUS, GPUS[::-1]):
                with self.subTest(at=at, here=here):
                    graph = chain((here,) * at + (there,) * (5 - at))
                    values, _ = run(raw, [graph])[0]
                    self.assertEqual(len(values), 0)
                    why = fringe.failure(graph.stages[-1])
                    self.assertRegex(
                        why, rf"^{names[at]}\d+ computes on {there}, but {names[at - 1]}\d+, "
                        rf"whose data it reads, on {here}: give both the same backend$")

    def test_the_whole_correlator(self):
        boxes = [fringe.fx_correlator(3, 16, "ci8", 0, 100, block_spectra=32, flag=True,
                                      backend=gpu) for gpu in GPUS]
        self.assertEqual(tuple(box.backend for box in boxes), GPUS)
        raw = noise(12, 2 * 3 * 16 * 32)
        top = gr.top_block(catch_exceptions=False)
        source = blocks.vector_source_b(raw.tolist(), False, 2 * 3 * 16 * 32)
        sinks = []
        for box in boxes:
            size = box.output_signature().sizeof_stream_item(0) // 8
            sinks.append(blocks.vector_sink_c(size))
            top.connect(source, box, sinks[-1])
            top.connect((box, 1), blocks.null_sink(4 * size))
        top.run()
        self.assertGreater(len(sinks[0].data()), 0)
        np.testing.assert_array_equal(sinks[0].data(), sinks[1].data())

    def test_words(self):
        self.assertEqual(str(fringe.compute_target("cuda:1")), "cuda:1")
        self.assertEqual(fringe.compute_target("cuda:1").index, 1)
        self.assertTrue(fringe.compute_target("cuda").on_gpu)
        self.assertFalse(fringe.compute_target("cpu").on_gpu)
        last = f"cuda:{len(FOUND)}"
        for make in (lambda: fringe.unpack("ci8", 1, 8, backend=last),
                     lambda: fringe.channelizer(1, 8, 8, backend=last),
                     lambda: fringe.kurtosis_flagger(1, 8, 8, backend=last),
                     lambda: fringe.xengine(1, 8, backend=last),
                     lambda: fringe.integrator(1, 8, backend=last),
                     lambda: fringe.fx_correlator(1, 8, "ci8", backend=last)):
            with self.assertRaisesRegex(ValueError, f"backend '{last}': this machine has "
                                                    f"{len(FOUND)} GPUs, cuda:0.* and cuda:"):
                make()


@unittest.skipUnless(STAND_IN, "only a stand-in can be told to fail")
class qa_one_of_two(unittest.TestCase):
    """The command line on two devices, of which one is lost or cannot be used."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        raw = np.random.default_rng(1).integers(-60, 60, 2 * 2 * 16 * 4000, np.int8)
        raw.tofile(os.path.join(self.folder.name, "sky.ci8"))

    def tearDown(self):
        self.folder.cleanup()

    def fringe(self, *arguments, **variables):
        return command(*arguments, cwd=self.folder.name, variables={
            f"FRINGE_STAND_IN_{k.upper()}": str(v) for k, v in variables.items()})

    def correlate(self, *more, **variables):
        return self.fringe("correlate", "sky.ci8", "--format", "ci8", "--inputs", "2",
                           "--sample-rate", "1e6", "--channels", "16", "--spectra", "500",
                           "-o", "sky.ACC", "--overwrite", *more, **variables)

    def test_what_was_found(self):
        text = self.fringe("info", "--devices").stdout
        for words in ("GPU 0: stand-in", "GPU 1: stand-in", "run on GPU 0", "--backend cuda:1"):
            self.assertIn(words, text)
        self.assertIn("run on GPU 1", self.fringe("info", "--devices", refused_0="dust").stdout)

    def test_the_other_one_does_not_matter(self):
        first = self.correlate("--backend", "cuda:0", lost_1=1)
        self.assertEqual(first.returncode, 0, first.stderr)
        with open(os.path.join(self.folder.name, "sky.ACC"), "rb") as file:
            expected = file.read()
        second = self.correlate("--backend", "cuda:1", lost_0=1, refused_0="dust", memory_0=1)
        self.assertEqual(second.returncode, 0, second.stderr)
        with open(os.path.join(self.folder.name, "sky.ACC"), "rb") as file:
            self.assertEqual(file.read(), expected)

    def test_the_one_that_was_asked_for_matters(self):
        lost = self.correlate("--backend", "cuda:1", lost_1=5)
        self.assertEqual(lost.returncode, 1, lost.stdout + lost.stderr)
        self.assertIn("the device is lost", lost.stderr)
        refused = self.correlate("--backend", "cuda:1", refused_1="dust")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("backend 'cuda:1': stand-in: dust", refused.stderr)
        none = self.correlate("--backend", "cuda:2")
        self.assertEqual(none.returncode, 2)
        self.assertIn("backend 'cuda:2': this machine has 2 GPUs, cuda:0 and cuda:1", none.stderr)


if __name__ == "__main__":
    unittest.main()
