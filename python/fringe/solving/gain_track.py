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
MAX_MOVED = 0.5
#: Rounds in which the phase that all have in common is found as a median is, and rad that are near.
ROUNDS, NEAR = 6, 0.01


class gain_track:
    """The last solutions of the gains, [input][channel].

    A complex factor that is common to all inputs of one polarization says nothing of the receivers,
    and is that of which the reference of a solution has the gain 1: each solution is turned and
    scaled so that it is near that of before. max_drift: degrees a minute.
    """

    def __init__(self, inputs, frequencies, max_drift):
        self._drift = np.radians(max_drift) / 60
        self._gains = np.full((inputs, len(frequencies)), np.nan + 0j)  # the last believed
        self._errors = np.full(inputs, np.nan)
        self._times = np.full(inputs, np.nan)
        self._past = [[] for _ in range(inputs)]  # (time, phase, error), phases unwrapped
        self._waiting = {}  # input: (time, gains, how many agree)
        self._refused = None  # (time, gains, how many agree) of whole solutions

    def at(self, seconds):
        """The gains at a time, NaN where never solved; None before the first solution."""
        if not np.isfinite(self._times).any():
            return None
        turn = np.array([rate * (seconds - t) if np.isfinite(t) else 0
                         for rate, t in zip(self._rates(), self._times)])
        return self._gains * np.exp(1j * turn)[:, None]

    def away(self, gains, seconds, hands):
        """How far the phases of gains are from those that are foreseen, rad: the median of the
        inputs, since a few may have moved; 0 where nothing is foreseen."""
        before = self.at(seconds)
        if before is None:
            return 0.0
        some = np.isfinite(gains[:, 0]) & np.isfinite(before[:, 0])
        off = (_turned(gains, before, hands) * before.conj())[some]
        return float(np.median(np.abs(np.angle(off)).mean(axis=1))) if some.any() else 0.0

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
        if moved.sum() > MAX_MOVED * max(known.sum(), 1):
            again = self._refused is not None and not self._moved(
                seconds, _turned(gains, self._refused[0], hands), errors,
                self._refused[0])[known].mean() > MAX_MOVED
            self._refused = gains, (self._refused[1] + 1 if again else 1)
            if self._refused[1] < AGREED:
                return (f"the gains of {moved.sum()} of {known.sum()} inputs moved by more than "
                        "their errors and the largest drift allow; it is believed when "
                        f"{AGREED} in sequence agree", [])
            self._forget()
            moved[:] = False
        self._refused = None
        held = [int(k) for k in np.flatnonzero(moved) if not self._agrees(
            k, seconds, gains, errors)]
        self._waiting = {k: value for k, value in self._waiting.items() if k in held}
        use = good.copy()
        use[held] = False
        self._believe(np.flatnonzero(use), seconds, gains, errors, fresh=moved)
        return "", held

    def _moved(self, seconds, gains, errors, before):
        """Inputs whose gains are further from those foreseen than is likely."""
        ratio = (gains * before.conj()).mean(axis=1)
        size = (np.abs(gains) ** 2).mean(axis=1) / (np.abs(before) ** 2).mean(axis=1)
        age = np.where(np.isfinite(self._times), seconds - self._times, 0)
        allowed = (SIGMAS * np.sqrt(np.nan_to_num(errors) ** 2 + np.nan_to_num(self._errors) ** 2)
                   + self._drift * np.abs(age))
        away = np.abs(np.angle(np.nan_to_num(ratio))) > allowed
        size = np.nan_to_num(size, nan=1.0)
        return away | (size > AMPLITUDE ** 2) | (size < AMPLITUDE ** -2)

    def _agrees(self, k, seconds, gains, errors):
        """Whether the gains of an input that moved have been the same some times in sequence."""
        then, last, count = self._waiting.get(int(k), (seconds, None, 0))
        if last is not None:
            off = np.abs(np.angle((gains[k] * last.conj()).mean()))
            allowed = SIGMAS * np.sqrt(2) * errors[k] + self._drift * (seconds - then)
            count = count if off < allowed else 0
        self._waiting[int(k)] = seconds, gains[k], count + 1
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
    """Gains times a phase for each channel and polarization, and a size for each polarization, so
    that they are near others: those of most inputs, whatever a few have done."""
    made = np.array(gains)
    for hand in set(hands):
        own = hands == hand
        some = np.isfinite(gains) & np.isfinite(before) & own[:, None]
        off = np.where(some, unit(np.nan_to_num(before * gains.conj())), 0)
        weights = np.ones(len(gains))
        for _ in range(ROUNDS):
            turn = unit((weights[:, None] * off).sum(axis=0))
            weights = 1 / (NEAR + np.abs(np.angle((off * turn.conj()).sum(axis=1))))
        both = some.any(axis=1)
        size = np.nanmedian(np.abs(before[both] / gains[both])) if both.any() else 1.0
        made[own] = gains[own] * np.where(turn != 0, turn, 1) * size
    return made
