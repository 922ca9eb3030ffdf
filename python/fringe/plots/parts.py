#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the panels of a page share."""

import textwrap

import numpy as np

from ..ground.colors import TITLE
from ..readers.chosen import seconds_passed
from ..readers.visibilities import is_dated

#: Okabe and Ito's colors, told apart by color-blind people too.
COLORS = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#56B4E9', '#E69F00', '#000000']


def mean_power(vis, product):
    """Mean autocorrelation [channel] of one product; None where there is nothing."""
    if product is None:
        return None
    weights = np.where(vis.flags[:, :, product], 0, vis.weights[:, :, product])
    if not weights.any():
        # A flagged input still has its own scale; its baselines are flagged anyway.
        return vis.data[:, :, product].real.mean(axis=0)
    with np.errstate(invalid='ignore', divide='ignore'):
        return (weights * vis.data[:, :, product].real).sum(0) / weights.sum(0)


def amplitude_in_words(vis, coefficients):
    """What the amplitudes of a file are."""
    if coefficients:
        return 'correlation coefficient'
    return 'flux density, Jy' if vis.unit == 'Jy' else 'power of the samples'


def decibels(powers):
    """10 log10 of powers; nothing without a power."""
    with np.errstate(invalid='ignore', divide='ignore'):
        levels = 10 * np.log10(powers)
    return np.where(np.isfinite(levels), levels, np.nan)


#: Seconds between ticks of an axis of time.
STEPS = (.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900,
         1800, 3600, 7200, 10800, 21600, 43200, 86400)


def time_axis(vis):
    """Values for an axis of time, and what labels it: UTC, or seconds where no date is known."""
    if not (vis.has_times and is_dated(vis.seconds)):
        passed = seconds_passed(vis)
        return passed, lambda panel: panel.set_xlabel('time from the start (s)')
    return utc_axis(vis.seconds, vis.fractions)


def utc_axis(seconds, fractions):
    """Seconds since the midnight before the first, and what labels such an axis with UTC."""
    midnight = int(seconds[0]) // 86400 * 86400
    date = str(np.datetime64(int(seconds[0]), 's'))[:10]

    def label(panel):
        low, high = panel.get_xlim()
        step = next((step for step in STEPS if (high - low) / step <= 6), STEPS[-1])
        ticks = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
        decimals = max(0, int(np.ceil(-np.log10(step))))
        panel.set_xticks(ticks, [time_of_day(tick, decimals) for tick in ticks])
        panel.set_xlabel(f'UTC, {date}')

    return (seconds - midnight) + fractions, label


def time_of_day(seconds, decimals):
    """Seconds since midnight as hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds, decimals), 60)
    width = 2 if decimals == 0 else 3 + decimals
    return f'{int(minutes) // 60 % 24:02}:{int(minutes) % 60:02}:{rest:0{width}.{decimals}f}'


def frequency_axis(vis):
    """Values of the frequency axis and its label."""
    if vis.frequencies is None:
        return np.arange(vis.data.shape[1], dtype=float), 'channel'
    return in_unit(vis.frequencies)


def in_unit(frequencies):
    """Frequencies in a unit that suits them, and the label of their axis."""
    unit, scale = ('GHz', 1e9) if frequencies.max() > 5e9 else ('MHz', 1e6)
    if np.abs(frequencies).max() < 1e5:
        unit, scale = 'kHz', 1e3
    known = 'sky frequency' if frequencies.min() >= 0 else 'frequency from the center'
    return frequencies / scale, f'{known} ({unit})'


def frequency_ticks(panel, label):
    """Labels the frequency axis, with few enough ticks for long numbers."""
    from matplotlib.ticker import MaxNLocator
    panel.xaxis.set_major_locator(MaxNLocator(5))
    panel.ticklabel_format(axis='x', useOffset=False)
    panel.set_xlabel(label)


def say(panel, title, sentence, letters=44):
    """An empty panel that says why it is empty, in lines of so many letters."""
    panel.set_title(title, **TITLE)
    panel.set_xticks([])
    panel.set_yticks([])
    for side in panel.spines.values():
        side.set_color('0.85')
    panel.text(0.5, 0.5, textwrap.fill(sentence, letters), ha='center', va='center', color='0.35',
               fontsize=11, transform=panel.transAxes)
