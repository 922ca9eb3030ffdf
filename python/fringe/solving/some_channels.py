#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Every so many channels of a band, and corrections of all channels from those of these."""
import numpy as np

from .. import fringe_python as fp


class some_channels:
    """The channels step // 2, step // 2 + step, ... of `channels`.

      observation: of all; the attribute `observation` is one whose channels are these
    """

    def __init__(self, observation, channels, complex_samples, step):
        self._step, self._first, self._all = step, step // 2, channels
        self.observation = observation
        if step == 1:
            return
        used = channels // step
        every = np.array(observation.channel_frequencies(channels, complex_samples))
        self.observation = fp.observation(observation)
        self.observation.channels = used
        plain = np.array(self.observation.channel_frequencies(used, complex_samples))
        self.observation.center_frequency += every[self._first] - plain[0]

    def of(self, values):
        """Values [channel, ...] of these channels."""
        return values if self._step == 1 else values[self._first::self._step].copy()

    def place_of(self, channel):
        """The number of a channel among these; None where it is not one of them."""
        if channel is None or channel % self._step != self._first:
            return None
        return channel // self._step

    def for_all(self, factors):
        """Factors [input][channel] of all channels. Phases go on as they turn from one of these
        channels to the next, by delays; sizes are those of the nearest."""
        if self._step == 1:
            return factors
        count = factors.shape[1]
        turn = np.ones(len(factors), complex)
        if count > 1:
            turn = (factors[:, 1:] * factors[:, :-1].conj()).sum(axis=1)
        near = np.arange(self._all) // self._step
        away = (np.arange(self._all) - near * self._step - self._first) / self._step
        return factors[:, near] * np.exp(1j * np.angle(turn)[:, None] * away)
