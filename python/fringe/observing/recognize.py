#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Which format a recording is in, by its content or its ending."""
import os

from .. import fringe_python as fp
from ..readers.content import holds_uvh5
from ..readers.spectra_file import is_spectra_file


def refuse_other_files(path):
    """ValueError for an HDF5 file of another kind than recorded samples, which names it."""
    if is_spectra_file(path):
        raise ValueError(f"{path}: is a recording of spectra: fringe correlate takes it, alone and "
                         "not in parts, and fringe info")
    if holds_uvh5(path):
        raise ValueError(f"{path}: is a UVH5 file of visibilities, and no recording: fringe info, "
                         "plot and image take it")


def recognize(path):
    """Name of a recording's format, and how it was found: by its content, whatever the file is
    called, or, for samples without a header, by its ending. ValueError where neither tells."""
    refuse_other_files(path)
    if name := fp.format_by_content(path):
        return name, "by its content"
    if name := fp.format_by_ending(path):
        return name, "guessed by its ending"
    ending = os.path.splitext(path)[1]
    names = ", ".join(form.name for form in fp.recording_formats())
    raise ValueError(f"{path}: its content begins like none of the formats with a header, and "
                     f"its ending {repr(ending) + ' ' if ending else ''}tells no format; say "
                     f"which with format=NAME, one of {names}")


def format_for(paths, given, observed):
    """The format of recordings that are read together: `given` by the user, or what they contain,
    which must not contradict the observation's, or the observation's, or by their endings."""
    if given:
        return given
    for path in paths:
        refuse_other_files(path)
    found = {path: fp.format_by_content(path) for path in paths}
    for path, name in found.items():
        if name and observed and name != observed.split(":")[0]:
            raise ValueError(f"{path}: is a recording of format {name} by its content, the "
                             f"observation says {observed}; format=NAME chooses")
    if observed:
        return observed
    try:
        found = {path: recognize(path)[0] for path in paths}
    except ValueError as error:
        raise ValueError(f"format: not given, and no observation file says it; {error}") from None
    first, *others = found.items()
    for path, name in others:
        if name != first[1]:
            raise ValueError(f"{first[0]} is of format {first[1]}, {path} of {name}: recordings of "
                             "one format can be correlated; if they are of one, say it with "
                             "format=NAME")
    return first[1]
