#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Raw sample blocks written as VDIF frames: packets that come live become a recording."""
import calendar
import math
import time

import numpy as np
import pmt

from .. import fringe_python as fp
from .recorder import recorder

#: Encodings whose numbers VDIF has, and the byte that turns two's complement into its code.
SIGNED = {"i8": 0x80, "ci8": 0x80, "i16": 0x8000, "ci16": 0x8000}
CODES = (*SIGNED, "u8", "cu8_128", "u16", "cu16", "vdif1", "vdif2", "vdif4", "cvdif1", "cvdif2",
         "cvdif4")
HEADER = 32  # bytes
MAX_FRAME = 65536  # bytes
MAX_A_SECOND = 2**24
EXTENSION, SYNC = 1, 0xacabfeed
INVALID = 1 << 31
OFF_SAMPLE = 1e-3  # of a sample


class vdif_frames:
    """The frames that packets of a layout become. A packet is a whole number of frames, so that a
    lost one is frames marked as invalid, and nothing else. ValueError where VDIF cannot say it.

    The attributes: rate (Hz), samples (of each input in a frame), payload (bytes).
    """

    def __init__(self, layout, name):
        self.encoding = fp.encoding_by_name(layout.encoding)
        self.name, self.streams, self.rate = name, layout.streams, round(layout.sample_rate)
        if layout.spectra:
            raise ValueError(f"{name}: packets of spectra cannot be recorded as VDIF; fringe "
                             "correlate --live makes visibilities of them")
        if layout.encoding not in CODES:
            raise ValueError(f"{name}: samples are {layout.encoding}; VDIF has the numbers of "
                             f"{', '.join(CODES)}")
        if layout.stream_major and self.streams > 1:
            raise ValueError(f"{name}: packets have one input after the other; VDIF has all inputs "
                             "of an instant together")
        if self.streams & (self.streams - 1):
            raise ValueError(f"{name}: {self.streams} inputs are in a packet; VDIF has a power of "
                             "two")
        if abs(layout.sample_rate - self.rate) > 1e-9 * self.rate:
            raise ValueError(f"{name}: {layout.sample_rate:.12g} samples a second; VDIF, which "
                             "counts the frames of a second, needs a whole number")
        bits = self.encoding.bits * self.streams
        whole = math.gcd(layout.samples, self.rate)
        fit = [n for n in range(1, whole + 1) if whole % n == 0 and n * bits % 64 == 0
               and n * bits // 8 + HEADER <= MAX_FRAME and self.rate // n <= MAX_A_SECOND]
        if not fit:
            raise ValueError(f"{name}: packets of {layout.samples} samples, at {self.rate} samples "
                             "a second, cannot be divided into VDIF frames that make whole seconds")
        self.samples = fit[-1]
        self.payload = self.samples * bits // 8

    def words(self):
        """The words 2 to 7 of a header, but for the thread."""
        is_complex = self.encoding.complex_samples
        bits = self.encoding.bits // (2 if is_complex else 1)
        unit = 1000 if is_complex else 2000
        stated = self.rate % unit == 0 and self.rate // unit < 2**23
        return [1 << 29 | (self.streams.bit_length() - 1) << 24 | (HEADER + self.payload) // 8,
                int(is_complex) << 31 | (bits - 1) << 26,
                EXTENSION << 24 | self.rate // unit if stated else 0, SYNC if stated else 0, 0, 0]


class vdif_recorder(recorder):
    """Writes raw sample blocks of a udp_source to a file of VDIF frames.

    Input: bytes [source][time][stream], `block` samples of each input an item. Every source is a
    thread. Frames with invalid samples are marked; no frames are written where time jumps.

      file: open for writing, binary
      frames: vdif_frames of the packets
      sources: number of them
    """

    def __init__(self, file, frames, sources, block):
        self._frames, self._sources, self._file = frames, sources, file
        self._block = block // frames.samples
        recorder.__init__(self, "vdif_recorder", sources * self._block * frames.payload)
        self._next = None  # second and number of the frames to come
        self._reference, self._half_years = None, 0
        self._written = 0
        self._words = np.zeros((1, sources, 8), "<u4")
        self._words[..., 2:] = frames.words()
        self._words[..., 3] |= np.arange(sources, dtype="<u4") << 16

    def samples(self):
        """Samples of every input written so far."""
        return self._written * self._frames.samples

    def _begin(self, value):
        seconds = pmt.to_uint64(pmt.tuple_ref(value, 0))
        fraction = pmt.to_double(pmt.tuple_ref(value, 1))
        frames = self._frames
        sample = round(fraction * frames.rate)
        if sample % frames.samples or abs(fraction * frames.rate - sample) > OFF_SAMPLE:
            raise ValueError(f"{frames.name}: packets begin {fraction * frames.rate:.6f} samples "
                             f"behind a whole second; VDIF frames of {frames.samples} samples "
                             "begin at multiples of these")
        if self._reference is None:
            date = time.gmtime(seconds)
            half = date.tm_mon > 6
            if date.tm_year < 2000:
                raise ValueError(f"{frames.name}: time: {date.tm_year}: VDIF begins in 2000; see "
                                 "sync_time")
            self._half_years = (2 * (date.tm_year - 2000) + half) % 64
            self._reference = calendar.timegm((date.tm_year, 7 if half else 1, 1, 0, 0, 0))
            self.began = seconds, fraction
        if seconds < self._reference:
            raise ValueError(f"{frames.name}: time: goes back to before the half year in which the "
                             "data began")
        rate = frames.rate // frames.samples  # frames a second
        self._next = seconds * rate + sample // frames.samples

    def _invalid(self, tags, count):
        """Whether frames are bad, [frame][source]."""
        bad = np.zeros((count, self._sources), bool)
        if "invalid" in tags:
            runs = np.array(pmt.u64vector_elements(tags["invalid"]), np.int64).reshape(-1, 3)
            for stream, first, length in runs:
                size = self._frames.samples
                bad[first // size:-(-(first + length) // size), stream // self._frames.streams] = 1
        return bad

    def write(self, item, tags):
        """Writes an item."""
        if "rx_time" in tags:
            self._begin(tags["rx_time"])
        frames = self._frames
        count = self._block
        if "samples" in tags:
            count = min(count, pmt.to_uint64(tags["samples"]) // frames.samples)
        bad = self._invalid(tags, count)
        out = np.empty((count, self._sources, HEADER + frames.payload), np.uint8)
        data = item.reshape(self._sources, self._block, frames.payload)[:, :count]
        out[..., HEADER:] = data.swapaxes(0, 1)
        flip = SIGNED.get(frames.encoding.name)
        if flip == 0x80:
            out[..., HEADER:] ^= 0x80
        elif flip:
            out[..., HEADER + 1::2] ^= 0x80
        out[..., HEADER:][bad] = 0
        rate = frames.rate // frames.samples
        number = self._next + np.arange(count)[:, None]
        words = np.repeat(self._words, count, axis=0)
        words[..., 0] = number // rate - self._reference
        words[..., 0] |= np.where(bad, INVALID, 0).astype("<u4")
        words[..., 1] = self._half_years << 24 | number % rate
        out[..., :HEADER] = words.view(np.uint8)
        self._file.write(out.data)
        self._next += count
        self._written += count
