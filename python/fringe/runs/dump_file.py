#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Dumps in a file, as they leave the integrator: bit for bit, with their tags.

A file is a line that says what it is, and for each dump a line of JSON text with its tags, its
visibilities, [channel][baseline] complex64, and its weights, float32 of the same shape; all of it
little-endian. It is read by the program that wrote it, so it has no description of its own.
"""
import base64
import collections
import concurrent.futures
import hashlib
import json
import os

import numpy as np
import pmt
from gnuradio import gr

from ..ground.dump_items import dump_items
from ..ground.streams import tags_of

FIRST_LINE = b"fringe dumps 1\n"
VALUE = np.dtype("<c8").itemsize
WEIGHT = np.dtype("<f4").itemsize
CHUNK = 1 << 18  # bytes that are read at once: they stay in the cache
PIECE = 1 << 24  # bytes of a file whose checksum one thread makes
CHECKERS = min(4, os.cpu_count() or 1)  # such threads
WAITING = 1 << 23  # bytes of dumps that may wait until they are written: they stay in the cache


class running_checksum:
    """Checksum of bytes that come one after the other: the SHA-256 of the SHA-256 of every 16 MiB,
    so that several threads can make that of a file."""

    def __init__(self):
        self._whole, self._piece, self._left = hashlib.sha256(), hashlib.sha256(), PIECE

    def update(self, data):
        """Takes more bytes."""
        data = memoryview(data).cast("B")
        while data:
            some, data = data[:self._left], data[self._left:]
            self._piece.update(some)
            self._left -= len(some)
            if not self._left:
                self._whole.update(self._piece.digest())
                self._piece, self._left = hashlib.sha256(), PIECE

    def hexdigest(self):
        """Of all bytes so far."""
        whole = self._whole.copy()
        if self._left < PIECE:
            whole.update(self._piece.digest())
        return whole.hexdigest()


def _digest_of_piece(path, at):
    digest, chunk = hashlib.sha256(), memoryview(bytearray(CHUNK))
    with open(path, "rb", buffering=0) as file:
        left = PIECE
        while left and (count := os.preadv(file.fileno(), [chunk[:left]], at + PIECE - left)):
            digest.update(chunk[:count])
            left -= count
    return digest.digest()


def begin_checksum(path, pool):
    """Has threads make the checksum of a file; checksum_of() waits for it."""
    return [pool.submit(_digest_of_piece, path, at)
            for at in range(0, os.path.getsize(path), PIECE)]


def checksum_of(pieces):
    """Hexadecimal, as running_checksum's."""
    whole = hashlib.sha256()
    for piece in pieces:
        whole.update(piece.result())
    return whole.hexdigest()


def checksum(path):
    """That of a file, as running_checksum's."""
    with concurrent.futures.ThreadPoolExecutor(CHECKERS) as pool:
        return checksum_of(begin_checksum(path, pool))


