#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The flowgraphs of docs/receivers: with a stand-in for the driver they find what it hears.

The stand-in takes the place of the driver's block in the compiled program. It notes what the
program sets, and sends one noise that both receivers hear.
"""
import os
import re
import subprocess
import sys
import unittest

import qa_examples
import yaml
from gnuradio import fringe
from qa_examples import FOLDER, ROOT, compile_all, compiled, in_window, needs_grcc, needs_qt
from qa_scratch import TIMEOUT

tearDownModule = qa_examples.tearDownModule
RECEIVERS = os.path.join(ROOT, "docs", "receivers")
PACE = 4e6  # samples a second of the stand-ins, whatever the rate that the program asks for
LATE = 9  # samples that the second receiver of one radio is late

# The second receiver hears the noise {late} samples later, whether it is an output or a block.
STAND_IN = """
from types import SimpleNamespace
import gnuradio
from gnuradio import blocks, fringe, gr, iio, soapy, uhd
rng = np.random.default_rng(1)
common, own = (rng.normal(size=(2, 1 << 19, 2)).astype("f4").view("c8")[..., 0] for _ in "ab")
paths = ["input0.cf32", "input1.cf32"]
own[0] = common[0] + 0.3 * own[0]
own[1] = np.roll(1.5j * common[0] + 0.3 * own[1], {late})
for k in range(2):
    own[k].tofile(paths[k])
calls, made = [], []

class radio(gr.hier_block2):
    def __init__(self, outputs):
        gr.hier_block2.__init__(self, "radio", gr.io_signature(0, 0, 0),
                                gr.io_signature(outputs, outputs, gr.sizeof_gr_complex))
        for k in range(outputs):
            source = blocks.file_source(gr.sizeof_gr_complex, paths[len(made)], True)
            made.append(source)
            # All that no display waits for is computed for nothing.
            self.connect(source, blocks.throttle(gr.sizeof_gr_complex, {pace}), (self, k))

    def __getattr__(self, name):
        if name.startswith("set_"):
            return lambda *values: calls.append((name, *values))
        if name.startswith("get_"):  # of settings and gains GNU Radio 3.10.12 asks for
            return lambda *_: []
        return getattr(self._impl, name)

# Two radios start within 20 ms here: a search over 0.2 s takes half of the time of the test.
searching = fringe.start_aligner
fringe.start_aligner = lambda inputs, rate, _, *more: searching(inputs, rate, 0.02, *more)

osmosdr = sys.modules["osmosdr"] = SimpleNamespace(source=lambda args: radio(2), time_spec_t=float)
gnuradio.sdrplay3 = SimpleNamespace(rspduo=lambda *_, **__: radio(2), stream_args=dict)
soapy.source = lambda device, kind, outputs, *rest: radio(outputs)
uhd.usrp_source = lambda *values: radio(2)
iio.fmcomms2_source_fc32 = lambda *values: radio(2)
"""

# Delay in samples as displayed, found by the calibrator, and left when it is applied.
STEPS = """
flowgraph.correlator.set_integration(0.02)  # a quarter of a second takes the test too long
wait(lambda: len(flowgraph.fringes.means) > 2)
{ready}
rate = flowgraph.obs.sample_rate
wait(lambda: abs(flowgraph.delay.peak()[0] * rate - {delay}) < 0.1)  # the old ones are through
before = flowgraph.delay.peak()[0]
flowgraph.set_calibrate(1)
flowgraph.set_calibrate(0)
wait(lambda: flowgraph.calibrator.found or flowgraph.calibrator.error)
found = flowgraph.calibrator.found
wait(lambda: abs(np.angle(flowgraph.fringes.means[-1])) < 0.02
     and abs(flowgraph.delay.peak()[0] * rate) < 0.1)
rates = {{max(one[1:]) for one in calls if one[0].endswith("rate")}}
tuned = [float(one[1] if len(one) == 2 or "center" in one[0] else one[2]) for one in calls
         if one[0] in ("set_frequency", "set_center_freq")]
print(before * rate, found.delay[1] * rate, found.gain[1], flowgraph.delay.peak()[0] * rate,
      int(rates == {{rate}}), len(tuned), int(set(tuned) == {{flowgraph.obs.center_frequency}}))
