#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Means of beams into files, evenly in time, while a flowgraph runs."""
import numpy as np
import pmt
from gnuradio import gr

from .. import fringe_python as fp
from ..ground.streams import expected_streams, tags_of

#: Means that are written at a time, and the most that these and their weights may take, bytes.
ROWS, BYTES = 256, 2**27


def in_words(error):
    """What an exception says."""
    return getattr(error, "strerror", None) or str(error) or repr(error)


class beam_sink(gr.sync_block):
    """Writes the means of a beamformer.

    Input 0: means, float32 [row][channel]; input 1: weights, float32 [beam][channel], with the tags
    of a beamformer.

    The means lie on a grid of time, in multiples of their length since 1970. One that a gap cut in
    two is put together again, and where there is none at all stand zeros, of weight 0.

      axes: beam_axes
      writers: a list of what writes; see beam_formats.py
    """

    LEAST = "spectrum"  #: that a recording must hold
    BLOCK = "fringe_beam_sink"  #: its name in logs and metrics

    def __init__(self, axes, writers):
        self._axes, self.writers, self._error = axes, writers, ""
        shapes = [(rows, len(axes.frequencies)) for rows in (axes.rows, axes.beams)]
        sizes = [int(np.prod(shape)) for shape in shapes]
        # A vector of one is no vector for GNU Radio, and numpy warns of it.
        gr.sync_block.__init__(self, name=self.BLOCK, out_sig=None, in_sig=[
            (np.float32, size) if size > 1 else np.float32 for size in sizes])
        self._shapes = shapes
        self._picos = round(axes.interval * 1e12)
        rows = min(max(BYTES // (4 * sum(sizes)), 1), ROWS)
        self._rows = [np.empty((rows, *shape), np.float32) for shape in shapes]
        self.begin_again()

    def begin_again(self):
        """Forgets what has come."""
        self._cell = None  #: that comes next in the file
        self._held, self._seconds = None, 0.0  #: the cell under way, and of it there so far
        self._filled = 0  #: of the rows
        self._error, self.written, self.gaps = "", 0, 0

    def dumps(self):
        """Means written so far; `gaps` of them have no weight."""
        return self.written

    def error(self):
        """Why writing ended early; "" where it did not."""
        return self._error

    def files(self):
        """Names of the files."""
        return [path for writer in self.writers for path in writer.paths]

    def sentences(self):
        """What was written, and what to know of it."""
        axes = self._axes
        beams, channels = len(axes.directions), len(axes.frequencies)
        return [f"{self.written} mean{'' if self.written == 1 else 's'} of {axes.interval:g} s, "
                f"{beams} direction{'' if beams == 1 else 's'}, "
                f"{channels} channel{'' if channels == 1 else 's'}",
                *([f"note: {self.gaps} of the means lie in gaps, and are zeros"] if self.gaps
                  else [])]

    def note(self, sentences):
        """What was lost on the way goes into the files."""
        for writer in self.writers:
            writer.note(sentences)

    def work(self, input_items, output_items):
        """Takes means."""
        try:
            for k in range(len(input_items[0])):
                tags = tags_of(self, 0, self.nitems_read(0) + k)
                if "rx_time" in tags:
                    self._take(tags, [item[k].reshape(shape)
                                      for item, shape in zip(input_items, self._shapes)])
        except Exception as error:  # pylint: disable=broad-except
            self._error = in_words(error)
            expected_streams.refuse(self, f"beam_sink: {self._error}")
            return -1
        return len(input_items[0])

    def _take(self, tags, values):
        seconds, fraction = pmt.to_python(tags["rx_time"])
        length = pmt.to_python(tags["interval"])
        if length > 1.5 * self._axes.interval:  # they end with whole spectra, which may be long
            raise ValueError(f"means of {length:g} s came, and means of {self._axes.interval:g} s "
                             "are written: give the beamformer and this block the same interval")
        # A spectrum belongs to the mean in which its middle lies, so one may begin a little early.
        middle = seconds * 10**12 + round((fraction + length / 2) * 1e12)
        cell = middle // self._picos
        if cell != self._held:
            self._finish()
            self._begin(cell)
        if cell == self._cell:  # not where a clock went back
            self._add(length, values)

    def _begin(self, cell):
        """Another cell is under way; zeros stand for those that are missing before it."""
        self._held, self._seconds = cell, 0.0
        self._cell = cell if self._cell is None else self._cell
        while self._cell < cell:
            self._put((0, 0))

    def _add(self, length, values):
        """A part of the cell under way. Most have one, whose numbers stay as they are."""
        before, self._seconds = self._seconds, self._seconds + length
        for rows, value in zip(self._rows, values):
            row = rows[self._filled]
            row[...] = ((before * row.astype(float) + length * value) / self._seconds if before
                        else value)

    def _finish(self):
        """The cell under way is whole."""
        if self._held is not None and self._held == self._cell:
            self._put()
        self._held = None

    def _put(self, values=()):
        for rows, value in zip(self._rows, values):
            rows[self._filled] = value
        self.gaps += not np.any(self._rows[1][self._filled])
        self._filled += 1
        self._cell += 1
        if self._filled == len(self._rows[0]):
            self._write()

    def _write(self):
        if self._filled:
            seconds, picos = divmod((self._cell - self._filled) * self._picos, 10**12)
            start = fp.epoch.from_pair(seconds, picos / 1e12)
            for writer in self.writers:
                writer.write(start, *[rows[:self._filled] for rows in self._rows])
            self.written += self._filled
            self._filled = 0

    def finish(self):
        """Writes what is left; to be called when the flowgraph has ended."""
        self._finish()
        self._write()
