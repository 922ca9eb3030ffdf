#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A file for each direction of beams."""
import contextlib
import os
import re
import resource

from ..ground.new_file import new_file


def paths_of(path, axes):
    """x.fil of several directions becomes x_NAME.fil, or x_1.fil where the direction is no name."""
    if len(axes.directions) == 1:
        return [path]
    stem, ending = os.path.splitext(path)
    names = [re.sub(r"\W+", "_", text) if re.fullmatch(r"[A-Za-z][\w ]*", text) else str(k)
             for k, text in enumerate(axes.directions, 1)]
    if len(set(names)) < len(names):
        names = [str(k) for k in range(1, len(names) + 1)]
    return [f"{stem}_{name}{ending}" for name in names]


def allow_files(count):
    """Lets this program have so many more files open, as far as the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = len(os.listdir("/proc/self/fd")) + count + 256
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))


class direction_files:
    """Opens them; what is derived writes."""

    def __init__(self, path, axes, overwrite=False, history=""):
        self.paths, self._axes, self._history = paths_of(path, axes), axes, history
        allow_files(len(self.paths))
        with contextlib.ExitStack() as files:
            self.files = [files.enter_context(new_file(name, overwrite, keep_partial=True))
                           for name in self.paths]
            self._open = files.pop_all()

    def note(self, sentences):
        """What was lost on the way, known at the end; most formats have no place for it."""

    def close(self, error=None):
        """Gives the files their names; with an exception they stay partial."""
        self._open.__exit__(type(error) if error else None, error, None)
