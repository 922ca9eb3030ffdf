#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A picture of an image: colour bar, grid of the sky, names, beam."""

import textwrap

import numpy as np

from ..ground.colours import colour_map
from ..ground.words import with_unit
from .angles import unit_of
from .frame import axes_towards
from .fits_file import iso
from .make import as_picture

#: Inches: the width of a page, the sides of a field at most, and what is above and below it.
PAGE, WIDE, TALL, ABOVE, BELOW = 9.2, 7.4, 7.4, 0.77, 1.92
#: Steps of the grid in degrees of declination, and of right ascension.
STEPS = np.array([30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001])


def draw_image(made, file, sources=None, reports=None, unit='', title=None, top=None):
    """Draws a `sky_image` as PNG into an open file: the first polarisation, the mean over
    groups of channels. sources: (name, l, m) to be marked; reports: of check_sources(); top: where
    the colours end; None: at the highest pixel."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    shown = as_picture(made)
    shown.unit, shown.top = unit, top
    whole_sky = made.frame.all_sky and abs(shown.axis[0]) > 0.99
    rows, columns = made.values.shape[2:]
    high = BELOW + min(TALL, WIDE * rows / columns) + ABOVE
    if whole_sky:
        # A table of known sources stands below the sky.
        high = 13 if sources and len(sources) <= 12 else 9.6
    figure = Figure(figsize=(PAGE, high), dpi=100, facecolor='white')
    FigureCanvasAgg(figure)
    if whole_sky:
        from .sky_panel import sky_panel
        grid = figure.add_gridspec(1, 1, left=0.10, right=0.95, top=0.90, bottom=0.10)
        panel = sky_panel(figure, grid[0], shown, sources or [], reports)
        # In the corner, where there is no sky.
        _draw_beam(panel, made, 0.92, -0.92, 'black')
    else:
        _field_panel(figure, made, shown, sources or [])
    figure.text(0.02, 1 - 0.34 / high, title or made.telescope or 'Image', fontsize=15,
                fontweight='bold', va='center')
    # Images of parts of a second differ in their times, too.
    digits = 19 if made.duration >= 10 else 23
    facts = [iso(made.middle)[:digits] + ' UTC' if made.has_times else 'no time',
             f'{made.duration:.4g} s', f'{with_unit(made.frequencies.mean(), "Hz")}',
             made.planes[0], f'{made.visibilities} visibilities']
    figure.text(0.02, 0.21 / high, '   |   '.join(facts), fontsize=9.5, color='0.25', va='center')
    figure.savefig(file, format='png', metadata={'Software': 'gr-fringe'})


def _draw_beam(panel, made, l, m, colour):
    """The beam at its size on the sky, with its middle at (l, m)."""
    from matplotlib.patches import Ellipse
    major, minor, angle = made.beam
    panel.add_patch(Ellipse((l, m), minor, major, angle=-np.degrees(angle), fill=False,
                            color=colour, lw=1.2))


def _field_panel(figure, made, shown, sources):
    high = figure.get_figheight()
    panel = figure.add_axes([0.11, BELOW / high, WIDE / PAGE, 1 - (BELOW + ABOVE) / high],
                            anchor='N')
    values = made.mean()
    across, up = made.axis(), made.axis(columns=False)
    half = made.pixel / 2
    left, right, bottom, top = (across[0] - half, across[-1] + half, up[0] - half, up[-1] + half)
    finite = values[np.isfinite(values)]
    low, highest = np.percentile(finite, [1, 99.9])
    highest = shown.top or max(highest, finite.max() / 2)
    drawn = panel.imshow(values, origin='lower', extent=(left, right, bottom, top),
                         cmap=colour_map('heat'), vmin=min(low, 0), vmax=highest,
                         interpolation='nearest')
    panel.set_xlim(right, left)
    _sky_grid(panel, made, across, up)
    major, minor, _ = made.beam
    corner = 0.05 * min(right - left, top - bottom)
    _draw_beam(panel, made, right - corner, bottom + corner, 'white')
    for name, l, m, *_ in sources:
        if left < l < right and bottom < m < top:
            panel.plot(l, m, 'o', ms=16, mfc='none', mec='#7FE7FF')
            panel.annotate(name, (l, m), xytext=(10, 9), textcoords='offset points',
                           color='#7FE7FF', fontsize=9, fontweight='bold')
    bar = figure.colorbar(
        drawn, cax=figure.add_axes([0.11, (BELOW - 0.93) / high, WIDE / PAGE, 0.2 / high]),
        orientation='horizontal', extend='max' if finite.max() > highest else 'neither')
    bar.set_label(shown.unit)
    _, sign, beams = unit_of(minor)
    panel.set_title(f'{made.frame.name or "Field"}: {shown.kind}, beam {major * beams:.2g} x '
                    f'{minor * beams:.2g}{sign}', loc='left', fontsize=11.5)
    if shown.note:
        panel.text(0.01, 0.99, textwrap.fill(shown.note, 60), transform=panel.transAxes,
                   fontsize=7.5, color='white', va='top')


def _sky_grid(panel, made, across, up):
    """Lines of right ascension and declination, and their names at the edges."""
    panel.set_xticks([])
    panel.set_yticks([])
    if made.frame.center is None:
        return
    x_axis, y_axis = (axis[np.unique(np.linspace(0, len(axis) - 1, 401).astype(int))]
                      for axis in (across, up))
    l, m = np.meshgrid(x_axis, y_axis)
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
        _offset_grid(panel, across, up, made.frame.center)
        return
    longer = max(len(across), len(up))
    for values, part in ((dec, len(up) / longer), (ra, len(across) / longer)):
        # Some four lines to the longer side.
        span = np.nanmax(values) - np.nanmin(values)
        unit = next((step for step in STEPS if step <= span / max(1, 4 * part)), STEPS[-1])
        first = np.ceil(np.nanmin(values) / unit)
        levels = unit * np.arange(first, np.floor(np.nanmax(values) / unit) + 1)
        if len(levels):
            panel.contour(x_axis, y_axis, values, levels=levels, colors='white', linewidths=0.5,
                          alpha=0.45, linestyles='dotted')
        _name_lines(panel, values, x_axis, y_axis, levels, values is ra)
    panel.set_xlabel('right ascension', labelpad=16)
    panel.set_ylabel('declination', labelpad=36)


def _offset_grid(panel, across, up, center):
    """Offsets from the centre, where lines of round right ascension would be too few."""
    shorter = min(across[-1], up[-1])
    name, _, many = unit_of(shorter / 2)
    name = {'uas': '\u00b5as'}.get(name, name)
    end = shorter * many
    step = 10**np.floor(np.log10(end / 2))
    step *= max(k for k in (1, 2, 5) if 2 * k * step <= end)
    for set_ticks, axis in ((panel.set_xticks, across), (panel.set_yticks, up)):
        last = int(axis[-1] * many / step)
        ticks = step * np.arange(-last, last + 1)
        set_ticks(ticks / many, [f'{tick:.6g}' for tick in ticks], fontsize=8)
    panel.grid(color='white', lw=0.5, alpha=0.45, ls='dotted')
    ra, dec = np.degrees(center)
    panel.set_xlabel(f'to the east of {_hours(ra)}, {name}')
    panel.set_ylabel(f'to the north of {dec:+.4f}\u00b0, {name}')


def _name_lines(panel, values, across, up, levels, along_bottom):
    """Each line's value where it meets the lower or the left edge (east is left)."""
    edge = values[0] if along_bottom else values[:, -1]
    for level in levels:
        sides = np.flatnonzero((edge[:-1] - level) * (edge[1:] - level) <= 0)
        if not len(sides):
            continue
        k = sides[0]
        text = _hours(level) if along_bottom else f'{level:+.4g}\u00b0'
        if along_bottom:
            panel.annotate(text, (across[k], up[0]), xytext=(0, -5), textcoords='offset points',
                           ha='center', va='top', fontsize=8, annotation_clip=False)
        else:
            panel.annotate(text, (across[-1], up[k]), xytext=(-4, 0),
                           textcoords='offset points', ha='right', va='center', fontsize=8,
                           annotation_clip=False)


def _hours(degrees):
    seconds = int(round(degrees % 360 * 240)) % 86400
    text = f'{seconds // 3600}h{seconds // 60 % 60:02}m'
    return text + (f'{seconds % 60:02}s' if seconds % 60 else '')
