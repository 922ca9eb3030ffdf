#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Antenna positions and cable delays from sources that were tracked over hours."""

from dataclasses import dataclass

import numpy as np

from .. import fringe_python as fp
from ..ground.axes import site_axes
from .baseline_checks import check_fit, closure_of, exchanged, signal_of
from .baseline_data import tracked_set
from .baseline_fit import baseline_fit
from .baseline_free import free_directions, kept_free
from .baseline_places import first_places
from .baseline_search import coarse, largest_search
from .quality import unsolved

#: m around the positions of the observation in which antennas are looked for.
SEARCH = 5.0
#: Degrees rms by which phases may differ from the fit, noise taken off.
MAX_MISFIT = 10.0
FIXES = ("positions", "up", "delays", "phases")


@dataclass
class baselines:
    """What solve_baselines() found; positions against the reference antenna."""
    observation: object      #: with these positions, delays and phases: what the data say
    reference: int           #: antenna
    positions: np.ndarray    #: m east, north, up of the reference, [antenna][3]
    covariance: np.ndarray   #: of these, m^2, [3 antenna][3 antenna]
    ecef: np.ndarray         #: m in ITRF from the reference, [antenna][3]
    ecef_covariance: np.ndarray  #: of these
    moved: np.ndarray        #: m east, north, up against the observation as it was
    delay: np.ndarray        #: cable delay, s, against the reference, [input]
    delay_error: np.ndarray
    phase: np.ndarray        #: degrees in the middle of the band that were missing
    phase_error: np.ndarray
    held: list               #: sentences: what these data do not say, and stays as it was
    lead: tuple              #: m to the next best place of an antenna, sigma it is worse by
    chi2: float              #: over its degrees of freedom; 1 where noise alone is left
    misfit: list             #: (path, source, degrees rms of the phases, noise taken off), a set
    outliers: int            #: cells left out, of
    cells: int
    closure: list            #: of each triangle, see baseline_checks.triangle
    remarks: list

    @property
    def errors(self):
        """Of the positions, m east, north, up, [antenna][3]."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance), 0)).reshape(-1, 3)

    def length(self, a, b):
        """Length of a baseline, m, and its error."""
        way = self.positions[b] - self.positions[a]
        size = float(np.linalg.norm(way))
        slope = np.zeros(self.positions.size)
        slope[3 * b:3 * b + 3], slope[3 * a:3 * a + 3] = way / size, -way / size
        return size, float(np.sqrt(slope @ self.covariance @ slope))


def solve_baselines(sets, observation, sources=None, reference=0, channels=None, fix=(),
                    search=None, phase_per_set=False, max_misfit=MAX_MISFIT):
    r"""Positions of antennas, delays and phases of inputs from sources tracked over hours.

    The delay of a source in direction s, and with it the phase of a visibility, is

        tau_a = -r_a.s / c + cable_a,    arg V_ij = -2 pi f (tau_i - tau_j) + phi_i - phi_j

    As the Earth turns s, each part of r shows in its own way: what lies across the Earth's axis
    as a wave of a sidereal day, what lies along it as a constant that is another one for each
    declination, and the cable as what is the same for all. First the peaks of the delay spectra
    tell delays and rough positions, then a search the turn of the phase, then least squares the
    phases of all sets. Directions are ERFA's, as those of delay_model.

      sets: visibilities of files, one source each; flagged and unweighted ones do not count
      observation: with which they were correlated; its positions are where the search begins
      sources: a calibration_source for each set, one for all of them, or None: the phase center
      reference: antenna that stays where it is, whose delay and phase are those of before
      channels: slice or indices of those to use
      fix: of "positions", "up", "delays", "phases": stays as the observation has it
      search: m within which positions are looked for; None: 5, or what the wavelength allows
      phase_per_set: receivers were started or tuned anew between the sets
      max_misfit: degrees rms that the phases may differ from the fit, noise taken off

    Returns `baselines`. Its errors are those of the noise, from the scatter of neighboring
    channels (of one channel: of neighboring dumps), and larger where more than noise is left.
    What the geometry cannot tell (the part along the Earth's axis, from one source) stays as it
    was, and `held` names it. Raises ValueError for bad input, and `unsolved` where phases do not
    fit, where two places fit alike, and where there is no signal.
    """
    sets, fix = list(sets), tuple(fix)
    _check(sets, observation, reference, fix)
    sources = _one_each(sets, sources)
    tracked = [tracked_set(vis, observation, source, channels)
               for vis, source in zip(sets, sources)]
    middles = [entry.f.mean() for entry in tracked]
    if np.ptp(middles) > max(np.ptp(tracked[0].f), 1.0) / 2:
        raise ValueError(f"{tracked[int(np.argmax(np.abs(np.array(middles) - middles[0])))].path}: "
                         f"is of another band than {tracked[0].path}; they must be the same")
    antenna = [entry.antenna for entry in observation.inputs]
    limit = largest_search(middles[0])
    if search is not None and not 0 < search <= limit:
        raise ValueError(f"search: {search:g}: must be more than 0 and at most {limit:.3g} m at "
                         "this wavelength")
    search = min(5.0, limit) if search is None else search
    count = len(observation.antennas)
    position, delay = coarse(tracked, count, antenna, reference, search)
    if "positions" in fix:
        position[:] = 0
    if "delays" in fix:
        delay[:] = 0
    for entry in tracked:
        entry.cut(position, delay)
    fit = baseline_fit(tracked, count, antenna, phase_per_set)
    free, held = free_directions(fit, observation, reference, fix)
    if held or "up" in fix:  # the coarse ones moved along what is held, too
        position = kept_free(position, free)
        for entry in tracked:
            entry.cut(position, delay)
    start, lead, doubt = first_places(fit, observation, reference, free, search)
    signal_of(fit, start, observation)
    cells = sum(int((entry.w > 0).sum()) for entry in tracked)
    x, _ = fit.solve(start, free)
    for _ in range(3):
        if not fit.drop_outliers(x):
            break
        x, _ = fit.solve(x, free)
    covariance, chi2 = fit.covariance(x, free)
    misfit = check_fit(fit, x, max_misfit)
    if doubt:
        raise unsolved(doubt)
    return _result(fit, x, covariance, observation, reference, position, delay,
                   {"held": held, "lead": lead, "chi2": chi2, "misfit": misfit,
                    "outliers": fit.outliers, "cells": cells,
                    "closure": closure_of(fit, x, observation)})


def _check(sets, observation, reference, fix):
    if not sets:
        raise ValueError("solve_baselines: no visibilities are given")
    if len(observation.antennas) < 2:
        raise ValueError("solve_baselines: one antenna has no baseline")
    if not observation.has_site:
        raise ValueError("solve_baselines: the observation has no site, and so no directions")
    if not 0 <= reference < len(observation.antennas):
        raise ValueError(f"reference: {reference}: there are antennas 0 ... "
                         f"{len(observation.antennas) - 1}")
    strange = [name for name in fix if name not in FIXES]
    if strange:
        raise ValueError(f"fix: {strange[0]}: must be one of {', '.join(FIXES)}")
    if "phases" in fix and "delays" not in fix:
        raise ValueError("fix: phases: must go with delays, because a cable delay changes the "
                         "phase")


def _one_each(sets, sources):
    sources = list(sources or [None])
    if len(sources) == 1:
        return sources * len(sets)
    if len(sources) != len(sets):
        raise ValueError(f"sources: {len(sources)} for {len(sets)} sets; give one for each, in "
                         "their order, or one for all")
    return sources


def _result(fit, x, covariance, observation, reference, position, delay, facts):
    """baselines of the errors x that were found around the coarse ones."""
    n = fit.antennas
    moved = position + x[:3 * n].reshape(-1, 3)
    turn = site_axes(observation)
    whole = np.kron(np.eye(n), turn)
    itrf = np.array([entry.itrf for entry in observation.antennas])
    ecef = itrf - itrf[reference] + moved
    late = delay + x[fit.delay(0):fit.delay(0) + fit.inputs]
    psi = x[fit.phase(0):fit.phase(0) + fit.inputs]
    errors = np.sqrt(np.diagonal(covariance))
    new = fp.observation(observation)
    antennas, inputs = new.antennas, new.inputs
    before = np.array([entry.enu for entry in observation.antennas])
    for a, entry in enumerate(antennas):
        entry.enu = list(before[a] + turn @ moved[a])
        entry.itrf = list(fp.itrf_from_enu(observation, entry.enu))
    for k, entry in enumerate(inputs):
        entry.cable_delay += late[k]
        # arg z holds psi at the middle of the band with the coarse delay's phase out of it.
        entry.phase = float(np.remainder(entry.phase + np.degrees(psi[k]) + 360 * np.remainder(
            fit.f0 * x[fit.delay(k)], 1) + 180, 360) - 180)
    new.antennas, new.inputs = antennas, inputs
    first = [next((m for m, other in enumerate(inputs) if other.antenna == reference
                   and other.polarization == entry.polarization), k)
             for k, entry in enumerate(inputs)]
    cable = np.array([entry.cable_delay for entry in inputs])
    return baselines(
        new, reference, (before - before[reference]) + moved @ turn.T,
        whole @ covariance[:3 * n, :3 * n] @ whole.T, ecef, covariance[:3 * n, :3 * n],
        moved @ turn.T, cable - cable[first], errors[fit.delay(0):fit.delay(0) + fit.inputs],
        (np.degrees(psi - 2 * np.pi * fit.f0 * delay) + 180) % 360 - 180,
        np.degrees(errors[fit.phase(0):fit.phase(0) + fit.inputs]),
        remarks=_remarks(fit, observation, before + moved @ turn.T, reference), **facts)


def _remarks(fit, observation, places, reference):
    found = exchanged(observation, places, reference)
    if fit.groups > 1:
        found.append(f"the phases are those of {fit.sets[0].path}; the other files have others")
    return found
