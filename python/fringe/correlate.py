#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""correlate(): recordings to visibility files through the flowgraph of the module's blocks."""
import dataclasses
import math
import os
import threading
import time

from gnuradio import gr

from . import fringe_python as fp
from . import item_sizes
from .fx_correlator import fx_correlator
from .settings import check_outputs, check_recordings, observation_for

# Standard deviation of each component in front of the requantiser, in steps. 4 bits: the
# optimum of a uniform quantiser of 15 levels for Gaussian noise; 8 bits: 8 sigma of headroom,
# at a quantisation noise of 0.03 %.
REQUANTIZE_SIGMA = {"8": 16.0, "4": 2.95}


class interrupted(Exception):
    """Ctrl-C: what was read until then is correlated and written."""


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

    @property
    def samples_lost(self):
        """Samples, of all inputs, that were missing or marked bad."""
        return sum(self.losses["missing"]) + sum(self.losses["invalid"])

    @property
    def real_time_factor(self):
        """Seconds of data correlated per second."""
        return self.seconds / self.elapsed if self.elapsed > 0 else math.inf

    def __str__(self):
        return (f"{self.samples} samples of every input read, {self.seconds:.6g} s, "
                f"{self.dumps} dump{'' if self.dumps == 1 else 's'} written, "
                f"{self.samples_lost} samples lost, "
                f"{self.real_time_factor:.3g} times real time on the "
                f"{'GPU' if self.backend == 'cuda' else 'CPU'}")


class correlator(gr.top_block):
    """The flowgraph: file_source, fx_correlator, and by write_to() one visibility_sink per
    output."""

    def __init__(self, paths, obs, encoding, start_sample=(0,), samples=0, backend="auto"):
        gr.top_block.__init__(self, "fringe correlate", catch_exceptions=True)
        self.encoding = encoding
        inputs = len(obs.inputs)
        block_spectra = item_sizes.spectra(inputs, obs.channels,
                                           backend=fp.backend_of(backend))
        self.source = fp.file_source(
            list(paths), obs.format, inputs,
            fx_correlator.block_samples(encoding.name, obs.channels, block_spectra),
            obs.sample_rate, obs.center_frequency,
            obs.start_time.iso(15) if obs.has_start_time else "", list(start_sample), samples)
        corrections = obs.corrections(obs.channels, encoding.complex_samples)
        self.correlator = fx_correlator(
            inputs, obs.channels, encoding.name, obs.integration, obs.spectra, obs.taps,
            obs.window, obs.requantize, requantize_gains(paths, obs, start_sample),
            self.source.parts(), obs.streams(), [bool(c) for c in obs.conjugated()],
            () if corrections is None else corrections.ravel(), block_spectra, 0, backend)
        self.connect(self.source, self.correlator)
        self.sinks = []

    def write_to(self, outputs, obs, overwrite=False, history=""):
        """Adds the visibility files; ValueError where one cannot be made."""
        self.sinks = [fp.visibility_sink(obs, path, obs.channels, self.encoding.complex_samples,
                                         0, overwrite, history) for path in outputs]
        for sink in self.sinks:
            self.connect((self.correlator, 0), (sink, 0))
            self.connect((self.correlator, 1), (sink, 1))


def requantize_gains(paths, obs, start_sample):
    """Gains [input] that bring the spectra to the requantiser's best level, from the power of
    the recording's first samples; empty without requantising."""
    sigma = REQUANTIZE_SIGMA.get(obs.requantize)
    if sigma is None:
        return []
    streams = len(obs.inputs) // len(paths)
    power = []
    for k, path in enumerate(paths):
        first = start_sample[k if len(start_sample) > 1 else 0]
        power += list(fp.recording_power(path, obs.format, streams, first))
    # The corrections divide by the receiver's gain before the requantiser sees the spectra.
    levels = (power[one.stream] / one.gain ** 2 for one in obs.inputs)
    return [sigma / math.sqrt(p / 2) if p > 0 else 1.0 for p in levels]


