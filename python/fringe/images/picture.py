#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A picture of an image: colour bar, grid of the sky, names, beam."""

import textwrap

import numpy as np

from ..colours import colour_map
from ..info import with_unit
from .angles import unit_of
from .frame import axes_towards
from .fits_file import iso
from .make import as_picture

#: Steps of the grid in degrees of declination, and of right ascension.
STEPS = np.array([30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001])


def draw_image(made, file, sources=None, reports=None, unit='', title=None, top=None):
    """Draws a `sky_image` as PNG into an open file: the first polarisation, the mean over
    groups of channels. sources: (name, l, m) to be marked; reports: of check_sources(); top: where
    the colours end; None: at the highest pixel."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    # A table of known sources stands below the sky.
    high = 13 if made.frame.all_sky and sources and len(sources) <= 12 else 9.6
    figure = Figure(figsize=(9.2, high), dpi=100, facecolor='white')
    FigureCanvasAgg(figure)
    shown = as_picture(made)
    shown.unit, shown.top = unit, top
    if made.frame.all_sky and abs(shown.axis[0]) > 0.99:
        from ..plots.sky import sky_panel
        grid = figure.add_gridspec(1, 1, left=0.10, right=0.95, top=0.90, bottom=0.10)
        sky_panel(figure, grid[0], shown, sources or [], reports)
    else:
        _field_panel(figure, made, shown, sources or [])
    figure.text(0.02, 0.965, title or made.telescope or 'Image', fontsize=15, fontweight='bold',
                va='center')
    facts = [iso(made.middle)[:19] + ' UTC' if made.has_times else 'no time',
             f'{made.duration:.4g} s', f'{with_unit(made.frequencies.mean(), "Hz")}',
             made.planes[0], f'{made.visibilities} visibilities']
    figure.text(0.02, 0.022, '   |   '.join(facts), fontsize=9.5, color='0.25', va='center')
    figure.savefig(file, format='png', metadata={'Software': 'gr-fringe'})


def _field_panel(figure, made, shown, sources):
    from matplotlib.patches import Ellipse
    panel = figure.add_axes([0.11, 0.20, 0.84, 0.72])
    values, half = shown.values, made.pixel / 2
    edges = shown.axis[0] - half, shown.axis[-1] + half
    finite = values[np.isfinite(values)]
    low, high = np.percentile(finite, [1, 99.9])
    drawn = panel.imshow(values, origin='lower', extent=(*edges, *edges), cmap=colour_map('heat'),
                         vmin=min(low, 0), vmax=shown.top or max(high, finite.max() / 2),
                         interpolation='nearest')
    panel.set_xlim(edges[1], edges[0])
    _sky_grid(panel, made, shown.axis)
    major, minor, angle = made.beam
    width = edges[1] - edges[0]
    panel.add_patch(Ellipse((edges[1] - 0.05 * width, edges[0] + 0.05 * width), minor, major,
                            angle=-np.degrees(angle), fill=False, color='white', lw=1.2))
    for name, l, m, *_ in sources:
        if edges[0] < l < edges[1] and edges[0] < m < edges[1]:
            panel.plot(l, m, 'o', ms=16, mfc='none', mec='#7FE7FF')
            panel.annotate(name, (l, m), xytext=(10, 9), textcoords='offset points',
                           color='#7FE7FF', fontsize=9, fontweight='bold')
    bar = figure.colorbar(drawn, cax=panel.inset_axes([0, -0.135, 1, 0.028]),
                          orientation='horizontal')
    bar.set_label(shown.unit)
    _, sign, beams = unit_of(minor)
    panel.set_title(f'{made.frame.name or "Field"}: {shown.kind}, beam {major * beams:.2g} x '
                    f'{minor * beams:.2g}{sign}', loc='left', fontsize=11.5)
    if shown.note:
        panel.text(0.01, 0.99, textwrap.fill(shown.note, 60), transform=panel.transAxes,
                   fontsize=7.5, color='white', va='top')


def _sky_grid(panel, made, axis):
    """Lines of right ascension and declination, and their names at the edges."""
    panel.set_xticks([])
    panel.set_yticks([])
    if made.frame.center is None:
        return
    some = axis[np.unique(np.linspace(0, len(axis) - 1, 401).astype(int))]
    l, m = np.meshgrid(some, some)
    n = np.sqrt(np.maximum(0, 1 - l * l - m * m))
    x, y, z = np.tensordot(axes_towards(*made.frame.center).T, np.stack([l, m, n]), axes=1)
    outside = l * l + m * m >= 1
    dec = np.where(outside, np.nan, np.degrees(np.arcsin(np.clip(z, -1, 1))))
    centre = np.degrees(made.frame.center[0])
    # Counted from the centre, right ascension has no jump inside a field.
    ra = np.where(outside, np.nan,
                  (np.degrees(np.arctan2(y, x)) - centre + 180) % 360 - 180 + centre)
    ra[np.abs(ra - centre) > 170] = np.nan
    span = np.nanmax(dec) - np.nanmin(dec)
    if span < 3 * STEPS[-1]:
        _offset_grid(panel, axis, made.frame.center)
        return
    step = STEPS[np.argmin(np.abs(STEPS - span / 5))]
    lines = {}
    for values, unit in ((dec, step), (ra, 1.5 * step / max(0.2, np.cos(made.frame.center[1])))):
        unit = STEPS[np.argmin(np.abs(STEPS - unit))]
        first = np.ceil(np.nanmin(values) / unit)
        levels = unit * np.arange(first, np.floor(np.nanmax(values) / unit) + 1)
        if len(levels):
            lines[unit, values is ra] = panel.contour(
                some, some, values, levels=levels, colors='white', linewidths=0.5, alpha=0.45,
                linestyles='dotted')
        _name_lines(panel, values, some, levels, values is ra)
    panel.set_xlabel('right ascension', labelpad=16)
    panel.set_ylabel('declination', labelpad=36)


def _offset_grid(panel, axis, center):
    """Offsets from the centre, where lines of round right ascension would be too few."""
    name, _, many = unit_of(axis[-1] / 2)
    name = {'uas': '\u00b5as'}.get(name, name)
    end = axis[-1] * many
    step = 10**np.floor(np.log10(end / 2))
    step *= max(k for k in (1, 2, 5) if 2 * k * step <= end)
    ticks = step * np.arange(-int(end / step), int(end / step) + 1)
    for set_ticks in (panel.set_xticks, panel.set_yticks):
        set_ticks(ticks / many, [f'{tick:.6g}' for tick in ticks], fontsize=8)
    panel.grid(color='white', lw=0.5, alpha=0.45, ls='dotted')
    ra, dec = np.degrees(center)
    panel.set_xlabel(f'to the east of {_hours(ra)}, {name}')
    panel.set_ylabel(f'to the north of {dec:+.4f}\u00b0, {name}')


def _name_lines(panel, values, axis, levels, along_bottom):
    """Each line's value where it meets the lower or the left edge (east is left)."""
    edge = values[0] if along_bottom else values[:, -1]
    for level in levels:
        sides = np.flatnonzero((edge[:-1] - level) * (edge[1:] - level) <= 0)
        if not len(sides):
            continue
        k = sides[0]
        text = _hours(level) if along_bottom else f'{level:+.4g}\u00b0'
        if along_bottom:
            panel.annotate(text, (axis[k], axis[0]), xytext=(0, -5), textcoords='offset points',
                           ha='center', va='top', fontsize=8, annotation_clip=False)
        else:
            panel.annotate(text, (axis[-1], axis[k]), xytext=(-4, 0),
                           textcoords='offset points', ha='right', va='center', fontsize=8,
                           annotation_clip=False)


def _hours(degrees):
    seconds = int(round(degrees % 360 * 240)) % 86400
    text = f'{seconds // 3600}h{seconds // 60 % 60:02}m'
    return text + (f'{seconds % 60:02}s' if seconds % 60 else '')
