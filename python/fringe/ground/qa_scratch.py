# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""What many tests begin with: a folder of their own, random numbers, and stream tags."""
import functools
import os
import tempfile
import unittest

import numpy as np
import pmt
from gnuradio import gr


#: Seconds after which what a test waits for does not come any more: a process that hangs, and not a
#: machine that has other things to do. Less than half of what ctest gives to a test, which could
#: not say what it waits for.
TIMEOUT = 240


#: Seed of the random numbers of tests, which say the same every day.
SEED = 20260301


def seed_of_tests():
    """FRINGE_TEST_SEED of the environment, "random" for another one each time; else SEED."""
    word = os.environ.get("FRINGE_TEST_SEED") or SEED
    seed = int.from_bytes(os.urandom(4), "little") if word == "random" else int(word)
    print(f"FRINGE_TEST_SEED={seed}")
    return seed


def random_numbers():
    """A generator of numpy with that seed."""
    return np.random.default_rng(seed_of_tests())


def times_tried(daily, thorough):
    """How often something random is tried: the second where FRINGE_TEST_SEED is set, as
    scripts/random_tests does."""
    return thorough if os.environ.get("FRINGE_TEST_SEED") else daily


def tag(offset, key, value):
    """A stream tag."""
    t = gr.tag_t()
    t.offset, t.key, t.value = offset, pmt.intern(key), value
    return t


def rx_time(offset, seconds, fraction=0.0):
    """The tag for when an item began."""
    return tag(offset, "rx_time", pmt.make_tuple(pmt.from_uint64(seconds),
                                                 pmt.from_double(fraction)))


class scratch_case(unittest.TestCase):
    """A test with a folder that is gone when it ends, and random numbers: see seed_of_tests()."""

    seed = None  #: of the random numbers, where the test holds for these only

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    @functools.cached_property
    def rng(self):
        return random_numbers() if self.seed is None else np.random.default_rng(self.seed)
