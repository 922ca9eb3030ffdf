#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Fluxes of sources between scans of a calibrator: all terms, interpolated in time."""
import unittest

import numpy as np
from gnuradio.fringe.calibration.jones import jones_of_array
from gnuradio.fringe.calibration.term_in_time import term_in_time
from gnuradio.fringe.solving import solve_terms, terms_of
from qa_scratch import scratch_case
from qa_solving_polarization import DELAY, PHASE, feeds, polarized, seen, term_of

ANTENNAS, CHANNELS, SCAN = 12, 16, 60.0
#: Fluxes I, Q, U, V and direction cosines of six sources.
SOURCES = (((3.0, 0.3, -0.2, 0.0), (0.001, 0.002)), ((2.0, 0.0, 0.4, 0.1), (-0.003, 0.001)),
           ((1.5, -0.2, 0.1, 0.0), (0.002, -0.004)), ((1.0, 0.0, 0.0, 0.2), (-0.001, -0.003)),
           ((0.8, 0.1, 0.1, -0.1), (0.004, 0.003)), ((0.5, 0.0, -0.05, 0.0), (-0.004, 0.004)))


def basis(uvw, frequencies):
    """Coherencies of each Stokes parameter of each source at flux 1:
    [source and Stokes parameter][channel][pair][2][2]."""
    made = []
    for _, (l, m) in SOURCES:
        turns = uvw @ [l, m, np.sqrt(1 - l * l - m * m) - 1] * frequencies[:, None] / 299792458.0
        phase = np.exp(2j * np.pi * turns)[..., None, None]
        made += [phase * polarized(np.eye(4)[k]) for k in range(4)]
    return np.array(made)


class qa_solving_night(scratch_case):
    def test_six_sources(self):
        jones = feeds(self.rng, ANTENNAS, CHANNELS)
        # A calibrator of known polarization before, in the middle and after, in a feed that turns.
        parts = []
        for scan, psi in enumerate(np.radians([0, 25, 60])):
            stokes = (1, 0.1 * np.cos(2 * psi), 0.1 * np.sin(2 * psi), 0)
            late = lambda seconds, f, scan=scan: jones(seconds + 1800.0 * scan, f)  # noqa: E731
            late.gains = lambda seconds, f, scan=scan: jones.gains(seconds + 1800.0 * scan, f)
            part = seen(self.rng, late, ANTENNAS, stokes, 4, CHANNELS, 3.0, SCAN / 4)
            part.times = part.times + 1800.0 * scan
            parts.append(part)
        data = parts[0]
        for name in ("data", "weights", "model"):
            setattr(data, name, {key: np.concatenate([getattr(part, name)[key] for part in parts])
                                 for key in getattr(data, name)})
        data.times = np.concatenate([part.times for part in parts])
        data.lengths = np.full(len(data.times), SCAN / 4)
        found = solve_terms(data, terms_of("G:60s K B Kcross D"), 0)
        self.assertEqual(len(term_of(found, "G").times), 3)
        phase, delay = term_of(found, "Pcross"), term_of(found, "Kcross")
        self.assertLess(abs(np.angle(phase.values[0, 0, 0, 0] * np.exp(-1j * PHASE))),
                        3 * phase.phase_errors[0, 0, 0, 0] + 1e-3)
        self.assertLess(abs(delay.values[0, 0, 0, 0] - DELAY), 3 * delay.errors[0, 0, 0, 0])
        self.assertFalse(any(term.flags.any() for term in found.terms))
        # The target between the scans.
        f = data.frequencies
        everything = jones_of_array([found], [np.arange(ANTENNAS)], [np.arange(2)], f)
        uvw = self.rng.normal(0, 300, (ANTENNAS, 3)) * [1, 1, 0.1]
        uvw = uvw[data.first] - uvw[data.second]
        self.assertTrue(term_in_time(found.terms[0]).at(data.times[0])[1].all())
        columns, rights = [], []
        for second in (600.0, 1200.0, 2400.0):
            sky = basis(uvw, f)
            true = sum(flux * each for flux, each in zip(
                np.concatenate([stokes for stokes, _ in SOURCES]), sky))
            matrix = jones(np.array([second]), f)[0]
            v = (matrix[:, data.first] @ true
                 @ matrix[:, data.second].conj().swapaxes(-1, -2))
            solved, usable = everything.at(data.times[0] + second)
            self.assertTrue(usable.all())
            inverse = np.linalg.inv(solved)
            corrected = (inverse[:, data.first] @ v
                         @ inverse[:, data.second].conj().swapaxes(-1, -2))
            columns.append(sky.reshape(len(sky), -1))
            rights.append(corrected.ravel())
        a, right = np.concatenate(columns, axis=1), np.concatenate(rights)
        fluxes = np.linalg.lstsq(np.concatenate([a.real, a.imag], 1).T,
                                 np.concatenate([right.real, right.imag]), rcond=None)[0]
        for got, (stokes, _) in zip(fluxes.reshape(-1, 4), SOURCES):
            self.assertLess(np.abs(got - stokes).max(), 0.01 * stokes[0])


if __name__ == "__main__":
    unittest.main()
