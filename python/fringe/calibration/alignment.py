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
from .alignment_search import PIECES, search_place

#: The longest piece.
LONGEST_PIECE = 2 ** 19
#: Chance of a peak in noise alone, of the whole search, below which a peak counts.
FALSE_ALARM = 1e-8
#: Frequencies times offsets that are tried in a piece, and limits of the frequencies.
WORK, MIN_TRIALS, MAX_TRIALS = 2 ** 27, 64, 4096


@dataclass
class alignment:
    """What align() finds: sample n + offset of the second belongs to sample n of the first."""
    found: bool           #: False: no peak, and all but the last three mean nothing
    offset: float         #: samples, with their fraction, at the first common sample
    offset_error: float
    rate: float           #: by which the second clock is faster, relative (1e-6: 1 ppm)
    rate_error: float
    frequency: float      #: Hz by which the second receives the signal higher, by its clock
    frequency_error: float
    phase: float          #: degrees by which it is ahead there, in the middle of the band
    phase_error: float
    coherence: float      #: correlation coefficient, 0 to 1
    first: int            #: the first common sample, counted in the first
    false_alarm: float    #: chance that noise alone has such a peak somewhere
    searched: int         #: samples, to both sides
    trials: int           #: frequencies that were tried
    #: True: phase and delay do not change evenly, or another frequency fits as well: the
    #: numbers may be wrong by more than their errors
    ambiguous: bool = False


def align(first, second, sample_rate, search=1.0, frequency_search=0.0):
    """Finds by how much two recordings of one signal are apart.

    The samples are cut into 8 pieces, each is correlated with the other recording at every
    offset within the search, and the powers are added up. Before that the spectra are made
    flat. In noise alone the sum of k powers, in units of their mean, follows the gamma
    distribution; the chance that one of all the offsets (and frequencies) tried is so high is
    the false alarm. Where frequencies are searched, short pieces come first, for which few
    frequencies are enough: a strong signal is found in them. A peak that reaches less than 1e-8
    is fitted: delay and phase, and how both change with time, around the piece that shows it
    best, then over more and more of the recordings, until all of them are used.

      first, second: complex or real samples, one-dimensional
      sample_rate: Hz
      search: seconds, the largest offset to either side that is looked for
      frequency_search: Hz, the largest difference of frequency; 0 finds differences of up to
          half of 1 / (length of a piece)

    Returns an `alignment`. Raises ValueError for recordings that are too short.
    """
    a, b = (np.asarray(samples) for samples in (first, second))
    shorter = min(len(a), len(b))
    if shorter < 4096:
        raise ValueError(f"align: {shorter} samples; at least 4096 of each are needed")
    if not search > 0 or not frequency_search >= 0 or not sample_rate > 0:
        raise ValueError(f"align: search {search}, frequency_search {frequency_search}, "
                         f"sample_rate {sample_rate}: must be positive")
    turns = frequency_search / sample_rate
    if turns > 0.25:
        raise ValueError(f"align: frequency_search {frequency_search:g} Hz is too much for "
                         f"{sample_rate:g} samples a second")
    piece = min(LONGEST_PIECE, 2 ** int(math.log2(shorter / PIECES)))
    if turns:
        trials = min(max(WORK / (2 * search * sample_rate), MIN_TRIALS), MAX_TRIALS)
        piece = max(256, min(piece, 2 ** int(math.log2(max(trials / (4 * turns), 2)))))
    lags = int(min(round(search * sample_rate), len(a) - piece // 2, len(b) - piece // 2))
    found = search_place(a, b, lags, turns, piece, math.log(FALSE_ALARM))
    chance = math.exp(min(0.0, found.log_chance))
    if chance > FALSE_ALARM:
        return alignment(False, *[math.nan] * 9, 0, chance, lags, found.trials)
    fitted, ambiguous = fit(a, b, found, sample_rate)
    return alignment(True, *fitted, chance, lags, found.trials, ambiguous)
