#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Radial velocities along an axis of frequencies."""

from .. import fringe_python as fp
from ..radio_astronomy.spectral_line import HYDROGEN_LINE, doppler_velocity, lsr_velocity

#: What an axis of frequencies may show.
AXES = ("frequency", "topocentric", "lsr")
#: s of data after which the axis follows the motion of the Earth: 2 m/s at most.
ANEW = 60.0


class velocity_axis:
    """The velocities of channels, km/s away from the observer positive, by the radio convention.

    frame: "topocentric", as the antenna sees them, or "lsr", in the local standard of rest; for
    that the observation has site and phase center. rest: Hz. Raises ValueError.
    """

    def __init__(self, display, frame, rest=HYDROGEN_LINE, observation=None):
        if frame not in AXES[1:]:
            raise ValueError(f"display {display}: axis {frame!r}; it must be one of "
                             f"{', '.join(AXES)}")
        if not rest > 0:
            raise ValueError(f"display {display}: rest_frequency {rest}; it must be positive, in "
                             "Hz")
        if frame == "lsr":
            if observation is None:
                raise ValueError(f"display {display}: axis 'lsr' without an observation; its site "
                                 "and phase center say how the antenna moves")
            # Whether it can be computed at all.
            lsr_velocity([rest], observation, fp.epoch.from_pair(0, 0.0), rest)
        self._lsr, self._rest, self._observation = frame == "lsr", rest, observation
        self._when = None
        #: of the axis, with its unit
        self.label = (f"{'LSR' if self._lsr else 'Topocentric'} velocity, "
                      f"{rest / 1e6:.8g} MHz (km/s)")

    @classmethod
    def of_display(cls, display, axis, rest, observation):
        """The axis that a display is asked for; None for "frequency"."""
        return None if axis == "frequency" else cls(display, axis, rest, observation)

    def follow(self, seconds):
        """Takes the time of a dump, UTC seconds since 1970; True when the axis is another."""
        if not self._lsr or (self._when is not None and abs(seconds - self._when) < ANEW):
            return False
        self._when = seconds
        return True

    def of(self, frequencies):
        """Velocities of frequencies (Hz), km/s; before the first dump at the observation's
        start_time, or, where it has none, topocentric."""
        obs = self._observation
        if not self._lsr or (self._when is None and not obs.has_start_time):
            return doppler_velocity(frequencies, self._rest) / 1e3
        when = None if self._when is None else fp.epoch.from_pair(int(self._when), 0.0)
        return lsr_velocity(frequencies, obs, when, self._rest) / 1e3
