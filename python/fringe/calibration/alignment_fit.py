#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Delay, phase and how both change, of two recordings that are aligned to a sample or so."""
from dataclasses import dataclass

import numpy as np

from .flat_spectrum import whitened

#: Stretches of time, parts of the band, Newton's steps, and lags to a sample.
STRETCHES, BANDS, STEPS, FINE = 64, 64, 12, 2
#: By how many samples the delay may change more than expected from the first stretch to the
#: last: at first, and where it is known of a part of the time.
NEAR, NEXT = 40, 10
#: The first window: pieces of the search, in which the frequency that was found cannot be
#: mistaken, and samples, in which clocks differ by no more than NEAR. The next are longer.
FIRST_PIECES, FIRST_SAMPLES, LONGER = 32, 2**18, 4
#: Power of a piece, in units of noise, that is enough to begin around it.
STRONG = 40.0
#: Least part of the first window's coherence that all of the time has.
STEADY = 0.6


@dataclass
class motion:
    """Of the second recording against the first, t in samples of the first from `middle` on:
    delayed by delay + rate t, its phase advanced by phase + 2 pi turns t."""
    middle: float
    delay: float
    turns: float
    rate: float = 0.0
    phase: float = 0.0

    def at(self, sample):
        """The same with another middle."""
        t = sample - self.middle
        return motion(sample, self.delay + self.rate * t, self.turns, self.rate,
                      self.phase + 2 * np.pi * self.turns * t)


