#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Dispersion of radio waves by the electrons between a pulsar and the Earth.

A signal of frequency f is late by D DM / f^2. Over a band around f0 this is a filter

    H(f0 + v) = exp(+2 pi i D DM v^2 / (f0^2 (f0 + v)))

and the delay D DM / f0^2 of the whole band; the inverse filter takes it out. (T. H. Hankins and
B. J. Rickett, Methods in Computational Physics 14, 55, 1975.)
"""
import numpy as np

from ..beams.overlap_save import overlap_save, points_for
from ..observing.pulse_phases import DISPERSION, delay


def chirp(dm, frequency, offsets):
    """H at `offsets` (Hz) from `frequency`."""
    return np.exp(2j * np.pi * DISPERSION * dm * offsets**2
                  / (frequency**2 * (frequency + offsets)))


class coherent_dedisperser(overlap_save):
    """Takes dispersion out within channels, by overlap and save.

    Spectra go in piece by piece, [channel][beam][time], and come out as they would be without the
    dispersion within each channel, `past` samples of each stretch later: the first sample that
    comes out belongs to sample number `past` that went in. What differs between channels stays.

      dm: pc / cm^3; frequencies: Hz, the middle of each channel; width: Hz, of a channel and
      samples a second; points: of a transform, None: what is fast; passband: the share of a
      channel that is kept, around its middle. At an end of a critically sampled channel stands,
      too, what lies beyond the other one, and it gets a wrong delay; backend: see overlap_save
    """

    MARGIN = 64  #: samples of a filter beyond the delays of its ends
    LARGEST = 2**28  #: numbers of all filters, of 8 bytes

    def __init__(self, dm, frequencies, width, points=None, passband=1.0,
                 backend="cpu"):
        frequencies = np.asarray(frequencies, float)
        lowest = frequencies.min()
        if not lowest > width / 2:
            raise ValueError(f"frequencies: {lowest:g}: must be above half of the width of a "
                             f"channel, {width / 2:g} Hz")
        ends = np.abs([delay(dm, lowest) - delay(dm, lowest + width / 2),
                       delay(dm, lowest - width / 2) - delay(dm, lowest)])
        early, late = (int(np.ceil(end * width)) + self.MARGIN for end in
                       (ends if dm >= 0 else ends[::-1]))
        least = early + late + 1
        points = points or points_for(least)
        if points < 2 * least:
            raise ValueError(f"points: {points}: must be {2 * least} at least, as the "
                             f"dispersion within a channel takes {least - 1} samples")
        if points * len(frequencies) > self.LARGEST:
            raise ValueError(f"dm: {dm:g}: the dispersion within the channel at {lowest:g} Hz "
                             f"takes {least - 1} samples of {1 / width:g} s, and the filters of "
                             f"all {len(frequencies)} channels too much memory; take more channels")
        offsets = np.fft.fftfreq(points, 1 / width)
        kept = np.abs(offsets) <= passband * width / 2
        super().__init__(np.array([np.conj(kept * chirp(dm, f, offsets)).astype(np.complex64)
                                   for f in frequencies]), early, late, backend)


def channel_smearing(dm, frequency, width):
    """Seconds by which dispersion makes a pulse longer within a channel, of these Hz."""
    return 2 * DISPERSION * dm * width / frequency**3


def dm_trials(frequencies, interval, lowest, highest, width=0.0, smearing=None):
    """Dispersions from `lowest` to `highest`, so near to each other that a pulse half way between
    two of them is longer by `smearing` at most: the delay over the band differs by twice that from
    one to the next.

      frequencies: Hz [channel]; interval: seconds of a mean; width: Hz of a channel
      smearing: seconds; None: half of a mean and of the smearing within a channel in the middle
      of the band, added in squares

    With t = interval, B the delay over the band and S the smearing within a channel for a
    dispersion of 1, a step is sqrt(t^2 + (S DM)^2) / B then.
    """
    f = np.asarray(frequencies, float)
    band = float(delay(1.0, f.min()) - delay(1.0, f.max()))
    within = 0.0 if smearing else channel_smearing(1.0, f.mean(), width)
    least = 2 * smearing if smearing else interval
    if within == 0:
        count = int(np.ceil((highest - lowest) * band / least)) + 1
        return np.linspace(lowest, highest, count)
    ends = np.arcsinh(np.array([lowest, highest]) * within / least)
    count = int(np.ceil((ends[1] - ends[0]) * band / within)) + 1
    dms = least / within * np.sinh(np.linspace(*ends, count))
    dms[[0, -1]] = lowest, highest
    return dms


def shifts_of(frequencies, interval, dms):
    """Whole means by which each channel is later than that of the highest frequency, [dm][channel].
    """
    late = delay(1.0, np.asarray(frequencies, float))
    return np.rint(np.multiply.outer(dms, late - late.min()) / interval).astype(int)


BLOCK = 16384  #: values of a row that are added at a time: they stay in a processor's cache


def trials(powers, frequencies, interval, dms, length=None):
    """Powers [channel][time] summed over the channels as each of `dms` has them arrive, [dm][time].

    Times are those of the highest frequency; each channel is shifted by whole means. The end of the
    data, where channels are missing, is left out. length: of the sums, None: all that there are.
    """
    shifts = shifts_of(frequencies, interval, dms)
    there = powers.shape[1] - int(shifts.max())
    length = there if length is None else length
    if not 1 <= length <= there:
        raise ValueError(f"dms: {max(dms):g}: disperses the band over more than the "
                         f"{powers.shape[1] * interval:g} s that there are")
    sums = np.zeros((len(shifts), length), np.result_type(powers, np.float32))
    for first in range(0, length, BLOCK):
        for into, shift in zip(sums[:, first:first + BLOCK], shifts + first):
            for row, begin in zip(powers, shift.tolist()):
                into += row[begin:begin + len(into)]
    return sums
