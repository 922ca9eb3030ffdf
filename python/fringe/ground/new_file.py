#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Files that are written whole or not at all, and never over what is read."""
import contextlib
import functools
import os

from .. import fringe_python as fp


@contextlib.contextmanager
def new_file(path, overwrite=False, text=False, keep_partial=False):
    """A file to write, in a with statement; all files that Python writes come from here.

    It is made under a hidden name beside `path`, ".x.writing", which no link is followed to, and
    which is locked: a second process that writes to `path` is refused. At the end of the with
    statement it is on the disk and gets its name; when that ends by an exception nothing is
    left. What a dead process left is removed.

    With keep_partial the name meanwhile is x.partial.y, and what was written until an exception
    stays there; an empty file never does.

    A plain file of that name is replaced with `overwrite`; anything else, a link, a device, a
    pipe, a folder, never, nor a file that is read (fringe.reading). Raises ValueError for these,
    OSError and RuntimeError where it cannot be written.
    """
    target = fp.output_target(os.fspath(path), overwrite, keep_partial)
    try:
        with open(target.file(), "w" if text else "wb",
                  encoding="utf-8" if text else None) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        target.commit()
    except BaseException:
        kept = keep_partial and os.path.exists(target.partial()) and os.path.getsize(
            target.partial())
        if kept:
            target.leave()
        else:
            target.discard()
        raise


def check_new_file(path, overwrite=False, keep_partial=False):
    """Raises what new_file() would: before work begins, when all that is read has been."""
    fp.output_target(os.fspath(path), overwrite, keep_partial).discard()


def remembers_what_it_reads(function):
    """What the function reads cannot be replaced by what it writes."""
    @functools.wraps(function)
    def wrapped(*arguments, **options):
        with fp.reading():
            return function(*arguments, **options)
    return wrapped
