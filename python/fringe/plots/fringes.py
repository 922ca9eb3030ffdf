#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Amplitude and phase of the fringes of every baseline, against frequency or time."""

import numpy as np

from ..ground.colors import TITLE
from ..ground.words import three_digits
from ..readers.visibilities import is_dated
from .rasters import binned, raster
from .parts import (COLORS, amplitude_in_words, decibels, frequency_axis, frequency_ticks,
                    mean_power, say, time_of_day)

#: Most rows and columns of a raster; more could not be told apart on the page.
ROWS, COLUMNS = 600, 800
#: Most baselines whose names fit beside a raster, and letters in the longest of them.
NAMED, LETTERS = 45, 15


class fringes_of:
    """Normalized visibilities of the baselines on the page, [row][channel].

    A row is a baseline, or where there are few of them one instant of a baseline.
    """

    def __init__(self, vis):
        self.pairs, self.lengths = _choose_baselines(vis)
        self.has_lengths = vis.positions is not None
        dumps = len(vis.data)
        count = len(self.pairs)
        self.instants = 1
        if 0 < count <= 30 and dumps > 3:
            self.instants = int(min(dumps, ROWS // count))
        i, j = vis.products
        product = {pair: p for p, pair in enumerate(zip(i, j))}
        at = [product[pair] for pair in self.pairs]
        data = vis.data[:, :, at]
        weights = np.where(vis.flags[:, :, at], 0, vis.weights[:, :, at])
        power = [mean_power(vis, product.get((k, k))) for k in range(len(vis.inputs))]
        # Files of other observatories have room for autocorrelations, and often none in it.
        known = all(p is not None for p in power) and any((p > 0).any() for p in power)
        self.unit = 'coefficient' if count and known else 'power'
        parts = np.array_split(np.arange(dumps), self.instants)
        with np.errstate(invalid='ignore', divide='ignore'):
            mean = np.stack([(weights[p] * data[p]).sum(0) / weights[p].sum(0)
                             for p in parts])
            if self.unit == 'coefficient':
                scale = np.stack([np.sqrt(power[a] * power[b]) for a, b in self.pairs], axis=1)
                mean = mean / np.where(scale > 0, scale, np.nan)
        #: [baseline][instant][channel]
        self.values = mean.transpose(2, 0, 1)

    def label(self, vis, k):
        a, b = self.pairs[k]
        return f'{vis.input_name(a)}\u2013{vis.input_name(b)}'


def _choose_baselines(vis):
    """Baselines for the page, (i, j), by polarization and length, and their lengths."""
    i, j = vis.products
    hands = np.array([p for _, p in vis.inputs])
    antenna = np.array([a for a, _ in vis.inputs])
    chosen = (antenna[i] != antenna[j]) & (hands[i] == hands[j])
    if not chosen.any():
        chosen = i != j
    i, j = i[chosen], j[chosen]
    if vis.positions is None:
        lengths = np.zeros(len(i))
        order = np.arange(len(i))
    else:
        lengths = np.linalg.norm(vis.positions[antenna[i]] - vis.positions[antenna[j]], axis=1)
        order = np.lexsort((lengths, hands[i]))
    if len(order) > ROWS:
        order = order[np.linspace(0, len(order) - 1, ROWS).round().astype(int)]
    return [(int(a), int(b)) for a, b in zip(i[order], j[order])], lengths[order]


def fringe_panels(figure, left, right, vis, fringes, in_decibels=False):
    panels = [figure.add_subplot(left), figure.add_subplot(right)]
    names = ['Fringe amplitude', 'Fringe phase']
    x, x_label = frequency_axis(vis)
    if not fringes.pairs:
        for panel, name in zip(panels, names):
            say(panel, name, 'one input has no baseline')
        return
    count, instants, channels = fringes.values.shape
    if count * instants <= 3:
        _fringe_curves(panels, vis, fringes, x, in_decibels)
    else:
        values = binned(fringes.values.reshape(count * instants, channels), COLUMNS)
        if in_decibels:
            raster(figure, panels[0], decibels(np.abs(values)), x, 'dB')
        else:
            raster(figure, panels[0], np.abs(values), x, None)
        raster(figure, panels[1], np.degrees(np.angle(values)), x, 'phase')
        for panel in panels:
            _baseline_axis(panel, vis, fringes)
    amplitude = amplitude_in_words(vis, fringes.unit == 'coefficient')
    unit = ' in dB' if in_decibels else ''
    panels[0].set_title(f'{names[0]} ({amplitude}{unit})', **TITLE)
    panels[1].set_title(f'{names[1]} (degrees)', **TITLE)
    for panel in panels:
        frequency_ticks(panel, x_label)


def _fringe_curves(panels, vis, fringes, x, in_decibels):
    """Amplitude and phase against frequency, for a few baselines."""
    values = fringes.values.mean(axis=1)
    for k, row in enumerate(values):
        color = COLORS[k % len(COLORS)]
        amplitude = decibels(np.abs(row)) if in_decibels else np.abs(row)
        panels[0].plot(x, amplitude, color=color, lw=1.3, label=fringes.label(vis, k))
        panels[1].plot(x, np.degrees(np.angle(row)), '.', color=color, ms=4)
    if not in_decibels:
        panels[0].set_ylim(0, None)
    panels[0].legend(title='baseline', frameon=False)
    panels[1].set_ylim(-180, 180)
    panels[1].set_yticks(range(-180, 181, 60))
    for panel in panels:
        panel.grid(color='0.9')
        panel.margins(x=0)


def _baseline_axis(panel, vis, fringes):
    """Names of the baselines where they fit, else their lengths."""
    count, instants, _ = fringes.values.shape
    if count == 1 and vis.span > 0:
        ticks = np.linspace(0, instants, 5)
        panel.set_yticks(ticks, [f'{t:.3g}' for t in ticks / instants * vis.span])
        what = 'time (s)'
        if vis.has_times and is_dated(vis.seconds):
            start = vis.seconds[0] % 86400 + vis.fractions[0] - vis.intervals[0] / 2
            what = f's after {time_of_day(start, 0)} UTC'
        panel.set_ylabel(f'{fringes.label(vis, 0)}, {what}')
        return
    names = [fringes.label(vis, k) for k in range(count)]
    if count <= 30 or (count <= NAMED and max(map(len, names)) <= LETTERS):
        by_name = count <= 6 or max(map(len, names)) <= LETTERS
        if not by_name:
            names = ['{}\u2013{}'.format(*pair) for pair in fringes.pairs]
        panel.set_yticks((np.arange(count) + 0.5) * instants, names, va='center',
                         fontsize=min(8, 225 / count), rotation=90 if count <= 6 else 0)
        panel.tick_params(axis='y', length=0)
        for k in range(1, count if instants > 1 or count <= 30 else 0):
            panel.axhline(k * instants, color='white', lw=0.8)
        panel.set_ylabel(('baseline' if by_name else 'baseline, numbers of inputs')
                         + ('; time downwards' if instants > 1 else ''))
        return
    several = len({vis.inputs[a][1] for a, _ in fringes.pairs}) > 1
    order = 'by polarization and length' if several else 'the shortest first'
    if not fringes.has_lengths:
        panel.set_ylabel(f'{count} baselines, in order of inputs')
        return
    ticks = np.linspace(0, count - 1, 7).round().astype(int)
    far = fringes.lengths.max() >= 1e4
    panel.set_yticks(ticks + 0.5, [three_digits(fringes.lengths[t] / (1000 if far else 1))
                                   for t in ticks])
    panel.set_ylabel(f'baseline length ({"km" if far else "m"}), {order}')
