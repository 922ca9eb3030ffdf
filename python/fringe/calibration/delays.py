#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A delay, a phase and an amplitude for each input, from its gains over the channels."""

from dataclasses import dataclass

import numpy as np

from .delay_spectra import channel_places, delay_spectra
from .fringe_fit import fit_fringes
from .stefcal import unit

#: Points of the delay spectrum to a resolution; the fewest channels.
OVERSAMPLING, MIN = 8, 4
#: Height of the peak that counts, in medians of the delay spectrum, where there are channels
#: enough to tell.
LOWEST_PEAK = 4.0


@dataclass
class receiver_gains:
    """What the observation file has of each input; NaN where the input is bad."""
    delay: np.ndarray        #: s by which its signal is late
    phase: np.ndarray        #: degrees by which the receiver advances the phase at frequency 0
    gain: np.ndarray         #: voltage gain
    phase_error: np.ndarray  #: degrees, in the middle of the band
    delay_error: np.ndarray  #: s; 0 where no delay was solved for
    scatter: np.ndarray      #: degrees rms of the channels around the fit; 0 for one solution
    frequency: float         #: middle of the band, Hz

    @property
    def band_phase(self):
        """Phase in the middle of the band, -180 to 180 degrees: what a picture shows."""
        turn = self.phase - 360 * np.remainder(self.frequency * self.delay, 1)
        return (turn + 180) % 360 - 180


def of_band(gain, phase_error, frequency):
    """receiver_gains of one gain for the whole band, [input]: no delay. phase_error: degrees."""
    zero = np.where(np.isfinite(gain.real), 0.0, np.nan)
    return receiver_gains(zero, np.degrees(np.angle(gain)), np.abs(gain), phase_error + zero, zero,
                          zero, frequency)


def fit_delays(gain, snr, frequencies, with_delay=True):
    r"""receiver_gains from gains of every channel, [channel][input].

    For each input the delay tau and phase of the largest

        sum_f w(f) Re{ g(f) / |g(f)| exp(2 pi i f tau - i phase) },    w = snr^2,

    from the peak of the delay spectrum, where the phase may wrap any number of times, by Newton's
    method. The delay is found within +-1 / (2 channel width). The amplitude is the weighted mean
    of |g|. with_delay=False: the phase alone.

    Raises ValueError for under 4 channels, or frequencies that do not ascend in equal steps
    (some may be missing).
    """
    f = np.asarray(frequencies, float)
    if with_delay and len(f) < MIN:
        raise ValueError(f"a delay is the phase's slope over channels: {len(f)} are too few, it "
                         f"needs {MIN}")
    places = channel_places(f) if with_delay else None
    inputs, middle = gain.shape[1], float(f.mean())
    out = receiver_gains(*(np.full(inputs, np.nan) for _ in range(6)), middle)
    good = np.isfinite(gain.real) & (np.abs(gain) > 0) & (snr > 0)
    # What fits exactly has no noise; weights only compare.
    w = np.where(good, np.minimum(snr, 1e6) ** 2, 0)
    z = unit(np.where(good, gain, 0))
    first = np.array([_coarse(w[:, k] * z[:, k], f, places) if with_delay else 0.0
                      for k in range(inputs)], float)
    first[good.sum(axis=0) < (MIN if with_delay else 1)] = np.nan
    fitted = np.isfinite(first)
    w, first = w * fitted, np.nan_to_num(first)
    phase = np.angle((w * z * np.exp(2j * np.pi * np.outer(f - middle, first))).sum(axis=0))
    # Each input against the sky, which has no delay. w is 1 / variance of a gain of modulus 1.
    sky = np.arange(inputs), np.full(inputs, inputs)
    found = fit_fringes(w * z, w, f, sky, np.append(first, 0), np.append(phase, 0), inputs,
                        with_delay=with_delay)
    total = np.where(fitted, w.sum(axis=0), 1)
    turned = np.angle(found.turned)
    degrees = np.degrees(found.phase) + 360 * np.remainder(middle * found.delay, 1)
    for name, values in (
            ("delay", found.delay[:-1]), ("phase", ((degrees + 180) % 360 - 180)[:-1]),
            ("gain", (w * np.abs(np.where(good, gain, 0))).sum(axis=0) / total),
            ("phase_error", np.degrees(found.phase_error[:-1])),
            ("delay_error", found.delay_error[:-1] if with_delay else np.zeros(inputs)),
            ("scatter", np.degrees(np.sqrt((w * turned ** 2).sum(axis=0) / total)))):
        setattr(out, name, np.where(fitted, values, np.nan))
    return out


def _coarse(values, f, places):
    """Peak of the delay spectrum, s; NaN where it does not stand out."""
    delays, heights = delay_spectra(values, places, np.diff(f).min(), OVERSAMPLING)
    peak = int(np.argmax(heights))
    if len(f) >= 16 and heights[peak] < LOWEST_PEAK * np.median(heights):
        return np.nan
    return float(delays[peak])
