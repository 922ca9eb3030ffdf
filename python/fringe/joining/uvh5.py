#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""UVH5 files joined along frequency."""
import contextlib
import os

import numpy as np

from ..certificates.sums import row_sums
from ..readers.selection import ALL
from ..readers.uvh5_file import open_uvh5
from ..readers.uvh5_rows import rows_of_uvh5
from .rows import check_uvw, chosen_rows, parts_of_rows

#: Columns [row][channel][polarization], and what stands in channels that no file has.
SPECTRA = {'visdata': 0, 'flags': True, 'nsamples': 0}
#: Columns of the header with a value for each row.
ROWS = ('ant_1_array', 'ant_2_array', 'time_array', 'lst_array', 'integration_time', 'uvw_array',
        'phase_center_id_array', 'phase_center_app_ra', 'phase_center_app_dec',
        'phase_center_frame_pa', 'scan_number_array')
#: What moves has a value for each dump.
PLACES = ('cat_times', 'cat_lon', 'cat_lat', 'cat_dist', 'cat_vrad')
CHUNK_BYTES = 2**20


def width_of_uvh5(vis):
    """Width of a channel in Hz."""
    with contextlib.closing(open_uvh5(vis.path)) as file:
        return abs(float(np.ravel(file['Header/channel_width'][()])[0]))


def join_uvh5(copies, plan):
    """Writes the UVH5 file copies[0]; row_sums of its spectra."""
    import h5py
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(contextlib.closing(open_uvh5(path))) for path in plan.paths]
        found = [rows_of_uvh5(vis.path, file, vis.selection)
                 for vis, file in zip(plan.files, files)]
        rows = [table.at[here] for table, here in zip(found, chosen_rows(
            plan, [(table.ant1, table.ant2, table.dump) for table in found]))]
        for path, file, found_rows in zip(plan.paths, files, found):
            if found_rows.window.spw == ALL or np.size(file['Header/freq_array']) > len(
                    found_rows.window.channels):
                raise ValueError(f'{path}: has several spectral windows, and files of one are '
                                 'joined')
        new = stack.enter_context(h5py.File(copies[0], 'w'))
        first = files[0]
        for name in first:
            if name not in ('Header', 'Data'):
                first.copy(name, new)
        _copy_header(first['Header'], new.create_group('Header'), rows[0], plan)
        sums = _copy_data(files, new.create_group('Data'), rows, plan)
        if 'gr-fringe' in new:
            _copy_own(files, new['gr-fringe'], plan)
        _write_history(files, new, plan)
    return sums


def _put(group, like, name, values):
    """Replaces a dataset, or makes it; as growing as it was."""
    if name in group:
        del group[name]
    options = {}
    if like.chunks and values.ndim and len(values):
        options = {'maxshape': (None, *values.shape[1:]),
                   'chunks': (min(like.chunks[0], len(values)), *values.shape[1:])}
    made = group.create_dataset(name, data=values, dtype=like.dtype, **options)
    for key, value in like.attrs.items():
        made.attrs[key] = value


def _copy_header(header, new, rows, plan):
    channels = plan.channels
    dumps = len(plan.files[0].seconds)
    for name in header:
        header.copy(name, new)
    for name in ROWS:
        if name in header and header[name].ndim and len(header[name]) > rows.max():
            if name == 'integration_time' and len(header[name]) == 1:
                continue
            _put(new, header[name], name, header[name][()][rows])
    times = len(np.unique(new['time_array'][()]))
    widths = np.ravel(header['channel_width'][()])[0]
    # Old files have an axis of one spectral window.
    shape = (1, channels) if header['freq_array'].ndim == 2 else (channels,)
    _put(new, header['freq_array'], 'freq_array', plan.band.frequencies.reshape(shape))
    if header['channel_width'].ndim:
        _put(new, header['channel_width'], 'channel_width', np.full(channels, widths))
    if 'flex_spw_id_array' in header:
        window = np.ravel(header['flex_spw_id_array'][()])[0]
        _put(new, header['flex_spw_id_array'], 'flex_spw_id_array', np.full(channels, window))
    for name, value in (('Nfreqs', channels), ('Nblts', len(rows)), ('Ntimes', times)):
        new[name][()] = value
    for center in new.get('phase_center_catalog', {}).values():
        for name in PLACES:
            if name in center and center[name].ndim and len(center[name]) == dumps:
                _put(center, center[name], name, center[name][()][plan.dumps[0]])


