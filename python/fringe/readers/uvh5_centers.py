#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Phase centers of a UVH5 file: the catalogue, and what rows name of it."""

import numpy as np

from .. import fringe_python as fp
from .moving_places import moved_by_proper_motion, place_at
from .references import north_of_frame, remarks_of_frame, to_icrs
from .selection import part
from .uvh5_header import JD_OF_1970, numbers, text, word

#: Earlier releases of pyuvdata had this name.
UNPROJECTED = ('unprojected', 'unphased')
MOVES = 'the phase center moves: it is given as in the first dump'


def catalogue_of(header):
    """{number: entry}; entries are groups, or the header itself of files before version 1.1."""
    if 'phase_center_catalog' not in header:
        return {0: header}
    entries = header['phase_center_catalog']
    # Named by their numbers, and before that by their names.
    return {int(key) if key.lstrip('-').isdigit() else int(entry['cat_id'][()]): entry
            for key, entry in entries.items()}


def centers_of_rows(path, header, rows):
    """(number of the phase center of each row, `part` of each that rows name, in their order)."""
    catalogue = catalogue_of(header)
    if 'phase_center_id_array' in header and 'phase_center_catalog' in header:
        numbers = header['phase_center_id_array'][:rows].astype(int)
    elif len(catalogue) == 1:
        numbers = np.full(rows, next(iter(catalogue)))
    else:
        raise ValueError(f'{path}: Header/phase_center_catalog: has {len(catalogue)} entries, and '
                         'no phase_center_id_array says which of them each row has')
    used = np.unique(numbers).tolist()
    for number in used:
        if number not in catalogue:
            raise ValueError(f'{path}: Header/phase_center_id_array: {number}: is not in '
                             'phase_center_catalog, which has '
                             + ', '.join(str(number) for number in sorted(catalogue)))
    return numbers, [part(number, _name(catalogue[number]), _in_words(catalogue[number]))
                     for number in used]


def _name(entry):
    return word(entry, 'cat_name', word(entry, 'object_name', ''))


def _in_words(entry):
    if 'cat_type' not in entry:
        return ''
    kind = text(entry['cat_type'])
    if kind in UNPROJECTED:
        return 'not phased'
    lon, lat = (np.degrees(numbers(entry, name)[0]) for name in ('cat_lon', 'cat_lat'))
    if kind == 'driftscan':
        return f'azimuth {lon:.4f} elevation {lat:.4f} degrees'
    return f'{kind}, {lon % 360:.4f} {lat:+.4f} degrees, {word(entry, "cat_frame", "no frame")}'


def phase_center_of(path, header, number, seconds):
    """((name, right ascension, declination) in ICRS or None where nothing is phased, the bearing
    of the uvw's north from that of ICRS, remarks).

    seconds: since 1970, of the first dump.
    """
    entry = catalogue_of(header)[number]
    if 'phase_center_catalog' not in header:
        return _old_center(path, header)
    kind, what = text(entry['cat_type']), f'Header/phase_center_catalog/{number}'
    if kind in UNPROJECTED:
        return None, 0.0, []
    if kind not in ('sidereal', 'ephem'):
        raise ValueError(f'{path}: {what}: {_name(entry)}: cat_type {kind}{_why_not(kind, entry)}'
                         '; sidereal, ephem and unprojected are read')
    moves = kind == 'ephem'
    lon, lat = _place(path, what, entry, moves, seconds)
    frame, epoch = text(entry['cat_frame']), _epoch(word(entry, 'cat_epoch', ''))
    lon, lat = _moved(path, what, entry, frame, epoch, seconds, lon, lat)
    center, north, remarks = _in_icrs(path, what, entry, frame, epoch, lon, lat, seconds)
    return center, north, remarks + [MOVES] * moves


def _in_icrs(path, what, entry, *place):
    return ((_name(entry), *to_icrs(path, what, *place)), north_of_frame(path, what, *place),
            remarks_of_frame(*place[:4]))


def _why_not(kind, entry):
    if kind == 'driftscan':
        lon, lat = (np.degrees(numbers(entry, name)[0]) for name in ('cat_lon', 'cat_lat'))
        return (f': its data are phased to azimuth {lon:.1f} elevation {lat:.1f} degrees, a place '
                'that moves over the sky')
    if kind == 'near_field':
        return ': its data are phased to a place near the array, with curved wave fronts'
    return ''


def _place(path, what, entry, moves, seconds):
    lon, lat = (numbers(entry, name) for name in ('cat_lon', 'cat_lat'))
    times = numbers(entry, 'cat_times') if moves else np.zeros(0)
    if len(lon) != len(lat) or (len(lon) > 1 and len(times) != len(lon)):
        raise ValueError(f'{path}: {what}: {len(lon)} cat_lon, {len(lat)} cat_lat and '
                         f'{len(times)} cat_times')
    if len(lon) == 1:
        return float(lon[0]), float(lat[0])
    return place_at(path, f'{what}/cat_times', (times - JD_OF_1970) * 86400, lon, lat, seconds)


def _epoch(year):
    """The year of an equinox, or None: numbers, and words such as J2000.0."""
    try:
        number = float(year.lstrip('JBjb'))
    except ValueError:
        return None
    return number if np.isfinite(number) and number else None


def _moved(path, what, entry, frame, epoch, seconds, lon, lat):
    motion = [float(np.nan_to_num(numbers(entry, name)[:1]).sum())
              for name in ('cat_pm_ra', 'cat_pm_dec', 'cat_vrad', 'cat_dist')]
    if not any(motion[:2]):
        return lon, lat
    if frame.lower() not in ('icrs', 'fk5'):
        raise ValueError(f'{path}: {what}/cat_pm_ra: a proper motion in the frame {frame}; those '
                         'in icrs and fk5 are read')
    years = (seconds - fp.epoch.from_iso('2000-01-01T12:00:00Z').seconds) / (365.25 * 86400)
    return moved_by_proper_motion(lon, lat, *motion,
                                  2000.0 + years - (epoch or 2000.0))


def _old_center(path, header):
    kind = text(header['phase_type'])
    if kind == 'drift':
        return None, 0.0, []
    if kind != 'phased':
        raise ValueError(f'{path}: Header/phase_type: {kind}: must be phased or drift')
    epoch = _epoch(word(header, 'phase_center_epoch', ''))
    frame = word(header, 'phase_center_frame',
                 'icrs' if epoch in (None, 2000.0) else 'fk5' if epoch > 1984 else 'fk4')
    lon, lat = (float(header[name][()]) for name in ('phase_center_ra', 'phase_center_dec'))
    return _in_icrs(path, 'Header/phase_center_ra', header, frame, epoch, lon, lat)
