#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Ends of axes that follow the data, and the units of amplitudes."""

import dataclasses

import numpy as np

from ..radio_astronomy.temperature import decibels

#: What an amplitude may be shown in.
UNITS = ("linear", "dB", "kelvin")
#: dB, the most that an axis shows.
DEEPEST = 60


class auto_scale:
    """The upper end of an axis that follows the largest value: 1, 2 or 5 times a power of ten.

    It grows at once and shrinks when nothing has come near a third of it for `hold` dumps.
    Finer `steps`, up to 10, are for colors, of which those never reached are lost.
    """

    def __init__(self, hold=40, steps=(1, 2, 5, 10)):
        self.limit, self._idle, self._hold, self._steps = 0.0, 0, hold, steps

    def changed(self, values):
        """True when the limit has changed for these values."""
        top = float(np.fmax.reduce(np.abs(values), axis=None, initial=0.0))
        if not np.isfinite(top) or top == 0:
            return False
        self._idle = 0 if top > self.limit / 3 else self._idle + 1
        if top <= self.limit and self._idle < self._hold:
            return False
        ten = 10 ** np.floor(np.log10(1.05 * top))
        limit = next(m * ten for m in self._steps if m * ten >= 1.05 * top)
        self._idle = 0
        changed, self.limit = limit != self.limit, limit
        return changed


class range_scale:
    """Both ends of an axis around all values, in round steps; as auto_scale otherwise."""

    def __init__(self, hold=40, ends=(0.0, 1.0)):
        self.ends, self._idle, self._hold = ends, hold, hold

    def changed(self, values):
        """True when the ends have changed for these values."""
        there = values[np.isfinite(values)]
        if not len(there):
            return False
        low, high = self._around(there.min(), there.max())
        inside = self.ends[0] <= low and high <= self.ends[1]
        small = high - low < 0.7 * (self.ends[1] - self.ends[0])
        self._idle = self._idle + 1 if small else 0
        if inside and self._idle < self._hold:
            return False
        self._idle = 0
        changed, self.ends = self.ends != (low, high), (low, high)
        return changed

    @staticmethod
    def _around(low, high):
        """Multiples of a tenth or so of the width; some width there always is."""
        width = max(1.1 * (high - low), 1e-6 * abs(high), 1e-30)
        ten = 10 ** np.floor(np.log10(width / 4))
        step = next(m * ten for m in (1, 2, 5, 10) if m * ten >= width / 10)
        return float(step * np.floor(low / step)), float(step * np.ceil(high / step))


class decibel_scale(range_scale):
    """The same in decibels: multiples of 5."""

    def __init__(self, hold=40):
        super().__init__(hold, (-5.0, 0.0))

    @staticmethod
    def _around(low, high):
        high = 5 * np.ceil((high + 0.5) / 5)
        return max(5 * np.floor((low - 0.5) / 5), high - DEEPEST), high


class amplitude_axis:
    """The axis of |V|: as it is, 10 log10 |V| in decibels, or in kelvin.

    kelvin_per_unit: of a power, as kelvin_per_unit() measures it with a noise diode. maximum: the
    upper end, in the unit shown; 0 = it follows the data. Raises ValueError.
    """

    def __init__(self, display, normalize, units="linear", kelvin_per_unit=0.0, maximum=0.0):
        if units not in UNITS:
            raise ValueError(f"display {display}: units {units!r}; they must be one of "
                             f"{', '.join(UNITS)}")
        if units == "kelvin" and normalize:
            raise ValueError(f"display {display}: units 'kelvin'; a correlation coefficient has "
                             "none, show visibilities (normalize=False)")
        if units == "kelvin" and not kelvin_per_unit > 0:
            raise ValueError(f"display {display}: kelvin_per_unit {kelvin_per_unit}; for kelvin it "
                             "must be positive, as radio_astronomy.kelvin_per_unit() has it")
        self._units, self._kelvin, self.maximum = units, kelvin_per_unit, float(maximum)
        self._scale = decibel_scale() if units == "dB" else auto_scale()
        self.label = {
            "linear": "Correlation coefficient" if normalize else "Amplitude (power)",
            "dB": "Correlation coefficient (dB)" if normalize else "Amplitude (dB)",
            "kelvin": "Amplitude (K)"}[units]
        #: above a column of numbers
        self.short = ("Coefficient" if normalize else "Power") + {
            "linear": "", "dB": " (dB)", "kelvin": " (K)"}[units]

    def of(self, values):
        """Complex or real values as they are shown."""
        amplitude = np.abs(values)
        return (decibels(amplitude) if self._units == "dB" else
                amplitude * self._kelvin if self._units == "kelvin" else amplitude)

    def scatter(self, found):
        """A fringe_scatter whose amplitudes are as they are shown; of decibels the errors are those
        of 10 log10 A to first order, 10 / ln 10 dA / A."""
        if self._units == "linear":
            return found
        factor = (10 / np.log(10) / found.amplitude if self._units == "dB" and found.amplitude > 0
                  else self._kelvin)
        return dataclasses.replace(found, amplitude=float(self.of(found.amplitude)),
                                   amplitude_scatter=factor * found.amplitude_scatter,
                                   amplitude_error=factor * found.amplitude_error)

    def changed(self, shown):
        """True when the axis has other ends for these values, as of() gives them."""
        return self._scale.changed(shown) and not (self.maximum and self._units != "dB")

    def ends(self):
        """(lower, upper)."""
        if self._units == "dB":
            low, high = self._scale.ends
            high = self.maximum or high
            return min(low, high - 5), high
        return 0.0, self.maximum or self._scale.limit or 1.0
