#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Kinds of visibility files: a row of the table says what can be done with each."""

import importlib
import os
from dataclasses import dataclass
from typing import Callable

from .. import fringe_python as fp
from ..readers.content import holds_uvh5, is_measurement_set, is_random_groups
from ..readers.spectra_file import is_spectra_file


@dataclass(frozen=True)
class visibility_kind:
    """A kind of visibility file. lib/io/visibilities writes them, and has their endings."""
    ending: str           #: of the names of such files that are written
    read: Callable        #: (path, inputs, channels, limit, selection) -> visibilities
    join: Callable        #: (names of the new files, join_plan): writes several as one; row_sums
    width_of: Callable    #: (visibilities) -> Hz, the width of a channel
    rewrite: Callable     #: (path, visibilities, ...) -> what puts other data into it
    parts: Callable = None  #: (path) -> selections, one of each part that rows name
    holds: Callable = None  #: (path): whether the content is of this kind; None: nothing tells
    files: Callable = lambda path: [path]  #: all files of a visibility file
    content: Callable = None  #: (descriptions of its parts) -> what converts it, while it is open
    write: Callable = None    #: (path, converted_content): writes a file of this kind; row_sums
    is_folder: bool = False
    has_columns: bool = False  #: for data of several kinds, beside each other

    @property
    def name(self):
        """What such a file is called."""
        return dict(fp.readable_visibility_formats())[self.ending]


def _later(name):
    """A function of another room, by room, module and name, which is loaded when it is called
    first: few programs need all that can be done with all kinds."""
    module, _, function = name.rpartition('.')

    def call(*arguments, **words):
        found = getattr(importlib.import_module(f'..{module}', __package__), function)
        return found(*arguments, **words)
    return call


def _rows(read):
    return lambda path, inputs, channels, limit, chosen: read(path, limit, chosen)


def _raw(read):
    def reader(path, inputs, channels, limit, chosen):
        chosen.require_nothing(path, 'a file of this kind has one field, spectral window and '
                                     'column, without names')
        return read(path, inputs, channels, limit)
    return reader


KINDS = (
    visibility_kind('.ms', _rows(_later('readers.ms_reader.read_ms')),
                    _later('joining.measurement_set.join_ms'),
                    _later('joining.measurement_set.width_of_ms'),
                    _later('rewriting.measurement_set.rewritten_ms'),
                    _later('readers.ms_reader.parts_of_ms'), is_measurement_set,
                    content=_later('converting.from_ms.content_of_ms'),
                    write=_later('converting.to_ms.write_ms'),
                    is_folder=True, has_columns=True),
    visibility_kind('.uvh5', _rows(_later('readers.uvh5_file.read_uvh5')),
                    _later('joining.uvh5.join_uvh5'),
                    _later('joining.uvh5.width_of_uvh5'),
                    _later('rewriting.uvh5.rewritten_uvh5'),
                    _later('readers.uvh5_file.parts'), holds_uvh5,
                    content=_later('converting.from_uvh5.content_of_uvh5'),
                    write=_later('converting.to_uvh5.write_uvh5')),
    visibility_kind('.uvfits', _rows(_later('readers.uvfits_file.read_uvfits')),
                    _later('joining.uvfits.join_uvfits'),
                    _later('joining.uvfits.width_of_uvfits'),
                    _later('rewriting.uvfits.rewritten_uvfits'),
                    _later('readers.uvfits_file.parts'), is_random_groups,
                    content=_later('converting.from_uvfits.content_of_uvfits'),
                    write=_later('converting.to_uvfits.write_uvfits')),
    visibility_kind('.ACC', _raw(_later('readers.acc_file.read_acc')),
                    _later('joining.raw_files.join_raw'),
                    _later('joining.raw_files.width_of_raw'),
                    _later('rewriting.raw_files.rewritten_raw'),
                    files=_later('readers.acc_file.files_of_acc')),
    visibility_kind('.LCCSPC', _raw(_later('readers.lfile.read_lfiles')),
                    _later('joining.raw_files.join_raw'),
                    _later('joining.raw_files.width_of_raw'),
                    _later('rewriting.raw_files.rewritten_raw'),
                    files=_later('readers.lfile.files_of_lfiles')),
    visibility_kind('.LACSPC', _raw(_later('readers.lfile.read_lfiles')),
                    _later('joining.raw_files.join_raw'),
                    _later('joining.raw_files.width_of_raw'),
                    _later('rewriting.raw_files.rewritten_raw'),
                    files=_later('readers.lfile.files_of_lfiles')),
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
