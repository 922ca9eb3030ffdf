#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sums of an HDF5 file of beams or solutions: of all its datasets of numbers. The certificate is an
attribute of the file, as that of recordings of spectra."""
import json

import numpy as np

from ..readers.hdf5_file import opened_hdf5
from .pieces import MEMORY, row_piece
from .sums import add_pieces, crc_of, crc_of_texts, row_sums
from .text import certificate, certificate_of

ATTRIBUTE = 'certificate'


def pieces_of_hdf5(path, without=()):
    """row_pieces, without some of the datasets."""
    with opened_hdf5(path) as file:
        yield from _pieces(file, without)


def _pieces(file, without=()):
    for name, dataset in _datasets(file):
        if name in without or not _has_rows(dataset) or not dataset.size:
            continue
        step = max(1, MEMORY // (dataset.dtype.itemsize * (dataset.size // len(dataset))))
        for start in range(0, len(dataset), step):
            values = dataset[start:start + step]
            yield row_piece(start + np.arange(len(values)), {name: values})


def _datasets(file):
    """[(path in the file, dataset)]"""
    import h5py
    found = []

    def visit(name, thing):
        if isinstance(thing, h5py.Dataset):
            found.append((name, thing))
    file.visititems(visit)
    return found


def _has_rows(dataset):
    return dataset.dtype.kind in 'biufc' and dataset.ndim > 0


def tables_of_hdf5(path):
    """CRC-32C of texts, single numbers and attributes."""
    with opened_hdf5(path) as file:
        return _tables(file)


def _tables(file):
    found = {name: _crc(dataset[()]) for name, dataset in _datasets(file)
             if not _has_rows(dataset)}
    things = [('', file)]
    file.visititems(lambda name, thing: things.append((name, thing)))
    lines = [f'{name}/{key}: {words}' for name, thing in things for key in sorted(thing.attrs)
             if (name, key) != ('', ATTRIBUTE) and (words := _words(thing.attrs[key])) is not None]
    return {**found, 'attributes': crc_of_texts(lines)}


def _crc(values):
    words = _words(values)
    return crc_of(values) if words is None or np.asarray(values).dtype.kind in 'biufc' else \
        crc_of_texts(words)


def _words(value):
    """Texts or numbers as a list; None for what else HDF5 has, as references to datasets."""
    values = np.ravel(value).tolist()
    values = [value.decode('utf-8', 'replace') if isinstance(value, bytes) else value
              for value in values]
    return values if all(isinstance(value, (str, bool, int, float, complex)) for value in values) \
        else None


def certificate_of_hdf5(path):
    """Of the file itself; None where it has none."""
    with opened_hdf5(path) as file:
        text = file.attrs.get(ATTRIBUTE, '')
    try:
        return certificate_of(json.loads(text if isinstance(text, bytes) else str(text)))
    except ValueError:
        return None


def certify_hdf5(file, command, known=None):
    """Puts a certificate into an open file that is finished. known: row_sums of datasets, computed
    while they were written; the others are read."""
    sums = add_pieces(known or row_sums(), _pieces(file, tuple(known.sums) if known else ()))
    file.attrs[ATTRIBUTE] = certificate(sums.sums, _tables(file), sums.rows, command).to_json()
