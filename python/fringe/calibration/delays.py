#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A delay, a phase and an amplitude for each input, from its gains over the channels."""

from dataclasses import dataclass

import numpy as np

from .delay_spectra import channel_places, delay_spectra

#: Points of the delay spectrum to a resolution; the fewest channels; Newton's steps.
OVERSAMPLING, MIN, STEPS = 8, 4, 12
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


def of_band(gain, snr, frequency):
    """receiver_gains of one gain for the whole band, [input]: no delay."""
    zero = np.where(np.isfinite(gain.real), 0.0, np.nan)
    error = np.degrees(np.minimum(1 / (np.sqrt(2) * np.maximum(snr, 1e-9)), np.pi))
    return receiver_gains(zero, np.degrees(np.angle(gain)), np.abs(gain), error, zero, zero,
                          frequency)


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
    for k in range(inputs):
        good = np.isfinite(gain[:, k].real) & (np.abs(gain[:, k]) > 0) & (snr[:, k] > 0)
        if good.sum() < (MIN if with_delay else 1):
            continue
        # What fits exactly has no noise; weights only compare.
        w = np.where(good, np.minimum(snr[:, k], 1e6) ** 2, 0)
        z = np.where(good, gain[:, k] / np.where(good, np.abs(gain[:, k]), 1), 0)
        delay = _coarse(w * z, f, places) if with_delay else 0.0
        if delay is None:
            continue
        x = 2 * np.pi * (f - middle)
        delay, phase, curvature = _newton(w, z, x, delay, with_delay)
        turned = z * np.exp(1j * (x * delay - phase))
        out.delay[k] = delay
        degrees = np.degrees(phase) + 360 * np.remainder(middle * delay, 1)
        out.phase[k] = (degrees + 180) % 360 - 180
        out.gain[k] = (w * np.abs(np.where(good, gain[:, k], 0))).sum() / w.sum()
        # w is in 1 / variance of a complex gain, of which half lies in the phase.
        errors = np.sqrt(np.diagonal(np.linalg.inv(2 * curvature)))
        out.phase_error[k] = np.degrees(errors[0])
        out.delay_error[k] = errors[1] if with_delay else 0.0
        out.scatter[k] = np.degrees(np.sqrt((w * np.angle(turned) ** 2).sum() / w.sum()))
    return out


def _coarse(values, f, places):
    """Peak of the delay spectrum, s; None where it does not stand out."""
    delays, heights = delay_spectra(values, places, np.diff(f).min(), OVERSAMPLING)
    peak = int(np.argmax(heights))
    if len(f) >= 16 and heights[peak] < LOWEST_PEAK * np.median(heights):
        return None
    return float(delays[peak])


def _newton(w, z, x, delay, with_delay):
    """Delay, phase, and the matrix of second derivatives at the top."""
    phase = float(np.angle((w * z * np.exp(1j * x * delay)).sum()))
    scale = max(np.abs(x).max(), 1e-300)
    for _ in range(STEPS):
        turned = w * z * np.exp(1j * (x * delay - phase))
        y = x / scale
        slope = np.array([turned.imag.sum(), -(y * turned.imag).sum()])
        cross = -(y * turned.real).sum()
        bend = np.array([[turned.real.sum(), cross], [cross, (y * y * turned.real).sum()]])
        if not with_delay:
            phase += slope[0] / bend[0, 0]
            continue
        step = np.linalg.solve(bend, slope)
        phase, delay = phase + step[0], delay + step[1] / scale
    if not with_delay:
        return 0.0, phase, bend[:1, :1]
    return delay, phase, bend * np.outer([1, scale], [1, scale])
