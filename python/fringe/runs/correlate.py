#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""correlate(): recordings to visibility files through the flowgraph of the module's blocks."""
import dataclasses
import math
import os
import time

from gnuradio import gr

from .. import fringe_python as fp
from ..observing import item_sizes
from ..ground.arguments import with_options
from ..chains.fx_correlator import fx_correlator
from ..chains.several_gpus import names_of
from ..images.outputs import ENDINGS
from ..receiving.live import live_packets
from ..observing.levels import corrections_of, requantize_gains
from ..observing.phase_centers import (observations_towards, paths_towards, satellites_of,
                                       tracking_of, warnings)
from ..ground.losses import sentences
from ..ground.new_file import remembers_what_it_reads
from .outputs import (flagged_sentence, flagged_spectra_sentence, image_sentences, output_options,
                      write_dumps)
from ..observing.plausible import notes as notes_on
from ..receiving.recorded_spectra import recorded_spectra
from ..observing.recording_names import absolute
from ..chains.spectra_correlator import spectra_correlator
from ..observing.settings import check_outputs, check_recordings, observation_for
from ..ground.stop_signals import count_stops
from ..ground.waiting import interrupted, wait


#: Causes for which samples are left out.
LEFT_OUT = ("missing", "invalid", "late", "garbled", "dropped")


@dataclasses.dataclass
class totals:
    """What a correlation came to."""
    samples: int  #: samples of every input read
    seconds: float  #: time span of the samples
    dumps: int  #: dumps written
    losses: dict  #: cause -> [input] samples that are no good; see CAUSES
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
        return (f"{self.samples} {_what(self.values)} of every input read, {self.seconds:.6g} s, "
                f"{self.dumps} dump{'' if self.dumps == 1 else 's'} written, "
                f"{self.samples_lost} samples lost, "
                f"{self.real_time_factor:.3g} times real time on the "
                f"{self.where}")

    @property
    def where(self):
        """What the stages ran on, in words."""
        if len(self.gpus) > 1:
            return f"{len(self.gpus)} GPUs"
        return "GPU" if self.backend.startswith("cuda") else "CPU"


class dumps_to_files(gr.top_block):
    """A flowgraph that makes dumps and writes them. Who inherits has the attributes

    source: something like a file_source
    correlators: the blocks whose outputs are the dumps, one for each phase centre, and
        correlator, the first of them
    encoding, options, satellites: of the samples, of outputs.output_options, of each centre

    and losses(obs), samples that are no good, cause -> [input]."""

    rate = None  #: samples, or spectra, a second; None: the observation's
    values = 1  #: of every input, in a sample: the channels, where spectra come in
    real_time = False  #: the data do not wait for what is made of them

    def write_to(self, outputs, observations, overwrite=False, history="", images=None):
        """Adds the files of visibilities and of images, [observation][path]; ValueError where one
        cannot be made."""
        for correlator_, paths, pictures, obs, satellite in zip(
                self.correlators, outputs, images or [()] * len(outputs), observations,
                self.satellites):
            sinks, imaging, flagger = write_dumps(
                self, correlator_, obs, self.encoding, paths, self.options, overwrite, history,
                satellite, pictures, self.real_time)
            self.options = dataclasses.replace(self.options, web="")  # the first centre has it
            self.imaging += imaging
            for sink in sinks:
                sink.set_last_words(lambda obs=obs: last_words(self, obs))
            self.sinks += sinks
            self.flaggers.append(flagger)

    @property
    def image_sinks(self):
        """The blocks that write images."""
        return [sink for _, sink in self.imaging]

    def flagged(self):
        """Sentences on what was taken for RFI; none where nothing looked for it."""
        looked = [one.flagger for one in self.correlators if one.flagger]
        lines = [flagged_spectra_sentence(looked), *map(flagged_sentence, self.flaggers)]
        return [sentence for sentence in lines if sentence]


