#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Other visibilities in a visibility file, or in a copy of it."""

import contextlib
import os
import shutil

from ..certificates.certified_files import certificate_before, certify
from ..readers.ms_check import written_here
from ..rewriting.measurement_set import linked_copy
from ..ground.staged_files import staged_files
from .visibility_kinds import required_kind
from .visibility_names import check_copy


def check_target(source, path, overwrite=False):
    """Raises what replaced_data() would about its names."""
    kind = required_kind(source)
    if path is not None:
        check_copy(source, path, overwrite)
    elif not kind.has_columns:
        raise ValueError(f'in_place: {source}: a {kind.name} holds one set of visibilities, '
                         'which would be lost; write a copy with output=FILE')


@contextlib.contextmanager
def replaced_data(vis, path, column, history, overwrite=False):
    """A copy of a described visibility file, whose data the body of the with statement replaces:

        file.write(first, data, flags)    data: [dump][channel][product] as in `visibilities`,
                                          from dump number `first` on; flags: True = bad, too

    In a MeasurementSet they become its column `column`, and the others stay. All else stays as it
    is. The copy gets its name at the end, whole, or never. path=None: the MeasurementSet itself
    gets the column, when it is whole. history: a line for it. Raises ValueError where `path` has
    another ending than the source, or cannot be written.
    """
    source = vis.path
    check_target(source, path, overwrite)
    kind = required_kind(source)
    if path is None:
        if not os.access(os.path.join(source, 'table.dat'), os.W_OK):
            raise ValueError(f'{source}: may not be written')
        with staged_files([source]) as copies:
            linked_copy(source, copies[0], (column, 'FLAG'))
            with _written(kind, copies[0], vis, column, history, overwrite) as file:
                yield file
        return
    path = os.path.normpath(path)
    with staged_files(kind.files(path)) as copies:
        for original, copy in zip(kind.files(source), copies):
            if os.path.isdir(original):
                shutil.copytree(original, copy)
            else:
                shutil.copyfile(original, copy)
        with _written(kind, copies[0], vis, column, history) as file:
            yield file
        check_copy(source, path, overwrite)


@contextlib.contextmanager
def _written(kind, path, vis, column, history, overwrite=True):
    """The certificate of a copy holds for what is not changed, so that it is still found where
    others have changed it before."""
    before = certificate_before(path)
    with written_here(path):
        with contextlib.closing(
                kind.rewrite(path, vis, column, overwrite, before=before)) as file:
            yield file
            file.finish(history)
        certify(path, history, file.sums if before else None, before)


def where_in_words(path, source, column):
    """What was written, in words."""
    target = path or source
    if not required_kind(target).has_columns:
        return f'wrote {target}'
    return f'wrote {target}: its column {column}'
