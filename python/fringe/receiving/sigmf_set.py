#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""SigMF recordings of several receivers, in files of so many samples, and their collection."""
import contextlib
import json
import os

from .. import fringe_python as fp
from ..ground.new_file import check_new_file, new_file
from .sigmf_pair import VERSION, sigmf_pair

ENDINGS = (".sigmf-meta", ".sigmf-data", ".sigmf-collection")


class sigmf_set:
    """What fringe record writes for x.sigmf-collection: a pair of files of each receiver, or of
    each part of it, and the collection that names them all.

        x.sigmf-meta               of one receiver in one file
        x.rx0.sigmf-meta           of several receivers
        x.0000.sigmf-meta          in parts: part n has samples n L to (n + 1) L - 1
        x.rx0.0000.sigmf-meta      both

    Every .sigmf-meta has its .sigmf-data. The collection is x.partial.sigmf-collection until all
    of its recordings are whole; what it names meanwhile can be read.

    path: x.sigmf-collection, or x.sigmf-meta for a single pair. words: `global` of each receiver.
    length: L, samples of a part; 0 = one part.
    """

    def __init__(self, path, words, length=0, overwrite=False):
        self.path, self._words, self._length, self._overwrite = path, words, length, overwrite
        self._stem, ending = os.path.splitext(path)
        self._single = ending != ".sigmf-collection"
        if self._single and (len(words) > 1 or length):
            raise ValueError(f"output: {path}: is one recording, and {len(words)} receiver"
                             f"{'s' if len(words) > 1 else ''}{' in parts' if length else ''} are "
                             f"several: give {self._stem}.sigmf-collection")
        self._open = [None] * len(words)  # (part, pair)
        self._whole = [[] for _ in words]  # (part, name, hash) of each receiver
        self.start, self.frequency = None, 0.0
        for receiver in range(len(words)):
            for name in self._names(self._base(receiver, 0)):
                check_new_file(name, overwrite, keep_partial=True)
        if not self._single:
            check_new_file(path, overwrite)

    def _base(self, receiver, part):
        return (self._stem + (f".rx{receiver}" if len(self._words) > 1 else "")
                + (f".{part:04d}" if self._length else ""))

    @staticmethod
    def _names(base):
        return base + ".sigmf-data", base + ".sigmf-meta"

    def begin(self, start, frequency):
        """start: epoch of sample 0; frequency: Hz, 0 = not known."""
        self.start, self.frequency = start, frequency

    def write(self, receiver, first, data, count):
        """Writes samples [time] of a receiver: `count`, from sample `first` of the stream on, as
        bytes (a numpy array of uint8, [time][bytes])."""
        done = 0
        while done < count:
            at = first + done
            part = at // self._length if self._length else 0
            n = min(count - done, (part + 1) * self._length - at) if self._length else count
            self._pair(receiver, part).write(at, data[done:done + n].data, n)
            done += n

    def _pair(self, receiver, part):
        if self._open[receiver] and self._open[receiver][0] != part:
            self._finish(receiver)
        if not self._open[receiver]:
            words = dict(self._words[receiver])
            if not self._single:
                words["core:collection"] = os.path.basename(self._stem)
            self._open[receiver] = part, sigmf_pair(self._base(receiver, part), words, self.start,
                                                    self.frequency, self._overwrite)
            self._write_partial()
        return self._open[receiver][1]

    def _finish(self, receiver):
        part, pair = self._open[receiver]
        self._open[receiver] = None
        self._whole[receiver].append((part, os.path.basename(pair.base), pair.close()))

    def _text(self):
        """The collection, of what is whole and what is being written."""
        streams = []
        for whole, growing in zip(self._whole, self._open):
            streams += [{"name": name, "hash": digest} for _, name, digest in whole]
            if growing:
                streams.append({"name": os.path.basename(growing[1].base) + ".partial"})
        return json.dumps({"collection": {
            "core:version": VERSION, "core:streams": streams,
            "core:description": f"recorded by gr-fringe {fp.__version__}"}}, indent=1) + "\n"

    @property
    def partial(self):
        """The name of the collection meanwhile."""
        return f"{self._stem}.partial.sigmf-{'meta' if self._single else 'collection'}"

    def _write_partial(self):
        if not self._single:
            with new_file(self.partial, overwrite=True, text=True) as file:
                file.write(self._text())

    def close(self):
        """Ends all files, and then the collection, under its own name."""
        for receiver, growing in enumerate(self._open):
            if growing:
                self._finish(receiver)
        if self._single:
            return
        with new_file(self.path, self._overwrite, text=True) as file:
            file.write(self._text())
        if os.path.exists(self.partial):
            os.remove(self.partial)

    def leave(self, error):
        """After a failure: what is being written keeps its partial name."""
        for growing in self._open:
            if growing:
                growing[1].leave(error)
        if self.start:
            with contextlib.suppress(OSError, RuntimeError, ValueError):
                self._write_partial()

    @property
    def silent(self):
        """Receivers of which nothing was written."""
        return [k for k, whole in enumerate(self._whole) if not whole and not self._open[k]]
