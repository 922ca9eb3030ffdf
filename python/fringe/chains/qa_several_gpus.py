#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""One correlator on several GPUs: the same dumps as on one, whichever GPU is late.

With FRINGE_STAND_IN (as the build's tests are run) on three stand-ins whose work takes random
times, each of which fails when it is given the memory of another, but for copies between them.
Without it on the GPUs of this machine; FRINGE_CUDA_COPIES=3 lists one three times, each with
streams of its own.
"""
import os
import re
import time
import unittest

from qa_stand_in import STAND_IN, use_stand_in

use_stand_in(3)

import numpy as np  # noqa: E402
import pmt  # noqa: E402
from gnuradio import blocks, fringe, gr  # noqa: E402
from qa_cli import command  # noqa: E402
from qa_scratch import TIMEOUT, rx_time, scratch_case, tag, times_tried  # noqa: E402

try:
    import h5py
except ImportError:
    h5py = None

FOUND, WHY = fringe.find_devices()
COUNT = len([device for device in FOUND if not device.refused])
RATE = 1e6
START = 1767225600
# Which GPUs share the work: two, three of unequal parts, one twice, in another order.
SHARES = ((0, 1), (0, 1, 2), (1, 1), (2, 0))


class endless(gr.sync_block):
    """The same item again and again, with its time on the first of every run."""

    def __init__(self, raw, samples):
        gr.sync_block.__init__(self, "endless", None, [(np.uint8, (raw.size,))])
        self.raw, self.samples, self.count, self.fresh = raw, samples, 0, True

    def start(self):
        self.fresh = True
        return True

    def work(self, _, output_items):
        if self.fresh:
            at = START + self.count * self.samples / RATE
            self.add_item_tag(0, self.nitems_written(0), pmt.intern("rx_time"), pmt.make_tuple(
                pmt.from_uint64(int(at)), pmt.from_double(at % 1)))
            self.add_item_tag(0, self.nitems_written(0), pmt.intern("rx_rate"),
                              pmt.from_double(RATE))
            self.fresh = False
        output_items[0][:] = self.raw
        self.count += len(output_items[0])
        return len(output_items[0])


class recording:
    """Raw items of noise, and what is wrong with them."""

    def __init__(self, rng, inputs, channels, block, items, bits=8):
        self.inputs, self.channels, self.block = inputs, channels, block
        self.item = 2 * inputs * channels * block
        self.raw = rng.integers(-60, 61, items * self.item, np.int8).view(np.uint8)
        self.tags = [rx_time(0, START), tag(0, "rx_rate", pmt.from_double(RATE)),
                     tag(0, "rx_freq", pmt.from_double(1.4e9))]
        self.samples = channels * block

    def lose(self, rng, items):
        """A gap, and samples that must not be used."""
        at = int(rng.integers(2, items - 2))
        lost = at * self.samples + int(rng.integers(1, 5 * self.samples))
        self.tags.append(rx_time(at, START + int(lost // RATE), lost % RATE / RATE))
        for n in rng.choice(items, 3, False):
            first = int(rng.integers(0, self.samples - 1))
            self.tags.append(tag(int(n), "invalid", pmt.init_u64vector(3, [
                int(rng.integers(self.inputs)), first,
                int(rng.integers(1, self.samples - first))])))
        self.tags.append(tag(items - 1, "samples", pmt.from_uint64(
            int(rng.integers(1, self.samples)))))

    def correlated(self, box):
        """Visibilities, weights, and the tags of the dumps."""
        top = gr.top_block(catch_exceptions=False)
        source = blocks.vector_source_b(self.raw.tolist(), False, self.item, self.tags)
        values = box.output_signature().sizeof_stream_item(0) // gr.sizeof_gr_complex
        sinks = blocks.vector_sink_c(values), blocks.vector_sink_f(values)
        top.connect(source, box)
        for port, sink in enumerate(sinks):
            top.connect((box, port), sink)
        top.run()
        why = fringe.failure(sinks[0])
        if why:
            raise RuntimeError(why)
        tags = [(t.offset, pmt.symbol_to_string(t.key), pmt.write_string(t.value))
                for t in sinks[0].tags() if pmt.symbol_to_string(t.key) != "stream"]
        return np.array(sinks[0].data()), np.array(sinks[1].data()), sorted(tags)


@unittest.skipUnless(COUNT > 2, f"not three GPUs here: {WHY}")
class qa_several_gpus(scratch_case):

    def same(self, got, expected, exact=True):
        """The same bits; not exact: up to the rounding of float32 sums in another order."""
        self.assertGreater(len(expected[0]), 0)
        self.assertEqual(len(got[0]), len(expected[0]))
        self.assertEqual(got[2], expected[2])
        np.testing.assert_array_equal(got[1], expected[1])
        if exact:
            np.testing.assert_array_equal(got[0], expected[0])
        else:
            np.testing.assert_allclose(got[0], expected[0], rtol=0,
                                       atol=1e-5 * np.abs(expected[0]).max())

    def compare(self, heard, split, shares=SHARES, **more):
        """The same recording on one GPU and on several."""
        def box(**where):
            return fringe.fx_correlator(
                heard.inputs, heard.channels, "ci8", block_spectra=heard.block, **where, **more)
        single = box(backend="cuda:0")
        expected = heard.correlated(single)
        for devices in shares:
            with self.subTest(devices=devices, split=split, inputs=heard.inputs,
                              channels=heard.channels, block=heard.block, **more):
                several = box(devices=list(devices), split=split)
                self.assertEqual(several.split, split)
                exact = split == "channels" or more["requantize"] != "none"
                got = heard.correlated(several)
                self.same(got, expected, exact)
                if not exact:  # in a fixed order
                    again = heard.correlated(box(devices=list(devices), split=split))
                    np.testing.assert_array_equal(again[0], got[0])
                self.assertEqual(several.losses(), single.losses())
                self.assertEqual(list(several.saturated()), list(single.saturated()))
                self.assertEqual(several.dumps(), single.dumps())
                self.assertEqual(several.spectra_lost(), single.spectra_lost())
                if single.flagger:
                    self.assertEqual(several.flagger.cells(), single.flagger.cells())
                    self.assertEqual(several.flagger.flagged(), single.flagger.flagged())
                    self.assertGreater(sum(single.flagger.cells()["any"]), 0)

    def sizes(self):
        """Inputs, channels and spectra of a block, at random; at least three of each."""
        return (int(self.rng.integers(3, 34)), int(self.rng.integers(3, 40)),
                int(self.rng.integers(4, 40)))

    def test_channels_of_random_sizes(self):
        for requantize in ("8", "4", "none"):
            heard = recording(self.rng, *self.sizes(), 9)
            heard.lose(self.rng, 9)
            dump = int(self.rng.integers(5, 4 * heard.block))
            self.compare(heard, "channels", spectra=dump, seconds=0, requantize=requantize,
                         gains=list(self.rng.uniform(0.1, 1, heard.inputs)),
                         taps=int(self.rng.integers(1, 5)))

    def test_blocks_in_turn_of_random_sizes(self):
        for requantize in ("8", "4", "none"):
            items = int(self.rng.integers(5, 12))
            heard = recording(self.rng, *self.sizes(), items)
            heard.lose(self.rng, items)
            dump = int(self.rng.integers(5, 4 * heard.block))
            self.compare(heard, "time", spectra=dump, seconds=0, requantize=requantize,
                         gains=list(self.rng.uniform(0.1, 1, heard.inputs)),
                         taps=int(self.rng.integers(1, 5)))

    def test_filters_longer_than_blocks_in_turn(self):
        for requantize, taps, block in (("8", 9, 4), ("none", 32, 5), ("8", 5, 4), ("4", 8, 7)):
            heard = recording(self.rng, 3, 8, block, 31)
            heard.lose(self.rng, 31)
            self.compare(heard, "time", spectra=int(self.rng.integers(3, 50)), seconds=0,
                         requantize=requantize, taps=taps)

    def test_formats_in_turn(self):
        """Of a block of another GPU only the end is copied, wherever that lies."""
        inputs, channels, block, items = 4, 8, 16, 9
        for format, files in (("ci8", 2), ("cu8", 4), ("ci16", 1), ("i8", 2), ("cf32", 1),
                              ("mwa8", 1), ("mwa16", 1), ("tart", 1)):
            with self.subTest(format=format, files=files):
                size = fringe.item_sizes.raw_bytes(format, inputs, channels, block)
                raw = self.rng.integers(0, 64, items * size, np.uint8)
                if format == "cf32":
                    raw = self.rng.normal(0, 9, items * size // 4).astype(np.float32).view(np.uint8)
                heard = recording(self.rng, inputs, channels, block, 1)
                heard.raw, heard.item = raw, size

                def box(**where):
                    return fringe.fx_correlator(inputs, channels, format, 0, 40, files=files,
                                                block_spectra=block, requantize="8",
                                                gains=[0.3], **where)
                single, several = box(backend="cuda:0"), box(devices=[0, 2, 1], split="time")
                self.same(heard.correlated(several), heard.correlated(single))
                self.assertEqual(several.losses(), single.losses())
                self.assertEqual(list(several.saturated()), list(single.saturated()))

    def test_dumps_of_several_items(self):
        heard = recording(self.rng, 17, 24, 16, 9)
        for per_item in (1, 2, 8, 24):
            for split in ("channels", "time"):
                self.compare(heard, split, ((0, 1, 2), (1, 0)), spectra=40, seconds=0,
                             requantize="8", channels_per_item=per_item)

    def test_tracking_and_corrections(self):
        inputs, channels, block = 5, 12, 32
        obs = fringe.observation.example(inputs, 3e4)
        obs.sample_rate, obs.center_frequency = RATE, 1.4e9
        for requantize in ("8", "none"):
            heard = recording(self.rng, inputs, channels, block, 12)
            heard.lose(self.rng, 12)
            factors = np.exp(1j * self.rng.uniform(0, 6, inputs * channels))
            for split in ("channels", "time"):
                self.compare(heard, split, ((0, 1), (2, 1, 0)), seconds=1e-3,
                             requantize=requantize, corrections=factors.tolist(),
                             tracking=fringe.tracking(obs),
                             conjugate=[bool(n % 2) for n in range(inputs)])

    def test_means_taken_out(self):
        heard = recording(self.rng, 5, 12, 32, 9)
        self.compare(heard, "channels", ((0, 1), (2, 1, 0)), spectra=50, seconds=0,
                     requantize="8", remove_mean=True)

    def test_flags(self):
        for requantize in ("8", "none"):
            inputs, channels, block = self.sizes()
            heard = recording(self.rng, inputs, channels, block, 30)
            samples = 30 * heard.samples
            tone = (50 * np.exp(2j * np.pi / channels * np.arange(samples))).view(float)
            carried = heard.raw.view(np.int8).reshape(samples, inputs, 2)[:, 1]
            carried[:] = carried // 4 + tone.round().reshape(samples, 2)
            heard.lose(self.rng, 30)
            self.compare(heard, "channels", ((0, 1), (0, 2, 1)), spectra=100, seconds=0,
                         requantize=requantize,
                         flag=dict(window=max(16, 2 * block), mask=[1], false_alarm=1e-3))

    def test_parts_of_inputs(self):
        for words, more in (
                ("part: 2 inputs from input 1 on: must be some of the 2 inputs", dict(part=(1, 2))),
                ("gains has 3 values; it must have 2", dict(part=(1, 1), gains=[1, 2, 3],
                                                           requantize="8")),
                ("corrections has 3 values", dict(part=(1, 1), corrections=[1, 2, 3]))):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                fringe.channelizer(2, 8, 4, **more)
        with self.assertRaisesRegex(ValueError, "inputs: 1 parts: must be one for each of the 2"):
            fringe.corner_turn([4], [4, 4], 8, "i8", ["cuda:0", "cuda:1"])
        with self.assertRaisesRegex(ValueError, "channels: an empty part"):
            fringe.corner_turn([4, 4], [8, 0], 8, "i8", ["cuda:0", "cuda:1"])
        with self.assertRaisesRegex(ValueError, "channels_per_item: 3: must divide the 8"):
            fringe.dump_join(2, [4, 4], 3)

    def test_words(self):
        def box(inputs=4, channels=8, **more):
            return fringe.fx_correlator(inputs, channels, "ci8", seconds=0, spectra=10, **more)
        for words, more in (
                ("devices: \\[0, 1\\]: goes instead of backend, which is cpu",
                 dict(devices=[0, 1], backend="cpu")),
                ("devices: 'both': must be \"all\", or a list", dict(devices="both")),
                ("devices: \\[\\]: must be \"all\", or a list", dict(devices=[])),
                ("devices: cpu: must be GPUs", dict(devices=["cpu", 0])),
                (f"'cuda:{len(FOUND)}': this machine has {len(FOUND)} GPUs",
                 dict(devices=[0, len(FOUND)])),
                ("split: 'inputs': must be auto, channels or time",
                 dict(devices=[0, 1], split="inputs")),
                ("devices: \\[0, 1\\]: pulses are blanked on one GPU",
                 dict(devices=[0, 1], pulses=True)),
                ("devices: 3 GPUs for 2 inputs: name 2 at the most",
                 dict(devices=[0, 1, 2], inputs=2, split="channels")),
                ("devices: 3 GPUs for 2 channels: name 2 at the most",
                 dict(devices=[0, 1, 2], channels=2, split="channels"))):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                box(**more)
        every = box(devices="all", split="channels")
        self.assertEqual(every.gpus, [f"cuda:{n}" for n in range(len(FOUND))])
        self.assertEqual(box(devices=[1]).backend, "cuda:1")
        self.assertIsNone(box(devices=[1]).split)
        with self.assertRaisesRegex(ValueError, "share the work, and dumps keep the length"):
            every.set_integration(spectra=20)

    def test_what_auto_chooses(self):
        def box(inputs, channels, spectra, **more):
            return fringe.fx_correlator(inputs, channels, "ci8", seconds=0, spectra=spectra,
                                        devices=[0, 1], requantize="8", **more)
        many = box(17, 4, 10)  # sums as long as the data
        self.assertEqual(many.split, "channels")
        self.assertIn("inputs in parts of 16, 1, channels in parts of 2, 2", many.split_why)
        few = box(8, 4, 10000)
        self.assertEqual(few.split, "time")
        self.assertIn("each takes every second block", few.split_why)
        self.assertRegex(few.split_why, "MB of sums through the host, or .* from GPU to GPU")
        for more, why in ((dict(flag=True), "search for interference"),
                          (dict(remove_mean=True), "running mean")):
            searched = box(8, 4, 10000, **more)
            self.assertEqual(searched.split, "channels")
            self.assertIn(f"the {why} must see all blocks in their order", searched.split_why)
            with self.assertRaisesRegex(ValueError, f"split: time: the {why} must see all blocks"):
                box(8, 4, 10000, split="time", **more)
        self.assertEqual(box(128, 2, 100000).split, "channels")

    def test_changes_while_it_runs(self):
        """Runs one after the other: what was on its way is lost, and all others are as ever."""
        for split in ("channels", "time"):
            with self.subTest(split):
                self.change(split)

    def change(self, split):
        inputs, channels, block = 5, 12, 32
        heard = recording(self.rng, inputs, channels, block, 1)
        top = gr.top_block(catch_exceptions=False)
        source = endless(heard.raw, heard.samples)
        box = fringe.fx_correlator(inputs, channels, "ci8", 0, 2 * block, block_spectra=block,
                                   requantize="8", taps=1, devices=[0, 1, 2], split=split)
        values = box.output_signature().sizeof_stream_item(0) // gr.sizeof_gr_complex
        sink = blocks.vector_sink_c(values)
        top.connect(source, box, sink)
        top.connect((box, 1), blocks.null_sink(values * gr.sizeof_float))
        for _ in range(5):
            before = len(sink.data())
            top.start()
            deadline = time.monotonic() + TIMEOUT
            while len(sink.data()) <= before + 2 * values and not fringe.failure(sink):
                self.assertLess(time.monotonic(), deadline, "no more dumps came")
                time.sleep(0.01)
            top.stop()
            top.wait()
            self.assertEqual(fringe.failure(sink), "")
        # Every block is the same, and so are the means over any of them; the channels of a GPU
        # may have none.
        dumps = np.array(sink.data()).reshape(-1, channels, values // channels)
        right = dumps[np.all(np.any(dumps != 0, axis=2), axis=1)]
        self.assertGreater(len(right), 0)
        wrong = np.abs(dumps - right[0]).max(axis=2) > 1e-5 * np.abs(right[0]).max()
        np.testing.assert_array_equal(dumps[wrong], 0)

    def test_one_chain_for_each_gpu(self):
        """Input that is split in channels already needs no corner turn: two chains, and dumps
        side by side."""
        inputs, channels, block = 5, 12, 16
        rng = self.rng
        values = rng.integers(-7, 8, (9, channels, inputs, block, 2)).astype(np.int8)

        def run(parts, gpus):
            top, sinks = gr.top_block(catch_exceptions=False), []
            first = 0
            for some, gpu in zip(parts, gpus):
                item = values[:, first:first + some]
                first += some
                source = blocks.vector_source_b(item.view(np.uint8).ravel().tolist(), False,
                                                item[0].size)
                box = fringe.spectra_correlator(inputs, some, 0, 40, block, backend=gpu)
                sinks.append(blocks.vector_sink_c(some * inputs * (inputs + 1) // 2))
                top.connect(source, box, sinks[-1])
                top.connect((box, 1), blocks.null_sink(
                    gr.sizeof_float * (some * inputs * (inputs + 1) // 2)))
            top.run()
            return [np.reshape(s.data(), (-1, n, inputs * (inputs + 1) // 2))
                    for s, n in zip(sinks, parts)]

        (whole,) = run([channels], ["cuda:0"])
        self.assertEqual(whole.shape[0], 4)
        joined = np.concatenate(run([7, 5], ["cuda:0", "cuda:1"]), axis=1)
        np.testing.assert_array_equal(joined, whole)


class part_of_dumps(gr.sync_block):
    """Dumps of some channels of one input: runs has the times of the dumps of every run, and a
    dump's values are its time and the numbers of its channels."""

    def __init__(self, first, channels, runs, kind):
        gr.sync_block.__init__(self, "part_of_dumps", None, [kind])
        self.channels, self.runs, self.run = range(first, first + channels), runs, -1
        self.sent = 0

    def start(self):
        self.run, self.sent = self.run + 1, 0
        return True

    def work(self, _, output_items):
        times = self.runs[self.run]
        if self.sent == len(times) * len(self.channels):
            return -1
        dump, channel = divmod(self.sent, len(self.channels))
        if channel == 0 and times[dump] is not None:
            self.add_item_tag(0, self.nitems_written(0), pmt.intern("rx_time"), pmt.make_tuple(
                pmt.from_uint64(START + times[dump]), pmt.from_double(0)))
        output_items[0][0] = 100 * (times[dump] or 0) + self.channels[channel]
        self.sent += 1
        return 1


class qa_dump_join(unittest.TestCase):
    """Parts of dumps that belong together; no GPU is needed."""

    def joined(self, runs, channels=(2, 3), per_item=1):
        """What comes out of all runs, visibilities and weights, and the last failure."""
        top = gr.top_block(catch_exceptions=False)
        join = fringe.dump_join(1, channels, per_item)
        sinks = blocks.vector_sink_c(per_item), blocks.vector_sink_f(per_item)
        first, parts = 0, []  # GNU Radio does not keep blocks written in Python
        for k, (some, times) in enumerate(zip(channels, runs)):
            for port, kind in ((k, np.complex64), (len(channels) + k, np.float32)):
                parts.append(part_of_dumps(first, some, times, kind))
                top.connect(parts[-1], (join, port))
            first += some
        for port, sink in enumerate(sinks):
            top.connect((join, port), sink)
        for _ in runs[0]:
            top.run()
        return (np.real(sinks[0].data()).astype(int).tolist(),
                np.array(sinks[1].data()).astype(int).tolist(), fringe.failure(sinks[0]))

    def test_items_of_all_sizes(self):
        for per_item, channels in ((1, (2, 3)), (5, (2, 3)), (2, (3, 5)), (4, (1, 1, 2))):
            with self.subTest(per_item=per_item, channels=channels):
                got, weights, why = self.joined([[[1, 2, 7]]] * len(channels), channels, per_item)
                self.assertEqual(why, "")
                self.assertEqual(got, [100 * t + c for t in (1, 2, 7)
                                       for c in range(sum(channels))])
                self.assertEqual(weights, got)

    def test_what_was_lost_when_the_flowgraph_was_changed(self):
        for first, second, whole in (
                ([3, 4, 5], [2, 3, 4, 5], [3, 4, 5]), ([2, 3, 4, 6], [3, 5, 6], [3, 6]),
                ([4], [2, 3, 4], [4]), ([2, 3, 5], [2, 4, 5], [2, 5])):
            with self.subTest(first=first, second=second):
                got, weights, why = self.joined([[[0, 1], first], [[0, 1], second]])
                self.assertEqual(why, "")
                self.assertEqual(got, [100 * t + c for t in [0, 1] + whole for c in range(5)])
                self.assertEqual(weights, got)

    def test_dumps_that_do_not_belong_together(self):
        got, _, why = self.joined([[[0, 1, 2]], [[0, 2, 2]]])
        self.assertEqual(got, list(range(5)))
        self.assertIn("the dumps of its parts are not of the same time", why)
        got, _, why = self.joined([[[None, None], [None]], [[None, None], [None]]])
        self.assertEqual(len(got), 10)
        self.assertIn("distinguished by their times, and the data have none", why)


@unittest.skipUnless(STAND_IN, "only a stand-in can be told to fail")
class qa_gpus_that_fail(scratch_case):
    """The command line on several GPUs of which one is lost, or that do not reach each other."""

    def setUp(self):
        super().setUp()
        raw = np.random.default_rng(1).integers(-60, 60, 2 * 4 * 16 * 6000, np.int8)
        raw.tofile(os.path.join(self.folder, "sky.ci8"))

    def fringe(self, *arguments, **variables):
        return command(*arguments, cwd=self.folder, variables={
            "FRINGE_STAND_IN_DELAY": "100",
            **{f"FRINGE_STAND_IN_{k.upper()}": str(v) for k, v in variables.items()}})

    def correlate(self, *more, **variables):
        return self.fringe(
            "correlate", "sky.ci8", "--format", "ci8", "--inputs", "4", "--sample-rate", "1e6",
            "--channels", "16", "--spectra", "500", "-o", "sky.ACC", "--overwrite", *more,
            **variables)

    def written(self):
        with open(os.path.join(self.folder, "sky.ACC"), "rb") as file:
            return file.read()

    def test_the_same_file(self):
        single = self.correlate("--backend", "cuda:0", "--requantize", "8")
        self.assertEqual(single.returncode, 0, single.stderr)
        expected = self.written()
        for devices, peers in (("0,1", 1), ("all", 1), ("2,1", 0), ("1", 1)):
            with self.subTest(devices=devices, peers=peers):
                for split in ("channels", "time"):
                    several = self.correlate("--devices", devices, "--split", split,
                                             "--requantize", "8", peers=peers)
                    self.assertEqual(several.returncode, 0, several.stderr)
                    self.assertEqual(self.written(), expected)
                    text = several.stdout + several.stderr
                    self.assertIn("GPU" if devices == "1" else "GPUs", text)
                    self.assertEqual(f"share the work by {split}" in text, devices != "1")

    @unittest.skipUnless(h5py, "no python3-h5py")
    def test_two_chains_and_one_file(self):
        """Coarse channels need no corner turn: a process for each GPU, and fringe join."""
        def joined(*gpus):
            halves = []
            for gpu, frequency in zip(gpus, ("100e6", "101e6")):
                halves.append(f"{frequency}.uvh5")
                made = self.fringe(
                    "correlate", "sky.ci8", "--format", "ci8", "--inputs", "4", "--sample-rate",
                    "1e6", "--channels", "16", "--spectra", "500", "--center-frequency", frequency,
                    "--start-time", "2026-01-01T00:00:00", "--requantize", "8", "-o", halves[-1],
                    "--overwrite", "--backend", gpu)
                self.assertEqual(made.returncode, 0, made.stderr)
            done = self.fringe("join", *halves, "-o", "sky.uvh5", "--overwrite")
            self.assertEqual(done.returncode, 0, done.stderr)
            with h5py.File(self.path("sky.uvh5")) as file:
                return file["Data/visdata"][:], file["Header/freq_array"][:]
        values, frequencies = joined("cuda:0", "cuda:1")
        self.assertEqual(frequencies.size, 32)
        np.testing.assert_array_equal(joined("cuda:0", "cuda:0")[0], values)

    def test_one_that_is_lost(self):
        # Each day all pairs of two of the three; all of them in the thorough pass.
        for way, more in enumerate((("--split", "time"), ("--split", "channels"),
                                    ("--flag", "spectra"))):
            for gpu in (0, 1, 2):
                for when in times_tried(((1, 9, 40)[(way + gpu) % 3],), (1, 9, 40)):
                    with self.subTest(gpu=gpu, when=when, more=more):
                        lost = self.correlate("--devices", "all", *more, **{f"lost_{gpu}": when})
                        self.assertEqual(lost.returncode, 1, lost.stdout + lost.stderr)
                        self.assertIn("the device is lost", lost.stderr)
                        self.assertNotIn("sky.ACC", os.listdir(self.folder))

    def test_unequal_gpus(self):
        for split in ("channels", "time"):
            small = self.correlate("--devices", "0,1", "--split", split, memory_1=1000)
            self.assertEqual(small.returncode, 1, small.stdout + small.stderr)
            self.assertIn("cuda:1 has 0.001 MB of memory left, and ", small.stderr)
            left_out = self.correlate("--devices", "all", "--split", split, refused_1="dust")
            self.assertEqual(left_out.returncode, 0, left_out.stderr)
        refused = self.correlate("--devices", "0,1", refused_1="dust")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("stand-in: dust", refused.stderr)

    def test_gpus_that_do_not_reach_each_other(self):
        auto = self.correlate("--devices", "0,1", peers=0)  # small sums
        self.assertEqual(auto.returncode, 0, auto.stdout + auto.stderr)
        for more, why in ((("--spectra", "3"), "sends large sums through it"),
                          (("--flag", "spectra"), "the search for interference must see all")):
            auto = self.correlate("--devices", "0,1", *more, peers=0)
            self.assertEqual(auto.returncode, 2, auto.stdout + auto.stderr)
            self.assertIn("--devices: cuda:0, cuda:1 do not reach each other's memory; --split "
                          "channels goes through the host", auto.stderr)
            self.assertIn(why, auto.stderr)
        asked = self.correlate("--devices", "0,1", "--split", "channels", peers=0)
        self.assertEqual(asked.returncode, 0, asked.stderr)

    def test_options_that_do_not_fit(self):
        for more, why in ((("--split", "time"), "--split: time: is for several GPUs"),
                          (("--devices", "0,1", "--split", "time", "--remove-mean"),
                           "--split: time: the running mean must see all blocks"),
                          (("--devices", "0,1,2", "--channels", "2", "--split", "channels"),
                           "--devices: 3 GPUs for 2 channels: name 2 at the most"),
                          (("--devices", "0,1", "--flag", "all"),
                           "--flag: all: pulses are blanked on one GPU or on a CPU, not on "
                           "--devices cuda:0,cuda:1; name one, or take --flag spectra or --flag "
                           "dumps"),
                          (("--devices", "0,1", "--backend", "cpu"), "--devices: [0, 1]: goes")):
            done = self.correlate(*more)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(f"fringe correlate: {why}", done.stderr)

    def test_no_gpu(self):
        for devices in ("all", "0,1"):
            none = self.correlate("--devices", devices, refused="dust")
            self.assertEqual(none.returncode, 2, none.stdout + none.stderr)
            self.assertTrue(re.search("dust", none.stderr), none.stderr)


if __name__ == "__main__":
    unittest.main()
