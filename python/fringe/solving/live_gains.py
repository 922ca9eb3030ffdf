#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Gains of a running array: solved again and again, tested, and foreseen."""

from dataclasses import dataclass, field, replace

import numpy as np

from .. import fringe_python as fp
from ..calibration.quality import unsolved
from ..calibration.stefcal import unit
from ..images.dump_images import dump_sky
from ..sky_model.model_sky import frame_of_file, image_model, is_image, seen_power
from .applied_factors import applied_factors
from .file import model_of_file
from .fit_checks import check_fit
from .fluxes import fitted_model
from .gain_track import gain_track
from .hand import limits, solve_good
from .of_file import samples_of
from .terms import term
from .wrong_inputs import wrong_inputs

#: rms error of the visibilities of an image as the model.
EPSILON = 1e-4
#: Dumps after which corrections that came late are surely there.
LATE = 8
#: For what is the same each day.
ANY_DAY = fp.epoch(1577836800, 0.0)


@dataclass
class live_solution:
    """What follows from some dumps."""
    start: tuple               #: UTC of the first dump, (seconds, fraction)
    used: bool = False         #: whether the gains count from now on
    problem: str = ""          #: why not
    coherence: float = np.nan  #: mean cosine of the phases between good inputs as the dumps came
    good: int = 0              #: inputs that were solved for
    bad: dict = field(default_factory=dict)   #: name of an input: why
    held: list = field(default_factory=list)  #: names of those whose gains moved too far to be
                                              #: believed yet: the ones of before count


