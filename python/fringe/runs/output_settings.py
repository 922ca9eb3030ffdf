#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What happens to dumps on their way into files: options, and what cannot be of them."""
import dataclasses

from ..ground.options import option
from ..observing.sizes import bits_of
from ..operating.alerts import alert_limits
from ..web.addresses import HOST, PORT, listening_address

FLAGGING = ("none", "pulses", "spectra", "dumps", "all")
#: Part of a noise's visibilities that the searches for RFI together may flag or leave out.
FALSE_ALARM = 5e-5
#: The share of the search in dumps where both search: the other one costs what is not noise less.
OF_DUMPS = 0.8
#: A visibility loses the spectra of a window, in units of the rate of each detector, by kurtosis
#: and power of both inputs' cells (2 + 2), by the kurtosis of all inputs (1), and by the power over
#: the band of both inputs and of all (ten times more rarely: 0.2 + 0.1).
DETECTORS = 5.3
#: A visibility of which the search in spectra leaves less than this part is flagged: in what is
#: left, its interference is too weak for that search, and often for the one in dumps, too. Two of
#: five windows of a dump are then lost, which noise hardly ever loses in one channel.
LEAST_LEFT = 0.6
#: Part of a dump that is nothing.
ROUNDING = 1e-6


def _band(obs, complex_samples):
    """(from, to, width of a channel) in Hz."""
    f = obs.channel_frequencies(obs.channels, complex_samples)
    width = obs.sample_rate / (1 if complex_samples else 2) / obs.channels
    return f[0] - width / 2, f[-1] + width / 2, width


