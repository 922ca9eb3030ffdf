#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""form_beams(): recordings to the power or the voltages of beams, in files."""
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
SETTINGS = {*F_ENGINE, *(field.name for field in dataclasses.fields(recording_settings))}
INTERVAL, LONGEST = 0.01, 1e9  #: seconds of a mean, by default and at most


class beam_flowgraph(gr.top_block):
    """Recordings to beams, and by write_to() to files."""

    def __init__(self, described, directions, products, interval, average, nulls):
        gr.top_block.__init__(self, "fringe beam", catch_exceptions=True)
        obs, sizes, settings = described.obs, described.sizes, described.settings
        self.source = described.source()
        stages = stage_maker(
            sizes=sizes, taps=obs.taps, window=obs.window, requantize=obs.requantize,
            gains=described.gains, files=self.source.parts(), streams=obs.streams(),
            conjugate=obs.conjugated(), corrections=described.corrections,
            tracking=tracking_of(obs), remove_mean=settings.remove_mean)
        self.unpack = stages.unpack(settings.backend)
        self.channelizer = stages.channelizer(settings.backend)
        self._settings = (described, list(directions), list(nulls), stages.component)
        self.former, self.axes = self._former(products, interval, average)
        self.sinks, self._used = [], []

    def _former(self, products, interval, average):
        """A beamformer, and the axes of what it sends."""
        described, directions, nulls, component = self._settings
        obs, sizes, complex_samples = (described.obs, described.sizes,
                                       described.encoding.complex_samples)
        former = fp.beamformer(
            obs, directions, products, interval, 0, average, sizes.channels, sizes.block_spectra,
            component, complex_samples, nulls, backend=described.settings.backend)
        return former, beam_axes.of(obs, directions, products, average, complex_samples, interval)

    def write_to(self, outputs, overwrite, history, files, bits=8, channelized=False):
        """Adds the outputs, which the ExitStack `files` ends; ValueError where one cannot be
        made."""
        made = [(path, *format_of(path)) for path in outputs]
        self.connect(self.source, self.unpack, self.channelizer)
        means = [self._opened(files, kind(path, self.axes, overwrite, history))
                 for path, kind, voltages in made if not voltages]
        if means:
            sink = beam_sink(self.axes, means)
            self.connect(self.channelizer, self.former, (sink, 0))
            self.connect((self.former, 1), (sink, 1))
            self.sinks.append(sink)
            self._used.append(self.former)
        if len(means) < len(made):
            described = self._settings[0]
            former, axes = self._former("voltages", 0, 1)
            self.connect(self.channelizer, former)
            shape = (described.obs.channels, axes.beams, described.sizes.block_spectra)
            for path, kind, voltages in made:
                if voltages:
                    sink = self._opened(files, kind(
                        path, axes, shape, described.encoding.complex_samples, overwrite, bits,
                        channelized))
                    self.connect(former, sink)
                    self.sinks.append(sink)
            self._used.append(former)

    def failure(self):
        """Why the data ended early; "" where they did not."""
        why = [sink.error() for sink in self.sinks] + [failure(former) for former in self._used]
        return next(filter(None, why), "")

    def files(self):
        """Names of the files."""
        return [path for sink in self.sinks for path in sink.files()]

    @staticmethod
    def _opened(files, writer):
        files.push(lambda _, error, __: writer.close(error))
        return writer

    def losses(self, obs):
        """Unusable samples, cause -> [input]."""
        return {**of_inputs(self.source, obs), **self.unpack.losses(),
                "clipped": self.channelizer.saturated()}


