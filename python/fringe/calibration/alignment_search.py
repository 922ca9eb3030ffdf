#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where two recordings of one signal correlate: an offset and a frequency, to begin with."""
import math
from dataclasses import dataclass

import numpy as np

from .flat_spectrum import whitened

#: Shortest piece, and by how much the next ones are longer.
SHORTEST_PIECE, LONGER = 1024, 8
#: Pieces of the first searches, which find strong signals at once, and of the last one.
FEW_PIECES, PIECES = 2, 8


@dataclass
class place:
    """The least likely of all sums of powers."""
    log_chance: float     #: logarithm of the chance that noise has it anywhere
    offset: int           #: of the second against the first, samples
    turns: float          #: of phase a sample
    middle: int           #: sample of the first in the middle of the piece that says it best
    piece: int            #: length of the pieces
    power: float = 0.0    #: of that piece, in units of noise
    trials: int = 0       #: frequencies that were tried


def search_place(a, b, lags, max_turns, longest, log_enough):
    """The `place` of a peak: in short pieces first, whose frequencies are few and which are
    enough for a strong signal, then in longer ones, until the chance is below log_enough.

    lags: samples, to either side; max_turns: of phase a sample, the same; longest: piece.
    """
    pieces = [longest]
    while max_turns and pieces[0] // LONGER >= SHORTEST_PIECE:
        pieces.insert(0, pieces[0] // LONGER)
    trials, best = 0, None
    for piece in pieces:
        last = piece == pieces[-1]
        found = _search(a, b, piece, PIECES if last else FEW_PIECES, lags, max_turns)
        trials += found.trials
        found.log_chance += math.log(len(pieces))
        if best is None or found.log_chance < best.log_chance:
            best = found
        if best.log_chance < log_enough:
            break
    best.trials = trials
    return best


def _search(a, b, piece, count, lags, max_turns):
    size = 2 ** math.ceil(math.log2(piece + 2 * lags))
    each_side = math.ceil(max_turns * 2 * piece)
    offsets = np.arange(-lags, lags + 1)
    starts = np.unique(np.linspace(0, len(a) - piece, count + 2 * (count < PIECES)).astype(int))
    starts = starts[1:-1] if count < PIECES and len(starts) > count else starts
    parts = [part for part in (_piece(a, b, start, piece, lags, size, offsets) for start in starts)
             if part]
    best, steps = place(math.inf, 0, 0.0, len(a) // 2, piece), range(-each_side, each_side + 1)
    for step in steps:
        total, terms = np.zeros(len(offsets)), np.zeros(len(offsets), int)
        powers = []
        for start, spectrum, window, share, inside in parts:
            # Phase that turns moves a spectrum: by half of 1 / piece, a whole number of its steps.
            moved = np.roll(spectrum, step * size // (2 * piece))
            if not np.iscomplexobj(a):  # one half of a real signal's spectrum says it all
                moved[size // 2:] = 0
            power = np.abs(np.fft.ifft(moved.conj() * window)[:len(offsets)]) ** 2
            power[inside] /= share[inside]
            power[inside] /= np.median(power[inside]) / math.log(2)
            total[inside] += power[inside]
            terms += inside
            powers.append((start, power))
        chances = log_tail(terms, total)
        top = int(np.argmin(chances))
        if chances[top] < best.log_chance:
            start, power = max(((first, found[top]) for first, found in powers), key=lambda x: x[1])
            best = place(float(chances[top]), int(offsets[top]), step / (2 * piece),
                         start + piece // 2, piece, float(power))
    best.trials = len(steps)
    best.log_chance += math.log(len(offsets) * len(steps))
    return best


def _piece(a, b, start, piece, lags, size, offsets):
    """(start, spectrum of a piece, that of what it may belong to, share of the piece that is
    there at each offset, where that is enough); None where it is nowhere."""
    share = _overlap(start + offsets, piece, len(b))
    if not (share > 0.5).any():
        return None
    spectrum = whitened(np.fft.fft(a[start:start + piece], size)).astype(np.complex64)
    window = whitened(np.fft.fft(_window(b, start - lags, piece + 2 * lags), size))
    return start, spectrum, window.astype(np.complex64), share, share > 0.5


def _window(samples, begin, count):
    """Samples from `begin` on, zeros beyond the data."""
    out = np.zeros(count, complex if np.iscomplexobj(samples) else float)
    low, high = max(begin, 0), min(begin + count, len(samples))
    if high > low:
        out[low - begin:high - begin] = samples[low:high]
    return out


def _overlap(begins, piece, length):
    """Part of a piece that lies within a recording, of pieces that begin there."""
    inside = np.minimum(begins + piece, length) - np.maximum(begins, 0)
    return np.clip(inside, 0, piece) / piece


def log_tail(terms, sums):
    """Logarithm of the chance that the sum of this number of exponential variables is larger."""
    out = np.zeros(len(sums))
    for count in np.unique(terms[terms > 0]):
        x = np.maximum(sums[terms == count], 1e-3)
        logs = np.zeros(len(x))
        factor = np.zeros(len(x))
        for k in range(1, count):
            factor = factor + np.log(x) - math.log(k)
            logs = np.logaddexp(logs, factor)
        out[terms == count] = np.minimum(0.0, logs - x)
    return out
