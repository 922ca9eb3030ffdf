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
from .profiles import scrunched, together


def profile_figure(parts, axes, title):
    """A figure of matplotlib of pulsar_sink.parts, of beam_axes; two turns are shown."""
    from ..ground.shown_figure import shown_figure
    profile, counts = together(parts)
    bins = counts.shape[1]
    figure = shown_figure(figsize=(8, 10), dpi=100, facecolor="white")
    top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=(1, 1, 1))
    phases = (np.arange(2 * bins) + 0.5) / bins
    for plane in scrunched(profile, counts):
        top.plot(phases, np.tile(plane, 2), lw=1)
    top.set(ylabel="power", title=title)
    means = profile.sum(axis=0)
    ends = axes.frequencies[[0, -1]] + axes.width / 2 * np.array([-1, 1])
    with np.errstate(invalid="ignore", divide="ignore"):  # a channel may have no power
        relative = means / np.nanmedian(means, axis=1, keepdims=True)
    middle.imshow(np.tile(relative, (1, 2)), aspect="auto", origin="lower",
                  extent=(0, 2, *ends / 1e6), interpolation="nearest")
    middle.set(ylabel="frequency (MHz)")
    middle.ticklabel_format(axis="y", useOffset=False)
    rows = np.array([scrunched(part.profile, part.counts).sum(axis=0) for part in parts])
    bottom.pcolormesh(np.arange(2 * bins + 1) / bins,
                      np.cumsum([0, *(part.seconds for part in parts)]),
                      np.tile(rows, (1, 2)), rasterized=True)
    bottom.set(xlabel="phase (turns)", ylabel="time (s)")
    return figure


def write_picture(path, parts, axes, title, overwrite=False):
    """Draws profile_figure() as PNG, PDF or SVG."""
    ending = os.path.splitext(path)[1].lower()
    figure = profile_figure(parts, axes, title)
    with new_file(path, overwrite) as file:
        figure.savefig(file, format=ending[1:], metadata=ENDINGS[ending])
