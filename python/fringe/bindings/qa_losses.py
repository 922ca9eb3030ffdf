#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Unusable samples, counted by cause; stages that fail; what the log says of data."""
import os
import subprocess
import sys
import unittest

import numpy as np
import pmt

from gnuradio import blocks, fringe, gr
from gnuradio.fringe.ground.losses import CAUSES, sentences
import qa_recorders
from qa_cli import command
from qa_recorders import dumps_of, mwa32t_file, vdif_file
from qa_scratch import TIMEOUT, scratch_case


def losses_of(debug):
    """Messages of a port `losses`, as dicts of numbers and lists."""
    messages = [debug.get_message(k) for k in range(debug.num_messages())]
    read = {"samples": pmt.to_uint64, **dict.fromkeys(CAUSES, pmt.u64vector_elements)}
    return [{name: convert(pmt.dict_ref(m, pmt.intern(name), pmt.PMT_NIL))
             for name, convert in read.items() if pmt.dict_has_key(m, pmt.intern(name))}
            for m in messages]


class in_a_folder(scratch_case):
    seed = 31


class qa_causes(in_a_folder):

    def counted(self, path, form, block, inputs=0, encoding=None, **options):
        """losses() of source and unpack, and what their ports sent."""
        flowgraph = gr.top_block()
        rate = 0 if form == "vdif" else 1e6  # VDIF says its own
        source = fringe.file_source([path], form, inputs, block, rate, **options)
        n = source.inputs()
        unpack = fringe.unpack(source.encoding(), n, block, "auto", source.parts())
        e = fringe.encoding_by_name(source.encoding())
        width = {"i8": 1, "i16": 2, "f32": 4}[e.component] * (2 if e.complex_samples else 1)
        debugs = [blocks.message_debug(), blocks.message_debug()]
        flowgraph.connect(source, unpack, blocks.null_sink(n * block * width))
        for block, debug in zip((source, unpack), debugs):
            flowgraph.msg_connect(block, "losses", debug, "store")
        flowgraph.run()
        return source.losses(), unpack.losses(), [losses_of(d) for d in debugs]

    def test_saturated_samples(self):
        n = 3 * 1000 + 17  # the last block is short
        for form, kind, offset, rail in (
                ("i8", np.int8, 0, 127), ("u8", np.uint8, 128, 127), ("ci8", np.int8, 0, 127),
                ("cu8_128", np.uint8, 128, 127), ("i16", np.int16, 0, 32767),
                ("u16", np.uint16, 32768, 32767), ("ci16", np.int16, 0, 32767)):
            with self.subTest(form):
                parts = 2 if form[0] == "c" else 1
                x = self.rng.integers(-rail, rail + 1, (n, 3, parts))
                # Rails of two kinds of converters, and the numbers beside them.
                near = self.rng.integers(0, n, (6, 400))
                for k, value in enumerate((rail, -rail, -rail - 1, rail - 1, 1 - rail)):
                    x[near[k], self.rng.integers(0, 3, 400), -1] = value
                x[:, 2] = 0
                (x + offset).astype(kind).tofile(self.path("x"))
                _, losses, (_, messages) = self.counted(self.path("x"), form, 1000, 3)
                want = (np.abs(x) >= rail).any(axis=2).sum(axis=0).tolist()
                self.assertGreater(want[0], 200)
                self.assertEqual(losses, {"saturated": want})
                self.assertEqual(messages[-1], {"samples": n, "saturated": want})

    def test_few_bits(self):
        # 4 bits have a rail; the outer levels of 2 are meant for a third of the samples.
        for bits in (2, 4, 8):
            codes = self.rng.integers(0, 1 << bits, (2, 3200, 1))
            vdif_file(self.path("v"), codes, np.ones((2, 3200 * bits // 512), int), bits, False,
                      512 // bits * 250, 64)
            _, losses, _ = self.counted(self.path("v"), "vdif", 640)
            half = 1 << (bits - 1)
            want = (np.abs(codes[..., 0] - half) >= half - 1).sum(axis=1) * (bits > 2)
            self.assertEqual(losses, {"saturated": want.tolist()})

    def test_mwa_bits(self):
        for form, kind, width in (("mwa16", "<u2", 5), ("mwa8", np.uint8, 4)):
            codes = self.rng.integers(0, 1 << width, (2000, 2, 2))
            (codes[..., 0] | codes[..., 1] << width).astype(kind).tofile(self.path("m"))
            _, losses, _ = self.counted(self.path("m"), form, 500, 2)
            half = 1 << (width - 1)
            values = (codes ^ half) - half + (0.5 if width == 4 else 0)
            want = (np.abs(values) >= (7.5 if width == 4 else 15)).any(axis=2).sum(axis=0)
            self.assertEqual(losses, {"saturated": want.tolist()})

    def test_floats_have_none(self):
        np.full((100, 2), 1e6, np.float32).tofile(self.path("f"))
        _, losses, _ = self.counted(self.path("f"), "f32", 10, 2)
        self.assertEqual(losses, {"saturated": [0, 0]})

    def test_the_source_tells_each_cause_of_each_stream(self):
        per_frame, frames = 64, 500
        codes = self.rng.integers(0, 256, (3, per_frame * frames, 1))
        there = self.rng.choice([1, 0, -1], (3, frames), p=[0.6, 0.3, 0.1])
        there[:, [0, -1]] = 1
        there[0] = 1
        vdif_file(self.path("v"), codes, there, 8, False, per_frame * 250, 64)
        losses, saturated, (of_source, of_unpack) = self.counted(self.path("v"), "vdif", 640)
        want = {"missing": ((there == 0).sum(axis=1) * per_frame).tolist(),
                "invalid": ((there < 0).sum(axis=1) * per_frame).tolist()}
        self.assertEqual(losses, want)
        self.assertEqual(of_source[-1], {"samples": per_frame * frames, **want})
        # What is lost is not saturated too.
        valid = np.repeat(there == 1, per_frame, axis=1)
        at_rail = (np.abs(codes[..., 0] - 128) >= 127) & valid
        self.assertEqual(saturated, {"saturated": at_rail.sum(axis=1).tolist()})
        self.assertEqual(of_unpack[-1]["saturated"], saturated["saturated"])
        # Once a second at most.
        self.assertLessEqual(len(of_source), 3)

    def test_all_causes_at_once_bias_nothing(self):
        # Saturated samples are used, missing and invalid ones are not; a dump is lost whole.
        channels, per_frame, frames, dump = 16, 64, 1500, 50
        rate = per_frame * 250
        common = self.rng.standard_normal(per_frame * frames)
        x = 45 * (common + self.rng.standard_normal((2, per_frame * frames)))
        codes = (np.clip(np.rint(x), -127, 127) + 128).astype(int)[..., None]
        voltages = codes[..., 0] - 128.0
        strength = np.mean(voltages[0] * voltages[1])
        for lost in (0, 0.1, 0.5, 0.9):
            with self.subTest(lost):
                there = self.rng.choice([1, 0, -1], (2, frames),
                                        p=[1 - lost, 0.7 * lost, 0.3 * lost])
                there[:, [0, -1]] = 1
                there[1, dump // 2 - 2:dump + 2] = -1  # a frame is two spectra
                vdif_file(self.path("v"), codes, there, 8, False, rate, 64)
                dumps = dumps_of([self.path("v")], "vdif", channels, 2, 40, dump,
                                 complex_samples=False)
                valid = np.repeat(there == 1, per_frame, axis=1)
                losses = dumps.source.losses()
                self.assertEqual(losses["missing"],
                                 ((there == 0).sum(axis=1) * per_frame).tolist())
                self.assertEqual(losses["invalid"],
                                 ((there < 0).sum(axis=1) * per_frame).tolist())
                # Times, weights and values, each by numpy, and nothing that is not a number.
                qa_recorders.qa_recorders.check_dumps(
                    self, dumps, voltages, valid, channels, 2, dump, rate, 1782864000)
                self.assertFalse(dumps.weights[1, :, 1:].any())
                self.assertFalse(dumps.visibilities[1, :, 1:].any())
                # The signal that both inputs have comes out as strong, however much is lost.
                seen = dumps.weights[:, :, 1].sum()
                mean = (dumps.visibilities * dumps.weights)[:, :, 1].real.sum() / seen
                self.assertAlmostEqual(mean / strength, 1, delta=4 * np.sqrt(5 / seen))

    def test_power_in_front_of_the_requantizer_leaves_lost_samples_out(self):
        x = np.full((4000, 16), 3 - 2j)
        there = np.ones(4000, bool)
        there[100:3100] = False
        mwa32t_file(self.path("a"), x, there, 7)
        np.testing.assert_allclose(fringe.recording_power(self.path("a"), "mwa32t", 16, 0), 13)


class qa_totals(in_a_folder):

    def test_sentences(self):
        text = sentences({"missing": [10, 10], "invalid": [0, 0], "saturated": [3, 0],
                          "clipped": [5, 6]}, 1000)
        self.assertEqual([line.split(":")[0] for line in text],
                         ["20 samples (1 %) missing in the recording",
                          "3 samples (0.15 %) saturated, at the limit of the format",
                          "11 values clipped by the requantizer"])
        self.assertIn("(the same on every input)", text[0])
        self.assertIn("(input 0: 3)", text[1])
        self.assertIn("(input 1: 6, input 0: 5)", text[2])
        radar = sentences({"blanked": [7, 7], "saturated": [3, 0]}, 1000)
        self.assertEqual(radar[1], "3 samples (0.15 %) saturated, at the limit of the format: they "
                         "were used, but for those in pulses (input 0: 3)")
        many = sentences({"missing": list(range(20))}, 100)
        self.assertIn("(input 19: 19, input 18: 18", many[0])
        self.assertIn("11 more with fewer", many[0])

    def test_the_command_prints_them(self):
        x = self.rng.integers(-15, 15, (4000, 16)) + 1j
        x[:50, 3] = 15
        there = np.ones(4000, bool)
        there[100:300] = False
        mwa32t_file(self.path("rx.mwa32t"), x, there, 7)
        words = ["correlate", "rx.mwa32t", "--format", "mwa32t", "--sample-rate", "1e6",
                 "--channels", "16", "--spectra", "50"]
        done = command(*words, "-o", "x.ACC", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertIn("3200 samples lost", lines[1])
        self.assertRegex(lines[2], r"^3200 samples \(5 %\) missing .*\(the same on every input\)$")
        at_rail = (np.abs(x.real) >= 15) & there[:, None]
        self.assertRegex(lines[3], rf"^{at_rail.sum()} samples \(\S+ %\) saturated")
        self.assertIn(f"3: {at_rail[:, 3].sum()}", lines[3])
        self.assertEqual(len(lines), 4)
        done = command(*words, "-o", "y.ACC", "--requantize", "4", cwd=self.folder)
        self.assertRegex(done.stdout.splitlines()[4], r"^\d+ values clipped by the requantizer")


class spoiled(gr.sync_block):
    """Passes items on; one carries a tag with a value that is none."""

    def __init__(self, size, item, key):
        gr.sync_block.__init__(self, "spoiled", [(np.uint8, size)], [(np.uint8, size)])
        self.item, self.key = item, pmt.intern(key)

    def work(self, input_items, output_items):
        count = len(output_items[0])
        output_items[0][:] = input_items[0][:count]
        if self.nitems_written(0) <= self.item < self.nitems_written(0) + count:
            self.add_item_tag(0, self.item, self.key, pmt.intern("many"))
        return count


class qa_failing_stages(in_a_folder):

    def run_spoiled(self, place, key, name="x"):
        """A chain in which stage number `place` throws half-way; the sinks of two files."""
        channels, spectra, n = 16, 8, 2
        block = channels * spectra
        self.rng.integers(-99, 99, 2 * n * block * 200).astype(np.int8).tofile(self.path("raw"))
        obs = fringe.observation.example(n)
        obs.sample_rate = 1e6
        stages = [fringe.file_source([self.path("raw")], "ci8", n, block, 1e6),
                  fringe.unpack("ci8", n, block),
                  fringe.channelizer(n, channels, spectra, True, "i8"),
                  fringe.xengine(n, channels, spectra, "f32", 16, 0, 16),
                  fringe.integrator(n, channels, "f32", 0, 16)]
        sizes = [2 * n * block, 2 * n * block, 8 * n * block, 8 * 3 * channels, 8 * 3 * channels]
        flowgraph = gr.top_block()
        self.sinks = [fringe.visibility_sink(obs, self.path(name), channels)
                      for name in (f"{name}.ACC", f"{name}2.ACC")]
        self.keep = stages + [flowgraph]
        if place < len(stages):
            bad = spoiled(sizes[place - 1], 100 if place < 4 else 50, key)
            stages.insert(place, bad)
        flowgraph.connect(*stages)
        for k, sink in enumerate(self.sinks):
            if place == 5 and k == 0:
                bad = spoiled(sizes[4], 50, key)
                self.keep.append(bad)
                flowgraph.connect(stages[-1], bad, (sink, 0))
            else:
                flowgraph.connect(stages[-1], (sink, 0))
            flowgraph.connect((stages[-1], 1), (sink, 1))
        flowgraph.run()

    def test_the_file_keeps_its_partial_name(self):
        for place, key, name in ((1, "samples", "unpack"), (2, "samples", "channelizer"),
                                 (3, "spectra", "xengine"), (4, "spectra", "integrator")):
            with self.subTest(name):
                self.run_spoiled(place, key, name)
                for sink in self.sinks:
                    self.assertIn(f"the data ended early: fringe_{name} failed", sink.error())
                    self.assertIn(".partial.ACC", sink.path())
                    # What came before the failure was written.
                    self.assertGreater(sink.dumps(), 0)
                    self.assertLess(sink.dumps(), 99)
                self.assertFalse(os.path.exists(self.path(f"{name}.ACC")))

    def test_a_sink_that_fails_spoils_no_other(self):
        self.run_spoiled(5, "interval")
        failed, other = self.sinks
        self.assertIn("fringe_visibility_sink failed", failed.error())
        self.assertEqual(failed.path(), self.path("x.partial.ACC"))
        self.assertEqual((other.error(), other.path()), ("", self.path("x2.ACC")))
        self.assertGreater(other.dumps(), failed.dumps())

    def test_a_whole_run(self):
        self.run_spoiled(6, "")
        for sink in self.sinks:
            self.assertEqual((sink.error(), sink.dumps()), ("", 100))

    def test_the_command_fails(self):
        np.zeros(2 * 64 * 4096 * 40, np.int8).tofile(self.path("raw"))
        script = f"""
import sys
from gnuradio import fringe
from gnuradio.fringe.runs import flowgraph as module
original = module.correlator.__init__
sys.path.insert(0, {os.path.dirname(os.path.realpath(__file__))!r})
import qa_losses
def spoil(self, *words, **more):
    original(self, *words, cores_read=False, **more)
    size = self.source.output_signature().sizeof_stream_item(0)
    self.bad = qa_losses.spoiled(size, 3, "samples")
    self.disconnect(self.source, self.correlator)
    self.connect(self.source, self.bad, self.correlator)
module.correlator.__init__ = spoil
from gnuradio.fringe import cli
sys.exit(cli.main(["correlate", "raw", "--format", "ci8", "--inputs", "64", "--sample-rate", "1e6",
                   "--channels", "16", "--spectra", "8", "--backend", "cpu", "-o", "x.ACC",
                   "--quiet"]))
"""
        done = subprocess.run([sys.executable, "-c", script], cwd=self.folder, text=True,
                              capture_output=True, timeout=TIMEOUT, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr,
                         r"\Afringe correlate: the data ended early: "
                         r"fringe_(fx_engine|unpack) failed: "
                         r"[^\n]*; the first (dump is|\d+ dumps are) in x\.partial\.ACC\n\Z")
        self.assertFalse(os.path.exists(self.path("x.ACC")))


LIVE = """
import sys, time
import numpy as np
from gnuradio import blocks, fringe, gr
class pausing(gr.sync_block):
    def __init__(self):
        gr.sync_block.__init__(self, "pausing", None, [(np.uint8, 4000)])
        self.began = time.monotonic()
    def work(self, input_items, output_items):
        t = time.monotonic() - self.began
        if 1 < t < 6.9 or self.nitems_written(0) > 100 * t:
            time.sleep(0.02)
            return 0
        if t > 7.5:
            return -1
        output_items[0][:1] = 0
        return 1
top, source = gr.top_block(), pausing()
unpack = fringe.unpack("ci8", 2, 1000, backend="cpu")
top.connect(source, unpack, blocks.null_sink(4000))
top.run()
"""


class qa_log(unittest.TestCase):

    def printed(self, script):
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                              timeout=TIMEOUT, check=True)
        return [line.split(" :")[1] for line in (done.stdout + done.stderr).splitlines()
                if line.startswith("fringe_")]

    def test_unpack_says_when_data_come_stop_and_come_again(self):
        first, silent, again, end = self.printed(LIVE)
        self.assertIn("first data: 2 inputs", first)
        self.assertRegex(silent, r"warning: no data for 5 s; until then \S+ kS/s")
        self.assertIn("data again", again)
        self.assertRegex(end, r"end: \d+ samples of every input came")

    def test_a_source_that_says_it_is_not_repeated(self):
        script = """
import socket, time
import numpy as np
from gnuradio import blocks, fringe, gr
source = fringe.tcp_source(["127.0.0.1:0"], 1000, 1e6)
unpack = fringe.unpack("mwa16", 16, 1000)
top = gr.top_block()
top.connect(source, unpack, blocks.null_sink(32000))
top.start()
one = socket.create_connection(("127.0.0.1", source.ports()[0]))
while source.connected() == 0:
    time.sleep(0.01)
words = np.zeros((5000, 17), "<u2")
words[:, 0] = np.arange(5000)
one.sendall(words.tobytes())
one.close()
top.wait()
"""
        text = self.printed(script)
        for words in ("first data: 1 receivers in step at 1 MS/s", "end: 5000 samples"):
            self.assertEqual(sum(words in line for line in text), 1, text)
        self.assertEqual(sum("first data" in line for line in text), 1)
        self.assertEqual(sum("end: " in line for line in text), 1)


if __name__ == "__main__":
    unittest.main()