class live_gains:
    """Solves for the gains of all inputs from dumps that come with corrections that change.

      observation, channels, complex_samples: of the dumps
      sky: what solve_terms() takes for the model: read_known() of a text, or the path of an image
      delays: whether a delay is solved for, or phases (and amplitudes) alone
      max_misfit: by how much baselines may differ from the model, rms, noise taken off
      max_drift: degrees a minute by which a phase may change
      band: slice of the channels that are used
      beam: of beam_of(), by which the model's fluxes are multiplied, dump by dump; None = 1

    What the dumps were corrected by is taken out of them first (applied_factors), so a solution is
    of the receivers themselves. Solutions that do not fit are refused, and gains that moved by more
    than max_drift and their errors allow are held back until later ones agree (gain_track).
    """

    def __init__(self, observation, channels, complex_samples, sky, delays=True, max_misfit=0.05,
                 max_drift=90.0, band=slice(None), beam=None):
        self._obs, self._sky, self._beam = observation, sky, beam
        self._dumps = dump_sky(observation, channels, complex_samples)
        self._complex, self._band = bool(complex_samples), band
        self._terms = [term("K")] * bool(delays) + [term("G")]
        self._limits = limits(max_misfit=max_misfit)
        self.applied = applied_factors(observation, channels, complex_samples)
        frequencies = np.array(observation.channel_frequencies(channels, complex_samples))
        self.track = gain_track(len(observation.inputs), frequencies, max_drift)
        self._frequencies = frequencies
        self._image = None

    def solve(self, dumps):
        """A `live_solution` from some timed_dumps."""
        made = live_solution((int(dumps[0].seconds), float(dumps[0].fraction)))
        seconds = dumps[0].seconds + dumps[0].fraction
        middle = np.mean([dump.seconds + dump.fraction + dump.interval / 2 for dump in dumps])
        possible = self.applied.possible(seconds, LATE * dumps[0].interval)
        # New corrections may count from one of the later dumps on.
        own = [self.applied.possible(dump.seconds + dump.fraction)[0] for dump in dumps]
        try:
            gains, errors, made.bad = self._solved(dumps, own)
        except (unsolved, ValueError, np.linalg.LinAlgError) as error:
            made.problem = str(error)
            return made
        # Where corrections came late, the dumps were made with those of before: what is like that
        # which is foreseen tells.
        if own[-1] is own[0]:
            as_they_came = gains * own[0]
            gains = min((as_they_came / factors for factors in possible),
                        key=lambda some: self.track.away(some, middle, self._hands()))
        else:
            as_they_came = gains * own[-1]
        made.good = int(np.isfinite(gains[:, 0]).sum())
        made.coherence = coherence_of(as_they_came, self._hands())
        made.problem, moved = self.track.add(middle, gains, errors, self._hands())
        made.held = [self._name(k) for k in moved]
        made.used = not made.problem
        return made

    def corrections(self, seconds, amplitudes=True):
        """Factors [input][channel] that take the gains at a time out of spectra, the observation's
        own among them; None before there is a solution."""
        gains = self.track.at(seconds)
        if gains is None:
            return None
        known = np.isfinite(gains)
        hands = self._hands()
        # The level of each polarization stays what it is: spectra may be quantized behind.
        for own in (hands == hand for hand in set(hands)):
            if known[own].any():
                gains[own] /= np.nanmedian(np.abs(gains[own]))
        gains = np.where(known, gains, 1)
        factors = 1 / gains if amplitudes else unit(gains).conj()
        return np.where(known, factors, 1) * self.applied.known

    def _hands(self):
        return np.array([entry.polarization for entry in self._obs.inputs])

    def _name(self, k):
        entry = self._obs.inputs[k]
        several = len(set(self._hands())) > 1
        return self._obs.antennas[entry.antenna].name + (entry.polarization if several else "")

    def _solved(self, dumps, factors):
        """(gains [input][channel], errors of phases [input], bad inputs by name); factors: that
        each dump was made with."""
        plain = [self.applied.without(dump, own) for dump, own in zip(dumps, factors)]
        vis = self._dumps.visibilities(plain)
        vis.exposures = vis.intervals
        sky, _ = self._model(vis)
        every = samples_of(vis, sky, self._band)
        number = {entry: k for k, entry in enumerate(vis.inputs)}
        gains = np.full((len(vis.inputs), len(self._frequencies)), np.nan + 0j)
        errors, why = np.full(len(vis.inputs), np.nan), {}
        for p, hand in enumerate(every.polarizations):
            missing = {a: "not there" for a in range(len(vis.antennas)) if (a, hand) not in number}
            known = {a: "known bad" for (a, h), k in number.items()
                     if h == hand and self._obs.inputs[k].bad}
            bad = {**missing, **known}
            solver, some, good = solve_good(_with_free_spectra(every.of_hand(p)), self._terms,
                                            None, bad)
            check_fit(some, solver.states, solver.left, good, False, solver.reference,
                      self._limits)
            own = self._gains_of(solver.states)
            for a, k in ((a, number[a, hand]) for a in range(len(vis.antennas))
                         if (a, hand) in number):
                if a in bad:
                    why[k] = bad[a]
                else:
                    gains[k] = own[:, a]
                    errors[k] = solver.states[-1].phase_errors[0, 0, a, 0]
        suspects = [k for k, reason in why.items() if reason != "known bad"]
        if suspects:
            whole = sky if isinstance(sky, np.ndarray) else sum(
                source * (1.0 if flux is None else flux) for source, flux in sky)
            why.update(wrong_inputs(vis, whole, gains, self._complex).why(suspects))
        return gains, errors, {self._name(k): reason for k, reason in why.items()
                               if reason != "known bad"}

    def _model(self, vis):
        if isinstance(self._sky, str) and is_image(self._sky):
            self._image = self._image or image_model(self._sky, vis, EPSILON, self._beam)
            return self._image.visibilities(vis), ""
        if isinstance(self._sky, list):
            return model_of_file(vis, None, self._sky, {}, self._beam)
        return model_of_file(vis, self._sky, (), {}, self._beam)

    def _gains_of(self, states):
        """[channel][antenna] at all channels."""
        gain = states[-1].values[0, 0, :, 0]
        if len(states) == 1:
            return np.broadcast_to(gain, (len(self._frequencies), len(gain)))
        delay, middle = states[0].values[0, 0, :, 0], states[0].frequency.centers[0]
        return gain * np.exp(-2j * np.pi * np.outer(self._frequencies - middle, delay))


def check_beam(beam, observation, channels, complex_samples):
    """Raises ValueError for a beam that does not point anywhere in dumps of an observation."""
    vis = dump_sky(observation, channels, complex_samples).described(ANY_DAY)
    seen_power(beam, vis, frame_of_file(vis), np.array([0.0, 0, 1]), ["X"])


def _with_free_spectra(samples):
    """Samples of one polarization whose model may be stronger in some channels than in others, as
    the bandpass that all receivers have in common is."""
    model = samples.model
    sources = model.sources if isinstance(model, fitted_model) else [model]
    return replace(samples, model=fitted_model(sources, [None] * len(sources), free=True))


def coherence_of(gains, hands):
    """Mean over baselines of one polarization, and channels, of the cosine of the difference of the
    phases of gains [input][channel], NaN where bad."""
    total = []
    for hand in set(hands):
        some = unit(gains[(hands == hand) & np.isfinite(gains[:, 0])])
        count = len(some)
        if count > 1:
            total.append((np.abs(some.sum(axis=0)) ** 2 - count).mean() / (count * (count - 1)))
    return float(np.mean(total)) if total else np.nan
