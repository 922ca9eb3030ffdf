#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Files for images that come one after the other: FITS cubes, numbered files, pictures, movies."""

import contextlib
import os

import numpy as np

from ..certificates.fits import FIRST, certify_fits
from ..certificates.fits_cards import with_room
from ..certificates.sums import row_sums
from ..ground.new_file import check_new_file, new_file
from ..readers.fits_check import BLOCK
from .fits_file import command_of, fits_bytes
from .known import known_sources
from .movie import movie_file
from .picture import draw_image
from .stretch import chosen_stretch
from .texts import ENDINGS, NUMBER

#: Images that may be missing one after the other in a cube.
MAX_MISSING = 10000


def image_output(path, unit='count/beam', history=(), overwrite=False, known=None, title=None,
                 rate=10.0, every=None, stretch='auto'):
    """The file, or files, for a series of images, by the name: add(made, number) for each, number
    None: the next one, then close(), or discard().

      x.fits: a cube with an axis TIME;  x_%04d.fits, x_%04d.png: a file for each image, numbered
      from 0 on;  x.png: the newest image;  x.mp4: a movie, `rate` images a second

    unit: of the values; history: lines for FITS files; known: sources to be marked, see
    read_known(); title: of pictures; every: seconds from one image to the next (None: as long as
    the longer one of the first two is); stretch: of the colors of pictures, where `auto` is
    settled by the first image. Raises ValueError for other names, for files that are there already
    (without `overwrite`), and for movies where ffmpeg is not installed.
    """
    ending = os.path.splitext(path)[1].lower()
    numbers = len(NUMBER.findall(os.path.basename(path)))
    if ending not in ENDINGS or path.replace('%', '', numbers).count('%') or numbers > 1:
        raise ValueError(f'{path}: images go into x.fits (a cube), x_%04d.fits or x_%04d.png (one '
                         'file each), x.png (the newest) or x.mp4 (a movie)')
    settled = []

    def content(made, top=None):
        settled[:] = settled or [chosen_stretch(made.mean(), stretch)]
        return picture(made, unit, known, title, top, settled[0])

    if numbers:
        if ending == '.mp4':
            raise ValueError(f'{path}: a movie holds all images; leave out the number')
        check_new_file(NUMBER.sub(lambda m: m[0] % 0, path), overwrite)
        if ending == '.png':
            return numbered_files(path, overwrite, content)
        return numbered_files(path, overwrite, lambda made: fits_bytes(made, history, unit))
    check_new_file(path, overwrite)
    if ending == '.fits':
        return cube_file(path, unit, history, overwrite, every)
    if ending == '.png':
        return newest_picture(path, overwrite, content)
    return movie_file(path, overwrite, rate, content)


def picture(made, unit, known, title, top=None, stretch='auto'):
    """The bytes of a PNG file."""
    import io
    file = io.BytesIO()
    sources = known_sources(known, made) if known else None
    draw_image(made, file, sources, None, unit, title, top, stretch)
    return file.getvalue()


class _several:
    """Counts images, and writes each by itself."""

    by_time = False  #: whether the place of an image follows from its time alone

    def __init__(self, path, overwrite, content):
        self._path, self._overwrite, self._content = path, overwrite, content
        self._number, self._written = 0, []

    def add(self, made, number=None):
        """Writes an image."""
        number = self._number if number is None else number
        self._number = number + 1
        path = self._name(number)
        with new_file(path, self._overwrite or path in self._written) as file:
            file.write(self._content(made))
        if path not in self._written:
            self._written.append(path)

    def close(self):
        """Returns a sentence on what was written."""
        if len(self._written) < 2:
            return f'wrote {self._written[0]}' if self._written else 'wrote nothing'
        return f'wrote {self._written[0]} ... {self._written[-1]}, {len(self._written)} files'

    def discard(self):
        """Nothing: files that are whole stay."""


class numbered_files(_several):
    """A file for each image."""

    def _name(self, number):
        return NUMBER.sub(lambda m: m[0] % number, self._path)


class newest_picture(_several):
    """One picture, which each image replaces."""

    def _name(self, _):
        return self._path


class cube_file:
    """A FITS file with an axis TIME, written image by image; it gets its name at the end.

    Images of times that are missing are not numbers, so the axis is even. Where nothing says how
    long its steps are, the first two images do: recordings rarely begin with a whole dump, so the
    first one may be short.
    """

    by_time = True

    def __init__(self, path, unit, history, overwrite, every):
        self._path, self._unit, self._history, self._overwrite = path, unit, history, overwrite
        self._every, self._count, self._number0 = every, 0, None
        self._zero = 0.0  #: of the axis, in seconds from the begin of the first image
        self._stack, self._file, self._first = contextlib.ExitStack(), None, None
        self._sums = row_sums()

    def add(self, made, number=None):
        """Appends an image; the axis begins with the first one."""
        if self._first is None:
            self._first, self._number0 = made, number or 0
            if self._every is None:
                return
        first = self._first
        if made.values.shape != first.values.shape or made.pixel != first.pixel:
            raise ValueError(f'{self._path}: images of one cube have the same pixels')
        if self._file is None:
            self._begin(made.duration)
        if made is not first or self._count == 0:
            self._append(made, number)

    def close(self):
        """Gives the file its name; returns a sentence on what was written."""
        if self._first is None:
            return 'wrote nothing'
        if self._file is None:
            self._begin()
        self._file.write(bytes(-self._file.tell() % BLOCK))
        self._file.seek(self._axis)
        self._file.write(f'NAXIS5  = {self._count:20}'.encode())
        certify_fits(self._file, command_of(self._history), self._sums)
        self._stack.close()
        return f'wrote {self._path}, {self._count} image' + 's' * (self._count != 1)

    def discard(self):
        """Leaves nothing of the file."""
        with contextlib.suppress(InterruptedError), self._stack:
            raise InterruptedError

    def _begin(self, second=0.0):
        """Writes the header, and the first image if it waited. second: the length of the next."""
        first, waited = self._first, self._every is None
        if waited:
            self._every = max(first.duration, second)
            self._zero = first.duration - self._every
        content = fits_bytes(first, self._history, self._unit, every=self._every,
                             middle=self._zero + self._every / 2)
        self._file = self._stack.enter_context(new_file(self._path, self._overwrite))
        header = with_room(content[:len(content) + -(first.values.size * 4) // BLOCK * BLOCK])
        self._axis = header.index(b'NAXIS5  =')
        self._file.write(header)
        if waited:
            self._append(first)

    def _append(self, made, number=None):
        first = self._first
        since = (made.begin[0] - first.begin[0]) + (made.begin[1] - first.begin[1])
        at = (int((since + made.duration / 2 - self._zero) // self._every) if number is None
              else number - self._number0)
        if not 0 <= at - self._count <= MAX_MISSING:
            raise ValueError(f'{self._path}: image {at} of a cube comes after image '
                             f'{self._count - 1}: times must ascend, and at most {MAX_MISSING} '
                             'images be missing')
        while self._count < at:
            self._write(np.full(made.values.shape, np.nan))
        self._write(made.values[..., ::-1])

    def _write(self, values):
        lines = np.ascontiguousarray(values, '>f4').reshape(-1, values.shape[-1])
        self._sums.add(FIRST, self._count * len(lines), lines)
        self._file.write(lines.tobytes())
        self._count += 1
