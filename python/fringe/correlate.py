#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""correlate(): recordings to visibility files through the flowgraph of the module's blocks."""
import dataclasses
import math
import threading
import time

from gnuradio import gr

from . import fringe_python as fp
from .fx_correlator import fx_correlator
from .settings import observation_for

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
    samples_lost: int  #: samples of every input that were missing (gaps)
    saturated: int  #: components clipped by the requantiser, all inputs
    elapsed: float  #: seconds it took
    files: list  #: what was written

    @property
    def real_time_factor(self):
        """Seconds of data correlated per second."""
        return self.seconds / self.elapsed if self.elapsed > 0 else math.inf

    def __str__(self):
        clipped = f", {self.saturated} components clipped" if self.saturated else ""
        return (f"{self.samples} samples of every input read, {self.seconds:.6g} s, "
                f"{self.dumps} dumps written, {self.samples_lost} samples lost{clipped}, "
                f"{self.real_time_factor:.3g} times real time")


class correlator(gr.top_block):
    """The flowgraph: file_source, fx_correlator, one visibility_sink per output."""

    def __init__(self, paths, outputs, obs, start_sample=(0,), samples=0, backend="auto",
                 overwrite=False, history=""):
        gr.top_block.__init__(self, "fringe correlate", catch_exceptions=True)
        is_complex = fp.recording_format_by_name(obs.format).complex_samples
        inputs = len(obs.inputs)
        block_spectra = fp.block_spectra(inputs, obs.channels)
        self.source = fp.file_source(
            list(paths), obs.format, inputs,
            fx_correlator.block_samples(obs.format, obs.channels, block_spectra),
            obs.sample_rate, obs.center_frequency,
            obs.start_time.iso(15) if obs.has_start_time else "", list(start_sample), samples)
        points = obs.channels if is_complex else 2 * obs.channels
        if self.source.total_samples() < obs.taps * points:
            raise ValueError(
                f"--channels: {obs.channels} channels with {obs.taps} taps need at least "
                f"{obs.taps * points} samples; {paths[0]} gives "
                f"{self.source.total_samples()} from the start sample on")
        self.points = points
        corrections = obs.corrections(obs.channels, is_complex)
        self.correlator = fx_correlator(
            inputs, obs.channels, obs.format, obs.integration, obs.spectra, obs.taps, obs.window,
            obs.requantize, requantize_gains(paths, obs, start_sample), len(paths),
            obs.streams(), [bool(c) for c in obs.conjugated()],
            () if corrections is None else corrections.ravel(), block_spectra, 0, backend)
        self.sinks = [fp.visibility_sink(obs, path, obs.channels, is_complex, 0, overwrite,
                                         history) for path in outputs]
        self.connect(self.source, self.correlator)
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
              backend="auto", overwrite=False, history="gnuradio.fringe.correlate",
              progress=None):
    """Correlates recorded voltages and writes visibilities; returns the totals.

    recordings: one path, or one per receiver;  outputs: one path or several, .ms or .ACC
    obs: an observation or the path of its file; the other arguments go before what it says
    progress: called with (samples read, samples in all) a few times a second

    Raises ValueError for bad input and for a damaged recording, RuntimeError when writing
    fails. What was correlated until then stays in x.partial.ms (x.partial.ACC).
    """
    recordings = [recordings] if isinstance(recordings, str) else list(recordings)
    outputs = [outputs] if isinstance(outputs, str) else list(outputs)
    if not recordings:
        raise ValueError("recordings: none given")
    if not outputs:
        raise ValueError("outputs: none given; name at least one .ms or .ACC file")
    options = {"format": format, "inputs": inputs, "sample_rate": sample_rate,
               "center_frequency": center_frequency, "channels": channels, "taps": taps,
               "window": window, "integration": integration, "spectra": spectra,
               "requantize": requantize, "start_sample": list(start_sample),
               "samples": samples, "start_time": start_time}
    try:
        obs = observation_for(recordings, obs, options)
        flowgraph = correlator(recordings, outputs, obs, list(start_sample), samples or 0,
                               backend, overwrite, history)
    except RuntimeError as error:  # damaged_recording
        raise ValueError(str(error)) from None
    return _run(flowgraph, obs, progress)


def _run(flowgraph, obs, progress):
    began = time.monotonic()
    flowgraph.start()
    waiting = threading.Thread(target=flowgraph.wait, daemon=True)
    waiting.start()
    stopped = False
    while waiting.is_alive():
        try:
            waiting.join(0.1)
            if progress:
                progress(flowgraph.source.samples_read(), flowgraph.source.total_samples())
        except KeyboardInterrupt:
            if stopped:  # asked twice
                flowgraph.stop()
            stopped = True
            flowgraph.source.finish()
    elapsed = time.monotonic() - began

    result = totals(
        samples=flowgraph.source.samples_read(),
        seconds=flowgraph.source.samples_read() / obs.sample_rate,
        dumps=min(sink.dumps() for sink in flowgraph.sinks),
        samples_lost=flowgraph.correlator.spectra_lost() * flowgraph.points,
        saturated=sum(flowgraph.correlator.saturated()),
        elapsed=elapsed,
        files=[sink.path() for sink in flowgraph.sinks if sink.path()])
    kept = "".join(f"; what was correlated until then is in {path}" for path in result.files)
    if flowgraph.source.error():
        raise ValueError(flowgraph.source.error() + kept)
    errors = [sink.error() for sink in flowgraph.sinks if sink.error()]
    if errors:
        raise RuntimeError("; ".join(errors) + kept)
    if stopped:
        raise interrupted(str(result))
    return result
