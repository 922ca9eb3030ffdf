#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Receivers by TCP that an address names and tunes, in the place of live packets."""
from .live import live_packets


class tuned_receivers(live_packets):
    """What is common to them: settings of the address with their limits, and the frequency that
    the receivers are tuned to.

    name: of the receivers, in words. limits: name of a setting -> lowest and highest value.
    example: of an address, for sentences.
    tolerance: Hz by which the frequency of an observation may differ from the receivers'.
    """

    limits, example, tolerance, layout, name = {}, "", 0.5, None, ""

    def __init__(self, url, seconds=None):  # pylint: disable=super-init-not-called
        self.url, self.seconds, self.options = url, seconds, {}
        if seconds is not None and not 0 < seconds < 1e9:
            raise ValueError(f"seconds: {seconds:g}: must be positive")
        self.where, _, query = url.partition("://")[2].partition("?")
        self.settings = self._settings(self._values(query))

    def _settings(self, values):
        found = {}
        for name, (low, high) in self.limits.items():
            value = self._number(values, name, float)
            if value is not None and not low <= value <= high:
                raise ValueError(f"live: {self.url}: {name}: {value:g}: must be {low:g} to "
                                 f"{high:g}")
            found[name] = value
        if values:
            raise ValueError(f"live: {self.url}: '{next(iter(values))}' is no setting; there are "
                             f"{', '.join(self.limits)}, {self.example}")
        return found

    def observation(self, settings):
        """As of packets; the frequency is that of the receivers."""
        obs, encoding, times = super().observation(settings)
        there = self.layout.center_frequency
        if obs.center_frequency and abs(obs.center_frequency - there) > self.tolerance:
            raise ValueError(f"center_frequency: {obs.center_frequency:.12g}: the receivers are "
                             f"tuned to {there:.12g} Hz; frequency=HZ in the address tunes them")
        obs.center_frequency = obs.center_frequency or there
        return obs, encoding, times

    def _samples(self, samples):
        """After how many the data end: those asked for, or as `seconds` says; 0 = never."""
        return samples or round((self.seconds or 0) * self.layout.sample_rate)
