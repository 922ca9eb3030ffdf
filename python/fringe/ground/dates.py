#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Modified Julian Dates."""

DAY = 86400  #: seconds
MJD_OF_1970 = 40587  #: days
MJD_SECONDS_OF_1970 = MJD_OF_1970 * DAY  #: as MeasurementSets count


def mjd(seconds, fraction=0.0):
    """The Modified Julian Date, in days of UTC, of seconds since 1970."""
    return MJD_OF_1970 + (seconds + fraction) / DAY
