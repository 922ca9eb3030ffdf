#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""VDIF frames, as they are written: sizes, headers, times.

(M. Kettenis, C. Phillips, M. Sekido, A. Whitney, "VDIF Specification", release 1.1.1, 2014,
vlbi.org/vdif; the rate is in the extension of NICT, number 1.)
"""
import calendar
import math
import time

import numpy as np

from .. import fringe_python as fp

#: Encodings whose numbers VDIF has, and the byte that turns two's complement into its code.
SIGNED = {"i8": 0x80, "ci8": 0x80, "i16": 0x8000, "ci16": 0x8000}
CODES = (*SIGNED, "u8", "cu8_128", "u16", "cu16", "vdif1", "vdif2", "vdif4", "cvdif1", "cvdif2",
         "cvdif4")
HEADER = 32  # bytes
MAX_FRAME = 65536  # bytes
MAX_A_SECOND = 2**24
EXTENSION, SYNC = 1, 0xacabfeed
INVALID = 1 << 31


class vdif_frames:
    """The frames that samples become. ValueError where VDIF cannot say it.

      name: of what is written, for errors; encoding: name of the samples' encoding; streams:
      channels of an instant; sample_rate: Hz, of each; block: a whole number of frames is a block
      of so many samples, and a second; longest: bytes of a frame's samples at most, if there are
      frames as short

    The attributes: encoding, streams, rate (Hz), samples (of each channel in a frame), payload
    (bytes).
    """

    def __init__(self, name, encoding, streams, sample_rate, block, longest=MAX_FRAME):
        self.encoding = fp.encoding_by_name(encoding)
        self.name, self.streams, self.rate = name, streams, round(sample_rate)
        if encoding not in CODES:
            raise ValueError(f"{name}: samples are {encoding}; VDIF has the numbers of "
                             f"{', '.join(CODES)}")
        if streams & (streams - 1):
            raise ValueError(f"{name}: {streams} channels of an instant; VDIF has a power of two")
        if abs(sample_rate - self.rate) > 1e-9 * self.rate:
            raise ValueError(f"{name}: {sample_rate:.12g} samples a second; VDIF, which "
                             "counts the frames of a second, needs a whole number")
        bits = self.encoding.bits * streams
        whole = math.gcd(block, self.rate)
        fit = [n for n in range(1, min(whole, 8 * MAX_FRAME // bits) + 1)
               if whole % n == 0 and n * bits % 64 == 0 and n * bits // 8 + HEADER <= MAX_FRAME
               and self.rate // n <= MAX_A_SECOND]
        if not fit:
            raise ValueError(f"{name}: blocks of {block} samples, at {self.rate} samples "
                             "a second, cannot be divided into VDIF frames that make whole seconds")
        small = [n for n in fit if n * bits // 8 <= longest]
        self.samples = small[-1] if small else fit[0]
        self.payload = self.samples * bits // 8

    @classmethod
    def of_packets(cls, layout, name):
        """Those of packets of a layout. A packet is a whole number of frames, so that a lost one
        is frames marked as invalid, and nothing else."""
        if layout.spectra:
            raise ValueError(f"{name}: packets of spectra cannot be recorded as VDIF; fringe "
                             "correlate --live makes visibilities of them")
        if layout.stream_major and layout.streams > 1:
            raise ValueError(f"{name}: packets have one input after the other; VDIF has all inputs "
                             "of an instant together")
        return cls(name, layout.encoding, layout.streams, layout.sample_rate, layout.samples)

    @property
    def a_second(self):
        """Frames a second."""
        return self.rate // self.samples

    def words(self):
        """The words 2 to 7 of a header, but for the thread."""
        is_complex = self.encoding.complex_samples
        bits = self.encoding.bits // (2 if is_complex else 1)
        unit = 1000 if is_complex else 2000
        stated = self.rate % unit == 0 and self.rate // unit < 2**23
        return [1 << 29 | (self.streams.bit_length() - 1) << 24 | (HEADER + self.payload) // 8,
                int(is_complex) << 31 | (bits - 1) << 26,
                EXTENSION << 24 | self.rate // unit if stated else 0, SYNC if stated else 0, 0, 0]


class vdif_writer:
    """Writes frames to a file: file: open for writing, binary; frames: vdif_frames; threads: how
    many."""

    def __init__(self, file, frames, threads):
        self._file, self._frames = file, frames
        self._next = None  #: number of the frames to come, counted since 1970
        self._reference, self._half_years = None, 0
        self._words = np.zeros((1, threads, 8), "<u4")
        self._words[..., 2:] = frames.words()
        self._words[..., 3] |= np.arange(threads, dtype="<u4") << 16
        self.written = 0  #: frames of each thread

    def begin(self, seconds, frame):
        """The next frames are number `frame` of a second since 1970, and those that follow."""
        if self._reference is None:
            date = time.gmtime(seconds)
            half = date.tm_mon > 6
            if date.tm_year < 2000:
                raise ValueError(f"{self._frames.name}: time: {date.tm_year}: VDIF begins in 2000; "
                                 "see sync_time")
            self._half_years = (2 * (date.tm_year - 2000) + half) % 64
            self._reference = calendar.timegm((date.tm_year, 7 if half else 1, 1, 0, 0, 0))
        if seconds < self._reference:
            raise ValueError(f"{self._frames.name}: time: goes back to before the half year in "
                             "which the data began")
        self._next = seconds * self._frames.a_second + frame

    def write(self, data, bad):
        """Writes codes, bytes [frame][thread][payload]; where `bad` [frame][thread] is True, the
        frame is marked as invalid."""
        frames, count = self._frames, len(data)
        out = np.empty((*bad.shape, HEADER + frames.payload), np.uint8)
        out[..., HEADER:] = data
        flip = SIGNED.get(frames.encoding.name)
        if flip == 0x80:
            out[..., HEADER:] ^= 0x80
        elif flip:
            out[..., HEADER + 1::2] ^= 0x80
        out[..., HEADER:][bad] = 0
        number = self._next + np.arange(count)[:, None]
        words = np.repeat(self._words, count, axis=0)
        words[..., 0] = number // frames.a_second - self._reference
        words[..., 0] |= np.where(bad, INVALID, 0).astype("<u4")
        words[..., 1] = self._half_years << 24 | number % frames.a_second
        out[..., :HEADER] = words.view(np.uint8)
        self._file.write(out.data)
        self._next += count
        self.written += count
