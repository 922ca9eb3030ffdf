#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Streams that are not what the next block expects, though their items have as many bytes.

The chain runs on the CPU, and on a device where there is one: with FRINGE_STAND_IN, as in the
build's tests, on the stand-in for a GPU.
"""
import os
import subprocess
import sys
import unittest

from qa_stand_in import use_stand_in

use_stand_in(delay=0)

import numpy as np  # noqa: E402
import pmt  # noqa: E402
from gnuradio import blocks, fringe, gr  # noqa: E402
from qa_scratch import TIMEOUT, rx_time, scratch_case, tag  # noqa: E402

FOUND, _ = fringe.find_devices()
BACKENDS = ["cpu"] + (["cuda"] if FOUND and not FOUND[0].refused else [])
RATE, FREQUENCY = 1e5, 150e6


def observation(inputs):
    obs = fringe.observation.example(inputs)
    obs.sample_rate, obs.center_frequency = RATE, FREQUENCY
    return obs


class voltages(gr.sync_block):
    """Blocks of noise that carry only their time; without end where `count` is none."""

    def __init__(self, inputs, samples, count, rng):
        gr.sync_block.__init__(self, "voltages", None, [(np.complex64, inputs * samples)])
        self.block = rng.normal(size=2 * inputs * samples).view(complex)
        self.count = self.left = count

    def start(self):
        self.left = self.count
        for item_tag in (rx_time(0, 1781229600), tag(0, "rx_rate", pmt.from_double(RATE)),
                         tag(0, "rx_freq", pmt.from_double(FREQUENCY))):
            self.add_item_tag(0, 0, item_tag.key, item_tag.value)
        return True

    def work(self, _, output_items):
        if self.left == 0:
            return -1
        output_items[0][0] = self.block
        self.left = self.left and self.left - 1
        return 1


class hier(gr.hier_block2):
    """A box with a copy in it."""

    def __init__(self, size):
        gr.hier_block2.__init__(self, "box", gr.io_signature(1, 1, size),
                                gr.io_signature(1, 1, size))
        self.connect(self, blocks.copy(size), self)


BETWEEN = {"nothing": lambda size: (), "copy": lambda size: (blocks.copy(size),),
           "head": lambda size: (blocks.head(size, 5),),
           "throttle": lambda size: (blocks.throttle(size, 1e6),),
           "hier": lambda size: (hier(size),)}


class refused_case(scratch_case):

    def setUp(self):
        super().setUp()
        self.sources = []

    def voltages(self, inputs, samples, count=None):
        """The source, which is kept: a flowgraph does not hold on to blocks of Python."""
        self.sources.append(voltages(inputs, samples, count, self.rng))
        return self.sources[-1]

    def run_refused(self, flowgraph, block, *words, sinks=()):
        """Runs a flowgraph that must end by itself, with a sentence that has all the words, and
        without a file that looks whole."""
        flowgraph.run()
        why = fringe.failure(block)
        for word in words:
            self.assertIn(word, why)
        for sink in sinks:
            self.assertIn(why, sink.error())
            self.assertEqual([name for name in sink.files() if ".partial." not in name], [])
        return why

    def chain(self, spectra, sums, dumps=None, backend="cpu", between=BETWEEN["nothing"],
              count=None, **options):
        """Voltages to dumps: (inputs, channels, block) of the channelizer and of the X-engine,
        and (inputs, channels) of the integrator. Top block, X-engine, integrator."""
        inputs, channels, block = spectra
        dumps = dumps or sums[:2]
        top = gr.top_block()
        engine = fringe.xengine(*sums, sum_spectra=16, backend=backend)
        integrator = fringe.integrator(*dumps, seconds=0, spectra=16, backend=backend)
        top.connect(self.voltages(inputs, channels * block, count),
                    fringe.channelizer(inputs, channels, block, backend=backend, **options),
                    *between(8 * inputs * channels * block), engine,
                    *between(8 * fringe.item_sizes.visibilities(*sums[:2])), integrator)
        return top, engine, integrator


class qa_stages(refused_case):

    def test_items_of_equal_bytes_and_other_sizes(self):
        for backend in BACKENDS:
            for name, between in BETWEEN.items():
                n, c, b = (int(k) for k in self.rng.integers(1, 9, 3))
                n, c, b = 2 * n, 2 * c, 4 * b
                for other in ((n // 2, 2 * c, b), (n, c // 2, 2 * b), (2 * n, c, b // 2)):
                    with self.subTest(backend=backend, between=name, sizes=(n, c, b), other=other):
                        top, engine, integrator = self.chain((n, c, b), other, None, backend,
                                                             between)
                        sink = blocks.vector_sink_c(
                            fringe.item_sizes.visibilities(*other[:2]))
                        top.connect(integrator, sink)
                        wrong = [f"{field} {mine}" for field, mine, its in zip(
                            ("inputs", "channels", "block_spectra"), other, (n, c, b))
                            if mine != its]
                        right = [f"{field} {its}" for field, mine, its in zip(
                            ("inputs", "channels", "block_spectra"), other, (n, c, b))
                            if mine != its]
                        self.run_refused(top, integrator, engine.alias() + " expects",
                                         "fringe_channelizer", *wrong, *right)
                        self.assertEqual(len(sink.data()), 0)

    def test_the_same_sizes_are_taken(self):
        for backend in BACKENDS:
            for name, between in BETWEEN.items():
                with self.subTest(backend=backend, between=name):
                    top, _, integrator = self.chain((3, 8, 16), (3, 8, 16), None, backend,
                                                    between, 30)
                    sink = blocks.vector_sink_c(8 * 6)
                    top.connect(integrator, sink)
                    top.run()
                    self.assertEqual(fringe.failure(integrator), "")
                    self.assertGreater(len(sink.data()), 0)

    def test_sums_of_other_sizes(self):
        # 5 inputs have 15 products, 2 have 3.
        for backend in BACKENDS:
            with self.subTest(backend=backend):
                top, _, integrator = self.chain((5, 8, 16), (5, 8, 16), (2, 40), backend)
                sink = fringe.visibility_sink(observation(2), self.path(backend + ".ACC"), 40)
                top.connect(integrator, sink)
                self.run_refused(top, sink, integrator.alias() + " expects", "fringe_xengine",
                                 "inputs 5", "inputs 2", "channels 40", "channels 8",
                                 sinks=[sink])

    def test_what_is_no_spectra_at_all(self):
        # Sums of one input and 64 channels, and 8 spectra of 8 channels, are 512 bytes.
        top = gr.top_block()
        again = fringe.xengine(1, 8, 8)
        end = blocks.null_sink(8 * 8)
        top.connect(self.voltages(1, 64 * 8), fringe.channelizer(1, 64, 8),
                    fringe.xengine(1, 64, 8, sum_spectra=16), again, end)
        why = self.run_refused(top, again, "expects spectra", "sends sums")
        self.assertIn("connect an output that sends spectra", why)

    def test_voltages_and_raw_samples(self):
        path = self.path("raw")
        self.rng.integers(-99, 99, 6 * 64 * 500, np.int8).tofile(path)
        cases = [
            (fringe.unpack("ci8", 3, 128), "inputs 6", "inputs 3", "block_samples 64"),
            (fringe.unpack("u8", 12, 64), "format ci8", "format u8"),
            (fringe.unpack("ci8", 6, 64, files=2), "files 1", "files 2")]
        for unpack, *words in cases:
            with self.subTest(words):
                top = gr.top_block()
                top.connect(fringe.file_source([path], "ci8", 6, 64, 1e6), unpack,
                            blocks.null_sink(unpack.output_signature().sizeof_stream_item(0)))
                self.run_refused(top, unpack, unpack.alias(), "fringe_file_source", *words)
        for samples, channelizer, *words in (
                (128, fringe.channelizer(3, 16, 16, component="i8"), "inputs 3", "inputs 6"),
                (64, fringe.channelizer(6, 16, 4, component="i8", complex_samples=False),
                 "complex_samples False", "complex_samples True"),
                (64, fringe.channelizer(6, 8, 4, component="i16"), "component i16",
                 "component i8", "block_samples 32")):
            with self.subTest(words):
                top, unpack = gr.top_block(), fringe.unpack("ci8", 6, samples)
                top.connect(blocks.file_source(12 * samples, path), unpack, channelizer,
                            blocks.null_sink(channelizer.output_signature().sizeof_stream_item(0)))
                self.run_refused(top, channelizer, channelizer.alias(), "fringe_unpack", *words)

    def test_a_correlator_in_one_box(self):
        # 4 inputs, and 2 with blocks twice as long.
        for backend in BACKENDS:
            with self.subTest(backend):
                obs = observation(4)
                source = fringe.raw_sky_source(obs, "ci8", 32 * 16)
                box = fringe.fx_correlator(2, 32, "ci8", 0.01, block_spectra=32, backend=backend)
                sink = fringe.visibility_sink(observation(2), self.path(backend + ".uvh5"), 32)
                top = gr.top_block()
                top.connect(source, box, sink)
                top.connect((box, 1), (sink, 1))
                self.run_refused(top, sink, "expects raw samples", "fringe_raw_sky_source",
                                 "inputs 4", "inputs 2", sinks=[sink])

    def test_a_recording_of_something_else(self):
        # Workers that read a recording themselves see no tags: they ask its source.
        with open(self.path("x.ci8"), "wb") as file:
            file.truncate(4 * 2 * 32 * 64)
        for sizes, word in (((4, 32 * 16), "block_samples"), ((2, 32 * 32), "inputs")):
            with self.subTest(word):
                source = fringe.file_source([self.path("x.ci8")], "ci8", *sizes, 1e6)
                with self.assertRaisesRegex(ValueError, f"expects raw samples.*{word} "):
                    fringe.fx_correlator(4, 32, "ci8", 0.01, block_spectra=32, backend="cpu",
                                         recording=source)

    def test_requantized_spectra_and_the_kurtosis_flagger(self):
        for backend in BACKENDS:
            with self.subTest(backend):
                top = gr.top_block()
                flagger = fringe.kurtosis_flagger(2, 16, 32, "i8", bits=8, backend=backend)
                top.connect(self.voltages(2, 16 * 32),
                            fringe.channelizer(2, 16, 32, requantize="4", backend=backend),
                            flagger, fringe.xengine(2, 16, 32, "i8", backend=backend),
                            blocks.null_sink(8 * 16 * 3))
                self.run_refused(top, flagger, flagger.alias(), "requantize 8", "requantize 4")


class qa_ends(refused_case):
    """Blocks that take dumps."""

    def refuses(self, end, *words, inputs=5, channels=8, keep=()):
        """Runs the dumps of (inputs, channels) into `end`, and beside it into a good file."""
        top, _, integrator = self.chain((inputs, channels, 16), (inputs, channels, 16))
        good = fringe.visibility_sink(observation(inputs), self.path("good.uvh5"), channels,
                                      overwrite=True)
        top.connect(integrator, good)
        top.connect((integrator, 1), (good, 1))
        top.connect(integrator, end)
        for port, extra in enumerate(keep):
            top.connect((end, port), extra)
        basic = end.tap if hasattr(end, "tap") else end
        why = self.run_refused(top, good, basic.alias() + " expects visibilities",
                               "fringe_integrator", *words)
        self.assertIn(why, good.error())
        self.assertFalse(os.path.exists(self.path("good.uvh5")))
        return why

    def test_sinks(self):
        words = ("inputs 2", "inputs 5", "channels 40", "channels 8")
        other = observation(2)
        self.refuses(fringe.visibility_sink(other, self.path("a.ms"), 40), *words)
        self.assertFalse(os.path.exists(self.path("a.ms")))
        self.refuses(fringe.visibility_sink(observation(5), self.path("a.ms"), 8, False),
                     "complex_samples False", "complex_samples True")
        self.refuses(fringe.baseline_select(2, 40, 0, 1), *words, keep=[blocks.null_sink(8 * 40)])
        self.refuses(fringe.calibrator(other, self.path("c.yml"), 40), *words)
        flagger = fringe.rfi_flagger(other, 40)
        self.refuses(flagger, *words, keep=[blocks.null_sink(8 * 3 * 40)])

    def test_blocks_that_make_other_dumps(self):
        axes = fringe.dump_axes(observation(2), 40, average=4)
        end = fringe.visibility_reducer(axes)
        self.refuses(end, "baselines 3", "baselines 15", "channels 40",
                     keep=[blocks.null_sink(end.output_signature().sizeof_stream_item(0))])
        axes = fringe.dump_axes(observation(2), 40)
        end = fringe.dump_binner(axes, fringe.pulse_phase.from_period(1.0, fringe.epoch(), 0, 0))
        nothing = blocks.null_sink(8 * 3 * 40)
        self.refuses(end, "baselines 3", "baselines 15",
                     keep=[nothing, blocks.null_sink(8 * 3 * 40)])
        end = fringe.van_vleck(2, 40, True, 2, 4, "hann")
        self.refuses(end, "inputs 2", keep=[nothing])
        end = fringe.van_vleck(5, 8, True, 2, 8, "hamming")
        self.refuses(end, "taps 8", "taps 4", "window hamming", "window hann",
                     keep=[blocks.null_sink(8 * 15 * 8)])

    def test_reduced_dumps_into_a_file_of_all(self):
        # 4 autos in items of 6 channels are as long as 6 crosses in items of 4: 12 channels.
        obs, top = observation(4), gr.top_block()
        axes = fringe.dump_axes(obs, 12, products="autos")
        sink = fringe.visibility_sink(obs, self.path("x.ms"), 12, channels_per_item=4,
                                      products="crosses")
        top.connect(self.voltages(4, 12 * 16), fringe.channelizer(4, 12, 16),
                    fringe.xengine(4, 12, 16), fringe.integrator(4, 12, seconds=0, spectra=9),
                    fringe.visibility_reducer(axes, 0, 6), sink)
        self.run_refused(top, sink, "products autos", "products crosses", "channels_per_item",
                         sinks=[sink])

    def test_weights_where_visibilities_belong(self):
        # Weights of 2 channels an item have as many bytes as visibilities of 1.
        top = gr.top_block()
        integrator = fringe.integrator(3, 4, seconds=0, spectra=16, channels_per_item=2)
        sink = fringe.visibility_sink(observation(3), self.path("x.ACC"), 4, channels_per_item=1)
        top.connect(self.voltages(3, 4 * 16), fringe.channelizer(3, 4, 16),
                    fringe.xengine(3, 4, 16, channels_per_item=2), integrator,
                    blocks.null_sink(8 * 6 * 2))
        top.connect((integrator, 1), sink)
        self.run_refused(top, sink, "expects visibilities", "sends weights", sinks=[sink])

    def test_publisher(self):
        try:
            end = fringe.dump_publisher(observation(2), 40, "tcp://127.0.0.1:*")
        except ImportError as error:
            self.skipTest(str(error))
        self.refuses(end, "inputs 2", "inputs 5", "channels 40", "channels 8")
        self.assertEqual(end.dumps(), 0)

    def test_display(self):
        script = """
