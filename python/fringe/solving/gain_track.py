#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Gains against time: which new ones are believed, and what they will be a little later."""

import numpy as np

from ..calibration.stefcal import unit

#: Solutions from which the rate of a phase follows, and after how many that agree a gain that has
#: moved too far is believed.
REMEMBERED, AGREED = 4, 3
#: Errors by which a phase may have moved, and the factor by which an amplitude may have.
SIGMAS, AMPLITUDE = 5.0, 2.0
#: Part of the inputs that may move too far at a time: more of them are a wrong solution.
MOST = 0.5


class gain_track:
    """The last solutions of the gains, [input][channel].

    A factor that is common to all inputs of one polarization says nothing of the sky; each solution
    is turned so that it is near that of before. max_drift: degrees a minute.
    """

    def __init__(self, inputs, frequencies, max_drift):
        self._drift = np.radians(max_drift) / 60
        self._gains = np.full((inputs, len(frequencies)), np.nan + 0j)  # the last believed
        self._errors = np.full(inputs, np.nan)
        self._times = np.full(inputs, np.nan)
        self._past = [[] for _ in range(inputs)]  # (time, phase, error), phases unwrapped
        self._waiting = {}  # input: (gains, how many agree)
        self._refused = None  # (time, gains, how many agree) of whole solutions

    def at(self, seconds):
        """The gains at a time, NaN where never solved; None before the first solution."""
        if not np.isfinite(self._times).any():
            return None
        turn = np.array([rate * (seconds - t) if np.isfinite(t) else 0
                         for rate, t in zip(self._rates(), self._times)])
        return self._gains * np.exp(1j * turn)[:, None]

    def likeness(self, gains, seconds):
        """How much gains are like those that are foreseen, 0 to 1; 1 where nothing is."""
        before = self.at(seconds)
        if before is None:
            return 1.0
        some = np.isfinite(gains) & np.isfinite(before)
        turned = np.where(some, unit(gains * before.conj()), 0)
        return float((np.abs(turned.sum(axis=0)) / np.maximum(some.sum(axis=0), 1)).mean())

    def add(self, seconds, gains, errors, hands):
        """Takes a solution. Returns (why it is not believed or "", inputs whose gains are held)."""
        before = self.at(seconds)
        good = np.isfinite(gains[:, 0])
        if before is None:
            self._believe(np.flatnonzero(good), seconds, gains, errors)
            return "", []
        gains = _turned(gains, before, hands)
        known = good & np.isfinite(before[:, 0])
        moved = known & self._moved(seconds, gains, errors, before)
        if moved.sum() > MOST * max(known.sum(), 1):
            again = self._refused is not None and not self._moved(
                seconds, _turned(gains, self._refused[0], hands), errors,
                self._refused[0])[known].mean() > MOST
            self._refused = gains, (self._refused[1] + 1 if again else 1)
            if self._refused[1] < AGREED:
                return (f"the phases of {moved.sum()} of {known.sum()} inputs moved by more than "
                        "their errors and the largest drift allow; it is believed when "
                        f"{AGREED} in sequence agree", [])
            self._forget()
            moved[:] = False
        self._refused = None
        held = [int(k) for k in np.flatnonzero(moved) if not self._agrees(k, seconds, gains, errors)]
        self._waiting = {k: value for k, value in self._waiting.items() if k in held}
        use = good.copy()
        use[held] = False
        self._believe(np.flatnonzero(use), seconds, gains, errors, fresh=moved)
        return "", held

    def _moved(self, seconds, gains, errors, before):
        """Inputs whose gains are further from those foreseen than is likely."""
        ratio = np.nanmean(gains * before.conj(), axis=1) if gains.size else np.zeros(0)
        size = (np.abs(gains) ** 2).mean(axis=1) / (np.abs(before) ** 2).mean(axis=1)
        age = np.where(np.isfinite(self._times), seconds - self._times, 0)
        allowed = (SIGMAS * np.sqrt(np.nan_to_num(errors) ** 2 + np.nan_to_num(self._errors) ** 2)
                   + self._drift * np.abs(age))
        away = np.abs(np.angle(ratio)) > allowed
        size = np.nan_to_num(size, nan=1.0)
        return away | (size > AMPLITUDE ** 2) | (size < AMPLITUDE ** -2)

    def _agrees(self, k, seconds, gains, errors):
        """Whether the gains of an input that moved have been the same some times in sequence."""
        last, count = self._waiting.get(int(k), (None, 0))
        if last is not None:
            off = np.abs(np.angle((gains[k] * last.conj()).mean()))
            count = count if off < SIGMAS * errors[k] + self._drift * 60 else 0
        self._waiting[int(k)] = gains[k], count + 1
        return count + 1 >= AGREED

    def _believe(self, some, seconds, gains, errors, fresh=None):
        for k in some:
            if fresh is not None and fresh[k]:
                self._past[k].clear()
            phase = 0.0
            if self._past[k]:
                phase = self._past[k][-1][1] + float(np.angle(
                    (gains[k] * self._gains[k].conj()).mean()))
            self._past[k] = self._past[k][1 - REMEMBERED:] + [(seconds, phase, errors[k])]
            self._gains[k], self._errors[k], self._times[k] = gains[k], errors[k], seconds

    def _rates(self):
        """rad/s of each input: of straight lines through its last phases, made smaller by as much
        as they are not sure."""
        found = np.zeros(len(self._past))
        for k, past in enumerate(self._past):
            if len(past) < 3:
                continue
            t, phase, error = np.array(past).T
            t = t - t.mean()
            spread = (t ** 2).sum()
            rate = (t * phase).sum() / spread
            noise = np.mean(np.maximum(error, 1e-4) ** 2) / spread
            found[k] = rate * rate ** 2 / (rate ** 2 + noise)
        return found

    def _forget(self):
        for past in self._past:
            past.clear()
        self._times[:] = np.nan


def _turned(gains, before, hands):
    """Gains times a phase for each channel and polarization, so that they are near others."""
    made = np.array(gains)
    for hand in set(hands):
        own = hands == hand
        some = np.isfinite(gains) & np.isfinite(before) & own[:, None]
        turn = unit(np.where(some, unit(before * gains.conj()), 0).sum(axis=0))
        made[own] = gains[own] * np.where(turn != 0, turn, 1)
    return made
