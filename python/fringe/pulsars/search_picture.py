#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Pictures of searches: signal to noise over dispersion and time, or over dispersion and phase."""
import os

import numpy as np

from ..ground.colors import TITLE, color_map
from ..ground.new_file import new_file
from ..ground.words import with_unit
from ..plots.page import ENDINGS

DM = "dispersion (pc/cm$^3$)"
SNR = "signal to noise"
NAMED = 5  #: pulses whose numbers stand in the picture


def _write(figure, path, overwrite):
    ending = os.path.splitext(path)[1].lower()
    with new_file(path, overwrite) as file:
        figure.savefig(file, format=ending[1:], metadata=ENDINGS[ending])


def _title(file):
    f = file.frequencies / 1e6
    return (f"{os.path.basename(file.path)}: {len(f)} channels, {f[0]:.6g} to {f[-1]:.6g} MHz, "
            f"means of {with_unit(file.interval, 's')} from {file.start.iso(3)} UTC")


def edges_of(values):
    """Edges between values that ascend, and beyond the first and last."""
    if len(values) == 1:
        return values[0] + np.array([-0.5, 0.5])
    middles = (values[1:] + values[:-1]) / 2
    return np.concatenate([[2 * values[0] - middles[0]], middles, [2 * values[-1] - middles[-1]]])


def write_pulse_picture(path, file, drawn, pulses, threshold, overwrite=False):
    """The pulse_map `drawn` with the pulses (HITs) as circles, and their strength over time and
    dispersion."""
    from ..ground.shown_figure import shown_figure
    figure = shown_figure(figsize=(12, 8), dpi=100, facecolor="white")
    grid = figure.add_gridspec(2, 3, height_ratios=(1, 2.4), width_ratios=(4, 1, 0.08),
                               left=0.075, right=0.93, top=0.92, bottom=0.085, hspace=0.06,
                               wspace=0.06)
    main = figure.add_subplot(grid[1, 0])
    over_time = figure.add_subplot(grid[0, 0], sharex=main)
    over_dm = figure.add_subplot(grid[1, 1], sharey=main)
    finite = drawn.values[np.isfinite(drawn.values)]
    values = np.fmax.reduce(drawn.values, axis=0)
    columns = np.linspace(0, drawn.seconds, values.shape[1] + 1)
    dms = edges_of(drawn.dms)
    dms[0] = max(dms[0], 0) if len(dms) > 2 else dms[0]
    top = min(finite.max(), 3 * threshold) if len(finite) else 1
    shown = main.pcolormesh(columns, dms, values, cmap=color_map("heat"), vmin=2,
                            vmax=max(top, 3), rasterized=True)
    figure.colorbar(shown, cax=figure.add_subplot(grid[1, 2]), label=SNR, extend="both")
    times = pulses["time"] * file.interval
    main.scatter(times, pulses["dm"], s=40 + 6 * np.minimum(pulses["snr"], 60), facecolors="none",
                 edgecolors="#7db0ff", linewidths=1.4)
    main.set(xlabel="time (s)", ylabel=DM, xlim=(0, drawn.seconds), ylim=dms[[0, -1]])
    over_time.plot(times, pulses["snr"], "o", ms=4, color="#1f5fbf")
    over_dm.plot(pulses["snr"], pulses["dm"], "o", ms=4, color="#1f5fbf")
    over_time.axhline(threshold, color="0.5", lw=0.8, ls="--")
    over_dm.axvline(threshold, color="0.5", lw=0.8, ls="--")
    over_time.plot((columns[1:] + columns[:-1]) / 2, np.fmax.reduce(values, axis=0), color="0.7",
                   lw=0.8, zorder=0)
    over_dm.plot(np.fmax.reduce(values, axis=1), drawn.dms, color="0.7", lw=0.8, zorder=0)
    over_time.set(ylabel=SNR)
    over_dm.set(xlabel=SNR)
    over_time.tick_params(labelbottom=False)
    over_dm.tick_params(labelleft=False)
    over_time.set_title(_title(file), **TITLE)
    _name(figure.add_subplot(grid[0, 1:]), file, pulses)
    _write(figure, path, overwrite)


