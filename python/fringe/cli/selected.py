#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Options that say which part of a visibility file is read."""
from dataclasses import fields

from ..visibility_files.read_visibilities import read_visibilities
from ..readers.selection import selection


def add_selection(parser, fields=""):
    """Adds --field, --spw, --subarray and --column. fields: words about several fields."""
    group = parser.add_argument_group("of files that hold several")
    group.add_argument("--field", metavar="NAME", help="the field, source or phase center, by name "
                       "or number" + fields)
    group.add_argument("--spw", metavar="N", help="the spectral window, by number or name; 0,2,5: "
                       "the channels of several, all: of all of them")
    group.add_argument("--subarray", metavar="N", help="the subarray, by number")
    group.add_argument("--column", metavar="NAME", help="of a MeasurementSet: DATA, CORRECTED_DATA "
                       "(default where it is) or MODEL_DATA")


def selected(options):
    """Keywords of read_visibilities()."""
    return {part.name: getattr(options, part.name) for part in fields(selection)}


def remarks_of(path, options, *size):
    """What a reader remarks on a file: which column is read, say."""
    return read_visibilities(path, *size, with_data=False, **selected(options)).remarks


def print_notes(remarks, say):
    """Prints them."""
    for remark in remarks:
        say(f"note: {remark}")
