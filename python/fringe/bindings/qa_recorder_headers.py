#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Keys of PSRDADA and GUPPI raw headers that change the layout are obeyed or refused."""
import unittest

import numpy as np

from gnuradio import fringe
from gnuradio.fringe.describing.info import describe
from gnuradio.fringe.receiving.read_samples import read_samples
from qa_scratch import scratch_case

SAMPLES = 8192


class header_case(scratch_case):
    seed = 271

    def noise(self, *shape):
        """Whole numbers of 8 bits, [...][re, im]."""
        return np.rint(self.rng.normal(0, 20, (*shape, 2))).clip(-127, 127).astype(np.int8)

    def refused(self, path, *words):
        """One sentence with all of the words, from info."""
        with self.assertRaises((ValueError, RuntimeError)) as caught:
            describe(path)
        sentence = str(caught.exception)
        for word in (path, *words):
            self.assertIn(word, sentence)
        self.assertNotIn("\n", sentence)

    def check_input(self, path, wanted, expected, format=None):
        """An input of a recording is those numbers, [time][re, im]."""
        found, *_ = read_samples(path, format, wanted=wanted)
        expected = np.asarray(expected, float)
        np.testing.assert_array_equal(found, expected[..., 0] + 1j * expected[..., 1])


class qa_dada(header_case):

    def dada(self, name, data, **more):
        words = dict(HEADER="DADA", HDR_VERSION=1.0, HDR_SIZE=4096, UTC_START="2026-01-01-00:00:00",
                     OBS_OFFSET=0, FREQ=1400.0, TSAMP=1.0, NBIT=8, NDIM=2, NPOL=1, NCHAN=1) | more
        head = "".join(f"{key} {value}\n" for key, value in words.items() if value is not None)
        with open(self.path(name), "wb") as out:
            out.write(head.encode().ljust(4096, b"\0") + data.tobytes())
        return self.path(name)

    def test_order_of_bytes(self):
        x = np.rint(self.rng.normal(0, 2000, (SAMPLES, 2)))
        for bits, kind in ((16, "i2"), (32, "f4")):
            for endian, mark in (("BIG", ">"), ("LITTLE", "<")):
                path = self.dada("x.dada", x.astype(mark + kind), NBIT=bits, ENDIAN=endian)
                self.check_input(path, 0, x)
        self.refused(self.dada("x.dada", x.astype("<i2"), NBIT=16, ENDIAN="MIDDLE"),
                     "ENDIAN MIDDLE", "LITTLE", "BIG")

    def test_orders_of_axes(self):
        """Three channels of two antennas and two polarizations: whichever runs fastest."""
        x = self.noise(SAMPLES, 3, 2, 2)  # [time][channel][antenna][polarization]
        axes = {"T": 0, "F": 1, "A": 2, "P": 3}
        for order in ("TFAP", "TFPA", "TAFP", "TPAF", "TAPF", "TPFA"):
            path = self.dada("x.dada", x.transpose([*(axes[a] for a in order), 4]), ORDER=order,
                             NCHAN=3, NPOL=2, NANT=2)
            for channel in range(3):
                for k in range(4):
                    self.check_input(path, k, x[:, channel, k // 2, k % 2], f"dada:{channel}")
            self.check_input(path, 7, x[:, 1, 1, 1])
            self.assertIn("NANT 2", describe(path))

    def test_orders_that_are_refused(self):
        x = self.noise(SAMPLES, 4)
        refused = lambda *words, **more: self.refused(self.dada("x.dada", x, **more), *words)
        refused("NANT 4", "no ORDER", "TAFP", NANT=4)
        refused("NANT 2", "ORDER TFP", NANT=2, NCHAN=2, ORDER="TFP")
        refused("ORDER FTP", NCHAN=4, ORDER="FTP")
        refused("ORDER TXF", NCHAN=4, ORDER="TXF")
        refused("ORDER TF", NCHAN=2, NPOL=2, ORDER="TF")
        refused("INSTRUMENT CASPSR", NPOL=2, INSTRUMENT="CASPSR")

    def test_heaps_of_meerkat(self):
        """[heap][polarization][channel][256 times]; the last heap is cut."""
        heaps = self.noise(33, 2, 8, 256)
        x = heaps[:32].transpose(0, 3, 2, 1, 4).reshape(SAMPLES, 8, 2, 2)
        more = dict(NPOL=2, NCHAN=8, INSTRUMENT="MKBF")
        path = self.dada("x.dada", heaps.ravel()[:-700], RESOLUTION=2 * 2 * 8 * 256, **more)
        self.check_input(path, 7, x[:, 3, 1])
        self.check_input(path, 1, x[:, 5, 1], "dada:5")
        self.assertIn("cut within a heap", describe(path))
        self.refused(self.dada("x.dada", heaps, RESOLUTION=1000, **more), "RESOLUTION 1000", "8192")
        self.refused(self.dada("x.dada", heaps, NBIT=16, **more), "MKBF", "NBIT")

    def test_values_that_are_refused(self):
        x = self.noise(SAMPLES)
        for key, value in (("NBIT", 4), ("NDIM", 3), ("ENCODING", "EXCESS"), ("DSB", 0),
                           ("STATE", "Intensity"), ("STATE", "Nyquist"), ("HEADER", "OTHER"),
                           ("FILE_NUMBER", 1), ("OBS_OFFSET", 3)):
            self.refused(self.dada("x.dada", x, **{key: value}), f"{key} {value}")
        self.refused(self.dada("x.dada", x, NDIM="two"), "NDIM", "two")

    def test_contradictions(self):
        x = self.noise(SAMPLES, 2)
        self.refused(self.dada("x.dada", x, BW=3, NCHAN=2), "BW 3", "NCHAN 2", "1.5 MHz", "TSAMP")
        self.refused(self.dada("x.dada", x, BW=0.5), "BW 0.5", "1 MHz")
        self.refused(self.dada("x.dada", x, MJD_START=61042.5), "MJD_START 61042.5", "UTC_START")
        self.refused(self.dada("x.dada", x, FILE_SIZE=5000), "FILE_SIZE 5000", "32768")
        # 61041 is 2026-01-01; real samples have room for half of their rate; 4/3 oversampled.
        for more in (dict(BW=1), dict(BW=-1), dict(BW=0.5, NDIM=1), dict(BW=0.75),
                     dict(MJD_START=61041.0), dict(MJD_START=61041.000001),
                     dict(FILE_SIZE=10 ** 6)):
            self.assertIn("1 MS/s", describe(self.dada("x.dada", x, **more)))


class qa_guppi(header_case):

    def guppi(self, name, *blocks, **more):
        with open(self.path(name), "wb") as out:
            for n, data in enumerate(blocks):
                cards = dict(OBSNCHAN=1, NPOL=1, NBITS=8, OBSFREQ=1400.0, TBIN=1e-6,
                             BLOCSIZE=data.nbytes, PKTIDX=n * data.shape[-3],
                             PIPERBLK=data.shape[-3], STT_IMJD=61000, STT_SMJD=0, STT_OFFS=0) | more
                out.write(b"".join(f"{key:<8}= {value!s:>20}".ljust(80).encode()
                                   for key, value in cards.items()) + b"END".ljust(80))
                out.write(data.tobytes())
        return self.path(name)

    def test_antennas(self):
        """Blocks [antenna][channel][time][polarization]: a channel of all antennas is read."""
        x = self.noise(3, 2, SAMPLES, 2)
        blocks = [x[:, :, :SAMPLES // 2], x[:, :, SAMPLES // 2:]]
        path = self.guppi("x.raw", *map(np.ascontiguousarray, blocks), NANTS=3, OBSNCHAN=6, NPOL=4,
                          OBSBW=2.0)
        for channel in range(2):
            info = fringe.recording_info(path, f"guppi:{channel}")
            self.assertEqual((info.streams, info.coarse_channels), (6, 1))
            self.assertEqual(info.center_frequency, 1399.5e6 + channel * 1e6)
            for k in range(6):
                self.check_input(path, k, x[k // 2, channel, :, k % 2], f"guppi:{channel}")
        self.check_input(path, 9, x[1, 1, :, 1])
        self.assertIn("2, each at a frequency of its own", describe(path))
        self.assertIn("NANTS 3", describe(path))
        self.refused(self.guppi("x.raw", *blocks, NANTS=4, OBSNCHAN=6), "OBSNCHAN 6", "NANTS 4")

    def test_sixteen_bits(self):
        x = np.rint(self.rng.normal(0, 3000, (1, SAMPLES, 2, 2)))
        path = self.guppi("x.raw", x.astype("<i2"), NPOL=2, NBITS=16, BLOCSIZE=SAMPLES * 8)
        self.check_input(path, 1, x[0, :, 1])

    def test_values_that_are_refused(self):
        x = self.noise(1, SAMPLES, 1)
        for key, value in (("NBITS", 4), ("NPOL", 3), ("DIRECTIO", 2), ("PKTFMT", "SIMPLE"),
                           ("DATATYPE", "FLOAT"), ("FD_POLN", "ROUND")):
            self.refused(self.guppi("x.raw", x, **{key: value}), f"{key} {value}", "can be read")

    def test_contradictions(self):
        x = self.noise(4, SAMPLES, 1)
        self.refused(self.guppi("x.raw", x, OBSNCHAN=4, OBSBW=2.0), "OBSBW 2.0", "OBSNCHAN 4",
                     "0.5 MHz", "TBIN 1e-06", "1 MHz")
        self.refused(self.guppi("x.raw", x, OBSNCHAN=4, OBSBW=4.0, CHAN_BW=2.0), "CHAN_BW 2.0")
        for width in (4.0, -4.0, 3.0):  # 3: channels that overlap, 4/3 oversampled
            describe(self.guppi("x.raw", x, OBSNCHAN=4, OBSBW=width))

    def test_recordings_that_were_joined(self):
        """What is behind the joint is refused, and not taken for a part of the first."""
        x = self.noise(1, SAMPLES, 1)
        for key, value in (("PKTIDX", 0), ("OBSFREQ", 1500), ("STT_SMJD", 60), ("TBIN", 2e-6)):
            path = self.guppi("x.raw", x)
            with open(self.guppi("y.raw", x, **{"PKTIDX": SAMPLES, key: value}), "rb") as other, \
                    open(path, "ab") as out:
                out.write(other.read())
            self.check_joint(path, key)

    def check_joint(self, path, key):
        self.assertIn(f"damaged from sample {SAMPLES}", describe(path))
        with self.assertRaisesRegex((RuntimeError, ValueError), key):
            fringe.correlate(path, self.path("x.uvh5"), channels=8, spectra=32, overwrite=True)


class qa_vdif(header_case):

    def vdif(self, *frames, extension=(0, 0, 0, 0), version=1):
        """Frames of 1024 complex samples of 8 bits: (station, second, number, data)."""
        with open(self.path("x.vdif"), "wb") as out:
            for station, second, number, data in frames:
                words = [second, number | 52 << 24, (32 + data.size) // 8 | version << 29,
                         1 << 31 | 7 << 26 | station, *extension]
                out.write(np.array(words, "<u4").tobytes())
                out.write((data + 128).astype(np.uint8).tobytes())
        return self.path("x.vdif")

    def frames(self, stations=(0x4141,), count=16):
        x = self.noise(count, 1024).astype(int)
        return x, [(stations[n % len(stations)], n // 8, n % 8, x[n]) for n in range(count)]

    def test_sideband_of_the_vlba(self):
        _, frames = self.frames()
        for bit, inverted in ((0, True), (1, False)):
            path = self.vdif(*frames, extension=(3 << 24, 0xacabfeed, 0, bit << 16))
            self.assertEqual(fringe.recording_info(path, "vdif").inverted, inverted)

    def test_mask_of_merged_threads(self):
        """A frame without all of its channels is invalid, and its mask is no rate."""
        _, frames = self.frames()
        for mask, share in ((1, 0), (0, 1)):
            path = self.vdif(*frames, extension=(4 << 24 | 1 << 16 | 77, 0xacabfeed, mask, 0))
            self.assertEqual(fringe.recording_info(path, "vdif").sample_rate, 8192)
            source = fringe.file_source([path], "vdif", 1, 8192, 8192.0)
            self.assertEqual(source.total_samples(), 16384)
            power = fringe.recording_power(path, "vdif", 1, 0, 8192)[0]
            self.assertEqual(power == 0, share == 1)

    def test_refusals(self):
        _, frames = self.frames((0x4141, 0x4242))
        self.refused(self.vdif(*frames), "AA", "BB", "stations")
        _, frames = self.frames()
        self.refused(self.vdif(*frames, version=3), "VDIF version 3")


if __name__ == "__main__":
    unittest.main()
