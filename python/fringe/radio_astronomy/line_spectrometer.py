#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Line spectrometer: a spectral line over velocity, live, by frequency switching."""
import threading

import numpy as np

from .. import fringe_python as fp
from ..ground.dump_tap import use_whole_pages
from ..ground.dump_values import frequencies_of
from ..readers.visibilities import SPEED_OF_LIGHT
from .dump_meter import dump_meter, settling
from .spectral_line import HYDROGEN_LINE, line_alone, lsr_velocity

#: Part of the channel width by which a tuning may differ from where it was asked for.
SAME_TUNING = 0.1
#: s of data on their way when averaging is switched on.
UNDER_WAY = 1.0


class line_spectrometer(dump_meter):
    """A line in kelvin over the velocity in the local standard of rest.

        T = T_sys (S - R) / R, folded with (R - S) / S;   without a reference: T_sys (S / B - 1)

    S: mean of the dumps that are tuned to the observation's center_frequency; R: of those that are
    tuned to center_frequency + shift; B: a polynomial through S outside of the line. In both cases
    a polynomial through the rest, outside of the line, is subtracted (band_outside_line). See
    frequency_switched() and lsr_velocity() of fringe.radio_astronomy: the local standard of rest is
    the kinematic one, LSRK (the Sun moves with 20 km/s towards 18h +30d of 1900); the correction is
    that of the time of the newest dump.

    Input: visibilities [channel][baseline], `channels_per_item` channels an item; one receiver is
    enough. Output: for each dump that counts a vector of float32, T in kelvin at velocities();
    0 where there are no data.
    Tags read: rx_freq, which says when the receiver was tuned; channel_width, rx_time, interval.

    A receiver that is to be switched asks wanted_frequency() where to tune: after `dwell` seconds
    of data of one tuning it says the other. Dumps that begin less than `settle` seconds after a new
    tuning are left out.

      observation: site, phase_center, center_frequency; and start_time where dumps have no rx_time
      channels: 0 = as the observation has them
      input: the receiver
      shift: Hz from the observation's tuning to the reference, a whole number of channels; 0 = no
        frequency switching
      dwell, settle: seconds
      velocities: (lowest, highest, step) of the axis, m/s
      line: (lowest, highest) velocity of the line, m/s: outside of it the polynomials are fitted
      order: of the polynomials
      edges: part of the band that is left out at each side of it
      system_temperature: T_sys, kelvin; 1 = T is in units of it; what is no positive number counts
        as 1. Can be changed while running
      average: False = dumps are not averaged; True again begins anew, without the first second,
        which may be older. Can be changed while running
      rest: frequency of the line at rest, Hz
      channels_per_item: as in the block before; 0 = chosen as there

    Raises ValueError for an observation without site or direction, an axis without velocities, a
    shift that is no whole number of channels, and as radiometer does. A dump that is tuned to a
    third frequency ends the data with a sentence.
    """

    def __init__(self, observation, channels=0, input=0, shift=0.0, dwell=1.0, settle=0.2,
                 velocities=(-200e3, 200e3, 2e3), line=(-120e3, 80e3), order=1, edges=0.08,
                 system_temperature=1.0, average=True, rest=HYDROGEN_LINE, channels_per_item=0):
        low, high, step = velocities
        if not (step > 0 and high > low):
            raise ValueError(f"line_spectrometer: velocities {low:g} to {high:g} m/s by {step:g}; "
                             "they must rise")
        self._grid = np.arange(low, high + step / 2, step)
        dump_meter.__init__(self, "line_spectrometer", observation, channels, input,
                            channels_per_item, [(np.float32, len(self._grid))])
        use_whole_pages(self, 0, 4 * len(self._grid))
        if not 0 <= edges < 0.4:
            raise ValueError(f"line_spectrometer: edges {edges}; it must be 0 or more and below "
                             "0.4 of the band")
        if not (dwell > 0 and settle >= 0):
            raise ValueError(f"line_spectrometer: dwell {dwell}, settle {settle}; dwell must be "
                             "more than 0 s, settle 0 s or more")
        if int(order) != order or order < 0:
            raise ValueError(f"line_spectrometer: order {order}; it must be 0, 1, 2 ...")
        channels_apart = shift * self.channels / observation.sample_rate
        if shift and not (round(channels_apart) and
                          abs(channels_apart - round(channels_apart)) < SAME_TUNING):
            raise ValueError(f"line_spectrometer: shift {shift:g} Hz; it must be a whole number of "
                             f"channels of {observation.sample_rate / self.channels:g} Hz")
        if abs(shift) > (1 - 2 * edges) * observation.sample_rate:
            raise ValueError(f"line_spectrometer: shift {shift:g} Hz; it must stay within the band "
                             f"of {observation.sample_rate:g} Hz without its edges")
        self._obs, self._shift, self._rest = observation, float(shift), rest
        self._line, self._order, self._edges = tuple(line), int(order), edges
        self._dwell, self._settling, self._lock = dwell, settling(settle), threading.Lock()
        self.set_system_temperature(system_temperature)
        self._wanted = 0  #: tuning that is wanted: 0 signal, 1 reference
        self._tuned, self._seconds = None, 0.0
        self._average, self._sums = bool(average), None
        self.reset()
        # What has no direction is refused, and a band that is all line.
        seen = lsr_velocity(frequencies_of(observation.center_frequency,
                                           observation.sample_rate / self.channels, True,
                                           self.channels), observation, fp.epoch(0, 0.0), rest)
        if np.sum(~self._of_line(seen)) <= order + 2:
            raise ValueError(f"line_spectrometer: line {line[0]:g} to {line[1]:g} m/s; it must "
                             f"leave channels beside it, the band is {seen.min():.0f} to "
                             f"{seen.max():.0f} m/s")

    def velocities(self):
        """The axis, m/s, positive away from us."""
        return self._grid

    def wanted_frequency(self):
        """Where the receiver is to be tuned now, Hz."""
        return self._obs.center_frequency + self._wanted * self._shift

    def set_system_temperature(self, kelvin):
        """T_sys from now on, also of what was averaged."""
        self._kelvin = float(kelvin) if np.isfinite(kelvin) and kelvin > 0 else 1.0

    def set_average(self, average):
        """Whether dumps are averaged; True after False begins anew."""
        if average and not self._average:
            self.reset()
            self._settling.changed(UNDER_WAY)
        self._average = bool(average)

    def reset(self):
        """Forgets what was averaged."""
        with self._lock:
            self._sums = [np.zeros(self.channels), np.zeros(self.channels)]
            self._lengths = [0.0, 0.0]

    def seconds(self):
        """Seconds of data in the averages of signal and reference."""
        return tuple(self._lengths)

    def measured(self, spectrum):
        """The line with this dump; None where the dump does not count."""
        tuning = self._tuning(spectrum)
        if tuning is None:
            return None
        length = spectrum.times.exposure or spectrum.times.interval or 1.0
        if self._tuned != spectrum.middle:
            if self._tuned is not None:
                self._settling.changed()
            self._tuned, self._seconds = spectrum.middle, 0.0
        if self._settling.leaves_out(spectrum) or not np.isfinite(spectrum.powers).any():
            return None
        self._seconds += length
        if self._shift and self._seconds >= self._dwell and tuning == self._wanted:
            self._wanted = 1 - tuning
        if not self._average:
            return None
        with self._lock:
            self._sums[tuning] += length * spectrum.powers
            self._lengths[tuning] += length
            if self._lengths[0] == 0:
                return None
            try:
                return (self._drawn(spectrum),)
            except ValueError as error:
                self.refuse(f"{self.alias()}: line: {error}; give a narrower line or a wider band")
                return None

    def _tuning(self, spectrum):
        """0: signal, 1: reference; None, with a sentence that ends the data, for another one."""
        width = spectrum.width or self._obs.sample_rate / self.channels
        middle = spectrum.middle or self._obs.center_frequency
        apart = (middle - self._obs.center_frequency) / width
        for number in (0, 1) if self._shift else (0,):
            if abs(apart - number * self._shift / width) < SAME_TUNING:
                return number
        self.refuse(f"{self.alias()}: rx_freq: a dump is tuned to {middle:.10g} Hz; it must be "
                    f"{self._obs.center_frequency:.10g} Hz"
                    + f", or by the shift of {self._shift:g} Hz from there" * bool(self._shift))
        return None

    def _drawn(self, spectrum):
        width = spectrum.width or self._obs.sample_rate / self.channels
        seen = frequencies_of(self._obs.center_frequency, width, spectrum.complex_samples,
                              self.channels)
        velocity = lsr_velocity(seen, self._obs, spectrum.instant(), self._rest)
        cut = int(np.ceil(self._edges * self.channels))
        means = []
        for total, length in zip(self._sums, self._lengths):
            means.append(total / length if length > 0 else np.full(self.channels, np.nan))
            means[-1][:cut] = means[-1][self.channels - cut:] = np.nan
        ratio = line_alone(means[0], means[1] if self._lengths[1] > 0 else None,
                           -round(self._shift / width), self._of_line(velocity), self._order)
        there = np.isfinite(ratio)
        rising = np.argsort(velocity[there])
        return self._kelvin * np.interp(self._grid, velocity[there][rising], ratio[there][rising],
                                        0.0, 0.0)

    def _of_line(self, velocity):
        """True for channels of the line, and of the dips that switching leaves at both sides."""
        away = SPEED_OF_LIGHT * self._shift / self._rest
        return np.any([(velocity >= self._line[0] + by) & (velocity <= self._line[1] + by)
                       for by in (0, away, -away)], axis=0)
