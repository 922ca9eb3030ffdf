#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs ctest and counts single tests, not programs: "N passed, N failed, N skipped".

A C++ program (Boost.Test) and a Python one (unittest) each hold many tests; their own closing
lines are read. A program that dies without one counts as a failure.
"""
import argparse
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml


def counts_of(output, passed):
    """(passed, failed, skipped, names of skipped) that one program's output tells."""
    ran = re.search(r"^Ran (\d+) tests? in", output, re.M)
    if ran:  # unittest
        number = {word: int(n) for word, n in
                  re.findall(r"(failures|errors|skipped|expected failures)=(\d+)", output)}
        bad = number.get("failures", 0) + number.get("errors", 0)
        skipped = number.get("skipped", 0)
        # A class or module that is skipped whole counts as skipped but not as run.
        good = max(int(ran[1]) - bad - skipped, 0)
        return good, max(bad, 0 if passed else 1), skipped
    boost = re.search(r"^Running (\d+) test cases?", output, re.M)
    if boost:
        bad = re.search(r"(\d+) failures? (?:is|are) detected|aborted", output)
        failed = len(set(re.findall(r'error: in "([^"]+)"', output))) if bad or not passed else 0
        failed = max(failed, 0 if passed else 1)
        return max(int(boost[1]) - failed, 0), failed, 0
    return (1, 0, 0) if passed else (0, 1, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("pattern", nargs="?", default=".")
    options = parser.parse_args()
    build = os.path.abspath(options.build)  # ctest takes the report's place from the build folder
    report = f"{build}/tests.xml"
    subprocess.run(["ctest", "--test-dir", build, "-R", options.pattern,
                    # More than there are processors: many wait for a device that is late, a socket
                    # or a window, and compute little.
                    f"-j{2 * (os.cpu_count() or 1) + 1}",
                    "--timeout", "600", "--output-junit", report,
                    "--test-output-size-passed", "100000", "--test-output-size-failed",
                    "100000"], check=False)
    total = [0, 0, 0]
    for case in xml.parse(report).getroot().iter("testcase"):
        output = case.findtext("system-out") or ""
        passed = case.get("status") == "run"
        counts = counts_of(output, passed)
        total = [a + b for a, b in zip(total, counts)]
        for test, reason in re.findall(r"^(\w+) \(.*\bskipped ['\"](.+)['\"]\s*$", output, re.M):
            print(f"skipped: {case.get('name')}.{test}: {reason}")
        if counts[1]:
            print(f"\n---- {case.get('name')} failed:\n{output}")
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main())
