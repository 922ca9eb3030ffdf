#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A visibility file of any kind, read."""

import os
from dataclasses import replace

from .. import fringe_python as fp
from .visibility_kinds import required_kind
from ..readers.content import is_measurement_set
from ..readers.selection import (is_all, selection, several_parts, several_words,
                                 wrong_part)
from ..readers.visibilities import require_plain_file


def read_visibilities(path, inputs=None, channels=None, with_data=True, limit=2**32,
                      dumps=None, field=None, spw=None, subarray=None, column=None):
    """Reads a visibility file (its content says which kind) into a `visibilities`.

    inputs and channels say what is in an ACC file or a pair of L-files (.LCCSPC, .LACSPC,
    named by either) that has no side file (x.ACC.yml, x.LCCSPC.yml). With
    with_data=False only the description is read, which is quick for any size. Of a file
    whose visibilities would need more than `limit` bytes, dumps at even intervals are read;
    with `dumps`, a range, those, whatever they need.

    field, spw, subarray: which field (source, phase center), spectral window and subarray of a
    file that holds several, by name or number as the file has them; spw='0,2,5' or 'all': the
    channels of some or all windows in one axis. column: DATA, CORRECTED_DATA or MODEL_DATA of a
    MeasurementSet; by default CORRECTED_DATA where it is. `selection` of the result says what was
    read.
    Throws ValueError with a sentence: file, what is wrong with it.
    """
    path = os.path.normpath(os.fspath(path))
    if not os.path.exists(path):
        raise ValueError(f'{path}: there is no such file')
    fp.note_read(path)
    kind = required_kind(path)
    if not os.path.isdir(path):
        require_plain_file(path)
    limit = limit if dumps is None else dumps
    return kind.read(path, inputs, channels, limit if with_data else None,
                     selection(field, spw, subarray, column))


def describe_files(paths, **chosen):
    """Descriptions of several files, as read_visibilities(with_data=False) makes each; of each
    field of a file, where `field` names several with commas between, or is 'all'."""
    sets = [path for path in paths if is_measurement_set(path)]
    if len(sets) > 1:
        from ..readers.ms_check import check_together
        check_together(sets)
    return [vis for path in paths for vis in _fields(path, chosen)]


def _fields(path, chosen):
    """Descriptions of the fields of a file that a choice names: one, several names or numbers with
    commas between, or all that have the chosen window."""
    wanted = chosen.get('field')
    rest = {name: value for name, value in chosen.items() if name != 'field'}
    parts = required_kind(path).parts
    if is_all(wanted) and parts is not None:
        found, wrong = [], []
        for number in dict.fromkeys(part.field for part in parts(path)):
            try:
                found.append(read_visibilities(path, with_data=False, field=number, **rest))
            except several_parts:
                raise
            except wrong_part as error:  # another field has that window
                wrong.append(error)
        if not found:
            raise wrong[0]
        found[0].remarks += [f'left out: {error}' for error in wrong]
        return found
    try:
        return [read_visibilities(path, with_data=False, **chosen)]
    except wrong_part:
        # A name may have commas in it.
        if several_words(wanted) is None:
            raise
    return [read_visibilities(path, with_data=False, field=word, **rest)
            for word in dict.fromkeys(several_words(wanted))]


def read_dumps(described, dumps):
    """A range of the dumps of a file that was described by read_visibilities(with_data=False):
    where its reader kept what it had found, it is not looked for again."""
    found = described.reader and described.reader(dumps)
    return found or read_visibilities(described.path, dumps=dumps,
                                      **described.selection.keywords())


def read_parts(path, inputs=None, channels=None, **chosen):
    """Descriptions of all parts of a visibility file that a choice leaves, without data."""
    try:
        return [read_visibilities(path, inputs, channels, with_data=False, **chosen)]
    except several_parts:
        wanted = {name: value for name, value in chosen.items() if value is not None}
        parts = dict.fromkeys(replace(part, **wanted)
                              for part in required_kind(path).parts(path))
    found = []
    for part in parts:
        try:
            found.append(read_visibilities(path, with_data=False, **part.keywords()))
        except wrong_part as error:  # another field has that window
            wrong = error
    if not found:
        raise wrong
    return found
