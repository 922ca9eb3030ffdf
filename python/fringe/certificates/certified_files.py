#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The certificate of a file of any kind: read, computed, written."""
import contextlib
import os
from dataclasses import dataclass
from typing import Callable

import numpy as np

from ..readers.content import begins_hdf5, holds_uvh5, is_fits, is_measurement_set, is_random_groups
from ..readers.measurement_set import open_ms
from ..readers.spectra_file import is_spectra_file
from . import casa_table, fits, fits_cards, hdf5, ms, raw, spectra, uvfits, uvh5
from .ms_history import add_history
from .sums import add_pieces, row_sums
from .text import certificate, certificate_in

#: What a certificate says of data that are others now.
OF_DATA = ('source', 'signal_to_noise', 'degrees')


@dataclass(frozen=True)
class certified_kind:
    """What is done with the certificates of a kind of file."""
    pieces: Callable   #: (path, columns) -> row_pieces
    tables: Callable   #: (path) -> CRC-32C by name
    stored: Callable   #: (path) -> certificate, or None
    put: Callable      #: (path, certificate)
    visibilities: bool = True


def _put_fits(path, certified):
    fits_cards.put_certificate(path, certified.to_line())


def _put_hdf5(path, certified):
    import h5py
    with h5py.File(path, 'r+') as file:
        file.attrs[hdf5.ATTRIBUTE] = certified.to_json()


def _put_ms(path, certified):
    with contextlib.closing(open_ms(path, 'HISTORY', checked=True)) as table:
        time = table.getcell('TIME', table.nrows() - 1) if table.nrows() else 0.0
    add_history(path, [certified.to_line()], time)


def _put_uvh5(path, certified):
    import h5py
    with h5py.File(path, 'r+') as file:
        header = file['Header']
        history = header['history'][()] if 'history' in header else b''
        history = history if isinstance(history, bytes) else str(history).encode()
        if 'history' in header:
            del header['history']
        header['history'] = np.bytes_(history.rstrip(b'\n') + b'\n'
                                      + certified.to_line().encode() + b'\n')


def _own(columns, history):
    """The last certificate in a history; None where it is of a file of another kind, from which
    another program has made this one, and copied the history."""
    found = certificate_in(history)
    return found if found and set(found.sums) <= set(columns) else None


MS = certified_kind(ms.pieces_of_ms, ms.tables_of_ms,
                    lambda path: _own(ms.COLUMNS, ms.history_of_ms(path)), _put_ms)
UVH5 = certified_kind(uvh5.pieces_of_uvh5, uvh5.tables_of_uvh5,
                      lambda path: _own(uvh5.COLUMNS, uvh5.history_of_uvh5(path)), _put_uvh5)
UVFITS = certified_kind(uvfits.pieces_of_uvfits, uvfits.tables_of_uvfits,
                        lambda path: _own(uvfits.COLUMNS, fits_cards.history_of_fits(path)),
                        _put_fits)
RAW = certified_kind(raw.pieces_of_raw, raw.tables_of_raw, raw.certificate_of_raw,
                     raw.put_certificate)
FITS = certified_kind(fits.pieces_of_fits, fits.tables_of_fits,
                      lambda path: _own(fits.columns_of_fits(path),
                                        fits_cards.history_of_fits(path)), _put_fits, False)
CASA = certified_kind(casa_table.pieces_of_casa, casa_table.tables_of_casa,
                      lambda path: _own(casa_table.columns_of_casa(path), ms.history_of_ms(path)),
                      _put_ms, False)
SPECTRA = certified_kind(spectra.pieces_of_spectra, lambda path: {}, hdf5.certificate_of_hdf5,
                         _put_hdf5, False)
HDF5 = certified_kind(hdf5.pieces_of_hdf5, hdf5.tables_of_hdf5, hdf5.certificate_of_hdf5,
                      _put_hdf5, False)


def _ends(ending):
    return lambda path: path.lower().endswith(ending)


def _is_table(path):
    return os.path.isfile(os.path.join(path, 'table.dat'))


#: By the content of a file; a damaged visibility file is one by its name.
KINDS = ((is_measurement_set, MS), (holds_uvh5, UVH5), (is_random_groups, UVFITS),
         (_ends('.ms'), MS), (_ends('.uvh5'), UVH5), (_ends('.uvfits'), UVFITS),
         (is_spectra_file, SPECTRA), (begins_hdf5, HDF5), (is_fits, FITS), (_is_table, CASA))


def certified_kind_of(path):
    """What can be done with a file."""
    return next((kind for holds, kind in KINDS if holds(path)), RAW)


def stored_certificate(path):
    """What a file says of itself; None where it says nothing."""
    return certified_kind_of(path).stored(path)


def certificate_before(path):
    """That of a copy of a file which is about to be changed. Its tables are None, to be computed
    again, where they are what was certified: programs write them in other words."""
    kind = certified_kind_of(path)
    stored = kind.stored(path)
    if stored and stored.tables == kind.tables(path):
        stored.tables = None
    return stored


def certify(path, command, known=None, before=None):
    """Puts a certificate into a file that is finished.

    known: row_sums of columns, computed while they were written; the others are read. before: the
    certificate_before() it was changed.
    """
    kind = certified_kind_of(path)
    sums = known or row_sums()
    missing = row_sums()
    for piece in kind.pieces(path, set(sums.sums)):
        for column, values in piece.columns.items():
            missing.add(column, piece.rows, values)
        found = piece.values and known is None and piece.values(None)
        if found:
            sums.count(found[2], found[1])
    sums.sums.update(missing.sums)
    others = {key: value for key, value in (before.others if before else {}).items()
              if key not in OF_DATA}
    others.update(sums.counts if any(sums.counts.values()) else {})
    tables = before.tables if before else None
    tables = kind.tables(path) if tables is None else tables
    kind.put(os.path.normpath(path), certificate(
        sums.sums, tables, max(sums.rows, missing.rows), command, others=others))
