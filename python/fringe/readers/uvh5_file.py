#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Reads UVH5 files (.uvh5), pyuvdata's HDF5 layout, through h5py."""

import contextlib

import numpy as np

from .antenna_pairs import empty_data, products_of_rows, put_rows, set_uvw, turn_uvw
from .damage import damage_reported
from .hdf5_file import open_hdf5
from .row_index import inputs_of, longest_of_dumps, runs
from .selection import selection
from .uvh5_centers import phase_center_of
from .uvh5_feeds import feeds_of_header
from .uvh5_header import positions_of, remarks_of, unit_of, utc_of, widths_of, word
from .uvh5_rows import parts_of_uvh5, rows_of_uvh5
from .visibilities import clean, is_dated, is_partial, one_width, thin_out, visibilities


def read_uvh5(path, limit, chosen=selection()):
    """`visibilities` of a UVH5 file; without data where limit is None."""
    with opened_uvh5(path) as file:
        rows = rows_of_uvh5(path, file, chosen)
        vis = _describe(path, file, rows)
        if limit is not None:
            _fill(vis, file['Data'], path, rows, limit)
        return vis


def parts(path):
    """A `selection` for each part of the file that rows name."""
    with opened_uvh5(path) as file:
        return parts_of_uvh5(path, file)


@contextlib.contextmanager
def opened_uvh5(path):
    """An open UVH5 file; what it lacks becomes a ValueError."""
    with contextlib.closing(open_uvh5(path)) as file, damage_reported(path, 'UVH5 file'):
        yield file


def open_uvh5(path):
    """Opens a UVH5 file, read only. Throws ValueError."""
    file = open_hdf5(path)
    try:
        with damage_reported(path, 'UVH5 file'):
            if 'Header' not in file or 'Data/visdata' not in file:
                raise ValueError(f'{path}: is no UVH5 file; it has no Header and Data/visdata')
    except ValueError:
        file.close()
        raise
    return file


def _describe(path, file, rows):
    header, first = file['Header'], rows.first
    names = [name.decode() if isinstance(name, bytes) else str(name)
             for name in header['antenna_names'][()]]
    seconds, fractions = utc_of(path, header, rows.jd[first])
    intervals = longest_of_dumps(rows.intervals, rows.dump, len(first))
    center, north, turned = phase_center_of(path, header, rows.chosen.field,
                                            float(seconds[0] + fractions[0]))
    vis = visibilities(
        path=path, telescope=word(header, 'telescope_name', ''), antennas=names,
        inputs=inputs_of(rows), frequencies=rows.window.frequencies, seconds=seconds,
        fractions=fractions, intervals=intervals, exposures=intervals.copy(),
        positions=positions_of(path, header), partial=is_partial(path), phase_center=center,
        selection=rows.chosen, unit=unit_of(path, header), correlations=set(rows.correlations),
        remarks=rows.remarks + turned + remarks_of(path, header))
    if 'gr-fringe' in file:
        _exact_times(vis, file['gr-fringe'], np.argsort(np.argsort(rows.at[first])))
    vis.channel_width = one_width(widths_of(header, rows.window.channels))
    vis.feeds = feeds_of_header(path, header)
    vis.has_times = is_dated(vis.seconds)
    if vis.phase_center:
        # uvw_2 - uvw_1 in this format, the other way round here.
        uvw = -header['uvw_array'][:int(header['Nblts'][()])][rows.at]
        set_uvw(vis, uvw, rows.dump, rows.ant1, rows.ant2)
        turn_uvw(vis, north)
    return vis


def _exact_times(vis, own, place):
    """Start and exposure of each dump, which files of gr-fringe hold beside the layout.

    place: of each dump in the order in which they were written, where averages of different
    length end one after the other.
    """
    dumps = len(vis.seconds)
    start, attos, exposure = (own[name][:dumps] for name in
                              ('start_seconds', 'start_attoseconds', 'exposure'))
    if not len(start) == len(attos) == len(exposure) == dumps:
        return
    half = attos[place] * 1e-18 + vis.intervals / 2
    seconds = start[place] + np.floor(half).astype(np.int64)
    fractions = half - np.floor(half)
    if np.all(np.abs(seconds - vis.seconds + fractions - vis.fractions) < 1e-3):
        vis.seconds, vis.fractions, vis.exposures = seconds, fractions, exposure[place]


def values_of_uvh5(dataset, run, channels, places):
    """[row][channel][correlation] of rows, of channels and of places along the axis of
    correlations, all ascending."""
    part = slice(run[0], run[-1] + 1)
    if dataset.ndim == 4:  # before version 1.0 there was an axis for spectral windows
        values = dataset[part]
        values = values.reshape(len(values), -1, values.shape[-1])
        low = 0
    else:
        low = channels.min()
        values = dataset[part, low:channels.max() + 1]
    values = values[run - run[0]]
    if len(channels) < values.shape[1]:
        values = values[:, channels - low]
    if values.shape[2] != len(places):
        values = values[:, :, places]
    if values.dtype.names:  # integers
        values = values['r'] + np.complex64(1j) * values['i']
    return values


def _fill(vis, data, path, rows, limit):
    products = products_of_rows(vis, rows.correlations, rows.ant1, rows.ant2)
    place = np.full(len(vis.seconds), -1)
    kept = thin_out(vis, len(vis.frequencies), limit)
    place[kept] = np.arange(len(kept))
    channels = empty_data(vis)[1]
    held = int(np.prod(data['visdata'].shape[1:-1]))
    if held <= rows.window.channels.max() or data['visdata'].shape[0] <= rows.at.max():
        raise ValueError(f'{path}: damaged, visdata has {held} channels and '
                         f'{data["visdata"].shape[0]} rows, its header '
                         f'{rows.window.channels.max() + 1} and {rows.at.max() + 1}')

    def values(dataset, run):
        return values_of_uvh5(dataset, run, rows.window.channels, rows.places)
    wanted = np.flatnonzero(place[rows.dump] >= 0)
    step = max(1, 2**24 // (channels * len(products)))
    for run in runs(rows.at[wanted], step):
        here = np.searchsorted(rows.at, run)
        # <conj(x_1) x_2> in this format, the other way round here.
        put_rows(vis, products, here, place[rows.dump[here]], values(data['visdata'], run).conj(),
                 values(data['nsamples'], run), values(data['flags'], run))
    clean(vis, lambda: any((values(data['nsamples'], run) > 0).any()
                           for run in runs(rows.at, step)))
