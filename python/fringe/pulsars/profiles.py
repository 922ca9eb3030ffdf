#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Powers folded at the period of a pulsar, and when its pulse arrives."""
import numpy as np

from .dispersion import delay


def turns(phase, start, offsets):
    """The phases (pulse_phase) at `offsets` (seconds, an array) from `start` (an epoch), counted
    from a whole turn. Four instants are asked for, and a polynomial goes through them: over
    minutes it is exact to 1e-9 for any pulsar."""
    low, high = float(np.min(offsets)), float(np.max(offsets))
    nodes = np.linspace(low, max(high, low + 1e-3), 4)
    there = [phase.at(start.plus_seconds(node)) for node in nodes]
    values = [(whole - there[0][0]) + fraction for whole, fraction in there]
    return np.polynomial.Polynomial.fit(nodes, values, 3)(np.asarray(offsets))


def frequency(phase, instant):
    """Turns a second at an epoch."""
    before, after = turns(phase, instant, np.array([-0.5, 0.5]))
    return after - before


class folder:
    """Adds powers up by the phase at which they were sent.

    A channel is folded at the time at which the frequency for which `phase` is made would have
    arrived: its delay D DM (1/f^2 - 1/f'^2) is taken off.

      phase: pulse_phase; bins: of a turn; frequencies: Hz [channel]
    """

    def __init__(self, phase, bins, planes, frequencies, dm):
        self._phase, self.bins, self.dm = phase, bins, dm
        self.frequencies = np.asarray(frequencies, float)
        self._late = delay(dm, self.frequencies) - delay(dm, phase.frequency or np.inf)
        self.sums = np.zeros((planes, len(self.frequencies), bins))
        self.counts = np.zeros((len(self.frequencies), bins))

    def add(self, start, interval, powers):
        """Powers [plane][channel][time], `interval` seconds each, from `start` (an epoch) on. What
        is not finite is left out."""
        planes, channels, length = powers.shape
        offsets = (np.arange(length) + 0.5) * interval - self._late[:, None]
        phases = turns(self._phase, start, offsets) % 1
        cells = np.minimum((phases * self.bins).astype(int), self.bins - 1)
        cells = (cells + self.bins * np.arange(channels)[:, None]).ravel()
        there = np.isfinite(powers).all(axis=0).ravel()
        cells, size = cells[there], self.counts.size
        self.counts += np.bincount(cells, minlength=size).reshape(self.counts.shape)
        for plane in range(planes):
            self.sums[plane] += np.bincount(
                cells, powers[plane].ravel()[there], size).reshape(self.counts.shape)

    def profile(self):
        """The means [plane][channel][bin]; not a number where there was nothing."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.sums / self.counts


def together(parts):
    """(profile, counts) of several, as folder has them: the means of all their samples."""
    counts = sum(part.counts for part in parts)
    sums = sum(np.nan_to_num(part.profile) * part.counts for part in parts)
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums / counts, counts


def scrunched(profile, counts):
    """Means over the channels, [plane][bin], of what folder has; not a number where there was
    nothing."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nansum(profile * counts, axis=1) / counts.sum(axis=0)


def arrival(profile, template):
    """(turns by which a profile comes after a template, their standard error), from the slope of
    the phases of their harmonics (J. H. Taylor, Phil. Trans. R. Soc. A 341, 117, 1992)."""
    found, wanted = np.fft.rfft(profile)[1:-1], np.fft.rfft(template)[1:-1]
    k = np.arange(1, len(found) + 1)
    cross = found * wanted.conj()
    fine = 16 * len(profile)
    shift = np.argmax(np.fft.irfft(np.concatenate([[0], cross]), fine)) / fine
    for _ in range(20):
        turned = cross * np.exp(2j * np.pi * k * shift)
        step = (k * turned.imag).sum() / (2 * np.pi * (k**2 * turned.real).sum())
        shift -= step
        if abs(step) < 1e-14:
            break
    turned = cross * np.exp(2j * np.pi * k * shift)
    scale = turned.real.sum() / (np.abs(wanted)**2).sum()
    left = found * np.exp(2j * np.pi * k * shift) - scale * wanted
    noise = (np.abs(left)**2).mean()
    bend = 2 * scale * (2 * np.pi)**2 * (k**2 * turned.real).sum()
    return (shift + 0.5) % 1 - 0.5, np.sqrt(noise / max(bend, 1e-300))
