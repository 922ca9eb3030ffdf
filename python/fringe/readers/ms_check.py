#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""MeasurementSets of unknown origin: casacore survives reading them, or they are refused."""

import contextlib
import os
import stat

from .. import fringe_python as fp

#: Files of a MeasurementSet, more than any has.
MAX_FILES = 100_000
#: A set of fewer bytes is read through; of a larger one some cells of each column of arrays.
READ_THROUGH = 2**26

#: State of the files of the sets that have passed, by the folder's real path.
_passed = {}
#: Sets that this process writes.
_own = set()


def check_ms(path, kind='MeasurementSet'):
    """Raises ValueError for a folder with pipes or devices, which casacore would wait for or read
    without end, and for a set that casacore does not survive.

    kind: what the tables are, in words."""
    state, size = _state(path, kind)
    place = os.path.realpath(path)
    if place in _own or _passed.get(place) == state:
        return
    wrong = fp.wrong_tables([(path, size <= READ_THROUGH)])
    if wrong:
        raise ValueError(f'{path}: is a damaged {kind}: {wrong}')
    _passed[place] = state


def check_together(paths):
    """Checks several sets in one program, which is quicker than check_ms() for each. It raises
    nothing: what does not pass is for check_ms() to say."""
    found = {}
    for path in paths:
        place = os.path.realpath(path)
        with contextlib.suppress(ValueError):
            state, size = _state(path, 'MeasurementSet')
            if place not in _own and _passed.get(place) != state:
                found[place] = path, state, size
    if len(found) < 2:
        return
    if not fp.wrong_tables([(path, size <= READ_THROUGH) for path, _, size in found.values()]):
        _passed.update({place: state for place, (_, state, _) in found.items()})


@contextlib.contextmanager
def written_here(path):
    """While the body writes a set, it is taken as sound."""
    place = os.path.realpath(path)
    _own.add(place)
    try:
        yield
    finally:
        _own.discard(place)


def _state(path, kind):
    """What tells files from changed ones, and their bytes."""
    left, found, size = MAX_FILES, [], 0
    for folder, folders, files in os.walk(path, followlinks=True):
        left -= len(folders) + len(files)
        if left < 0:
            raise ValueError(f'{path}: holds more than {MAX_FILES} files, which no {kind} does')
        for name in files:
            member = os.path.join(folder, name)
            try:
                status = os.stat(member)
            except FileNotFoundError:  # its writer has removed it
                continue
            except OSError as error:
                raise ValueError(f'{member}: cannot be read: {error.strerror}') from None
            if not stat.S_ISREG(status.st_mode):
                raise ValueError(f'{member}: is not a plain file, and stands in a {kind}')
            found.append((member, status.st_ino, status.st_size, status.st_mtime_ns))
            size += status.st_size
    return found, size
