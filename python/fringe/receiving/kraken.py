#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A KrakenSDR, as kraken://HOST says: what correlate(), record() and info receive of it."""
import time
import types

from .kraken_link import PORTS, kraken_link, set_receivers
from .kraken_source import TIMEOUT, kraken_source
from .kraken_timeline import SAME_FREQUENCY, epoch_of
from .tuned_receivers import tuned_receivers


class kraken_receivers(tuned_receivers):
    """What the address says; in the place of live packets. Version 1 says all about its samples
    in its frames, version 2 not their rate."""

    limits = {"version": (1, 2), "sample_rate": (1, 1e9), "frequency": (1, 1e11),
              "gain": (-1, 100), "control": (1, 65535)}
    example = "as in kraken://192.168.1.50 or kraken://192.168.1.50:8091?sample_rate=2.4e6"
    tolerance, preset, name = SAME_FREQUENCY, "kraken", "a KrakenSDR"

    def __init__(self, url, seconds=None):
        super().__init__(url, seconds)
        version = self.settings["version"]
        if version not in (None, 1, 2):
            raise ValueError(f"live: {url}: version: {version:g}: must be 1 or 2")
        host, port = self._host(self.where.rstrip("/"))
        self.version = int(version or (2 if port == str(PORTS[2][0]) else 1))
        self.addresses = [f"{host}:{port or PORTS[self.version][0]}"]
        self.control = f"{host}:{int(self.settings['control'] or PORTS[self.version][1])}"
        if self.version == 2 and not self.settings["sample_rate"]:
            raise ValueError(f"live: {url}: the address must contain the sample rate, because "
                             f"frames of version 2 do not have it, {self.example}")
        self.inputs = 0

    def _host(self, where):
        host, colon, port = where.rpartition(":")
        if not colon or where.endswith("]"):
            host, port = where, ""
        if not host or port and not (port.isdigit() and 0 < int(port) < 65536):
            raise ValueError(f"live: {self.url}: '{where}' must be HOST or HOST:PORT, "
                             f"{self.example}")
        return host, port

    def first_frame(self):
        """The header of the first frame that comes; of data, where some come in time. Tunes the
        receivers before, where the address says so. ValueError where nothing answers."""
        address = self.addresses[0]
        try:
            link = kraken_link(address, self.version)
        except OSError as error:
            raise ValueError(f"live: {address}: no KrakenSDR answers: {error}") from None
        frame, until = None, time.monotonic() + TIMEOUT
        try:
            while time.monotonic() < until:
                came = link.next()
                if came and frame is None:
                    self._tune(came[0].channels)
                if came:
                    frame = came[0]
                    if not frame.left_out and self._is_tuned(frame):
                        break
        except OSError as error:
            raise ValueError(f"live: {address}: {error}") from None
        finally:
            link.close()
        if frame is None:
            raise ValueError(f"live: {address}: no frame came in {TIMEOUT:g} s; is the DAQ "
                             "running, and is another program connected to it?")
        return frame

    def _tune(self, channels):
        frequency, gain = (self.settings[name] for name in ("frequency", "gain"))
        if frequency is not None or gain is not None:
            set_receivers(self.control, self.version, channels, frequency, gain)

    def _is_tuned(self, frame):
        wanted = self.settings["frequency"]
        return wanted is None or abs(frame.frequency - wanted) <= SAME_FREQUENCY

    def make_layout(self, sample_rate=None, channels=None):
        """What the frames say, as of packets. Connects."""
        if self.layout is not None:
            return self.layout
        frame = self.first_frame()
        if frame.left_out or not self._is_tuned(frame):
            raise ValueError(f"live: {self.addresses[0]}: in {TIMEOUT:g} s no frame came with data"
                             + (f", only: {frame.left_out}" if frame.left_out else
                                f" of the frequency {self.settings['frequency']:.12g} Hz; they "
                                f"have {frame.frequency:.12g} Hz"))
        rate = self.settings["sample_rate"] or frame.sample_rate
        if frame.sample_rate and rate != frame.sample_rate:
            raise ValueError(f"live: {self.url}: sample_rate: {rate:.12g}: the frames have "
                             f"{frame.sample_rate:.12g} Hz")
        self.inputs = frame.channels
        self.layout = types.SimpleNamespace(
            spectra=False, streams=1, encoding=PORTS[self.version][2], stream_major=False,
            samples=1, sample_rate=float(rate), has_frequency=False,
            center_frequency=self.settings["frequency"] or frame.frequency)
        return self.layout

    def source(self, obs, block_samples, samples=0):
        """The block; it ends after so many samples, 0 = as `seconds` says."""
        return kraken_source(self.addresses[0], self.inputs, block_samples,
                             self.layout.sample_rate,
                             obs.center_frequency or self.layout.center_frequency, self.version,
                             self._samples(samples))

    def described_in_words(self):
        """What its frames say, as (fact, words)."""
        frame = self.first_frame()
        rate = self.settings["sample_rate"] or frame.sample_rate
        aligned = [what for what, is_so in (("delays", frame.delays_aligned),
                                            ("phases", frame.phases_aligned)) if is_so]
        stamp = ("none: times are those of this computer's clock" if frame.milliseconds is None else
                 f"{epoch_of(frame.milliseconds).iso(3)} UTC, by the clock of its computer")
        overdriven = [str(k) for k in range(frame.channels) if frame.overdriven >> k & 1]
        return [("made by", f"{frame.hardware or 'Heimdall'}, version {self.version} of the "
                 "protocol"),
                ("frames", f"{frame.samples} samples of {frame.channels} receivers, "
                 + (f"left out: {frame.left_out}" if frame.left_out else "data")),
                ("sample rate", f"{rate:.12g} Hz, {PORTS[self.version][2]}"),
                ("frequency", f"{frame.frequency:.12g} Hz"
                 + (" (known to 128 Hz)" if self.version == 2 else "")),
                ("gains", ", ".join("automatic" if gain < 0 else f"{gain:g} dB"
                                    for gain in frame.gains)),
                ("aligned", " and ".join(aligned) or "nothing yet"),
                ("overdriven", ", ".join(overdriven)),
                ("time", stamp)]
