#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Files and folders that are made under other names, and appear whole or not at all."""
import contextlib
import os
import tempfile


@contextlib.contextmanager
def staged_files(names):
    """Paths for files, or folders, to be written in a with statement, which get `names` at its end.

    They lie in a hidden folder beside the first of the names, which is removed at the end. What
    stands under the names is replaced in one step each, when all of the new ones are on the disk.
    """
    folder = os.path.dirname(os.path.abspath(names[0]))
    with tempfile.TemporaryDirectory(prefix='.fringe-', dir=folder) as scratch:
        copies = [os.path.join(scratch, os.path.basename(name)) for name in names]
        yield copies
        for copy in copies:
            _sync(copy)
        for name, copy in zip(names, copies):
            if os.path.isdir(name):
                os.rename(name, os.path.join(scratch, 'replaced'))
            os.replace(copy, name)


def _sync(copy):
    """All of it is on the disk when this returns."""
    inside = [os.path.join(folder, name) for folder, _, names in os.walk(copy) for name in names]
    for name in inside if os.path.isdir(copy) else [copy]:
        file = os.open(name, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
