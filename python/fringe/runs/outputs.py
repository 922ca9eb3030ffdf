#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""From dumps to files: few bits, flagging, reducing, sinks."""
import dataclasses

from .. import fringe_python as fp
from ..observing import item_sizes
from ..image_blocks.image_sink import image_sink
from ..image_blocks.deconvolver import deconvolver
from ..image_blocks.imager import imager
from ..web.addresses import listening_address
from ..web.web_page import web_page

FLAGGING = ("none", "spectra", "dumps", "all")
#: Part of a noise's visibilities that the searches for RFI together may flag or leave out.
FALSE_ALARM = 1e-3
#: The share of the search in dumps where both search: the other one costs what is not noise less.
OF_DUMPS = 0.8
#: A visibility loses the spectra of a window, in units of the rate of each detector, by kurtosis
#: and power of both inputs' cells (2 + 2), by the kurtosis of all inputs (1), and by the power over
#: the band of both inputs and of all (ten times more rarely: 0.2 + 0.1).
DETECTORS = 5.3
#: Part of a dump that is nothing.
ROUNDING = 1e-6


@dataclasses.dataclass
class output_options:
    """What happens to dumps on their way into files."""
    flag: str = "none"  #: what RFI is looked for in: none, spectra, dumps, all
    mask: tuple = ()  #: bands (from, to) in Hz that are always flagged
    van_vleck: bool = False  #: dumps of 1- and 2-bit samples become those of the signals
    average_channels: int = 1  #: channels that become one
    products: str = "all"  #: all, autos or crosses
    smearing_loss: float = 0.0  #: see visibility_sink: baselines are averaged up to it
    field_radius: float = 0.0  #: degrees, for smearing_loss
    longest_average: float = 60.0  #: seconds, for smearing_loss
    new_file_every: float = 0.0  #: seconds; 0 = one file
    keep_edge: bool = False  #: the channel of both edges of the band is not flagged
    flag_dc: bool = False  #: the channel of what is constant in the samples is flagged
    every: float = 0.0  #: seconds of dumps in an image; 0 = an image of each dump
    image_size: int = 256  #: pixels of images, each side
    image_band: tuple = None  #: (lowest, highest) frequency in Hz in images; None = all
    image_clean: int = 0  #: components that CLEAN takes out of an image, at most; 0 = dirty images
    web: str = ""  #: HOST:PORT of a web page of the dumps; "" = none

    def check(self, obs):
        """Raises ValueError where something cannot be."""
        if self.web:
            listening_address(self.web, "--web")
        if self.flag not in FLAGGING:
            raise ValueError(f"--flag: {self.flag}: must be one of {', '.join(FLAGGING)}")
        for low, high in self.mask:
            if not low < high:
                raise ValueError(f"--mask: {low:g},{high:g}: give the lower frequency first, "
                                 "in Hz")
        if 0 < self.every < obs.integration * (1 - ROUNDING) and not obs.spectra:
            raise ValueError(f"--every: {self.every:g} s: a dump is {obs.integration:g} s long "
                             "(--integration); no image is shorter than that")
        if self.mask and not self.flags_dumps:
            raise ValueError("--mask: names bands to flag; --flag dumps (or all) flags them")
        if self.image_clean < 0:
            raise ValueError(f"--image-clean: {self.image_clean}: must be a number of components, "
                             "or 0 for dirty images")
        if self.average_channels < 1 or obs.channels % self.average_channels:
            raise ValueError(f"--average-channels: {self.average_channels}: must divide the "
                             f"{obs.channels} channels")

    def check_samples(self, obs, encoding, corrections=(), remove_mean=False):
        """Raises ValueError where the dumps of such samples cannot be corrected."""
        if not self.van_vleck:
            return
        bits = bits_of(encoding)
        reasons = ((bits > 2, f"it is for samples of 1 or 2 bits; {obs.format} recordings have "
                    f"{bits}, which quantising does not bend"),
                   (obs.tracking, "it undoes quantising sample by sample, before delays are taken "
                    "out; leave out --track (tracking in the observation file)"),
                   (len(corrections), "it comes before gains, phases and delays are taken out; "
                    "leave out --gains, and gain, phase and cable delay in the observation file, "
                    "and calibrate the visibilities"),
                   (remove_mean, "it is for samples as they were quantised; leave out "
                    "--remove-mean"),
                   (obs.requantize != "none", "samples are to be quantised once; take "
                    "--requantize none"),
                   (self.flags_spectra, "it needs dumps without gaps in their spectra; take "
                    "--flag dumps"))
        for wrong, why in reasons:
            if wrong:
                raise ValueError(f"--van-vleck: {why}")

    def warnings(self, obs, complex_samples):
        """Sentences that a user should be told; often none."""
        f = obs.channel_frequencies(obs.channels, complex_samples)
        half = obs.sample_rate / (2 if complex_samples else 4) / obs.channels
        return [f"--mask {low:g},{high:g} lies outside of the band, {f[0] - half:.10g} to "
                f"{f[-1] + half:.10g} Hz, and flags nothing"
                for low, high in self.mask if high <= f[0] - half or low >= f[-1] + half]

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


