#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A SigMF recording that grows: a file of samples, and a file that describes them."""
import contextlib
import hashlib
import json
import time

from .. import fringe_python as fp
from ..ground.new_file import new_file

VERSION = "1.2.0"
DIGITS = 18  # of a second: an epoch is written as it is
REWRITTEN = 1.0  # seconds between two descriptions of a file that grows

#: Encodings of raw blocks, and what SigMF calls them.
DATATYPES = {"cf32": "cf32_le", "ci16": "ci16_le", "cu16": "cu16_le", "ci8": "ci8", "cu8": "cu8",
             "f32": "rf32_le", "i16": "ri16_le", "u16": "ru16_le", "i8": "ri8", "u8": "ru8"}


def iso(instant):
    """A time in UTC as SigMF has it, exact, without zeros at its end."""
    whole, dot, fraction = instant.iso(DIGITS).rstrip("Z").partition(".")
    fraction = fraction.rstrip("0")
    return whole + (dot + fraction if fraction else "") + "Z"


class sigmf_pair:
    """The files BASE.sigmf-data and BASE.sigmf-meta, whose names are partial until close().

    The metadata stand beside the samples from the start on, and are written anew where samples
    were lost, so what is there after a crash can be read. Samples that were lost are left out: a
    capture with its core:global_index begins behind them, and an annotation says how many.
    """

    def __init__(self, base, words, start, frequency, overwrite):
        """base: the path without an ending; words: of the object `global`; start: epoch of sample
        0 of the stream; frequency: Hz, 0 = not known."""
        self.base, self.samples = base, 0
        self._words, self._start, self._frequency = words, start, frequency
        self._captures, self._annotations, self._next = [], [], None
        self._open = contextlib.ExitStack()
        try:
            # The samples get their name first: metadata without them would look whole.
            self._described = self._open.enter_context(
                new_file(base + ".sigmf-meta", overwrite, keep_partial=True))
            self._data = self._open.enter_context(
                new_file(base + ".sigmf-data", overwrite, keep_partial=True))
        except BaseException:
            self._open.close()
            raise
        self._written, self._when = None, 0.0

    def write(self, first, data, count):
        """Writes `count` samples of every channel, from sample `first` of the stream on."""
        if first != self._next:
            self._begin_capture(first)
        self._data.write(data)
        self.samples += count
        self._next = first + count
        if self._written != len(self._captures) and time.monotonic() > self._when + REWRITTEN:
            self._describe()

    def _begin_capture(self, first):
        capture = {"core:sample_start": self.samples, "core:global_index": first, "core:datetime":
                   iso(self._start.plus_samples(first, self._words["core:sample_rate"]))}
        if self._frequency:
            capture["core:frequency"] = self._frequency
        self._captures.append(capture)
        if self._next is not None:
            self._annotations.append({
                "core:sample_start": self.samples, "core:sample_count": 1,
                "core:label": "behind a gap", "core:generator": self._words["core:recorder"],
                "core:comment": f"{first - self._next} samples were lost before this one"})

    def _describe(self):
        """Writes the metadata anew. They only grow, so what is there is whole at any instant."""
        text = json.dumps({"global": self._words, "captures": self._captures,
                           "annotations": self._annotations}, indent=1).encode() + b"\n"
        self._described.seek(0)
        self._described.write(text)
        self._described.flush()
        self._data.flush()
        self._written, self._when = len(self._captures), time.monotonic()
        return text

    def close(self):
        """Gives both files their names; returns SHA-512 of the metadata, as collections have it."""
        text = self._describe()
        self._open.close()
        return hashlib.sha512(text).hexdigest()

    def leave(self, error):
        """Ends the writing; both files keep their partial names."""
        with contextlib.suppress(OSError, RuntimeError, ValueError):
            self._describe()
        with contextlib.suppress(type(error)):
            self._open.__exit__(type(error), error, None)


def global_words(encoding, rate, channels, more):
    """The object `global` of a recording; more: other keys of it. ValueError where SigMF has no
    word for the samples."""
    if encoding not in DATATYPES:
        raise ValueError(f"samples are {encoding}; SigMF has those of {', '.join(DATATYPES)}: "
                         "record x.vdif")
    return {"core:datatype": DATATYPES[encoding], "core:sample_rate": rate, "core:version": VERSION,
            "core:num_channels": channels, "core:recorder": f"gr-fringe {fp.__version__}", **more}