def _name(panel, file, pulses):
    """The strongest pulses in words."""
    panel.axis("off")
    order = np.argsort(-pulses["snr"])[:NAMED]
    lines = [f"{len(pulses)} pulse{'' if len(pulses) == 1 else 's'}"
             + (", the strongest:" if len(pulses) > NAMED else "")]
    lines += [f"S/N {pulses[k]['snr']:.1f}: DM {pulses[k]['dm']:.5g}, "
              f"{with_unit(pulses[k]['width'] * file.interval, 's')}" for k in order]
    panel.text(0.03, 1, "\n".join(lines), va="top", fontsize=10, transform=panel.transAxes)


def write_folded_picture(path, file, levels, found, overwrite=False):
    """Strength over dispersion, and the profile at the best one, its sum and over frequency: a row
    for each folded_search."""
    from ..ground.shown_figure import shown_figure
    figure = shown_figure(figsize=(13, 1 + 4 * len(found)), dpi=100, facecolor="white")
    height = 1 + 4 * len(found)
    panels = figure.subplots(len(found), 3, squeeze=False, gridspec_kw={
        "left": 0.06, "right": 0.985, "top": 1 - 0.75 / height, "bottom": 0.6 / height,
        "wspace": 0.24, "hspace": 0.35})
    figure.text(0.012, 1 - 0.35 / height, _title(file), fontsize=12)
    for row, result, name in zip(panels, found, file.directions):
        _folded_row(row, levels.frequencies, file.width, result, name)
    _write(figure, path, overwrite)


def best_in_words(found, sign="+-"):
    """The best dispersion of a folded_search, with its error where that is known."""
    if not np.isfinite(found.error):
        return f"{found.best:.6g}"
    digits = max(0, 1 - int(np.floor(np.log10(found.error))))
    return f"{found.best:.{digits}f} {sign} {found.error:.{digits}f}"


def _folded_row(panels, frequencies, width, found, name):
    strength, profile, channels = panels
    strength.plot(found.dms, found.snr, "-" if len(found.dms) > 1 else "o", color="#1f5fbf")
    error = found.error if np.isfinite(found.error) else 0
    strength.axvspan(found.best - error, found.best + error, color="#e06000", alpha=0.4, lw=1)
    strength.set(xlabel=DM, ylabel=SNR)
    best = best_in_words(found, r"$\pm$")
    strength.set_title(f"{best} pc/cm$^3$, S/N {found.strongest:.1f}", **TITLE)
    bins = len(found.profile)
    phases = (np.arange(2 * bins) + 0.5) / bins
    profile.plot(phases, np.tile(found.profile, 2), color="#1f5fbf", lw=1)
    profile.set(xlabel="phase (turns)", ylabel="standard deviations of a bin", xlim=(0, 2))
    profile.set_title(f"{name}  {found.period:.9g} s".strip(), **TITLE)
    ends = frequencies[0] - width / 2, frequencies[-1] + width / 2
    channels.imshow(np.tile(_rows(found.channels), (1, 2)), aspect="auto", origin="lower",
                    extent=(0, 2, ends[0] / 1e6, ends[1] / 1e6), interpolation="nearest",
                    cmap=color_map("heat"))
    channels.set(xlabel="phase (turns)", ylabel="frequency (MHz)")
    channels.set_title("at the best dispersion", **TITLE)
    channels.ticklabel_format(axis="y", useOffset=False)


def _rows(channels, limit=64):
    """Profiles of at most so many parts of the band."""
    edges = np.linspace(0, len(channels), min(limit, len(channels)) + 1).astype(int)[:-1]
    return np.add.reduceat(channels, edges, axis=0)
