#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Self-calibration: image, model, solve, apply, while more is gained than noise would gain."""

from dataclasses import dataclass, field, replace

import numpy as np

from ..calibration.corrections import corrections
from ..calibration.quality import unsolved
from ..calibration.stefcal import PHASES
from ..images.cleaning import clean_settings
from ..images.make import image_maker, nothing_seen
from ..images.sky_image import image_settings
from ..sky_model.model_sky import pixel_model
from .held_out import fit_of_other_half, held_out
from .of_file import samples_of
from .solve import MIN_SNR, terms_solver

#: CLEAN finds sources of FOUND standard deviations of an image, and takes them out down to DOWN_TO.
FOUND, DOWN_TO, COMPONENTS = 5.0, 3.0, 100000
#: rms error of the gridder.
EPSILON = 1e-4
#: Standard deviations by which the other half of the data has to fit better with gains and model
#: than with nothing, and than before the cycle.
SURE_MODEL, SURE_STEP = 5.0, 3.0
#: Channels from which on the halves are every second channel.
MIN_CHANNELS = 4
#: Terms that can be solved for: a model of Stokes I tells no others.
TERMS = "K", "G", "B"


@dataclass
class selfcal_cycle:
    """What became of a cycle."""
    flux: float      #: of the model
    peak: float      #: of the image that the model is of, and its rms without the model
    rms: float
    fit: held_out    #: of the halves
    better: bool     #: whether it was kept


@dataclass
class selfcal_result:
    """Solutions, or None where noise explains all, and why the cycles ended."""
    found: object = None
    cycles: list = field(default_factory=list)
    stop: str = ""

    def lines(self):
        """Sentences on it."""
        return [f"cycle {k}: model {cycle.flux:.5g}, image peak {cycle.peak:.4g}, rms "
                f"{cycle.rms:.3g}; the other half of the data fits "
                f"{cycle.fit.model_sigmas:.1f} sigma better than without a source, "
                f"{cycle.fit.step_sigmas:.1f} sigma than before"
                + ("" if cycle.better else ": not kept")
                for k, cycle in enumerate(self.cycles, 1)] + [self.stop]


