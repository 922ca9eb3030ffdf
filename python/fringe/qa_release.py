#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Releases: one version in every file that has it, and scripts/release on a copy of the tree."""
import os
import re
import subprocess
import unittest

from qa_scratch import TIMEOUT, scratch_case

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))
VERSION = r"(\d+\.\d+\.\d+)"
AUTHOR = {**os.environ, **{f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER")
                           for key, value in (("NAME", "T"), ("EMAIL", "t@x.invalid"))}}
#: What stands before the version in each file.
PLACES = {"CMakeLists.txt": r"^project\(gr-fringe VERSION ", "CITATION.cff": r"^version: ",
          "MANIFEST.yml": r"^version: ", ".conda/recipe/meta.yaml": r"^  version: ",
          "CHANGELOG.md": r"^## ", "README.md": "gr-fringe_", "docs/first_fringe.md": "gr-fringe_"}


def versions(root):
    """{file: the versions in it, each once}; of the changelog its newest."""
    found = {}
    for place, before in PLACES.items():
        with open(os.path.join(root, place), encoding="utf-8") as file:
            found[place] = re.findall(before + VERSION, file.read(), re.MULTILINE)
    found["CHANGELOG.md"] = found["CHANGELOG.md"][:1]
    return {place: sorted(set(places)) for place, places in found.items()}


class qa_release(scratch_case):

    def git(self, *words):
        return subprocess.run(["git", "-C", self.tree, *words], env=AUTHOR, check=True,
                              capture_output=True, text=True).stdout

    def copied(self):
        """A tree with the files that have the version and the script, in a repository."""
        self.tree = self.path("tree")
        for name in (*PLACES, "scripts/release", "scripts/common.sh"):
            target = os.path.join(self.tree, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(os.path.join(ROOT, name), "rb") as file, open(target, "wb") as copy:
                copy.write(file.read())
        os.chmod(os.path.join(self.tree, "scripts/release"), 0o755)
        self.git("init", "-q")
        self.committed()

    def committed(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "a tree")

    def changelog(self, heading):
        path = os.path.join(self.tree, "CHANGELOG.md")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("\n## ", f"\n{heading}\n\nNew.\n\n## ", 1))
        self.committed()

    def release(self, *words):
        ended = subprocess.run([os.path.join(self.tree, "scripts/release"), *words],
                               capture_output=True, text=True, timeout=TIMEOUT, check=False,
                               env=AUTHOR)
        return ended.returncode, ended.stderr

    def test_one_version_everywhere(self):
        found = versions(ROOT)
        self.assertEqual(set(map(tuple, found.values())), {tuple(found["CMakeLists.txt"])}, found)
        self.assertEqual(len(found["CMakeLists.txt"]), 1, found)

    def test_prepare(self):
        self.copied()
        self.changelog("## 7.8.9 (unreleased)")
        self.assertEqual(self.release("prepare", "7.8.9"), (0, ""))
        self.assertEqual(set(map(tuple, versions(self.tree).values())), {("7.8.9",)})
        self.assertEqual(self.git("status", "--porcelain"), "")
        self.assertEqual(self.git("rev-parse", "v7.8.9^{commit}"), self.git("rev-parse", "HEAD"))
        self.assertRegex(self.git("show", "HEAD:CITATION.cff"),
                         r"\ndate-released: \d{4}-\d\d-\d\d\n")
        self.assertNotIn("7.8.9 (unreleased)", self.git("show", "HEAD:CHANGELOG.md"))
        code, complaint = self.release("prepare", "7.8.9")
        self.assertEqual((code, complaint), (1, "release: the tag v7.8.9 exists already\n"))

    def test_refused(self):
        self.copied()
        head = self.git("rev-parse", "HEAD")
        for words, code, sentence in (
                ((), 2, "usage"), (("prepare",), 2, "usage"),
                (("prepare", "7"), 1, "three numbers"), (("prepare", "0.0.1"), 1, "has 0"),
                (("prepare", "7.8.9"), 1, "CHANGELOG.md: 0 lines"),
                (("build",), 1, "does not have the tag")):
            with self.subTest(words):
                got, complaint = self.release(*words)
                self.assertEqual(got, code, complaint)
                self.assertIn(sentence, complaint)
        with open(os.path.join(self.tree, "new"), "w", encoding="utf-8"):
            pass
        self.assertIn("not committed", self.release("prepare", "7.8.9")[1])
        self.assertEqual(self.git("rev-parse", "HEAD"), head)


if __name__ == "__main__":
    unittest.main()
