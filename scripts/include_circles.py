#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of C++ that include each other in a circle, and folders that no page names.

    include_circles.py lib docs/rooms.md

A folder and the folders in it are one room where the upper one has a table of what lies below:
formats, backends. So an include from a folder into its own folders is no arrow.
Exit code 1 where there is a circle, or a folder that the page does not name.
"""
import os
import re
import sys

from import_circles import circle


def sources(root):
    """Files of C++ below a folder."""
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith((".h", ".cc", ".cu", ".cuh")):
                yield os.path.join(folder, name)


def arrows(root):
    """{folder: folders that it includes from}, without those inside of it."""
    found = {}
    for path in sources(root):
        folder = os.path.dirname(os.path.relpath(path, root))
        with open(path, encoding="utf-8") as file:
            for name in re.findall(r'^#include "([^"]+)"', file.read(), re.MULTILINE):
                other = os.path.dirname(name)
                if os.path.isfile(os.path.join(root, name)) and other != folder \
                        and not other.startswith(folder + "/"):
                    found.setdefault(folder, set()).add(other)
    return found


def main(root, page):
    """Prints what is wrong; the exit status says whether something is."""
    found = circle({folder: others for folder, others in arrows(root).items()
                    if not folder.startswith("tests")})
    if found:
        print(f"{root}: " + " -> ".join(found))
    with open(page, encoding="utf-8") as file:
        text = file.read()
    folders = {os.path.dirname(path) for path in sources(root)}
    # A folder of one backend, .../cuda, belongs to the folder above it.
    folders = {folder for folder in folders if os.path.basename(folder) != "cuda"}
    unnamed = sorted(folder for folder in folders if folder not in text
                     and os.path.basename(folder) + "/" not in text)
    for folder in unnamed:
        print(f"{page}: does not name {folder}")
    return 1 if found or unnamed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