class selfcal:
    """Self-calibrates `visibilities` with data.

      terms: list of `term`, of kinds K, G and B
      cycles: at most
      settings: image_settings; their `clean` is made here
      start: function of `visibilities` that gives those of a first model, or None: it is what
          CLEAN finds in the image
      reference: number of the antenna of phase 0; min_snr, uvrange: as solve_terms() and
          samples_of() have them

    A model that is made of data, and gains that are solved with it from the same data, agree with
    each other also in noise alone: gains turn noise into a source where the model has one. So
    every cycle is done three times: for each half of the data by itself, and for all of it. The
    halves are every second channel, or every second dump where there are few channels or a
    bandpass is solved for, and no half ever sees the other. The model and the gains of one half
    have to make the other fit better, by SURE_MODEL standard deviations than with no source, and
    by SURE_STEP than with those of the cycle before, or, in the first, without gains. Else the
    cycle does not count, and the solutions of the one before stay.

    Without a first model amplitudes keep their mean, which the fluxes of the model depend on.
    """

    def __init__(self, terms, cycles=5, settings=None, start=None, reference=None,
                 min_snr=MIN_SNR, uvrange=None):
        for term in terms:
            if term.kind not in TERMS:
                raise ValueError(f"terms: {term.kind}: self-calibration solves for "
                                 f"{', '.join(TERMS)}")
        if cycles < 1:
            raise ValueError(f"cycles: {cycles}: must be 1 or more")
        self._terms, self._cycles, self._start = terms, cycles, start
        self._reference, self._min_snr, self._uvrange = reference, min_snr, uvrange
        self._maker = image_maker(replace(settings or image_settings(), clean=clean_settings(
            COMPONENTS, sigmas=DOWN_TO, auto_mask=FOUND)))

    def run(self, vis):
        """A `selfcal_result`."""
        self._vis, self._masks = vis, self._halves(vis)
        result, before = selfcal_result(), [None] * 3  # (solutions, samples) of halves and of all
        for number in range(self._cycles):
            try:
                cycle, found = self._cycle(before, number == 0)
            except (unsolved, nothing_seen) as error:
                result.stop = f"stopped: {error}"
                return result
            result.cycles.append(cycle)
            if not cycle.better:
                result.stop = ("stopped: the other half of the data does not fit better, so noise "
                               "explains what was found" if not number else
                               "stopped: a further cycle gains nothing that noise does not gain; "
                               f"the solutions are those of cycle {number}")
                return result
            before, result.found = found, found[-1][0]
        result.stop = f"the {self._cycles} cycles that were asked for are done"
        return result

    def _halves(self, vis):
        """Masks [dump][channel] of two halves and of all."""
        shape = len(vis.seconds), len(vis.frequencies)
        by_channel = shape[1] >= MIN_CHANNELS and all(term.kind != "B" for term in self._terms)
        if not by_channel and shape[0] < 2:
            raise ValueError(f"{vis.path}: has {shape[1]} channel{'s' * (shape[1] > 1)} and one "
                             "dump: no half of the data is left that could test the other")
        odd = np.indices(shape)[1 if by_channel else 0] % 2 == 1
        return odd, ~odd, np.ones(shape, bool)

    def _cycle(self, before, first):
        """(`selfcal_cycle`, (solutions, samples) of each half and of all)."""
        made = [self._step(mask, earlier and earlier[0], first)
                for mask, earlier in zip(self._masks, before)]
        fit = sum((fit_of_other_half(part, self._masks[1 - k], found, before[k])
                   for k, (found, part, _) in enumerate(made[:2])), held_out())
        better = fit.model_sigmas > SURE_MODEL and fit.step_sigmas > SURE_STEP
        flux, peak, rms = made[2][2]
        return selfcal_cycle(flux, peak, rms, fit, better), [step[:2] for step in made]

    def _step(self, mask, before, first):
        """(solutions of some of the data, `samples` of all of it with the model of these, flux,
        peak and rms)."""
        vis = self._vis
        data, flags = vis.data, vis.flags
        if before is not None:
            data, flags = corrections(vis, {"the cycle before": before}).corrected(vis)
        image = self._maker.make([replace(vis, data=data, flags=flags | ~mask[..., None])])
        model = np.nan_to_num(image.model)
        numbers = float(model.sum()), float(np.nanmax(image.values)), float(
            np.nanstd(image.residual))
        if first and self._start is not None:
            sky = self._start(vis)
        elif not model.any():
            raise unsolved(f"nothing in the image stands {FOUND:g} times above its noise (highest "
                           f"{numbers[1]:.4g}, rms {numbers[2]:.3g}): there is no source to "
                           "calibrate by")
        else:
            sky = pixel_model(model, image.frame, (image.pixel, image.pixel), image.planes,
                              image.frequencies, EPSILON).visibilities(vis)
        samples = samples_of(vis, sky, None, self._uvrange)
        some = replace(samples, weights={key: weights * self._of_samples(mask)[..., None]
                                         for key, weights in samples.weights.items()})
        # The first models are far from the sky, and the other half of the data judges them.
        found = terms_solver(some, self._terms, self._reference, self._min_snr,
                             max_misfit=np.inf).solve()
        if self._start is None:
            self._keep_mean(found)
        return found, samples, numbers

    def _of_samples(self, mask):
        """A mask in the order of `samples`: of ascending times and frequencies."""
        times = np.argsort(self._vis.seconds + self._vis.fractions, kind="stable")
        return mask[np.ix_(times, np.argsort(self._vis.frequencies, kind="stable"))]

    def _keep_mean(self, found):
        """The mean of the logarithms of the first amplitudes becomes 0."""
        kinds = [term.kind for term in self._terms if term.kind != "K" and term.mode != PHASES]
        for term in found.terms:
            if kinds and term.kind == kinds[0]:
                for p in range(term.values.shape[-1]):
                    good = ~term.flags[..., p]
                    mean = np.exp(np.log(np.abs(term.values[..., p][good])).mean())
                    term.values[..., p] /= mean
                    term.errors[..., p] /= mean