def bits_of(encoding):
    """Bits of a real sample, or of each part of a complex one."""
    return encoding.bits // 2 if encoding.complex_samples else encoding.bits


def write_dumps(flowgraph, dumps, obs, encoding, paths, options, overwrite, history,
                satellite="", images=(), real_time=False):
    """Connects what stands between a block of dumps and the files; returns the sinks of
    visibilities, (imager, sink) of images, and the flagger or None. satellite: the table of what
    was tracked, if that is one; images: files of images; real_time: the data do not wait."""
    ports, channels, flagger = 2, obs.channels, None
    products, complex_samples = "all", encoding.complex_samples
    if options.van_vleck:
        correction = fp.van_vleck(len(obs.inputs), channels, complex_samples, bits_of(encoding),
                                  obs.taps, obs.window)
        _connect(flowgraph, dumps, correction, ports)
        dumps = correction
    if options.flags_dumps:
        flagger = fp.rfi_flagger(obs, channels, complex_samples,
                                 false_alarm_rate=options.dumps_rate(),
                                 mask_frequencies=list(options.mask))
        _connect(flowgraph, dumps, flagger, ports)
        dumps, ports = flagger, 3
    if options.web:
        try:
            page = web_page(obs, channels, options.web, "", complex_samples)
        except ImportError as error:
            raise RuntimeError(f"--web: {error}") from None
        _connect(flowgraph, dumps, page, 2)
        flowgraph.web_page = page  # GNU Radio keeps no reference to a block written in Python
    pictures = [write_images(flowgraph, dumps, ports, obs, complex_samples, images, options,
                             overwrite, history, real_time)] if images else []
    if options.reduces:
        axes = fp.dump_axes(obs, channels, complex_samples, average=options.average_channels,
                            products=options.products, keep_edge=options.keep_edge,
                            flag_dc=options.flag_dc)
        reducer = fp.visibility_reducer(axes)
        _connect(flowgraph, dumps, reducer, ports)
        dumps, obs, channels, products = reducer, axes.observation, axes.channels, axes.products
    sinks = []
    for path in paths:
        sink = fp.visibility_sink(
            obs, path, channels, complex_samples, 0, overwrite, history,
            roll_seconds=options.new_file_every, products=products,
            smearing_loss=options.smearing_loss, field_radius=options.field_radius,
            longest_average=options.longest_average, satellite=satellite,
            keep_edge=options.keep_edge, flag_dc=options.flag_dc)
        _connect(flowgraph, dumps, sink, ports)
        sinks.append(sink)
    return sinks, pictures, flagger


def write_images(flowgraph, dumps, ports, obs, complex_samples, paths, options, overwrite,
                 history, real_time):
    """Connects what stands between a block of dumps and files of images; returns imager and sink.
    Images, and never visibilities, are lost where the data do not wait for them."""
    words = {"every": options.every, "complex_samples": complex_samples,
             "band": options.image_band, "drop": real_time}
    if options.image_clean:
        made = deconvolver(obs, obs.channels, options.image_size, iterations=options.image_clean,
                           **words)
    else:
        made = imager(obs, obs.channels, options.image_size, **words)
    sink = image_sink(paths, item_sizes.image(options.image_size), overwrite=overwrite,
                      history=history.splitlines(), drop=real_time, every=options.every)
    sink.set_last(made.rest)
    _connect(flowgraph, dumps, made, ports)
    flowgraph.connect(made, sink)
    return made, sink


def image_sentences(made, sink):
    """What became of the images of write_images(), after the end."""
    left_out = [f"{count} {what}" for count, what in (
        (made.dropped(), "dumps are in no image: images take longer to make than dumps to come"),
        (sink.dropped(), "images were left out: the disk was too slow for them")) if count]
    return sink.sentences() + left_out


def _connect(flowgraph, one, other, ports):
    for port in range(ports):
        flowgraph.connect((one, port), (other, port))


def flagged_sentence(flagger):
    """How much of the dumps was flagged, by cause; "" without a flagger."""
    return _shares(flagger.totals() if flagger else {}, "all", "visibilities flagged")


def flagged_spectra_sentence(blocks):
    """How much of the spectra was zeroed, by cause; "" where nothing looked."""
    cells = {}
    for block in blocks:
        for cause, counts in block.cells().items():
            cells[cause] = cells.get(cause, 0) + sum(counts)
    return _shares(cells, "searched", "spectra left out as RFI")


def _shares(counts, whole, what):
    """counts: cause -> how many; `whole` has all there were, "any" those of any cause."""
    if not counts.get(whole):
        return ""
    causes = ", ".join(f"{cause} {100 * n / counts[whole]:.2g} %" for cause, n in counts.items()
                       if n and cause not in (whole, "any"))
    share = 100 * counts.get("any", 0) / counts[whole]
    return f"{share:.2g} % of the {what}" + (f" ({causes})" if causes else "")
