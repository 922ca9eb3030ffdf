#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of lib/blocks that use a header of GNU Radio and include it by no way.

    precompiled_headers.py lib include

The library is compiled with these headers precompiled, so no compiler finds that one is missing.
Exit code 1 where a file names what is in a header, and neither it nor a header that it includes
includes that header. Needs GNU Radio's headers, and is content without them.
"""
import functools
import os
import re
import sys

INSTALLED = "/usr/include"
#: What is precompiled (lib/CMakeLists.txt), by the words that need it.
HEADERS = {"gnuradio/block.h": r"public gr::(sync_)?block\b|gr::block::|gr::block_sptr",
           "gnuradio/block_detail.h": r"\bblock_detail\b|\bdetail\(\)->",
           "gnuradio/buffer.h": r"gr::buffer\b|\bbuffer_sptr\b|output\(\w+\)->",
           "gnuradio/buffer_reader.h": r"gr::buffer_reader\b|\bbuffer_reader_sptr\b|input\(\w+\)->",
           "gnuradio/io_signature.h": r"\bio_signature::"}


@functools.lru_cache(None)
def includes(path):
    """What one file includes."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return re.findall(r'^\s*#\s*include\s*[<"]([^">]+)[">]', file.read(), re.MULTILINE)


def reached(path, roots):
    """What a file includes, by whatever number of headers of ours and of GNU Radio."""
    found, files = set(), [path]
    while files:
        file = files.pop()
        for name in set(includes(file)) - found:
            found.add(name)
            places = (os.path.join(root, name) for root in (os.path.dirname(file), *roots))
            inner = next(filter(os.path.isfile, places), "")
            if inner and (name.startswith("gnuradio/") or not inner.startswith(INSTALLED)):
                files.append(inner)
    return found


def main(roots):
    """Prints what is missing; the exit status says whether something is."""
    if not os.path.isfile(os.path.join(INSTALLED, "gnuradio", "block.h")):
        return 0
    missing = 0
    for folder, _, names in os.walk(os.path.join(roots[0], "blocks")):
        for path in (os.path.join(folder, name) for name in names if name.endswith(".cc")):
            with open(path, encoding="utf-8") as file:
                text = re.sub(r"//.*", "", file.read())
            for header, words in HEADERS.items():
                if re.search(words, text) and header not in reached(path, (*roots, INSTALLED)):
                    print(f"{path}: uses {re.search(words, text)[0]} without <{header}>")
                    missing = 1
    return missing


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
