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


def trials(powers, frequencies, interval, dms):
    """Powers [channel][time] summed over the channels as each of `dms` has them arrive, [dm][time].

    Times are those of the highest frequency; each channel is shifted by whole means. The end of the
    data, where channels are missing, is left out.
    """
    frequencies = np.asarray(frequencies, float)
    shifts = [np.rint((delay(dm, frequencies) - delay(dm, frequencies.max())) / interval)
              .astype(int) for dm in dms]
    length = powers.shape[1] - max(int(shift.max()) for shift in shifts)
    if length < 1:
        raise ValueError(f"dms: {max(dms):g}: disperses the band over more than the "
                         f"{powers.shape[1] * interval:g} s that there are")
    return np.array([sum(row[n:n + length] for row, n in zip(powers, shift)) for shift in shifts])
