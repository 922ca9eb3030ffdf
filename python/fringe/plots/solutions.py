#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A page of calibration solutions: delays, amplitudes and phases against time and frequency."""

import os

import numpy as np

from ..ground.colors import TITLE
from ..ground.new_file import new_file
from ..ground.words import with_unit
from ..images.texts import fit
from .page import ENDINGS
from .parts import COLORS, frequency_ticks, in_unit, time_of_day, utc_axis

#: Antennas that are told apart by colors and lines; of more each has a thin line.
MAX_NAMED = 14
#: Marks of the first and the second polarization.
MARKS, LINES = ("o", "s"), ("-", "--")
#: Letters of names of antennas that have room along the whole page.
LETTERS = 200
#: Inches of a row of panels, and of the page around them.
ROW, AROUND = 3.1, 1.9
#: Degrees up to which phases are shown as large as they are, not on an axis of a whole turn.
SMALL = 60
#: Points of a curve that have marks and errors of their own.
MAX_MARKED = 300


def plot_solutions(found, path, name, antennas=None):
    """Draws the page of solutions_figure(), PNG, PDF or SVG by its ending, and returns its path.

    Raises ValueError where it cannot be written.
    """
    figure = solutions_figure(found, name, antennas)
    ending = os.path.splitext(os.fspath(path))[1].lower()
    try:
        with new_file(path, overwrite=True) as file:
            figure.savefig(file, format=ending[1:], metadata=ENDINGS[ending])
    except OSError as error:
        raise ValueError(f"{path}: the page cannot be written: {error.strerror}") from None
    return path


def solutions_figure(found, name, antennas=None):
    """`solutions` as a figure of matplotlib.

    A term has a row of panels for each axis along which it changes; of one value an antenna, the
    antennas are the axis. Bars are standard errors; what is flagged is left out.

    name: above the page; antennas: names of those to draw, None: all. Raises ValueError for a name
    that is not there.
    """
    from ..ground.shown_figure import shown_figure

    chosen = _chosen(found, antennas)
    rows = [(term, axis) for term in found.terms for axis in _axes(term)]
    height = AROUND + ROW * len(rows)
    figure = shown_figure(figsize=(16, height), dpi=100, facecolor="white")
    grid = figure.add_gridspec(len(rows), 2, left=0.062, right=0.975, top=1 - 0.85 / height,
                               bottom=0.95 / height, wspace=0.16, hspace=0.42)
    for number, (term, axis) in enumerate(rows):
        quantities = _quantities(term)
        cells = grid[number, :], None
        if len(quantities) == 2:
            cells = grid[number, 0], grid[number, 1]
        for cell, quantity in zip(cells, quantities):
            _panel(figure.add_subplot(cell), found, term, axis, quantity, chosen)
    curves = next((panel for panel in figure.axes if panel.get_xlabel() != "antenna"), None)
    if curves:
        figure.legend(*curves.get_legend_handles_labels(), frameon=False, fontsize=8, ncol=10,
                      loc="center right", bbox_to_anchor=(0.98, 1 - 0.33 / height))
    fit(figure, figure.text(0.012, 1 - 0.35 / height, name, fontsize=17, fontweight="bold",
                            va="center"), 0.988 - 0.68 * bool(curves))
    fit(figure, figure.text(0.012, 0.3 / height, _footer(found), fontsize=10, color="0.25",
                            va="center"), 0.988)
    return figure


def _chosen(found, antennas):
    missing = [name for name in antennas or () if name not in found.antennas]
    if missing:
        raise ValueError(f"antennas: {missing[0]}: has no solutions; there are "
                         + ", ".join(found.antennas))
    return [found.antennas.index(name) for name in antennas or found.antennas]


def _axes(term):
    """Along which it is drawn."""
    long = [axis for axis, count in (("time", len(term.times)),
                                     ("frequency", len(term.frequencies))) if count > 1]
    return long or ["antenna"]


