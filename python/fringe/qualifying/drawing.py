#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Plots of a report, and a report as pages of a PDF."""
import io
import textwrap

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_pdf import PdfPages

from ..ground.shown_figure import shown_figure
from .runner import FAILED, PASSED

COLORS = {PASSED: "#1a7f37", FAILED: "#b42318"}
ROWS, COLUMNS, LINES = 4, 3, 90  # of a page


def draw_curves(axes, plotted):
    """The curves that a measurement brought."""
    for number, curve in enumerate(plotted.curves):
        x, y = np.asarray(curve.x, float), np.asarray(curve.y, float)
        style = {"linestyle": curve.style} if curve.style in ("-", "--") else {
            "linestyle": "", "marker": curve.style, "markersize": 3}
        errors = np.asarray(curve.errors, float) if len(curve.errors) == len(x) else None
        axes.errorbar(x, y, errors, color=f"C{number}", label=curve.name, **style)
    axes.set_xlabel(plotted.x_label)
    axes.set_ylabel(plotted.y_label)
    axes.set_xscale("log" if plotted.log_x else "linear")
    axes.set_yscale("log" if plotted.log_y else "linear")
    if len(plotted.curves) > 1:
        axes.legend(fontsize=6)


def draw_value(axes, result):
    """The value on a scale with what is accepted."""
    found, (low, high) = result.found, result.requirement.limit.bounds(result.found)
    value = found.value if np.isfinite(found.value) else 0.0
    ends = [end for end in (low, high) if np.isfinite(end)] + [value]
    exact = low == high  # a count, of which one value is accepted
    span = max(np.ptp(ends), 3 * found.error, 0.1 * abs(value), 3.0 if exact else 1e-12)
    left, right = min(ends) - 0.3 * span, max(ends) + 0.3 * span
    if exact:
        axes.axvline(low, color=COLORS[PASSED], alpha=0.4)
    else:
        axes.axvspan(max(low, left), min(high, right), color=COLORS[PASSED], alpha=0.2)
    axes.errorbar([value], [0], xerr=[found.error], marker="o", color=COLORS[result.verdict])
    axes.set_xlim(left, right)
    axes.set_yticks([])
    axes.set_xlabel(result.requirement.limit.unit or "value")


def draw(axes, result):
    """Whatever there is to draw of a result."""
    if result.found is None:
        axes.text(0.5, 0.5, textwrap.fill(result.why[:200], 40), ha="center", va="center",
                  transform=axes.transAxes, fontsize=6)
        axes.set_axis_off()
    elif result.found.plot is not None:
        draw_curves(axes, result.found.plot)
    else:
        draw_value(axes, result)


def svg_of(result):
    """The plot of a result, as the bytes of an SVG file."""
    has_curves = result.found is not None and result.found.plot is not None
    figure = shown_figure(figsize=(4.2, 2.6 if has_curves else 1.2), layout="constrained")
    draw(figure.subplots(), result)
    out = io.BytesIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": result.requirement.number}):
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def write_pdf(file, report, lines):
    """Pages of words, then plots with their numbers and verdicts."""
    lines = [short for line in lines for short in textwrap.wrap(line, 120) or [""]]
    with PdfPages(file) as pages:
        for first in range(0, len(lines), LINES):
            page = shown_figure(figsize=(8.27, 11.69))
            page.text(0.06, 0.97, "\n".join(lines[first:first + LINES]), va="top", fontsize=6,
                      family="monospace", parse_math=False)
            pages.savefig(page)
        for first in range(0, len(report.results), ROWS * COLUMNS):
            shown = report.results[first:first + ROWS * COLUMNS]
            page = shown_figure(figsize=(8.27, 11.69), layout="constrained")
            all_axes = page.subplots(ROWS, COLUMNS).flat
            for axes, result in zip(all_axes, shown):
                draw(axes, result)
                axes.tick_params(labelsize=6)
                title = textwrap.fill(f"{result.requirement.number} {result.requirement.text}", 38)
                axes.set_title(f"{title}\n{result.verdict}: {result.value_in_words()[:50]}",
                               fontsize=6, color=COLORS.get(result.verdict, "black"),
                               parse_math=False)
            for axes in page.axes[len(shown):]:
                axes.set_axis_off()
            pages.savefig(page)
