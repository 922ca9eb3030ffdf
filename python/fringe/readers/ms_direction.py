#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where the phase center of a field of a MeasurementSet is."""

import numpy as np

from ..ground.dates import MJD_SECONDS_OF_1970
from .measurement_set import read_cell, subtable
from .ms_measures import factors, read_direction, reference
from .references import LOCAL, north_of_frame, remarks_of_frame, to_icrs

#: Frames that are read as ICRS: they are that within 25 mas, and most writers mean it.
ICRS = ('J2000', 'ICRS')
#: By so much a phase center moves in a run until it is said, radians.
MOVES = np.radians(0.01 / 3600)


def phase_center(path, row, vis, site):
    """(name, right ascension, declination) of a field in ICRS, in the middle of the dumps.

    site: ITRF (m). What is not simply read becomes a remark.
    """
    with subtable(path, 'FIELD') as table:
        name = read_cell(table, 'NAME', row, path)
        what = f'the phase center of its field {row} {name}'.rstrip()
        _check_ephemeris(table, row, what, path)
        frame = reference(table, 'PHASE_DIR', row, 'J2000', path)
        terms = read_direction(table, row, path)
        began = read_cell(table, 'TIME', row, path) * factors(table, 'TIME', 's', path)
    times = vis.seconds + vis.fractions
    at = [times[k] for k in (len(times) // 2, 0, -1)]
    found = [_direction(path, what, frame, terms, began - MJD_SECONDS_OF_1970, t, site) for t in at]
    if frame not in ICRS:
        vis.remarks += remarks_of_frame(frame, None, *terms[0])
    moved = max(_apart(found[0], end) for end in found[1:])
    if moved > MOVES:
        vis.remarks.append(f'{what} moves by {2 * np.degrees(moved) * 3600:.3g} arcsec in the run; '
                           'that of the middle is given')
    return name, *found[0]


def north_of_uvw(main, path, row, vis, site):
    """How far (radians, towards the east) from the north of ICRS the v of rows points, at the phase
    center: uvw are in the frame of the phase center where their own is not among the stars."""
    with subtable(path, 'FIELD') as table:
        frame = reference(table, 'PHASE_DIR', row, 'J2000', path)
        ra, dec = read_direction(table, row, path)[0]
    own = reference(main, 'UVW', 0, 'ITRF', path)
    if own not in LOCAL:
        frame = own
    if frame in ICRS:
        return 0.0
    middle = len(vis.seconds) // 2
    time = vis.seconds[middle] + vis.fractions[middle]
    return north_of_frame(path, 'its uvw', frame, None, ra, dec, time)


def _check_ephemeris(table, row, what, path):
    if 'EPHEMERIS_ID' in table.colnames():
        number = read_cell(table, 'EPHEMERIS_ID', row, path)
        if number >= 0:
            raise ValueError(f'{path}: {what} follows the ephemeris {number} (EPHEMERIS_ID), which '
                             'is not read here; the other fields are')


def _direction(path, what, frame, terms, began, time, site):
    """At a time, seconds since 1970; a polynomial in seconds since `began`."""
    ra, dec = sum(term * (time - began)**power for power, term in enumerate(terms))
    return to_icrs(path, what, 'ICRS' if frame in ICRS else frame, None, ra, dec, time, site)


def _apart(first, other):
    """Radians between two directions, as far as they are small."""
    return float(np.hypot((first[0] - other[0]) * np.cos(first[1]), first[1] - other[1]))