@remembers_what_it_reads
def form_beams(recordings, outputs, directions, obs=None, *, products="power", interval=INTERVAL,
               average=1, nulls=(), bits=None, channelized=False, overwrite=False, history="",
               progress=None, **settings):
    """Forms beams of a recording, and writes their power or voltages; returns lines of text on what
    was done.

      recordings, obs, settings: as for correlate(), those of samples and of the F-engine
      outputs: paths, see beam_formats.py
      directions, products, average, nulls: see beamformer
      interval: seconds of a mean
      bits, channelized: of voltages, see vdif_files; bits: 8 by default

    Raises ValueError for bad input and for a damaged recording, RuntimeError when writing fails,
    interrupted after a signal.
    """
    unknown = sorted(settings.keys() - SETTINGS)
    if unknown:
        raise TypeError(f"form_beams() has no setting {', '.join(unknown)}")
    _check_outputs(outputs, products, interval, average, bits, channelized)
    described = describe_run(run_settings(recordings=list(recordings), obs=obs, **settings))
    if described.live:
        raise ValueError("recordings: beams are formed of recorded samples")
    _check_interval(interval, described, any(not format_of(path)[1] for path in outputs))
    if described.settings.threads is not None:
        fp.set_threads(described.settings.threads)
    check_outputs(outputs, described.settings.files_read)
    flowgraph = beam_flowgraph(described, directions, products, interval, average, list(nulls))
    warnings = warnings_of(described, flowgraph)
    try:
        with count_stops() as stops, contextlib.ExitStack() as files:
            flowgraph.write_to(outputs, overwrite, history + described.history(), files,
                               bits or 8, channelized)
            stopped = wait(flowgraph, progress, stops)
            _end(flowgraph, stopped and stops.number)
            lost = sentences(flowgraph.losses(described.obs), flowgraph.source.samples_read())
            for sink in flowgraph.sinks:
                sink.note(lost)
    except (OSError, RuntimeError, ValueError) as failed:
        if not flowgraph.sinks:
            raise
        raise _named(failed, flowgraph.files()) from None
    lines = [*(f"wrote {path}" for path in flowgraph.files()),
             *(line for sink in flowgraph.sinks for line in sink.sentences()),
             *(f"note: {sentence}" for sentence in warnings), *lost]
    if stopped:
        raise interrupted("; ".join(lines), stops.number)
    return lines


def _check_outputs(outputs, products, interval, average, bits, channelized):
    """Raises ValueError where something asked for is of no output."""
    voltages = [format_of(path)[1] for path in outputs]
    for name, given in (("bits", bits is not None), ("channelized", channelized)):
        if given and not any(voltages):
            raise ValueError(f"{name}: is for voltages, into x.vdif; {outputs[0]} holds means")
    for name, value, usual in (("products", products, "power"), ("interval", interval, INTERVAL),
                               ("average", average, 1)):
        if value != usual and all(voltages):
            raise ValueError(f"{name}: {value}: is for means; {outputs[0]} holds voltages")


def _check_interval(interval, described, means):
    obs = described.obs
    shortest = described.sizes.points / obs.sample_rate
    if means and not shortest <= interval <= LONGEST:
        raise ValueError(f"interval: {interval:g}: must be {shortest:g} s at least, the length of "
                         f"a spectrum of {obs.channels} channels, and {LONGEST:g} s at most")
    if not obs.has_start_time:
        raise ValueError("start_time: nothing says when the recording began; give start_time=UTC")


def _end(flowgraph, stopped):
    """The sinks write what they hold. Raises why the files are not whole. stopped: the signal that
    ended the data, or False."""
    if not flowgraph.failure():
        for sink in flowgraph.sinks:
            sink.finish()
    if flowgraph.source.error():
        raise ValueError(flowgraph.source.error())
    why = flowgraph.failure()
    if why:
        raise RuntimeError(why)
    for sink in flowgraph.sinks:
        if not sink.written:
            raise (interrupted("nothing was written", stopped) if stopped else
                   ValueError(f"the recording holds no {sink.LEAST}"))


def _named(failed, files):
    """An error in words that name the files, and say what became of them."""
    partial = [path for path in map(fp.partial_path, files) if os.path.exists(path)]
    kept = (f"what was written until then is in {', '.join(partial)}" if partial else
            "nothing was kept")
    if isinstance(failed, ValueError):
        return ValueError(f"{failed}; {kept}")
    why = getattr(failed, "strerror", None) or failed
    return RuntimeError(f"{', '.join(files)}: {why}; {kept}")


def warnings_of(described, flowgraph):
    """Sentences on directions and settings that are hardly meant, and on what is lost."""
    obs, axes = described.obs, flowgraph.axes
    turned = [axes.towards(direction, obs.start_time) for direction in axes.directions]
    smearing = flowgraph.former.smearing(obs.start_time)
    return [*described.header_notes,
            *notes(described.settings.recordings, turned, described.samples),
            *([smearing] if smearing else [])]
