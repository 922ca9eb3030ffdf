#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A visibility file of one kind made to one of another: fringe convert."""

import errno
import functools
import os
import shutil
from dataclasses import dataclass, field, replace

from ..certificates.certified_files import certify
from ..converting.content import BYTES
from ..ground.new_file import remembers_what_it_reads
from ..ground.options import with_options
from ..ground.staged_files import staged_files
from ..readers.ms_check import written_here
from ..readers.selection import ALL, selection, several_parts, wrong_part
from .read_visibilities import read_visibilities
from .visibility_kinds import KINDS, kind_by_name, required_kind
from .visibility_names import check_names

#: Bytes of a row without its visibilities, and of the tables and half empty tiles of a folder.
ROW, FOLDER = 128, 2**22


@dataclass
class convert_result:
    """What was written."""
    path: str
    rows: int        #: two antennas at one time, in all of their channels
    fields: int
    notes: list = field(default_factory=list)  #: what the new file does not hold

    def __str__(self):
        fields = f', {self.fields} fields' if self.fields > 1 else ''
        return f'wrote {self.path}: {self.rows} rows{fields}'


@remembers_what_it_reads
def convert(path, output, overwrite=False, history='', **chosen):
    """Writes the visibilities of a file into one of another kind; returns a convert_result.

    path: a MeasurementSet, a UVH5 or a UVFITS file. output: ends in .ms, .uvh5 or .uvfits. Kept are
    data, flags, weights, uvw, times, correlations, all fields and spectral windows, antennas with
    their mounts and feeds, and the history, to which `history` is added; phase centers become ICRS
    and times UTC. The notes of the result say what a file of the new kind cannot hold; where that
    is part of the visibilities, ValueError says it and nothing is written. field, spw, subarray,
    column: what is converted, as read_visibilities() has them; by default all fields and windows.
    """
    path, output = (os.path.normpath(os.fspath(name)) for name in (path, output))
    source, target = required_kind(path), kind_by_name(output)
    endings = [kind.ending for kind in KINDS if kind.write]
    if not source.content:
        raise ValueError(f'{path}: is a {source.name}, which has no phase center, weights or '
                         f'flags; files of {", ".join(endings)} are converted (fringe correlate '
                         'writes them)')
    if target is None or not target.write:
        raise ValueError(f'output: {output}: must end in {", ".join(endings)}')
    if target is source:
        raise ValueError(f'output: {output}: {path} is a {source.name} already; choose another '
                         'kind')
    described = _described(path, source, selection(**chosen))
    _check(path, described)
    check_names(target, output, overwrite)
    with staged_files([output]) as copies, source.content(described) as content:
        content.history += [history or f'converted from {path}']
        if content.feeds.trouble:
            content.notes.append(f'mounts and feeds are left out: {content.feeds.trouble}')
        if described[0].partial:
            content.notes.append(f'{path} is not finished: it holds what had been written when its '
                                 'maker stopped')
        _require_space(output, content, target)
        with written_here(copies[0]):
            certify(copies[0], content.history[-1], target.write(copies[0], content))
        check_names(target, output, overwrite)
    notes = list(dict.fromkeys([note for vis in described for note in vis.remarks]
                               + content.notes))
    return convert_result(output, sum(len(part.ant1) for part in content.parts),
                          len(content.centers()[0]), notes)


with_options(convert, selection)


def _require_space(output, content, kind):
    """Raises OSError where the disk is too full: HDF5 and casacore end the program if it fills."""
    free = shutil.disk_usage(os.path.dirname(os.path.abspath(output))).free
    size = FOLDER * kind.is_folder + sum(
        len(part.ant1) * (ROW + BYTES * part.channels * len(part.codes)) for part in content.parts)
    if size > free:
        raise OSError(errno.ENOSPC, f'needs about {size / 1e6:.3g} MB, and the disk has '
                      f'{free / 1e6:.3g} MB left', output)


def _described(path, kind, chosen):
    """Descriptions of all parts of a file that a choice leaves."""
    if kind.has_columns and chosen.spw is None:
        # A row of another kind has the channels of all windows.
        with_all = replace(chosen, spw=ALL)
    else:
        with_all = chosen
    try:
        return [_description(path, with_all)]
    except several_parts:
        parts = kind.parts(path)
    except wrong_part:
        if with_all is chosen:
            raise
        parts = kind.parts(path)
    wanted = {name: value for name, value in chosen.keywords().items() if value is not None}
    wrong = []

    @functools.cache  # parts of several windows are one part
    def description(some):
        try:
            return _description(path, some)
        except wrong_part as error:  # another field has that window, or other times
            wrong.append(error)
            return None
    found = {}
    for part in parts:
        mine = replace(part, **wanted)
        vis = description(replace(mine, spw=with_all.spw or mine.spw)) or description(mine)
        if vis is not None:
            found[vis.selection] = vis
    if not found:
        raise wrong[-1]
    return list(found.values())


def _description(path, chosen):
    return read_visibilities(path, with_data=False, **chosen.keywords())


def _check(path, described):
    for vis in described:
        if vis.phase_center is None:
            raise ValueError(f'{path}: is not phased to a place in the sky, as files of all kinds '
                             'that are written are')
        if not vis.has_times:
            raise ValueError(f'{path}: does not say when it was made')
    arrays = {vis.selection.subarray for vis in described}
    if len(arrays) > 1:
        raise ValueError(f'{path}: holds {len(arrays)} subarrays, '
                         f'{", ".join(map(str, sorted(arrays)))}: choose one with subarray=NUMBER')