def correlate(recordings, outputs, obs=None, *, format=None, inputs=None, sample_rate=None,
              center_frequency=None, channels=None, taps=None, window=None, integration=None,
              spectra=None, requantize=None, start_sample=(0,), samples=None, start_time=None,
              backend="auto", threads=None, overwrite=False, history="gnuradio.fringe.correlate",
              progress=None):
    """Correlates recorded voltages and writes visibilities; returns the totals.

    recordings: one path, or one per receiver;  outputs: one path or several
    obs: an observation or the path of its file; the other arguments go before what it says
    threads: as for set_threads
    progress: called with (samples read, samples in all) a few times a second

    Raises ValueError for bad input and for a damaged recording, RuntimeError when writing
    fails. What was correlated until then stays in x.partial.ms (x.partial.ACC).
    """
    recordings, outputs = _paths(recordings), _paths(outputs)
    obs = os.fspath(obs) if isinstance(obs, os.PathLike) else obs
    if not recordings:
        raise ValueError("recordings: none given")
    if not outputs:
        raise ValueError("outputs: none given; name at least one visibility file, x.ms say")
    start_sample = list(start_sample)
    options = {"format": format, "inputs": inputs, "sample_rate": sample_rate,
               "center_frequency": center_frequency, "channels": channels, "taps": taps,
               "window": window, "integration": integration, "spectra": spectra,
               "requantize": requantize, "start_sample": start_sample,
               "samples": samples, "start_time": start_time}
    read = recordings + ([obs] if isinstance(obs, str) else [])
    try:
        obs, encoding = observation_for(recordings, obs, options)
        check_recordings(recordings, obs, encoding, start_sample, samples)
        check_outputs(outputs, read)
        if threads is not None:
            fp.set_threads(threads)
        flowgraph = correlator(recordings, obs, encoding, start_sample, samples or 0, backend)
    except fp.device_error:
        raise
    except RuntimeError as error:  # damaged_recording
        raise ValueError(str(error)) from None
    flowgraph.write_to(outputs, obs, overwrite, history)
    return _run(flowgraph, obs, progress)


def _paths(one_or_several):
    if isinstance(one_or_several, (str, os.PathLike)):
        one_or_several = [one_or_several]
    return [os.fspath(path) for path in one_or_several]


def _run(flowgraph, obs, progress):
    began = time.monotonic()
    stopped = _wait(flowgraph, progress)
    result = totals(
        samples=flowgraph.source.samples_read(),
        seconds=flowgraph.source.samples_read() / obs.sample_rate,
        dumps=min(sink.dumps() for sink in flowgraph.sinks),
        losses=_losses(flowgraph, obs),
        elapsed=time.monotonic() - began,
        backend=flowgraph.correlator.backend,
        files=[sink.path() for sink in flowgraph.sinks if sink.path()])
    error = flowgraph.source.error()
    if error:
        raise ValueError("; ".join([error, *_kept(flowgraph, error)])
                         + ("" if result.files else "; nothing was written"))
    if stopped and not result.dumps:
        raise interrupted("nothing was written")
    errors = [sink.error() for sink in flowgraph.sinks if sink.error()]
    if errors:
        raise RuntimeError("; ".join(errors + _kept(flowgraph, " ".join(errors))))
    if stopped:
        raise interrupted(f"wrote {', '.join(result.files)}: {result}")
    return result


def _losses(flowgraph, obs):
    """Samples that are no good, cause -> [input]."""
    of_streams = flowgraph.source.losses()
    losses = {cause: [of_streams[cause][one.stream] for one in obs.inputs]
              for cause in ("missing", "invalid")}
    return {**losses, **flowgraph.correlator.losses(),
            "clipped": flowgraph.correlator.saturated()}


def _kept(flowgraph, said):
    """What a run that failed leaves behind, where the error does not say it."""
    files = [(sink.path(), sink.error()) for sink in flowgraph.sinks]
    return [f"what was correlated until then is in {path}" if error else f"{path} is whole"
            for path, error in files if path and path not in said]


def _wait(flowgraph, progress):
    """Runs the flowgraph to its end; True when Ctrl-C made that end come early."""
    ended = threading.Event()

    def wait():
        flowgraph.wait()
        ended.set()

    flowgraph.start()
    # An event and not Thread.join(): interrupted, that takes the thread for ended.
    threading.Thread(target=wait, daemon=True).start()
    asked = 0
    while True:
        try:
            while not ended.wait(0.1):
                if progress:
                    progress(flowgraph.source.samples_read(), flowgraph.source.total_samples())
                if all(sink.error() for sink in flowgraph.sinks):
                    flowgraph.source.finish()  # nobody is left to write for
            return asked > 0
        except KeyboardInterrupt:
            asked += 1
            flowgraph.source.finish()
            if asked > 1:
                flowgraph.stop()
