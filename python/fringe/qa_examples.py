#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The examples: flowgraphs compile, run and give what they should."""

import functools
import glob
import importlib.util
import os
import py_compile
import shutil
import subprocess
import sys
import tempfile
import unittest

# GNU Radio and its Companion keep settings under HOME; these tests have their own.
FOLDER = tempfile.mkdtemp()
os.environ["HOME"] = FOLDER

import numpy as np  # noqa: E402
from gnuradio import fringe, gr  # noqa: E402

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))
EXAMPLES = os.path.join(ROOT, "examples")
RECORDING = os.path.join(os.environ.get("FRINGE_TEST_DATA",
                                        os.path.join(ROOT, "..", "shared", "data")),
                         "tart", "mg-tana-raw.hdf")
# The descriptions of these sources and no installed ones.
os.environ["GR_CONF_GRC_GLOBAL_BLOCKS_PATH"] = os.pathsep.join(
    (os.path.join(ROOT, "grc"), os.path.join(gr.prefix(), "share", "gnuradio", "grc", "blocks")))
os.environ.pop("GRC_BLOCKS_PATH", None)
os.environ.pop("GR_DONT_LOAD_PREFS", None)
os.environ["QT_QPA_PLATFORM"] = "offscreen"

needs_grcc = unittest.skipUnless(shutil.which("grcc"), "grcc is not installed")
needs_casacore = unittest.skipUnless(importlib.util.find_spec("casacore"),
                                     "python3-casacore is not installed")

# Runs the example with a window: 3 s, another integration time, 3 s more.
LIVE = """
import sys
from PyQt5 import Qt, QtCore
import two_element_interferometer as example
application = Qt.QApplication(sys.argv)
flowgraph = example.two_element_interferometer()
flowgraph.start()
flowgraph.show()
dumps = []

def change():
    dumps.append(flowgraph.correlator.dumps())
    flowgraph.set_integration(0.5)
    QtCore.QTimer.singleShot(3000, end)

def end():
    dumps.append(flowgraph.correlator.dumps() - dumps[0])
    picture = flowgraph.grab().toImage()
    blue = sum(picture.pixel(x, y) & 0xff == 0xff and picture.pixel(x, y) & 0xff00 == 0
               for x in range(picture.width()) for y in range(picture.height()))
    coherence = abs(flowgraph.display.means[-1])
    flowgraph.stop()
    flowgraph.wait()
    print(*dumps, coherence, blue, flush=True)
    application.quit()

QtCore.QTimer.singleShot(3000, change)
application.exec_()
"""


def tearDownModule():
    """Removes everything that was written."""
    shutil.rmtree(FOLDER)


