#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""When the dumps of a visibility file were made, in words."""

import numpy as np

from ..ground.words import with_unit


def when_in_words(vis):
    """Start of the first dump in UTC."""
    if not vis.has_times or len(vis.seconds) == 0:
        return 'time not recorded'
    half = int(round(vis.intervals[0] * 5e8))
    # A MeasurementSet knows the microsecond only; half a millisecond more rounds.
    start = vis.times[0] - np.timedelta64(half - 500000, 'ns')
    return str(start.astype('datetime64[ms]')).replace('T', ' ') + ' UTC'


def span_in_words(vis):
    """Number of dumps and their length."""
    dumps = len(vis.seconds)
    if dumps == 0 or not vis.intervals[0] > 0:
        return f'{dumps} dump{"" if dumps == 1 else "s"} of unknown length'
    # The first and the last may be cut short.
    whole = vis.intervals[1:-1] if dumps > 2 else vis.intervals
    length = with_unit(float(np.median(whole)), 's')
    if dumps == 1:
        return f'1 dump of {length}'
    return f'{dumps} dumps of {length} over {with_unit(vis.span, "s")}'
