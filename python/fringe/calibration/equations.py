#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The sums over samples that gains and fluxes are solved from."""

from dataclasses import dataclass

import numpy as np

from .stefcal import first_gains


@dataclass
class equations:
    """Weighted sums over the samples; matrices are hermitian, their diagonal is 0.

    A_k = sum w V conj(M_k),  B_kl = sum w M_k conj(M_l),  C = sum w |V|^2. With them the gains
    need the visibilities no more, however many there were.
    """
    a: np.ndarray         #: [solution][group][source][input][input]
    b: np.ndarray         #: [solution][group][source][source][input][input]
    c: np.ndarray         #: [solution][input][input]
    count: np.ndarray     #: visibilities of weight, same shape as c
    absolute: bool        #: weights are 1 / variance

    @staticmethod
    def of(visibilities, model, weights, flux):
        """From what solve_gains() takes. Raises ValueError."""
        v, m = np.asarray(visibilities), np.asarray(model)
        if v.ndim != 4 or m.ndim != 5 or m.shape[1:] != v.shape:
            raise ValueError(
                f"solve_gains: visibilities of shape {v.shape} and a model of shape {m.shape}; "
                "they must be [solution][group][sample][product] and [source] and the same")
        inputs = int(np.sqrt(2 * v.shape[3]))
        if inputs < 2 or inputs * (inputs + 1) // 2 != v.shape[3]:
            raise ValueError(f"solve_gains: {v.shape[3]} products; n inputs have n (n + 1) / 2, "
                             "autocorrelations among them, n being 2 or more")
        w = np.ones(v.shape) if weights is None else np.broadcast_to(weights, v.shape)
        if (np.asarray(w) < 0).any():
            raise ValueError("solve_gains: a weight is negative; it is 1 / variance, or 0")
        if flux is not None:
            flux = np.asarray(flux, float)
            if flux.shape != m.shape[:1] or not (flux >= 0).all() or not flux.any():
                raise ValueError(f"solve_gains: {flux.size} fluxes for {len(m)} sources; each "
                                 "has one of 0 or more, and one is not 0")
            m = np.tensordot(flux, m, 1)[None]
        i, j = np.triu_indices(inputs)
        w = w * (i != j) * np.isfinite(v) * (np.abs(m).sum(axis=0) > 0)
        v = np.where(w > 0, v, 0)
        a = np.einsum("qgsp,kqgsp->qgkp", w * v, m.conj(), optimize=True)
        b = np.einsum("qgsp,kqgsp,lqgsp->qgklp", w, m, m.conj(), optimize=True)
        c = (w * np.abs(v) ** 2).sum(axis=(1, 2))
        count = (w > 0).sum(axis=(1, 2)).astype(float)
        return equations(*(_matrices(side, inputs) for side in (a, b, c, count)),
                         weights is not None)

    def __add__(self, other):
        """Of both their samples."""
        return equations(self.a + other.a, self.b + other.b, self.c + other.c,
                         self.count + other.count, self.absolute)

    @property
    def solutions(self):
        return self.a.shape[0]

    @property
    def groups(self):
        return self.a.shape[1]

    @property
    def sources(self):
        return self.a.shape[2]

    @property
    def inputs(self):
        return self.a.shape[-1]

    def collapsed(self, flux, good=None):
        """A and B of the whole model, [solution][input][input], of the good inputs."""
        a = np.einsum("qgk,qgkij->qij", flux, self.a, optimize=True)
        b = np.einsum("qgk,qgl,qgklij->qij", flux, flux, self.b, optimize=True).real
        return (a, b) if good is None else (a * _pairs(good), b * _pairs(good))

    def first_gains(self, good, mode):
        """Gains to begin with."""
        ones = np.ones((self.solutions, self.groups, self.sources))
        return first_gains(*self.collapsed(ones, good), mode)

    def fluxes(self, g):
        """The fluxes, none below 0, that fit best with these gains."""
        strength = np.abs(g[:, :, None] * g[:, None, :]) ** 2
        between = g.conj()[:, :, None] * g[:, None, :]
        right = np.einsum("qij,qgkij->qgk", between, self.a, optimize=True).real
        left = np.einsum("qij,qgklij->qgkl", strength, self.b, optimize=True).real
        flux = np.zeros(right.shape)
        for place in np.ndindex(right.shape[:2]):
            flux[place] = _not_negative(left[place], right[place])
        return flux

    def model_weight(self, size, flux=None):
        """sum_j B_ij |g_j|^2: what is known of an input's gain, [solution][input]."""
        if flux is None:
            flux = np.ones((self.solutions, self.groups, self.sources))
        return np.einsum("qij,qj->qi", self.collapsed(flux)[1], size ** 2)

    def estimate(self, g, flux, good):
        """The gain of each input with those of the others held."""
        a, b = self.collapsed(flux, good)
        below = np.einsum("qij,qj->qi", b, np.abs(g) ** 2)
        return np.einsum("qij,qj->qi", a, g) / np.where(below > 0, below, 1)

    def closure(self, flux, good, reference):
        """Closure phases, degrees rms, and what noise alone makes: means over the solutions.

        Of V over the model, arg(A_rj A_jk A_kr): gains cancel in it, so what is left is the
        model's fault or noise (the latter for weights that are 1 / variance).
        """
        a, b = self.collapsed(flux, good)
        both = np.array([_closure(*triple, good, reference) for triple in zip(a, b)])
        return tuple(float(value) for value in np.sqrt((both ** 2).mean(axis=0)))

    def disagreement(self, g, flux, good, phases_only=False):
        """How far the products differ from the model, each averaged over its samples.

        Sums over the products of w |e|^2 and of w, and how many numbers that is made of;
        e = A / (g_i conj(g_j) B) - 1, w = |g_i g_j|^2 B = 1 / variance of e. With phases_only
        twice the imaginary part stands for e: amplitudes may differ.
        """
        a, b = self.collapsed(flux, good)
        i, j = np.triu_indices(self.inputs, 1)
        g = np.where(good, np.nan_to_num(g), 0)
        gains = (g[:, :, None] * g[:, None, :].conj())[:, i, j]
        w = np.abs(gains) ** 2 * b[:, i, j]
        used = w > 0
        e = a[:, i, j][used] / (gains * b[:, i, j])[used] - 1
        square = 2 * e.imag ** 2 if phases_only else np.abs(e) ** 2
        return float((w[used] * square).sum()), float(w.sum()), int(used.sum())

    def residual(self, g, flux, good):
        """Sums of w |V|^2, of w |V - model|^2 and of visibilities: [solution][input][input]."""
        a, b = self.collapsed(flux, good)
        g = np.where(good, np.nan_to_num(g), 0)
        total = self.c * _pairs(good)
        left = (total - 2 * (g.conj()[:, :, None] * g[:, None, :] * a).real
                + np.abs(g[:, :, None] * g[:, None, :]) ** 2 * b)
        return total, np.maximum(left, 0), self.count * _pairs(good)


