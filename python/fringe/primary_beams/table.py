#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Beams that were measured or computed elsewhere, as a table."""

import numpy as np

from .. import fringe_python as fp
from .dishes import angles_from_middle


class table:
    """A file of lines `frequency angle power` or `frequency angle power_X power_Y`, in Hz, degrees
    from the middle and parts of the power at the middle; # begins a comment, commas may stand
    between. The beam is round. Between angles and between frequencies the powers follow straight
    lines; beyond the last angle of a frequency there is nothing.
    """

    fixed = False

    def __init__(self, path):
        rows = []
        for number, line in enumerate(fp.read_text_file(path).splitlines(), 1):
            fields = line.partition('#')[0].replace(',', ' ').split()
            if not fields:
                continue
            try:
                values = [float(value) for value in fields]
            except ValueError:
                values = []
            if len(values) not in (3, 4) or not np.isfinite(values).all() or min(values) < 0:
                raise ValueError(f'beam: {path}: line {number}: {line.strip()}: must be a '
                                 'frequency in Hz, an angle in degrees, and the power of both or '
                                 'of X and Y, none below 0')
            rows.append(values[:3] + [values[-1]])
        if not rows:
            raise ValueError(f'beam: {path}: has no lines of frequency, angle and power')
        rows = np.array(rows)
        self._path, self._frequencies = path, np.unique(rows[:, 0])
        self._tables = [rows[rows[:, 0] == f][:, 1:] for f in self._frequencies]
        for f, part in zip(self._frequencies, self._tables):
            if len(part) < 2 or (np.diff(part[:, 0]) <= 0).any() or part[0, 0] != 0:
                raise ValueError(f'beam: {path}: at {f:.10g} Hz the angles must ascend from 0 on')
        self.alike = bool((rows[:, 2] == rows[:, 3]).all())
        self.words = (f'table of {path}, {self._frequencies[0] / 1e6:g} to '
                      f'{self._frequencies[-1] / 1e6:g} MHz')

    def power(self, directions, frequency):
        """[...][2] of unit vectors (l, m, n) from the middle."""
        f = self._frequencies
        if not f[0] <= frequency <= f[-1]:
            raise ValueError(f'beam: {self._path}: has {f[0]:.10g} to {f[-1]:.10g} Hz, and not '
                             f'{frequency:.10g} Hz')
        above = min(int(np.searchsorted(f, frequency)), len(f) - 1)
        below = max(above - 1, 0)
        part = (frequency - f[below]) / (f[above] - f[below]) if above > below else 0.0
        angle = np.degrees(angles_from_middle(directions))
        return ((1 - part) * self._at(below, angle) + part * self._at(above, angle)
                if part < 1 else self._at(above, angle))

    def _at(self, number, angle):
        part = self._tables[number]
        return np.stack([np.interp(angle, part[:, 0], part[:, k], right=0) for k in (1, 2)],
                        axis=-1)
