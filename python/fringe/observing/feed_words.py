#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Mounts and feeds of antennas, in words."""

import collections


def feeds_in_words(feeds):
    """How antennas turn, and how their feeds stand; '' where nothing is known.

    feeds: of each antenna (mount, polarizations XY or RL or '', the angles in degrees of X and Y,
    or of R twice). The angles count from the fixed axis of the mount, north through east.
    """
    kinds = collections.Counter(_in_words(*feed) for feed in feeds)
    if not any(kinds):
        return ""
    if len(kinds) == 1:
        return next(iter(kinds))
    return "; ".join(f"{count} antenna{'s' if count > 1 else ''}: {kind or 'not given'}"
                     for kind, count in kinds.most_common())


def _in_words(mount, hands, first, second):
    if not mount and first == 0:
        return ""
    mount = mount or "mount not given"
    if hands != "XY":
        return mount + (f", R and L at {_number(first)} degrees" if hands else "")
    return f"{mount}, X at {_number(first)} and Y at {_number(second)} degrees"


def _number(degrees):
    """Without the noise of the single floats that UVFITS files have."""
    return f"{round(degrees, 4) + 0.0:.7g}"
