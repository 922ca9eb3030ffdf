#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Radiometer: the power of one receiver, live, as decibels and as kelvin."""
import threading

import numpy as np
from gnuradio import gr

from .dump_meter import dump_meter, settling
from .temperature import decibels, kelvin_per_unit, receiver_temperature, y_factor

LOADS = ("sky", "hot", "cold")
#: Decibels of a dump without power: sinks draw no infinity.
NO_POWER = -200.0


class radiometer(dump_meter):
    """Total power of one receiver, and its scale in kelvin by a hot and a cold load (Y-factor).

        P = mean_c V_c,ii,    Y = P_hot / P_cold,    T_rx = (T_hot - Y T_cold) / (Y - 1)
        K = (T_hot - T_cold) / (P_hot - P_cold),     T = K P

    Input: visibilities [channel][baseline], `channels_per_item` channels an item, as an
    integrator or an fx_correlator sends them; one receiver is enough. For each dump with
    data one float32 on each output, which may be left open:
    output 0: T in kelvin, the temperature of the system, 0 until both loads were measured;
    output 1: P in decibels, 10 log10 of the square of the unit of the samples.
    Tags read: interval. The channel that holds both edges of the band is left out.

    While `load` is "hot" or "cold", the dumps are averaged as this load's; a new load of a kind
    takes the place of the one before. Dumps of the first `settle` seconds after a change are in no
    average.

      observation: how many inputs there are
      channels: 0 = as the observation has them
      input: the receiver
      load: what it receives: "hot", "cold" or "sky". Can be changed while running (set_load)
      hot_kelvin, cold_kelvin: temperatures of the loads
      settle: seconds that a change of the load takes
      first_channel, last_channel: the mean is over these, both counted; negative ones count from
        the end: leave spectral lines and the edges of the band out
      channels_per_item: as in the block before; 0 = chosen as there

    Raises ValueError for an input that there is not, channels that do not fit, a load that is not
    known, a hot load that is not hotter than the cold one, a time that is negative.
    """

    def __init__(self, observation, channels=0, input=0, load="sky", hot_kelvin=290.0,
                 cold_kelvin=10.0, settle=1.0, first_channel=0, last_channel=-1,
                 channels_per_item=0):
        if not hot_kelvin > cold_kelvin >= 0:
            raise ValueError(f"radiometer: hot_kelvin {hot_kelvin:g}, cold_kelvin {cold_kelvin:g}; "
                             "the hot load must be hotter")
        if not settle >= 0:
            raise ValueError(f"radiometer: settle {settle}; it must be 0 s or more")
        dump_meter.__init__(self, "radiometer", observation, channels, input, channels_per_item,
                            gr.py_io_signature(0, 2, [np.float32]))
        first, last = (k + self.channels if k < 0 else k for k in (first_channel, last_channel))
        if not 0 <= first <= last < self.channels:
            raise ValueError(f"radiometer: channels {first_channel} ... {last_channel}; they are "
                             f"numbered 0 ... {self.channels - 1}, the first before the last")
        self._band = slice(first, last + 1)
        self._kelvin = float(hot_kelvin), float(cold_kelvin)
        self._settling, self._lock = settling(settle), threading.Lock()
        self._powers, self._last = {"hot": [], "cold": []}, np.nan
        self._load = None
        self.set_load(load)

    def set_load(self, load):
        """What the receiver gets from now on: "hot", "cold" or "sky"."""
        if load not in LOADS:
            raise ValueError(f"radiometer: load {load}; it must be one of {', '.join(LOADS)}")
        with self._lock:
            if load == self._load:
                return
            self._load = load
            if load in self._powers:
                self._powers[load] = []
            self._settling.changed()

    def power(self):
        """P of the newest dump; nan before there is one."""
        return self._last

    def decibels(self):
        """The same as decibels; nan before there is a dump."""
        return float(decibels(self._last)) if self._last >= 0 else np.nan

    def y_factor(self):
        """Y; nan until both loads were measured, and where the hot one gives no more power."""
        return self._of_loads(y_factor)

    def receiver_temperature(self):
        """T_rx, kelvin; nan as y_factor()."""
        return self._of_loads(lambda hot, cold: receiver_temperature(hot, cold, *self._kelvin))

    def kelvin_per_unit(self):
        """K; nan as y_factor()."""
        hot, cold = self._kelvin
        return self._of_loads(lambda *powers: kelvin_per_unit(*powers, hot - cold))

    def system_temperature(self):
        """T of the newest dump, kelvin; nan as y_factor()."""
        return self.kelvin_per_unit() * self._last

    def _of_loads(self, equation):
        with self._lock:
            hot, cold = (np.array(self._powers[load]) for load in ("hot", "cold"))
        try:
            return float(equation(hot, cold)) if len(hot) and len(cold) else np.nan
        except ValueError:
            return np.nan

    def measured(self, spectrum):
        """Kelvin and decibels of a dump; None where it has no data."""
        band = spectrum.powers[self._band]
        with self._lock:
            left_out = self._settling.leaves_out(spectrum)
            if not np.isfinite(band).any():
                return None
            self._last = float(np.nanmean(band))
            if self._load in self._powers and not left_out and self._last > 0:
                self._powers[self._load].append(self._last)
        return (np.nan_to_num(self.system_temperature()),
                decibels(self._last) if self._last > 0 else NO_POWER)
