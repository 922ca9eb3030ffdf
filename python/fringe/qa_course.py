#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The sessions of docs/course: their commands and Python run, and print what the pages say."""
import glob
import os
import re
import unittest

from qa_docs import DOCS, LINK, pasted, read, script

SESSIONS = sorted(glob.glob(os.path.join(DOCS, "course", "[0-9]*.md")))
#: The quick ones run every day, and all of them where other random numbers are asked for, too:
#: their own stay the same.
DAILY = ("01", "07")
NAMES = [os.path.basename(page)[:2] for page in SESSIONS]
HEADINGS = ["Check the set-up", "Do", "Expect", "Typical mistakes, and how they look", "Questions"]


class qa_course(unittest.TestCase):
    runner = script("tutorial_pictures")

    def test_the_sessions_print_what_they_say(self):
        for name, page in zip(NAMES, SESSIONS):
            if name not in DAILY and not os.environ.get("FRINGE_TEST_SEED"):
                continue
            for line, asked, stated, says in self.runner.run(page):
                with self.subTest(page=name, line=line):
                    self.assertEqual(stated, says, asked)

    def test_the_sessions_can_be_pasted_into_a_prompt(self):
        for name, page in zip(NAMES, SESSIONS):
            prompt = pasted()
            for line, kind, code in self.runner.snippets(page):
                if kind == "python":
                    with self.subTest(page=name, line=line):
                        unfinished = [prompt.push(line) for line in code.splitlines()]
                        self.assertEqual(prompt.errors, [])
                        self.assertFalse(unfinished[-1], "the prompt waits for more lines")

    def test_each_session_has_its_parts(self):
        answers = read(os.path.join(DOCS, "course", "answers.md"))
        self.assertEqual(NAMES, [f"{k:02}" for k in range(1, 11)])
        for name, page in zip(NAMES, SESSIONS):
            with self.subTest(page=name):
                text = read(page)
                self.assertEqual(re.findall(r"^## (?!.*Theory)(.*)$", text, re.MULTILINE), HEADINGS)
                for word in ("Aim", "Time", "You need", "Theory"):
                    self.assertIn(f"**{word}.**", text)
                self.assertEqual(len([link for link in LINK.findall(text) if ".png" in link]), 1)
                asked = re.findall(r"^\d+\. ", text.partition("## Questions")[2], re.MULTILINE)
                part = answers.partition(f"## Session {int(name)}\n")[2].partition("\n## ")[0]
                self.assertEqual(re.findall(r"^\d+\. ", part, re.MULTILINE), asked)

    def test_lines_are_compared_as_far_as_they_are_stated(self):
        same = self.runner.same
        self.assertTrue(same(["a 1.25", "...", "z"], ["a  1.26", "b", "c", "z"]))
        self.assertTrue(same(["..."], []))
        self.assertTrue(same(["V 2e-05 m"], ["V 2e-05 m"]))
        for stated, says in (("a 1.25", "a 1.28"), ("a 1", "a 2"), ("a 1.0", "b 1.0"),
                             ("a", "a b"), ("-1.0", "+1.0"), ("17070,0", "17071,0")):
            self.assertFalse(same([stated], [says]), stated)
        self.assertFalse(same(["a"], ["a", "b"]))
        self.assertFalse(same([], ["a"]))


if __name__ == "__main__":
    unittest.main()
