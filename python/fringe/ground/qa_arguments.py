#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What Python says of arguments that are wrong, and what objects say of themselves."""
import html
import inspect
import os
import pydoc
import re
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.ground.arguments import explained
from gnuradio.fringe.runs.settings import run_settings
from gnuradio.fringe.observing.observation_words import describe_parts
from qa_cli import command
from qa_scratch import scratch_case


def with_arguments():
    """(name, class, names of its arguments) of the classes that C++ has made."""
    for name, made in sorted(vars(fringe.fringe_python).items()):
        if isinstance(made, explained) and not name.startswith("_"):
            parameters = inspect.signature(made).parameters
            if "keywords" not in parameters:  # of a class with several constructors, or none
                yield name, made, list(parameters)


class qa_arguments(scratch_case):

    def test_misspelled(self):
        found = 0
        for name, public, known in with_arguments():
            for key in known:
                if len(key) < 5:
                    continue
                at = int(self.rng.integers(1, len(key)))
                bad = key[:at] + key[at + 1:]
                if bad in known:
                    continue
                found += 1
                with self.subTest(name=name, argument=bad):
                    with self.assertRaises(TypeError) as caught:
                        public(**{bad: 1})
                    match = re.fullmatch(rf"{public.__name__}: {bad}: there is no such argument; "
                                         r"the nearest is (\w+)", str(caught.exception))
                    self.assertTrue(match, str(caught.exception))
                    self.assertIn(match[1], known)
        self.assertGreater(found, 200)
        names = {name for name, _, _ in with_arguments()}
        for name in ("stack", "channelizer", "xengine", "visibility_sink", "udp_source"):
            self.assertIn(name, names)

    def test_misspelled_in_python(self):
        """Functions and classes of Python say it as Python does."""
        for made in (fringe.correlate, fringe.fx_correlator, fringe.simulate, fringe.imager,
                     fringe.read_visibilities):
            with self.subTest(name=made.__name__):
                with self.assertRaisesRegex(TypeError, "'chanels'"):
                    made("x", "y", chanels=1)

    def test_the_nearest(self):
        for bad, near in (("windw", "window"), ("tap", "taps"), ("chanels", "channels")):
            with self.assertRaisesRegex(TypeError, f"{bad}: .*the nearest is {near}$"):
                fringe.channelizer(2, 128, **{bad: 1})
        with self.assertRaisesRegex(TypeError, "stack: xyz: there is no such argument; there are "
                                    "inputs, block_samples, sample_rate"):
            fringe.stack(2, 100, xyz=1)

    def test_kinds(self):
        for arguments, why in ((("two", 1000), "stack: inputs: 'two': must be an int"),
                               ((2, 10.5), "stack: block_samples: 10.5: must be an int"),
                               ((2, 10, "fast"), "stack: sample_rate: 'fast': must be a float"),
                               ((2,), "stack: block_samples: is missing")):
            with self.assertRaisesRegex(TypeError, f"^{re.escape(why)}$"):
                fringe.stack(*arguments)
        fringe.stack(np.int64(2), np.int32(1000), np.float32(5))

    def test_signatures(self):
        """Defaults in Python's signature are those of C++; correlate() has every option."""
        self.assertEqual(str(inspect.signature(fringe.stack)),
                         "(inputs: int, block_samples: int, sample_rate: float = 0.0, "
                         "center_frequency: float = 0.0, start_time: str = 'now', "
                         "complex_samples: bool = True)")
        options = inspect.signature(run_settings).parameters
        shown = inspect.signature(fringe.correlate).parameters
        self.assertGreater(len(options), 10)
        for name, parameter in options.items():
            if name == "recordings":  # the first argument of correlate(), which must be given
                continue
            self.assertEqual(shown[name].default, parameter.default)
        self.assertIn("van_vleck", pydoc.render_doc(fringe.correlate))

    def test_names_of_python_and_of_the_command(self):
        np.zeros(4000, np.int8).tofile(self.path("r.ci8"))
        os.chdir(self.folder)
        self.addCleanup(os.chdir, "/")
        common = ["correlate", "r.ci8", "--inputs", "2", "--sample-rate", "1e6", "-o", "a.ACC"]
        for words, settings, sentence in (
                (["--channels", "0"], {"channels": 0}, "--channels: 0: must be a positive"),
                (["--start-sample", "1,2"], {"start_sample": (1, 2)}, "--start-sample: 2 numbers"),
                (["--phase-center", "Pluto"], {"phase_centers": ["Pluto"]},
                 "--phase-center: Pluto"),
                (["--mask", "1,2"], {"mask": [(1, 2)]}, "--mask: names bands to flag")):
            done = command(*common, *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(sentence, done.stderr)
            name, _, rest = sentence[2:].partition(":")
            name = {"phase-center": "phase_centers"}.get(name, name.replace("-", "_"))
            with self.assertRaisesRegex(ValueError, f"^{name}:{rest}") as caught:
                fringe.correlate("r.ci8", "a.ACC", inputs=2, sample_rate=1e6, **settings)
            self.assertNotIn("--", str(caught.exception))

    def test_the_same_option_everywhere(self):
        """--obs is the observation file of every command that has one as an option."""
        for name in ("correlate", "calibrate", "plan"):
            self.assertIn("--obs OBS.yml", command(name, "--help").stdout)

    def test_objects(self):
        inputs, channels = (int(n) for n in self.rng.integers(2, 9, 2))
        for given in fringe.recording_formats():
            self.assertIn(f"name='{given.name}'", repr(given))
        obs = fringe.observation.example(inputs)
        self.assertEqual(obs._repr_html_(),
                         f"<pre>{html.escape(describe_parts('observation', obs))}</pre>")
        obs.channels = channels
        self.assertEqual(obs.channels, channels)
        with self.assertRaisesRegex(AttributeError, "chanels: .*the nearest is channels"):
            obs.chanels = 3

    def test_visibilities(self):
        obs = fringe.observation.example(2)
        fringe.simulate(obs, self.path("a.ci8"), 100000, "ci8")
        fringe.correlate(self.path("a.ci8"), self.path("a.ACC"), obs, format="ci8", channels=10,
                         integration=0.02)
        vis = fringe.read_visibilities(self.path("a.ACC"))
        self.assertRegex(repr(vis), rf"<visibilities {self.path('a.ACC')}: {len(vis.seconds)} "
                         r"dumps, 10 channels, 2 inputs, 149.5 MHz to 150.4 MHz.*>")


if __name__ == "__main__":
    unittest.main()
