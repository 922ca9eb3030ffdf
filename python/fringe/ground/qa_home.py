# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""A HOME of its own for a test, for the settings of GNU Radio and its Companion: import it before
them.

What only saves time, Companion's blocks and matplotlib's fonts, is kept in FRINGE_TEST_CACHE (of
the build folder) for the tests that follow: to read all blocks takes 2 s. Both programs read again
what has changed and what they cannot read.
"""
import os
import tempfile

FOLDER = tempfile.mkdtemp()
os.environ["HOME"] = FOLDER
os.mkdir(os.path.join(FOLDER, ".cache"))
for program in ("grc_gnuradio", "matplotlib") if "FRINGE_TEST_CACHE" in os.environ else ():
    kept = os.path.join(os.environ["FRINGE_TEST_CACHE"], program)
    os.makedirs(kept, exist_ok=True)
    os.symlink(kept, os.path.join(FOLDER, ".cache", program))
