#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Autocorrelation spectra and delay (lag) spectra."""

import numpy as np

from ..ground.colors import TITLE
from .parts import COLORS, amplitude_in_words, frequency_axis, frequency_ticks, mean_power, say
from ..radio_astronomy.delay_spectrum import delay_axis, delay_spectrum, delay_unit
from ..readers.visibilities import SPEED_OF_LIGHT


def auto_panel(panel, vis):
    i, j = vis.products
    x, x_label = frequency_axis(vis)
    autos = np.flatnonzero(i == j)
    powers = [mean_power(vis, p) for p in autos]
    with np.errstate(invalid='ignore', divide='ignore'):
        levels = 10 * np.log10(np.array(powers))
    levels[~np.isfinite(levels)] = np.nan
    silent = np.isnan(levels).all(axis=1)
    if silent.all():
        say(panel, 'Autocorrelations', 'the file has none with data')
        return
    few = len(levels) <= len(COLORS)
    for k, row in enumerate(levels):
        if few:
            panel.plot(x, row, color=COLORS[k], lw=1.1, label=vis.input_name(k))
        else:
            panel.plot(x, row, color=COLORS[0], lw=0.7,
                       alpha=float(np.clip(8 / len(levels), 0.08, 0.5)))
    title = 'Autocorrelations'
    if few:
        longest = max(len(vis.input_name(k)) for k in range(len(levels)))
        panel.legend(title='input', frameon=False,
                     ncol=2 if len(levels) > 3 and longest < 16 else 1)
    else:
        there = np.isfinite(levels).any(axis=0)  # some channels may be flagged in all
        median = np.nanmedian(levels[~silent][:, there], axis=0)
        panel.plot(x[there], median, color='black', lw=1.5, label='median')
        panel.plot([], [], color=COLORS[0], lw=0.8, label=f'{len(levels)} inputs')
        panel.legend(frameon=False)
    if silent.any():
        title += f', {silent.sum()} silent'
    low, high = np.nanpercentile(levels, [0.5, 99.8])
    room = max(1.0, 0.15 * (high - low))
    panel.set_ylim(low - room, high + 2 * room)
    panel.set_title(title, **TITLE)
    frequency_ticks(panel, x_label)
    panel.set_ylabel(f'{amplitude_in_words(vis, False)} (dB)')
    panel.margins(x=0)
    panel.grid(color='0.9')


def delay_panel(panel, vis, fringes):
    """Amplitude against delay: the Fourier transform of the fringes over frequency."""
    name = 'Delay (lag) spectra'
    if vis.frequencies is None or len(vis.frequencies) < 4:
        say(panel, name, 'the frequencies of the channels are not known'
             if vis.frequencies is None else 'too few channels')
        return
    if not fringes.pairs:
        say(panel, name, 'one input has no baseline')
        return
    rows = fringes.values[:, fringes.values.shape[1] // 2]
    alive = np.flatnonzero(np.nan_to_num(np.abs(rows)).sum(axis=1) > 0)
    if len(alive) == 0:
        say(panel, name, 'every baseline is flagged')
        return
    shown = alive[np.linspace(0, len(alive) - 1, min(5, len(alive))).round().astype(int)]
    channels, step = len(vis.frequencies), float(np.median(np.diff(vis.frequencies)))
    # The peak is at (r_i - r_j).s/c: how much later j hears than i.
    delays, step = delay_axis(channels, step), abs(step)
    lags = np.array([delay_spectrum(row, channels) for row in rows[shown]])
    reach = 12 / (channels * step)
    if fringes.has_lengths:
        reach += 2 * fringes.lengths[shown].max() / SPEED_OF_LIGHT
    reach = min(reach, 0.5 / step)
    scale, unit = delay_unit(reach)
    inside = np.abs(delays) <= reach
    height = 0.62 * lags[:, inside].max()
    for k, row in enumerate(lags[:, inside]):
        # One above the other, so that none hides another.
        base = (len(shown) - 1 - k) * height
        color = COLORS[k]
        panel.fill_between(delays[inside] * scale, base, base + row, color=color, alpha=0.25,
                           lw=0, zorder=2 * k)
        panel.plot(delays[inside] * scale, base + row, color=color, lw=1.2, zorder=2 * k + 1)
        label = fringes.label(vis, shown[k])
        if fringes.has_lengths:
            label += f'  {fringes.lengths[shown[k]]:.3g} m'
        panel.text(0.985, base + 0.14 * height, label, color=color, ha='right', va='bottom',
                   fontsize=9, transform=panel.get_yaxis_transform(), zorder=99,
                   bbox=dict(facecolor='white', alpha=0.75, lw=0, pad=1))
    panel.set_ylim(0, None)
    panel.set_xlim(-reach * scale, reach * scale)
    panel.axvline(0, color='0.8', lw=0.8, zorder=0)
    panel.set_title(name + ('' if len(shown) == len(fringes.pairs)
                            else f', {len(shown)} of the baselines'), **TITLE)
    after = ', beyond the phase center\u2019s' if vis.uvw is not None else ''
    panel.set_xlabel(f'delay of the second input{after} ({unit})')
    what = amplitude_in_words(vis, fringes.unit == 'coefficient')
    panel.set_ylabel(what + (', shifted for clarity' if len(shown) > 1 else ''))
    panel.grid(axis='x', color='0.92')