def _closure(a, b, good, reference):
    """Closure phases of all triangles with the reference, and what noise makes of them: rms in
    degrees; NaN where there is no triangle."""
    others = np.flatnonzero(good & (np.arange(len(good)) != reference))
    if len(others) < 2:
        return np.nan, np.nan
    j, k = (others[rows] for rows in np.triu_indices(len(others), 1))
    edges = [(reference, j), (j, k), (k, reference)]
    used = np.all([b[edge] > 0 for edge in edges], axis=0)
    edges = [(first if np.isscalar(first) else first[used],
              second if np.isscalar(second) else second[used])
             for first, second in edges]
    if not used.any():
        return np.nan, np.nan
    angle = np.angle(a[edges[0]] * a[edges[1]] * a[edges[2]])
    noise = sum(b[edge] / np.maximum(2 * np.abs(a[edge]) ** 2, 1e-300) for edge in edges)
    noise = np.minimum(noise, np.pi ** 2 / 3)  # that of any phase
    return tuple(float(np.degrees(np.sqrt(np.average(x, weights=1 / noise))))
                 for x in (angle ** 2, noise))


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


def _pairs(good):
    return np.outer(good, good)


def _matrices(values, inputs):
    """[...][product] to hermitian [...][input][input]."""
    i, j = np.triu_indices(inputs)
    full = np.zeros(values.shape[:-1] + (inputs, inputs), values.dtype)
    full[..., j, i] = values.conj()
    full[..., i, j] = values
    return full
