#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A picture of an image: color bar, grid of the sky, names, beam."""

import textwrap

import numpy as np

from ..ground.axes import axes_towards
from ..ground.colors import color_map
from ..ground.words import three_digits, with_unit
from .angles import UNITS, unit_of
from .fits_file import iso
from .square_image import as_picture
from .stretch import color_scale
from .texts import alike, fit, place_names

#: Inches: the width of a page, the sides of a field at most, and what is above and below it.
PAGE, WIDE, TALL, ABOVE, BELOW = 9.2, 7.4, 7.4, 0.77, 1.92
#: Inches of a line of remarks, and letters in it.
LINE, LETTERS = 0.15, 135
#: A field that is smaller than this, in degrees, has offsets from its center at its axes.
SMALL = 1.0
#: Steps of the grid in degrees of declination, and of right ascension.
STEPS = np.array([30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001])


def draw_image(made, file, *arguments, **words):
    """Draws a `sky_image` as PNG into an open file; the other arguments are those of
    image_figure()."""
    figure = image_figure(made, *arguments, **words)
    figure.savefig(file, format='png', metadata={'Software': 'gr-fringe'})


def image_figure(made, sources=None, reports=None, unit='', title=None, top=None,
                 stretch='auto'):
    """A `sky_image` as a figure of matplotlib: the first polarization, the mean over groups of
    channels. sources: (name, l, m) to be marked; reports: of check_sources(); top: where the
    colors end; None: at the highest pixel; stretch: of colors, see color_scale."""
    from ..ground.shown_figure import shown_figure
    shown = as_picture(made)
    shown.unit, shown.top, shown.note = unit, top, ''
    whole_sky = made.frame.all_sky and abs(shown.axis[0]) > 0.99
    rows, columns = made.values.shape[2:]
    notes = textwrap.wrap('; '.join(alike(made.remarks)), LETTERS)
    below = BELOW + LINE * len(notes)
    high = below + min(TALL, WIDE * rows / columns) + ABOVE
    if whole_sky:
        # A table of known sources stands below the sky.
        table = 0.3 * (len(sources) + 1) if sources and len(sources) <= 12 else 0
        below = 0.5 + LINE * len(notes)
        high = ABOVE + 9.3 + table + below
    figure = shown_figure(figsize=(PAGE, high), dpi=100, facecolor='white')
    if whole_sky:
        from .sky_panel import sky_panel
        grid = figure.add_gridspec(1, 1, left=0.10, right=0.95, top=1 - ABOVE / high,
                                   bottom=below / high)
        panel = sky_panel(figure, grid[0], shown, sources or [], reports, stretch,
                          table / (9.3 + table))
        # In the corner, where there is no sky.
        _draw_beam(panel, made, 0.92, -0.92, 'black')
    else:
        panel = figure.add_axes([0.11, below / high, WIDE / PAGE, 1 - (below + ABOVE) / high],
                                anchor='N')
        bar = figure.add_axes([0.11, (below - 0.93) / high, WIDE / PAGE, 0.2 / high])
        field_panel(panel, bar, made, sources or [], unit, stretch, top)
    fit(figure, figure.text(0.02, 1 - 0.34 / high, title or made.telescope or 'Image', fontsize=15,
                            fontweight='bold', va='center'), 0.98)
    # Images of parts of a second differ in their times, too.
    digits = 19 if made.duration >= 10 else 23
    facts = [iso(made.middle)[:digits] + ' UTC' if made.has_times else 'no time',
             with_unit(made.duration, 's'), with_unit(made.frequencies.mean(), 'Hz'),
             made.planes[0], f'{made.visibilities} visibilities']
    figure.text(0.02, 0.21 / high, '   |   '.join(facts), fontsize=9.5, color='0.25', va='center')
    figure.text(0.02, 0.36 / high, '\n'.join(notes), fontsize=8, color='0.35', va='bottom')
    return figure


def _draw_beam(panel, made, l, m, color):
    """The beam at its size on the sky, with its middle at (l, m)."""
    from matplotlib.patches import Ellipse
    major, minor, angle = made.beam
    panel.add_patch(Ellipse((l, m), minor, major, angle=-np.degrees(angle), fill=False,
                            color=color, lw=1.2))


