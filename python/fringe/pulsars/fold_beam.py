#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fold_beam(): recordings to the profile of a pulsar."""
import os

import numpy as np

from .. import fringe_python as fp
from ..beams.form_beams import SETTINGS, beam_flowgraph, warnings_of
from ..ground.losses import sentences
from ..ground.new_file import check_new_file, remembers_what_it_reads
from ..ground.stop_signals import count_stops
from ..ground.streams import failure
from ..ground.waiting import interrupted, wait
from ..observing.pulse_phases import frequency
from ..observing.settings import check_outputs
from ..plots.page import ENDINGS
from ..runs.describe_run import describe_run
from ..runs.settings import run_settings
from .profile_picture import write_picture
from .profiles import scrunched, together
from .psrfits_fold import write_psrfits
from .pulsar_sink import pulsar_sink

MAX_BINS = 65536


def _check(outputs, period, predictions, dm, bins, seconds):
    for path in outputs:
        if os.path.splitext(path)[1].lower() not in (".fits", *ENDINGS):
            raise ValueError(f"output: {path}: profiles are written to files that end with .fits, "
                             + ", ".join(ENDINGS))
    if (period is None) == (predictions is None):
        raise ValueError("period: give either it or predictions (a polyco file)")
    if dm is not None and not 0 <= dm < 1e5:
        raise ValueError(f"dm: {dm:g}: must be 0 to 100,000 pc / cm^3")
    if not 4 <= bins <= MAX_BINS:
        raise ValueError(f"bins: {bins}: must be 4 to {MAX_BINS}")
    if not seconds > 0:
        raise ValueError(f"seconds: {seconds:g}: must be positive")


def _check_signal(axes, phase, start, dm, seconds):
    """Refuses what spectra of this width, at these frequencies, do not show."""
    try:
        period, spectrum = 1 / frequency(phase, start), 1 / axes.width
    except RuntimeError as error:  # predictions for another time
        raise ValueError(str(error)) from None
    if not period >= 2 * spectrum:
        raise ValueError(f"period: {period:g} s: must be {2 * spectrum:g} s at least, two spectra "
                         f"of {len(axes.frequencies)} channels")
    if not seconds >= period:
        raise ValueError(f"seconds: {seconds:g}: must be {period:g} at least, the period")
    lowest = axes.frequencies.min()
    if dm > 0 and not lowest > axes.width / 2:
        raise ValueError(f"dm: {dm:g}: the lowest channel, at {lowest:g} Hz, must lie above half "
                         f"of its width, {axes.width / 2:g} Hz: dispersion has no end at 0 Hz")


@remembers_what_it_reads
def fold_beam(recordings, outputs, direction, obs=None, *, dm=None, period=None, predictions=None,
              bins=128, seconds=10.0, coherent=True, passband=1.0, overwrite=False, progress=None,
              **settings):
    """Forms a beam of a recording, takes dispersion out, and folds its power; returns lines of text
    on what was done.

      recordings, obs, settings: as for form_beams()
      outputs: x.fits (PSRFITS, fold mode), x.png, x.pdf, x.svg
      dm: pc / cm^3; None: that of the predictions
      period: seconds, phase 0 being at 1970-01-01 UTC; or predictions: the path of a polyco.dat
      bins: of a turn; seconds: of a sub-integration
      coherent: False leaves the dispersion within the channels; passband: the share of a channel
      that is kept, see coherent_dedisperser

    Raises ValueError for bad input, RuntimeError when writing fails, interrupted after a signal.
    """
    unknown = sorted(settings.keys() - SETTINGS)
    if unknown:
        raise TypeError(f"fold_beam() has no setting {', '.join(unknown)}")
    _check(outputs, period, predictions, dm, bins, seconds)
    if not 0.1 <= passband <= 1:
        raise ValueError(f"passband: {passband:g}: must be 0.1 to 1")
    described = describe_run(run_settings(recordings=list(recordings), obs=obs, **settings))
    if described.live:
        raise ValueError("recordings: beams are formed of recorded samples")
    obs = described.obs
    if not obs.has_start_time:
        raise ValueError("start_time: nothing says when the recording began; give start_time=UTC")
    phase = (fp.pulse_phase.from_polyco(predictions) if predictions else
             fp.pulse_phase.from_period(period))
    dm = phase.dispersion if dm is None else dm
    if described.settings.threads is not None:
        fp.set_threads(described.settings.threads)
    check_outputs(outputs, described.settings.files_read)
    for path in outputs:
        check_new_file(path, overwrite)
    flowgraph = beam_flowgraph(described, [direction], "voltages", 0, 1, [])
    flowgraph.axes.products, flowgraph.axes.dispersion = "power", dm if coherent else 0.0
    axes = flowgraph.axes
    _check_signal(axes, phase, obs.start_time, dm, seconds)
    warnings = warnings_of(described, flowgraph)
    sink = pulsar_sink((obs.channels, axes.beams, described.sizes.block_spectra), axes.frequencies,
                       dm, phase, bins, seconds, coherent, passband, 0.5 / obs.sample_rate,
                       described.settings.backend)
    flowgraph.connect(flowgraph.source, flowgraph.unpack, flowgraph.channelizer, flowgraph.former,
                      sink)
    flowgraph.sinks = [sink]
    with count_stops() as stops:
        stopped = wait(flowgraph, progress, stops)
    why = flowgraph.source.error() or sink.error() or failure(flowgraph.former)
    if why:
        raise ValueError(why)
    sink.finish()
    if not sink.parts:
        if stopped:
            raise interrupted("nothing was written", stops.number)
        raise ValueError("the recording is shorter than the filter that takes the dispersion out"
                         if sink.takes_out() else "the recording holds no spectrum")
    lines = _written(outputs, axes, sink, phase, dm, overwrite)
    lines += [f"note: {sentence}" for sentence in warnings]
    lines += sentences(flowgraph.losses(obs), flowgraph.source.samples_read())
    if stopped:
        raise interrupted("; ".join(lines), stops.number)
    return lines


def _written(outputs, axes, sink, phase, dm, overwrite):
    direction, period = axes.directions[0], 1 / frequency(phase, sink.parts[0].start)
    for path in outputs:
        if path.lower().endswith(".fits"):
            write_psrfits(path, axes, 0, sink.parts, phase, dm, overwrite)
        else:
            write_picture(path, sink.parts, axes,
                          f"{direction}, {period:.9g} s, DM {dm:g}", overwrite)
    total = scrunched(*together(sink.parts)).sum(axis=0)
    empty = np.count_nonzero(np.isnan(total))
    noise = 1.4826 * np.nanmedian(np.abs(total - np.nanmedian(total)))
    peak = (np.nanmax(total) - np.nanmedian(total)) / noise if noise > 0 else np.inf
    notes = [f"note: {empty} of the {len(total)} bins got no sample; take fewer bins"] * (empty > 0)
    return [*(f"wrote {path}" for path in outputs),
            f"{sum(part.seconds for part in sink.parts):.6g} s folded at {period:.9g} s, "
            f"{len(sink.parts)} part{'' if len(sink.parts) == 1 else 's'}, {len(total)} bins; the "
            f"highest bin is {peak:.3g} times the noise of a bin above the median",
            *notes]