def _copy_data(files, new, rows, plan):
    first, sums = files[0]['Data'], row_sums()
    for name in first:
        if name not in SPECTRA:
            first.copy(name, new)
    made = {}
    for name in SPECTRA:
        like = first[name]
        shape = (len(rows[0]), *like.shape[1:-2], plan.channels, like.shape[-1])
        row_bytes = int(np.prod(shape[1:])) * like.dtype.itemsize
        chunk = (int(np.clip(CHUNK_BYTES // row_bytes, 1, shape[0])), *shape[1:])
        made[name] = new.create_dataset(name, shape, like.dtype, chunks=chunk,
                                        maxshape=(None, *shape[1:]),
                                        compression=like.compression,
                                        compression_opts=like.compression_opts)
    row_bytes = sum(int(np.prod(dataset.shape[1:])) * dataset.dtype.itemsize
                    for dataset in made.values())
    for start, parts in parts_of_rows(rows, 2 * row_bytes):
        check_uvw(plan, [_read(file['Header/uvw_array'], part) for file, part in zip(files, parts)])
        joined = {}
        for name, fill in SPECTRA.items():
            values = [_read(file['Data'][name], part) for file, part in zip(files, parts)]
            if any(part.dtype != values[0].dtype for part in values):
                raise ValueError(f'{plan.paths[-1]}: {name}: numbers of another type than in '
                                 f'{plan.paths[0]}')
            empty = np.zeros((), values[0].dtype) if values[0].dtype.names else fill
            joined[name] = plan.spread(values, values[0].ndim - 2, empty)
            made[name][start:start + len(parts[0])] = joined[name]
            sums.add(name, start, joined[name])
        sums.count(joined['flags'], joined['nsamples'])
    return sums


def _read(column, rows):
    low = int(rows.min())
    return column[low:int(rows.max()) + 1][rows - low]


def _copy_own(files, own, plan):
    """What gr-fringe adds for each dump, in the order in which the dumps were written."""
    dumps = len(plan.files[0].seconds)
    header = files[0]['Header']
    written = np.unique(header['time_array'][:int(header['Nblts'][()])], return_index=True)[1]
    place = np.argsort(np.argsort(written))  # [dump in the order of time]
    kept = np.sort(place[plan.dumps[0]])
    for name in ('start_seconds', 'start_attoseconds', 'exposure', 'satellite_distance'):
        if name in own and len(own[name]) >= dumps:
            _put(own, own[name], name, own[name][()][kept])
    if 'exposure' in own:
        exposures = np.max([vis.exposures[here] for vis, here in zip(plan.files, plan.dumps)],
                           axis=0)
        values = own['exposure'][()]
        values[np.searchsorted(kept, place[plan.dumps[0]])] = exposures
        own['exposure'][:] = values
    if 'observation' in own:
        text = _text(own['observation'])
        del own['observation']
        own['observation'] = np.bytes_(plan.observation(text).encode())


def _text(dataset):
    value = dataset[()]
    return value.decode() if isinstance(value, bytes) else str(value)


def _write_history(files, new, plan):
    lines = [_text(files[0]['Header/history']).rstrip('\n')] if 'history' in new['Header'] else []
    for path, file in zip(plan.paths[1:], files[1:]):
        if 'history' in file['Header']:
            lines += [f'{os.path.basename(path)}: {line}'
                      for line in _text(file['Header/history']).splitlines()]
    if 'history' in new['Header']:
        del new['Header/history']
    new['Header/history'] = np.bytes_('\n'.join([*lines, plan.history, '']).encode())
