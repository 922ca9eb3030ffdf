#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""RTL-SDRs that rtl_tcp serves, as rtl_tcp://HOST:PORT?sample_rate=... says: fringe record."""
import types

from .live import live_packets
from .rtl_tcp_source import rtl_tcp_source

EXAMPLE = "as in rtl_tcp://127.0.0.1:1234?sample_rate=2.4e6&frequency=1420.4e6&gain=40"
#: Settings of an address: name, lowest and highest value.
LIMITS = {"sample_rate": (225001, 3.2e6), "frequency": (1, 4.29e9), "gain": (-10, 100),
          "ppm": (-1000, 1000), "settle": (0, 60)}


class rtl_tcp_receivers(live_packets):
    """What the address says; in the place of live packets."""

    is_rtl = True

    def __init__(self, url, seconds=None):  # pylint: disable=super-init-not-called
        self.url, self.seconds, self.preset = url, seconds, "rtl_tcp"
        if seconds is not None and not 0 < seconds < 1e9:
            raise ValueError(f"seconds: {seconds:g}: must be positive")
        where, _, query = url.partition("://")[2].partition("?")
        self.addresses = self._addresses(where)
        values = self._values(query)
        self.settings = {}
        for name, (least, most) in LIMITS.items():
            value = self._number(values, name, float)
            if value is not None and not least <= value <= most:
                raise ValueError(f"live: {url}: {name}: {value:g}: must be {least:g} to {most:g}")
            self.settings[name] = value
        if values:
            raise ValueError(f"live: {url}: '{next(iter(values))}' is no setting; there are "
                             f"{', '.join(LIMITS)}, {EXAMPLE}")
        for name in ("sample_rate", "frequency"):
            if self.settings[name] is None:
                raise ValueError(f"live: {url}: does not say {name}=HZ, {EXAMPLE}")
        self.inputs, self.options = len(self.addresses), {}

    def make_layout(self, sample_rate=None, channels=None):
        self.layout = types.SimpleNamespace(
            spectra=False, streams=1, encoding="cu8", stream_major=False, samples=1,
            sample_rate=float(round(self.settings["sample_rate"])), has_frequency=False,
            center_frequency=float(round(self.settings["frequency"])))
        return self.layout

    def source(self, obs, block_samples, samples=0):
        return rtl_tcp_source(self.addresses, block_samples, self.settings, samples)
