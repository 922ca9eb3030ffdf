#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds names in Python and C++ that do not name a thing: plain_names.py FOLDER...

`one` is to be what it is one of (visibility, file, dump, row), `said` and `told` the message or the
output, `most` the limit or the maximum.
"""
import ast
import pathlib
import re
import sys

#: Comments and texts of C++, and its names that are looked for.
TEXTS = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
BAD_IN_CPP = re.compile(r"\b(?:d_)?(?:one|told|said|handed|lent|most|patience|"
                        r"\w+_(?:said|told|lent))\b")
BAD = re.compile(r"_?(one|told|said|handed|lent|most|patience)|most_(?!common$).*|"
                 r".*_(said|told|handed|lent)|(?!at_most$).*_most", re.IGNORECASE)


def programs(folder):
    """Files of Python in a folder."""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".py" and path.is_file():
            yield path
        elif not path.suffix and path.is_file():
            with path.open("rb") as file:
                if re.match(b"#!.*python", file.readline(100)):
                    yield path


def names_in_cpp(folder):
    """(path, line, name) of those of C++ that name nothing."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".cc", ".h", ".cu", ".cuh"):
            source = TEXTS.sub(lambda text: "\n" * text[0].count("\n"),
                               path.read_text(encoding="utf-8"))
            for match in BAD_IN_CPP.finditer(source):
                yield path, source.count("\n", 0, match.start()) + 1, match[0]


def names(tree):
    """(name, line) of each variable, argument, attribute, function and class."""
    for node in ast.walk(tree):
        for field in ("id", "arg", "attr", "name", "asname"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield name, getattr(node, "lineno", 1)


def main():
    found = []
    for folder in map(pathlib.Path, sys.argv[1:]):
        found += names_in_cpp(folder)
        for path in programs(folder):
            tree = ast.parse(path.read_text(encoding="utf-8"), path)
            found += [(path, line, name) for name, line in sorted(
                set(names(tree)), key=lambda pair: pair[1]) if BAD.fullmatch(name)]
    for path, line, name in found:
        print(f"{path}:{line}: {name}: name what it is: a file, a row, a message, a limit")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
