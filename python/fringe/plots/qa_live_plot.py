#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""live_plot: all dumps in their order, and pictures of them in a notebook or elsewhere."""
import sys
import types
import unittest
from unittest import mock

import numpy as np
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.ground import shown_figure  # noqa: F401  before sys.modules is changed
from gnuradio.fringe.plots import screen

NAMES = ("west", "mid", "east")


def described(channels=5, **more):
    """Three antennas in a line."""
    text = {"antennas": [{"name": name, "enu": [10.0 * k, 0, 0]} for k, name in enumerate(NAMES)],
            "sample_rate": 1e6, "center_frequency": 150e6, "channels": channels, **more}
    return fringe.observation.from_text(repr(text))


class qa_live_plot(unittest.TestCase):

    def setUp(self):
        self.rng = np.random.default_rng(11)
        self.dumps = self.rng.normal(size=(3001, 5, 6, 2)) @ [1, 1j]
        autos = [0, 3, 5]
        self.dumps[:, :, autos] = 1 + self.rng.uniform(size=(3001, 5, 3))
        self.dumps = self.dumps.astype(np.complex64)

    def run_through(self, dumps, *plots):
        """A flowgraph that has sent these dumps to the plots, and has ended."""
        flowgraph = gr.top_block()
        source = blocks.vector_source_c(dumps.ravel().tolist(), False, dumps[0].size)
        for plot in plots:
            flowgraph.connect(source, plot)
        flowgraph.run()
        return flowgraph

    def test_all_dumps_in_order(self):
        plain = fringe.live_plot(described(), i=0, j=2, normalize=False)
        turned = fringe.live_plot(described(), i=2, j=0)
        power = fringe.live_plot(described(), i=1, j=1)
        rows = fringe.live_plot(described(), i=0, j=1, kind="waterfall")
        self.run_through(self.dumps, plain, turned, power, rows)
        np.testing.assert_allclose(plain.values, self.dumps[:, :, 2].mean(axis=1), rtol=1e-6)
        scale = np.sqrt(self.dumps[:, :, 0].real * self.dumps[:, :, 5].real)
        np.testing.assert_allclose(turned.values,
                                   (self.dumps[:, :, 2].conj() / scale).mean(axis=1), rtol=1e-5)
        np.testing.assert_allclose(power.values, self.dumps[:, :, 3].mean(axis=1), rtol=1e-6)
        scale = np.sqrt(self.dumps[:, :, 0].real * self.dumps[:, :, 3].real)
        np.testing.assert_allclose(rows.values, self.dumps[:, :, 1] / scale, rtol=1e-5)

    def test_a_running_flowgraph(self):
        """Connected while dumps come: all from then on, as a file has them."""
        obs = described(channels=8, integration=0.01, start_time="2026-06-12T12:00:00Z",
                        site={"latitude": 50, "longitude": 8, "height": 100},
                        sky={"receiver_noise": 1.0, "sources": [{"l": 0.1, "m": 0, "flux": 1}]})
        flowgraph = gr.top_block()
        source = fringe.raw_sky_source(obs, "ci8", 8 * 100)
        head = blocks.head(source.block_bytes, 400)
        correlator = fringe.fx_correlator.of(obs, "ci8", block_spectra=100, backend="cpu")
        first, late = (fringe.live_plot(obs, normalize=False, kind=kind)
                       for kind in ("fringes", "waterfall"))
        flowgraph.connect(source, head, correlator, first)
        flowgraph.connect((correlator, 1), blocks.null_sink(8 * 6 * 4))
        flowgraph.start()
        flowgraph.lock()
        flowgraph.connect(correlator, late)
        flowgraph.unlock()
        first.show(every=0.05)  # until the end
        flowgraph.wait()
        self.assertGreater(len(late.values), 3)
        means = np.nanmean(late.values, axis=1)
        np.testing.assert_allclose(means, first.values[-len(means):], rtol=1e-5)
        self.assertTrue(np.isnan(late.values[:, 0]).all())  # it holds both edges of the band
        np.testing.assert_allclose(late.frequencies(), obs.channel_frequencies(8, True))
        self.assertRegex(first.figure.axes[1].get_xlabel(), "before 2026-06-12 12:00:00.. UTC")

    def test_pictures(self):
        few = self.dumps[:40]
        line = fringe.live_plot(described(), j=2, normalize=False, seconds=40)
        rows = fringe.live_plot(described(), j=1, kind="waterfall", normalize=False, seconds=40)
        self.run_through(few, line, rows)
        above, below = line.figure.axes
        self.assertIn("west\u2013east", above.get_title(loc="left"))
        x, y = above.lines[0].get_data()  # a dump without time is a second
        means = few[:, :, 2].mean(axis=1)
        np.testing.assert_allclose(y[7::15], abs(means), rtol=1e-6)
        np.testing.assert_allclose(x[7::15], np.arange(-39.5, 0), atol=0.04)
        np.testing.assert_allclose(below.lines[0].get_ydata()[7::15],
                                   np.degrees(np.angle(means)), rtol=1e-5)
        amplitude, phase = (panel.images[0].get_array() for panel in rows.figure.axes[:2])
        newest_first = few[::-1, :, 1]
        np.testing.assert_allclose(amplitude[2::5], abs(newest_first), rtol=1e-6)
        np.testing.assert_allclose(phase[2::5], np.degrees(np.angle(newest_first)), rtol=1e-4)

    def test_a_cell_of_a_notebook(self):
        """One picture that changes, and ends with the flowgraph."""
        shown = []
        handle = types.SimpleNamespace(update=lambda figure: shown.append(figure._repr_png_()))

        def display(figure, display_id):
            shown.append(figure._repr_png_())
            return handle
        notebook, core, parts = (types.ModuleType(f"IPython{name}")
                                 for name in ("", ".core", ".display"))
        notebook.version_info = (8, 24, 0)  # matplotlib 3.10 asks for it
        notebook.get_ipython = lambda: types.SimpleNamespace(kernel=1)
        core.pylabtools = types.SimpleNamespace()  # matplotlib asks for it
        parts.display = display
        plot = fringe.live_plot(described())
        with mock.patch.dict(sys.modules, {"IPython": notebook, "IPython.core": core,
                                           "IPython.display": parts}):
            flowgraph = gr.top_block()
            source = blocks.vector_source_c(self.dumps[:60].ravel().tolist(), False, 30)
            flowgraph.connect(source, blocks.throttle(30 * 8, 50.0), plot)
            flowgraph.start(2)  # items at once, so that they come evenly
            plot.show(every=0.2)
            flowgraph.wait()
        self.assertEqual(len(plot.values), 60)
        self.assertGreaterEqual(len(shown), 2)
        self.assertNotEqual(shown[0], shown[-1])
        self.assertEqual(shown[-1], plot.figure._repr_png_())
        self.assertEqual({png[:8] for png in shown}, {b"\x89PNG\r\n\x1a\n"})
        self.assertFalse(screen.in_notebook())

    def test_mistakes(self):
        obs = described()
        for words, sentence in (({"j": 3}, "input 3; the observation has inputs 0 ... 2"),
                                ({"kind": "lags"}, "kind lags; it must be fringes or waterfall"),
                                ({"seconds": 0}, "seconds 0; the axis must be longer than 0 s"),
                                ({"channels_per_item": 2}, "must divide the 5 channels")):
            with self.assertRaisesRegex(ValueError, sentence):
                fringe.live_plot(obs, **words)
        plot = fringe.live_plot(obs)
        with self.assertRaisesRegex(RuntimeError, "does not run; start"):
            plot.show()
        flowgraph = gr.top_block()  # dumps of another observation
        other = described(channels=10, integration=0.01, sky={"receiver_noise": 1.0, "sources": []})
        source = fringe.raw_sky_source(other, "ci8", 1000)
        correlator = fringe.fx_correlator.of(other, "ci8", block_spectra=100, backend="cpu",
                                             channels_per_item=5)
        flowgraph.connect(source, blocks.head(source.block_bytes, 40), correlator, plot)
        flowgraph.connect((correlator, 1), blocks.null_sink(5 * 6 * 4))
        flowgraph.start()
        with self.assertRaisesRegex(RuntimeError, "channels"):
            plot.show()
        flowgraph.wait()


if __name__ == "__main__":
    unittest.main()
