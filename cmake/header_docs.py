#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes Python docstrings of the comments in the public block headers.

usage: header_docs.py OUTPUT HEADER...

The comment before `class FRINGE_API NAME` becomes docs::NAME, the one before its make()
docs::NAME_make, and of make_KIND() docs::NAME_make_KIND; so C++ and Python readers have the same
text, and no Doxygen is needed.
"""
import re
import sys

COMMENT = r"/\*!(?P<text>(?:(?!\*/).)*)\*/\s*"


def plain(comment):
    """The text of a comment without its stars and Doxygen commands."""
    lines = [re.sub(r"^\s*\*? ?", "", line) for line in comment.splitlines()]
    text = "\n".join(line for line in lines if not line.startswith("\\ingroup"))
    text = re.sub(r"\\brief |\\details\n?", "", text)
    text = re.sub(r"\\param (\w+) ", r"  \1: ", text)
    return text.strip()


def docs(source):
    """(name, text) of every documented class and its make()."""
    for match in re.finditer(COMMENT + r"class FRINGE_API (?P<name>\w+)", source, re.S):
        name = match["name"]
        yield name, plain(match["text"])
        body = source[match.end():]
        for make in re.finditer(COMMENT + r"static sptr (?P<name>make\w*)\(", body, re.S):
            yield f'{name}_{make["name"]}', plain(make["text"])


def main():
    output, headers = sys.argv[1], sys.argv[2:]
    with open(output, "w", encoding="utf-8") as out:
        out.write("// Made by cmake/header_docs.py from the public headers.\n#pragma once\n")
        out.write("namespace docs {\n")
        for header in headers:
            with open(header, encoding="utf-8") as source:
                for name, text in docs(source.read()):
                    out.write(f'constexpr const char* {name} = R"__doc__({text})__doc__";\n')
        out.write("} // namespace docs\n")


if __name__ == "__main__":
    main()
