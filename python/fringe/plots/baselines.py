#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Amplitude and phase of some baselines, against time and against frequency."""
import numpy as np

from ..ground.colors import TITLE
from .parts import (COLORS, amplitude_in_words, decibels, frequency_axis, frequency_ticks,
                    mean_power, time_axis)

#: Most baselines that are told apart by their colors.
MAX_BASELINES = 14


def baseline_panels(figure, grid, vis, pairs, in_decibels=False):
    """Four panels: amplitude and phase, of means over the channels and over the dumps.

    pairs: (product, i, j, whether to conjugate), of chosen_baselines(). Cross-correlations are
    correlation coefficients where the file has autocorrelations; an autocorrelation is a power.
    """
    if not pairs:
        raise ValueError(f'baselines: {vis.path} has one input, and no baseline')
    if len(pairs) > MAX_BASELINES:
        raise ValueError(f'baselines: {len(pairs)} baselines; at most {MAX_BASELINES} can be told '
                         'apart in one picture: name some of them')
    panels = [figure.add_subplot(grid[k // 2, k % 2]) for k in range(4)]
    coefficients = all(i != j for _, i, j, _ in pairs) and _all_autos(vis)
    when, when_label = time_axis(vis)
    f, f_label = frequency_axis(vis)
    for k, (product, i, j, turned) in enumerate(pairs):
        color, line = COLORS[k % len(COLORS)], '-' if k < len(COLORS) else '--'
        label = vis.input_name(i) + '\u2013' + vis.input_name(j)
        values, weights = _normalized(vis, product, i, j, coefficients)
        values = values.conj() if turned else values
        for axis, x, column in ((1, when, 0), (0, f, 1)):
            mean = _mean(values, weights, axis)
            if axis == 1:
                x, mean = _with_gaps(x, mean, vis.intervals)
            amplitude = decibels(abs(mean)) if in_decibels else abs(mean)
            dots = dict(marker='.', ms=4 if len(x) > 60 else 7)
            panels[column].plot(x, amplitude, lw=1.2, label=label, color=color, ls=line,
                                **(dots if len(x) < 200 else {}))
            panels[2 + column].plot(x, np.degrees(np.angle(mean)), label=label, color=color,
                                    ls='none', **dots)
    unit = amplitude_in_words(vis, coefficients)
    for panel, name in zip(panels, ('Amplitude against time', 'Amplitude against frequency',
                                    'Phase against time', 'Phase against frequency')):
        panel.set_title(name, **TITLE)
        panel.grid(color='0.9')
        panel.margins(x=0.01)
    for panel in panels[:2]:
        panel.set_ylabel(unit + (' (dB)' if in_decibels else ''))
        if not in_decibels:
            panel.set_ylim(0, None)
    for panel in panels[2:]:
        panel.set_ylabel('phase (degrees)')
        panel.set_ylim(-185, 185)
        panel.set_yticks(range(-180, 181, 60))
    longest = max(len(line.get_label()) for line in panels[0].lines)
    panels[0].legend(title='baseline', frameon=False, fontsize=8 if len(pairs) > 5 else None,
                     ncol=1 + len(pairs) // 5 if longest < 16 else 1)
    for panel in panels[::2]:
        when_label(panel)
    for panel in panels[1::2]:
        frequency_ticks(panel, f_label)


def _with_gaps(when, mean, intervals):
    """Times and values, with an empty value where dumps are missing: no line leads over it."""
    gaps = np.flatnonzero(np.diff(when) > 1.5 * np.maximum(intervals[1:], intervals[:-1])) + 1
    middle = (when[gaps - 1] + when[gaps]) / 2
    return np.insert(when, gaps, middle), np.insert(mean, gaps, np.nan)


def _all_autos(vis):
    i, j = vis.products
    weights = vis.valid_weights()[:, :, i == j]
    return len(set(i[i == j])) == len(vis.inputs) and bool((weights > 0).any())


def _mean(values, weights, axis):
    with np.errstate(invalid='ignore', divide='ignore'):
        return (weights * values).sum(axis=axis) / weights.sum(axis=axis)


def _normalized(vis, product, i, j, coefficients):
    """Values of one product [dump][channel], and their weights, 0 where flagged."""
    values = vis.data[:, :, product].astype(complex)
    weights = np.where(vis.flags[:, :, product], 0, vis.weights[:, :, product]).astype(float)
    if coefficients:
        first, second = vis.products
        power = [mean_power(vis, int(np.flatnonzero((first == k) & (second == k))[0]))
                 for k in (i, j)]
        scale = np.sqrt(np.maximum(power[0] * power[1], 0))
        good = scale > 0
        values = np.where(good, values / np.where(good, scale, 1), 0)
        weights = weights * good
    return values, weights
