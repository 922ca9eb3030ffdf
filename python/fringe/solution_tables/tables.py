#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Kinds of files of solutions: a row of the table says what can be done with each."""

import os
from dataclasses import dataclass, replace
from typing import Callable

from ..ground.new_file import check_new_file
from ..readers.content import begins_hdf5
from ..readers.hdf5_file import open_hdf5
from .casa_reader import holds_casa, read_casa
from .casa_writer import check_casa, check_casa_name, write_casa
from .fringe_hdf5 import check_hdf5, holds_solutions, read_hdf5, write_hdf5
from .uvcal import check_uvcal, holds_uvcal, read_uvcal, write_uvcal


@dataclass(frozen=True)
class table_kind:
    """A kind of file of solutions."""
    ending: str        #: of the names of such files that are written
    name: str          #: what it is called
    read: Callable     #: (path, polarizations) -> solutions
    write: Callable    #: (path, solutions, overwrite)
    holds: Callable    #: (path): whether the content is of this kind
    check: Callable    #: (solutions): raises ValueError where such files cannot hold them
    free: Callable     #: (path, overwrite): raises ValueError where none can be written there
    one_term: bool     #: a file has one term


KINDS = (
    table_kind(".h5", "HDF5 file of gr-fringe", read_hdf5, write_hdf5, holds_solutions, check_hdf5,
               check_new_file, False),
    table_kind(".cal", "calibration table of CASA", read_casa, write_casa, holds_casa, check_casa,
               check_casa_name, True),
    table_kind(".calh5", "UVH5-cal file", read_uvcal, write_uvcal, holds_uvcal, check_uvcal,
               check_new_file, True),
)

#: Names of files of solutions, in words.
TABLE_ENDINGS = ", ".join(kind.ending for kind in KINDS)


def is_solution_table(path):
    """True for a file of solutions, by its content."""
    return any(kind.holds(path) for kind in KINDS)


def read_solutions(path, polarizations=None):
    """The `solutions` in a file: of gr-fringe (HDF5), of CASA (a table) or of pyuvdata (UVH5-cal).

    polarizations: XY or RL, for tables of CASA that do not say it. The content tells the kind,
    whatever the file is called. Raises ValueError for a file of another kind, and for one that
    cannot be read.
    """
    path = os.path.normpath(os.fspath(path))
    if not os.path.exists(path):
        raise ValueError(f"{path}: there is no such file")
    kind = next((kind for kind in KINDS if kind.holds(path)), None)
    if kind is None:
        if begins_hdf5(path):
            open_hdf5(path).close()  # says what is wrong with a damaged one
        raise ValueError(f"{path}: holds no calibration solutions that can be read; known are "
                         + ", ".join(f"{kind.name} ({kind.ending})" for kind in KINDS))
    return kind.read(path, polarizations)


def check_new_table(path, overwrite=False):
    """Raises what write_solutions() would about a name, before work begins."""
    path = os.path.normpath(os.fspath(path))
    _kind_of_name(path).free(path, overwrite)


def write_solutions(path, found, overwrite=False):
    """Writes `solutions` to a file; the names of the files that were written.

    The ending of the name says of which kind: .h5 has all terms; .cal (a table of CASA) and .calh5
    (UVH5-cal) have one each, and of several terms x.cal becomes x.1.K.cal, x.2.G.cal ... in their
    order. Each gets its name when it is whole. Raises ValueError for another ending, where the
    format cannot hold a term, and where one of the names is taken, before the first file is
    written.
    """
    path = os.path.normpath(os.fspath(path))
    kind = _kind_of_name(path)
    if not found.terms:
        raise ValueError(f"{path}: there is no term to be written")
    try:
        kind.check(found)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if not kind.one_term or len(found.terms) == 1:
        kind.write(path, found, overwrite)
        return [path]
    stem, ending = os.path.splitext(path)
    names = [f"{stem}.{number}.{term.kind}{ending}" for number, term in enumerate(found.terms, 1)]
    for name in names:
        kind.free(name, overwrite)
    for name, term in zip(names, found.terms):
        kind.write(name, replace(found, terms=[term]), overwrite)
    return names


def _kind_of_name(path):
    ending = os.path.splitext(path)[1].lower()
    kind = next((kind for kind in KINDS if kind.ending == ending), None)
    if kind is None:
        raise ValueError(f"{path}: must end in {TABLE_ENDINGS}")
    return kind
