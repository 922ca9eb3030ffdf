#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Texts in pictures that do not lie over each other, nor run out of the page."""

import os
import re

import numpy as np

#: Points between a mark and its name, steps to places further away, and directions of them.
NEAR, STEPS, DIRECTIONS = 3, (0, 8, 20, 36, 56, 80, 110, 145), 16
#: %d or %04d: where the number of an image stands in the name of a file.
NUMBER = re.compile(r'%0?\d*d')
#: Of the names of files that image_output() writes.
ENDINGS = ('.fits', '.png', '.mp4')
#: A title has at least this size before it is shortened.
SMALLEST = 10


def names_of_files(paths):
    """A few names of files, or the first and how many there are besides."""
    names = [os.path.basename(os.path.normpath(path)) for path in paths]
    if len(names) == 1 or (len(names) < 4 and len(', '.join(names)) <= 50):
        return ', '.join(names)
    return f'{names[0]} and {len(names) - 1} more file' + 's' * (len(names) > 2)


def alike(remarks):
    """Remarks, those that differ only in their numbers by the first and how many there are."""
    kinds = {}
    for remark in remarks:
        kinds.setdefault(re.sub(r'\d+([.e+-]+\d+)*', '0', remark), []).append(remark)
    return [some[0] + (f' ({len(some)} remarks of this kind)' if len(some) > 1 else '')
            for some in kinds.values()]


def fit(figure, text, right):
    """Makes a text smaller, and then takes letters out of its middle, until it ends before
    `right`, a part of the figure's width."""
    renderer, end = figure.canvas.get_renderer(), right * figure.bbox.width
    while text.get_window_extent(renderer).x1 > end and text.get_fontsize() > SMALLEST:
        text.set_fontsize(text.get_fontsize() - 0.5)
    whole, kept = text.get_text(), len(text.get_text())
    while text.get_window_extent(renderer).x1 > end and kept > 8:
        kept -= 1
        text.set_text(f'{whole[:(kept + 1) // 2]}\u2026{whole[len(whole) - kept // 2:]}')


def place_names(panel, sources, radius):
    """Writes the names of marked places where they cover no other text, and other marks only
    if need be; a line leads to a name that is not beside its mark. Names without any room are
    left out, and counted in a corner.

    sources: (name, x, y, color), x and y as data; radius: of a mark, in points.
    """
    from matplotlib.patheffects import withStroke
    if not sources:
        return
    panel.apply_aspect()
    figure = panel.figure
    renderer, point = figure.canvas.get_renderer(), figure.dpi / 72
    texts = [text.get_window_extent(renderer).extents for text in panel.texts if text.get_text()]
    inside = panel.get_window_extent(renderer).extents
    places = panel.transData.transform([(x, y) for _, x, y, _ in sources])
    marks = np.hstack([places - radius * point, places + radius * point])
    style = dict(fontsize=9, fontweight='bold',
                 path_effects=[withStroke(linewidth=1.5, foreground='#00000090')])
    if len(sources) > 12:
        style['fontsize'] = 7.5

    def size(text):
        drawn = panel.text(0, 0, text, **style)
        box = drawn.get_window_extent(renderer)
        drawn.remove()
        # A pixel around each name tells it from the next.
        return np.array([box.width, box.height]) + 2

    wanted = [size(name) for name, *_ in sources]
    rooms = _rooms(places, wanted, (radius + NEAR) * point, point, inside, marks, texts)
    if any(box is None for box, _ in rooms):
        # Once more, with room for the sentence that says so.
        corner = _corner(inside, size(f'{len(sources)} more names have no room'), texts)
        rooms = _rooms(places, wanted, (radius + NEAR) * point, point, inside, marks,
                       texts + [corner])
        left = sum(box is None for box, _ in rooms)
        note = f'{left} more names have no room' if left > 1 else '1 more name has no room'
        panel.annotate(note * (left > 0), figure.transFigure.inverted().transform(corner[:2] + 1),
                       xycoords='figure fraction', color='#7FE7FF', **style)
    for (name, x, y, color), (box, far) in zip(sources, rooms):
        if box is None:
            continue
        line = dict(arrowstyle='-', color=color, lw=0.8, shrinkA=0, shrinkB=radius)
        middle = figure.transFigure.inverted().transform((box[:2] + box[2:]) / 2)
        panel.annotate(name, (x, y), xytext=middle, textcoords='figure fraction', ha='center',
                       va='center', color=color, **style, arrowprops=line if far else None)


def _corner(inside, wide, texts):
    """A box in a corner of the panel that covers no text, if there is one."""
    for x, y in ((1, 0), (1, 1), (0, 1), (0, 0)):
        low = inside[:2] + 6 + np.array([x, y]) * (inside[2:] - inside[:2] - wide - 12)
        box = np.concatenate([low, low + wide])
        if not _touches(box[None], texts).any():
            break
    return box


def _rooms(places, wanted, near, point, inside, marks, texts):
    """(box or None, whether a line should lead to it) of each name."""
    taken, rooms = list(texts), []
    for place, wide in zip(places, wanted):
        rooms.append(_room(place, wide, near, point, inside, marks, taken))
        if rooms[-1][0] is not None:
            taken.append(rooms[-1][0])
    return rooms


def _room(place, wide, near, point, inside, marks, texts):
    """(the nearest free box for a name, whether a line should lead to it)."""
    turns = np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS + np.pi / 4
    towards = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    for strict in (True, False):
        for step in STEPS:
            # The box touches a circle around the mark from outside.
            offset = near + step * point
            middle = place + towards * offset + np.sign(towards.round(6)) * wide / 2
            boxes = np.hstack([middle - wide / 2, middle + wide / 2])
            free = ((boxes[:, :2] >= inside[:2]) & (boxes[:, 2:] <= inside[2:])).all(axis=1)
            free &= ~_touches(boxes, texts)
            if strict:
                free &= ~_touches(boxes, marks)
            if free.any():
                return boxes[np.argmax(free)], step > 0
    return None, False


def _touches(boxes, others):
    """For each box, whether it intersects any of the others."""
    if not len(others):
        return np.zeros(len(boxes), bool)
    others = np.asarray(others)
    return ((boxes[:, None, :2] < others[None, :, 2:])
            & (boxes[:, None, 2:] > others[None, :, :2])).all(axis=2).any(axis=1)
