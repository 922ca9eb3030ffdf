# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""What many tests begin with: a folder of their own, and random numbers."""
import functools
import os
import tempfile
import unittest

import numpy as np


class scratch_case(unittest.TestCase):
    """A test with a folder that is gone when it ends, and random numbers that are others each
    time: FRINGE_SEED=N repeats those of a run that printed N."""

    seed = None  #: of the random numbers, where they are to be the same each time

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    @functools.cached_property
    def rng(self):
        seed = self.seed
        if seed is None:
            seed = int(os.environ.get("FRINGE_SEED", int.from_bytes(os.urandom(4), "little")))
            print(f"seed {seed}")
        return np.random.default_rng(seed)
