#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Reads UVFITS files (.uvfits), random groups as in AIPS Memo 117, through astropy."""

from dataclasses import replace

import numpy as np

from .antenna_pairs import empty_data, products_of_rows, put_rows, set_uvw, turn_uvw
from .fits_frames import frame_of_fits
from .row_index import inputs_of, longest_of_dumps, runs
from .selection import selection
from .uvfits_antennas import antenna_names, antenna_positions, feeds_of_table, remarks_of_feeds
from .uvfits_groups import open_groups
from .uvfits_rows import parts_of_uvfits, rows_of_uvfits
from .uvfits_times import utc_of_groups
from .uvfits_uvw import uvw_of_groups
from .visibilities import (UNITS, clean, is_dated, is_partial, one_width, set_frame, thin_out,
                           visibilities)

#: Of a number in a single float, as a part of it.
PRECISION = 2.0**-24
BYTES = 2**24  # of groups that are read at a time
MOVES = 'its source has a proper motion: its place is taken as that of the observation'


def read_uvfits(path, limit, chosen=selection()):
    """`visibilities` of a UVFITS file; without data where limit is None."""
    with open_groups(path) as (groups, tables):
        rows = rows_of_uvfits(path, groups, tables, chosen)
        vis = _describe(path, groups, rows)
        if limit is not None:
            _fill(vis, groups, rows, limit)
        return vis


def parts(path):
    """A `selection` for each part of the file that rows name."""
    with open_groups(path) as (groups, tables):
        return parts_of_uvfits(path, groups, tables)


def _step(groups):
    return max(1, BYTES // max(1, groups.raw.dtype.itemsize))


def _describe(path, groups, rows):
    header, table = groups.header, rows.antennas
    seconds, fractions, moved = utc_of_groups(path, groups, table, rows.chosen.subarray,
                                              rows.days[rows.first], rows.zero)
    intervals = longest_of_dumps(rows.intervals, rows.dump, len(rows.first))
    if not (intervals > 0).any() and len(seconds) > 1:
        intervals[:] = np.median(np.diff(seconds) + np.diff(fractions))
    unknown = not (intervals > 0).any()
    center, north, turned = rows.source.phase_center(path, header)
    vis = visibilities(
        path=path, telescope=str(header.get('TELESCOP', table.header.get('ARRNAM', ''))),
        antennas=antenna_names(table), inputs=inputs_of(rows),
        frequencies=rows.window.frequencies, seconds=seconds, fractions=fractions,
        intervals=intervals, exposures=intervals.copy(),
        positions=antenna_positions(path, table), partial=is_partial(path),
        phase_center=center, selection=rows.chosen, correlations=set(rows.correlations),
        remarks=rows.remarks + moved + turned + remarks_of_feeds(table)
        + [MOVES] * rows.source.moves + ['does not say how long its dump is'] * unknown)
    vis.channel_width = one_width(rows.window.widths)
    vis.feeds = feeds_of_table(path, table)
    vis.has_times = is_dated(vis.seconds)
    set_frame(vis, frame_of_fits(header.get('SPECSYS', '')))
    vis.unit = UNITS.get(str(header.get('BUNIT', '')).strip().lower(), vis.unit)
    set_uvw(vis, uvw_of_groups(path, groups, rows.at), rows.dump, rows.ant1, rows.ant2, PRECISION)
    turn_uvw(vis, north)
    return vis


def _fill(vis, groups, rows, limit):
    products = products_of_rows(vis, rows.correlations, rows.ant1, rows.ant2)
    place = np.full(len(vis.seconds), -1)
    kept = thin_out(vis, len(vis.frequencies), limit)
    place[kept] = np.arange(len(kept))
    empty_data(vis)
    for number in range(len(rows.window.setups)):
        band = window_of(vis, rows.window.channels(number))
        wanted = np.flatnonzero((rows.setup == number) & (place[rows.dump] >= 0))
        for run in runs(rows.at[wanted], _step(groups)):
            here = np.searchsorted(rows.at, run)
            values = groups.read(run, rows.window.windows, rows.places)
            put_rows(band, products, here, place[rows.dump[here]], *values)
    clean(vis)


def window_of(vis, channels):
    """The same visibilities, of some channels: what is written to it is written to them."""
    return replace(vis, data=vis.data[:, channels], weights=vis.weights[:, channels],
                   flags=vis.flags[:, channels], missing=vis.missing[:, channels])
