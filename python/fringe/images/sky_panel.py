#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The image of the whole sky with its horizon and the true positions of sources."""

import textwrap

import numpy as np

from ..ground.colors import TITLE, color_map
from ..ground.words import with_unit
from .stretch import color_scale
from .texts import place_names


def sky_panel(figure, place, picture, sources, reports, stretch='auto', table=None):
    """Draws an `image` of the sky at a place of a grid; returns its axes. table: part of the
    place for the table of sources; None: chosen."""
    from matplotlib.patches import Circle
    if not table:
        table = 0.045 * (len(sources) + 1.6) if sources and len(sources) <= 12 else 0.02
    inner = place.subgridspec(2, 1, height_ratios=[1 - table, table], hspace=0.46)
    panel = figure.add_subplot(inner[0], anchor='N')
    colors = color_map('heat')
    colors.set_bad('white')
    values, half = picture.values, picture.axis[-1]
    scale = color_scale(values, stretch, picture.top, whole_sky=True)
    edge = half + (picture.axis[1] - picture.axis[0]) / 2
    # The edge of the sky is drawn by the clip, the horizon of a tilted one by its pixels.
    l, m = np.meshgrid(picture.axis, picture.axis)
    outside = ((np.hypot(l, m) > 1 - 2 * (edge - half))
               & (picture.rotation[0, 2] * l + picture.rotation[1, 2] * m > -0.02))
    shown = panel.imshow(np.where(outside & np.isnan(values), 0, values), origin='lower',
                         extent=(-edge, edge, -edge, edge), cmap=colors,
                         norm=scale.norm, interpolation='bilinear')
    shown.set_clip_path(Circle((0, 0), 1, transform=panel.transData))
    panel.add_patch(Circle((0, 0), 1, fill=False, color='0.6', lw=0.6))
    scale.bar(figure, shown, panel.inset_axes([0, -0.165, 1, 0.028]), picture.unit)
    _horizon(panel, picture, half)
    edge = half * 1.09 if half > 0.99 else half
    panel.set_xlim(edge, -edge)
    panel.set_ylim(-edge, edge)
    if picture.note:
        # Outside of the sky's circle there is less room, and nothing dark behind.
        letters, color = (23, '0.3') if half > 0.99 else (60, 'white')
        panel.text(0.01, 0.008, textwrap.fill(picture.note, letters), transform=panel.transAxes,
                   fontsize=7.5, color=color, va='bottom')
    _mark_sources(panel, picture, sources, reports, half)
    center = 'phase center' if picture.phased else 'zenith'
    kind = 'All-sky ' + picture.kind if half > 0.99 else picture.kind.capitalize()
    title = f'{kind} at {with_unit(picture.frequency, "Hz")}'
    panel.set_title(title + f', beam {np.degrees(picture.beam):.2g}\u00b0', **TITLE)
    panel.set_xlabel(f'l, direction cosine to the east of the {center}')
    panel.set_ylabel('m, direction cosine to the north')
    if sources and len(sources) <= 12:
        _source_table(figure.add_subplot(inner[1]), sources, reports)
    return panel


def _horizon(panel, picture, half):
    """The horizon, circles of elevation, and the points of the compass."""
    turn = np.linspace(0, 2 * np.pi, 361)
    for elevation, style in ((0, dict(color='black', lw=1.5)),
                             (30, dict(color='white', lw=0.6, alpha=0.55, ls=(0, (4, 4)))),
                             (60, dict(color='white', lw=0.6, alpha=0.55, ls=(0, (4, 4))))):
        e = np.radians(elevation)
        circle = picture.rotation @ np.stack([np.cos(e) * np.sin(turn),
                                              np.cos(e) * np.cos(turn),
                                              np.full_like(turn, np.sin(e))])
        circle[:, circle[2] < -1e-2] = np.nan
        panel.plot(circle[0], circle[1], **style)
        k = 22
        if elevation and half > 0.99 and np.isfinite(circle[0, k]):
            panel.text(circle[0, k], circle[1, k], f'{elevation}\u00b0', color='white',
                       fontsize=7.5, ha='center', va='center', alpha=0.8)
    for name, east, north in (('N', 0, 1), ('E', 1, 0), ('S', 0, -1), ('W', -1, 0)):
        l, m, n = picture.rotation @ [east, north, 0]
        if n > -0.05 and half > 0.99:
            panel.text(1.045 * l, 1.045 * m, name, ha='center', va='center',
                       fontweight='bold')


def _mark_sources(panel, picture, sources, reports, half):
    from matplotlib.patches import Circle
    radius = max(0.9 * picture.beam, 0.025 * half)
    shown = []
    for k, (name, l, m, *_) in enumerate(sources):
        if max(abs(l), abs(m)) > half:
            continue
        missing = reports is not None and not reports[k].ok
        color, style = ('#FF9F40', '--') if missing else ('#7FE7FF', '-')
        panel.add_patch(Circle((l, m), radius, fill=False, color=color, lw=1.5, ls=style))
        shown.append((name, l, m, color))
    panel.apply_aspect()
    points = (radius * panel.bbox.width / abs(np.diff(panel.get_xlim())[0])
              * 72 / panel.figure.dpi)
    place_names(panel, shown, points)


def _source_table(panel, sources, reports):
    panel.axis('off')
    head = ['source', 'true l', 'true m'] + (['found l', 'found m', 'off by'] if reports else [])
    rows = []
    for k, (name, l, m, *_) in enumerate(sources):
        row = [name, f'{l:+.4f}', f'{m:+.4f}']
        if reports:
            r = reports[k]
            row += ([f'{r.found.l:+.4f}', f'{r.found.m:+.4f}',
                     f'{r.degrees:.3f}\u00b0'] if r.ok
                    else ['', 'masked' if r.masked else 'not found', ''])
        rows.append(row)
    table = panel.table(cellText=rows, colLabels=head, loc='center', cellLoc='center',
                        edges='horizontal', bbox=[0, 0, 1, 1])
    table.auto_set_font_size(False)
    table.set_fontsize(9)
    for (row, _), cell in table.get_celld().items():
        cell.set_edgecolor('0.85')
        if row == 0:
            cell.set_text_props(fontweight='bold')
