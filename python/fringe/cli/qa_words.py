#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sentences of the library in the words of the command, and options that are described once."""
import argparse
import dataclasses
import inspect
import unittest

from gnuradio import fringe
from gnuradio.fringe import cli
from gnuradio.fringe.cli.options import given_options
from gnuradio.fringe.cli.words import in_command, words_of
from gnuradio.fringe.ground.options import option_name
from gnuradio.fringe.runs.settings import run_settings


class qa_words(unittest.TestCase):

    def setUp(self):
        top = cli.parser(["correlate", "plan", "info"])
        commands = next(action for action in top._actions
                        if isinstance(action, argparse._SubParsersAction))
        self.correlate, self.plan, self.info = (
            commands.choices[name] for name in ("correlate", "plan", "info"))

    def test_sentences(self):
        words = words_of(self.correlate)
        for python, command in (
                ("sample_rate: 0: must be positive", "--sample-rate: 0: must be positive"),
                ("integration and spectra: give one", "--integration and --spectra: give one"),
                ("phase_centers: Pluto: give RA,DEC", "--phase-center: Pluto: give RA,DEC"),
                ("take tracking=False", "take --no-track"),
                ("leave out remove_mean=True.", "leave out --remove-mean."),
                ("is there (overwrite=True)", "is there (--overwrite)"),
                ("give start_samples=S, or wait", "give --start-sample S, or wait"),
                ("phase_centers=satellite=TABLE is", "--phase-center satellite=TABLE is"),
                ("with prefer=header or prefer=settings: x",
                 "with --prefer header or --prefer settings: x"),
                ("mask=1,2 lies outside", "--mask 1,2 lies outside")):
            self.assertEqual(in_command(python, words), command)
        for same in ("x.yml: inputs[0]: antenna: 7", "the observation says channels 128",
                     "live: udp://h:1?preset=mwa&inputs=4: no"[6:], "a=b: c", "unknown: x"):
            self.assertEqual(in_command(same, words), same)

    def test_other_commands_speak_of_correlate(self):
        self.assertEqual(in_command("say it with allow_gaps=True", words_of(self.info)),
                         "say it with --allow-gaps")

    def test_every_option_once(self):
        """A field of run_settings is an option of both commands and a keyword of both functions,
        and a value that is given arrives."""
        given = {"number": ("2.5", 2.5), "whole": ("3", 3), "wholes": ("4,5", [4, 5]),
                 "seconds": ("6", 6.0), "duration": ("500ms", 0.5), "band": ("1,2", (1, 2)),
                 "bands": ("1,2", [(1, 2)]), "gates": ("0.5,1", [(0.5, 1)]),
                 "texts": ("Sun", ["Sun"]), "switch": (None, True), "yes or no": (None, True),
                 "text": ("x", "x"), "backend": ("cpu", "cpu"),
                 "address": ("h:1", "h:1")}
        fields = [field for field in dataclasses.fields(run_settings) if "help" in field.metadata]
        self.assertGreater(len(fields), 40)
        for function in (fringe.correlate, fringe.runs.plan.make_plan):
            self.assertLessEqual({field.name for field in fields},
                                 set(inspect.signature(function).parameters))
            for field in fields:
                self.assertIn(f"{field.name}: ", function.__doc__)
        for field in fields:
            kind, choices = field.metadata["kind"], field.metadata["choices"]
            if kind == "gpus" or field.name in ("live", "seconds"):
                continue
            word, value = (choices[-1],) * 2 if choices else given[kind]
            for parser in (self.correlate, self.plan):
                with self.subTest(option=field.name, command=parser.prog):
                    options = parser.parse_args(
                        ["raw", "-o", "out", option_name(field), *([word] if word else [])])
                    self.assertEqual(given_options(options, run_settings), {field.name: value})


if __name__ == "__main__":
    unittest.main()