"""

# The receivers of one radio start together. Two radios start when they like: the Start Aligner
# takes out the samples between them.
ONE_RADIO = STEPS.format(ready="", delay=LATE), STAND_IN.format(late=LATE, pace=PACE)
TWO_RADIOS = (STEPS.format(ready="wait(lambda: flowgraph.aligner.aligned)\n"
                                 "assert flowgraph.aligner.delays == [1234, 0]", delay=0),
              STAND_IN.format(late=1234, pace=PACE))


def pages():
    """(name, text) of the page of every radio; its flowgraph has the same name."""
    for name in ("b210", "bladerf", "hackrf", "limesdr", "pluto", "rspduo", "rtl_pair"):
        with open(os.path.join(RECEIVERS, f"{name}.md"), encoding="utf-8") as file:
            yield name, file.read()


@needs_grcc
@needs_qt
class qa_receivers(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        compile_all("sources")

    def check(self, numbers, delay, tunings=2):
        before, found, gain, after, rated, tuned, same = numbers
        self.assertAlmostEqual(before, delay, delta=0.1)
        self.assertAlmostEqual(found, delay, delta=0.01)
        self.assertAlmostEqual(gain, 1.5 * (1 + 0.04) ** 0.5 / (1 + 0.09) ** 0.5, delta=0.01)
        self.assertAlmostEqual(after, 0, delta=0.1)
        self.assertEqual((rated, tuned, same), (1, tunings, 1))

    def test_b210(self):
        self.check(in_window("b210", *ONE_RADIO), LATE)

    def test_limesdr(self):
        self.check(in_window("limesdr", *ONE_RADIO), LATE)

    def test_pluto(self):
        self.check(in_window("pluto", *ONE_RADIO), LATE, tunings=1)

    def test_hackrf(self):
        self.check(in_window("hackrf", *TWO_RADIOS), 0)

    def test_rtl_pair(self):
        self.check(in_window("rtl_pair", *TWO_RADIOS), 0)

    def test_bladerf(self):
        self.check(in_window("bladerf", *ONE_RADIO), LATE)

    def test_rspduo(self):
        self.check(in_window("rspduo", *ONE_RADIO), LATE, tunings=1)

    def test_without_a_radio_the_program_says_so(self):
        """With one block for all: others would look for a radio in the network."""
        ended = subprocess.run((sys.executable, compiled("limesdr")), cwd=FOLDER, text=True,
                               capture_output=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        self.assertEqual(ended.returncode, 1)
        self.assertRegex(ended.stderr, "no match|Failed to make connection")


class qa_pages(unittest.TestCase):
    def test_every_page_says_what_was_not_tried(self):
        for name, text in pages():
            with self.subTest(page=name):
                self.assertIn("**Not tried", text.split("\n## ")[0])
                self.assertLess(len(text.splitlines()), 80)  # a screen

    def test_every_page_is_in_the_list_and_has_its_flowgraph(self):
        with open(os.path.join(RECEIVERS, "index.md"), encoding="utf-8") as file:
            index = file.read()
        for name, text in pages():
            with self.subTest(page=name):
                self.assertIn(f"]({name}.md)", index)
                self.assertIn(f"examples/sources/{name}.grc)", text)
                self.assertTrue(os.path.exists(fringe.example_file(f"{name}.grc")))

    def test_every_page_names_the_package_that_its_flowgraph_names(self):
        for name, text in pages():
            with open(fringe.example_file(f"{name}.grc"), encoding="utf-8") as file:
                flowgraph = file.read()
            for package in re.findall(r"soapysdr-module-\w+|gr-osmosdr|gr-sdrplay3|uhd-host",
                                      flowgraph):
                with self.subTest(page=name, package=package):
                    self.assertIn(f"`{package}`", text)
            blocks = yaml.safe_load(flowgraph)["blocks"]
            self.assertTrue({block["id"] for block in blocks} & set(qa_examples.DRIVERS))
            # GNU Radio Companion draws no comment of a missing block: another one has to name it.
            drawn = " ".join(block["parameters"].get("comment", "") for block in blocks
                             if block["id"] not in qa_examples.DRIVERS)
            for package in re.findall(r"gr-osmosdr|gr-sdrplay3", flowgraph):
                self.assertIn(package, drawn)


if __name__ == "__main__":
    unittest.main()