def fit(a, b, found, sample_rate):
    """((offset, its error, rate, its error, frequency, error, phase, error, coherence, first
    common sample), whether it is ambiguous) of the model, with t in samples from the first common
    one,

        b ~ a delayed by offset + rate t, its phase advanced by phase + 2 pi frequency t',

    t' the same in samples of the second. found: a `place`.
    """
    first, end = max(0, -found.offset), min(len(a), len(b) - found.offset)
    known = motion(found.middle, found.offset, found.turns)
    window, near, coherences = end - first, NEAR, []
    if found.power > STRONG:
        window = min(window, max(FIRST_PIECES * found.piece, 64 * STRETCHES), FIRST_SAMPLES)
    while True:
        begin = int(min(max(first, found.middle - window // 2), end - window))
        known, covariance, coherence, error, apart = _improved(a, b, known, begin, window, near)
        coherences.append(coherence)
        if window == end - first:
            break
        window, near = min(LONGER * window, end - first), NEXT
    ambiguous = coherence < STEADY * max(coherences[0] - 3 * error, apart)
    at_first = known.at(first)
    t = first - known.middle
    back = np.array([[1, 0, 2 * np.pi * t, 0], [0, 1, 0, t], [0, 0, 1, 0], [0, 0, 0, 1]])
    errors = np.sqrt(np.maximum(np.diag(back @ covariance @ back.T), 0))
    # A sample of the second is 1 / (1 + rate) of the first's.
    return (at_first.delay, errors[1], known.rate, errors[3],
            known.turns / (1 + known.rate) * sample_rate, errors[2] * sample_rate,
            float(np.degrees(at_first.phase) + 180) % 360 - 180, float(np.degrees(errors[0])),
            float(min(1.0, coherence)), first), bool(ambiguous)


def _improved(a, b, known, begin, window, near):
    """The motion that fits a window best, from the known one on: (motion, covariance of its phase,
    delay, turns and rate, coherence, error of that, coherence of the stretches by themselves)."""
    length = window // STRETCHES
    frequency = np.fft.fftfreq(length)
    used = _used(frequency, np.iscomplexobj(a) or np.iscomplexobj(b))
    middles = (np.arange(STRETCHES) + 0.5) * length
    center = known.at(begin + middles.mean())
    cross, there = _cross_spectra(a, b, center, begin, length, frequency)
    cross, t = cross[there], middles[there] - middles.mean()
    delay, rate, turns = _coarse(cross, used, t, length, near)
    cross *= np.exp(2j * np.pi * (np.outer(delay + rate * t, frequency) - (turns * t)[:, None]))
    change, covariance, *quality = _newton(cross[:, used], frequency[used], t, window)
    phase, more_delay, more_turns, more_rate = change
    return (motion(center.middle, center.delay + delay + more_delay,
                   center.turns + turns + more_turns, center.rate + rate + more_rate,
                   center.phase + phase), covariance, *quality)


def _used(frequency, complex_samples):
    """Indices of the frequencies that count, ascending; the edges of the band do not."""
    inside = np.abs(frequency) < 0.47 if complex_samples else (
        (frequency > 0.03) & (frequency < 0.47))
    inside[0] = False
    return np.flatnonzero(inside)[np.argsort(frequency[inside], kind="stable")]


def _cross_spectra(a, b, known, begin, length, frequency):
    """conj(A) B of each stretch, [stretch][frequency], both of power 1 over the band and with the
    known motion taken out; and which stretches are in both recordings."""
    found = np.zeros((STRETCHES, length), complex)
    there, n = np.zeros(STRETCHES, bool), np.arange(length)
    for k in range(STRETCHES):
        at = begin + k * length
        here = known.at(at + 0.5 * length)
        whole = int(round(here.delay))
        if at + whole < 0 or at + whole + length > len(b) or at + length > len(a):
            continue
        turned = np.exp(1j * (here.phase + 2 * np.pi * here.turns * (n - 0.5 * length)))
        found[k] = (whitened(np.fft.fft(a[at:at + length] * turned)).conj()
                    * whitened(np.fft.fft(b[at + whole:at + whole + length]))
                    * np.exp(2j * np.pi * frequency * (here.delay - whole)))
        there[k] = True
    return found, there


def _coarse(cross, used, t, length, near):
    """What delay in samples, its rate and turns a sample are more than known, in the middle, at
    the highest point of a grid."""
    near = FINE * min(near, length // 4)  # in steps of the lags
    kept = np.zeros((len(cross), FINE * length), complex)
    half = length // 2
    kept[:, used[used < half]] = cross[:, used[used < half]]
    kept[:, used[used > half] - length] = cross[:, used[used > half]]
    lags = np.fft.ifft(kept, axis=1)
    lags = np.concatenate([lags[:, -2 * near:], lags[:, :2 * near + 1]], axis=1)
    best, size, span = (-1.0, 0.0, 0.0, 0.0), 4 * STRETCHES, max(np.ptp(t), 1)
    for drift in range(-near, near + 1):  # steps from the first to the last stretch
        shifts = np.rint(drift * t / span).astype(int)
        rows = np.array([line[near + s:3 * near + 1 + s] for line, s in zip(lags, shifts)])
        heights = np.abs(np.fft.fft(rows, size, axis=0))
        top = int(np.argmax(heights))
        if heights.flat[top] > best[0]:
            bin_, lag = divmod(top, rows.shape[1])
            best = (heights.flat[top], (lag - near) / FINE, drift / span / FINE,
                    np.fft.fftfreq(size)[bin_] / length)
    return best[1:]


def _newton(cross, frequency, t, span):
    """Phase, delay, turns and rate that bring the cross spectra into phase, their covariance, the
    coherence that they have then, its error, and that of the stretches by themselves."""
    parts = np.array_split(np.arange(len(frequency)), min(BANDS, len(frequency)))
    mean = np.array([cross[:, part].mean(axis=1) for part in parts]).T
    f = np.array([frequency[part].mean() for part in parts])
    x = t / span
    # Phase, delay in samples, turns over the span, drift over the span.
    basis = np.stack(np.broadcast_arrays(
        1.0, -2 * np.pi * f[None, :], 2 * np.pi * x[:, None],
        -2 * np.pi * f[None, :] * x[:, None]), axis=-1).reshape(-1, 4)
    z, change = mean.reshape(-1), np.zeros(4)
    change[0] = np.angle(z.sum())
    for _ in range(STEPS):
        y = z * np.exp(-1j * basis @ change)
        bend = (basis * np.maximum(y.real, 0)[:, None]).T @ basis
        change = change + np.linalg.solve(bend, basis.T @ y.imag)
    y = z * np.exp(-1j * basis @ change)
    noise, coherence = y.imag.var(), y.real.mean()
    scale = np.array([1, 1, 1 / span, 1 / span])
    # The signal may fill a part of the band only; noise is in all of it.
    signal = np.tile(np.maximum(y.real.reshape(mean.shape).mean(axis=0), 0), len(t))
    bend = np.linalg.inv((basis * signal[:, None]).T @ basis)
    covariance = bend @ (basis.T @ basis) @ bend * noise
    # Their mean power is that of noise, with three standard deviations, and what they share.
    alone = np.abs(y.reshape(mean.shape).mean(axis=1)) ** 2
    share = alone.mean() - 2 * noise / len(f) * (1 + 3 / np.sqrt(len(t)))
    return (change * scale, covariance * np.outer(scale, scale), float(coherence),
            float(np.sqrt(noise / len(z))), float(np.sqrt(max(share, 0))))