def field_panel(panel, bar, made, sources, unit, stretch='auto', brightest=None):
    """Draws a `sky_image` around its center into `panel`, and its color bar into `bar`.
    brightest: where colors end; None: chosen."""
    values = made.mean()
    across, up = made.axis(), made.axis(columns=False)
    half = made.pixel / 2
    left, right, bottom, top = (across[0] - half, across[-1] + half, up[0] - half, up[-1] + half)
    scale = color_scale(values, stretch, brightest)
    drawn = panel.imshow(values, origin='lower', extent=(left, right, bottom, top),
                         cmap=color_map('heat'), norm=scale.norm, interpolation='nearest')
    panel.set_xlim(right, left)
    panel.set_facecolor('0.5')  # what is below the horizon
    _sky_grid(panel, made, across, up)
    major, minor, _ = made.beam
    corner = 0.05 * min(right - left, top - bottom)
    _draw_beam(panel, made, right - corner, bottom + corner, 'white')
    inside = [(name, l, m, '#7FE7FF') for name, l, m, *_ in sources
              if left < l < right and bottom < m < top]
    for _, l, m, color in inside:
        panel.plot(l, m, 'o', ms=16, mfc='none', mec=color)
    place_names(panel, inside, 8)
    scale.bar(panel.figure, drawn, bar, unit)
    _, sign, beams = unit_of(minor)
    beam = f'{three_digits(major * beams)} x {three_digits(minor * beams)}{sign}'
    panel.set_title(f'{made.frame.name or "Field"}: {made.kind}, beam {beam}', loc='left',
                    fontsize=11.5)


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
    center = np.degrees(made.frame.center[0])
    # Counted from the center, right ascension has no jump inside a field.
    ra = np.where(outside, np.nan,
                  (np.degrees(np.arctan2(y, x)) - center + 180) % 360 - 180 + center)
    ra[np.abs(ra - center) > 170] = np.nan
    span = np.nanmax(dec) - np.nanmin(dec)
    if np.degrees(max(np.ptp(across), np.ptp(up))) < SMALL or span < 3 * STEPS[-1]:
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
    """Offsets from the center, where lines of round right ascension would be too few."""
    shorter = np.degrees(min(across[-1], up[-1]))
    name, _, many = next((unit for unit in UNITS[1:] if shorter * unit[2] >= 1), UNITS[-1])
    name = {'uas': '\u00b5as'}.get(name, name)
    end, many = shorter * many, np.degrees(many)
    step = 10**np.floor(np.log10(end / 2))
    step *= max(k for k in (1, 2, 5) if 2 * k * step <= end)
    for set_ticks, axis in ((panel.set_xticks, across), (panel.set_yticks, up)):
        # A side that is much longer than the other has as many ticks as that.
        wider = step * max(1, round(axis[-1] * many / end))
        last = int(axis[-1] * many / wider)
        ticks = wider * np.arange(-last, last + 1)
        set_ticks(ticks / many, [f'{tick:.6g}' for tick in ticks], fontsize=8)
    panel.grid(color='white', lw=0.5, alpha=0.45, ls='dotted')
    ra, dec = _of_center(center, 0.1 * end / many)
    panel.set_xlabel(f'to the east of {ra} ({name})')
    panel.set_ylabel(f'to the north of {dec} ({name})')


def _of_center(center, error):
    """Right ascension and declination in words, to an angle in radians."""
    ra, dec = np.degrees(center)
    digits = int(np.clip(np.ceil(-np.log10(np.degrees(error) * 3600)), 0, 7))
    texts = []
    for value, sign, more, units, turn in (
            (ra % 360 / 15, '', 1, 'hms', 86400),
            (abs(dec), '-' if dec < 0 else '+', 0, '\u00b0\'"', 1296000)):
        places = digits + more
        whole, rest = divmod(round(value * 3600 * 10**places) % (turn * 10**places), 10**places)
        end = f'{whole % 60:02}' + (f'.{rest:0{places}}' if places else '')
        texts.append(f'{sign}{whole // 3600:02}{units[0]}{whole // 60 % 60:02}{units[1]}'
                     f'{end}{units[2]}')
    return texts


def _name_lines(panel, values, across, up, levels, along_bottom):
    """Each line's value where it meets the lower or the left edge (east is left)."""
    edge = values[0] if along_bottom else values[:, -1]
    for level in levels:
        sides = np.flatnonzero((edge[:-1] - level) * (edge[1:] - level) <= 0)
        text = _hours(level) if along_bottom else f'{level:+.4g}\u00b0'
        if not len(sides):
            _name_inside(panel, values, across, up, level, text, along_bottom)
            continue
        k = sides[0]
        if along_bottom:
            panel.annotate(text, (across[k], up[0]), xytext=(0, -5), textcoords='offset points',
                           ha='center', va='top', fontsize=8, annotation_clip=False)
        else:
            panel.annotate(text, (across[-1], up[k]), xytext=(-4, 0),
                           textcoords='offset points', ha='right', va='center', fontsize=8,
                           annotation_clip=False)


def _name_inside(panel, values, across, up, level, text, along_middle):
    """The name of a line that meets no edge, on the middle row or column of a wide field."""
    middle = values[len(up) // 2] if along_middle else values[:, len(across) // 2]
    with np.errstate(invalid='ignore'):
        sides = np.flatnonzero((middle[:-1] - level) * (middle[1:] - level) <= 0)
    # In the very middle the two kinds of names would meet.
    sides = sides[np.abs(sides - len(middle) / 2) > 0.06 * len(middle)]
    if not len(sides):
        return
    k = sides[0]
    at = (across[k], up[len(up) // 2]) if along_middle else (across[len(across) // 2], up[k])
    panel.annotate(text, at, xytext=(2, 2), textcoords='offset points', fontsize=7, color='white',
                   alpha=0.8)


def _hours(degrees):
    seconds = int(round(degrees % 360 * 240)) % 86400
    text = f'{seconds // 3600}h{seconds // 60 % 60:02}m'
    return text + (f'{seconds % 60:02}s' if seconds % 60 else '')
