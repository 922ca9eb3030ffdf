#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A UVH5 file of converted visibilities."""

import numpy as np

from .. import fringe_python as fp
from ..certificates.sums import row_sums
from ..readers.uvh5_header import JD_OF_1970
from ..readers.visibilities import UNITS
from .site import of_date, site_of

CHUNK_BYTES = 2**20
#: Words of vis_units by those of `visibilities`.
WORDS = {'count': 'uncalib', 'Jy': 'Jy', 'K sr': 'K str'}
assert set(WORDS) == set(UNITS.values())


def write_uvh5(path, content):
    """Writes the file; row_sums of its large columns. Raises ValueError where it cannot hold the
    content."""
    import h5py
    sums = row_sums()
    like = content.require_alike('UVH5 file')
    frame = content.frame('UVH5 file')
    if frame != 'TOPO':
        content.notes.append(f'UVH5 files have no frame of frequencies: those of {content.path} '
                             f'are in {frame}')
    if content.observer:
        content.notes.append(f'UVH5 files do not name the observer, {content.observer}')
    with h5py.File(path, 'w') as file:
        header, data = file.create_group('Header'), file.create_group('Data')
        _write_telescope(header, content)
        _write_feeds(header, content)
        _write_axes(header, like)
        centers, of_parts = content.centers()
        _write_centers(header, centers)
        rows = sum(len(part.ant1) for part in content.parts)
        shape = rows, like.channels, len(like.codes)
        chunk = (int(np.clip(CHUNK_BYTES // (shape[1] * shape[2] * 8), 1, rows)), *shape[1:])
        made = [data.create_dataset(name, shape, kind, chunks=chunk) for name, kind in (
            ('visdata', 'c8'), ('nsamples', 'f4'), ('flags', bool))]
        columns, start = [], 0
        for number, some in content.blocks():
            part = content.parts[number]
            values, weights, flags = content.read(part, some)
            order = [part.codes.index(code) for code in like.codes]
            end = start + len(some)
            # <conj(x_1) x_2> in this format.
            for dataset, cube in zip(made, (values.conj(), weights, flags)):
                dataset[start:end] = cube[:, :, order]
                sums.add(dataset.name.rpartition('/')[2], start, cube[:, :, order])
            sums.count(flags[:, :, order], weights[:, :, order])
            columns.append((number, some))
            start = end
        _write_rows(header, content, columns, of_parts)
    return sums


def _write_telescope(header, content):
    site = site_of(content)
    place = site.site_latitude, site.site_longitude, site.site_height
    header['version'] = np.bytes_('1.1')
    header['vis_units'] = np.bytes_(WORDS[content.unit])
    header['timesys'] = np.bytes_('UTC')
    header['history'] = np.bytes_('\n'.join([*content.history, '']).encode())
    for name in ('telescope_name', 'instrument'):
        header[name] = np.bytes_(content.telescope.encode())
    header['telescope_frame'] = np.bytes_('itrs')
    for name, value in zip(('latitude', 'longitude', 'altitude'), place):
        header[name] = value
    if content.dut1 is not None:
        header['dut1'] = content.dut1
    header['Nants_telescope'] = len(content.antennas)
    header['antenna_names'] = np.array([name.encode() for name in content.antennas])
    header['antenna_numbers'] = np.arange(len(content.antennas))
    header['antenna_positions'] = content.itrf - np.array(fp.itrf_from_wgs84(*place))
    if content.diameters.any():
        header['antenna_diameters'] = content.diameters


def _write_feeds(header, content):
    feeds = content.feeds
    if all(feeds.mounts):
        header['mount_type'] = np.array([mount.lower().encode() for mount in feeds.mounts])
    elif any(feeds.mounts):
        content.notes.append('UVH5 files give the mounts of all antennas, or of none: those of '
                             f'{content.path} are left out, since some are not known')
    if not all(feeds.types):
        if any(feeds.types):
            content.notes.append('UVH5 files give the feeds of all antennas, or of none: those of '
                                 f'{content.path} are left out, since some are not known')
        return
    header['Nfeeds'] = 2
    header['feed_array'] = np.array([[hand.lower().encode() for hand in hands]
                                     for hands in feeds.types])
    header['feed_angle'] = feeds.angles
    for word, wanted in (('north', (0, np.pi / 2)), ('east', (np.pi / 2, 0))):
        if set(feeds.types) == {'XY'} and np.allclose(feeds.angles, wanted, atol=1e-9):
            header['x_orientation'] = np.bytes_(word)


def _write_axes(header, part):
    owner = np.concatenate([np.full(len(window.frequencies), k)
                            for k, window in enumerate(part.windows)])
    header['Nfreqs'] = part.channels
    header['freq_array'] = np.concatenate([window.frequencies for window in part.windows])
    header['channel_width'] = np.concatenate([window.widths for window in part.windows])
    header['Nspws'] = len(part.windows)
    header['spw_array'] = np.arange(len(part.windows))
    header['flex_spw'] = len(part.windows) > 1
    header['flex_spw_id_array'] = owner
    header['Npols'] = len(part.codes)
    header['polarization_array'] = np.array(part.codes)


def _write_centers(header, centers):
    header['Nphase'] = len(centers)
    for number, (name, ra, dec) in enumerate(centers):
        center = header.create_group(f'phase_center_catalog/{number}')
        for key, word in (('cat_name', name), ('cat_type', 'sidereal'), ('cat_frame', 'icrs'),
                          ('info_source', 'file')):
            center[key] = np.bytes_(word.encode())
        center['cat_lon'], center['cat_lat'], center['cat_epoch'] = ra, dec, 2000.0


def _write_rows(header, content, columns, of_parts):
    """The columns with a value for each row, in the order in which rows were written."""
    site = site_of(content)
    places = [_places(site, part) for part in content.parts]

    def of_rows(value):
        return np.concatenate([value(number, content.parts[number], rows)
                               for number, rows in columns])
    for k, name in enumerate(('time_array', 'lst_array', 'phase_center_app_ra',
                              'phase_center_app_dec', 'phase_center_frame_pa')):
        header[name] = of_rows(lambda n, part, rows: places[n][k][part.dump[rows]])
    header['integration_time'] = of_rows(lambda n, part, rows: part.intervals[rows])
    for name in ('ant1', 'ant2'):
        header[f'ant_{name[-1]}_array'] = of_rows(lambda n, part, rows: getattr(part, name)[rows])
    header['phase_center_id_array'] = of_rows(lambda n, part, rows: np.full(len(rows),
                                                                            of_parts[n]))
    header['uvw_array'] = of_rows(lambda n, part, rows: -part.uvw[rows])
    if all(part.scans is not None for part in content.parts):
        header['scan_number_array'] = of_rows(lambda n, part, rows: part.scans[rows])
    pairs = np.stack([header['ant_1_array'][()], header['ant_2_array'][()]])
    header['Nblts'] = pairs.shape[1]
    header['Nbls'] = len(np.unique(pairs, axis=1).T)
    header['Nants_data'] = len(np.unique(pairs))
    header['Ntimes'] = len(np.unique(header['time_array'][()]))
    content.note_exposures('UVH5 file')


def _places(site, part):
    """Of each dump: the Julian date, and of_date() of its phase center."""
    rows = []
    for second, fraction in zip(part.seconds.tolist(), part.fractions.tolist()):
        day = (second % 86400 + fraction) / 86400
        rows.append((JD_OF_1970 + second // 86400 + day,
                     *of_date(site, part.center[1:], fp.epoch(second, fraction))))
    return np.array(rows).T
