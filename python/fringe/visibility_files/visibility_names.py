#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Names that new visibility files may have."""

import os

from .. import fringe_python as fp
from ..ground.new_file import check_new_file
from .visibility_kinds import ending_of, required_kind


def check_copy(source, path, overwrite=False):
    """Raises ValueError where a file made of `source`, of its kind, cannot have this name."""
    kind = required_kind(source)
    allowed = list(dict.fromkeys([ending_of(source), kind.ending.lower()]))
    if ending_of(path) not in allowed:
        raise ValueError(f'output: {path}: must end in {" or ".join(filter(None, allowed))}, as '
                         f'{source} does: files of one kind, {kind.name}, go together')
    check_names(kind, path, overwrite)


def check_names(kind, path, overwrite=False):
    """Raises ValueError where the files of a visibility file of this name cannot be written."""
    for name in kind.files(path):
        if not kind.is_folder:
            check_new_file(name, overwrite)
        elif os.path.lexists(name):
            _check_folder(kind, name, overwrite)
        elif not os.path.isdir(os.path.dirname(os.path.abspath(name))):
            raise ValueError(f'{name}: there is no folder {os.path.dirname(name)}')


def _check_folder(kind, name, overwrite):
    if not overwrite:
        raise ValueError(f'{name}: exists; choose another name, remove it or allow overwriting '
                         '(overwrite=True)')
    if os.path.islink(name) or not kind.holds(name):
        raise ValueError(f'{name}: is no {kind.name}, which alone is replaced')
    lost = fp.read_in_place_of(name)
    if lost:
        raise ValueError(f'{name}: would replace {lost}, which is read')
