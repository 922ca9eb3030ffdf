#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Flowgraphs on a device: data that stay there, copies, ends, failures, changes while running.

Without FRINGE_STAND_IN these run on the GPU of this machine, if there is one. With it (as the
build's tests are run) on a stand-in whose memory is the host's and whose streams are threads that
sleep at random: results must not depend on who is late.
"""
import itertools
import os
import subprocess
import sys
import tempfile
import time
import unittest

from qa_stand_in import STAND_IN, use_stand_in

use_stand_in()

import numpy as np  # noqa: E402
import pmt  # noqa: E402
from gnuradio import blocks, fringe, gr  # noqa: E402
from gnuradio.fringe.operating.blocks import samples_of  # noqa: E402
from gnuradio.fringe.operating.operator import flowgraph_operator  # noqa: E402
from gnuradio.fringe.operating.table import table  # noqa: E402
from qa_cli import command  # noqa: E402
from qa_scratch import TIMEOUT, random_numbers, seed_of_tests  # noqa: E402

FOUND, WHY = fringe.find_devices()
needs_device = unittest.skipUnless(FOUND and not FOUND[0].refused, f"no device: {WHY}")
STAGES = ("unpack", "channelizer", "xengine", "integrator")
REFERENCE = "generic" if STAND_IN else "cpu"


def noise(items, size, seed=None):
    """Raw items of signed bytes."""
    seed = seed_of_tests() if seed is None else seed
    return np.random.default_rng(seed).integers(-60, 61, items * size, np.int8).view(np.uint8)


class chain:
    """raw items -> unpack -> channelizer (-> flagger) -> X-engine -> integrator -> vector_sinks."""

    def __init__(self, raw, inputs=3, channels=16, block=32, dump=50, requantize="8",
                 backends=("cuda",) * 4, repeat=False, flag=None, gain=1.0, sum_spectra=64):
        self.item = 2 * inputs * channels * block
        self.size = channels * inputs * (inputs + 1) // 2
        component = "f32" if requantize == "none" else "i8"
        on = dict(zip(STAGES, backends))
        self.flowgraph = gr.top_block(catch_exceptions=False)
        self.source = blocks.vector_source_b(raw.tolist(), repeat, self.item)
        self.unpack = fringe.unpack("ci8", inputs, channels * block, backend=on["unpack"])
        self.channelizer = fringe.channelizer(
            inputs, channels, block, True, "i8", 3, "hann", requantize, [gain],
            backend=on["channelizer"])
        self.xengine = fringe.xengine(inputs, channels, block, component, sum_spectra, 0, dump, 0,
                                      on["xengine"])
        self.integrator = fringe.integrator(inputs, channels, component, 0, dump, 0,
                                            on["integrator"])
        values = fringe.item_sizes.visibilities(inputs, channels)
        self.sink = blocks.vector_sink_c(values)
        self.weights = blocks.vector_sink_f(values)
        self.flagger = fringe.kurtosis_flagger(
            inputs, channels, block, component, **flag) if flag else None
        flagger = (self.flagger,) if flag else ()
        self.flowgraph.connect(self.source, self.unpack, self.channelizer, *flagger,
                               self.xengine, self.integrator, self.sink)
        self.flowgraph.connect((self.integrator, 1), self.weights)

    def run(self):
        self.flowgraph.run()
        return np.array(self.sink.data()), np.array(self.weights.data())


class qa_device(unittest.TestCase):
    """Everything around the kernels."""

    def same(self, got, expected):
        self.assertEqual(len(got[0]), len(expected[0]))
        self.assertGreater(len(got[0]), 0)
        if STAND_IN:  # the same kernels
            np.testing.assert_array_equal(got[0], expected[0])
        else:  # requantizing may round a value the other way, once in thousands
            scale = np.abs(expected[0]).max()
            np.testing.assert_allclose(got[0], expected[0], atol=2e-3 * scale, rtol=0)
        np.testing.assert_array_equal(got[1], expected[1])

    @needs_device
    def test_the_chain_on_the_device(self):
        for inputs, channels, block in ((3, 16, 32), (1, 5, 7), (2, 96, 33), (17, 8, 130)):
            with self.subTest(inputs=inputs, channels=channels, block=block):
                raw = noise(13, 2 * inputs * channels * block)
                sizes = dict(inputs=inputs, channels=channels, block=block)
                expected = chain(raw, backends=(REFERENCE,) * 4, **sizes).run()
                self.same(chain(raw, **sizes).run(), expected)

    @needs_device
    def test_every_mixture_of_host_and_device(self):
        raw = noise(9, 2 * 3 * 16 * 32)
        expected = chain(raw, backends=(REFERENCE,) * 4).run()
        for backends in itertools.product(("cuda", REFERENCE), repeat=4):
            with self.subTest(backends=backends):
                self.same(chain(raw, backends=backends).run(), expected)

    @needs_device
    def test_other_blocks_may_read_anywhere(self):
        raw = noise(12, 2 * 3 * 16 * 32)
        plain = chain(raw, backends=(REFERENCE,) * 4, requantize="none")
        tapped = chain(raw, requantize="none")
        sinks = []
        for run in (plain, tapped):
            taps = [blocks.vector_sink_b(run.item), blocks.vector_sink_b(run.item),
                    blocks.vector_sink_c(3 * 16 * 32)]
            for block, sink in zip((run.source, run.unpack, run.channelizer), taps):
                run.flowgraph.connect(block, sink)
            sinks.append(taps)
        expected = plain.run()
        got = tapped.run()
        self.assertEqual(len(got[0]), len(expected[0]))
        np.testing.assert_allclose(got[0], expected[0], rtol=0,
                                   atol=1e-5 * np.abs(expected[0]).max())
        self.assertEqual(sinks[0][0].data(), sinks[1][0].data())
        self.assertEqual(sinks[0][1].data(), sinks[1][1].data())
        # The last block of spectra is two short, and what is behind them is undefined.
        a, b = (np.array(taps[2].data()).reshape(-1, 48, 32)[:, :, :30] for taps in sinks)
        np.testing.assert_allclose(b, a, rtol=0, atol=1e-5 * np.abs(a).max())

    @needs_device
    def test_two_chains_on_one_source(self):
        raw = noise(11, 2 * 3 * 16 * 32)
        expected = chain(raw, backends=(REFERENCE,) * 4).run()
        first, other = chain(raw), chain(raw)
        first.flowgraph.connect(first.source, other.unpack, other.channelizer, other.xengine,
                                other.integrator, other.sink)
        first.flowgraph.connect((other.integrator, 1), other.weights)
        got = first.run()
        self.same(got, expected)
        self.same((np.array(other.sink.data()), np.array(other.weights.data())), expected)

    @needs_device
    def test_invalid_samples_and_saturation(self):
        inputs, channels, block = 3, 16, 32
        raw = noise(8, 2 * inputs * channels * block)
        raw.view(np.int8)[5::97] = 127
        got = []
        for backend in (REFERENCE, "cuda"):
            run = chain(raw, backends=(backend,) * 4)
            run.source = None
            tag = gr.tag_t()
            tag.offset, tag.key = 3, gr.pmt.intern("invalid")
            tag.value = gr.pmt.init_u64vector(6, [0, 100, 60, 2, 0, 512])
            source = blocks.vector_source_b(raw.tolist(), False, run.item, [tag])
            flowgraph = gr.top_block()
            flowgraph.connect(source, run.unpack, run.channelizer, run.xengine, run.integrator,
                              run.sink)
            flowgraph.connect((run.integrator, 1), run.weights)
            flowgraph.run()
            got.append((np.array(run.sink.data()), np.array(run.weights.data()),
                        run.unpack.losses(), list(run.channelizer.saturated())))
        self.same(got[1], got[0])
        self.assertLess(got[0][1].min(), 1)
        self.assertEqual(got[0][2], got[1][2])
        self.assertGreater(sum(got[0][2]["saturated"]), 10)
        if STAND_IN:
            self.assertEqual(got[0][3], got[1][3])

    @unittest.skipUnless(STAND_IN, "only a stand-in can be told to wait")
    def test_the_xengine_goes_on_while_a_dump_is_copied(self):
        """Up to the end of the next dump, with more items than all rings hold."""
        items, per_dump = 130, 60
        raw = noise(items, 2 * 3 * 16 * 32)
        sizes = dict(dump=32 * per_dump, sum_spectra=32 * per_dump)
        expected = chain(raw, backends=(REFERENCE,) * 4, **sizes).run()
        with tempfile.TemporaryDirectory() as folder:
            os.environ["FRINGE_STAND_IN_HOLD"] = os.path.join(folder, "go on")
            run = chain(raw, **sizes)
            run.flowgraph.start()
            try:
                deadline = time.monotonic() + TIMEOUT
                while run.xengine.nitems_read(0) < 2 * per_dump - 5:
                    self.assertLess(time.monotonic(), deadline, "the X-engine stands still")
                    time.sleep(0.01)
                self.assertEqual(len(run.sink.data()), 0)
            finally:
                open(os.environ.pop("FRINGE_STAND_IN_HOLD"), "w").close()
                run.flowgraph.wait()
        self.same((np.array(run.sink.data()), np.array(run.weights.data())), expected)

    @unittest.skipUnless(STAND_IN, "only a stand-in can be told to wait")
    def test_a_dump_that_is_being_copied_at_a_stop_is_sent_again(self):
        item, per_dump = 2 * 3 * 16 * 32, 40
        raw = np.tile(noise(1, item), 2)
        sizes = dict(dump=32 * per_dump, sum_spectra=32 * per_dump)
        first = chain(np.tile(raw, per_dump), backends=(REFERENCE,) * 4, **sizes).run()[0]
        with tempfile.TemporaryDirectory() as folder:
            os.environ["FRINGE_STAND_IN_HOLD"] = os.path.join(folder, "go on")
            run = chain(raw, repeat=True, **sizes)
            run.flowgraph.start()
            deadline = time.monotonic() + TIMEOUT
            try:
                while run.xengine.nitems_read(0) < per_dump + 10:
                    self.assertLess(time.monotonic(), deadline, "the X-engine stands still")
                    time.sleep(0.01)
                run.flowgraph.stop()
            finally:
                open(os.environ.pop("FRINGE_STAND_IN_HOLD"), "w").close()
                run.flowgraph.wait()
        run.flowgraph.start()
        while len(run.sink.data()) < 6 * run.size:
            self.assertLess(time.monotonic(), deadline, "no more dumps came")
            time.sleep(0.01)
        run.flowgraph.stop()
        run.flowgraph.wait()
        first = first[:run.size]
        dumps = np.array(run.sink.data()).reshape(-1, run.size)
        np.testing.assert_array_equal(dumps[0], first)
        np.testing.assert_allclose(dumps, np.broadcast_to(first, dumps.shape), rtol=0,
                                   atol=0.05 * np.abs(first).max())

    @needs_device
    def test_a_hundred_starts_and_stops(self):
        raw = noise(9, 2 * 3 * 16 * 32)
        first = chain(raw).run()
        run = chain(raw, repeat=True)
        for _ in range(100):
            run.flowgraph.start()
            time.sleep(0.002)
            run.flowgraph.stop()
            run.flowgraph.wait()
        self.assertTrue(np.all(np.isfinite(run.sink.data())))
        del run
        self.same(chain(raw).run(), first)

    @needs_device
    def test_changes_while_it_runs(self):
        item = 2 * 3 * 16 * 32
        raw = np.tile(noise(1, item), 2)
        run = chain(raw, repeat=True, dump=320)
        run.flowgraph.start()
        for _ in range(5):
            time.sleep(0.05)
            before = len(run.sink.data())
            tap = blocks.vector_sink_c(run.size)
            run.flowgraph.lock()
            run.flowgraph.connect((run.integrator, 0), tap)
            run.flowgraph.unlock()
            deadline = time.monotonic() + TIMEOUT
            while len(run.sink.data()) <= before + 2 * run.size or not tap.data():
                self.assertLess(time.monotonic(), deadline, "no more dumps came")
                time.sleep(0.01)
            run.flowgraph.lock()
            run.flowgraph.disconnect((run.integrator, 0), tap)
            run.flowgraph.unlock()
        run.flowgraph.stop()
        run.flowgraph.wait()
        # Every block is the same, so every dump after the first is. GNU Radio loses an item now
        # and then when it is locked, whatever the backend, and sends zeros in its place.
        dumps = np.array(run.sink.data()).reshape(-1, run.size)[1:-1]
        lost = np.all(dumps == 0, axis=1)
        self.assertLess(lost.mean(), 0.1)
        dumps = dumps[~lost]
        np.testing.assert_allclose(dumps, np.broadcast_to(dumps[0], dumps.shape), rtol=0,
                                   atol=0.05 * np.abs(dumps).max())

    @needs_device
    def test_its_memory_is_a_metric(self):
        correlator = fringe.fx_correlator(2, 16, "ci8", backend="cuda")
        found = {name: value for name, labels, value in samples_of(correlator)
                 if labels.get("gpu") == "0"}
        free, size = (found[f"fringe_gpu_memory_{which}_bytes"] for which in ("free", "size"))
        self.assertEqual(size, fringe.find_devices()[0][0].memory_bytes)
        self.assertTrue(0 < free < size, (free, size))

    @needs_device
    def test_times_of_kernels(self):
        """Of each block on the device, and of no other; together they fit into the time that the
        flowgraph ran, but for kernels of others that run in between. The table has them."""
        raw = noise(40, 2 * 17 * 64 * 64)
        run = chain(raw, 17, 64, 64, 500, repeat=True, flag={"backend": "cuda"})
        began = time.monotonic()
        run.flowgraph.start()
        try:
            deadline = began + TIMEOUT
            seconds, before = {}, {}
            while time.monotonic() < deadline:
                samples = flowgraph_operator(run.flowgraph).samples()
                took = {labels["block"].rstrip("0123456789"): value
                        for name, labels, value in samples
                        if name == "fringe_gpu_kernel_seconds_total"}
                if took and min(took.values()) > 0 and before:
                    seconds = took
                    break
                before = took
                time.sleep(0.02)
        finally:
            run.flowgraph.stop()
            run.flowgraph.wait()
        ran = time.monotonic() - began
        self.assertEqual(set(seconds), {f"fringe_{name}" for name in STAGES} | {
            "fringe_kurtosis_flagger"})
        for name, value in seconds.items():
            self.assertLess(value, ran, name)
        lines = "\n".join(table(samples))
        self.assertRegex(lines, r"time of kernels on the GPU +fringe_\w+ +[0-9.e-]+ s")

    @needs_device
    def test_flagging_on_the_device(self):
        # By mask and by carriers far above the noise: verdicts that rounding cannot change. 16
        # inputs and more are in tiles on a GPU.
        for inputs, channels, block, requantize in ((3, 16, 32, "8"), (17, 8, 130, "8"),
                                                    (16, 8, 128, "4"), (5, 16, 16, "none")):
            samples = 13 * channels * block
            raw = noise(13, 2 * inputs * channels * block)
            tone = (40 * np.exp(4j * np.pi / channels * np.arange(samples))).view(float)
            carried = raw.view(np.int8).reshape(samples, inputs, 2)[:, 1]
            carried[:] = carried // 4 + tone.round().reshape(samples, 2)
            # Where all is at the ends of 4 bits, what is found is a matter of chance.
            sizes = dict(inputs=inputs, channels=channels, block=block, requantize=requantize,
                         gain=1 / 16 if requantize == "4" else 1.0)
            flag = dict(window=3 * block, mask=[1, channels - 1], power=False, combined=False,
                        false_alarm=1e-6, bits=4 if requantize == "4" else 8)
            expected = chain(raw, backends=(REFERENCE,) * 4, **sizes,
                             flag=dict(flag, backend=REFERENCE))
            right = expected.run()
            self.assertEqual(right[1].min(), 0)
            self.assertGreater(sum(expected.flagger.cells()["sk low"]), 3)
            for backends in itertools.product(("cuda", REFERENCE), repeat=3):
                with self.subTest(backends=backends, **sizes):
                    run = chain(raw, backends=("cuda", *backends[:2], "cuda"), **sizes,
                                flag=dict(flag, backend=backends[2]))
                    self.same(run.run(), right)
                    self.assertEqual(run.flagger.cells(), expected.flagger.cells())
                    self.assertEqual(run.flagger.flagged(), expected.flagger.flagged())

    @needs_device
    def test_what_a_flagger_zeroes_stays_for_others(self):
        """Two flaggers leave out different channels of the same spectra."""
        sizes = dict(inputs=17, channels=8, block=130)
        raw = noise(11, 2 * 17 * 8 * 130)
        masks = random_numbers().permutation(8)[:2]
        flags = [dict(window=3 * 130, mask=[int(mask)], power=False, combined=False,
                      false_alarm=1e-6) for mask in masks]
        wanted = [chain(raw, backends=(REFERENCE,) * 4, **sizes,
                        flag=dict(flag, backend=REFERENCE)).run() for flag in flags]
        first, other = (chain(raw, **sizes, flag=dict(flag, backend="cuda")) for flag in flags)
        first.flowgraph.connect(first.channelizer, other.flagger, other.xengine, other.integrator,
                                other.sink)
        first.flowgraph.connect((other.integrator, 1), other.weights)
        self.same(first.run(), wanted[0])
        self.same((np.array(other.sink.data()), np.array(other.weights.data())), wanted[1])
        for mask, (_, weights) in zip(masks, wanted):
            self.assertEqual(weights.reshape(-1, 8, 17 * 18 // 2)[:, mask].max(), 0)

    @needs_device
    def test_flagging_starts_anew(self):
        raw = noise(1, 2 * 3 * 16 * 32)
        for backend in ("cuda", REFERENCE):
            with self.subTest(backend=backend):
                run = chain(raw, repeat=True, dump=320, backends=(backend,) * 4,
                            flag=dict(window=160, mask=[3], power=False, combined=False,
                                      false_alarm=1e-6, backend=backend))
                for _ in range(10):
                    before = len(run.sink.data())
                    run.flowgraph.start()
                    deadline = time.monotonic() + TIMEOUT
                    while len(run.sink.data()) <= before + 2 * run.size:
                        self.assertLess(time.monotonic(), deadline, "no more dumps came")
                        time.sleep(0.002)
                    run.flowgraph.stop()
                    run.flowgraph.wait()
                # Every block is the same, so every dump after the first is; some of what is on
                # its way is lost at a stop, with or without a flagger.
                dumps = np.array(run.sink.data()).reshape(-1, run.size)[1:]
                lost = np.all(dumps == 0, axis=1)
                self.assertLess(lost.mean(), 0.8)
                dumps = dumps[~lost]
                np.testing.assert_allclose(dumps, np.broadcast_to(dumps[0], dumps.shape),
                                           rtol=0, atol=1e-5 * np.abs(dumps).max())

    @needs_device
    def test_tracking_and_corrections(self):
        """Shifted windows, and corrections that change within an item, as on the host."""
        rate, inputs, channels, block, items = 8e6, 2, 32, 16, 12
        obs = fringe.observation.example(inputs, 5e4)
        obs.sample_rate, obs.center_frequency = rate, 1.4e9
        start = fringe.epoch.from_iso("2026-01-01T00:00:00")
        when = start.plus_samples(77 * channels + 2 * channels, rate)
        factors = np.linspace(1, 2, inputs * channels) * 1j
        size = 2 * inputs * channels * block
        raw = noise(items, size).tolist()
        tags = [gr.tag_utils.python_to_tag((0, pmt.intern(key), value, None)) for key, value in (
            ("rx_time", pmt.make_tuple(pmt.from_uint64(start.seconds), pmt.from_double(0))),
            ("rx_rate", pmt.from_double(rate)))]
        spectra = {}
        for backend in ("cuda", REFERENCE):
            box = fringe.channelizer(inputs, channels, block, True, "i8", 4, "hann",
                                     backend=backend, tracking=fringe.tracking(obs))
            box.set_corrections(factors, when)
            flowgraph = gr.top_block()
            sink = blocks.vector_sink_c(inputs * channels * block)
            flowgraph.connect(blocks.vector_source_b(raw, False, size, tags), box, sink)
            flowgraph.run()
            made = np.array(sink.data()).reshape(-1, channels * inputs, block)
            for t in sink.tags():  # an item that is not full ends in whatever was there
                if pmt.symbol_to_string(t.key) == "spectra":
                    made[t.offset, :, pmt.to_uint64(t.value):] = 0
            spectra[backend] = made
        self.assertGreater(len(spectra["cuda"]), 3)
        self.assertGreater(np.abs(spectra["cuda"]).max(), 100)
        np.testing.assert_allclose(spectra["cuda"], spectra[REFERENCE], rtol=0, atol=1e-3)

    def test_fx_correlator_tells_what_it_runs_on(self):
        box = fringe.fx_correlator(2, 16, "ci8", 0, 50)
        self.assertEqual(box.backend, "cuda:0" if FOUND and not FOUND[0].refused else "cpu")
        self.assertEqual(fringe.fx_correlator(2, 16, "ci8", 0, 50, backend="cpu").backend, "cpu")




@unittest.skipUnless(STAND_IN, "only a stand-in can be told to fail")
class qa_failing_device(unittest.TestCase):
    """What is printed and done when a device cannot be used, or no longer."""

    def fringe(self, *arguments, **variables):
        """Result of the command line."""
        environment = {f"FRINGE_STAND_IN_{k.upper()}": str(v) for k, v in variables.items()}
        if variables.get("library"):
            environment["FRINGE_DEVICE_LIBRARY"] = variables["library"]
        return command(*arguments, cwd=self.folder.name, variables=environment)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        raw = np.random.default_rng(1).integers(-60, 60, 2 * 2 * 16 * 4000, np.int8)
        raw.tofile(os.path.join(self.folder.name, "sky.ci8"))

    def tearDown(self):
        self.folder.cleanup()

    def correlate(self, *more, **variables):
        return self.fringe("correlate", "sky.ci8", "--format", "ci8", "--inputs", "2",
                           "--sample-rate", "1e6", "--channels", "16", "--spectra", "500",
                           "-o", "sky.ACC", *more, **variables)

    def test_what_was_found_and_what_runs_where(self):
        text = self.fringe("info", "--devices").stdout
        self.assertIn("GPU 0: stand-in", text)
        self.assertIn("run on GPU 0", text)

    def test_a_device_that_cannot_be_used(self):
        why = "its driver is from another age"
        text = self.fringe("info", "--devices", refused=why).stdout
        self.assertIn("cannot be used: " + why, text)
        self.assertIn("run on the CPU", text)
        asked = self.correlate("--backend", "cuda", refused=why)
        self.assertEqual(asked.returncode, 2)
        self.assertIn(why, asked.stderr)
        found = self.correlate(refused=why)
        self.assertEqual(found.returncode, 0)
        self.assertIn("on the CPU", found.stdout + found.stderr)

    def test_no_device_library(self):
        text = self.fringe("info", "--devices", library="/nowhere.so").stdout
        self.assertIn("no GPU: the device library does not load: /nowhere.so", text)

    def test_on_the_device(self):
        done = self.correlate()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("on the GPU", done.stdout + done.stderr)

    def test_nothing_is_left_behind(self):
        # A hundred flowgraphs in memory for two.
        environment = dict(os.environ, FRINGE_STAND_IN_MEMORY="1200000")
        done = subprocess.run(
            [sys.executable, "-B", os.path.realpath(__file__),
             "qa_device.test_a_hundred_starts_and_stops"], env=environment, text=True,
            capture_output=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_memory_that_must_not_be_locked(self):
        done = self.correlate("--backend", "cuda", pinned=0)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_too_little_memory(self):
        asked = self.correlate("--backend", "cuda", memory=1000)
        self.assertEqual(asked.returncode, 1)
        self.assertIn("cuda:0 has 0.001 MB of memory left, and ", asked.stderr)
        self.assertEqual(os.listdir(self.folder.name), ["sky.ci8"])
        found = self.correlate(memory=1000)
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertIn("on the CPU", found.stdout + found.stderr)

    def test_a_device_that_is_lost(self):
        for when in (1, 5, 12):
            with self.subTest(when=when):
                lost = self.correlate("--backend", "cuda", "--overwrite", lost=when)
                self.assertEqual(lost.returncode, 1, lost.stdout + lost.stderr)
                self.assertIn("the device is lost", lost.stderr)
                self.assertNotIn("sky.ACC", os.listdir(self.folder.name))


if __name__ == "__main__":
    unittest.main()
