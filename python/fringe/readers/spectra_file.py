#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Recordings of spectra (x.spectra), as they come in packets: written, and read again.

docs/formats.md has the layout, byte by byte: a header of 4096 bytes of text, then records. A
record has 64 bytes of header, the values of a block of spectra, and a list of what was lost.
"""
import dataclasses
import os
import struct

import numpy as np
import pmt
from gnuradio import gr

from ..ground.streams import TAG, describe, expected_streams, tags_of

MAGIC = b"FRINGE_SPECTRA 1\n"
HEADER = 4096  # bytes
RECORD = struct.Struct("<8sQQQQddd")  # mark, spectra, lost, jump, second, fraction, rate, frequency
MARK = b"SPECTRA\n"
LOST = 6  # numbers
TAG_NAME = pmt.symbol_to_string(TAG)


@dataclasses.dataclass
class spectra_header:
    """What the text at the beginning of a file says."""
    inputs: int
    channels: int
    block: int          #: spectra of a record
    bits: int           #: of each component, 8 or 4
    rate: float         #: spectra a second
    frequency: float    #: Hz, the middle of the channels; 0 = not known
    packet_channels: int  #: channels that get lost together
    time: str = ""      #: a remark on the times where the packets have none

    WORDS = {"INPUTS": ("inputs", int), "CHANNELS": ("channels", int), "BLOCK": ("block", int),
             "BITS": ("bits", int), "RATE": ("rate", float), "FREQUENCY": ("frequency", float),
             "PACKET_CHANNELS": ("packet_channels", int), "TIME": ("time", str)}

    @property
    def data_bytes(self):
        """Bytes of the values of a record."""
        return 2 * self.inputs * self.channels * self.block

    def to_bytes(self):
        """The first 4096 bytes of a file."""
        lines = [f"{word} {kind(getattr(self, name))}\n"
                 for word, (name, kind) in self.WORDS.items()]
        return (MAGIC + "".join(lines).encode("ascii")).ljust(HEADER, b"\0")

    @classmethod
    def read(cls, file, path):
        """Of an open file. ValueError where that is no such file."""
        data = file.read(HEADER)
        if len(data) < HEADER or not data.startswith(MAGIC):
            raise ValueError(f"{path}: is no recording of spectra: it does not begin with "
                             f"'{MAGIC.decode().strip()}' and a header of {HEADER} bytes")
        values = {}
        for line in data[len(MAGIC):].rstrip(b"\0").decode("ascii", "replace").splitlines():
            word, _, value = line.partition(" ")
            if word in cls.WORDS:
                name, kind = cls.WORDS[word]
                try:
                    values[name] = kind(value)
                except ValueError:
                    raise ValueError(f"{path}: header: {word}: '{value}' is no number") from None
        for word, (name, _) in cls.WORDS.items():
            if name not in values:
                raise ValueError(f"{path}: header: {word} is not there")
        header = cls(**values)
        header.check(path)
        return header

    def check(self, path):
        """Refuses numbers that cannot be."""
        for word, good, right in (
                ("INPUTS", 0 < self.inputs <= 65535, "1 ... 65535"),
                ("CHANNELS", 0 < self.channels <= 2**26, "1 ... 2^26"),
                ("BLOCK", 0 < self.block <= 2**24, "1 ... 2^24"),
                ("BITS", self.bits in (4, 8), "4 or 8"),
                ("RATE", 0 < self.rate < 1e12, "a positive number of spectra a second"),
                ("FREQUENCY", abs(self.frequency) < 1e15, "a number of Hz"),
                ("PACKET_CHANNELS", 0 < self.packet_channels <= self.channels,
                 "1 ... CHANNELS")):
            if not good:
                raise ValueError(f"{path}: header: {word}: "
                                 f"{getattr(self, self.WORDS[word][0])}: must be {right}")
        if self.data_bytes > 2**31:
            raise ValueError(f"{path}: header: BLOCK: {self.block}: makes records of "
                             f"{self.data_bytes} bytes; at most 2 GiB are read")


def is_spectra_file(path):
    """True for a recording of spectra, by its content."""
    if not os.path.isfile(path):  # A pipe would wait for somebody who writes.
        return False
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


class spectra_recorder(gr.sync_block):
    """Writes spectra of a udp_source to a file.

    Input: spectra [channel][input][time] of complex int8, `header.block` an item.

      file: open for writing, binary
      header: spectra_header
    """

    def __init__(self, file, header):
        gr.sync_block.__init__(self, "fringe_spectra_recorder",
                               [(np.uint8, header.data_bytes)], None)
        self._file, self._header = file, header
        self._written, self._error, self._began = 0, "", None

    def error(self):
        """Why writing ended, "" if it did not."""
        return self._error

    def samples(self):
        """Spectra written so far."""
        return self._written

    @property
    def began(self):
        """(second, fraction) of the first spectrum, or None."""
        return self._began

    def _lost(self, tags):
        """[what was lost][input, inputs, channel, channels, first spectrum, spectra]"""
        if "lost" in tags:
            return np.array(pmt.u64vector_elements(tags["lost"]), "<u8").reshape(-1, LOST)
        runs = np.array(pmt.u64vector_elements(tags["invalid"]) if "invalid" in tags else [],
                        "<u8").reshape(-1, 3)
        lost = np.zeros((len(runs), LOST), "<u8")
        lost[:, 0], lost[:, 1], lost[:, 3] = runs[:, 0], 1, self._header.channels
        lost[:, 4:] = runs[:, 1:]
        return lost

    def _begin(self, tags):
        if TAG_NAME in tags:
            described = pmt.to_python(tags[TAG_NAME])
            self._header.time = described.get("time", "")
        self._file.write(self._header.to_bytes())

    def _write(self, item, tags):
        if not self._written:
            self._begin(tags)
        jump = "rx_time" in tags
        second, fraction, rate, frequency = 0, 0.0, 0.0, 0.0
        if jump:
            second = pmt.to_uint64(pmt.tuple_ref(tags["rx_time"], 0))
            fraction = pmt.to_double(pmt.tuple_ref(tags["rx_time"], 1))
            rate, frequency = (pmt.to_double(tags[name]) for name in ("rx_rate", "rx_freq"))
            self._began = self._began or (second, fraction)
        count = pmt.to_uint64(tags["spectra"]) if "spectra" in tags else self._header.block
        lost = self._lost(tags)
        self._file.write(RECORD.pack(MARK, count, len(lost), jump, second, fraction, rate,
                                     frequency))
        self._file.write(item.data)
        self._file.write(lost.tobytes())
        self._written += count

    def work(self, input_items, output_items):
        """Writes items."""
        try:
            for k, item in enumerate(input_items[0]):
                self._write(item, tags_of(self, 0, self.nitems_read(0) + k))
        except OSError as error:
            self._error = str(error)
            return -1
        return len(input_items[0])


@dataclasses.dataclass
class spectra_record:
    """The header of a record, and what was lost of it."""
    spectra: int
    jump: bool  #: the header states the time: at the begin and after a jump
    second: int
    fraction: float
    rate: float
    frequency: float
    lost: list = None


class spectra_reader:
    """The records of a file, one after the other; a damaged end ends them.

    The attributes: header, and damage, a sentence, or "".
    """

    def __init__(self, path):
        self.path, self.damage = path, ""
        self._file = open(path, "rb")  # pylint: disable=consider-using-with
        try:
            self.header = spectra_header.read(self._file, path)
        except ValueError:
            self._file.close()
            raise
        self._size = os.fstat(self._file.fileno()).st_size

    def close(self):
        """Closes the file."""
        self._file.close()

    def next(self, values=None):
        """The next record, or None at the end; its values go to the buffer `values`, if given."""
        at = self._file.tell()
        if at >= self._size:
            return None
        data = self._file.read(RECORD.size)
        if len(data) < RECORD.size:
            return self._damaged(at, "ends within the header of a record")
        mark, count, lost, jump, second, fraction, rate, frequency = RECORD.unpack(data)
        if mark != MARK or not 0 < count <= self.header.block or jump > 1:
            return self._damaged(at, "has no record there")
        end = at + RECORD.size + self.header.data_bytes + 8 * LOST * lost
        if end > self._size:
            return self._damaged(at, "ends within a record")
        if values is None:
            self._file.seek(self.header.data_bytes, os.SEEK_CUR)
        else:
            self._file.readinto(values)
        entries = np.frombuffer(self._file.read(8 * LOST * lost), "<u8").reshape(-1, LOST)
        if not self._fit(entries):
            return self._damaged(at, "says that something was lost which the record has not")
        return spectra_record(count, bool(jump), second, fraction, rate, frequency, entries)

    def _fit(self, lost):
        first, count = lost[:, ::2], lost[:, 1::2]
        sizes = np.array([self.header.inputs, self.header.channels, self.header.block], "<u8")
        return bool(((first < sizes) & (count <= sizes) & (first + count <= sizes)).all())

    def _damaged(self, at, what):
        self.damage = f"{self.path}: offset {at}: the file {what}"


class spectra_source(gr.sync_block):
    """Sends the spectra of a file as the udp_source did that they were recorded from.

    Output: spectra [channel][input][time] of complex int8, `header.block` an item.

      path: of the file
      limit: ends after this number of spectra; 0 = all
      frequency: of the middle of the channels, in Hz; 0 = as the file says
    """

    def __init__(self, path, limit=0, frequency=0):
        self._reader = spectra_reader(path)
        header = self._header = self._reader.header
        gr.sync_block.__init__(self, "fringe_spectra_source", None,
                               [(np.uint8, header.data_bytes)])
        self._limit, self._read, self._finished = limit, 0, False
        self._frequency = frequency
        self._missing = np.zeros(header.inputs, np.int64)

    def samples_read(self):
        """Spectra sent so far."""
        return self._read

    def total_samples(self):
        """Spectra to be sent, 0 = as many as there are."""
        return self._limit

    def finish(self):
        """Ends the data."""
        self._finished = True

    def error(self):
        """Why the data ended early, or ""."""
        return self._reader.damage

    def losses(self):
        """Values that were lost, cause -> [input]."""
        return {"missing": self._missing.tolist()}

    def stop(self):
        """Closes the file."""
        self._reader.close()
        return True

    def _tag(self, name, value):
        self.add_item_tag(0, self.nitems_written(0), pmt.intern(name), value)

    def _tag_item(self, record, count):
        header = self._header
        if self.nitems_written(0) == 0:
            described = {"time": header.time} if header.time else {}
            describe(self, 0, "spectra", header.data_bytes, inputs=header.inputs,
                     channels=header.channels, block_spectra=header.block, component="i8",
                     requantize=header.bits, **described)
        if record.jump:
            self._tag("rx_time", pmt.make_tuple(pmt.from_uint64(record.second),
                                                pmt.from_double(record.fraction)))
            self._tag("rx_rate", pmt.from_double(record.rate))
            self._tag("rx_freq", pmt.from_double(self._frequency or record.frequency))
        if count < header.block:
            self._tag("spectra", pmt.from_uint64(count))
        self._tag_lost(record.lost, count)

    def _tag_lost(self, lost, count):
        lost = lost[lost[:, 4] < count].astype(np.int64)
        if not len(lost):
            return
        lost[:, 5] = np.minimum(lost[:, 5], count - lost[:, 4])
        for first, inputs, _, channels, _, spectra in lost:
            self._missing[first:first + inputs] += channels * spectra
        if self._header.packet_channels < self._header.channels:
            self._tag("lost", pmt.init_u64vector(lost.size, lost.ravel().tolist()))
            return
        runs = [(first + k, at, spectra) for first, inputs, _, _, at, spectra in lost.tolist()
                for k in range(inputs)]
        self._tag("invalid", pmt.init_u64vector(3 * len(runs), sum(runs, ())))

    def work(self, _, output_items):
        """Sends a record."""
        out = output_items[0][0]
        record = None if self._finished else self._reader.next(out.data)
        left = self._limit - self._read if self._limit else self._header.block
        if self._reader.damage:
            expected_streams.refuse(self, self._reader.damage)
        if record is None or left <= 0:
            return -1
        count = min(record.spectra, left)
        if count < record.spectra:  # What is not sent is zero, as in any last item.
            out.reshape(-1, self._header.block, 2)[:, count:] = 0
        self._tag_item(record, count)
        self._read += count
        return 1
