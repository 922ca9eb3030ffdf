#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The manual pages: what `fringe COMMAND --help` says, as `man` shows it."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import unittest

from gnuradio.fringe.cli import parser
from gnuradio.fringe.cli.usage import show_all
from qa_scratch import scratch_case

MAKER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..", "cmake",
                     "man_pages.py")


def man_is_there():
    """Whether there is a true man, not the text that minimal systems put in its place."""
    if not shutil.which("man"):
        return False
    done = subprocess.run(["man", "--version"], capture_output=True, text=True, check=False)
    return done.stdout.startswith("man 2")


def words(text):
    """The text without spaces and line breaks, which man places anew."""
    return re.sub(r"\s", "", text)


class qa_man_pages(scratch_case):

    def setUp(self):
        super().setUp()
        subprocess.run([sys.executable, MAKER, self.folder], check=True)

    def commands(self):
        action, = (action for action in parser()._actions
                   if isinstance(action, argparse._SubParsersAction))
        for command in action.choices.values():
            show_all(command)
        return action.choices

    def shown(self, name):
        """What man shows of a page; it may not warn of anything."""
        done = subprocess.run(
            ["man", "--warnings=all", "--nh", "--nj", "-Tutf8", "-l", self.path(f"{name}.1")],
            capture_output=True, text=True, check=True,
            env={**os.environ, "MANWIDTH": "200", "MAN_KEEP_FORMATTING": "", "LC_ALL": "C.UTF-8"})
        self.assertEqual(done.stderr, "")
        return words(re.sub("\x1b\\[[0-9;]*m|.\b", "", done.stdout))

    @unittest.skipUnless(man_is_there(), "man-db is not installed")
    def test_all_that_help_says(self):
        commands = self.commands()
        self.assertGreater(len(commands), 14)
        self.assertEqual({name for name in os.listdir(self.folder) if name.endswith(".1")},
                         {"fringe.1"} | {f"fringe-{name}.1" for name in commands})
        for name, command in {"": parser(), **commands}.items():
            with self.subTest(command=name):
                page = self.shown(f"fringe-{name}".rstrip("-"))
                formatter = command.formatter_class(command.prog)
                for action in command._actions:
                    for option in action.option_strings:
                        self.assertIn(option, page)
                    if action.help and action.help != argparse.SUPPRESS:
                        self.assertIn(words(formatter._expand_help(action)), page)
                for text in (command.description, command.epilog or ""):
                    self.assertIn(words(text), page)
        for name in commands:
            self.assertIn(f"fringe-{name}(1)", self.shown("fringe"))

    def test_lines_of_examples_stay(self):
        """Each line of an example is a line of the page."""
        with open(self.path("fringe-correlate.1"), encoding="utf-8") as file:
            page = file.read().replace("\\-", "-")
        lines = [line for line in self.commands()["correlate"].epilog.splitlines()
                 if line.startswith("  fringe ") and "\\" not in line]
        self.assertGreater(len(lines), 2)
        for line in lines:
            self.assertIn(f"\n{line}\n", page)


if __name__ == "__main__":
    unittest.main()
