#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""record(): packets that come live to a recording."""
import dataclasses
import os
import types

from gnuradio import gr

from .. import fringe_python as fp
from ..observing import item_sizes
from .live import live_packets
from ..ground.new_file import check_new_file, new_file
from ..ground.stop_signals import count_stops
from .spectra_recorder import spectra_recorder
from .vdif_recorder import vdif_frames, vdif_recorder
from ..ground.waiting import interrupted, wait

# What is written at a time, unless it takes longer to come.
BLOCK_BYTES = 1 << 20
BLOCK_SECONDS = 0.1


@dataclasses.dataclass
class record_result:
    """What was recorded."""
    path: str
    inputs: int
    samples: int      #: of every input
    seconds: float
    start: str        #: UTC
    sample_rate: float  #: Hz
    losses: dict      #: cause -> [input] samples that are marked as bad in the file
    packets: dict     #: what became of the packets
    kind: str = "samples"  #: or "spectra", which `samples` counts then
    values: int = 1   #: of every input in a sample: the channels of a spectrum

    def __str__(self):
        return (f"wrote {self.path}: {self.inputs} inputs, {self.samples} {self.kind} of every "
                f"input, {self.seconds:.6g} s from {self.start} on")


class recording(gr.top_block):
    """The flowgraph: packets of samples to VDIF frames, of spectra to an HDF5 file."""

    def __init__(self, packets, frames, file, samples):
        gr.top_block.__init__(self, "fringe record", catch_exceptions=True)
        layout = packets.layout
        if layout.spectra:
            block = item_sizes.spectra(packets.inputs, layout.all_channels)
            block *= max(1, BLOCK_BYTES // (2 * packets.inputs * layout.all_channels * block))
            block = min(block, max(1, int(BLOCK_SECONDS * layout.sample_rate)))
            sink = spectra_recorder(file, fp.spectra_facts(
                packets.inputs, layout.all_channels, block, packets.bits, layout.sample_rate,
                layout.center_frequency, layout.channels))
        else:
            bits = frames.encoding.bits
            most = min(BLOCK_BYTES * 8 // (packets.inputs * bits),
                       int(BLOCK_SECONDS * frames.rate))
            block = max(1, most // frames.samples) * frames.samples
            sink = vdif_recorder(file, frames, packets.inputs // frames.streams, block)
        self.source = packets.source(types.SimpleNamespace(center_frequency=0), block, samples)
        self.sinks = [sink]
        self.connect(self.source, sink)


def record(live, path, seconds=None, overwrite=False, progress=None, tell=None):
    """Writes packets, as they come, to a file; returns a record_result.

    live: udp://HOST:PORT?preset=NAME&inputs=N..., as for fringe correlate --live; seconds: of
    data; None: until a signal comes. Packets of samples become VDIF (x.vdif), packets of spectra
    HDF5 (x.h5). What was lost is marked, so that correlating the file makes the
    visibilities and weights that correlate(live=...) had made, bit for bit.
    progress: called with (samples, samples in all); tell: with what is wrong with the packets.
    While it grows the file is called x.partial.vdif. Raises ValueError for what cannot be
    recorded, RuntimeError where the file cannot be written, and interrupted.
    """
    path = os.fspath(path)
    stem, ending = os.path.splitext(path)
    if ending.lower() not in (".vdif", ".h5"):
        raise ValueError(f"output: {path}: must end in .vdif, or with packets of spectra in "
                         ".h5, the formats that are recorded")
    partial = f"{stem}.partial{ending}"
    packets = live_packets(live, seconds)
    layout = packets.make_layout()
    if not packets.inputs:
        raise ValueError(f"live: {live}: does not say inputs=N")
    if layout.spectra != (ending.lower() == ".h5"):
        kind, right = ("spectra", ".h5") if layout.spectra else ("samples", ".vdif")
        raise ValueError(f"output: {path}: must end in {right}: {packets.preset} has packets of "
                         f"{kind}")
    frames = None if layout.spectra else vdif_frames(layout, packets.preset)
    if frames and (packets.inputs % frames.streams or packets.inputs > 1024 * frames.streams):
        raise ValueError(f"live: {live}: inputs={packets.inputs}: must be a multiple of the "
                         f"{frames.streams} of a packet, and at most {1024 * frames.streams}")
    check_new_file(path, overwrite, keep_partial=True)
    rate = frames.rate if frames else layout.sample_rate
    granule = frames.samples if frames else 1
    samples = -(-round(seconds * rate) // granule) * granule if seconds else 0
    with count_stops() as stops:
        try:
            with new_file(path, overwrite, keep_partial=True) as file:
                flowgraph = recording(packets, frames, file, samples)
                sink, source = flowgraph.sinks[0], flowgraph.source
                stopped = wait(flowgraph, progress, stops, tell)
                if sink.error() or not sink.samples():
                    raise RuntimeError(f"{path}: {sink.error() or 'no packets came'}"
                                       + _kept(partial))
        except OSError as error:
            raise RuntimeError(f"{path}: {error.strerror}{_kept(partial)}") from None
    result = record_result(
        path, packets.inputs, sink.samples(), sink.samples() / rate,
        fp.epoch(*sink.began).iso(9), rate, source.losses(), source.packets(),
        "samples" if frames else "spectra", layout.all_channels if layout.spectra else 1)
    if stopped:
        raise interrupted(str(result), stops.number)
    return result


def _kept(partial):
    """Where what was written is, for the end of a sentence."""
    there = os.path.exists(partial) and os.path.getsize(partial)
    return f"; what was written is in {partial}" if there else ""
