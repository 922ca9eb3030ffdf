#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The memory of a correlator on GPUs: what is planned before the start is what is taken, and what
does not fit is refused.

With FRINGE_STAND_IN (as the build's tests are run) on stand-ins, whose memory counts; of them the
last one has little. The kernels of a stand-in have no memory of their own. Without it on the GPUs
of this machine, kernels and all.
"""
import os
import threading
import unittest

from qa_stand_in import STAND_IN, use_stand_in

use_stand_in(3, delay=0, MEMORY_2=3000000)

from gnuradio import blocks, fringe, gr  # noqa: E402
from gnuradio.fringe import fringe_python as fp  # noqa: E402
from gnuradio.fringe.chains.memory_plan import HOST, memory_plan, plan_of, row  # noqa: E402
from gnuradio.fringe.chains.stage_maker import stage_maker  # noqa: E402
from gnuradio.fringe.describing.memory import describe_memory  # noqa: E402
from gnuradio.fringe.observing.sizes import block_sizes  # noqa: E402
from qa_scratch import scratch_case  # noqa: E402

FOUND, WHY = fringe.find_devices()
KERNELS = ("kernels", "cuFFT", "filter bank", "sums of the X-engine", "sums of the integrator")


def maker(inputs, channels, block, requantize="8", search=None, format="ci8"):
    """A stage_maker of these sizes."""
    return stage_maker(
        sizes=block_sizes(format, inputs, channels, block, backend="cuda"), taps=4, window="hann",
        requantize=requantize, gains=[], files=1, streams=[], conjugate=[], corrections=[],
        tracking=None, remove_mean=False, search=search)


def taken(gpus, box, item):
    """Bytes of each GPU that a correlator takes while it runs; it was made before this."""
    numbers = [fp.compute_target(gpu).index for gpu in gpus]
    least, ended = [fp._free_memory(n) for n in numbers], threading.Event()

    def watch():
        while not ended.wait(0.002):
            for k, number in enumerate(numbers):
                least[k] = min(least[k], fp._free_memory(number))

    values = box.output_signature().sizeof_stream_item(0) // gr.sizeof_gr_complex
    top = gr.top_block()
    top.connect(blocks.null_source(item), blocks.head(item, 40), box,
                blocks.null_sink(gr.sizeof_gr_complex * values))
    top.connect((box, 1), blocks.null_sink(gr.sizeof_float * values))
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        top.run()
    finally:
        ended.set()
        watcher.join()
    return least


@unittest.skipUnless(len(FOUND) > 1, f"not two GPUs here: {WHY}")
class qa_memory_plan(scratch_case):

    def assert_planned(self, inputs, channels, block, gpus=("cuda:0",), form="ci8", **more):
        """The plan of a correlator is what it takes, within 10 %."""
        before = [fp._free_memory(fp.compute_target(gpu).index) for gpu in gpus]
        where = {"backend": gpus[0]} if len(gpus) == 1 else {"devices": list(gpus)}
        box = fringe.fx_correlator(inputs, channels, form, 0, 5 * block, block_spectra=block,
                                   **where, **more)
        item = block_sizes(form, inputs, channels, block).raw_bytes
        for gpu, had, least in zip(gpus, before, taken(gpus, box, item)):
            planned = sum(entry.bytes for entry in box.memory.rows if entry.where == gpu
                          and not (STAND_IN and entry.what in KERNELS))
            self.assertLess(abs(had - least - planned), 0.1 * planned,
                            f"{had - least} bytes taken of {gpu}:\n"
                            + "\n".join(box.memory.in_words()))

    def test_what_is_planned_is_taken_on_one(self):
        for inputs, channels, block in ((4, 64, 96), (12, 20, 256), (37, 16, 100)):
            with self.subTest(inputs=inputs):
                self.assert_planned(inputs, channels, block)

    def test_what_is_planned_is_taken_of_samples_of_two_bits(self):
        self.assert_planned(16, 64, 256, form="vdif2")
        row_of = {entry.what: entry for entry in plan_of(
            maker(16, 64, 256, format="vdif2"), ["cuda:0"]).rows}
        self.assertEqual(row_of["voltages"].bytes % (16 * 128 * 256), 0)  # a byte each
        self.assertLess(row_of["voltages"].bytes, 16 * 16 * 128 * 256)

    def test_what_is_planned_is_taken_with_a_search(self):
        self.assert_planned(8, 32, 128, flag={"window": 512})

    def test_what_is_planned_is_taken_where_pulses_are_blanked(self):
        self.assert_planned(6, 64, 128, pulses=True)

    def test_what_is_planned_is_taken_on_two(self):
        for split in ("channels", "time"):
            with self.subTest(split=split):
                self.assert_planned(12, 24, 128, ("cuda:0", "cuda:1"), split=split)

    @unittest.skipUnless(STAND_IN, "no GPU here has so little memory")
    def test_what_does_not_fit_is_refused_before_the_start(self):
        free = fp._free_memory(2)
        for where in ({"backend": "cuda:2"}, {"devices": [0, 2]}):
            with self.assertRaisesRegex(
                    RuntimeError, r"^cuda:2 has 3 MB of memory left, and [0-9.]+ MB are needed: "
                    r"[0-9.]+ MB for sums of baselines, [0-9.]+ MB for blocks of samples\. Take "
                    r"shorter blocks \(block_spectra\)"):
                fringe.fx_correlator(16, 64, "ci8", 1, block_spectra=1024, **where)
        self.assertEqual(fp._free_memory(2), free)

    def test_an_array_of_4096_inputs(self):
        """By hand: 8390656 products in 560 channels, of 16 bytes each in the integrator; the
        tensor cores have 16 blocks of 256 rows, and 72 MB of sums a channel."""
        make = maker(4096, 560, 128)
        alone = plan_of(make, ["cuda:0"])
        on_two = plan_of(make, ["cuda:0", "cuda:1"], "channels")
        self.assertLess(on_two.bytes("cuda:0"), 80e9)
        raw = next(entry for entry in on_two.rows
                   if entry.what == "raw blocks" and entry.where == "cuda:0")
        self.assertEqual(raw.bytes // make.sizes.raw_bytes, 8)  # while nine are multiplied
        self.assertAlmostEqual(alone.bytes("cuda:0", "sums") / (560 * (16 * 8390656 + 73.4e6)), 1,
                               delta=0.05)
        with self.assertRaisesRegex(
                RuntimeError, r"^cuda:0 has 84 GB of memory left, and 1[0-9]{2} GB are needed: "
                r"1[0-9]{2} GB for sums of baselines, [0-9.]+ GB for blocks of samples\. Take "
                r"fewer channels at a time \(1/2 of them\), or 2 times as many GPUs \(devices\)$"):
            alone.check({"cuda:0": 84e9})

    @unittest.skipUnless(STAND_IN, "the sentences are those of stand-ins")
    def test_info_says_it(self):
        path = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..",
                            "examples", "images", "tart.yml")
        output = describe_memory(path)
        self.assertRegex(output, r"tart\.yml: 24 inputs, 256 channels, samples as tart\n"
                               r"on one GPU, blocks of 1280 spectra, 0\.04 s\nhost: ")
        self.assertRegex(output, r"\non 3 GPUs, that share the work by channels \(.*\), blocks of ")
        self.assertIn("cuda:0, stand-in: 4.29 GB are free, so it fits\n", output)
        self.assertIn("stand-in cannot: cuda:2 has 3 MB of memory left, and ", output)

    def test_sentences(self):
        plan = memory_plan([row("blocks", "cuda:0", 3 * 10**9, "blocks"),
                            row("sums", "cuda:0", 10**9, "sums"),
                            row("nothing", "cuda:1", 0, "sums"),
                            row("dumps", HOST, 5 * 10**6, "sums")])
        self.assertEqual(str(plan), "memory: 4 GB on cuda:0, 5 MB on the host")
        self.assertEqual(plan.in_words()[:2], ["cuda:0: 4 GB", "      3 GB  blocks"])
        plan.check({"cuda:0": 4 * 10**9})
        plan.check({})
        with self.assertRaisesRegex(RuntimeError, "shorter blocks"):
            plan.check({"cuda:0": 4 * 10**9 - 1})


if __name__ == "__main__":
    unittest.main()
