#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Positions, delays and phases fitted to the phases that tracked sets have left."""

import numpy as np

from ..readers.visibilities import SPEED_OF_LIGHT

STEPS, TOLERANCE = 30, 1e-9
#: Cells further from the fit than this many times the noise, squared, are left out.
OUTLIER = 25.0


class baseline_fit:
    r"""Least squares of A - z exp(-i phase) over all cells of sets (tracked_set.cut()).

        phase = 2 pi f r.s / c - 2 pi (f - f0) c + psi      of input i, less that of input j

    x = (r of each antenna, c of each input, psi of each input and set, or of each input), of which
    those in `free` [number][direction] are solved. A is the mean amplitude of a set's baseline.
    Steps are Gauss and Newton's, with phases near the fit: its start has to be within a quarter
    turn.
    """

    def __init__(self, sets, antennas, antenna, phase_per_set=False):
        self.sets, self.antennas, self.antenna = sets, antennas, np.asarray(antenna)
        self.inputs = len(self.antenna)
        self.groups = len(sets) if phase_per_set else 1
        self.f0 = float(np.mean([entry.bands.mean() for entry in sets]))
        self.size = 3 * antennas + self.inputs * (1 + self.groups)
        self.outliers = sum(entry.loud for entry in sets)

    def delay(self, k):
        """Number of the delay of an input."""
        return 3 * self.antennas + k

    def phase(self, k, number=0):
        """Number of the phase of an input in a set."""
        return 3 * self.antennas + self.inputs * (1 + (number if self.groups > 1 else 0)) + k

    def columns(self, number, k):
        """Numbers of all that an input's phase depends on in a set."""
        a = 3 * self.antenna[k]
        return [a, a + 1, a + 2, self.delay(k), self.phase(k, number)]

    def design(self, number):
        """Derivatives of the phase of an input, [dump][band][5]."""
        entry = self.sets[number]
        k = 2 * np.pi * entry.bands / SPEED_OF_LIGHT
        out = np.empty(entry.z.shape[:2] + (5,))
        out[..., :3] = entry.s[:, None, :] * k[:, None]
        out[..., 3] = -2 * np.pi * (entry.bands - self.f0)
        out[..., 4] = 1
        return out

    def normal(self, x, pairs=None):
        """Normal matrix, right side, log likelihood (times -2, but for a constant), chi2, cells."""
        matrix, right = np.zeros((self.size, self.size)), np.zeros(self.size)
        like = chi2 = cells = 0.0
        for number, entry in enumerate(self.sets):
            d = self.design(number)
            for p, (i, j) in enumerate(zip(entry.i, entry.j)):
                if pairs is not None and (i, j) not in pairs:
                    continue
                ci, cj = self.columns(number, i), self.columns(number, j)
                z, w, noise = self.turned(number, p, x, d)
                if not w.any():
                    continue
                size = (w * z.real).sum() / w.sum()
                like -= 2 * w.sum() * max(size, 0) ** 2 / noise
                g = 2 * w / noise
                chi2, cells = chi2 + (g * z.imag ** 2).sum(), cells + (w > 0).sum()
                if size <= 0:
                    continue
                local = np.einsum("db,dbk,dbl->kl", g * size ** 2, d, d)
                side = np.einsum("db,dbk->k", g * size * z.imag, d)
                for columns, sign in ((ci, 1), (cj, -1)):
                    np.add.at(right, columns, sign * side)
                    for others, other in ((ci, 1), (cj, -1)):
                        matrix[np.ix_(columns, others)] += sign * other * local
        return matrix, right, like, chi2, cells

    def turned(self, number, p, x, design=None):
        """Cells of a baseline with the phase of x taken out, their weights and their noise."""
        entry = self.sets[number]
        d = self.design(number) if design is None else design
        ci, cj = (self.columns(number, k) for k in (entry.i[p], entry.j[p]))
        z = entry.z[:, :, p] * np.exp(-1j * (d @ (x[ci] - x[cj])))
        noise = entry.noise[p] if np.isfinite(entry.noise[p]) else _of_steps(z, entry.w[:, :, p])
        return z, entry.w[:, :, p], max(noise, 1e-30)

    def solve(self, x, free, pairs=None):
        """(x, log likelihood) from a start; free: [number][direction] that are solved."""
        like, start = np.inf, x
        step = np.zeros(self.size)
        for _ in range(STEPS):
            matrix, right, now, _, _ = self.normal(x, pairs)
            if now > like and np.abs(step).max() > 0:
                step = step / 2
                if (np.abs(step) <= TOLERANCE * np.abs(start - x).max()).all():
                    break
                x = x - step
                continue
            if like - now < 1e-6 * max(1.0, abs(now)) * 1e-3 and np.isfinite(like):
                like = now
                break
            like = now
            part = free.T @ matrix @ free
            scale = 1 / np.sqrt(np.maximum(np.diagonal(part), 1e-300))
            move = np.linalg.lstsq(part * np.outer(scale, scale), scale * (free.T @ right),
                                   rcond=1e-13)[0] * scale
            step = free @ move
            x = x + step
        return x, like

    def drop_outliers(self, x):
        """Weight 0 for cells that no noise explains; where more than noise is left everywhere, for
        those far out of the rest."""
        count = 0
        for number, entry in enumerate(self.sets):
            for p in range(len(entry.i)):
                z, w, noise = self.turned(number, p, x)
                if not w.any():
                    continue
                size = np.median(z.real[w > 0])
                off = np.abs(z - size) ** 2 * w / noise
                limit = OUTLIER * max(1.0, np.median(off[w > 0]) / np.log(2))
                out = off > limit
                count += int(out.sum())
                entry.w[:, :, p][out] = 0
        self.outliers += count
        return count

    def covariance(self, x, free):
        """That of x, from the noise, larger where more than noise is left; and chi2 over its
        degrees of freedom."""
        matrix, _, _, chi2, cells = self.normal(x)
        part = free.T @ matrix @ free
        scale = 1 / np.sqrt(np.maximum(np.diagonal(part), 1e-300))
        inverse = np.linalg.pinv(part * np.outer(scale, scale), rcond=1e-14) * np.outer(scale,
                                                                                       scale)
        reduced = chi2 / max(1.0, cells - free.shape[1])
        return free @ inverse @ free.T * max(1.0, reduced), reduced


def _of_steps(z, w):
    """Variance of weight 1 from the differences of neighboring dumps."""
    both = (w[1:] > 0) & (w[:-1] > 0)
    if both.sum() < 3:
        return np.nan
    own = 1 / w[1:][both] + 1 / w[:-1][both]
    return float((np.abs(np.diff(z, axis=0)[both]) ** 2 / own).mean())
