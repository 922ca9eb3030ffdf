#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A MeasurementSet of converted visibilities."""

import contextlib

import numpy as np

from ..certificates.sums import row_sums
from ..ground.dates import MJD_SECONDS_OF_1970
from .correlations import TYPES
from .ms_tables import fill_tables

TILE_BYTES = 2**20


def write_ms(path, content):
    """Writes the set; row_sums of its large columns. Raises ValueError where it cannot hold the
    content."""
    from casacore import tables
    setups, sums = _setups(content), row_sums()
    with contextlib.closing(_new_set(tables, path, content)) as main:
        centers, of_parts = content.centers()
        fill_tables(path, content, centers, setups)
        columns = _columns(content)
        for number, rows in content.blocks():
            _put(main, content, number, rows, of_parts[number], setups, columns[number], sums)
    return sums


def _columns(content):
    """The correlations of each part, in the order of CORR_TYPE."""
    return [tuple(sorted(part.codes, key=TYPES.get)) for part in content.parts]


def _setups(content):
    """(window, correlations as AIPS numbers them) of each row of DATA_DESCRIPTION."""
    found = []
    for part, codes in zip(content.parts, _columns(content)):
        for window in part.windows:
            if not any(codes == other and window.is_like(known) for known, other in found):
                found.append((window, codes))
    return found


def _new_set(tables, path, content):
    description = tables.required_ms_desc('MAIN')
    largest = max(len(window.frequencies) * len(part.codes) for part in content.parts
                  for window in part.windows)
    managers = {}
    for name, kind, width in (('DATA', 'complex', 8), ('WEIGHT_SPECTRUM', 'float', 4),
                              ('FLAG', 'boolean', 1)):
        about = tables.makearrcoldesc(
            name, {'complex': 0j, 'float': 0.0, 'boolean': False}[kind], ndim=2, valuetype=kind,
            datamanagertype='TiledShapeStMan', datamanagergroup=f'Tiled{name}')
        description.update(tables.maketabdesc(about))
        correlations = len(content.parts[0].codes)
        rows = int(np.clip(TILE_BYTES // (largest * width), 1, 1024))
        managers[f'Tiled{name}'] = {'DEFAULTTILESHAPE': np.int32(
            [correlations, max(1, largest // correlations), rows])}
    if content.unit != 'count':
        description['DATA']['keywords'] = {'QuantumUnits': [content.unit.replace(' ', '.')]}
    return tables.default_ms(path, description, tables.makedminfo(description, managers))


def _put(main, content, number, rows, field, setups, codes, sums):
    part = content.parts[number]
    data, weights, flags = content.read(part, rows)
    order = [part.codes.index(code) for code in codes]
    times = part.seconds[part.dump[rows]] + MJD_SECONDS_OF_1970 + part.fractions[part.dump[rows]]
    for number, (window, channels) in enumerate(zip(part.windows, part.slices())):
        here = np.ones(len(rows), bool) if part.there is None else part.there[rows, number]
        count = np.count_nonzero(here)
        if not count:
            continue
        setup = next(k for k, (known, other) in enumerate(setups)
                     if other == codes and known.is_like(window))
        values = [cube[here][:, channels][:, :, order] for cube in (data, weights, flags)]
        mean_weight = values[1].mean(axis=1)
        with np.errstate(divide='ignore'):
            sigma = np.where(mean_weight > 0, 1 / np.sqrt(mean_weight), 1)
        some = rows[here]
        scans = np.ones(count, np.int32) if part.scans is None else part.scans[some]
        start = main.nrows()
        main.addrows(count)
        for name, column in (
                ('TIME', times[here]), ('TIME_CENTROID', times[here]),
                ('INTERVAL', part.intervals[some]), ('EXPOSURE', part.exposures[some]),
                ('ANTENNA1', part.ant1[some]), ('ANTENNA2', part.ant2[some]),
                ('UVW', part.uvw[some]), ('DATA', values[0]), ('WEIGHT_SPECTRUM', values[1]),
                ('FLAG', values[2]), ('FLAG_ROW', values[2].all(axis=(1, 2))),
                ('WEIGHT', mean_weight), ('SIGMA', sigma.astype(np.float32)),
                ('DATA_DESC_ID', np.full(count, setup)), ('FIELD_ID', np.full(count, field)),
                ('SCAN_NUMBER', scans), ('STATE_ID', np.full(count, -1)),
                ('PROCESSOR_ID', np.full(count, -1))):
            main.putcol(name, column, start, count)
        for name, cube in zip(('DATA', 'WEIGHT_SPECTRUM', 'FLAG'), values):
            sums.add(name, start, cube)
        sums.count(values[2], values[1])
        for name in ('ARRAY_ID', 'OBSERVATION_ID', 'FEED1', 'FEED2'):
            main.putcol(name, np.zeros(count, np.int32), start, count)