class correlator(dumps_to_files):
    """The flowgraph: file_source, an fx_correlator for each of `observations` (they differ in
    their phase centres), and by write_to() a visibility_sink for each output.

    satellites: the table that each of `observations` follows, or "" for its phase centre.
    times: which samples of the files belong together, see settings.observation_for();
    reading: file_source's start_samples, samples, prefer and allow_gaps;
    cores_read: on a CPU all cores read the recordings, and the source is in no flowgraph;
    gains: of the requantiser, [input]; None: as the first samples say, of recordings or of
        packets;
    live: packets instead of recordings, see live.live_packets, or recorded_spectra."""

    def __init__(self, paths, observations, encoding, times, reading, backend="auto",
                 gains_path=None, options=output_options(), satellites=None, cores_read=True,
                 remove_mean=False, live=None, gains=None, devices=None, split="auto"):
        gr.top_block.__init__(self, "fringe correlate", catch_exceptions=True)
        self.encoding, self.options = encoding, options
        self.satellites = satellites or [""] * len(observations)
        obs = observations[0]
        inputs = len(obs.inputs)
        gpus = [] if devices is None else names_of(devices)
        block_spectra = live and live.block_spectra or item_sizes.spectra(
            inputs, obs.channels, backend=gpus[0] if gpus else str(fp.compute_target(backend)))
        spectra = live is not None and live.spectra
        block_samples = block_spectra if spectra else fx_correlator.block_samples(
            encoding.name, obs.channels, block_spectra)
        if not live:
            self.source = fp.file_source(
                list(paths), obs.format, inputs, block_samples, obs.sample_rate,
                obs.center_frequency, obs.start_time.iso(18) if obs.has_start_time else "",
                **reading)
        corrections = corrections_of(obs, encoding.complex_samples, gains_path)
        options.check_samples(obs, encoding, corrections, remove_mean)
        if spectra:
            live.check_spectra_options(gains_path, remove_mean, options)
            if devices is not None:
                raise ValueError("devices: packets with spectra are in channels already: run one "
                                 "process a GPU, each with the packets of some channels and "
                                 "backend cuda:0, cuda:1, ...; fringe join makes one file of "
                                 "theirs")
        self.levels = ""  # what is to be said of gains that were measured
        if gains is None and live:
            gains, self.levels = live.requantize_gains(obs, encoding, corrections)
        elif gains is None:
            gains = requantize_gains(paths, obs, times, corrections)
        self.gains = gains
        if live:  # Its addresses were those of the measurement until now.
            self.source = live.source(obs, block_samples)
        self.correlators = [
            spectra_correlator(
                inputs, obs.channels, obs.integration, obs.spectra, block_spectra,
                bits=live.bits, flag=options.spectra_search(), backend=backend)
            for _ in observations] if spectra else [
            fx_correlator.of(
                obs, encoding.name, requantize=obs.requantize, gains=gains,
                files=self.source.parts(), corrections=corrections, block_spectra=block_spectra,
                backend=backend, tracking=tracking_of(one, satellite),
                flag=options.spectra_search(),
                recording=self.source if cores_read and not live else None, remove_mean=remove_mean,
                devices=devices, split=split)
            for one, satellite in zip(observations, self.satellites)]
        self.correlator = self.correlators[0]
        self.rate = live.layout.sample_rate if spectra else obs.sample_rate
        self.values = obs.channels if spectra else 1
        for one in self.correlators:
            if not one.reads:
                self.connect(self.source, one)
        self.real_time = live is not None and live.real_time
        self.sinks, self.imaging, self.flaggers = [], [], []

    def losses(self, obs):
        """Samples that are no good, cause -> [input]."""
        of_streams = self.source.losses()
        losses = {cause: [counts[one.stream] for one in obs.inputs]
                  for cause, counts in of_streams.items()}
        return {**losses, **self.correlator.losses(), "clipped": self.correlator.saturated()}


