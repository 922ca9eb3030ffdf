#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""From dumps to files: flagging, reducing, sinks."""
import dataclasses

from . import fringe_python as fp

FLAGGING = ("none", "spectra", "dumps", "all")


@dataclasses.dataclass
class output_options:
    """What happens to dumps on their way into files."""
    flag: str = "none"  #: what RFI is looked for in: none, spectra, dumps, all
    mask: tuple = ()  #: bands (from, to) in Hz that are always flagged
    average_channels: int = 1  #: channels that become one
    products: str = "all"  #: all, autos or crosses
    smearing_loss: float = 0.0  #: see visibility_sink: baselines are averaged up to it
    field_radius: float = 0.0  #: degrees, for smearing_loss
    longest_average: float = 60.0  #: seconds, for smearing_loss
    new_file_every: float = 0.0  #: seconds; 0 = one file

    def check(self, obs):
        """Raises ValueError where something cannot be."""
        if self.flag not in FLAGGING:
            raise ValueError(f"--flag: {self.flag}: must be one of {', '.join(FLAGGING)}")
        for low, high in self.mask:
            if not low < high:
                raise ValueError(f"--mask: {low:g},{high:g}: give the lower frequency first, "
                                 "in Hz")
        if self.mask and not self.flags_dumps:
            raise ValueError("--mask: names bands to flag; --flag dumps (or all) flags them")
        if self.average_channels < 1 or obs.channels % self.average_channels:
            raise ValueError(f"--average-channels: {self.average_channels}: must divide the "
                             f"{obs.channels} channels")

    @property
    def flags_spectra(self):
        return self.flag in ("spectra", "all")

    @property
    def flags_dumps(self):
        return self.flag in ("dumps", "all")

    @property
    def reduces(self):
        return self.average_channels > 1 or self.products != "all"


def write_dumps(flowgraph, dumps, obs, complex_samples, paths, options, overwrite, history):
    """Connects what stands between a block of dumps and the files; returns the sinks, and the
    flagger or None."""
    ports, channels, flagger = 2, obs.channels, None
    products = "all"
    if options.flags_dumps:
        flagger = fp.rfi_flagger(obs, channels, complex_samples,
                                 mask_frequencies=list(options.mask))
        _connect(flowgraph, dumps, flagger, ports)
        dumps, ports = flagger, 3
    if options.reduces:
        axes = fp.dump_axes(obs, channels, complex_samples, average=options.average_channels,
                            products=options.products)
        reducer = fp.visibility_reducer(axes)
        _connect(flowgraph, dumps, reducer, ports)
        dumps, obs, channels, products = reducer, axes.observation, axes.channels, axes.products
    sinks = []
    for path in paths:
        sink = fp.visibility_sink(
            obs, path, channels, complex_samples, 0, overwrite, history,
            roll_seconds=options.new_file_every, products=products,
            smearing_loss=options.smearing_loss, field_radius=options.field_radius,
            longest_average=options.longest_average)
        _connect(flowgraph, dumps, sink, ports)
        sinks.append(sink)
    return sinks, flagger


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
    return _shares(cells, "judged", "spectra zeroed as RFI")


def _shares(counts, whole, what):
    """counts: cause -> how many; `whole` has all there were, "any" those of any cause."""
    if not counts.get(whole):
        return ""
    causes = ", ".join(f"{cause} {100 * n / counts[whole]:.2g} %" for cause, n in counts.items()
                       if n and cause not in (whole, "any"))
    share = 100 * counts.get("any", 0) / counts[whole]
    return f"{share:.2g} % of the {what}" + (f" ({causes})" if causes else "")
