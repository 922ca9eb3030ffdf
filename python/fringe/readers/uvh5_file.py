#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Reads UVH5 files (.uvh5), pyuvdata's HDF5 layout, through h5py."""

import numpy as np

from .. import fringe_python as fp
from .antenna_pairs import antenna_uvw, empty_data, enu_axes, products_of_rows, put_rows
from .selection import selection
from .visibilities import clean, is_dated, is_partial, thin_out, visibilities

#: Julian date of 1970-01-01.
JD_OF_1970 = 2440587.5
#: Numbers of a polarization_array to the polarisations of the two inputs.
CORRELATIONS = {-1: 'RR', -2: 'LL', -3: 'RL', -4: 'LR', -5: 'XX', -6: 'YY', -7: 'XY', -8: 'YX'}


def read_uvh5(path, limit, chosen=selection()):
    """`visibilities` of a UVH5 file; without data where limit is None."""
    file = open_uvh5(path)
    try:
        return _read(file, path, limit)
    except (KeyError, IndexError, OSError, TypeError) as error:
        raise ValueError(f'{path}: damaged, or no UVH5 file: '
                         f'{" ".join(str(error).split())}') from None
    finally:
        file.close()


def open_uvh5(path):
    """Opens a UVH5 file, read only. Throws ValueError."""
    try:
        import h5py
    except ImportError:
        raise ValueError(f'{path}: reading a UVH5 file needs python3-h5py '
                         '(apt install python3-h5py)') from None
    try:
        fp.check_hdf5_file(path)
        file = h5py.File(path, 'r')
    except RuntimeError as error:
        raise ValueError(str(error)) from None
    except OSError as error:
        raise ValueError(f'{path}: cannot be opened as an HDF5 file: {error}') from None
    if 'Header' in file and 'Data/visdata' in file:
        return file
    file.close()
    raise ValueError(f'{path}: is no UVH5 file; it has no Header and Data/visdata')


