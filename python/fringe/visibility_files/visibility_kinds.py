#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Kinds of visibility files: a row of the table says what can be done with each."""

import os
from dataclasses import dataclass
from typing import Callable

from .. import fringe_python as fp
from ..converting.from_ms import content_of_ms
from ..converting.from_uvfits import content_of_uvfits
from ..converting.from_uvh5 import content_of_uvh5
from ..converting.to_ms import write_ms
from ..converting.to_uvfits import write_uvfits
from ..converting.to_uvh5 import write_uvh5
from ..joining.measurement_set import join_ms, width_of_ms
from ..joining.raw_files import join_raw, width_of_raw
from ..joining.uvfits import join_uvfits, width_of_uvfits
from ..joining.uvh5 import join_uvh5, width_of_uvh5
from ..readers import uvfits_file, uvh5_file
from ..readers.acc_file import files_of_acc, read_acc
from ..readers.content import holds_uvh5, is_measurement_set, is_random_groups
from ..readers.lfile import files_of_lfiles, read_lfiles
from ..readers.ms_reader import parts_of_ms, read_ms
from ..readers.spectra_file import is_spectra_file
from ..rewriting.measurement_set import rewritten_ms
from ..rewriting.raw_files import rewritten_raw
from ..rewriting.uvfits import rewritten_uvfits
from ..rewriting.uvh5 import rewritten_uvh5


@dataclass(frozen=True)
class visibility_kind:
    """A kind of visibility file. lib/io/visibilities writes them, and has their endings."""
    ending: str           #: of the names of such files that are written
    read: Callable        #: (path, inputs, channels, limit, selection) -> visibilities
    join: Callable        #: (names of the new files, join_plan): writes several as one
    width_of: Callable    #: (visibilities) -> Hz, the width of a channel
    rewrite: Callable     #: (path, visibilities, ...) -> what puts other data into it
    parts: Callable = None  #: (path) -> selections, one of each part that rows name
    holds: Callable = None  #: (path): whether the content is of this kind; None: nothing tells
    files: Callable = lambda path: [path]  #: all files of a visibility file
    content: Callable = None  #: (descriptions of its parts) -> what converts it, while it is open
    write: Callable = None    #: (path, converted_content): writes a file of this kind
    is_folder: bool = False
    has_columns: bool = False  #: for data of several kinds, beside each other

    @property
    def name(self):
        """What such a file is called."""
        return dict(fp.readable_visibility_formats())[self.ending]


def _rows(read):
    return lambda path, inputs, channels, limit, chosen: read(path, limit, chosen)


def _raw(read):
    def reader(path, inputs, channels, limit, chosen):
        chosen.require_nothing(path, 'a file of this kind has one field, spectral window and '
                                     'column, without names')
        return read(path, inputs, channels, limit)
    return reader


KINDS = (
    visibility_kind('.ms', _rows(read_ms), join_ms, width_of_ms, rewritten_ms, parts_of_ms,
                    is_measurement_set, content=content_of_ms, write=write_ms, is_folder=True,
                    has_columns=True),
    visibility_kind('.uvh5', _rows(uvh5_file.read_uvh5), join_uvh5, width_of_uvh5,
                    rewritten_uvh5, uvh5_file.parts, holds_uvh5, content=content_of_uvh5,
                    write=write_uvh5),
    visibility_kind('.uvfits', _rows(uvfits_file.read_uvfits), join_uvfits, width_of_uvfits,
                    rewritten_uvfits, uvfits_file.parts, is_random_groups,
                    content=content_of_uvfits, write=write_uvfits),
    visibility_kind('.ACC', _raw(read_acc), join_raw, width_of_raw, rewritten_raw,
                    files=files_of_acc),
    visibility_kind('.LCCSPC', _raw(read_lfiles), join_raw, width_of_raw, rewritten_raw,
                    files=files_of_lfiles),
    visibility_kind('.LACSPC', _raw(read_lfiles), join_raw, width_of_raw, rewritten_raw,
                    files=files_of_lfiles),
)

#: Names of visibility files, in words.
VISIBILITY_ENDINGS = ', '.join(kind.ending for kind in KINDS)


def ending_of(path):
    """Of a name, in small letters."""
    return os.path.splitext(os.path.normpath(path))[1].lower()


def kind_by_name(path):
    """The kind that the ending of a name says; None where it says none."""
    return next((kind for kind in KINDS if kind.ending.lower() == ending_of(path)), None)


def kind_of(path):
    """The kind of an existing file, whatever it is called; None where it is of none.

    Its content says it, and its name where the content tells nothing.
    """
    return next((kind for kind in KINDS if kind.holds and kind.holds(path)), kind_by_name(path))


def required_kind(path):
    """The same; ValueError where it is of none, or does not exist."""
    if not os.path.exists(path):
        raise ValueError(f'{path}: there is no such file')
    if is_spectra_file(path):
        raise ValueError(f'{path}: is a recording of spectra, and no visibility file: fringe '
                         'correlate makes visibilities of it')
    kind = kind_of(path)
    if kind is None:
        raise ValueError(
            f'{path}: is no visibility file that can be read here; a MeasurementSet, a UVH5 file '
            'and a UVFITS file are known by their content, others by their ending, '
            + ', '.join(kind.ending for kind in KINDS if not kind.holds))
    return kind
