#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Tables of a UVFITS file of converted visibilities: antennas, frequencies, sources."""

import numpy as np

from .. import fringe_python as fp
from ..readers.uvfits_antennas import MOUNTS
from .site import of_date, site_of

#: MNTSTA of a mount that has no number.
OTHER = 8
#: Degrees by which the Earth turns in a day, AIPS Memo 117.
DEGREES_PER_DAY = 360.98564497329997


def tables_of(fits, content, bands, centers, day):
    """The units of an HDUList. day: the number since 1970 of that of the first dump."""
    units = [_antennas(fits, content, bands, day), _frequencies(fits, bands)]
    if len(centers) > 1:
        units.append(_sources(fits, content, bands, centers, day))
    return units


def _table(fits, name, columns, keys):
    unit = fits.BinTableHDU.from_columns([fits.Column(name, form, unit, array=np.asarray(values))
                                          for name, form, unit, values in columns])
    unit.header['EXTNAME'] = name
    unit.header['EXTVER'] = 1
    for key, value in keys:
        unit.header[key] = value
    return unit


def _antennas(fits, content, bands, day):
    feeds, count = content.feeds, len(content.antennas)
    numbers = {name: number for number, name in MOUNTS.items()}
    mounts = [numbers.get(mount, OTHER) for mount in feeds.mounts]
    unknown = sorted({mount or 'not known' for mount in feeds.mounts if mount not in numbers})
    if unknown and any(feeds.mounts):
        content.notes.append(f'UVFITS files have no number for the mounts {", ".join(unknown)}: '
                             f'it is {OTHER}')
    kinds = [hands or '  ' for hands in feeds.types]
    angles = np.degrees(feeds.angles)
    width = max(8, *(len(name.encode()) for name in content.antennas))
    zero = np.zeros(count)
    obs = site_of(content)
    midnight = fp.epoch(day * 86400, 0.0)
    sidereal = np.degrees(fp.local_sidereal_time(obs, midnight)) - obs.site_longitude
    columns = [
        ('ANNAME', f'{width}A', '', [name.encode('ascii', 'replace') for name in content.antennas]),
        ('STABXYZ', '3D', 'METERS', content.itrf), ('ORBPARM', '0D', '', np.zeros((count, 0))),
        ('NOSTA', '1J', '', np.arange(1, count + 1)), ('MNTSTA', '1J', '', mounts),
        ('STAXOF', '1E', 'METERS', zero), ('POLTYA', '1A', '', [kind[0] for kind in kinds]),
        ('POLAA', '1E', 'DEGREES', angles[:, 0]), ('POLCALA', '0E', '', np.zeros((count, 0))),
        ('POLTYB', '1A', '', [kind[1] for kind in kinds]),
        ('POLAB', '1E', 'DEGREES', angles[:, 1]), ('POLCALB', '0E', '', np.zeros((count, 0)))]
    if content.diameters.any():
        columns.append(('DIAMETER', '1E', 'METERS', content.diameters))
    keys = [('ARRAYX', 0.0), ('ARRAYY', 0.0), ('ARRAYZ', 0.0), ('FRAME', 'ITRF'),
            ('XYZHAND', 'RIGHT'), ('GSTIA0', sidereal % 360), ('DEGPDY', DEGREES_PER_DAY),
            ('FREQ', bands.starts[0]), ('RDATE', str(np.datetime64(day, 'D'))), ('POLARX', 0.0),
            ('POLARY', 0.0), ('UT1UTC', content.dut1 or 0.0), ('DATUTC', 0.0),
            ('IATUTC', float(fp._leap_seconds(midnight))), ('TIMSYS', 'UTC'),
            ('ARRNAM', content.telescope.encode('ascii', 'replace').decode()), ('NUMORB', 0),
            ('NO_IF', len(bands.starts)), ('NOPCAL', 0), ('FREQID', -1), ('POLTYPE', '')]
    # By these pyuvdata tells what was not known when it was written.
    keys += [('HASMNT', False)] * (not any(feeds.mounts)) + [('HASFEED', False)] * (
        not any(feeds.types))
    return _table(fits, 'AIPS AN', columns, keys)


def _frequencies(fits, bands):
    windows = len(bands.starts)
    columns = [('FRQSEL', '1J', '', [1]),
               *((name, f'{windows}{form}', 'HZ', [values]) for name, form, values in (
                   ('IF FREQ', 'D', bands.starts - bands.starts[0]), ('CH WIDTH', 'E', bands.steps),
                   ('TOTAL BANDWIDTH', 'E', bands.steps * bands.count))),
               ('SIDEBAND', f'{windows}J', '', [[1] * windows])]
    return _table(fits, 'AIPS FQ', columns, [('NO_IF', windows)])


def _sources(fits, content, bands, centers, day):
    count, windows = len(centers), len(bands.starts)
    names = [name.encode('ascii', 'replace') for name, _, _ in centers]
    places = np.degrees([place for _, *place in centers])
    site, midnight = site_of(content), fp.epoch(day * 86400, 0.0)
    apparent = np.degrees([of_date(site, place, midnight)[1:3] for _, *place in centers])
    zeros = np.zeros((count, windows))
    columns = [('ID. NO.', '1J', '', np.arange(1, count + 1)),
               ('SOURCE', f'{max(16, *map(len, names))}A', '', names),
               ('QUAL', '1J', '', np.zeros(count)), ('CALCODE', '4A', '', [''] * count),
               *((f'{name}FLUX', f'{windows}E', 'JY', zeros) for name in 'IQUV'),
               ('FREQOFF', f'{windows}D', 'HZ', zeros), ('BANDWIDTH', '1D', 'HZ', np.full(
                   count, bands.steps[0] * bands.count)),
               ('RAEPO', '1D', 'DEGREES', places[:, 0]), ('DECEPO', '1D', 'DEGREES', places[:, 1]),
               ('EPOCH', '1D', 'YEARS', np.full(count, 2000.0)),
               ('RAAPP', '1D', 'DEGREES', apparent[:, 0]),
               ('DECAPP', '1D', 'DEGREES', apparent[:, 1]),
               ('LSRVEL', f'{windows}D', 'M/SEC', zeros),
               ('RESTFREQ', f'{windows}D', 'HZ', zeros),
               ('PMRA', '1D', 'DEG/DAY', np.zeros(count)),
               ('PMDEC', '1D', 'DEG/DAY', np.zeros(count))]
    return _table(fits, 'AIPS SU', columns, [('NO_IF', windows), ('FREQID', 1), ('VELTYP', ''),
                                             ('VELDEF', '')])
