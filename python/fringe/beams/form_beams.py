#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""form_beams(): recordings to the power of beams in time and frequency, in files."""
import contextlib
import dataclasses
import os

from gnuradio import gr

from .. import fringe_python as fp
from ..chains.stage_maker import stage_maker
from ..ground.losses import of_inputs, sentences
from ..ground.new_file import remembers_what_it_reads
from ..ground.stop_signals import count_stops
from ..ground.streams import failure
from ..ground.waiting import interrupted, wait
from ..observing.phase_centers import tracking_of
from ..observing.plausible import notes
from ..observing.settings import check_outputs
from ..runs.describe_run import describe_run
from ..runs.settings import F_ENGINE, recording_settings, run_settings
from .beam_axes import beam_axes
from .beam_formats import format_of
from .beam_sink import beam_sink

#: What can be set of a run that makes beams.
SETTINGS = {*F_ENGINE, "backend", *(field.name for field in dataclasses.fields(recording_settings))}
LONGEST = 1e9  #: seconds of a mean


class beam_flowgraph(gr.top_block):
    """Recordings to a beam_sink."""

    def __init__(self, described, directions, products, interval, average, nulls):
        gr.top_block.__init__(self, "fringe beam", catch_exceptions=True)
        obs, sizes, settings = described.obs, described.sizes, described.settings
        complex_samples = described.encoding.complex_samples
        self.source = described.source()
        stages = stage_maker(
            sizes=sizes, taps=obs.taps, window=obs.window, requantize=obs.requantize,
            gains=described.gains, files=self.source.parts(), streams=obs.streams(),
            conjugate=obs.conjugated(), corrections=described.corrections,
            tracking=tracking_of(obs), remove_mean=settings.remove_mean)
        self.unpack = stages.unpack(settings.backend)
        self.channelizer = stages.channelizer(settings.backend)
        self.former = fp.beamformer(
            obs, directions, products, interval, 0, average, sizes.channels, sizes.block_spectra,
            stages.component, complex_samples, nulls, backend=settings.backend)
        self.axes = beam_axes.of(self.former, obs, directions, products, average,
                                 complex_samples, interval)
        self.sinks = []

    def write_to(self, outputs, overwrite, history, files):
        """Adds the outputs, which the ExitStack `files` ends; ValueError where one cannot be
        made."""
        writers = []
        for path in outputs:
            writer = format_of(path)(path, self.axes, overwrite, history)
            files.push(lambda _, error, __, writer=writer: writer.close(error))
            writers.append(writer)
        sink = beam_sink(self.axes, writers)
        self.connect(self.source, self.unpack, self.channelizer, self.former, (sink, 0))
        self.connect((self.former, 1), (sink, 1))
        self.sinks = [sink]
        return sink

    def losses(self, obs):
        """Samples that are no good, cause -> [input]."""
        return {**of_inputs(self.source, obs), **self.unpack.losses(),
                "clipped": self.channelizer.saturated()}


@remembers_what_it_reads
def form_beams(recordings, outputs, directions, obs=None, *, products="power", interval=0.01,
               average=1, nulls=(), overwrite=False, history="", progress=None, **settings):
    """Forms beams of a recording, and writes their power; returns lines of text on what was done.

      recordings, obs, settings: as for correlate(), those of samples and of the F-engine
      outputs: paths, see beam_formats.py
      directions, products, average, nulls: see beamformer
      interval: seconds of a mean

    Raises ValueError for bad input and for a damaged recording, RuntimeError when writing fails,
    interrupted after a signal.
    """
    unknown = sorted(settings.keys() - SETTINGS)
    if unknown:
        raise TypeError(f"form_beams() has no setting {', '.join(unknown)}")
    described = describe_run(run_settings(recordings=list(recordings), obs=obs, **settings))
    if described.live:
        raise ValueError("recordings: beams are formed of recorded samples")
    _check_interval(interval, described)
    if described.settings.threads is not None:
        fp.set_threads(described.settings.threads)
    check_outputs(outputs, described.settings.files_read)
    flowgraph = beam_flowgraph(described, directions, products, interval, average, list(nulls))
    warnings, sink = warnings_of(described, flowgraph), None
    try:
        with count_stops() as stops, contextlib.ExitStack() as files:
            sink = flowgraph.write_to(outputs, overwrite, history + described.history(), files)
            stopped = wait(flowgraph, progress, stops)
            if not sink.error():
                sink.finish()
            _check_end(flowgraph, sink, stopped and stops.number)
            lost = sentences(flowgraph.losses(described.obs), flowgraph.source.samples_read())
            for writer in sink.writers:
                writer.note(lost)
    except (OSError, RuntimeError, ValueError) as failed:
        if sink is None:
            raise
        raise _named(failed, sink) from None
    lines = _lines(flowgraph, sink, warnings, lost)
    if stopped:
        raise interrupted("; ".join(lines), stops.number)
    return lines


def _check_interval(interval, described):
    obs = described.obs
    shortest = described.sizes.points / obs.sample_rate
    if not shortest <= interval <= LONGEST:
        raise ValueError(f"interval: {interval:g}: must be {shortest:g} s at least, the length of "
                         f"a spectrum of {obs.channels} channels, and {LONGEST:g} s at most")
    if not obs.has_start_time:
        raise ValueError("start_time: nothing says when the recording began; give start_time=UTC")


def _check_end(flowgraph, sink, stopped):
    """Raises why the files are not whole. stopped: the signal that ended it, or False."""
    if flowgraph.source.error():
        raise ValueError(flowgraph.source.error())
    why = sink.error() or failure(flowgraph.former)
    if why:
        raise RuntimeError(why)
    if not sink.written:
        raise (interrupted("nothing was written", stopped) if stopped else
               ValueError("the recording holds no spectrum"))


def _named(failed, sink):
    """An error in words that name the files, and say what became of them."""
    partial = [path for path in map(fp.partial_path, sink.files()) if os.path.exists(path)]
    kept = (f"what was written until then is in {', '.join(partial)}" if partial else
            "nothing was kept")
    if isinstance(failed, ValueError):
        return ValueError(f"{failed}; {kept}")
    why = getattr(failed, "strerror", None) or failed
    return RuntimeError(f"{', '.join(sink.files())}: {why}; {kept}")


def warnings_of(described, flowgraph):
    """Sentences on directions and settings that are hardly meant, and on what is lost."""
    obs, axes = described.obs, flowgraph.axes
    turned = [axes.towards(direction, obs.start_time) for direction in axes.directions]
    smearing = flowgraph.former.smearing(obs.start_time)
    return [*described.header_notes,
            *notes(described.settings.recordings, turned, described.samples),
            *([smearing] if smearing else [])]


def _lines(flowgraph, sink, warnings, lost):
    """What was done, and what a user should know of it."""
    axes = flowgraph.axes
    beams, channels = len(axes.directions), len(axes.frequencies)
    gaps = [f"{sink.gaps} of the means lie in gaps, and are zeros"] if sink.gaps else []
    return [*(f"wrote {path}" for path in sink.files()),
            f"{sink.written} mean{'' if sink.written == 1 else 's'} of {axes.interval:g} s, "
            f"{beams} direction{'' if beams == 1 else 's'}, "
            f"{channels} channel{'' if channels == 1 else 's'}",
            *(f"note: {sentence}" for sentence in (*warnings, *gaps)),
            *lost]
