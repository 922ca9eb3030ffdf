#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""All checks of a file."""
import os

from ..certificates.certified_files import certified_kind_of
from ..readers.damage import damage_reported
from ..visibility_files.read_visibilities import read_visibilities
from .certified import certificate_check
from .frequencies import check_frequencies
from .geometry import check_uvw
from .numbers import check_dumps, number_check
from .source import check_source


def verify(path, sources=(), dut1=None, **chosen):
    """Findings on a visibility file, whoever wrote it, or on the certificate of another file:
    recordings of spectra, images, beams, solutions.

    sources: (name, ra, dec) in radians, ICRS, that the file should show. dut1: UT1 - UTC in s.
    chosen: field, spw, subarray, column, as read_visibilities() has them. The file is read a part
    at a time. Raises ValueError where it cannot be read.
    """
    path = os.path.normpath(os.fspath(path))
    kind = certified_kind_of(path)
    if not kind.visibilities:
        return _verify_certificate(path, kind)
    described = read_visibilities(path, with_data=False, **chosen)
    certified = certificate_check(kind.stored(path), described.partial)
    numbers = number_check(described.selection.column)
    for piece in kind.pieces(path):
        certified.add(piece)
        numbers.add(piece)
    return [*certified.findings(lambda: kind.tables(path)), *check_uvw(described, dut1),
            *check_dumps(described), *check_frequencies(described), *numbers.findings(),
            *(check_source(described, *source) for source in sources)]


def _verify_certificate(path, kind):
    with damage_reported(path, 'file of its kind'):
        stored = kind.stored(path)
        certified = certificate_check(stored, '.partial.' in os.path.basename(path))
        for piece in kind.pieces(path) if stored else ():
            certified.add(piece)
        return certified.findings(lambda: kind.tables(path))
