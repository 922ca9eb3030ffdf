#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The displays: what they show is what was sent."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from qa_home import FOLDER  # before GNU Radio, whose settings are in HOME
os.environ["QT_QPA_PLATFORM"] = "offscreen"

import numpy as np  # noqa: E402
import pmt  # noqa: E402
import yaml  # noqa: E402
from gnuradio import blocks, fringe, gr  # noqa: E402
from gnuradio.fringe.ground import streams  # noqa: E402
from qa_scratch import TIMEOUT, random_numbers  # noqa: E402

try:
    from PyQt5 import QtCore, QtWidgets
except ImportError:
    QtWidgets = None
else:
    from gnuradio.fringe import displays
    from gnuradio.fringe.ground import dump_tap as dumps
    from gnuradio.fringe.displays.curve_plot import curve_plot
    # Before any widget, and for all tests: Qt has one only.
    APPLICATION = QtWidgets.QApplication(sys.argv[:1])

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", ".."))
# Runs an example with a window for some seconds, then prints what an expression gives.
LIVE = """
import sys, {name} as example
import numpy as np
from PyQt5 import Qt, QtCore
application = Qt.QApplication(sys.argv)
flowgraph = example.{name}()
flowgraph.start()
flowgraph.show()
def end():
    print(*np.ravel({numbers}), flush=True)
    flowgraph.stop()
    flowgraph.wait()
    application.quit()
QtCore.QTimer.singleShot({milliseconds}, end)
application.exec_()
sys.stdout.flush()
import os
os._exit(0)  # Qt takes its windows down in an order of its own
"""
C = 299792458.0
INPUTS, CHANNELS, PER_ITEM = 4, 16, 4
START = 1781229600
SITE = "site: {latitude: 50.0, longitude: 8.0, height: 100.0}\n"


def tearDownModule():
    """Removes everything that was written."""
    shutil.rmtree(FOLDER)


