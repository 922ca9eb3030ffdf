#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where in time the frames of a KrakenSDR lie, in samples since the first one."""
import time

from .. import fringe_python as fp

#: Numbers of frames of version 1 have 32 bits.
TURN = 1 << 32
#: Milliseconds by which the time stamp, a computer's clock read when samples arrive, may differ
#: from the count of samples.
SCATTER = 250
#: Hz: frequencies of version 2 are float32.
SAME_FREQUENCY = 300


def epoch_of(milliseconds):
    """The epoch of a time stamp."""
    return fp.epoch(milliseconds // 1000, milliseconds % 1000 / 1000)


class kraken_timeline:
    """Frames follow on where nothing says otherwise.

    Version 1: the number of a frame says how many were lost, each as long as this one; after
    frames that are left out, whose length in time is not known, its time stamp (in milliseconds)
    says where it is, and also where both differ by more than SCATTER. Version 2 has neither: what
    is left out counts with its samples, and after a lost connection this computer's clock says
    where it is.

    rate: Hz. start: epoch of the first sample, known with the first frame of data.
    """

    def __init__(self, rate):
        self._rate = rate
        self._last = None  # (frame, where its end is)
        self._skipped = False  # it is not known how much time has passed since then
        self._left_out = 0  # frames since then that were left out
        #: samples of the time of frames that were left out, in all
        self.left_out = 0
        self._first = None
        self.start, self.notes = None, []
        self.frequency = None

    def lost_connection(self):
        """Between the frames before and behind, any time has passed."""
        self._skipped = True

    def leave_out(self, frame):
        """A frame without samples of the antennas."""
        if self._last is None:
            return
        if frame.number is None and not self._skipped:
            before, end = self._last
            self._last = before, end + frame.samples
            self.left_out += frame.samples
            return
        self._skipped = True
        self._left_out += 1

    def place(self, frame):
        """Number of the first sample of a frame of data. ValueError where its data cannot follow
        those before."""
        if self._last is None:
            return self._begin(frame)
        self._check(frame)
        before, end = self._last
        at = end
        if frame.number is not None:
            by_stamp = round((frame.milliseconds - self._first) * self._rate / 1000)
            lost = (frame.number - before.number - 1 - self._left_out) % TURN
            at = end + lost * frame.samples
            apart = 1000 * (by_stamp - at) / self._rate
            if self._skipped or abs(apart) > SCATTER:
                if not self._skipped:
                    self.notes.append(f"frame {frame.number}: its time stamp is {apart:.0f} ms "
                                      "from where counting puts it; the time stamp is taken")
                at = by_stamp
        elif self._skipped:
            at = round((time.time() - self._clock) * self._rate) - frame.samples
        if at < end:
            if end - at > SCATTER * self._rate / 1000:
                raise ValueError(f"time_stamp: {frame.milliseconds}: goes back by "
                                 f"{(end - at) / self._rate:.3g} s; begin anew")
            at = end  # as much as clocks scatter
        if self._left_out and frame.number is not None:
            self.left_out += max(0, at - end - lost * frame.samples)
        self._left_out = 0
        self._last, self._skipped = (frame, at + frame.samples), False
        return at

    def _begin(self, frame):
        self._clock = time.time() - frame.samples / self._rate
        self._first = frame.milliseconds
        if frame.milliseconds is None:
            second = int(self._clock)
            self.start = fp.epoch(second, self._clock - second)
        else:
            self.start = epoch_of(frame.milliseconds)
        self.frequency = frame.frequency
        self._last = frame, frame.samples
        return 0

    def _check(self, frame):
        first = self._last[0]
        for name, was, now, same in (
                ("channels", first.channels, frame.channels, 0),
                ("sampling_freq", first.sample_rate, frame.sample_rate, 0),
                ("frequency", first.frequency, frame.frequency, SAME_FREQUENCY)):
            if abs(was - now) > same:
                raise ValueError(f"{name}: {now:.12g}: was {was:.12g} until now; data of both do "
                                 "not belong together: begin anew")
