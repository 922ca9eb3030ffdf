#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""correlate(): recordings to visibility files through the flowgraph of the module's blocks."""
import os

from ..ground.new_file import remembers_what_it_reads
from ..ground.options import with_options
from .describe_run import describe_run
from .run import run
from .settings import run_settings


@remembers_what_it_reads
def correlate(recordings, outputs, obs=None, *, overwrite=False,
              history="gnuradio.fringe.runs.correlate", progress=None, tell=None, **settings):
    """Correlates voltages and writes visibilities; returns the totals.

      recordings: one path, or one per receiver; none with `live`
      outputs: one path or several, of visibilities, or of images: x.fits, x_%04d.png, x.mp4 ...,
        see image_sink
      obs: an observation or the path of its file; other arguments override it
      overwrite: replaces files that are there
      history: lines for the files' history; the recordings' names and what was lost are added
      progress: called with (samples read, samples in all) a few times a second
      tell: called with each sentence on settings that are hardly meant (plausible.py), right
        before the work begins, and with what is wrong with live packets; None: the log has it

    Raises ValueError for bad input and for a damaged recording, RuntimeError when writing fails.
    What was correlated until then stays in x.partial.ms (x.partial.ACC).
    """
    outputs = _paths(outputs)
    if not outputs:
        raise ValueError("outputs: none given; name at least one visibility file, x.ms say")
    described = describe_run(run_settings(
        recordings=_paths(recordings),
        obs=os.fspath(obs) if isinstance(obs, os.PathLike) else obs, **settings))
    return run(described, outputs, overwrite, history, progress, tell)


with_options(correlate, run_settings)


def _paths(one_or_several):
    if isinstance(one_or_several, (str, os.PathLike)):
        one_or_several = [one_or_several]
    return [os.fspath(path) for path in one_or_several]
