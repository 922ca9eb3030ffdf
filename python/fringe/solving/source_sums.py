#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sums over the samples of intervals, for each source: with them fluxes follow from gains."""

from dataclasses import dataclass

import numpy as np

from .intervals import intervals, of_frequency
from .sums import chunks, gains_of


@dataclass
class source_sums:
    """A_k = sum w V conj(M_k) and B_kl = sum w M_k conj(M_l) of polarization p.

    With them the gains and the fluxes need the visibilities no more, however many there were.
    """
    samples: object
    a: np.ndarray         #: [interval of time][group of channels][source][pair]
    b: np.ndarray         #: [interval of time][group of channels][source][source][pair]
    groups: intervals     #: of channels
    frequency: intervals  #: of the gains, in numbers of groups

    @staticmethod
    def of(samples, terms, p, time, frequency, free):
        """Through `terms`. free: each channel is a group, else each interval of the gains is."""
        groups = of_frequency(samples.frequencies, samples.widths, 1) if free else frequency
        count = len(samples.model.sources)
        a = np.zeros((len(time), len(groups), count, len(samples.first)), complex)
        b = np.zeros((len(time), len(groups), count, count, len(samples.first)), complex)
        for dumps in chunks(samples, 0, len(samples.times)):
            v, w, _ = samples.part(p, p, dumps, any_model=True)
            factor = gains_of(samples, terms, dumps)
            if factor is not None:  # taken to the other side
                g = (factor[..., p][..., samples.first]
                     * factor[..., p][..., samples.second].conj())
                v, w = v * g.conj(), np.where(g != 0, w, 0)
                power = w * np.abs(g) ** 2
            else:
                power = w
            m = [np.asarray(source[p, p][dumps]) for source in samples.model.sources]
            numbers = time.numbers[dumps]
            local = intervals(np.flatnonzero(np.diff(numbers, prepend=-1)), None, None, None)
            at = np.unique(numbers)

            def summed(values, local=local):
                return local.sums(groups.sums(values, 1), 0)
            for k in range(count):
                a[at, :, k] += summed(w * v * m[k].conj())
                for j in range(k + 1):
                    part = summed(power * m[k] * m[j].conj())
                    b[at, :, k, j] += part
                    if j < k:
                        b[at, :, j, k] += part.conj()
        starts = np.searchsorted(groups.starts, frequency.starts)
        return source_sums(samples, a, b, groups, intervals(starts, None, None, None))

    def collapsed(self, flux):
        """A and B of the whole model, hermitian, [solution][antenna][antenna]; flux: [source]
        [channel]."""
        return tuple(self.samples.matrices(self.frequency.sums(array, 1)).reshape(
            -1, *(len(self.samples.antennas),) * 2) for array in self._of_model(flux))

    def _of_model(self, flux):
        flux = flux[:, self.groups.starts]
        half = np.einsum("lg,tgklp->tgkp", flux, self.b)
        return (np.einsum("kg,tgkp->tgp", flux, self.a), np.einsum("kg,tgkp->tgp", flux, half).real)

    def of_gains(self, gains):
        """g_i conj(g_j) of the pairs, [interval of time][group][pair]; gains: [interval of time]
        [of frequency][antenna]."""
        ends = np.append(self.frequency.starts[1:], len(self.groups.starts))
        every = np.repeat(gains, ends - self.frequency.starts, axis=1)
        return every[..., self.samples.first] * every[..., self.samples.second].conj()

    def left_over(self, gains, flux):
        """sum w |V - model|^2 less sum w |V|^2."""
        (a, b), product = self._of_model(flux), self.of_gains(gains)
        return float((np.abs(product) ** 2 * b - 2 * (product.conj() * a).real).sum())

    def fit_fluxes(self, gains, model, p, scale=False):
        """Sets the unknown fluxes of a `fitted_model` to those that fit best, none below 0.

        scale: together with a factor of |g_i g_j|, which is returned: with known fluxes that the
        gains do not fit yet, steps of either alone are short."""
        product = self.of_gains(gains)
        right = np.einsum("tgp,tgkp->gk", product.conj(), self.a).real
        left = np.einsum("tgp,tgklp->gkl", np.abs(product) ** 2, self.b).real
        if not model.free:
            right, left = right.sum(axis=0, keepdims=True), left.sum(axis=0, keepdims=True)
        some = model.unknown
        if len(some) == 1:  # of many channels, say, all at once
            power = left[:, 0, 0]
            fit = np.maximum(right[:, 0], 0) / np.where(power > 0, power, 1)
            model.flux[p][0] = fit[self.groups.numbers] if model.free else fit[0]
            return 1.0
        for g, (matrix, vector) in enumerate(zip(left, right)):
            channels = slice(None) if not model.free else self.groups.starts[g]
            known = np.where(some, 0, model.flux[p][:, self.groups.starts[g]])
            if scale and known.any() and not model.free:
                basis = np.concatenate([known[None], np.eye(len(some))[some]])
                factor, *fit = _not_negative(basis @ matrix @ basis.T, basis @ vector)
                if factor > 0:
                    model.flux[p][some] = np.array(fit)[:, None] / factor
                    return factor
            fit = _not_negative(matrix[np.ix_(some, some)], (vector - matrix @ known)[some])
            model.flux[p][some, channels] = fit[:, None] if not model.free else fit
        return 1.0


def _not_negative(left, right):
    """Solution of left x = right where what would be negative is 0."""
    kept = np.diagonal(left) > 0
    x = np.zeros(len(right))
    while kept.any():
        some = np.ix_(kept, kept)
        part = np.linalg.lstsq(left[some], right[kept], rcond=1e-10)[0]
        if (part >= 0).all():
            x[kept] = part
            break
        kept[np.flatnonzero(kept)[part < 0]] = False
    return x
