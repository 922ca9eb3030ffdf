#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""docs/a_night.md: its commands and Python run, and print what the page says."""
import os
import re
import unittest

from qa_docs import DOCS, read, script
from qa_scratch import scratch_case

PAGE = os.path.join(DOCS, "a_night.md")
#: The first half of a shorter night runs every day, the page as it is where other random numbers
#: are asked for, too: its own stay the same.
WHOLE, SHORT = '"target.ms", 2)', '"target.ms", 8)'
HALF = "## Self-calibration"


class qa_a_night(scratch_case):
    runner = script("tutorial_pictures")

    @unittest.skipUnless(os.environ.get("FRINGE_TEST_SEED"), "runs in the thorough pass")
    def test_the_night_prints_what_the_page_says(self):
        for line, asked, stated, says in self.runner.run(PAGE):
            with self.subTest(line=line):
                self.assertEqual(stated, says, asked)

    def test_a_short_night_is_calibrated(self):
        text = read(PAGE)
        self.assertEqual(text.count(WHOLE), 1)
        self.assertEqual(text.count(HALF), 1)
        # Without what the page states, which a shorter night does not print.
        text = re.sub("```console\\n(.*?)```", lambda block: "```console\n" + "".join(
            re.findall(r"^\$ .*\n", block[1], re.MULTILINE)) + "```",
            text.partition(HALF)[0], flags=re.DOTALL)
        short = self.path("a_night.md")
        with open(short, "w", encoding="utf-8") as file:
            file.write(text.replace(WHOLE, SHORT))
        commands = 0
        for line, asked, _, says in self.runner.run(short):
            with self.subTest(line=line):
                self.assertNotIn("ended with", says, asked)
                commands += asked.startswith("fringe ")
                if asked.startswith("fringe calibrate"):
                    self.assertIn("X: residual 1.", says)
                    # The products of X and Y fit as well, and leakages are the 3 % that they are.
                    self.assertRegex(says, r"XY: residual (1\.0|0\.9)")
                    self.assertRegex(says, r"D \(leakage.*, amplitude 0\.03")
                if "first.fits" in asked:
                    self.assertRegex(says, r"peak 0\.[78]")
        self.assertEqual(commands, 6)


if __name__ == "__main__":
    unittest.main()
