#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""RTL-SDRs that rtl_tcp serves, as rtl_tcp://HOST:PORT?sample_rate=... says: fringe record."""
import types

from .rtl_tcp_source import rtl_tcp_source
from .tuned_receivers import tuned_receivers


class rtl_tcp_receivers(tuned_receivers):
    """What the address says; in the place of live packets."""

    limits = {"sample_rate": (225001, 3.2e6), "frequency": (1, 4.29e9), "gain": (-10, 100),
              "ppm": (-1000, 1000), "settle": (0, 60)}
    example = "as in rtl_tcp://127.0.0.1:1234?sample_rate=2.4e6&frequency=1420.4e6&gain=40"
    preset, name = "rtl_tcp", "RTL-SDRs"

    def __init__(self, url, seconds=None):
        super().__init__(url, seconds)
        self.addresses = self._addresses(self.where)
        for name in ("sample_rate", "frequency"):
            if self.settings[name] is None:
                raise ValueError(f"live: {url}: the address must contain the "
                                 f"{name.replace('_', ' ')}, {self.example}")
        self.inputs = len(self.addresses)

    def make_layout(self, sample_rate=None, channels=None):
        self.layout = types.SimpleNamespace(
            spectra=False, streams=1, encoding="cu8", stream_major=False, samples=1,
            sample_rate=float(round(self.settings["sample_rate"])), has_frequency=False,
            center_frequency=float(round(self.settings["frequency"])))
        return self.layout

    def source(self, obs, block_samples, samples=0):
        return rtl_tcp_source(self.addresses, block_samples, self.settings, self._samples(samples))

    def described_in_words(self):
        """Which receivers answer, as (fact, words). Tunes them, as their source does."""
        self.make_layout()
        source = self.source(None, 1, 1)
        tuners = source.tuners
        source.stop()
        return [("receivers", ", ".join(f"{where}: {tuner}" for where, tuner in
                                        zip(self.addresses, tuners))),
                ("sample rate", f"{self.layout.sample_rate:.12g} Hz, {self.layout.encoding}"),
                ("frequency", f"{self.layout.center_frequency:.12g} Hz"),
                ("time", "none: times are those of this computer's clock")]
