#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Packets that come live, as udp://HOST:PORT?preset=NAME&... says: what correlate() receives."""
import urllib.parse

from .. import fringe_python as fp
from ..observing.levels import REQUANTIZE_SIGMA, gains_for_power
from .live_levels import measured_power
from ..observing.settings import (check_rate, check_receiver, given_observation, override,
                                  without_array)

#: What stands behind the ? and is not a setting of the packets: name, argument of udp_source.
OWN = {"interface": "interface", "window": "window_seconds", "buffer": "buffer_seconds",
       "socket_bytes": "socket_bytes", "engine": "engine", "threads": "threads"}
WHOLE = ("socket_bytes", "threads")
EXAMPLE = "as in udp://127.0.0.1:7148?preset=mwa&inputs=4"

#: Options of recordings, which packets do not have.
OF_RECORDINGS = ("format", "coarse_channel", "start_time", "prefer", "samples")


class live_packets:
    """What an address says.

    The attributes: addresses, preset, settings (of its packets), inputs (0 = not given), senders,
    and options (more arguments of udp_source). ValueError for what cannot be.
    """

    #: Spectra of an item; 0 = as the correlator chooses.
    block_spectra = 0
    #: Packets do not wait for what is made of them.
    real_time = True

    def __init__(self, url, seconds=None, needs_preset=True):
        self.url, self.seconds = url, seconds
        if seconds is not None and not 0 < seconds < 1e9:
            raise ValueError(f"seconds: {seconds:g}: must be positive")
        scheme, colon, rest = url.partition("://")
        if not colon or scheme != "udp":
            raise ValueError(f"live: {url}: must begin with udp://, kraken:// or "
                             f"rtl_tcp://, {EXAMPLE}")
        where, _, query = rest.partition("?")
        values = self._values(query)
        self.addresses = self._addresses(where)
        self.preset = values.pop("preset", "")
        if not self.preset and needs_preset:
            raise ValueError(f"live: {url}: does not say the preset; there are "
                             f"{', '.join(name for name, _ in fp.packet_presets())}, and files "
                             f"of your own (x.yml), {EXAMPLE}")
        self.inputs = int(self._number(values, "inputs", int) or 0)
        self.senders = [sender for sender in values.pop("senders", "").split(",") if sender]
        self.options = {}
        for name, argument in OWN.items():
            if name in values:
                text = name in ("interface", "engine")
                self.options[argument] = values.pop(name) if text else self._number(
                    values, name, int if name in WHOLE else float)
        if "cores" in values:
            self.options["cores"] = self._cores(values.pop("cores"))
        self.settings = values
        self.layout = None

    def __str__(self):
        return self.url

    def _values(self, query):
        values = {}
        for item in query.split("&") if query else ():
            name, equals, value = item.partition("=")
            if not equals or name in values:
                raise ValueError(f"live: {self.url}: '{item}' " + (
                    "is given twice" if equals else f"must be name=value, {EXAMPLE}"))
            values[name] = urllib.parse.unquote(value)
        return values

    def _addresses(self, where):
        """host:port,host:port or host:port,port; no host is this computer."""
        addresses, host = [], "127.0.0.1"
        for address in where.rstrip("/").split(","):
            before, colon, port = address.rpartition(":")
            host = before or host
            if not colon and not port.isdigit():
                raise ValueError(f"live: {self.url}: '{address}' must be host:port, {EXAMPLE}")
            addresses.append(f"{host}:{port}")
        return addresses

    def _number(self, values, name, kind):
        text = values.pop(name, None)
        try:
            return None if text is None else kind(text)
        except ValueError:
            raise ValueError(f"live: {self.url}: {name}: '{text}' is not a "
                             f"{'whole ' if kind is int else ''}number") from None

    def _cores(self, text):
        try:
            return [int(core) for core in text.split(",")]
        except ValueError:
            raise ValueError(f"live: {self.url}: cores: '{text}' must be numbers of cores, as "
                             "in cores=2,3") from None

    @property
    def described(self):
        """What has these data, for sentences."""
        return f"live={self.url}"

    @property
    def spectra(self):
        """True when the packets have spectra, False for samples; of a layout that was made."""
        return self.layout.spectra

    @property
    def bits(self):
        """Bits of each component of the spectra."""
        return 4 if self.layout.encoding == "cvdif4" else 8

    def make_layout(self, sample_rate=None, channels=None):
        """The layout of the packets; `sample_rate` is a setting where they have it, and
        `channels` where they have spectra."""
        try:
            layout = fp.packet_layout(self.preset, {"channels": f"{channels or 0}",
                                                    **self.settings})
            if layout.spectra:
                self.settings = {"channels": f"{channels or 0}", **self.settings}
                self.layout = layout
                return layout
        except ValueError as error:
            if channels and "channels: " in str(error) and "packet_channels" in str(error):
                raise
        return self._samples_layout(sample_rate)

    def _samples_layout(self, sample_rate):
        if sample_rate and "sample_rate" not in self.settings:
            settings = {**self.settings, "sample_rate": f"{sample_rate:.12g}"}
            try:
                self.layout = fp.packet_layout(self.preset, settings)
                self.settings = settings
                return self.layout
            except ValueError as error:
                if "sample_rate: " not in str(error) or "no such setting" not in str(error):
                    raise
        self.layout = fp.packet_layout(self.preset, self.settings)
        return self.layout

    #: What it is beside recordings of samples.
    is_other = "is live"
    #: What says how many inputs it has.
    says_inputs = "the address"
    #: Options that it does not have.
    not_of_it = OF_RECORDINGS

    def observation(self, settings):
        """The observation to correlate with, the samples' encoding, and None, for what would be
        the times of recordings; see settings.observation_for."""
        for name in self.not_of_it:
            if getattr(settings, name) is not None:
                raise ValueError(f"{name}: {getattr(settings, name)}: is for recordings of "
                                 f"samples; {self.described} {self.is_other}")
        obs = given_observation(settings.obs)
        rate = settings.sample_rate or (obs.sample_rate if obs else 0)
        layout = self.make_layout(rate, settings.channels or (obs.channels if obs else 0))
        if layout.spectra:
            return self._observation_of_spectra(obs, settings, rate)
        if rate and abs(layout.sample_rate - rate) > 1e-9 * rate:
            raise ValueError(f"sample_rate: {rate:.12g}: packets of layout {self.preset} have "
                             f"{layout.sample_rate:.12g} Hz")
        self.inputs = self._count(obs, settings)
        obs = obs or without_array(self.inputs)
        obs.format = ""
        override(obs, settings)
        obs.sample_rate = layout.sample_rate
        if not obs.center_frequency and layout.has_frequency:
            raise ValueError("center_frequency: not given, and the packets say it only when "
                             "they come: fringe info --live tells it")
        encoding = fp.encoding_by_name(layout.encoding)
        check_rate(obs)
        check_receiver(obs, encoding)
        return obs, encoding, None

    def _observation_of_spectra(self, obs, settings, rate):
        """The same for spectra. Their band is made of whole channels, as wide as there are spectra
        a second."""
        layout = self.layout
        bandwidth = layout.all_channels * layout.sample_rate
        if rate and abs(bandwidth - rate) > 1e-9 * bandwidth:
            raise ValueError(f"sample_rate: {rate:.12g}: {layout.all_channels} channels of "
                             f"layout {self.preset} are {bandwidth:.12g} Hz; leave it out")
        for name in ("channels", "taps", "window", "requantize"):
            given = getattr(settings, name)
            if given is not None and (name != "channels" or given != layout.all_channels):
                raise ValueError(f"{name}: {given}: the F-engines have made the spectra, "
                                 f"{layout.all_channels} channels; leave it out with preset="
                                 f"{self.preset}")
        self.inputs = self._count(obs, settings)
        obs = obs or without_array(self.inputs)
        obs.format = ""
        obs.channels = layout.all_channels
        obs.sample_rate = bandwidth
        override(obs, settings)
        obs.sample_rate, obs.requantize, obs.taps = bandwidth, "none", 1
        obs.center_frequency = obs.center_frequency or layout.center_frequency
        if not obs.center_frequency:
            raise ValueError(f"center_frequency: not given; of layout {self.preset} it is known "
                             "with the setting channel_zero, the sky frequency of channel 0")
        self._check_spectra(obs)
        encoding = fp.encoding_by_name("ci8")
        check_receiver(obs, encoding)
        return obs, encoding, None

    @staticmethod
    def _check_spectra(obs):
        """Refuses what is done to samples, or in the F-engine."""
        asked = [("tracking", obs.tracking, "delays and fringes are taken out in the F-engines"),
                 ("sideband", any(obs.conjugated()), "spectra are conjugated in the F-engines"),
                 ("inputs", list(obs.streams()) != list(range(len(obs.inputs))),
                  "spectra have their inputs in the order of the packets; the setting sources "
                  "changes it"),
                 ("cable_delay, gain, phase", obs.corrections(obs.channels, True) is not None
                  and len(obs.corrections(obs.channels, True)) > 0,
                  "the receivers are corrected in the F-engines, or in the visibilities")]
        for name, wanted, why in asked:
            if wanted:
                raise ValueError(f"observation: {name}: {why}; leave it out for live spectra")

    def check_spectra_options(self, settings):
        """Refuses options of correlate() that work on samples."""
        for name in ("gains", "remove_mean", "van_vleck"):
            if getattr(settings, name):
                raise ValueError(f"{name}: is for samples, and {self.described} has spectra")
        if settings.devices is not None:
            raise ValueError("devices: packets with spectra are in channels already: run one "
                             "process a GPU, each with the packets of some channels and backend "
                             "cuda:0, cuda:1, ...; fringe join makes one file of theirs")
        if settings.flag == "pulses":
            raise ValueError(f"flag: pulses: are blanked in samples, and {self.described} has "
                             "spectra; take flag=spectra")
        if settings.flags_spectra and self.layout.all_channels != self.layout.channels:
            raise ValueError(f"flag: {settings.flag}: spectra that come in several packets, some "
                             "of the channels in each, cannot be searched for interference")

    def _count(self, obs, settings):
        """The number of inputs, on which all that say it must agree."""
        counts = [(self.says_inputs, self.inputs), ("the option", settings.inputs),
                  ("the observation", len(obs.inputs) if obs else 0)]
        counts = [(where, count) for where, count in counts if count]
        if not counts:
            raise ValueError(f"inputs: not given, nor in {self.described}")
        first, inputs = counts[0]
        for where, count in counts[1:]:
            if count != inputs:
                raise ValueError(f"inputs: {inputs} by {first}, but {count} by {where} "
                                 f"({self.described})")
        return inputs

    def requantize_gains(self, obs, encoding, corrections):
        """Gains [input] for the requantizer, from the power of the first samples that come, and
        a sentence on them; [] and "" without requantizing."""
        if obs.requantize not in REQUANTIZE_SIGMA:
            return [], ""
        power, samples = measured_power(self, obs, encoding)
        gains = gains_for_power(power, obs, corrections)
        return gains, (f"requantized to {obs.requantize} bits with gains from the power of "
                       f"{samples} samples of every input that came before: "
                       + ", ".join(f"{gain:.6g}" for gain in gains))

    def source(self, obs, block_samples, samples=0):
        """The block; it ends after so many samples, 0 = as `seconds` says."""
        samples = samples or round((self.seconds or 0) * self.layout.sample_rate)
        return fp.udp_source(self.addresses, self.inputs, block_samples, self.preset,
                             self.settings, obs.center_frequency, senders=self.senders,
                             samples=max(samples, 1) if self.seconds else samples,
                             **self.options)
