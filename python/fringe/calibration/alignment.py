#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""By how much two recordings of one signal are apart: offset, clock rate, frequency, phase."""
import math
from dataclasses import dataclass

import numpy as np

from .alignment_fit import fit
from .flat_spectrum import whitened

#: Pieces whose powers of correlation are added up, and the longest.
PIECES, LONGEST_PIECE = 8, 2 ** 19
#: Chance of a peak in noise alone, of the whole search, below which a peak counts.
FALSE_ALARM = 1e-8
#: Most frequencies that are tried.
MOST_TRIALS = 65


@dataclass
class alignment:
    """What align() finds: sample n + offset of the second belongs to sample n of the first."""
    found: bool           #: False: no peak, and all but the last three mean nothing
    offset: float         #: samples, with their fraction, at the first common sample
    offset_error: float
    rate: float           #: by which the second clock is faster, relative (1e-6: 1 ppm)
    rate_error: float
    frequency: float      #: Hz by which the second receives the signal higher
    frequency_error: float
    phase: float          #: degrees by which it is ahead there, in the middle of the band
    phase_error: float
    coherence: float      #: correlation coefficient, 0 to 1
    first: int            #: the first common sample, counted in the first
    false_alarm: float    #: chance that noise alone has such a peak somewhere
    searched: int         #: samples, to both sides
    trials: int           #: frequencies that were tried


def align(first, second, sample_rate, search=1.0, frequency_search=0.0):
    """Finds by how much two recordings of one signal are apart.

    The samples are cut into 8 pieces, each is correlated with the other recording at every
    offset within the search, and the powers are added up. Before that the spectra are made
    flat. In noise alone the sum of k powers, in units of their mean, follows the gamma
    distribution; the chance that one of all the offsets (and frequencies) tried is so high is
    the false alarm. A peak that reaches less than 1e-8 is fitted: delay and phase, and how both
    change with time.

      first, second: complex or real samples, one-dimensional
      sample_rate: Hz
      search: seconds, the largest offset to either side that is looked for
      frequency_search: Hz, the largest difference of frequency; 0 finds differences of up to
          half of 1 / (length of a piece)

    Returns an `alignment`. Raises ValueError for recordings that are too short.
    """
    a, b = (np.asarray(one) for one in (first, second))
    shorter = min(len(a), len(b))
    if shorter < 4096:
        raise ValueError(f"align: {shorter} samples; at least 4096 of each are needed")
    if not search > 0 or not frequency_search >= 0 or not sample_rate > 0:
        raise ValueError(f"align: search {search}, frequency_search {frequency_search}, "
                         f"sample_rate {sample_rate}: must be positive")
    piece = min(LONGEST_PIECE, 2 ** int(math.log2(shorter / PIECES)))
    if frequency_search:
        most = (MOST_TRIALS - 1) * sample_rate / (4 * frequency_search)
        piece = max(256, min(piece, 2 ** int(math.log2(max(most, 2)))))
    step = sample_rate / piece / 2
    each_side = math.ceil(frequency_search / step)
    if 2 * each_side + 1 > 4 * MOST_TRIALS:
        raise ValueError(f"align: frequency_search {frequency_search:g} Hz is too much for "
                         f"{sample_rate:g} samples a second")
    lags = int(min(round(search * sample_rate), len(a) - piece // 2, len(b) - piece // 2))
    found = _search(a, b, piece, lags, step / sample_rate * np.arange(-each_side, each_side + 1))
    log_chance, offset, turns, tried = found
    chance = math.exp(min(0.0, log_chance))
    if chance > FALSE_ALARM:
        return alignment(False, *[math.nan] * 9, 0, chance, lags, tried)
    return alignment(True, *fit(a, b, offset, turns, sample_rate), chance, lags, tried)


def _search(a, b, piece, lags, turns):
    """The least likely of all sums: (logarithm of the chance that noise has it anywhere, offset,
    turns of phase a sample, frequencies tried)."""
    size = 2 ** math.ceil(math.log2(piece + 2 * lags))
    starts = np.unique(np.linspace(0, len(a) - piece, PIECES).astype(int))
    windows = [None] * len(starts)
    offsets = np.arange(-lags, lags + 1)
    shares = [_overlap(start + offsets, piece, len(b)) for start in starts]
    best = (math.inf, 0, 0.0)
    for turn in turns:
        total, terms = np.zeros(len(offsets)), np.zeros(len(offsets), int)
        for k, (start, share) in enumerate(zip(starts, shares)):
            if not (share > 0.5).any():
                continue
            window = windows[k]
            if window is None:
                window = whitened(np.fft.fft(_window(b, start - lags, piece + 2 * lags), size)
                                  ).astype(np.complex64)
                windows[k] = window if len(turns) > 1 else None
            some = a[start:start + piece] * np.exp(2j * np.pi * turn * np.arange(piece))
            spectrum = whitened(np.fft.fft(some, size))
            if not np.iscomplexobj(a):  # one half of a real signal's spectrum says it all
                spectrum[size // 2:] = 0
            power = np.abs(np.fft.ifft(spectrum.conj() * window)[:len(offsets)]) ** 2
            inside = share > 0.5
            power[inside] /= share[inside]
            mean = np.median(power[inside]) / math.log(2)
            total[inside] += power[inside] / mean
            terms += inside
        chances = _log_tail(terms, total)
        top = int(np.argmin(chances))
        if chances[top] < best[0]:
            best = (float(chances[top]), int(offsets[top]), float(turn))
    return (best[0] + math.log(len(offsets) * len(turns)), *best[1:], len(turns))


def _window(samples, begin, count):
    """Samples from `begin` on, zeros where there are none."""
    out = np.zeros(count, complex if np.iscomplexobj(samples) else float)
    low, high = max(begin, 0), min(begin + count, len(samples))
    if high > low:
        out[low - begin:high - begin] = samples[low:high]
    return out


def _overlap(begins, piece, length):
    """Part of a piece that lies within a recording, of pieces that begin there."""
    inside = np.minimum(begins + piece, length) - np.maximum(begins, 0)
    return np.clip(inside, 0, piece) / piece


def _log_tail(terms, sums):
    """Logarithm of the chance that the sum of so many exponential variables is larger."""
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