def random_dump(seed, inputs=INPUTS, channels=CHANNELS):
    """Visibilities [channel][i][j], hermitian, and the row-major products of them."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(channels, inputs, 3, 2)) @ (1, 1j)
    full = np.einsum("cit,cjt->cij", x, x.conj()).astype(np.complex64)
    return full, full[:, *np.triu_indices(inputs)]


def coherence(full, i, j):
    """The correlation coefficient of a pair, [channel]."""
    return full[:, i, j] / np.sqrt(full[:, i, i].real * full[:, j, j].real)


class source(gr.basic_block):
    """Sends dumps, with pauses; each (pause in s, time in s after START, interval, dump).

    fields: of the tag `stream` on the first item; None: it has none."""

    def __init__(self, sent, per_item, fields=None):
        self.sent, self.items, self.fields = list(sent), [], fields
        self.width = per_item * sent[0][3].shape[1]
        gr.basic_block.__init__(self, "source", None, [(np.complex64, self.width)])

    def general_work(self, _, output_items):
        """One item a call."""
        if not self.items:
            if not self.sent:
                return -1
            pause, when, interval, dump = self.sent.pop(0)
            time.sleep(pause)
            self.items = list(dump.reshape(-1, self.width))
            at = self.nitems_written(0)
            if self.fields is not None and at == 0:
                streams.describe(self, 0, "visibilities", 8 * self.width, **self.fields)
            if interval:
                self.add_item_tag(0, at, pmt.intern("rx_time"), pmt.make_tuple(
                    pmt.from_uint64(START + int(when)), pmt.from_double(when % 1)))
                self.add_item_tag(0, at, pmt.intern("interval"), pmt.from_double(interval))
        output_items[0][0] = self.items.pop(0)
        return 1


def settle():
    """Lets Qt do what was asked of it."""
    for _ in range(5):
        APPLICATION.processEvents()
        time.sleep(0.01)


def show(display, sent, per_item=PER_ITEM, fields=None):
    """Runs dumps through a display; returns the last vector of each of its curves."""
    if isinstance(sent, np.ndarray):
        sent = [(0, 0, 1.0, sent)]
    top = gr.top_block()
    lengths = [display.tap.output_signature().sizeof_stream_item(k) // 4
               for k in range(max(0, display.tap.output_signature().max_streams()))]
    sinks = [blocks.vector_sink_f(length) for length in lengths]
    for k, sink in enumerate(sinks):
        display.connect((display.tap, k), sink)
    made = source(sent, per_item, fields)
    top.connect(made, display)
    top.run()
    settle()
    for k, sink in enumerate(sinks):
        display.disconnect((display.tap, k), sink)
    return [np.array(sink.data()).reshape(-1, n)[-1] for sink, n in zip(sinks, lengths)]


def height_of_curve(widget):
    """Where the blue curve of a panel lies: 0 at the lower end of its axis, 1 at the upper."""
    picture = widget.grab().toImage()
    pixels = np.array([[picture.pixel(x, y) & 0xffffff for x in range(picture.width())]
                       for y in range(picture.height())])
    curve = np.flatnonzero((pixels == 0x1f5fbf).mean(axis=1) > 0.3)
    area = widget.area()
    return (area.bottom() - 0.5 - curve.mean()) / area.height()


def answer(output):
    """The last line that a program printed itself: GNU Radio logs to stdout too."""
    return [line for line in output.splitlines() if not re.match(r"\w+ :\w+: ", line)][-1]


@unittest.skipUnless(QtWidgets and shutil.which("grcc"), "PyQt5 or grcc is not installed")
class qa_display_examples(unittest.TestCase):
    def run_example(self, name, seconds, numbers):
        """Numbers that `numbers` gives, of an example that has run for some seconds."""
        places = os.pathsep.join((os.path.join(ROOT, "grc"), os.path.join(
            gr.prefix(), "share", "gnuradio", "grc", "blocks")))
        settings = dict(os.environ, GR_CONF_GRC_GLOBAL_BLOCKS_PATH=places)
        for key in ("GRC_BLOCKS_PATH", "GR_DONT_LOAD_PREFS"):
            settings.pop(key, None)
        program = LIVE.format(name=name, numbers=numbers, milliseconds=1000 * seconds)
        for command in (["grcc", "-o", FOLDER, fringe.example_file(name + ".grc")],
                        [sys.executable, "-c", program]):
            result = subprocess.run(command, cwd=FOLDER, env=settings, text=True, timeout=TIMEOUT,
                                    capture_output=True)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return np.array(answer(result.stdout).split(), dtype=complex)

    def test_closure_phase(self):
        *closures, first, last = self.run_example(
            "closure_phase", 4, "[*flowgraph.closure.means[-5:], "
            "flowgraph.baseline.means[2], flowgraph.baseline.means[-1]]")
        with open(fringe.example_file("closure_phase.grc"), encoding="utf-8") as file:
            text = next(block["parameters"]["text"] for block in yaml.safe_load(file)["blocks"]
                        if block["name"] == "obs")
        obs = fringe.observation.from_text(text)
        f = obs.channel_frequencies(64, True)[:, None]
        sky = [(s.flux, fringe.delays(obs, fringe.source_direction(obs, s, obs.start_time)))
               for s in obs.sky]
        v = [sum(flux * np.exp(2j * np.pi * f[:, 0] * (tau[j] - tau[i])) for flux, tau in sky)
             for i, j in ((0, 1), (1, 2), (2, 0))]
        true = (v[0] * v[1] * v[2]).mean()
        for closure in closures:
            self.assertLess(abs(np.degrees(np.angle(closure / true))), 6)
        self.assertGreater(abs(np.degrees(np.angle(last / first))), 10)  # the drift

    def test_drift_scan(self):
        power = self.run_example("drift_scan", 5, "flowgraph.power.means[1:]").real
        self.assertGreater(len(power), 5)
        # Half an hour from the meridian: the noise, 16^2, and little of the Sun.
        self.assertLess(np.abs(power[:5] / 256 - 1.03).max(), 0.08)

    def test_all_sky_live(self):
        images, highest, tracks, pairs = self.run_example(
            "all_sky_live", 5, "[flowgraph.image.images, np.nanmax(flowgraph.image.image.values),"
            " len(flowgraph.uv.plot.tracks), np.nanmax(flowgraph.pairs.map.values)]").real
        self.assertGreater(images, 1)
        # The strongest source has 1.0 of the 3.2 that an antenna receives.
        self.assertAlmostEqual(highest, 1 / 3.2, 1)
        self.assertGreater(tracks, 0)
        self.assertLess(pairs, 1)


@unittest.skipIf(QtWidgets is None, "PyQt5 is not installed")
class qa_displays(unittest.TestCase):
    def close(self, a, b, places=4):
        np.testing.assert_allclose(a, b, atol=10 ** -places)

    def test_spectrum(self):
        full, dump = random_dump(1)
        for normalize in (True, False):
            for i, j in ((0, 2), (3, 1), (2, 2)):
                with self.subTest(normalize=normalize, baseline=(i, j)):
                    view = displays.spectrum(INPUTS, CHANNELS, i, j, normalize,
                                            channels_per_item=PER_ITEM)
                    true = coherence(full, i, j) if normalize else full[:, i, j]
                    amplitude, phase = show(view, dump)
                    self.close(amplitude, np.abs(true))
                    self.close(phase, np.degrees(np.angle(true)), 2)

    def test_channels_and_baseline_change_while_running(self):
        full, dump = random_dump(2)
        view = displays.spectrum(INPUTS, CHANNELS, channels_per_item=PER_ITEM)
        show(view, dump)
        view.set_baseline(2, 3)
        view.set_channels(4, 7)
        amplitude, _ = show(view, dump)
        # The four channels are the axis, and nothing else is shown.
        true, panel = np.abs(coherence(full, 2, 3)), view._panels.amplitude.widget
        self.close(amplitude[:4], true[4:8])
        self.close(panel.shown(), (np.arange(4, 8), true[4:8]))
        self.close(panel.x, (3.5, 7.5))
        view.set_channels(-3, -1)
        self.close(show(view, dump)[0][:3], true[13:])

    def test_the_curve_drawn_is_the_newest(self):
        view = displays.spectrum(2, CHANNELS, normalize=False, maximum=1, channels_per_item=8)
        panel = view._panels.amplitude.widget
        panel.resize(400, 300)
        view.widget().show()
        levels = (0.2, 0.75, 0.4)
        top = gr.top_block()
        made = source([(0.6, k, 1.0, np.full((CHANNELS, 3), level, np.complex64))
                       for k, level in enumerate(levels + (0.0,))], 8)
        top.connect(made, view)
        top.start()
        shown = []
        for k, level in enumerate(levels):
            while view.tap.seen() <= k:
                settle()
            settle()
            settle()
            shown.append(height_of_curve(panel))
        top.wait()
        np.testing.assert_allclose(shown, levels, atol=0.04)

    def test_a_nan_does_not_stay(self):
        view = displays.spectrum(2, CHANNELS, normalize=False, maximum=1, channels_per_item=8)
        panel = view._panels.amplitude.widget
        panel.resize(400, 300)
        view.widget().show()
        for level in (np.nan, 0.5):
            show(view, np.full((CHANNELS, 3), level, np.complex64), 8)
        self.assertAlmostEqual(height_of_curve(panel), 0.5, 1)

    def test_fringes_stand_where_their_time_is(self):
        sent = [random_dump(k) for k in range(4)]
        view = displays.fringes(INPUTS, CHANNELS, 1, 2, seconds=8, channels_per_item=PER_ITEM)
        # Dumps of 1 s; the one from 2 s to 3 s was lost.
        amplitude, phase = show(view, [(0.05, when, 1.0, dump)
                                      for when, (_, dump) in zip((0, 1, 3, 4.0), sent)])
        true = [coherence(full, 1, 2).mean() for full, _ in sent]
        self.close(view.means, true)
        points = len(amplitude)
        second = points // 8
        self.assertTrue((amplitude[:3 * second] == dumps.NO_VALUE).all())  # before the first
        self.assertTrue((amplitude[5 * second:6 * second] == dumps.NO_VALUE).all())  # the gap
        for value, at in zip(true, (3, 4, 6, 7)):
            self.close(amplitude[at * second:(at + 1) * second], np.abs(value))
            self.close(phase[at * second:(at + 1) * second], np.degrees(np.angle(value)), 2)
        view.set_seconds(1)
        self.close(show(view, [(0, 5, 1.0, sent[0][1])])[0], np.abs(true[0]))

    def test_dumps_without_time_are_counted(self):
        sent = [random_dump(k) for k in range(3)]
        view = displays.fringes(INPUTS, CHANNELS, seconds=3, channels_per_item=PER_ITEM)
        amplitude, _ = show(view, [(0.05, 0, 0, dump) for _, dump in sent])
        middles = (np.array([1, 3, 5]) * len(amplitude)) // 6
        self.close(amplitude[middles], [abs(coherence(f, 0, 1).mean()) for f, _ in sent])

    def test_delays(self):
        frequencies = 150e6 + 1e5 * np.arange(64)
        for tau in (0.0, 1.37e-6, -2.2e-6):
            with self.subTest(delay=tau):
                # Input j hears tau later: <x_i conj(x_j)> turns by +2 pi f tau.
                dump = np.ones((64, 3), np.complex64)
                dump[:, 1] = 0.4 * np.exp(2j * np.pi * frequencies * tau)
                view = displays.delays(2, 64, frequencies=frequencies, channels_per_item=64)
                lags, = show(view, dump, 64)
                delay, height = view.peak()
                self.assertAlmostEqual(delay * 1e9, tau * 1e9, delta=10)
                self.assertAlmostEqual(height, 0.4, 2)
                self.assertAlmostEqual(lags.max(), 0.4, 1)
                self.assertAlmostEqual(view.axis[lags.argmax()], tau, delta=0.1e-6)

    def test_frequencies_come_with_the_dumps(self):
        """They need not be typed in, and are right where the observation says something else."""
        for format, complex_samples in (("ci8", True), ("i8", False)):
            with self.subTest(format=format):
                obs, other = fringe.observation.example(3), fringe.observation.example(3)
                obs.channels = other.channels = 48
                obs.center_frequency = 1.4204e9
                true = obs.channel_frequencies(48, complex_samples)
                typed = np.arange(48) + 7e7
                named, plain = {"observation": other}, {"inputs": 3, "channels": 48}
                shown = [displays.spectrum(**plain), displays.spectrum(**plain, **named),
                         displays.waterfall(**plain), displays.closure_phase(**plain),
                         displays.delays(**plain, reach=5e-6),
                         displays.uv_coverage(other, 48, complex_samples),
                         displays.occupancy(other, 48, complex_samples),
                         displays.spectrum(**plain, **named, frequencies=typed)]
                self.assertEqual(shown[0].frequency_axis()[1], "Channel")
                self.close(shown[1].frequencies, other.channel_frequencies(48, True))
                samples = fringe.item_sizes.samples(format, 3, 48)
                source = fringe.raw_sky_source(obs, format, samples)
                correlator = fringe.fx_correlator.of(obs, format, seconds=0.01)
                top = gr.top_block()
                top.connect(source, blocks.head(source.block_bytes, 2 * 10**5 // samples + 1),
                            correlator)
                flagger = fringe.rfi_flagger(obs, 48, complex_samples, window=4)
                top.connect(correlator, flagger, blocks.null_sink(
                    correlator.output_signature().sizeof_stream_item(0)))
                for port in (1, 2):
                    top.connect((flagger, port), blocks.null_sink(
                        flagger.output_signature().sizeof_stream_item(port)))
                for each in shown:
                    occupancy = isinstance(each, displays.occupancy)
                    top.connect((flagger, 3) if occupancy else correlator, each)
                top.run()
                settle()
                self.close(shown[5].plot.stretch / true[[0, -1]], 1 / C, 16)
                for each in shown[:-1]:
                    self.close(each.frequencies / true, 1, 12)
                    self.assertEqual(each.frequency_axis()[1], "Sky frequency (MHz)")
                self.close(shown[-1].frequencies, typed)
                panel = shown[0].widget().findChildren(curve_plot)[0]
                self.assertEqual(panel.x_label, "Sky frequency (MHz)")
                half = (true[1] - true[0]) / 2
                self.close(np.array(panel.x) * 1e6 / [true[0] - half, true[-1] + half], 1, 9)
                delays = shown[4].widget().findChildren(curve_plot)[0]
                self.assertEqual(delays.x_label, "Delay (\u00b5s)")
                self.close(np.array(delays.x) / 5, [-1, 1], 1)
                self.assertLess(abs(shown[4].peak()[0]), 5e-6)

    def test_closure_phase(self):
        full, _ = random_dump(3)
        rng = np.random.default_rng(4)
        true = np.degrees(np.angle(full[:, 0, 1] * full[:, 1, 3] * full[:, 3, 0]))
        shown = []
        for _ in range(2):  # whatever the instrument adds to an input
            turn = np.exp(2j * np.pi * rng.random((CHANNELS, INPUTS)))
            turned = full * turn[:, :, None] * turn[:, None, :].conj()
            view = displays.closure_phase(INPUTS, CHANNELS, 0, 1, 3, channels_per_item=PER_ITEM)
            spectrum, over_time = show(
                view, turned[:, *np.triu_indices(INPUTS)].astype(np.complex64))
            self.close(spectrum, true, 2)
            shown.append(over_time[-1])
        product = coherence(full, 0, 1) * coherence(full, 1, 3) * coherence(full, 3, 0)
        self.close(shown, np.degrees(np.angle(product.mean())), 2)
        view.set_inputs(3, 1, 0)
        self.close(show(view, full[:, *np.triu_indices(INPUTS)])[0], -true, 2)

    def test_waterfall(self):
        sent = [random_dump(k) for k in range(2)]
        view = displays.waterfall(INPUTS, CHANNELS, 3, 0, seconds=4, channels_per_item=PER_ITEM)
        view.set_channels(2, 12)
        show(view, [(0.05, when, 1.0, dump) for when, (_, dump) in enumerate(sent)])
        rows = view.phase.values
        quarter = len(rows) // 4
        for top, (full, _) in zip((0, quarter), sent[::-1]):  # the newest at the top
            true = coherence(full, 3, 0)[2:13]
            for row in (top, top + quarter - 1):
                self.close(rows[row], np.degrees(np.angle(true)), 2)
                self.close(view.amplitude.values[row], np.abs(true))
        self.assertTrue(np.isnan(rows[2 * quarter:]).all())
        self.assertFalse(view.phase.grab().isNull())

    def test_many_channels_are_averaged(self):
        dump = np.ones((2048, 1), np.complex64)
        dump[:, 0] = np.arange(2048)
        view = displays.waterfall(1, 2048, 0, 0, normalize=False, channels_per_item=2048)
        show(view, dump, 2048)
        self.close(view.amplitude.values[0], np.arange(2048).reshape(-1, 4).mean(axis=1), 2)

    def test_matrix(self):
        full, dump = random_dump(5)
        norm = np.stack([[coherence(full, i, j).mean() for j in range(INPUTS)]
                         for i in range(INPUTS)])
        off = ~np.eye(INPUTS, dtype=bool)
        view = displays.matrix(INPUTS, CHANNELS, channels_per_item=PER_ITEM)
        show(view, dump)
        self.close(view.map.values[off], np.abs(norm)[off])
        self.assertTrue(np.isnan(view.map.values[~off]).all())
        view.set_phase(True)
        show(view, dump)
        self.close(view.map.values[off], np.degrees(np.angle(norm))[off], 2)
        view = displays.matrix(INPUTS, CHANNELS, False, channels_per_item=PER_ITEM)
        view.set_channels(1, 3)
        show(view, dump)
        self.close(view.map.values, np.abs(full[1:4].mean(axis=0)), 3)

    def test_the_edge_of_the_band_is_left_out(self):
        for edge, fields in ((0, {"complex_samples": True}), (None, {"complex_samples": False}),
                             (3, {"complex_samples": True, "edge_channel": "3"}),
                             (None, {"complex_samples": True, "edge_channel": "none"})):
            full, _ = random_dump(9)
            turn = np.exp(2j * np.arange(INPUTS))
            full[edge or 0] *= 50 * np.outer(turn, turn.conj())
            dump = full[:, *np.triu_indices(INPUTS)]
            kept = np.array([k for k in range(CHANNELS) if k != edge])

            def shown(kind, *arguments, dump=dump, fields=fields, **options):
                view = kind(INPUTS, CHANNELS, *arguments, normalize=False,
                           channels_per_item=PER_ITEM, **options)
                return view, show(view, dump, fields=fields)

            true = full[:, 1, 2]
            with self.subTest(fields):
                _, curves = shown(displays.spectrum, 1, 2)
                for curve, want in zip(curves, (np.abs(true), np.degrees(np.angle(true)))):
                    self.close(curve[kept], want[kept], 2)
                    if edge is not None:
                        self.assertEqual(curve[edge], dumps.NO_VALUE)
                view, _ = shown(displays.fringes, 1, 2)
                self.close(view.means, true[kept].mean(), 3)
                view, _ = shown(displays.waterfall, 1, 2)
                self.close(view.amplitude.values[0][kept], np.abs(true)[kept], 3)
                self.assertEqual(np.isnan(view.amplitude.values[0]).sum(), edge is not None)
                view, _ = shown(displays.matrix)
                self.close(view.map.values, np.abs(full[kept].mean(axis=0)), 2)
                view, _ = shown(displays.closure_phase, 0, 1, 2)
                product = full[:, 0, 1] * full[:, 1, 2] * full[:, 2, 0]
                np.testing.assert_allclose(view.means, product[kept].mean(), rtol=1e-3)
                zeroed = np.where(np.isin(np.arange(CHANNELS), kept)[:, None], dump, 0)
                window = np.hanning(CHANNELS + 2)[1:-1]
                want, _ = shown(displays.delays, 1, 2, dump=zeroed.astype(np.complex64), fields={})
                view, _ = shown(displays.delays, 1, 2)
                np.testing.assert_allclose(view.peak()[1], want.peak()[1] * window.sum()
                                           / window[kept].sum(), rtol=1e-3)

    def test_uv_coverage(self):
        obs = fringe.observation.from_text(
            SITE + "antennas: [[0, 0, 0], [40, 0, 0], [0, 70, 5]]\nsample_rate: 1.0e+6\n"
            "center_frequency: 150.0e+6\nstart_time: 2026-06-12T02:00:00Z\n"
            "phase_center: {ra: 19h59m28.36s, dec: +40d44m02.1s}\n"
            "sky: {sources: [{l: 0, m: 0}, {l: 1.0e-4, m: 0}, {l: 0, m: 1.0e-4}]}")
        view = displays.uv_coverage(obs, 16, channels_per_item=16)
        dump = np.ones((16, 6), np.complex64)
        hours = (0, 2.0)
        show(view, [(0.05, 3600 * h, 1.0, dump) for h in hours], 16)
        self.assertEqual(len(view.plot.tracks), 2)
        for hour, points in zip(hours, view.plot.tracks):
            # A source a little to the east (north) of the center is heard u (v) times it
            # sooner by antenna i.
            when = fringe.epoch.from_pair(START, 0.0).plus_seconds(3600 * hour + 0.5)
            heard = [fringe.delays(obs, fringe.source_direction(obs, s, when)) for s in obs.sky]
            for column in (0, 1):
                sooner = -C * (heard[1 + column] - heard[0]) / 1e-4
                self.close(points[:, column],
                           [sooner[i] - sooner[j] for i, j in ((0, 1), (0, 2), (1, 2))], 1)
        self.assertFalse(view.widget().grab().isNull())

    @staticmethod
    def nine_antennas(**more):
        """An observation, and a dump of one source at (l, m) = (0.4, -0.3), with a tenth of the
        power of an antenna."""
        rng = np.random.default_rng(6)
        obs = fringe.observation.from_text(repr({
            "site": {"latitude": 50.0, "longitude": 8.0, "height": 100.0},
            "antennas": rng.uniform(-20, 20, (9, 3)).round(2).tolist(), "sample_rate": 1e6,
            "center_frequency": 60e6, **more}))
        places = np.array([antenna.enu for antenna in obs.antennas])
        i, j = np.triu_indices(9)
        s = np.array([0.4, -0.3, np.sqrt(0.75)])
        f = obs.channel_frequencies(8, True)
        dump = np.exp(2j * np.pi * f[:, None] / C * ((places[i] - places[j]) @ s))
        dump[:, i == j] = 2  # half of the power is receiver noise
        return obs, dump.astype(np.complex64), i != j

    def until(self, reached):
        """Lets Qt work until something is so."""
        deadline = time.monotonic() + TIMEOUT
        while not reached() and time.monotonic() < deadline:
            settle()
        self.assertTrue(reached())

    def test_sky(self):
        obs, dump, cross = self.nine_antennas()
        for size in (257, 129):
            view = displays.sky(obs, 8, size=size, channels_per_item=8)
            show(view, dump, 8)
            self.until(lambda: view.images == 1)
            self.assertEqual(view.image.values.shape, (size, size))
            row, column = np.unravel_index(np.nanargmax(view.image.values), (size, size))
            self.assertAlmostEqual(view.image.axis[column], 0.4, delta=2 / size)
            self.assertAlmostEqual(view.image.axis[row], -0.3, delta=2 / size)
            self.assertAlmostEqual(np.nanmax(view.image.values), 0.5, delta=0.02)
            # The channel of both edges of the band counts for nothing.
            spoilt = dump.copy()
            spoilt[0, cross] = -1
            show(view, spoilt, 8, {"complex_samples": True})
            self.until(lambda: view.images == 2)
            self.assertAlmostEqual(np.nanmax(view.image.values), 0.5, delta=0.02)
            # On the screen east is to the left, north is up.
            shown = np.unravel_index(np.nanargmax(view.map.values), view.map.values.shape)
            self.close(shown, (1.3 / 2 * (size - 1), 0.6 / 2 * (size - 1)), -0.5)
        # Nothing at all makes no image, and it says so.
        show(view, np.zeros_like(dump), 8)
        self.until(lambda: "there are no data" in view.map.title)

    def test_sky_is_the_sum_over_baselines(self):
        """Random dumps, channels and inputs of two polarizations, one of them bad."""
        rng = random_numbers()
        obs = fringe.observation.from_text(repr({
            "antennas": rng.uniform(-20, 20, (5, 3)).tolist(), "sample_rate": 1e6,
            "center_frequency": 60e6, "inputs": [
                {"antenna": f"ant{k // 2}", "polarization": "XY"[k % 2],
                 "bad": "yes" if k == 3 else "no"}
                for k in range(10)]}))
        full, dump = random_dump(rng.integers(2**31), 10)
        view = displays.sky(obs, CHANNELS, size=65, channels_per_item=CHANNELS)
        view.set_channels(2, 6)
        show(view, dump, CHANNELS)
        self.until(lambda: view.images == 1)
        places = np.array([antenna.enu for antenna in obs.antennas])
        f = obs.channel_frequencies(CHANNELS, True)
        pairs = [(i, j) for i in range(10) for j in range(i, 10)
                 if i // 2 != j // 2 and i % 2 == j % 2 and 3 not in (i, j)]
        for row, column in rng.integers(15, 50, (20, 2)):
            l, m = view.image.axis[column], view.image.axis[row]
            s = np.array([l, m, np.sqrt(1 - l * l - m * m)])
            wanted = np.mean([(coherence(full, i, j) * np.exp(
                -2j * np.pi * f / C * ((places[i // 2] - places[j // 2]) @ s)))[2:7].real
                for i, j in pairs])
            self.assertAlmostEqual(view.image.values[row, column], wanted, 2)

    def test_sky_over_two_antennas_and_over_many(self):
        obs = fringe.observation.from_text(SITE + "antennas: [[0, 0, 0], [10, 0, 0]]\n"
                                           "sample_rate: 1.0e+6\ncenter_frequency: 60.0e+6\n")
        view = displays.sky(obs, 1, size=65, channels_per_item=1)
        show(view, np.ones((1, 3), np.complex64), 1)
        self.until(lambda: view.images == 1)
        fringes = np.cos(2 * np.pi * 60e6 / C * 10 * view.image.axis)
        self.close(view.image.values[32, 1:-1], fringes[1:-1], 2)
        obs = fringe.observation.from_text(SITE + "antennas: %s\nsample_rate: 1.0e+6\n"
                                           "center_frequency: 60.0e+6\n" % [
                                               [k % 16, k // 16, 0] for k in range(256)])
        view = displays.sky(obs, 1, size=64, channels_per_item=1)
        show(view, np.ones((1, 256 * 257 // 2), np.complex64), 1)
        self.until(lambda: view.images == 1)
        self.assertAlmostEqual(view.image.values[31:33, 31:33].max(), 1, 1)

    def test_sky_says_where_the_cursor_is_and_marks_sources(self):
        sources = [{"name": "A", "az": 127.0, "el": 60.0}, {"name": "B", "az": 0.0, "el": 45.0}]
        obs, dump, _ = self.nine_antennas(sky={"sources": sources})
        folder = tempfile.mkdtemp(dir=FOLDER)
        path = os.path.join(folder, "sources.yml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("- {name: high, az: 10, el: 89}\n- {name: low, az: 10, el: -5}\n")
        view = displays.sky(obs, 8, sources=path, channels_per_item=8)
        view.widget().resize(700, 720)
        show(view, [(0, 0.0, 0.5, dump)], 8)
        self.until(lambda: view.images == 1)
        self.assertEqual([(name, satellite) for name, _, _, satellite in view.map.sources],
                         [("A", False), ("B", False), ("high", False)])
        self.close(view.map.sources[1][1:3], (0, np.sqrt(0.5)))
        self.assertEqual(view.map.notes[0], "2026-06-12\n02:00:00 UTC")
        # An edge of the widget is below the horizon; the place of a source is where it is.
        for l, m, azimuth, elevation in ((0.4, -0.3, 126.87, 60.0), (-0.5, 0.5, 315.0, 45.0)):
            x, y = view.map.at(l, m)
            self.close(view.map.place(QtCore.QPointF(x, y)), (l, m))
            view.map.pointer = (l, m)
            view.map.changed()
            settle()
            words = view.widget().line.text()
            self.assertIn(f"az {azimuth:.1f}°  el {elevation:.1f}°", words)
            ra, dec = fringe.radec_of_azel(obs, *np.radians((azimuth, elevation)), fringe.epoch(
                START, 0.25))
            found = re.search("RA (..)h(..)m  Dec ([+-])(..)°(..)'", words)
            self.close((int(found[1]) + int(found[2]) / 60) * 15, np.degrees(ra), 0.5)
            self.close(float(found[3] + "1") * (int(found[4]) + int(found[5]) / 60),
                       np.degrees(dec), 1.3)
            value = view.image.values[int(round((m + 1) * 128)), int(round((l + 1) * 128))]
            self.assertIn(f"value {value:.3g}", words)
        view.map.pointer = (0.9, 0.9)  # below the horizon
        view.map.changed()
        settle()
        self.assertIn("Point at a plot", view.widget().line.text())
        self.assertFalse(view.widget().grab().isNull())

    def test_sky_shows_what_comes_and_goes(self):
        obs, dump, cross = self.nine_antennas()
        steady = np.where(cross, 0.3 * dump[::-1].conj(), 2).astype(np.complex64)
        view = displays.sky(obs, 8, size=65, difference=True, memory=3, channels_per_item=8)
        self.assertTrue(view._widget.box.isChecked())
        for count in range(1, 4):
            show(view, steady, 8)
            self.until(lambda: view.images == count)
        self.close(np.nan_to_num(view.map.values), 0)
        before = view.image.values
        show(view, steady + np.where(cross, dump, 0), 8)
        self.until(lambda: view.images == 4)
        self.close(view.map.values[::-1, ::-1], view.image.values - before, 5)
        row, column = np.unravel_index(np.nanargmax(view.map.values), view.map.values.shape)
        self.close((row, column), (1.3 * 32, 0.6 * 32), -0.5)
        self.assertAlmostEqual(np.nanmax(view.map.values), 0.5, 1)
        view._widget.box.setChecked(False)
        show(view, steady, 8)
        self.until(lambda: view.images == 5)
        self.close(view.map.values[::-1, ::-1], view.image.values, 6)

    def test_sky_that_is_slow_loses_dumps_and_counts_them(self):
        obs, dump, _ = self.nine_antennas()
        view = displays.sky(obs, 8, channels_per_item=8)
        count = 2000
        top = gr.top_block()
        size = 8 * 45
        top.connect(blocks.vector_source_c(np.tile(dump.ravel(), count), False, size), view)
        top.run()
        settle()
        self.assertGreater(view.images, 0)
        self.assertEqual(view.images + view.lost(), count)

    def test_fast_dumps_are_passed_over(self):
        for make in (displays.fringes, displays.spectrum, displays.waterfall, displays.matrix):
            with self.subTest(display=make.__name__):
                view = make(2, 64, channels_per_item=64)
                top = gr.top_block()
                count = 20000
                top.connect(blocks.null_source(64 * 3 * 8), blocks.head(64 * 3 * 8, count), view)
                began = time.monotonic()
                top.run()
                took = time.monotonic() - began
                shown = count - view.tap.passed_over()
                self.assertLess(took, 10)
                self.assertGreater(shown, 0)
                self.assertLessEqual(shown, dumps.RATE * took + dumps.BURST + 1)
        self.assertEqual(dumps.RATE + dumps.BURST, 20)

    def test_mistakes_are_refused(self):
        obs, many = fringe.observation.example(40), fringe.observation.example(257)
        spectrum = displays.spectrum(2, 16)
        for make, words in (
                (lambda: displays.spectrum(2, 16, 0, 2), "input 2; they are numbered 0 ... 1"),
                (lambda: displays.spectrum(0, 16), "inputs 0"),
                (lambda: displays.spectrum(2, 16, channels_per_item=5), "must divide"),
                (lambda: displays.spectrum(2, 16, frequencies=[1.0]), "frequencies of 1"),
                (lambda: spectrum.set_channels(3, 16), "channels 3 ... 16"),
                (lambda: displays.delays(2, 1), "channels 1"),
                (lambda: displays.fringes(2, 16, seconds=0), "seconds 0"),
                (lambda: displays.closure_phase(3, 16, 0, 1, 1), "three different"),
                (lambda: displays.sky(many, 16), "257 antennas; it makes images of 2 to 256"),
                (lambda: displays.sky(fringe.observation.example(1), 16), "1 antennas"),
                (lambda: displays.sky(obs, 16, size=4), "sky: size 4"),
                (lambda: displays.sky(obs, 16, memory=0), "memory 0"),
                (lambda: displays.sky(obs, 16, maximum=-1), "maximum -1"),
                (lambda: displays.sky(obs, 16, sources="Nowhere"), "Nowhere")):
            with self.assertRaisesRegex(ValueError, words):
                make()


if __name__ == "__main__":
    done = unittest.main(exit=False, verbosity=1)
    sys.stdout.flush()
    sys.stderr.flush()
    # Qt takes its windows down in an order of its own, and trips over it.
    os._exit(0 if done.result.wasSuccessful() else 1)
