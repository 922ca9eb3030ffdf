#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What a fit of baselines has to show before it is believed, and what its data close to."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from .quality import unsolved

#: Amplitude of a baseline in its errors under which it has no signal; parts of the time.
LOWEST, PARTS = 6.0, 16
SURE = 6.0


@dataclass
class triangle:
    """Three inputs, and the sum of delays and phases around them: noise, or an error of data."""
    inputs: tuple
    delay: float        #: s
    delay_error: float
    phase: float        #: degrees
    phase_error: float

    @property
    def closes(self):
        """Within 6 sigma."""
        return (abs(self.delay) <= SURE * self.delay_error
                and abs(self.phase) <= SURE * self.phase_error)


def signal_of(fit, x, observation):
    """Weight 0 for baselines without signal; `unsolved` where an antenna has none left."""
    heard = set()
    for number, entry in enumerate(fit.sets):
        for p, (i, j) in enumerate(zip(entry.i, entry.j)):
            z, w, noise = fit.turned(number, p, x)
            total = w.sum()
            parts = np.array_split(np.arange(len(z)), max(1, len(z) // 4))
            power = sum(abs((w[s] * z[s]).sum()) ** 2 for s in parts)
            own = noise * total
            if total > 0 and power > own * (1 + LOWEST / np.sqrt(len(parts))):
                heard |= {fit.antenna[i], fit.antenna[j]}
            else:
                entry.w[:, :, p] = 0
    for a, entry in enumerate(observation.antennas):
        if a not in heard and a in fit.antenna:
            raise unsolved(f"{entry.name}: hears nothing of the sources: no baseline of it has a "
                           f"signal of {LOWEST:g} sigma (bad: true in the observation leaves it "
                           "out)")


def _amplitude(z, w, noise):
    """Of a baseline: of the mean of all cells or, where phases do not fit and the mean has lost it,
    of what four dumps have surely."""
    total = w.sum()
    parts = np.array_split(np.arange(len(z)), max(1, len(z) // 4))
    power = sum(abs((w[s] * z[s]).sum()) ** 2 for s in parts)
    sure = power - noise * total * (1 + LOWEST / np.sqrt(len(parts)))
    weight = sum(w[s].sum() ** 2 for s in parts)
    mean = (w * z.real).sum() / max(total, 1e-300)
    return max(mean, np.sqrt(max(sure, 0) / max(weight, 1e-300)))


def check_fit(fit, x, limit):
    """[(path, source, degrees rms)] of the sets; `unsolved` where the phases do not fit."""
    found, sure = [], []
    for number, entry in enumerate(fit.sets):
        square, noise, count = 0.0, 0.0, 0
        for p in range(len(entry.i)):
            z, w, own = fit.turned(number, p, x)
            size = _amplitude(z, w, own)
            for axis in (0, 1):
                for part in np.array_split(np.arange(z.shape[axis]), min(PARTS, z.shape[axis])):
                    total = w.take(part, axis).sum()
                    if not total > 0:
                        continue
                    off = np.angle((w * z).take(part, axis).sum())
                    square, count = square + off ** 2, count + 1
                    noise += min(own / (2 * max(size, 1e-30) ** 2 * total), np.pi ** 2 / 3)
        left = square - noise
        found.append((entry.path, entry.source.name,
                      float(np.degrees(np.sqrt(max(left, 0) / max(count, 1))))))
        sure.append(np.degrees(np.sqrt(max(left - SURE * noise * np.sqrt(2 / max(count, 1)), 0)
                                       / max(count, 1))))
    worst = int(np.argmax(sure))
    if sure[worst] > limit:
        others = ", ".join(f"{path} {rms:.1f}" for path, _, rms in found)
        raise unsolved(
            f"{found[worst][0]}: the phases of {found[worst][1]} differ from the fit by "
            f"{found[worst][2]:.1f} degrees rms, which is not noise (up to {limit:g} are taken, "
            f"max_misfit=DEGREES takes more; all sets: {others}): is the direction of this source "
            "right, is a position off by more than the search (search=METERS), were receivers "
            "started anew between the sets (phase_per_set=True), is anything else in the sky?")
    return found


def closure_of(fit, x, observation):
    """`triangle` of all inputs of a polarization: baselines fitted each by itself."""
    left = {}
    for number, entry in enumerate(fit.sets):
        for p, pair in enumerate(zip(entry.i, entry.j)):
            z, w, noise = fit.turned(number, p, x)
            f = np.broadcast_to(entry.bands - fit.f0, z.shape)
            left.setdefault(tuple(map(int, pair)), []).append((z, w, noise, f))
    slope = {pair: _slope(parts) for pair, parts in left.items()}
    slope = {pair: found for pair, found in slope.items() if found is not None}
    out = []
    for i, j, k in combinations(range(fit.inputs), 3):
        sides = [slope.get(pair) for pair in ((i, j), (j, k), (i, k))]
        if len({observation.inputs[n].polarization for n in (i, j, k)}) > 1 or None in sides:
            continue
        total = np.array(sides[0][0]) + sides[1][0] - np.array(sides[2][0])
        error = np.sqrt(sum(np.square(side[1]) for side in sides))
        total[0] = (total[0] + np.pi) % (2 * np.pi) - np.pi
        out.append(triangle((i, j, k), float(total[1]), float(error[1]),
                            float(np.degrees(total[0])), float(np.degrees(error[0]))))
    return out


def _slope(parts):
    """((phase, delay), their errors) of what is left on a baseline; None without signal."""
    matrix, right = np.zeros((2, 2)), np.zeros(2)
    for z, w, noise, f in parts:
        size = (w * z.real).sum() / max(w.sum(), 1e-300)
        if not size > 0:
            continue
        d = np.stack([np.ones(f.shape), -2 * np.pi * f])
        matrix += np.einsum("kdb,ldb,db->kl", d, d, 2 * w * size ** 2 / noise)
        right += np.einsum("kdb,db->k", d, 2 * w * size * z.imag / noise)
    if not matrix[0, 0] > 0:
        return None
    scale = np.sqrt(np.maximum(np.diagonal(matrix), 1e-300))
    inverse = np.linalg.pinv(matrix / np.outer(scale, scale)) / np.outer(scale, scale)
    return inverse @ right, np.sqrt(np.maximum(np.diagonal(inverse), 0))


def exchanged(observation, places, reference):
    """A sentence for two antennas that were found where the other should be."""
    old = np.array([entry.enu for entry in observation.antennas])
    found = places - places[reference] + old[reference]
    names, out = [entry.name for entry in observation.antennas], []
    for a, b in combinations(range(len(old)), 2):
        if reference in (a, b):
            continue
        apart = np.linalg.norm(old[a] - old[b])
        if max(np.linalg.norm(found[a] - old[b]), np.linalg.norm(found[b] - old[a])) < apart / 4:
            out.append(f"{names[a]} is where {names[b]} should be, and the other way round: were "
                       "their cables exchanged?")
    return out
