#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The panels of a live_plot: what its history has, over the last seconds."""
import numpy as np

from ..ground.colors import TITLE
from .parts import COLORS, frequency_ticks, in_unit
from .rasters import raster

#: Values on the axis of time.
POINTS, ROWS = 600, 200


def draw_fringes(plot, figure):
    """Amplitude and phase against time, of a live_plot."""
    above, below = figure.subplots(2, 1, sharex=True)
    figure.subplots_adjust(left=0.1, right=0.97, top=0.93, hspace=0.12)
    if len(plot.history):
        values = plot.history.on_grid(POINTS, plot.seconds)
        when = ((np.arange(POINTS) + 0.5) / POINTS - 1) * plot.seconds
        above.plot(when, abs(values), color=COLORS[0], lw=1.3)
        above.set_ylim(0, 1.1 * (np.nanmax(abs(values), initial=0) or 1))
        below.plot(when, np.degrees(np.angle(values)), ".", color=COLORS[0], ms=3)
    above.set_ylabel(_amplitude(plot))
    below.set(ylabel="phase (degrees)", xlabel=_before(plot), ylim=(-185, 185))
    below.set_yticks(range(-180, 181, 90))
    above.set_title(f"Fringes, {plot.title}", **TITLE)
    for panel in (above, below):
        panel.grid(color="0.9")
    below.set_xlim(-plot.seconds, 0)


def draw_waterfall(plot, figure):
    """Amplitude and phase over frequency and time, of a live_plot; the newest is at the top."""
    panels = figure.subplots(1, 2)
    frequencies = plot.frequencies()
    x, label = (in_unit(frequencies) if frequencies is not None
                else (np.arange(float(plot.channels)), "channel"))
    figure.subplots_adjust(left=0.1, right=0.93, top=0.93, wspace=0.3)
    for panel, name, kind in zip(panels, (_amplitude(plot), "phase (degrees)"), (None, "phase")):
        if len(plot.history):
            rows = plot.history.on_grid(ROWS, plot.seconds)[::-1]
            shown = np.degrees(np.angle(rows)) if kind else abs(rows)
            raster(figure, panel, shown, x, kind)
            ticks = np.linspace(0, ROWS, 5)
            panel.set_yticks(ticks, [f"{t / ROWS * plot.seconds:.3g}" for t in ticks])
        panel.set_title(name, **TITLE)
        frequency_ticks(panel, label)
        panel.locator_params(axis="x", nbins=3)
    panels[0].set_ylabel(f"{plot.title}, s before {_end(plot)}")


def _amplitude(plot):
    return "correlation coefficient" if plot.normalized else "power of the samples"


def _end(plot):
    end = plot.history.end
    if end is None:
        return "the newest dump"
    return str(np.datetime64(int(1e3 * end), "ms"))[:21].replace("T", " ") + " UTC"


def _before(plot):
    if plot.history.end is None:
        return "dumps before the newest"
    return f"seconds before {_end(plot)}"
