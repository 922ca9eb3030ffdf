#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Pulses and pulsars of known dispersion in files of powers are found again: fringe search."""
import csv
import struct
import unittest

import h5py
import numpy as np
from gnuradio import fringe
from gnuradio.fringe.beams.open_powers import open_powers
from gnuradio.fringe.pulsars import file_levels as file_levels_module
from gnuradio.fringe.pulsars.candidates import HIT, strongest
from gnuradio.fringe.pulsars.dispersion import channel_smearing, dm_trials, shifts_of, trials
from gnuradio.fringe.pulsars.file_levels import file_levels
from gnuradio.fringe.pulsars.folded_trials import folded_trials
from gnuradio.fringe.pulsars.levels import channel_levels
from gnuradio.fringe.pulsars.search import search
from gnuradio.fringe.pulsars.single_pulses import chance, single_pulses
from qa_cli import command
from qa_scratch import scratch_case, times_tried
from qa_simulated_powers import (add_pulse, box, late, text, write_blimpy, write_fil, write_search)

CHANNELS, MEANS, INTERVAL = 48, 20011, 1e-3
F = 400e6 + 0.2e6 * (np.arange(CHANNELS) - CHANNELS / 2)  # ascending
START = fringe.epoch.from_iso("2026-06-12T12:00:00")


