#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Mounts and feeds of the antennas of a UVH5 file."""

import numpy as np

from .feeds import feeds_in_trouble, feeds_of
from .uvh5_header import has, itrf_of, word


def feeds_of_header(path, header):
    """The antenna_feeds of all antennas."""
    return feeds_in_trouble(path, len(header['antenna_names']), lambda: _feeds(path, header))


def _feeds(path, header):
    count = len(header['antenna_names'])
    mounts = _words(header, 'mount_type', (count,)) if has(header, 'mount_type') else [''] * count
    return feeds_of(path, mounts, _receptors(header, count), itrf_of(header))


def _receptors(header, count):
    """Of each antenna, {polarization: radians}."""
    if has(header, 'feed_array') and has(header, 'feed_angle'):
        hands = np.reshape(_words(header, 'feed_array', (count, -1)), (count, -1))
        angles = np.reshape(header['feed_angle'][()], hands.shape)
        return [{hand.upper(): float(angle) for hand, angle in zip(*feed) if hand}
                for feed in zip(hands, angles)]
    # Files before version 1.2 have one word for all.
    if word(header, 'x_orientation', '').lower()[:1] == 'e':
        return [{'X': np.pi / 2, 'Y': 0.0}] * count
    return [{}] * count


def _words(header, name, shape):
    found = [entry.decode() if isinstance(entry, bytes) else str(entry)
             for entry in np.ravel(header[name][()])]
    return np.reshape([entry.strip() for entry in found], shape).tolist()