class dump_recorder(gr.sync_block):
    """Writes dumps, visibilities and weights, to a file.

    Input 0: visibilities, complex64 [channel][baseline], channels_per_item channels an item;
    input 1: weights, float32, same shape. What they are is not looked at: dump_player sends the
    same items with the same tags. Where the process has several processors a thread of its own
    writes, so that the correlator does not wait for it; close() waits until all is written.

      file: open for writing, binary
    """

    def __init__(self, file, products, channels, channels_per_item):
        values = products * channels_per_item
        gr.sync_block.__init__(self, name="fringe_dump_recorder",
                               in_sig=[(np.complex64, values), (np.float32, values)],
                               out_sig=None)
        self._file, self._digest = file, running_checksum()
        self._dump = dump_items(products, channels, channels_per_item, ("<c8", "<f4"))
        self._dumps, self._error = 0, None
        self._writer = (concurrent.futures.ThreadPoolExecutor(1)
                        if len(os.sched_getaffinity(0)) > 1 else None)
        self._waiting = collections.deque()  # dumps that are being written
        self._max_waiting = max(1, WAITING // (values * self._dump.items * (VALUE + WEIGHT)))
        self._write(FIRST_LINE)

    def _write(self, *pieces):
        for data in pieces:
            self._digest.update(data)
            self._file.write(data)

    def _wait(self, limit):
        """Until no more than so many dumps wait; raises what went wrong with them."""
        while len(self._waiting) > limit:
            self._waiting.popleft().result()

    def close(self):
        """Waits until all dumps are written: error(), dumps() and checksum() are final then."""
        try:
            self._wait(0)
        except OSError as error:
            self._error = self._error or error
        if self._writer:
            self._writer.shutdown(wait=True, cancel_futures=True)

    def checksum(self):
        """That of what was written, see running_checksum."""
        return self._digest.hexdigest()

    def dumps(self):
        """Dumps written so far."""
        return self._dumps

    def error(self):
        """Why writing failed, an OSError; None if it did not."""
        return self._error

    def _begin(self, item):
        tags = [{key: base64.b64encode(pmt.serialize_str(value)).decode()
                 for key, value in tags_of(self, port, item).items()} for port in (0, 1)]
        self._tags = json.dumps(tags).encode() + b"\n"
        self._dump.begin()

    def work(self, input_items, output_items):
        """Writes a dump with its last item."""
        values, weights = input_items
        at = 0
        try:
            while at < len(values):
                if self._dump.begins:
                    self._begin(self.nitems_read(0) + at)
                at += self._dump.add(values[at:], weights[at:])
                if self._dump.whole:
                    pieces = [part.data.cast("B") for part in self._dump.end()]
                    if self._writer:
                        self._waiting.append(
                            self._writer.submit(self._write, self._tags, *pieces))
                        self._wait(self._max_waiting)
                    else:
                        self._write(self._tags, *pieces)
                    self._dumps += 1
        except OSError as error:
            self._error = error
            return -1
        return len(values)


class dump_player(gr.sync_block):
    """Sends the dumps of files of dump_recorder on, one file after the other, as they came.

    Output 0: visibilities, output 1: weights, see dump_recorder.

      paths: the files
      finished: called with the number of each file that has been sent
      checksums: of the files, which are looked at while the dumps are sent; the data end when
        all files that were sent have been looked at. None: they have been before
      failed: called with a sentence when the data end because a file cannot be read, or is not
        what its checksum says

    The attributes losses, saturated, flagger and backend are those of a correlator without a
    search for interference.
    """

    flagger, backend, reads = None, "cpu", True

    def __init__(self, paths, products, channels, channels_per_item, finished=None,
                 checksums=None, failed=None):
        values = products * channels_per_item
        gr.sync_block.__init__(self, name="fringe_dump_player", in_sig=None,
                               out_sig=[(np.complex64, values), (np.float32, values)])
        self._items = channels // channels_per_item
        self._values, self._paths, self._finished = values, list(paths), finished
        self._checksums, self._checks, self._failed = checksums, [], failed
        self._checker = concurrent.futures.ThreadPoolExecutor(CHECKERS)
        self._number, self._file, self._item, self._sent = -1, None, 0, False
        self._error, self._stop = "", False

    def error(self):
        """Why reading failed, "" if it did not."""
        return self._error

    def finish(self):
        """Ends the data with the dump that is being sent."""
        self._stop = True

    def _next_file(self):
        """Opens the next file that holds anything; False when there is none."""
        if self._file:
            self._file.close()
            if self._finished:
                self._finished(self._number)
        self._number += 1
        if self._number == len(self._paths):
            self._file = None
            return False
        self._file = open(self._paths[self._number], "rb")
        if self._checksums:  # the next one as well, so that it is in memory when it is sent
            for path in self._paths[len(self._checks):self._number + 2]:
                self._checks.append(begin_checksum(path, self._checker))
        if self._file.readline() != FIRST_LINE:
            raise ValueError(f"{self._paths[self._number]}: is no file of dumps")
        return True

    def _begin(self):
        """Reads the tags of the next dump and sends them; False when there is none."""
        line = b""
        while not line:
            if self._stop or (not self._file and self._number >= 0):
                return False
            line = self._file.readline() if self._file else b""
            if not line and not self._next_file():
                return False
        for port, tags in enumerate(self._tags_of(line)):
            for key, value in tags.items():
                # What the stream is was said at its begin.
                if key != "stream" or not self._sent:
                    self.add_item_tag(port, self.nitems_written(port), pmt.intern(key), value)
        self._sent = True
        self._at = self._file.tell()
        return True

    def _tags_of(self, line):
        """Those of a dump, {name: value} of each port. The checksum of the file may come later, so
        ValueError for whatever a damaged line says."""
        try:
            return [{str(key): pmt.deserialize_str(base64.b64decode(value, validate=True))
                     for key, value in tags.items()} for tags in json.loads(line)][:2]
        except Exception as error:  # pylint: disable=broad-except
            raise ValueError(f"{self._paths[self._number]}: is damaged, at the tags of a dump: "
                             f"{error}") from None

    def _end(self):
        """Of the data: raises ValueError where a file was not what it should be."""
        for number, check in enumerate(self._checks[:self._number + 1]):
            if checksum_of(check) != self._checksums[number]:
                raise ValueError(f"{self._paths[number]}: is not what was written: its checksum "
                                 "is another one")
        self._checker.shutdown(wait=False, cancel_futures=True)
        return -1

    def _read(self, at, out):
        """Fills `out` with the bytes from a place of the file on."""
        left = memoryview(out).cast("B")
        while left:
            got = os.preadv(self._file.fileno(), [left], at)
            if not got:
                raise ValueError(f"{self._paths[self._number]}: ends early, at byte {at}")
            at, left = at + got, left[got:]

    def work(self, input_items, output_items):
        """Sends items of one dump."""
        try:
            if self._item == 0 and not self._begin():
                return self._end()
            count = min(len(output_items[0]), self._items - self._item)
            offset, total = self._item * self._values, self._items * self._values
            self._read(self._at + VALUE * offset, output_items[0][:count])
            self._read(self._at + VALUE * total + WEIGHT * offset, output_items[1][:count])
            self._item += count
            if self._item == self._items:
                self._item = 0
                self._file.seek(self._at + (VALUE + WEIGHT) * total)
            return count
        except (OSError, ValueError) as error:
            self._checker.shutdown(wait=False, cancel_futures=True)
            self._error = str(error)
            if self._failed:
                self._failed(self._error)
            return -1