class searched_case(scratch_case):

    def noise(self, channels=CHANNELS, means=MEANS):
        """Levels [channel][time]."""
        return self.rng.standard_normal((channels, means))

    def fil(self, levels, f=F, name="x.fil", bits=32, **more):
        """A file of these levels [channel][time], of its frequencies in descending order."""
        scale, middle = {8: (12, 100), 16: (500, 30000), 32: (1, 100)}[bits]
        values = np.clip(np.rint(levels * scale + middle) if bits < 32 else levels + middle, 0,
                         2**bits - 1)
        return write_fil(self.path(name), values.T[:, None, ::-1], f[::-1], INTERVAL, bits, **more)

    def pulses(self, path, dm=(1.0, 60.0), **more):
        """Rows of the table as dictionaries, with numbers; and the sentences."""
        table = self.path("found.csv")
        lines = search(path, [table], dm, overwrite=True, **more)
        with open(table, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            row.update({key: float(row[key]) for key in row if key not in ("time", "direction")})
        return rows, lines


class qa_power_files(searched_case):
    """Files of others are read as they are meant."""

    def setUp(self):
        super().setUp()
        # Steps that all formats have exactly.
        self.values = self.rng.integers(1, 120, (201, 2, 5)).astype(float) + 100
        self.f = np.array([1500e6, 1499e6, 1498e6, 1497e6, 1496e6])

    def check(self, path, planes=2, values=None, f=None, start=0.0, rtol=1e-6):
        values = self.values if values is None else values
        f = self.f if f is None else f
        wanted = values[:, :planes].sum(axis=1).T[np.argsort(f)]
        with open_powers(path) as file:
            np.testing.assert_allclose(file.frequencies, np.sort(f), rtol=1e-12)
            self.assertAlmostEqual(file.width, abs(f[1] - f[0]), delta=1)
            self.assertEqual((file.length, file.interval), (len(values), INTERVAL))
            self.assertAlmostEqual(file.start.seconds_since(START), start, delta=1e-5)
            for first, count in ((0, len(values)), (63, 66), (len(values) - 1, 1)):
                found = file.read(first, count)
                self.assertEqual(found.dtype, np.float32)
                np.testing.assert_allclose(found[0], wanted[:, first:first + count], rtol=rtol)
            return file.directions

    def test_filterbanks(self):
        for bits in (8, 16, 32):
            path = write_fil(self.path("x.fil"), self.values, self.f, INTERVAL, bits)
            self.assertEqual(self.check(path), ["B0531+21"])
        ascending = self.f[::-1].copy()
        path = write_fil(self.path("x.fil"), self.values, ascending, INTERVAL)
        self.check(path, f=ascending)
        path = write_fil(self.path("x.fil"), self.values[:, :1], self.f, INTERVAL, nifs=None)
        self.check(path, values=self.values[:, :1])
        four = np.concatenate([self.values, self.values], axis=1)
        self.check(write_fil(self.path("x.fil"), four, self.f, INTERVAL), 1, four)
        small = self.values - 170  # with a sign
        path = write_fil(self.path("x.fil"), small.astype(np.int8).view(np.uint8), self.f, INTERVAL,
                         more=text("signed") + b"\1")
        with open_powers(path) as file:
            there = np.isfinite(found := file.read(0, 201)[0])
            np.testing.assert_array_equal(found[there],
                                          small.sum(axis=1).T[::-1][there].astype(np.float32))
        with open(path, "ab") as file:
            file.write(b"\0\0\0")  # a mean that was cut off
        with open_powers(path) as file:
            self.assertEqual(file.length, 201)

    def test_filterbanks_that_are_refused(self):
        for changed, sentence in (
                ({"nbits": 4}, "nbits 4: must be 8, 16 or 32"),
                ({"nbits": 64}, "nbits 64: must be 8, 16 or 32"),
                ({"nifs": 3}, "nifs 3: must be 1, 2 or 4"),
                ({"data_type": 2}, "data_type 2: must be 1"),
                ({"fch1": 1.5e9}, "fch1 1.5e.09: must be a frequency in MHz"),
                ({"fch1": -2.0}, "fch1 -2: must be a frequency"),
                ({"foff": 0.0}, "foff 0: must be"), ({"foff": -400.0}, "channels begin at"),
                ({"tsamp": -1e-3}, "length of a mean is -0.001 s"),
                ({"tsamp": float("nan")}, "length of a mean is nan"),
                ({"tstart": 50.0}, "tstart 50: must be a Modified"),
                ({"nchans": 0}, "nchans 0: must be"), ({"tsamp": None}, "header lacks tsamp"),
                ({"nchans": 1 << 19, "foff": 1e-4}, "holds no whole mean"),
                ({"more": text("npuls") + struct.pack("<q", 1)}, "keyword 'npuls'")):
            path = write_fil(self.path("x.fil"), self.values, self.f, INTERVAL, **changed)
            with self.assertRaisesRegex(ValueError, f"x.fil: .*{sentence}"):
                open_powers(path)
        with open(path, "rb") as file:
            data = file.read()
        for size in (20, 60, 150):
            with open(path, "wb") as file:
                file.write(data[:size])
            with self.assertRaisesRegex(ValueError, "x.fil: .*HEADER_END"):
                open_powers(path)
        with open(path, "wb") as file:
            file.write(bytes(3000))
        with self.assertRaisesRegex(ValueError, "x.fil: holds no powers in time and frequency"):
            open_powers(path)
        with self.assertRaisesRegex(ValueError, "holds no powers in time and frequency"):
            open_powers(self.folder)  # as a MeasurementSet is

    def test_hdf5_of_others(self):
        path = write_blimpy(self.path("x.h5"), self.values.astype(np.float32), self.f, INTERVAL)
        self.assertEqual(self.check(path), ["B0531+21"])
        for changed, sentence in (({"tstart": 1.0}, "tstart 1: must be"),
                                  ({"foff": 0.0}, "foff 0: must be"),
                                  ({"fch1": 1.5e9}, "must be a frequency in MHz")):
            path = write_blimpy(self.path("x.h5"), self.values, self.f, INTERVAL, **changed)
            with self.assertRaisesRegex(ValueError, sentence):
                open_powers(path)
        with h5py.File(path, "w") as file:
            file["other"] = 1
        with self.assertRaisesRegex(ValueError, "holds no powers: it must have frequencies"):
            open_powers(path)

    def test_hdf5_of_fringe(self):
        """The polarizations of each direction are added up, of Stokes parameters I is taken; what
        has no weight is lost."""
        means = self.values.repeat(2, axis=1).astype(np.float32)  # two directions of two rows
        weights = np.ones_like(means)
        weights[7, :2, 3], weights[9, 0, 1] = 0, 0  # both polarizations, one of them
        path = self.path("x.h5")
        for products, beams in (("power", 4), ("stokes", 2)):
            rows = means if products == "power" else np.concatenate([means, means], axis=1)
            with h5py.File(path, "w") as file:
                file["frequencies"], file["means"] = self.f[::-1], rows
                file["weights"] = weights[:, :beams] if beams == 4 else weights[:, ::2]
                file.attrs.update({
                    "directions": ["zenith", "Sun"], "products": products, "rows": ["a"] * 4,
                    "start_time": "2026-06-12T12:00:00", "interval": INTERVAL,
                    "channel_width": 1e6})
            with open_powers(path) as file:
                found = file.read(3, 10)
                self.assertEqual((file.directions, file.length), (["zenith", "Sun"], 201))
            wanted = rows[:, [0, 4]] if products == "stokes" else rows.reshape(
                201, 2, 2, 5).sum(axis=2)
            wanted = wanted.transpose(1, 2, 0)[:, :, 3:13].copy()
            wanted[0, 3, 4] = np.nan
            if products == "stokes":
                wanted[0, 1, 6] = np.nan
            np.testing.assert_array_equal(found, wanted)
        with h5py.File(path, "r+") as file:
            del file["weights"]
            file["weights"] = np.ones((200, 2, 5))
        with self.assertRaisesRegex(ValueError, "weights .200, 2, 5.*must be .time.*row"):
            open_powers(path)

    def test_psrfits(self):
        for bits in (8, 16, 32):
            for unit in ("MHz", "GHz", "Hz", ""):
                values = self.values - 100
                path = write_search(self.path("x.fits"), values / 4, self.f, INTERVAL, 67, bits,
                                    unit=unit or None)
                self.check(path, values=values / 4, start=0.25)
        four = np.concatenate([self.values, self.values], axis=1) - 100
        for kind, planes in (("AABBCRCI", 2), ("IQUV", 1)):
            path = write_search(self.path("x.fits"), four / 4, self.f, INTERVAL, 67, kind=kind)
            self.check(path, planes, four / 4, start=0.25)

    def test_psrfits_with_gaps(self):
        """Rows whose times leave a gap, channels of weight 0, a last row that is not full, and rows
        whose times jitter by a mean."""
        values, weights = (self.values - 100) / 4, np.ones((3, 5))
        weights[1, 2] = 0
        middles = np.array([33.5, 101, 267.5]) * INTERVAL
        path = write_search(self.path("x.fits"), values, self.f, INTERVAL, 67, weights=weights,
                            middles=middles, NSTOT=300)
        with open_powers(path) as file:
            self.assertEqual(file.length, 300)
            found = file.read(0, 300)[0]
            np.testing.assert_array_equal(file.read(130, 80)[0], found[:, 130:210])
        wanted = np.full((5, 300), np.nan)
        wanted[:, :134] = values[:134].sum(axis=1).T[::-1]
        wanted[:, 234:] = values[134:200].sum(axis=1).T[::-1]
        wanted[2, 67:134] = np.nan
        np.testing.assert_allclose(found, wanted, rtol=1e-6)

    def test_psrfits_that_are_refused(self):
        for changed, sentence in (
                ({"bits": 4}, "NBITS 4: must be 8, 16 or 32"),
                ({"NBITS": 16}, "DATA is .*: must be NSBLK x NPOL x NCHAN values"),
                ({"NCHAN": 4}, "DATA is"), ({"kind": "XYZ"}, "POL_TYPE 'XYZ' of 2"),
                ({"unit": "furlong"}, "DAT_FREQ in furlong: must be in MHz"),
                ({"mode": "PSR"}, "OBS_MODE PSR: must be SEARCH"), ({"TBIN": None}, "has no TBIN"),
                ({"TBIN": 0.0}, "TBIN 0: must be positive"),
                ({"middles": [1, 0.5, 2]}, "OFFS_SUB of row 2 is 0.5 s, after 1 s"),
                ({"middles": [1, 2, 1e9]}, "OFFS_SUB of row 3")):
            path = write_search(self.path("x.fits"), (self.values - 100) / 4, self.f, INTERVAL, 67,
                                **changed)
            with self.assertRaisesRegex(ValueError, f"x.fits: .*{sentence}"):
                open_powers(path)
        with open(path, "r+b") as file:
            file.truncate(9000)
        with self.assertRaisesRegex(ValueError, "x.fits: damaged"):
            open_powers(path)


class qa_single_pulses(searched_case):

    def test_pulses(self):
        """Time, dispersion, width and strength as theory has them, in files of 8, 16 and 32 bits:
        sqrt(channels x means) times the strength in a channel."""
        for bits in (8, 16, 32):
            levels, wanted = self.noise(), []
            for begin, width in ((3.1234, 1), (9.5, 8), (15.7, 32)):
                dm = self.rng.uniform(5, 55)
                strength = self.rng.uniform(14, 25) / np.sqrt(CHANNELS * width)
                add_pulse(levels, F, INTERVAL, begin, dm, width * INTERVAL, strength)
                wanted.append((begin, dm, width, strength * np.sqrt(CHANNELS * width)))
            found, _ = self.pulses(self.fil(levels, bits=bits), smearing=INTERVAL / 4)
            self.assertEqual(len(found), 3)
            band = (late(1, F.min()) - late(1, F.max())) / INTERVAL  # means, a pc / cm^3
            for row, (begin, dm, width, snr) in zip(found, wanted):
                at = fringe.epoch.from_iso(row["time"][:-1]).seconds_since(START)
                self.assertAlmostEqual(at, row["seconds"], delta=2e-6)
                self.assertLess(abs(row["seconds"] - begin) / INTERVAL, 2 + 0.5 * width)
                self.assertLess(abs(row["dm"] - dm) * band, 3 + width)
                self.assertLessEqual(abs(np.log2(row["width"] / INTERVAL / width)), 1)
                # A mean that begins and ends within means has half of it in each, in some channels.
                loss = 0.55 if width == 1 else 0.85
                self.assertGreater(row["snr"], loss * snr - 4)
                self.assertLess(row["snr"], 1.03 * snr + 4)

    def test_strength(self):
        """A pulse of whole means, whose delays are whole ones too: the noise of its S/N is 1."""
        shifts = shifts_of(F, INTERVAL, [30.0])[0]
        strengths = []
        for _ in range(times_tried(6, 12)):
            levels = self.noise(means=6000)
            for row, shift in zip(levels, shifts):
                row[2000 + shift:2016 + shift] += 0.6
            [found], _ = self.pulses(self.fil(levels), (30.0, 30.0))
            self.assertEqual((round(found["seconds"], 6), found["dm"]), (2.0, 30.0))
            strengths.append(found["snr"])
        wanted, count = 0.6 * np.sqrt(CHANNELS * 16), len(strengths)
        # Beside noise, the largest of neighboring sums is a little more.
        self.assertLess(abs(np.mean(strengths) - wanted - 0.2), 0.02 * wanted + 4 / np.sqrt(count))

    def test_against_plain_numpy(self):
        """Levels, sums and boxes by loops, of odd sizes, with gaps."""
        channels, means, widths = 13, 1237, [1, 2, 4, 8]
        f = 300e6 + 0.7e6 * np.arange(channels)
        levels = self.noise(channels, means)
        levels[4, 100:300] = np.nan
        levels[:, 700:703] = np.nan
        values = np.nan_to_num(levels + 50)
        path = self.fil(np.nan_to_num(levels, nan=-100.0), f)
        dms = np.array([0.0, 3.3, 7.1, 20.9])
        plain = values.copy()
        plain[:, 700:703] = np.nan
        for row in plain:  # a channel of zeros beside others that are there is a power of zero
            there = row[np.isfinite(row)]
            middle = np.median(there)
            sigma = 1.4826 * np.median(np.abs(there - middle))
            for _ in range(2):
                near = there[np.abs(there - middle) <= 3 * sigma]
                middle = near.mean()
                sigma = near.std() / 0.98658
            row[:] = np.clip((row - middle) / sigma, -5, 5)
        shifts = np.rint(np.outer(dms, late(1, f) - late(1, f.max())) / INTERVAL).astype(int)
        wanted = {}
        for number, dm in enumerate(dms):
            sums = np.full(means, np.nan)
            for t in range(means):
                parts = [plain[c, t + shifts[number, c]] for c in range(channels)
                         if t + shifts[number, c] < means]
                parts = [part for part in parts if np.isfinite(part)]
                if 2 * len(parts) >= channels:
                    sums[t] = sum(parts) / np.sqrt(len(parts))
            for width in widths:
                boxes = np.full(means, np.nan)
                for t in range(means):
                    part = sums[t:t + width]
                    part = part[np.isfinite(part)]
                    if 2 * len(part) >= width:
                        boxes[t] = part.sum() / np.sqrt(len(part))
                there = boxes[np.isfinite(boxes)]
                away = boxes - np.median(there)
                wanted[number, width] = away / (1.4826 * np.median(np.abs(away[np.isfinite(away)])))
        best = np.array([np.fmax.reduce([wanted[k, w] for w in widths]) for k in range(len(dms))])
        with open_powers(path) as file:
            searched = single_pulses(file_levels(file, history=means), dms, widths, 2.0)
            found = searched.run()
        self.assertEqual(searched.sums, sum(np.isfinite(v).sum() for v in wanted.values()))
        edges = np.linspace(0, means, searched.map.values.shape[2] + 1).astype(int)
        drawn = np.array([[np.fmax.reduce(row[a:b]) for a, b in zip(edges[:-1], edges[1:])]
                          for row in best])
        np.testing.assert_allclose(searched.map.values[0], drawn, atol=2e-3)
        number, at = np.unravel_index(np.nanargmax(best), best.shape)
        top = found[np.argmax(found["snr"])]
        self.assertEqual((top["time"], top["dm"]), (at, dms[number]))
        self.assertAlmostEqual(top["snr"], best[number, at], delta=2e-3)

    def test_pieces(self):
        """A file in many pieces has the pulses of one in one piece; no piece is larger than what
        is allowed."""
        levels = self.noise()
        for begin in (1.9, 4.09, 8.1, 12.3, 19.93):
            add_pulse(levels, F, INTERVAL, begin, 40.0, 4e-3, 1.2)
        path, sizes, whole = self.fil(levels), [], file_levels_module.HELD
        original = file_levels.pieces

        def watched(self, *more):
            for first, piece in original(self, *more):
                sizes.append(piece.size)
                yield first, piece

        found = []
        try:
            file_levels.pieces = watched
            for file_levels_module.HELD in (whole, 1):
                found.append(self.pulses(path)[0])
        finally:
            file_levels_module.HELD, file_levels.pieces = whole, original
        self.assertGreater(len(sizes), 4)
        self.assertLess(max(sizes[1:]), 7000 * CHANNELS)
        self.assertEqual([len(rows) for rows in found], [5, 5])
        for row, other in zip(*found):
            self.assertEqual(row["time"], other["time"])
            self.assertAlmostEqual(row["dm"], other["dm"], delta=1)
            self.assertAlmostEqual(row["snr"] / other["snr"], 1, delta=0.1)

    def test_noise(self):
        """No more than the stated number of false alarms."""
        found, stated = 0, 0.0
        for _ in range(times_tried(2, 5)):
            levels = self.noise()
            with open_powers(self.fil(levels, bits=8)) as file:
                dms = dm_trials(F, INTERVAL, 0, 60)
                searched = single_pulses(file_levels(file), dms, [1, 2, 4, 8, 16, 32, 64], 5.0)
                found += len(searched.run())
                stated += chance(5.0, searched.sums)
        self.assertLess(found, stated + 4 * np.sqrt(stated))
        self.assertAlmostEqual(chance(5.0, 1e7), 2.867, 3)
        rows, lines = self.pulses(self.fil(levels, bits=8))
        self.assertEqual(rows, [])
        self.assertRegex("\n".join(lines), "0 pulses .* above 7 .* of Gaussian noise at most 4e-06|"
                         "0 pulses .* above 7 .* of Gaussian noise at most [0-9.]*e-0[56]")

    def test_interference(self):
        """A radar is undispersed, and not wanted; a carrier that comes and goes in one channel is
        no pulse; a masked channel does nothing; a pulse beside all that is found."""
        levels = self.noise()
        for begin in (2.0, 4.5, 11.0):
            add_pulse(levels, F, INTERVAL, begin, 0.0, 4e-3, 3.0)
        levels[7, 5000:5040] += 500
        levels[20:24] += 30 * self.rng.standard_normal(MEANS)
        add_pulse(levels, F, INTERVAL, 8.0, 25.0, 8e-3, 1.0)
        found, lines = self.pulses(self.fil(levels), (2.0, 60.0),
                                   mask=[(F[20] - 1, F[23] + 1)])
        self.assertEqual([round(row["seconds"], 1) for row in found], [8.0])
        self.assertIn("strongest below 2 pc/cm^3, as interference is: 3 more", lines[-1])
        with self.assertRaisesRegex(ValueError, "mask: leaves 1 of the 48 channels"):
            self.pulses(self.fil(levels), mask=[(F[1] - 1, 1e12)])

    def test_two_pulses_that_cross(self):
        """Both are found where neither explains the other."""
        levels = self.noise()
        add_pulse(levels, F, INTERVAL, 5.0, 50.0, 4e-3, 1.5)
        add_pulse(levels, F, INTERVAL, 5.02, 10.0, 4e-3, 1.5)
        found, _ = self.pulses(self.fil(levels))
        self.assertEqual(sorted(round(row["dm"] / 10) for row in found), [1, 5])

    def test_lost_times(self):
        """Half of the time is lost (zeros), in pieces; what is left is as strong as without."""
        levels = self.noise()
        add_pulse(levels, F, INTERVAL, 5.005, 30.0, 8e-3, 1.0)
        values = levels + 100
        values[:, (np.arange(MEANS) // 300) % 2 == 1] = 0
        values[:, 4900:5200] = (levels + 100)[:, 4900:5200]
        path = write_fil(self.path("x.fil"), values.T[:, None], F, INTERVAL, 32)
        [found], _ = self.pulses(path)
        self.assertAlmostEqual(found["snr"], np.sqrt(CHANNELS * 8), delta=0.15 * 19.6 + 3)
        self.assertAlmostEqual(found["seconds"], 5.005, delta=0.004)

    def test_the_end_of_the_file(self):
        """A pulse whose lowest channels are beyond the end, with more than half of it there."""
        levels = self.noise()
        begin = (MEANS - 60) * INTERVAL
        delay = late(60.0, F.min()) - late(60.0, F.max())
        self.assertGreater(delay, 70 * INTERVAL)
        add_pulse(levels, F, INTERVAL, begin, 60.0, 4e-3, 2.0)
        [found], _ = self.pulses(self.fil(levels), (1.0, 80.0))
        self.assertAlmostEqual(found["seconds"], begin, delta=0.004)

    def test_several_directions(self):
        """Each pulse is that of its direction."""
        path, means = self.path("x.h5"), 100 + self.rng.standard_normal((3000, 2, CHANNELS))
        levels = means[:, 1].T
        add_pulse(levels, F, INTERVAL, 1.2, 20.0, 4e-3, 2.0)
        with h5py.File(path, "w") as file:
            file["frequencies"], file["means"] = F, means.astype(np.float32)
            file["weights"] = np.ones_like(means, np.float32)
            file.attrs.update({"directions": ["zenith", "Cas A"], "products": "power", "rows": "ab",
                               "start_time": "2026-06-12T12:00:00", "interval": INTERVAL,
                               "channel_width": 0.2e6})
        [found], _ = self.pulses(path)
        self.assertEqual(found["direction"], "Cas A")

    def test_a_delay_longer_than_memory(self):
        with open_powers(self.fil(self.noise(means=500))) as file:
            levels = file_levels(file)
            with self.assertRaisesRegex(ValueError, "dm: the delay over the band is 1e.06 s"):
                levels.piece(10**9)

    def test_trials(self):
        """Their steps smear a pulse by the time that is printed, and each sum is that of the
        channels one by one."""
        width, band = 0.2e6, late(1, F.min()) - late(1, F.max())
        for smearing in (None, 3e-3):
            dms = dm_trials(F, INTERVAL, 3.0, 500.0, width, smearing)
            self.assertEqual((dms[0], dms[-1]), (3.0, 500.0))
            middles = (dms[1:] + dms[:-1]) / 2
            allowed = smearing or 0.5 * np.hypot(INTERVAL, channel_smearing(middles, F.mean(),
                                                                            width))
            ratio = np.diff(dms) / 2 * band / allowed
            self.assertLess(ratio.max(), 1.001)
            self.assertGreater(ratio.min(), 0.95)
        self.assertEqual(list(dm_trials(F, INTERVAL, 5.0, 5.0, width)), [5.0])
        f = F.mean() + width / 2 * np.array([-1, 1])
        self.assertAlmostEqual(channel_smearing(1.0, F.mean(), width),
                               late(1, f[0]) - late(1, f[1]), delta=1e-9)
        powers, dms = self.noise(5, 777), [0.0, 11.0, 47.0]
        f = F[[0, 9, 17, 30, 47]]
        shifts = np.rint((late(1, f) - late(1, f.max())) * np.array(dms)[:, None] / INTERVAL)
        found = trials(powers, f, INTERVAL, dms)
        for row, shift in zip(found, shifts.astype(int)):
            for t in range(0, found.shape[1], 50):
                self.assertAlmostEqual(row[t], sum(p[t + n] for p, n in zip(powers, shift)))

    def test_levels_of_few_bits(self):
        """Mean and deviation of noise of a deviation of 0.8 steps, most of which is one number."""
        x = np.rint(0.8 * self.rng.standard_normal((6, 20000)) + 17.2)
        levels = channel_levels(x)
        np.testing.assert_allclose(levels.mean(axis=1), 0, atol=0.05)
        np.testing.assert_allclose(levels.std(axis=1), 1, atol=0.05)
        self.assertTrue(np.isnan(channel_levels(np.full((2, 50), 0.1, np.float32))).all())

    def test_hits_of_one_pulse(self):
        """Nothing of nothing; equal hits are one."""
        with open_powers(self.fil(self.noise(means=500))) as file:
            levels = file_levels(file)
        self.assertEqual(len(strongest(np.empty(0, HIT), levels)), 0)
        hits = np.zeros(3, HIT)
        hits["time"], hits["width"], hits["snr"] = (10, 11, 400), 4, (8, 9, 8)
        kept = np.sort(strongest(hits, levels)["time"])
        self.assertEqual(list(kept), [11, 400])


class qa_folded(searched_case):

    PERIOD, DM, MEANS = 0.0513, 31.7, 16000

    def pulsar(self, strength, width=2e-3, noise=True):
        """Levels with a pulse each turn, at phase 0.3 at infinite frequency."""
        levels = self.noise(means=self.MEANS) if noise else np.zeros((CHANNELS, self.MEANS))
        t = (np.arange(self.MEANS) + 0.5) * INTERVAL
        began = START.seconds / self.PERIOD % 1
        for row, delay in zip(levels, late(self.DM, F)):
            phases = ((t - delay) / self.PERIOD + began - 0.3 + 0.5) % 1 - 0.5
            row += strength * np.exp(-0.5 * (phases * self.PERIOD / width)**2)
        return levels

    def searched(self, levels, dms=np.linspace(20, 45, 101), bins=51):
        with open_powers(self.fil(levels)) as file:
            of_file = file_levels(file, limit=np.inf)
            phase = fringe.pulse_phase.from_period(self.PERIOD)
            return folded_trials(of_file, 0, phase, bins, dms).run()

    def test_dispersion_and_its_error(self):
        """The error is the scatter; S/N and phase are those of theory."""
        pulls, strength, width = [], 0.15, 2e-3
        for _ in range(times_tried(12, 40)):
            found = self.searched(self.pulsar(strength, width))
            self.assertTrue(found.inside)
            pulls.append((found.best - self.DM) / found.error)
        count = len(pulls)
        self.assertLess(abs(np.mean(pulls)), 4 / np.sqrt(count))
        self.assertLess(np.std(pulls), 1.3 * (1 + 3 / np.sqrt(2 * count)))
        self.assertGreater(np.std(pulls), 0.8 * (1 - 3 / np.sqrt(2 * count)))
        # A Gaussian of the best template has S = strength sqrt(means width sqrt(pi) / period); a
        # box keeps 0.943 of it, and the level beside it costs some of the rest.
        best = strength * np.sqrt(CHANNELS * self.MEANS * width * np.sqrt(np.pi) / self.PERIOD)
        self.assertAlmostEqual(found.strongest / best, 0.92, delta=0.05 + 4 / best)
        at = int(np.argmax(found.snr))
        self.assertLess(abs(found.dms[at] - self.DM), 5 * found.error + 0.25)
        # An error of the dispersion moves the phase at infinite frequency.
        moved = late(self.DM - found.dms[at], F.mean()) / self.PERIOD
        away = (found.phases[at] - 0.3 - moved + 0.5) % 1 - 0.5
        self.assertLess(abs(away) * self.PERIOD, 1e-3)

    def test_noise(self):
        """Without a pulsar no profile is above 7 standard deviations."""
        for _ in range(times_tried(2, 5)):
            self.assertLess(self.searched(self.noise(means=self.MEANS)).strongest, 6)

    def test_without_noise_between_channels(self):
        """A masked channel and lost times change neither dispersion nor phase."""
        levels = self.pulsar(0.5)
        levels[11] = 0
        levels[:, 3000:9000] = -100  # zeros in the file: lost
        found = self.searched(levels)
        self.assertLess(abs(found.best - self.DM), 5 * found.error)
        self.assertLess(found.error, 0.3)

    def test_the_files_and_the_sentence(self):
        path, table, picture = (self.path(name) for name in ("x.fil", "x.ecsv", "x.png"))
        self.fil(self.pulsar(0.3))
        lines = search(path, [table, picture], (25.0, 40.0), period=self.PERIOD)
        self.assertRegex(lines[3], r"folded at 0.0513 s the profile is strongest at 3[12]\.\d+ "
                         r"\+- 0\.\d+ pc/cm\^3: \d+\.?\d* standard deviations")
        with open(table, encoding="utf-8") as file:
            rows = [line for line in file if not line.startswith("#")]
        self.assertGreater(len(rows), 10)
        with open(picture, "rb") as file:
            self.assertEqual(file.read(4), b"\x89PNG")
        lines = search(path, [table], (50.0, 60.0), period=self.PERIOD, overwrite=True)
        self.assertIn("at an end of the dispersions", lines[-1])

    def test_predictions(self):
        """Those of a polyco file, with its dispersion."""
        polyco = self.path("polyco.dat")
        with open(polyco, "w", encoding="ascii") as file:
            file.write(
                f"0531+21    12-Jun-26  120000.00   61203.50000000000    {self.DM:.6f}  0.0  0.0\n"
                f"           0.000000   {1 / self.PERIOD:.12f}    1   60    3  400.000\n"
                "  0.0D+00  0.0D+00  0.0D+00\n")
        self.fil(self.pulsar(0.3))
        lines = search(self.path("x.fil"), [], None, predictions=polyco)
        found = float(lines[-1].split("strongest at ")[1].split()[0])
        self.assertLess(abs(found - self.DM), 1)
        self.assertIn(f"from {0.9 * self.DM:g} to {1.1 * self.DM:g}", lines[0])


class qa_search_command(searched_case):

    def test_the_command(self):
        levels = self.noise(means=5000)
        add_pulse(levels, F, INTERVAL, 2.0, 20.0, 4e-3, 2.0)
        path, out = self.fil(levels, bits=8), self.path("x.png")
        words = [path, "-o", out, "--quiet"]
        for more, code, sentence in (
                (["--dm", "1,50", "-o", self.path("x.csv")], 0, "1 pulse of 1 ms to 64 ms above 7"),
                (["--dm", "1,50"], 2, "exists"), ([], 2, "--dm: give the lowest"),
                (["--dm", "50,1", "--overwrite"], 2, "--dm: 50,1: must be two"),
                (["--dm", "one", "--overwrite"], 2, "give dispersions in pc/cm^3"),
                (["--dm", "20", "--overwrite", "--threads", "1"], 0, "1 dispersion from 20 to 20"),
                (["--dm", "1,50", "-o", "x.fil"], 2, ".csv, .ecsv, .png"),
                (["--dm", "1,50", "--overwrite", "--bins", "8"], 2, "--bins: is for profiles"),
                (["--dm", "1,50", "--overwrite", "--period", "0.1", "--widest", "1"], 2,
                 "--widest: is for single pulses"),
                (["--dm", "1,50", "--overwrite", "--period", "0.1", "--polyco", "x"], 2,
                 "--period: give either"),
                (["--dm", "1,50", "--overwrite", "--period", "0.002"], 2, "--period: 0.002: the"),
                (["--dm", "1,50", "--overwrite", "--period", "0.1", "--bins", "101"], 2, "--bins"),
                (["--dm", "1,50", "--overwrite", "--period", "9"], 2, "x.fil has 5 s"),
                (["--dm", "1,50", "--overwrite", "--period", "0.1"], 0, "no profile is above 7"),
                (["--dm", "1,50", "--overwrite", "--smearing", "0"], 2, "--smearing: 0: must be"),
                (["--dm", "1,50", "--overwrite", "--smearing", "1e-9"], 2, "the limit is 100000"),
                (["--dm", "0,1e5", "--overwrite"], 0, "dispersions from 0 to 100000"),
                (["--dm", "1,50", "--overwrite", "--mask", "1,1e12"], 2, "--mask: leaves 0")):
            done = command("search", *words, *more)
            self.assertEqual(done.returncode, code, (more, done.stdout + done.stderr))
            self.assertIn(sentence, done.stdout + done.stderr)
        done = command("search", path, "-o", path, "--dm", "1,5")
        self.assertEqual(done.returncode, 2)
        done = command("search", self.path("none.fil"), "-o", out, "--dm", "1,5", "--overwrite")
        self.assertEqual((done.returncode, "none.fil: No such file" in done.stderr), (2, True))

    def test_a_beam_of_fringe(self):
        """What fringe beam writes, in all its formats, has the same pulses."""
        obs = fringe.observation.example(2)
        obs.sample_rate, obs.center_frequency, obs.channels = 64e3, 150e6, 32
        obs.start_time, obs.has_start_time = START, True
        x = self.rng.standard_normal((640000, 2, 2)) * 20
        x[320000:320640] *= 3
        recording = self.path("sky.ci8")
        np.clip(np.rint(x), -127, 127).astype(np.int8).tofile(recording)
        from gnuradio.fringe.beams.form_beams import form_beams
        names = [self.path(f"beam{ending}") for ending in (".fil", ".h5", ".fits")]
        form_beams([recording], names, ["zenith"], obs, interval=5e-3)
        found = []
        for name in names:
            [row], _ = self.pulses(name, (0.0, 2.0))
            self.assertAlmostEqual(row["seconds"], 5.0, delta=0.011)
            self.assertAlmostEqual(row["width"], 0.01, delta=0.0051)
            at = fringe.epoch.from_iso(row["time"][:-1])
            self.assertLess(abs(at.seconds_since(START) - 5.0), 0.011)
            found.append(row["snr"])
        np.testing.assert_allclose(found, found[0], rtol=0.02)


if __name__ == "__main__":
    unittest.main()
