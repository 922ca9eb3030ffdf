#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The profile of a pulsar as a picture: summed, over frequency and over time."""
import os

import numpy as np

from ..ground.new_file import new_file
from ..plots.page import ENDINGS
from .profiles import scrunched


def profile_figure(parts, frequencies, title):
    """A figure of matplotlib of pulsar_sink.parts; two turns are shown."""
    from ..ground.shown_figure import shown_figure
    counts = sum(part.counts for part in parts)
    sums = sum(np.nan_to_num(part.profile) * part.counts for part in parts)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (sums / counts).sum(axis=0)
    bins = counts.shape[1]
    figure = shown_figure(figsize=(8, 10), dpi=100, facecolor="white")
    top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=(1, 1, 1))
    phases = (np.arange(2 * bins) + 0.5) / bins
    for plane in scrunched(np.stack([part.profile for part in parts]).mean(axis=0), counts):
        top.plot(phases, np.tile(plane, 2), lw=1)
    top.set(ylabel="power", title=title)
    relative = means / np.nanmedian(means, axis=1, keepdims=True)
    middle.imshow(np.tile(relative, (1, 2)), aspect="auto", origin="lower", extent=(
        0, 2, frequencies[0] / 1e6, frequencies[-1] / 1e6), interpolation="nearest")
    middle.set(ylabel="frequency (MHz)")
    rows = np.array([scrunched(part.profile, part.counts).sum(axis=0) for part in parts])
    bottom.imshow(np.tile(rows, (1, 2)), aspect="auto", origin="lower", interpolation="nearest",
                  extent=(0, 2, 0, sum(part.seconds for part in parts)))
    bottom.set(xlabel="phase (turns)", ylabel="time (s)")
    return figure


def write_picture(path, parts, frequencies, title, overwrite=False):
    """Draws profile_figure() as PNG, PDF or SVG."""
    ending = os.path.splitext(path)[1].lower()
    figure = profile_figure(parts, frequencies, title)
    with new_file(path, overwrite) as file:
        figure.savefig(file, format=ending[1:], metadata=ENDINGS[ending])
