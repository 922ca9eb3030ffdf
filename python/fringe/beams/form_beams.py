#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""form_beams(): recordings to the power of beams in time and frequency, in files."""
import os

from gnuradio import gr

from .. import fringe_python as fp
from ..chains.stage_maker import stage_maker
from ..ground.losses import sentences
from ..ground.new_file import remembers_what_it_reads
from ..ground.stop_signals import count_stops
from ..ground.waiting import interrupted, wait
from ..observing.phase_centers import tracking_of
from ..observing.settings import check_outputs
from ..runs.describe_run import describe_run
from ..runs.settings import run_settings
from .beam_axes import beam_axes
from .beam_formats import format_of
from .beam_sink import beam_sink


class beam_flowgraph(gr.top_block):
    """Recordings to a beam_sink."""

    def __init__(self, described, directions, products, interval, average, nulls):
        gr.top_block.__init__(self, "fringe beam", catch_exceptions=True)
        obs, sizes, settings = described.obs, described.sizes, described.settings
        encoding = described.encoding
        stages = stage_maker(
            sizes, 0, 0, obs.taps, obs.window, obs.requantize, described.gains, 0, obs.streams(),
            obs.conjugated(), described.corrections, tracking_of(obs), None,
            settings.remove_mean, None, None)
        self.source = described.source()
        stages.files = self.source.parts()
        self.former = fp.beamformer(
            obs, directions, products, interval, 0, average, sizes.channels, sizes.block_spectra,
            stages.component, encoding.complex_samples, nulls, backend=settings.backend)
        self.axes = beam_axes.of(self.former, obs, directions, products, average,
                                 encoding.complex_samples, interval)
        self.sinks = []
        self._chain = [stages.unpack(settings.backend), stages.channelizer(settings.backend),
                       self.former]

    def write_to(self, outputs, overwrite, history):
        """Adds the files; ValueError where one cannot be made."""
        writers = []
        try:
            for path in outputs:
                writers.append(format_of(path)(path, self.axes, overwrite, history))
        except Exception as error:
            for writer in writers:
                writer.close(error)
            raise
        sink = beam_sink(self.axes, writers)
        self.connect(self.source, *self._chain, (sink, 0))
        self.connect((self.former, 1), (sink, 1))
        self.sinks = [sink]
        return sink


@remembers_what_it_reads
def form_beams(recordings, outputs, directions, obs=None, *, products="power", interval=0.01,
               average=1, nulls=(), overwrite=False, history="", progress=None, **settings):
    """Forms beams of a recording, and writes their power; returns lines of text on what was done.

      recordings, obs, settings: as for correlate(), those of samples and of the F-engine
      outputs: paths, see beam_formats.py
      directions, products, average, nulls: see beamformer
      interval: seconds of a mean

    Raises ValueError for bad input, RuntimeError when writing fails, interrupted after a signal.
    """
    described = describe_run(run_settings(recordings=list(recordings), obs=obs,
                                          **{"backend": "cpu", **settings}))
    if described.settings.threads is not None:
        fp.set_threads(described.settings.threads)
    if described.live:
        raise ValueError("recordings: beams are formed of recorded samples")
    points = described.obs.channels * (1 if described.encoding.complex_samples else 2)
    shortest = points / described.obs.sample_rate
    if not interval >= shortest:
        raise ValueError(f"interval: {interval:g}: must be {shortest:g} s at least, the length of "
                         f"a spectrum of {described.obs.channels} channels")
    if not described.obs.has_start_time:
        raise ValueError("start_time: nothing says when the recording began; give start_time=UTC")
    check_outputs(outputs, [os.fspath(path) for path in recordings])
    flowgraph = beam_flowgraph(described, directions, products, interval, average, list(nulls))
    with count_stops() as stops:
        sink = flowgraph.write_to(outputs, overwrite, history + described.history())
        stopped, error = False, None
        try:
            stopped = wait(flowgraph, progress, stops)
            sink.finish()
            why = flowgraph.source.error() or sink.error() or fp._failure(
                flowgraph.former.to_basic_block())
            if why:
                raise RuntimeError(why)
            if not sink.written:
                raise ValueError("the recording holds no spectrum: nothing was written")
        except OSError as failed:
            error = RuntimeError(f"{', '.join(sink.files())}: {failed.strerror or failed}; what "
                                 "was written until then is kept as a partial file")
        except BaseException as failed:  # pylint: disable=broad-except
            error = failed
        for writer in sink.writers:
            writer.close(error)
    if error:
        raise error
    losses = {cause: [counts[number] for number in described.obs.streams()]
              for cause, counts in flowgraph.source.losses().items()}
    lines = [f"wrote {path}" for path in sink.files()]
    lines += [f"{sink.written} means of {interval:g} s, {len(flowgraph.axes.directions)} "
              f"direction(s), {len(flowgraph.axes.frequencies)} channels"]
    lines += [f"note: {sink.gaps} of them lie in gaps, and are zeros"] if sink.gaps else []
    lines += sentences(losses, flowgraph.source.samples_read())
    if stopped:
        raise interrupted("; ".join(lines))
    return lines
