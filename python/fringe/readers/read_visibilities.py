#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A visibility file of any kind, read: the ending of its name says how."""

import os

from .. import fringe_python as fp
from .acc_file import read_acc
from .lfile import read_lfiles
from .measurement_set import read_ms
from .uvfits_file import read_uvfits
from .uvh5_file import read_uvh5
from .visibilities import require_plain_file

#: Endings of the visibility files that can be read, in small letters, and as written.
KINDS = {ending.lower(): ending for ending, _ in fp.readable_visibility_formats()}

#: What reads a file of each ending, from (path, inputs, channels, limit).
READERS = {
    '.ms': lambda path, inputs, channels, limit: read_ms(path, limit),
    '.acc': read_acc,
    '.uvh5': lambda path, inputs, channels, limit: read_uvh5(path, limit),
    '.uvfits': lambda path, inputs, channels, limit: read_uvfits(path, limit),
    '.lccspc': read_lfiles,
    '.lacspc': read_lfiles,
}


def read_visibilities(path, inputs=None, channels=None, with_data=True, limit=2**32,
                      dumps=None):
    """Reads a visibility file (its ending says which kind) into a `visibilities`.

    inputs and channels say what is in an ACC file or a pair of L-files (.LCCSPC, .LACSPC,
    named by either) that has no side file (x.ACC.yml, x.LCCSPC.yml). With
    with_data=False only the description is read, which is quick for any size. Of a file
    whose visibilities would need more than `limit` bytes, dumps at even intervals are read;
    with `dumps`, a range, those, whatever they need.
    Throws ValueError with a sentence: file, what is wrong with it.
    """
    path = os.path.normpath(os.fspath(path))
    if not os.path.exists(path):
        raise ValueError(f'{path}: there is no such file')
    fp.note_read(path)
    ending = os.path.splitext(path)[1].lower()
    if ending in KINDS and ending != '.ms' and not os.path.isdir(path):
        require_plain_file(path)
    if ending not in KINDS:
        raise ValueError(f'{path}: is no visibility file that can be read here; they end in '
                         + ', '.join(KINDS.values()))
    limit = limit if dumps is None else dumps
    return READERS[ending](path, inputs, channels, limit if with_data else None)
