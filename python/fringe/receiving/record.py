#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""record(): what comes live, packets or streams of receivers, to a recording."""
import dataclasses
import os
import types

from gnuradio import gr

from .. import fringe_python as fp
from ..ground.stop_signals import count_stops
from ..ground.waiting import interrupted, wait
from ..web.metrics_server import serve_metrics
from .receivers import receivers_of
from .record_forms import form_of


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
        inputs = f"{self.inputs} input{'s' if self.inputs > 1 else ''}"
        return (f"wrote {self.path}: {inputs}, {self.samples} {self.kind} of every "
                f"input, {self.seconds:.6g} s from {self.start} on")


class recording(gr.top_block):
    """The flowgraph: packets, or streams of receivers, to the block that writes them."""

    def __init__(self, packets, sink, block, samples):
        gr.top_block.__init__(self, "fringe record", catch_exceptions=True)
        self.source = packets.source(types.SimpleNamespace(center_frequency=0), block, samples)
        self.sinks = [sink]
        self.connect(self.source, sink)


def record(live, path, seconds=None, overwrite=False, progress=None, tell=None, minutes=None,
           author=None, metrics=""):
    """Writes what comes live, as it comes, to files; returns a record_result.

    live: udp://HOST:PORT?preset=NAME&inputs=N..., as for fringe correlate --live, or
    rtl_tcp://HOST:PORT,HOST:PORT?sample_rate=HZ&frequency=HZ, or kraken://HOST; seconds: of data;
    None: until a signal comes. Samples become VDIF (x.vdif) or SigMF (x.sigmf-meta; of several
    receivers, or in parts, x.sigmf-collection), packets of spectra HDF5 (x.h5).
    What was lost is marked, so that correlating the file makes the visibilities and weights that
    correlate(live=...) had made, bit for bit.
    minutes: of SigMF, how long a file is; the next begins with the next sample. author: of SigMF,
    who records.
    progress: called with (samples, samples in all); tell: with what is wrong with the packets.
    metrics: HOST:PORT, where counts are served for Prometheus meanwhile, see serve_metrics().
    While it grows a file is called x.partial.y. Raises ValueError for what cannot be
    recorded, RuntimeError where the file cannot be written, and interrupted.
    """
    path = os.fspath(path)
    packets = receivers_of(live, seconds)
    layout = packets.make_layout()
    if not packets.inputs:
        raise ValueError(f"live: {live}: does not say inputs=N")
    form = form_of(path, packets, layout, minutes, author, overwrite)
    samples = -(-round(seconds * form.rate) // form.granule) * form.granule if seconds else 0
    with count_stops() as stops:
        try:
            with form.files() as (sink, block):
                flowgraph = recording(packets, sink, block, samples)
                source, sink.folder = flowgraph.source, os.path.dirname(os.path.abspath(path))
                with serve_metrics(flowgraph, metrics):
                    stopped = wait(flowgraph, progress, stops, tell)
                if sink.error() or not sink.samples():
                    raise RuntimeError(f"{path}: {sink.error() or 'no packets came'}"
                                       + _kept(form.partial))
        except OSError as error:
            raise RuntimeError(f"{path}: {error.strerror}{_kept(form.partial)}") from None
    result = record_result(
        path, packets.inputs, sink.samples(), sink.samples() / form.rate,
        fp.epoch(*sink.began).iso(9), form.rate, source.losses(), source.packets(),
        form.kind, form.values)
    if source.error():
        raise RuntimeError(f"{source.error()}; {result}")
    if stopped:
        raise interrupted(str(result), stops.number)
    return result


def _kept(partial):
    """Where what was written is, for the end of a sentence."""
    there = os.path.exists(partial) and os.path.getsize(partial)
    return f"; what was written is in {partial}" if there else ""