import os, sys
os.environ["QT_QPA_PLATFORM"] = "offscreen"
try:
    from PyQt5 import QtWidgets
except ImportError:
    sys.exit(77)
application = QtWidgets.QApplication(sys.argv[:1])
from qa_streams import *
from gnuradio.fringe import displays
case = qa_ends()
case.setUp()
print(case.refuses(displays.fringes(2, 40), "inputs 2", "channels 8"), flush=True)
case.doCleanups()
os._exit(0)  # Qt takes its windows down in an order of its own
"""
        done = subprocess.run([sys.executable, "-c", script], timeout=TIMEOUT, text=True,
                              capture_output=True,
                              cwd=os.path.dirname(os.path.realpath(__file__)),
                              env={**os.environ, "HOME": self.folder})
        if done.returncode == 77:
            self.skipTest("no PyQt5")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("fringe_display", done.stdout)


    def test_a_run_after_a_refusal(self):
        top, _, integrator = self.chain((5, 8, 16), (5, 8, 16))
        bad, nothing = fringe.baseline_select(2, 40, 0, 1), blocks.null_sink(8 * 40)
        sink = fringe.visibility_sink(observation(5), self.path("x.ACC"), 8)
        top.connect(integrator, sink)
        top.connect(integrator, bad, nothing)
        self.run_refused(top, sink, "inputs 2", sinks=[sink])
        top.disconnect(integrator, bad, nothing)
        self.sources[0].count = 30
        top.run()
        self.assertEqual((fringe.failure(sink), sink.error()), ("", ""))
        # What the first run still held is of later times: it may have a file of its own.
        whole = [name for name in sink.files() if ".partial." not in name]
        self.assertIn(len(whole), (1, 2))
        times = fringe.read_visibilities(whole[-1]).times
        self.assertLess(times[0] - np.datetime64("2026-06-12T02:00:00"), np.timedelta64(1, "ms"))


if __name__ == "__main__":
    unittest.main()