def _quantities(term):
    """(what it is, values, errors) of each panel, [T][F][antenna][polarization], NaN if flagged."""
    values = np.where(term.flags, np.nan, term.values)
    if term.is_delay:
        return [("delay (ns)", 1e9 * values, 1e9 * term.errors)]
    size = np.abs(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        turned = term.errors / size if term.phase_errors is None else term.phase_errors
    phase = "phase (degrees)", np.degrees(np.angle(values)), np.degrees(turned)
    if term.kind == "D":
        return [("leakage (%)", 100 * size, 100 * term.errors), phase]
    return [("amplitude", size, term.errors), phase]


def _panel(panel, found, term, axis, quantity, chosen):
    label, values, errors = quantity
    hands = found.polarizations
    times, frequencies = len(term.times) // 2, len(term.frequencies) // 2
    title = f"{term.kind}: {term.name}"
    if axis == "time":
        whole = np.floor(term.times).astype(np.int64)
        x, decorate = utc_axis(whole, term.times - whole)
        values, errors = values[:, frequencies], errors[:, frequencies]
        if len(term.frequencies) > 1:
            title += f", at {with_unit(term.frequencies[frequencies], 'Hz')}"
    elif axis == "frequency":
        x, x_label = in_unit(term.frequencies)
        values, errors = values[times], errors[times]
        if len(term.times) > 1:
            title += f", at {time_of_day(term.times[times] % 86400, 0)} UTC"
    else:
        x, values, errors = np.arange(len(chosen)), values[0, 0, chosen], errors[0, 0, chosen]
    flagged = term.flags[:, :, chosen].mean()
    title += f", {100 * flagged:.3g} % flagged" if flagged else ""
    panel.set_title(title, **TITLE)
    panel.set_ylabel(label)
    panel.grid(color="0.9")
    if label.startswith("phase") and np.abs(np.nan_to_num(values)).max() > SMALL:
        panel.set_ylim(-190, 190)
        panel.set_yticks(range(-180, 181, 60))
    if axis == "antenna":
        _antennas(panel, x, values, errors, hands, [found.antennas[k] for k in chosen])
        return
    for number, antenna in enumerate(chosen):
        for p, hand in enumerate(hands):
            _curve(panel, x, values[:, antenna, p], errors[:, antenna, p], number, p,
                   len(chosen), f"{found.antennas[antenna]} {hand}")
    panel.margins(x=0.02)
    if axis == "time":
        decorate(panel)
    else:
        frequency_ticks(panel, x_label)


def _antennas(panel, x, values, errors, hands, names):
    for p, hand in enumerate(hands):
        panel.errorbar(x + 0.1 * p, values[:, p], errors[:, p], fmt=MARKS[p], ms=5, capsize=2,
                       color=COLORS[p], label=hand)
    letters = LETTERS * panel.get_position().width
    step = 1 + int(len(x) * (2 + max(map(len, names))) / letters)
    panel.set_xticks(x[::step], names[::step])
    panel.set_xlabel("antenna")
    panel.legend(frameon=False, fontsize=8, ncol=2, loc="lower right", bbox_to_anchor=(1, 1))


def _curve(panel, x, values, errors, number, hand, count, label):
    """Phases have no line, which would lead over 180 degrees."""
    line = "none" if panel.get_ylabel().startswith("phase") else LINES[hand]
    if count > MAX_NAMED:
        panel.plot(x, values, color=COLORS[hand], lw=0.6, ls=line, marker=".", ms=3,
                   label="_" if number else f"{count} antennas, {label.rpartition(' ')[2]}",
                   alpha=float(np.clip(8 / count, 0.1, 0.6)))
        return
    color, full = COLORS[number % len(COLORS)], number < len(COLORS)
    panel.errorbar(x, values, errors, marker=MARKS[hand], ls=line, lw=0.7, capsize=2,
                   ms=4 if len(x) < 60 else 2, color=color, mfc=color if full else "white",
                   elinewidth=0.8, label=label, errorevery=1 + len(x) // MAX_MARKED)


def _footer(found):
    known = [found.made, f"model: {found.model}" if found.model else "",
             f"reference {found.reference}" if found.reference else "",
             ", ".join(f"{name} {flux:.4g} \u00b1 {error:.2g}"
                       for name, (flux, error) in found.flux.items())]
    return "   |   ".join(part for part in known if part)