def flagged_fraction(path):
    """Fraction of flagged values, read a part at a time."""
    file = open_uvh5(path)
    try:
        flags = file['Data/flags']
        rows = int(file['Header/Nblts'][()])
        step = max(1, 2**25 // max(1, flags[:1].size))
        flagged = sum(int(np.count_nonzero(flags[k:min(k + step, rows)]))
                      for k in range(0, rows, step))
        return flagged / (rows * flags[:1].size) if rows else 0.0
    finally:
        file.close()


def _read(file, path, limit):
    header = file['Header']
    # A dump that is being written may be in the columns already, but not in the counter.
    rows = int(header['Nblts'][()])
    if rows == 0:
        raise ValueError(f'{path}: holds no visibilities (no rows)')
    numbers = header['antenna_numbers'][()]
    index = {int(number): k for k, number in enumerate(numbers)}
    ant1, ant2 = (np.array([index.get(int(a), -1) for a in header[name][:rows]])
                  for name in ('ant_1_array', 'ant_2_array'))
    if min(ant1.min(), ant2.min()) < 0 or len(ant1) < rows or len(ant2) < rows:
        raise ValueError(f'{path}: damaged, its rows name an antenna that is not in '
                         'antenna_numbers')
    codes = [int(code) for code in header['polarization_array'][()]]
    unknown = [code for code in codes if code not in CORRELATIONS]
    if unknown:
        raise ValueError(f'{path}: polarisation {unknown[0]} of its polarization_array is not '
                         'a product of X and Y or R and L')
    hands = sorted({hand for code in codes for hand in CORRELATIONS[code]}, key='XYRL'.index)

    instants, first, dump = np.unique(header['time_array'][:rows], return_index=True,
                                      return_inverse=True)
    vis = _describe(file, path, instants, first)
    vis.inputs = [(a, hand) for a in np.union1d(ant1, ant2).tolist() for hand in hands]
    if vis.phase_center:
        vis.uvw = antenna_uvw(-header['uvw_array'][:rows], dump, ant1, ant2, len(instants),
                              len(vis.antennas))
    if limit is not None:
        products = products_of_rows(vis, [CORRELATIONS[code] for code in codes], ant1, ant2)
        place = np.full(len(instants), -1)
        kept = thin_out(vis, len(vis.frequencies), limit)
        place[kept] = np.arange(len(kept))
        _fill(vis, file['Data'], path, place[dump], products)
    return vis


def _text(value):
    value = value[()]
    return value.decode() if isinstance(value, bytes) else str(value)


def _describe(file, path, instants, first):
    header = file['Header']
    names = [name.decode() if isinstance(name, bytes) else str(name)
             for name in header['antenna_names'][()]]
    seconds = (instants - JD_OF_1970) * 86400
    # A double that holds a Julian date resolves 40 microseconds.
    whole, fractions = np.floor(seconds), np.round(seconds - np.floor(seconds), 5)
    intervals = np.ravel(header['integration_time'][()])
    # One for all in old files.
    intervals = intervals[first] if len(intervals) > 1 else np.repeat(intervals, len(first))
    axes = enu_axes(*np.radians([header['latitude'][()], header['longitude'][()]]))
    positions = header['antenna_positions'][()] @ axes.T
    positions -= positions.mean(axis=0)
    vis = visibilities(
        path=path, telescope=_text(header['telescope_name']), antennas=names, inputs=[],
        frequencies=np.ravel(header['freq_array'][()]), seconds=whole.astype(np.int64),
        fractions=fractions, intervals=intervals, exposures=intervals.copy(),
        positions=positions if np.ptp(positions, axis=0).max() > 1e-6 else None,
        partial=is_partial(path), phase_center=_phase_center(header))
    if 'gr-fringe' in file:
        _exact_times(vis, file['gr-fringe'], np.argsort(np.argsort(first)))
    vis.has_times = is_dated(vis.seconds)
    if 'vis_units' in header and _text(header['vis_units']).strip().upper() == 'JY':
        vis.unit = 'Jy'
    if _moves(header):
        vis.remarks.append('the phase centre moves: it is given as in the first dump')
    if 'Nphase' in header and header['Nphase'][()] > 1:
        vis.remarks.append('the first of several phase centres is given')
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


def _moves(header):
    """True for a satellite or a planet, whose places in time are given."""
    centers = list(header.get('phase_center_catalog', {}).values())
    return bool(centers) and _text(centers[0]['cat_type']) == 'ephem'


def _phase_center(header):
    """(name, right ascension, declination), or None where nothing is phased."""
    if 'phase_center_catalog' in header:
        center = next(iter(header['phase_center_catalog'].values()))
        if _text(center['cat_type']) == 'unprojected':
            return None
        # One that moves has a place for each time.
        places = [float(np.ravel(center[name][()])[0]) for name in ('cat_lon', 'cat_lat')]
        return (_text(center['cat_name']), *places)
    if _text(header['phase_type']) != 'phased':
        return None
    return (_text(header['object_name']), float(header['phase_center_ra'][()]),
            float(header['phase_center_dec'][()]))


def _fill(vis, data, path, dump, products):
    shape = empty_data(vis)
    # Before version 1.0 there was an axis of length 1 for spectral windows.
    window = (slice(None),) if data['visdata'].ndim == 3 else (slice(None), 0)
    if data['visdata'].shape[-2] != shape[1] or data['visdata'].shape[0] < len(dump):
        raise ValueError(f'{path}: damaged, visdata has {data["visdata"].shape[-2]} channels '
                         f'and {data["visdata"].shape[0]} rows, its header {shape[1]} and '
                         f'{len(dump)}')
    step = max(1, 2**24 // (shape[1] * len(products)))
    for first in range(0, len(dump), step):
        rows = np.arange(first, min(first + step, len(dump)))
        rows = rows[dump[rows] >= 0]
        if len(rows) == 0:
            continue
        part = slice(rows[0], rows[-1] + 1)
        here = rows - rows[0]
        values = data['visdata'][part][window]
        if values.dtype.names:  # integers
            values = values['r'] + np.complex64(1j) * values['i']
        # <conj(x_1) x_2> and uvw_2 - uvw_1 in this format, the other way round here.
        put_rows(vis, products, rows, dump[rows], values[here].conj(),
                 data['nsamples'][part][window][here], data['flags'][part][window][here])
    clean(vis)
