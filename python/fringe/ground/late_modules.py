#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Parts of numpy that are loaded when they are first used.

numpy loads all its parts, and they what they need (hashes for random numbers, the inspection of
code for masked arrays): a quarter of the time of the start of a command that uses none of them.
"""
import importlib.machinery
import importlib.util
import sys

#: None of them is loaded by another part of numpy. An import of numpy finds modules in their places
#: that become the real ones with the first name that is asked of them.
PARTS = ("numpy.ctypeslib", "numpy.ma", "numpy.polynomial", "numpy.random")


class _late_finder:
    """Finds PARTS as importlib's own finder does, to be loaded late."""

    @staticmethod
    def find_spec(name, path=None, _target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path) if name in PARTS else None
        if spec is not None and spec.loader is not None:
            spec.loader = importlib.util.LazyLoader(spec.loader)
        return spec


def load_late():
    """Call it before numpy is imported. Not in a program in which several threads of Python may use
    such a part first: until Python 3.12 one of them can meet it half loaded."""
    if "numpy" not in sys.modules:
        sys.meta_path.insert(0, _late_finder)