@remembers_what_it_reads
def correlate(recordings, outputs, obs=None, *, format=None, inputs=None, sample_rate=None,
              center_frequency=None, channels=None, taps=None, window=None, integration=None,
              spectra=None, requantize=None, start_sample=(0,), samples=None, start_time=None,
              coarse_channel=None, live=None, seconds=None, prefer=None, allow_gaps=False,
              gains=None, remove_mean=False, tracking=None, phase_centers=(), backend="auto",
              devices=None, split="auto", threads=None, overwrite=False,
              history="gnuradio.fringe.runs.correlate", progress=None, tell=None, **output):
    """Correlates voltages and writes visibilities; returns the totals.

    recordings: one path, or one per receiver;  outputs: one path or several, of visibilities, or
        of images: x.fits, x_%04d.png, x.mp4 ..., see image_sink
    live: udp://HOST:PORT?preset=mwa&..., see docs/packets.md: packets instead of recordings (none
        are given then), for so many `seconds`, or until a signal comes
    obs: an observation or the path of its file; the other arguments go before what it says
    coarse_channel: of recordings that hold several (channelised DADA and GUPPI), from 0
    start_sample: first sample to read: one, counted from where the first file begins, or one for
        each file, counted in it, which are taken as simultaneous
    prefer: "header" or "settings": which goes before the other where sample_rate, start_time or
        start_sample contradict the headers of recordings; None: that is an error
    allow_gaps: reads files of which more than nine tenths are missing
    gains: file of the receivers' gains, channel by channel, see gains.read_gains()
    remove_mean: whether the running mean of each input is taken out of its samples
    tracking: whether delays and fringes are taken out in the F-engine; None: as obs says
    phase_centers: where to look, instead of what obs says, each with files of its own; see
        phase_centers.phase_center() for how to write one, or satellite=TABLE: an Earth satellite
        by a table of its positions, into .uvh5, .ACC or .LCCSPC
    devices, split: several GPUs share the work, see fx_correlator: "all" or [0, 1], instead of
        backend
    threads: as for set_threads
    history: lines for the files' history; the recordings' names and what was lost are added
    progress: called with (samples read, samples in all) a few times a second
    tell: called with each sentence on settings that are hardly meant (plausible.py), right before
        the work begins, and with what is wrong with live packets; None: the log has it
    output: what happens to dumps on their way into files: van_vleck, flag, mask,
        average_channels, products, smearing_loss, field_radius, longest_average, new_file_every,
        keep_edge, flag_dc, every, image_size, image_band,
        image_clean, web;
        see outputs.output_options

    Raises ValueError for bad input and for a damaged recording, RuntimeError when writing
    fails. What was correlated until then stays in x.partial.ms (x.partial.ACC).
    """
    recordings, outputs = _paths(recordings), _paths(outputs)
    obs = os.fspath(obs) if isinstance(obs, os.PathLike) else obs
    if bool(live) == bool(recordings):
        raise ValueError("recordings: none given" if not live else
                         f"recordings: {recordings[0]}: there are none with --live")
    if seconds is not None and not live:
        raise ValueError(f"--seconds: {seconds:g}: is for --live; --samples is for recordings")
    if not outputs:
        raise ValueError("outputs: none given; name at least one visibility file, x.ms say")
    start_sample = list(start_sample)
    given = {"format": format, "coarse_channel": coarse_channel, "inputs": inputs,
             "sample_rate": sample_rate, "center_frequency": center_frequency,
             "channels": channels, "taps": taps, "window": window, "integration": integration,
             "spectra": spectra, "requantize": requantize, "start_sample": start_sample,
             "samples": samples, "start_time": start_time, "prefer": prefer,
             "tracking": tracking}
    read = recordings + [one for one in (obs, gains) if isinstance(one, str)]
    try:
        if live or recorded_spectra.is_one_of(recordings):
            live = live_packets(live, seconds) if live else recorded_spectra(recordings)
            obs, encoding, times = live.observation(obs, given)
        else:
            obs, encoding, times = observation_for(recordings, obs, given)
            check_recordings(recordings, obs, encoding, times, samples)
        satellites = satellites_of(phase_centers, tracking) or [""]
        observations = observations_towards(obs, phase_centers)
        images = [path for path in outputs if path.lower().endswith(ENDINGS)]
        outputs = [path for path in outputs if path not in images]
        if images and any(satellites):
            raise ValueError(f"outputs: {images[0]}: there are no images around satellites; write "
                             "visibilities, and fringe image makes images of them")
        outputs, images = (paths_towards(some, observations) for some in (outputs, images))
        options = output_options(**output)
        options.check(obs)
        check_outputs([path for some in outputs for path in some], read,
                      options.new_file_every)
        complex_samples = encoding.complex_samples
        notes = dict.fromkeys(sentence for one in observations
                              for sentence in (*warnings(one, complex_samples),
                                               *options.warnings(one, complex_samples)))
        for sentence in notes:
            gr.logger("fringe_correlate").warn(sentence)
        if threads is not None:
            fp.set_threads(threads)
        reading = {"start_samples": start_sample, "samples": samples or 0,
                   "prefer": prefer or "", "allow_gaps": allow_gaps}
        flowgraph = correlator(recordings, observations, encoding, times, reading, backend,
                               gains, options, satellites, remove_mean=remove_mean, live=live,
                               devices=devices, split=split)
    except fp.device_error:
        raise
    except RuntimeError as error:  # damaged_recording
        raise ValueError(str(error)) from None
    history += f"\nreceived {live}" if not recordings else (
        "\nread " + ", ".join(map(absolute, recordings)))
    history += f"\n{flowgraph.levels}" if flowgraph.levels else ""
    unlikely = [] if live else notes_on(recordings, observations,
                                        flowgraph.source.total_samples())
    header_notes = [] if live else times.notes
    history += "".join(f"\n{note}" for note in header_notes)
    history += "".join(f"\nnote: {sentence}" for sentence in unlikely)
    # A thread a block, the workers, and the writers of files.
    fp.check_threads(len(observations) * (4 + 4 * len(outputs[0])) + 2 * fp.threads() + 4)
    with count_stops() as stops:
        flowgraph.write_to(outputs, observations, overwrite, history, images)
        for sentence in unlikely:
            (tell or gr.logger("fringe_correlate").warn)(sentence)
        result = run(flowgraph, obs, progress, stops, tell)
    shared = getattr(flowgraph.correlator, "split_why", "")
    result.notes = [*header_notes, *notes, *([shared] if shared else []), *flowgraph.flagged()]
    return result


with_options(correlate, output_options)


def _paths(one_or_several):
    if isinstance(one_or_several, (str, os.PathLike)):
        one_or_several = [one_or_several]
    return [os.fspath(path) for path in one_or_several]


def run(flowgraph, obs, progress, stops, tell=None):
    """Runs a flowgraph of dumps_to_files to its end; the totals. What was `interrupted`, or
    failed (ValueError, RuntimeError), says what there is of the files."""
    began = time.monotonic()
    stopped = wait(flowgraph, progress, stops, tell)
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


def last_words(flowgraph, obs):
    """What became of the samples, for the end of a file's history."""
    samples = flowgraph.source.samples_read()
    lines = sentences(flowgraph.losses(obs), samples * flowgraph.values) or ["no samples lost"]
    return "\n".join([f"{samples} {_what(flowgraph.values)} of every input read", *lines,
                      *flowgraph.flagged()])


def _what(values):
    return "samples" if values == 1 else f"spectra of {values} channels"


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
