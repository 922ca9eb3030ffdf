#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""PSRFITS files in fold mode: profiles of a pulsar, a row for each sub-integration.

DATA [polarization][channel][bin] are 16 bits, a value is DATA DAT_SCL + DAT_OFFS. The dispersion
between channels is in the profiles, as PSRCHIVE expects it (DM): phase 0, the begin of bin 0, is
at STT + OFFS_SUB, near the middle of the row, at the frequency OBSFREQ. PERIOD is the period there.
Bins without a sample are interpolated; a channel in which they are more than half has no weight.
"""
import numpy as np

from ..beams.psrfits import POL_TYPES, primary, table
from ..ground.new_file import new_file
from ..observing.pulse_phases import delay, frequency, turns


def later(profile, turns):
    """A profile [...][bin] that comes some turns [...] later."""
    k = np.arange(profile.shape[-1] // 2 + 1)
    turned = np.fft.rfft(profile) * np.exp(-2j * np.pi * k * np.asarray(turns)[..., None])
    return np.fft.irfft(turned, profile.shape[-1])


def filled(profile):
    """(a profile [plane][channel][bin] whose empty bins have what a line between their neighbors
    has, [channel] whether half of the bins were there); others are zero."""
    there = np.isfinite(profile).all(axis=0)
    enough = 2 * there.sum(axis=1) >= there.shape[1]
    whole, bins = np.zeros_like(profile), np.arange(there.shape[1])
    for channel in np.flatnonzero(enough):
        known = np.flatnonzero(there[channel])
        for plane, values in enumerate(profile[:, channel]):
            whole[plane, channel] = np.interp(bins, known, values[known], period=len(bins))
    return whole, enough


def sixteen_bits(values):
    """(int16, scales, offsets) of values [plane][channel][bin]: least to greatest."""
    low, high = values.min(axis=2), values.max(axis=2)
    offsets, scales = (low + high) / 2, (high - low) / 65530
    scales[scales == 0] = 1
    data = np.rint((values - offsets[..., None]) / scales[..., None])
    return data.astype(np.int16), scales, offsets


def write_psrfits(path, axes, number, parts, phase, dm, overwrite=False):
    """Writes the sub-integrations `parts` (pulsar_sink.parts) of direction `number` of beam_axes.
    """
    planes, channels, bins = parts[0].profile.shape
    values = planes * channels
    columns = [("INDEXVAL", "f8", (), ""), ("TSUBINT", "f8", (), "s"), ("OFFS_SUB", "f8", (), "s"),
               ("PERIOD", "f8", (), "s"), ("DAT_FREQ", "f8", (channels,), "MHz"),
               ("DAT_WTS", "f4", (channels,), ""), ("DAT_OFFS", "f4", (values,), ""),
               ("DAT_SCL", "f4", (values,), ""), ("DATA", "i2", (planes, channels, bins), "Jy")]
    cards = [("EPOCHS", "VALID", ""), ("INT_TYPE", "TIME", ""), ("INT_UNIT", "SEC", ""),
             ("SCALE", "FluxDen", ""),
             ("NPOL", planes, ""), ("POL_TYPE", POL_TYPES[tuple(axes.planes)], ""),
             ("TBIN", 1 / frequency(phase, parts[0].start) / bins, "[s]"), ("NBIN", bins, ""),
             ("NBIN_PRD", bins, ""), ("PHS_OFFS", 0.0, ""), ("NBITS", 1, ""), ("ZERO_OFF", 0.0, ""),
             ("SIGNINT", 0, ""), ("NSUBOFFS", 0, ""), ("NCHAN", channels, ""),
             ("CHAN_BW", axes.width / 1e6, "[MHz]"), ("DM", float(dm), ""), ("RM", 0.0, ""),
             ("NCHNOFFS", 0, ""), ("NSBLK", 1, ""), ("NSTOT", 1, "")]
    start, center = parts[0].start, delay(dm, axes.frequencies.mean())
    between = delay(dm, axes.frequencies) - center
    late = center - delay(dm, phase.frequency or np.inf)
    with new_file(path, overwrite) as file:
        file.write(primary(axes, number, start, "PSR"))
        rows = table(file, columns, cards)
        for part in parts:
            middle = part.start.plus_seconds(part.seconds / 2)
            period = 1 / frequency(phase, middle)
            after = (turns(phase, middle, np.array([-late]))[0] + 0.5) % 1 - 0.5
            whole, enough = filled(part.profile)
            data, scales, offsets = sixteen_bits(later(whole, between / period))
            weights = part.counts.sum(axis=1) * enough
            rows.add(TSUBINT=part.seconds, OFFS_SUB=middle.seconds_since(start) - after * period,
                     PERIOD=period, DAT_FREQ=axes.frequencies / 1e6,
                     DAT_WTS=weights / (weights.max() or 1), DAT_OFFS=offsets.ravel(),
                     DAT_SCL=scales.ravel(), DATA=data)
        rows.finish()
