#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The flux of a calibrator, from the gains that another one of known flux gave."""

from dataclasses import replace

import numpy as np

from ..calibration.quality import unsolved

#: Fewest amplitudes that are compared.
FEWEST = 3


def with_flux_from(found, known, name):
    """The `solutions` of a source that was taken to have the flux 1, on the scale of others.

    With the flux S of the source its gains are sqrt(S) times those of `known`, of a source of known
    flux, so that of every antenna and polarization

        log S = 2 (log |g_found| - log |g_known|),

    the mean of which counts, each by its errors. |g| is that of the terms G, the mean over time.
    The gains are divided by sqrt(S), and `flux` has S and its error under `name`: that of the
    amplitudes, and of the scatter of the antennas where that is more. Antennas are matched by name.
    Raises ValueError for solutions without G or of other polarizations, and `unsolved` where
    fewer than 3 amplitudes are in both.
    """
    if found.polarizations != known.polarizations:
        raise ValueError(f"flux_from: is of the polarizations {known.polarizations}, the data are "
                         f"of {found.polarizations}")
    own, theirs = (_amplitudes(each) for each in (found, known))
    pairs = [(own[key], theirs[key]) for key in own.keys() & theirs.keys()]
    if len(pairs) < FEWEST:
        raise unsolved(f"flux_from: {len(pairs)} amplitudes of antennas are in both, and "
                       f"{FEWEST} are needed")
    logs = 2 * np.array([a[0] - b[0] for a, b in pairs])
    weights = 1 / np.array([4 * (a[1] ** 2 + b[1] ** 2) for a, b in pairs])
    mean = np.average(logs, weights=weights)
    scatter = np.average((logs - mean) ** 2, weights=weights) / (len(logs) - 1)
    flux = float(np.exp(mean))
    error = flux * float(np.sqrt(max(1 / weights.sum(), scatter)))
    return replace(found, flux=found.flux | {name: (flux, error)},
                   terms=[_scaled(term, np.sqrt(flux)) if term.kind == "G" else term
                          for term in found.terms])


def _amplitudes(found):
    """{(antenna, polarization): (log of the mean amplitude of G, its error)}."""
    terms = [term for term in found.terms if term.kind == "G"]
    if len(terms) != 1:
        raise ValueError(f"flux_from: {len(terms)} terms G in the solutions"
                         + (f" of {found.made}" if found.made else "") + "; there must be one")
    term, made = terms[0], {}
    for k, antenna in enumerate(found.antennas):
        for p, hand in enumerate(found.polarizations):
            good = ~term.flags[:, :, k, p] & (term.errors[:, :, k, p] > 0)
            if not good.any():
                continue
            size = np.abs(term.values[:, :, k, p][good])
            relative = term.errors[:, :, k, p][good] / size
            made[antenna, hand] = (np.average(np.log(size), weights=relative ** -2),
                                   (relative ** -2).sum() ** -0.5)
    return made


def _scaled(term, factor):
    return replace(term, values=term.values / factor, errors=term.errors / factor)