def run(*command, cwd=ROOT):
    """What a command prints to stdout; its errors are the test's."""
    result = subprocess.run(command, cwd=cwd, text=True, capture_output=True, timeout=120)
    if result.returncode:
        raise AssertionError(f"{command}: {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout


@functools.lru_cache(None)
def compiled(name):
    """The Python program that grcc makes of an example."""
    said = run("grcc", "-o", FOLDER, os.path.join(EXAMPLES, name + ".grc"))
    if "Error" in said or "not connected" in said:
        raise AssertionError(said)
    program = os.path.join(FOLDER, name + ".py")
    py_compile.compile(program, doraise=True)
    return program


class qa_examples(unittest.TestCase):
    def check_two_antennas(self, path):
        vis = fringe.read_visibilities(path)
        self.assertEqual(vis.data.shape[1:], (128, 3))
        self.assertAlmostEqual(vis.span, 2, 1)
        # One source as strong as the receivers: half of each antenna's power.
        autos, crosses = vis.data[0, 4:-4][:, [0, 2]].real.mean(), vis.data[0, 4:-4, 1]
        obs = fringe.observation.from_file(os.path.join(EXAMPLES, "two_antennas.yml"))
        delay = np.diff(fringe.delays(obs, fringe.source_direction(obs, obs.sky[0],
                                                                   obs.start_time)))[0]
        mean = (crosses * np.exp(-2j * np.pi * vis.frequencies[4:-4] * delay)).mean() / autos
        self.assertAlmostEqual(abs(mean), 0.5, 1)
        self.assertLess(abs(np.degrees(np.angle(mean))), 1.5)

    @needs_casacore
    def test_correlate_py(self):
        program = os.path.join(EXAMPLES, "correlate.py")
        with open(program, encoding="utf-8") as file:
            self.assertLess(len(file.readlines()), 40)
        output = os.path.join(FOLDER, "script.ms")
        said = run(sys.executable, program, output)
        self.assertIn("9 dumps", said)
        self.check_two_antennas(output)

    def test_observations_can_be_read(self):
        for path in sorted(glob.glob(os.path.join(EXAMPLES, "*.yml"))):
            with self.subTest(path=path):
                fringe.observation.from_file(path).check()

    def test_the_sources_of_the_simulated_sky_are_apart(self):
        obs = fringe.observation.from_file(os.path.join(EXAMPLES, "simulated_sky.yml"))
        self.assertEqual(len(obs.inputs), 24)
        places = np.array([(source.a, source.b) for source in obs.sky])
        distances = [np.linalg.norm(p - q) for k, p in enumerate(places) for q in places[:k]]
        self.assertGreater(min(distances), 0.2)  # five beams

    def test_the_list_is_whole(self):
        with open(os.path.join(EXAMPLES, "README.md"), encoding="utf-8") as file:
            text = file.read()
        for name in os.listdir(EXAMPLES):
            if name not in ("README.md", "CMakeLists.txt", "__pycache__"):
                self.assertIn(f"`{name}`", text)


@needs_grcc
class qa_example_flowgraphs(unittest.TestCase):
    def test_every_flowgraph_compiles(self):
        for path in sorted(glob.glob(os.path.join(EXAMPLES, "*.grc"))):
            with self.subTest(path=path):
                compiled(os.path.basename(path)[:-len(".grc")])

    @unittest.skipUnless(shutil.which("xvfb-run") and glob.glob("/usr/lib/*/*/Gtk-3.0.typelib"),
                         "xvfb or gir1.2-gtk-3.0 is not installed")
    def test_flowgraphs_can_be_drawn(self):
        paths = sorted(glob.glob(os.path.join(EXAMPLES, "*.grc")))
        said = run(sys.executable, os.path.join(ROOT, "scripts", "flowgraph_picture"),
                   *paths, "-o", FOLDER)
        for path in paths:
            picture = os.path.join(FOLDER, os.path.basename(path).replace(".grc", ".png"))
            self.assertIn(picture, said)
            self.assertGreater(os.path.getsize(picture), 10000)

    @needs_casacore
    def test_raw_to_measurement_set(self):
        output = os.path.join(FOLDER, "raw.ms")
        run(sys.executable, compiled("raw_to_measurement_set"), "--output", output)
        qa_examples.check_two_antennas(self, output)

    @needs_casacore
    @unittest.skipUnless(os.path.exists(RECORDING), "the TART recording is not there")
    def test_tart_all_sky(self):
        output = os.path.join(FOLDER, "tart.ms")
        run(sys.executable, compiled("tart_all_sky"), "--output", output,
            "--recording", os.path.realpath(RECORDING))
        vis = fringe.read_visibilities(output)
        self.assertEqual(vis.data.shape, (8, 256, 300))
        self.assertEqual(str(vis.times[0])[:16], "2026-06-12T11:20")
        i, j = vis.products
        band = vis.data[:, 89:168].mean(axis=(0, 1))  # the filter's
        power = vis.data.mean(axis=(0, 1))[i == j].real
        self.assertLess(np.abs(power - 1).max(), 0.03)  # one-bit samples are +-1
        coherence = band / np.sqrt(band[i == j].real[i] * band[i == j].real[j])
        # Of the raw data 0.284 at 126.6 degrees; less the phases of the two receivers.
        one = coherence[(i == 15) & (j == 20)][0]
        self.assertAlmostEqual(abs(one), 0.284, 1)
        self.assertLess(abs(np.degrees(np.angle(one)) - (126.6 + 18.8 - 29.6)), 5)

    @unittest.skipUnless(importlib.util.find_spec("PyQt5"), "PyQt5 is not installed")
    def test_two_element_interferometer(self):
        compiled("two_element_interferometer")
        said = run(sys.executable, "-c", LIVE, cwd=FOLDER)
        before, after, coherence, blue = map(float, said.splitlines()[-1].split())
        self.assertGreater(before, 8)  # 3 s in dumps of 0.1 s, on a slow machine
        self.assertGreater(after, 2)
        self.assertLess(after, 12)  # 3 s in dumps of 0.5 s
        self.assertAlmostEqual(coherence, 0.43, 1)
        self.assertGreater(blue, 100)  # the curves are drawn


if __name__ == "__main__":
    unittest.main()
