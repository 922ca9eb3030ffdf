#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""References of directions and times of UVH5 and UVFITS files that are read as they are."""


def to_icrs(path, what, frame, epoch, longitude, latitude, seconds=None, site=None):
    """(right ascension, declination) in ICRS, radians; ValueError for what is in another frame."""
    if frame.upper() != 'ICRS':
        raise ValueError(f'{path}: {what}: is in {frame} {epoch or ""}: what is read is in ICRS')
    return longitude, latitude


def to_utc(path, what, scale, seconds, fractions):
    """(whole seconds since 1970, fractions) in UTC; ValueError for times in another scale."""
    if scale.upper() != 'UTC':
        raise ValueError(f'{path}: {what}: {scale}: what is read is in UTC')
    return seconds, fractions
