#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""run(): a described run to visibility files, and what it came to."""
import dataclasses
import math
import time

from gnuradio import gr

from .. import fringe_python as fp
from ..ground.losses import sentences
from ..ground.stop_signals import count_stops
from ..ground.waiting import interrupted, wait
from ..ground.words import as_html
from ..images.texts import ENDINGS
from ..observing.phase_centers import paths_towards
from ..observing.settings import check_outputs
from ..operating.fill_meter import fill_meter
from .flowgraph import correlator, what_is_read
from .outputs import image_sentences


#: Causes for which samples are left out.
LEFT_OUT = ("missing", "invalid", "late", "garbled", "dropped")


@dataclasses.dataclass
class totals:
    """What a correlation came to."""
    samples: int  #: samples of every input read
    seconds: float  #: time span of the samples
    dumps: int  #: dumps written
    losses: dict  #: cause -> [input] unusable samples; see CAUSES
    elapsed: float  #: seconds it took
    files: list  #: what was written
    backend: str = "cpu"  #: what the stages ran on
    gpus: list = ()  #: those that shared the work, where it was several
    notes: list = ()  #: what a user should know about the observation
    images: list = ()  #: sentences on the files of images
    values: int = 1  #: of every input, in a sample: the channels, where spectra were read

    @property
    def samples_lost(self):
        """Samples, of all inputs, that were missing or marked bad."""
        return sum(sum(self.losses.get(cause, ())) for cause in LEFT_OUT)

    @property
    def real_time_factor(self):
        """Seconds of data correlated per second."""
        return self.seconds / self.elapsed if self.elapsed > 0 else math.inf

    def __str__(self):
        return (f"{self.samples} {what_is_read(self.values)} of every input read, "
                f"{self.seconds:.6g} s, {self.dumps} dump{'' if self.dumps == 1 else 's'} written, "
                f"{self.samples_lost} samples lost, "
                f"{self.real_time_factor:.3g} times real time on the "
                f"{self.where}")

    def in_words(self):
        """Lines of text: what `fringe correlate` prints."""
        return [*(f"wrote {path}" for path in self.files), *self.images, str(self),
                *(f"note: {line}" for line in self.notes),
                *sentences(self.losses, self.samples * self.values)]

    def _repr_html_(self):
        return as_html("\n".join(self.in_words()))

    @property
    def where(self):
        """What the stages ran on, in words."""
        if len(self.gpus) > 1:
            return f"{len(self.gpus)} GPUs"
        return "GPU" if self.backend.startswith("cuda") else "CPU"


def run(described, outputs, overwrite=False, history="", progress=None, tell=None, verbose=None):
    """Does a described_run, and writes its files; returns the totals.

    The arguments and errors are those of correlate(); verbose is called at the end, also after a
    signal, with the lines of a table of all metrics.
    """
    settings, observations = described.settings, described.observations
    images = [path for path in outputs if path.lower().endswith(ENDINGS)]
    visibilities = [path for path in outputs if path not in images]
    if images and any(described.satellites):
        raise ValueError(f"outputs: {images[0]}: there are no images around satellites; write "
                         "visibilities, and fringe image makes images of them")
    visibilities, images = (paths_towards(some, observations) for some in (visibilities, images))
    check_outputs([path for some in visibilities for gated in settings.gated_paths(some)
                   for path in gated], settings.files_read, settings.new_file_every)
    log = gr.logger("fringe_correlate")
    for sentence in described.warnings:
        log.warn(sentence)
    if settings.threads is not None:
        fp.set_threads(settings.threads)
    flowgraph = correlator(described)
    history += described.history() + (f"\n{flowgraph.levels}" if flowgraph.levels else "")
    # A thread a block, the workers, and the writers of files.
    fp.check_threads(len(observations) * len(settings.gated_paths([]))
                     * (4 + 4 * len(visibilities[0])) + 2 * fp.threads() + 4)
    with count_stops() as stops:
        flowgraph.write_to(visibilities, observations, overwrite, history, images)
        for sentence in described.unlikely:
            (tell or log.warn)(sentence)
        try:
            result = run_to_end(flowgraph, described.obs, progress, stops, tell, verbose)
        finally:
            flowgraph.release()
    shared = getattr(flowgraph.correlator, "split_why", "")
    result.notes = [*described.header_notes, *described.warnings, *([shared] if shared else []),
                    *flowgraph.flagged()]
    return result


def _memory(flowgraph):
    """Lines on the memory of correlators on GPUs."""
    plans = [getattr(made, "memory", None) for made in flowgraph.correlators]
    return [line for plan in plans if plan for line in plan.in_words()]


def run_to_end(flowgraph, obs, progress, stops, tell=None, verbose=None):
    """Runs a flowgraph of dumps_to_files to its end; the totals. What was `interrupted`, or
    failed (ValueError, RuntimeError), says what there is of the files."""
    began = time.monotonic()
    meter = fill_meter(flowgraph, progress) if verbose else None
    stopped = wait(flowgraph, meter or progress, stops, tell)
    if verbose:
        verbose([*_memory(flowgraph), *meter.table()])
    result = totals(
        samples=flowgraph.source.samples_read(),
        seconds=flowgraph.source.samples_read() / (flowgraph.rate or obs.sample_rate),
        dumps=(min(sink.dumps() for sink in flowgraph.sinks) if flowgraph.sinks
               else flowgraph.correlator.dumps()),
        losses=flowgraph.losses(obs),
        elapsed=time.monotonic() - began,
        backend=flowgraph.correlator.backend,
        gpus=getattr(flowgraph.correlator, "gpus", []),
        files=[path for sink in flowgraph.sinks for path in sink.files()],
        images=[line for pair in flowgraph.imaging for line in image_sentences(*pair)],
        values=flowgraph.values)
    error = flowgraph.source.error()
    if error:
        raise ValueError("; ".join([error, *_left(flowgraph, error)])
                         + ("" if result.files else "; nothing was written"))
    if stopped and not any([*(sink.dumps() for sink in flowgraph.sinks),
                            *(sink.images() for sink in flowgraph.image_sinks)]):
        raise interrupted("nothing was written", stops.number)
    for sink in flowgraph.image_sinks:
        if sink.error():
            raise RuntimeError("; ".join([sink.error(), *_left(flowgraph)]))
    if any(sink.error() for sink in flowgraph.sinks):
        raise RuntimeError("; ".join(_left(flowgraph)))
    if stopped:
        wrote = [f"wrote {', '.join(result.files)}"] * bool(result.files) + result.images
        raise interrupted(f"{'; '.join(wrote)}: {result}", stops.number)
    return result


def _left(flowgraph, cause=None):
    """What became of each output of a run that failed. `cause`: why the data ended early, which
    the sinks' own sentences begin with."""
    lines = []
    for sink in flowgraph.sinks:
        files, error = ", ".join(sink.files()), sink.error()
        if not error:
            lines.append(f"{files} {'are' if len(sink.files()) > 1 else 'is'} whole")
        elif not cause or cause not in error:
            lines.append(error)
        elif files:
            lines.append(f"what was correlated until then is in {files}")
    return lines
