#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The flux of a calibrator follows from gains of one of known flux, with the right error."""
import unittest

import numpy as np
from gnuradio.fringe.calibration.quality import unsolved
from gnuradio.fringe.solving import solve_terms, terms_of
from gnuradio.fringe.solving.flux_transfer import with_flux_from
from qa_scratch import scratch_case
from qa_solving_errors import receivers, seen

FLUX = 2.5


class qa_flux_transfer(scratch_case):
    def solved(self, true, flux):
        """Solutions of a source of some flux; None = it is FLUX, and not known."""
        data = seen(self.rng, true, len(true.amplitude), 4, 4, 2, 25.0, flux=flux or FLUX,
                    absolute=True)
        if flux is None:
            data.model = {key: np.ones_like(value) for key, value in data.model.items()}
        return solve_terms(data, terms_of("G:50s"), 0)

    def test_flux_and_gains(self):
        pulls = []
        for _ in range(40):
            true = receivers(self.rng, 6, 2)
            found = with_flux_from(self.solved(true, None), self.solved(true, 1.0), "B")
            flux, error = found.flux["B"]
            self.assertLess(error, 0.05 * FLUX)
            pulls.append((flux - FLUX) / error)
            off = np.abs(found.terms[0].values) / true.amplitude - 1
            self.assertLess(np.abs(off).max(), 0.2)
        self.assertLess(np.abs(np.sqrt(np.mean(np.square(pulls))) - 1), 4 / np.sqrt(80))

    def test_what_does_not_fit(self):
        true = receivers(self.rng, 4, 2)
        free, other = self.solved(true, None), self.solved(true, 1.0)
        other.polarizations = "RL"
        with self.assertRaisesRegex(ValueError, "polarizations RL, the data are of XY"):
            with_flux_from(free, other, "B")
        other.polarizations, other.antennas = "XY", list("pqrs")
        with self.assertRaisesRegex(unsolved, "0 amplitudes of antennas are in both"):
            with_flux_from(free, other, "B")
        other.terms = []
        with self.assertRaisesRegex(ValueError, "0 terms G"):
            with_flux_from(free, other, "B")


if __name__ == "__main__":
    unittest.main()
