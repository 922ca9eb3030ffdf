#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Delay, phase and how both change, of two recordings that are aligned to a sample or so."""
import numpy as np

from .flat_spectrum import whitened

#: Stretches of time, parts of the band, offsets on each side in samples, and Newton's steps.
STRETCHES, BANDS, NEAR, STEPS = 64, 64, 48, 12


def fit(a, b, offset, turns, sample_rate):
    """(offset, its error, rate, its error, frequency, error, phase, error, coherence, first
    common sample) of the model, with t in samples from the first common one,

        b ~ a delayed by offset + rate t, its phase advanced by phase + 2 pi frequency t.

    offset: to a few samples at some time; turns: of phase a sample, of b against a.
    """
    first = max(0, -offset)
    count = min(len(a) - first, len(b) - first - offset)
    length = count // STRETCHES
    middles = (np.arange(STRETCHES) + 0.5) * length
    frequency = np.fft.fftfreq(length)
    used = _used(frequency, np.iscomplexobj(a) or np.iscomplexobj(b))
    cross = _cross_spectra(a, b, first, offset, length, turns)
    delay, rate, turn = _coarse(cross, used, middles, length)
    cross *= np.exp(2j * np.pi * (np.outer(delay + rate * middles, frequency)
                                  - (turn * middles)[:, None]))
    model = np.array([0.0, delay, turn, rate])
    return _newton(cross[:, used], frequency[used], middles, model, offset, turns, first,
                   sample_rate)


def _used(frequency, complex_samples):
    """Indices of the frequencies that count, ascending; the edges of the band do not."""
    inside = np.abs(frequency) < 0.47 if complex_samples else (
        (frequency > 0.03) & (frequency < 0.47))
    inside[0] = False
    return np.flatnonzero(inside)[np.argsort(frequency[inside], kind="stable")]


def _cross_spectra(a, b, first, offset, length, turns):
    """conj(A) B of each stretch, [stretch][frequency], both of power 1 over the band."""
    found = np.empty((STRETCHES, length), complex)
    n = np.arange(length)
    for k in range(STRETCHES):
        at = first + k * length
        turned = np.exp(2j * np.pi * turns * (k * length + n))
        found[k] = (whitened(np.fft.fft(a[at:at + length] * turned)).conj()
                    * whitened(np.fft.fft(b[at + offset:at + offset + length])))
    return found


def _coarse(cross, used, middles, length):
    """Delay and its rate in samples, and turns a sample, at the highest point of a grid."""
    near = min(NEAR, length // 4)
    kept = np.zeros_like(cross)
    kept[:, used] = cross[:, used]
    lags = np.fft.ifft(kept, axis=1)
    lags = np.concatenate([lags[:, -2 * near:], lags[:, :2 * near + 1]], axis=1)
    best, size = (-1.0, 0.0, 0.0, 0.0), 4 * STRETCHES
    for drift in range(-near, near + 1):  # samples from the first to the last stretch
        shifts = np.rint(drift * (middles - middles[0]) / (middles[-1] - middles[0])).astype(int)
        rows = np.array([line[near + s:3 * near + 1 + s] for line, s in zip(lags, shifts)])
        heights = np.abs(np.fft.fft(rows, size, axis=0))
        top = int(np.argmax(heights))
        if heights.flat[top] > best[0]:
            bin_, lag = divmod(top, rows.shape[1])
            rate = drift / (middles[-1] - middles[0])
            best = (heights.flat[top], lag - near - rate * middles[0], rate,
                    np.fft.fftfreq(size)[bin_] / length)
    return best[1:]


def _newton(cross, frequency, middles, model, offset, turns, first, sample_rate):
    """The model's numbers that bring the cross spectra into phase, and their errors."""
    parts = np.array_split(np.arange(len(frequency)), min(BANDS, len(frequency)))
    mean = np.array([cross[:, part].mean(axis=1) for part in parts]).T
    f = np.array([frequency[part].mean() for part in parts])
    span = np.ptp(middles)
    t = (middles - middles.mean()) / span
    # Phase, delay in samples, turns over the span, drift over the span: of the middle in time.
    basis = np.stack(np.broadcast_arrays(
        1.0, -2 * np.pi * f[None, :], 2 * np.pi * t[:, None],
        -2 * np.pi * f[None, :] * t[:, None]), axis=-1).reshape(-1, 4)
    z, change = mean.reshape(-1), np.zeros(4)
    change[0] = np.angle(z.sum())
    for _ in range(STEPS):
        y = z * np.exp(-1j * basis @ change)
        bend = (basis * np.maximum(y.real, 0)[:, None]).T @ basis
        change = change + np.linalg.solve(bend, basis.T @ y.imag)
    y = z * np.exp(-1j * basis @ change)
    noise = y.imag.var()
    inverse = np.linalg.inv(basis.T @ basis) * noise / max(y.real.mean(), 1e-30) ** 2
    # To the first common sample.
    back = np.array([[1, 0, -2 * np.pi * middles.mean() / span, 0],
                     [0, 1, 0, -middles.mean() / span],
                     [0, 0, 1 / span, 0], [0, 0, 0, 1 / span]])
    phase, delay, turn, rate = back @ change + model
    errors = np.sqrt(np.maximum(np.diag(back @ inverse @ back.T), 0))
    return (offset + delay, errors[1], rate, errors[3],
            (turns + turn) * sample_rate, errors[2] * sample_rate,
            float(np.degrees(phase) + 180) % 360 - 180, float(np.degrees(errors[0])),
            float(min(1.0, y.real.mean())), first)