@dataclasses.dataclass
class output_settings:
    """What happens to dumps on their way into files."""
    van_vleck: bool = option(
        "make dumps of 1- or 2-bit samples those of the signals before quantizing", False)
    flag: str = option(
        "look for RFI: pulses in the samples (blanked and weighted), in the spectra before the "
        "X-engine (kurtosis and power, left out and weighted), in the dumps (flagged), or in all "
        "three: all", "none", choices=FLAGGING)
    mask: tuple = option("band that is always flagged, with flag=dumps or flag=all; may be "
                         "repeated", (), kind="bands", metavar="HZ,HZ")
    flag_edges: float = option(
        "per cent of the band at either end that are always flagged, with flag=dumps or flag=all; "
        "1 for example, where a filter cuts the band off", 0.0, kind="number", metavar="PERCENT")
    keep_edge: bool = option(
        "do not flag the first channel of complex samples, which holds both edges of the band (0 "
        "in .ACC and .LCCSPC)", False)
    flag_dc: bool = option(
        "flag the channel of what is constant in the samples: the middle one, of real samples the "
        "first", False)
    every: float = option(
        "with images: one for each 1s, 500ms, 10min; by default one for each dump", 0.0,
        kind="duration", metavar="TIME")
    image_size: int = option("with images: pixels a side (default 256)", 256, kind="whole",
                             metavar="N")
    image_band: tuple = option(
        "with images: channels from one frequency to another; by default all", kind="band",
        metavar="HZ,HZ")
    image_clean: int = option(
        "with images: CLEAN takes up to N components out of each, down to 3 sigma; by default "
        "images are dirty ones", 0, kind="whole", metavar="N")
    average_channels: int = option("channels that become one in the files", 1, kind="whole",
                                   metavar="N")
    products: str = option("which are written", "all", choices=("all", "autos", "crosses"))
    smearing_loss: float = option(
        "average each baseline in time for as long as no more than this part of a source's "
        "amplitude is lost (0.01 for example) within field_radius=DEGREES", 0.0, kind="number",
        metavar="PART")
    field_radius: float = option("from the phase center", 0.0, kind="number", metavar="DEGREES")
    longest_average: float = option("for smearing_loss=PART: longest time", 60.0, kind="seconds",
                                    metavar="SECONDS")
    new_file_every: float = option(
        "begin a new file with every N seconds: x_20260612_220000.ms", 0.0, kind="whole",
        metavar="SECONDS")
    web: str = option(
        f"show the dumps on a web page, too (docs/web.md; default {HOST}:{PORT})", "",
        kind="address", metavar="HOST:PORT")
    alerts: str = option(
        "from where on something is an alert on that page: lost, saturated, disk (per cent), "
        "silence (s), dead (dB); docs/station_for_months.md", "", metavar="NAME=NUMBER,...")

    def check_output_settings(self, obs):
        """Raises ValueError where something cannot be."""
        if self.web:
            listening_address(self.web, "web")
        alert_limits.of(self.alerts)
        if self.alerts and not self.web:
            raise ValueError(f"alerts: {self.alerts}: are shown on the web page; give web, too")
        if self.flag not in FLAGGING:
            raise ValueError(f"flag: {self.flag}: must be one of {', '.join(FLAGGING)}")
        for low, high in self.mask:
            if not low < high:
                raise ValueError(f"mask: {low:g},{high:g}: give the lower frequency first, "
                                 "in Hz")
        if 0 < self.every < obs.integration * (1 - ROUNDING) and not obs.spectra:
            raise ValueError(f"every: {self.every:g} s: a dump is {obs.integration:g} s long "
                             "(integration); no image is shorter than that")
        if self.mask and not self.flags_dumps:
            raise ValueError("mask: names bands to flag; flag=dumps (or flag=all) flags them")
        if not 0 <= self.flag_edges < 50:
            raise ValueError(f"flag_edges: {self.flag_edges:g}: must be per cent of the band at "
                             "either end, 0 to less than 50")
        if self.flag_edges and not self.flags_dumps:
            raise ValueError(f"flag_edges: {self.flag_edges:g}: flag=dumps (or flag=all) flags the "
                             "ends of the band")
        if self.image_clean < 0:
            raise ValueError(f"image_clean: {self.image_clean}: must be a number of components, "
                             "or 0 for dirty images")
        if self.average_channels < 1 or obs.channels % self.average_channels:
            raise ValueError(f"average_channels: {self.average_channels}: must divide the "
                             f"{obs.channels} channels")

    def check_samples(self, obs, encoding, corrections=(), remove_mean=False):
        """Raises ValueError where pulses cannot be found in such samples, or their dumps not be
        corrected."""
        if self.flag == "pulses" and bits_of(encoding) <= 2:
            raise ValueError(f"flag: pulses: {encoding.name} has {bits_of(encoding)}-bit samples, "
                             "and one level for all strong signals; take flag=dumps")
        if not self.van_vleck:
            return
        bits = bits_of(encoding)
        reasons = ((bits > 2, f"it is for samples of 1 or 2 bits; {obs.format} recordings have "
                    f"{bits}, which quantizing does not bend"),
                   (obs.tracking, "it undoes quantizing sample by sample, before delays are taken "
                    "out; take tracking=False"),
                   (len(corrections), "it comes before gains, phases and delays are taken out; "
                    "leave out gains=FILE, and gain, phase and cable delay in the observation "
                    "file, and calibrate the visibilities"),
                   (remove_mean, "it is for samples as they were quantized; leave out "
                    "remove_mean=True"),
                   (obs.requantize != "none", "samples are to be quantized once; take "
                    "requantize=none"),
                   (self.flags_spectra, "it needs dumps without gaps in their spectra; take "
                    "flag=dumps"))
        for wrong, why in reasons:
            if wrong:
                raise ValueError(f"van_vleck: {why}")

    def warnings(self, obs, complex_samples):
        """Sentences that a user should be told; often none."""
        first, last, _ = _band(obs, complex_samples)
        return [f"mask={low:g},{high:g} lies outside of the band, {first:.10g} to {last:.10g} Hz, "
                "and flags nothing" for low, high in self.mask if high <= first or low >= last]

    def blanks_pulses(self, encoding):
        """True where pulses are blanked in samples of this encoding."""
        return self.flag in ("pulses", "all") and bits_of(encoding) > 2

    def masked_bands(self, obs, complex_samples):
        """Bands (from, to) in Hz that are always flagged: `mask`, and the ends of the band."""
        if not self.flag_edges:
            return list(self.mask)
        low, high, width = _band(obs, complex_samples)
        # A channel is flagged where a thousandth of it or more lies in the end.
        end = self.flag_edges / 100 * (high - low) - width / 1000
        return [*self.mask, (low - width, low + end), (high - end, high + width)]

    @property
    def flags_spectra(self):
        return self.flag in ("spectra", "all")

    @property
    def flags_dumps(self):
        return self.flag in ("dumps", "all")

    def spectra_search(self):
        """The parameters of the kurtosis_search, for `flag` of a correlator; False = none."""
        share = 1 - OF_DUMPS if self.flags_dumps else 1
        return self.flags_spectra and {"false_alarm": share * FALSE_ALARM / DETECTORS}

    def dumps_rate(self):
        """The false_alarm_rate of the rfi_flagger."""
        return (OF_DUMPS if self.flags_spectra else 1) * FALSE_ALARM

    @property
    def reduces(self):
        return self.average_channels > 1 or self.products != "all"
