#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Every public function and class is called, once by position and once by keyword."""
import ast
import glob
import inspect
import os
import re
import unittest

from gnuradio import fringe
from qa_call_table import NO_DEVICE, by_themselves, calls
from qa_scratch import scratch_case

FOUND, _ = fringe.find_devices()
HAS_DEVICE = bool(FOUND) and not FOUND[0].refused
ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..")


def kinds(wanted):
    """Public names whose objects are functions or classes, or (wanted False) are neither."""
    return {name for name in fringe.__all__
            if callable(getattr(fringe, name)) == wanted}


class qa_public_names(scratch_case):

    def setUp(self):
        super().setUp()
        self.calls = calls(self.folder)

    def test_each_has_a_call(self):
        known = set(self.calls) | set(by_themselves(self.calls)) | {"device_info"}
        self.assertEqual(kinds(True) - known, set(), "name them in qa_call_table.py")
        self.assertEqual(known - kinds(True), set(), "are called, and not public")

    def test_modules(self):
        self.assertEqual(kinds(False), {"imaging", "item_sizes"})

    def call(self, name, how, made):
        if name in NO_DEVICE and not HAS_DEVICE:
            with self.assertRaisesRegex((ValueError, RuntimeError), NO_DEVICE[name]):
                made()
            return None
        result = made()
        public = getattr(fringe, name)
        if inspect.isclass(public):
            self.assertIsInstance(result, public, f"{name} {how}")
        return result

    def test_by_position(self):
        for name, call in self.calls.items():
            with self.subTest(name=name):
                self.end(self.call(name, "by position", lambda: call.by_position(
                    getattr(fringe, name))))

    def test_by_keyword(self):
        for name, call in self.calls.items():
            with self.subTest(name=name):
                self.end(self.call(name, "by keyword", lambda: call.by_keyword(
                    getattr(fringe, name))))

    @staticmethod
    def end(result):
        """Lets go of what a call opened."""
        if hasattr(result, "close"):
            result.close()

    def test_what_others_make(self):
        """Classes that have no constructor, or are raised."""
        for name, (make, call) in by_themselves(self.calls).items():
            with self.subTest(name=name):
                self.assertIsInstance(call.by_position(make), getattr(fringe, name))
                self.assertIsInstance(call.by_keyword(make), getattr(fringe, name))

    @unittest.skipUnless(FOUND, "no device")
    def test_devices(self):
        self.assertIsInstance(FOUND[0], fringe.device_info)

    def test_help_says_the_arguments(self):
        """The signature of a class has the names by which it is called."""
        read = 0
        for name, call in self.calls.items():
            public = getattr(fringe, name)
            if not inspect.isclass(public) or issubclass(public, BaseException):
                continue
            known = list(inspect.signature(public).parameters)
            if "keywords" in known:  # it has several constructors, or none
                continue
            read += 1
            with self.subTest(name=name):
                self.assertEqual(list(call.words), known[:len(call.words)])
        self.assertGreater(read, 50)

    def test_star(self):
        names = {}
        exec("from gnuradio.fringe import *", names)  # pylint: disable=exec-used
        names.pop("__builtins__")
        self.assertEqual(set(names), set(fringe.__all__))
        self.assertEqual(len(fringe.__all__), len(set(fringe.__all__)))
        self.assertEqual([name for name in fringe.__all__ if name.startswith("_")], [])

    def test_blocks_are_public(self):
        """Every block of GNU Radio Companion, as its code calls it."""
        used = set()
        for path in glob.glob(os.path.join(ROOT, "grc", "*", "*.block.yml")):
            with open(path, encoding="utf-8") as file:
                used |= set(re.findall(r"\bfringe\.([a-z_]+)\(", file.read()))
        self.assertGreater(len(used), 25)
        self.assertEqual(used - set(fringe.__all__) - SUBMODULES, set())

    def test_names_in_examples_are_public(self):
        """Names that examples take from the package."""
        used = set()
        for path in glob.glob(os.path.join(ROOT, "examples", "**", "*.py"), recursive=True):
            with open(path, encoding="utf-8") as file:
                tree = ast.parse(file.read())
            used |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and
                     isinstance(node.value, ast.Name) and node.value.id == "fringe"}
        self.assertGreater(len(used), 5)
        self.assertEqual(used - set(fringe.__all__) - SUBMODULES, set())


#: Folders of the package, which programs import by name.
SUBMODULES = {"calibration", "displays", "images", "readers", "sky_model", "plots"}

if __name__ == "__main__":
    unittest.main()
