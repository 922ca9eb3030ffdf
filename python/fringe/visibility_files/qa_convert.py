#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe convert: nothing is lost that the other kind can hold, and the rest is named."""
import errno
import itertools
import os
import unittest
from unittest import mock

import h5py
import numpy as np
from astropy.io import fits
from casacore.tables import table
from gnuradio import fringe
from gnuradio.fringe.visibility_files.replaced_data import replaced_data
from qa_cli import command
from qa_scratch import scratch_case
from qa_skies import snapshot
from qa_uvdata import mounts_in_pyuvdata, needs_pyuvdata, read_by_pyuvdata

ENDINGS = (".ms", ".uvh5", ".uvfits")
C = 299792458.0


class convert_case(scratch_case):

    def feeds(self, count, circular=False):
        angles = self.rng.uniform(-180, 180, count).round(2)
        mounts = self.rng.choice(["alt-az", "equatorial", "x-y", "fixed"], count)
        sides = self.rng.choice([-90, 90], count) * (not circular)
        return [{"mount": str(mount), "feed_angle": [float(a), float(a + side)]}
                for mount, a, side in zip(mounts, angles, sides)]

    def source(self, name, hands="XY", dumps=2, antennas=4):
        """A file of noise with random flags, weights and feeds."""
        path = snapshot(self.folder, antennas, self.rng, name, dumps, 6,
                        center={"ra": 171.3, "dec": -31.2, "name": "A field"},
                        polarizations=hands, feeds=self.feeds(antennas, hands == "RL"))
        os.rename(path, path + ".old")
        vis = fringe.read_visibilities(path + ".old")
        with replaced_data(vis, path, "DATA", "some flagged") as file:
            file.write(0, vis.data, self.rng.random(vis.flags.shape) < 0.2)
        if path.endswith(".ms"):
            with table(path, readonly=False, ack=False) as ms:
                weights = ms.getcol("WEIGHT_SPECTRUM")
                ms.putcol("WEIGHT_SPECTRUM", self.rng.uniform(1, 9, weights.shape))
        return path

    def assert_same(self, first, other, precision=1e-12, **chosen):
        """The same by the readers, which are tested elsewhere."""
        wanted, found = (fringe.read_visibilities(path, **chosen) for path in (first, other))
        self.assert_alike(wanted, found, precision)

    def assert_alike(self, wanted, found, precision=1e-12):
        # Antennas that no row names may be missing.
        names = [found.antennas.index(name) if name in found.antennas else -1
                 for name in wanted.antennas]
        used = np.array(sorted({antenna for antenna, _ in wanted.inputs}))
        self.assertGreaterEqual(min(np.take(names, used)), 0)
        inputs = [found.inputs.index((names[a], hand)) for a, hand in wanted.inputs]
        i, j = wanted.products
        low, high = np.sort([np.take(inputs, i), np.take(inputs, j)], axis=0)
        count = len(found.inputs)
        k = low * count - low * (low - 1) // 2 + high - low
        order = [np.argsort(vis.frequencies, kind="stable") for vis in (wanted, found)]
        for name in ("data", "flags", "weights"):
            mine = getattr(wanted, name)[:, order[0]]
            other = getattr(found, name)[:, order[1]][:, :, k]
            if name == "data":
                turned = np.take(inputs, i) > np.take(inputs, j)
                other = np.where(turned, other.conj(), other)
            np.testing.assert_array_equal(mine, other, err_msg=name)
        np.testing.assert_allclose(np.sort(wanted.frequencies), np.sort(found.frequencies),
                                   rtol=1e-13)
        off = wanted.seconds - found.seconds + wanted.fractions - found.fractions
        self.assertLess(np.abs(off).max(), 5e-5)
        np.testing.assert_allclose(wanted.intervals, found.intervals, rtol=1e-6)
        np.testing.assert_allclose(wanted.phase_center[1:], found.phase_center[1:], atol=1e-12)
        self.assertEqual(wanted.phase_center[0], found.phase_center[0])
        pairs = np.array(list(itertools.combinations(used, 2)))
        uvw = [vis.baseline_uvw(which)
               for vis, which in ((wanted, pairs), (found, np.take(names, pairs)))]
        there = np.isfinite(uvw[0])
        self.assertLess(np.abs(uvw[0] - uvw[1])[there].max(), precision * 1e3 + 1e-7)
        self.assertEqual((wanted.telescope, wanted.unit), (found.telescope, found.unit))
        self.assertAlmostEqual(wanted.channel_width or 0, found.channel_width or 0, 3)
        for name in ("mounts", "types"):
            self.assertEqual([getattr(wanted.feeds, name)[a] for a in used],
                             [getattr(found.feeds, name)[names[a]] for a in used])
        turn = np.exp(1j * (wanted.feeds.angles - found.feeds.angles[names]))
        self.assertLess(np.abs(turn - 1)[used].max(), 1e-6)
        np.testing.assert_allclose(wanted.feeds.itrf[used], found.feeds.itrf[names][used],
                                   atol=1e-6)


class qa_pairs(convert_case):

    def test_every_pair_and_back(self):
        for first, hands, others in (
                (".ms", "XY", (".uvh5", ".uvfits")), (".ms", "RL", (".uvfits",)),
                (".ms", "Y", (".uvh5",)), (".uvh5", "XY", (".ms", ".uvfits")),
                (".uvfits", "XY", (".ms", ".uvh5"))):
            path = self.source(hands + first, hands)
            for second in others:
                with self.subTest(pair=(first, second), hands=hands):
                    made, back = self.path("made" + second), self.path("back" + first)
                    result = fringe.convert(path, made, overwrite=True, history="a line of its own")
                    self.assert_same(path, made, 1e-7)
                    self.assertEqual(result.rows, 2 * 10)
                    fringe.convert(made, back, overwrite=True)
                    self.assert_same(path, back, 1e-7)
                    for name in (made, back):
                        self.assertIn("a line of its own", self.history(name))
                        self.assertIn("Written by gr-fringe" if first != ".ms" else "correlate",
                                      self.history(name))

    def history(self, path):
        if path.endswith(".ms"):
            with table(os.path.join(path, "HISTORY"), ack=False) as lines:
                return "\n".join(lines.getcol("MESSAGE"))
        if path.endswith(".uvh5"):
            with h5py.File(path) as file:
                return file["Header/history"][()].decode()
        return "\n".join(fits.getheader(path)["HISTORY"])

    def test_by_casacore_and_astropy(self):
        """Cells of the new files against those of the old one, without our readers."""
        path = self.source("a.ms")
        for ending in ENDINGS[1:]:
            fringe.convert(path, self.path("a" + ending))
        with table(path, ack=False) as ms:
            order = np.lexsort([ms.getcol(name) for name in ("ANTENNA2", "ANTENNA1", "TIME")])
            data, flags, weights, uvw, times, ant1, ant2 = (ms.getcol(name)[order] for name in (
                "DATA", "FLAG", "WEIGHT_SPECTRUM", "UVW", "TIME", "ANTENNA1", "ANTENNA2"))
        with h5py.File(self.path("a.uvh5")) as file:
            codes = file["Header/polarization_array"][()].tolist()
            self.assertEqual(codes, [-5, -7, -8, -6])
            np.testing.assert_array_equal(file["Data/visdata"], data.conj())
            np.testing.assert_array_equal(file["Data/flags"], flags)
            np.testing.assert_array_equal(file["Data/nsamples"], weights)
            np.testing.assert_array_equal(file["Header/uvw_array"], -uvw)
            np.testing.assert_array_equal(file["Header/ant_2_array"], ant2)
            np.testing.assert_allclose((file["Header/time_array"][()] - 2400000.5) * 86400, times,
                                       atol=5e-5, rtol=0)
        with fits.open(self.path("a.uvfits")) as file:
            groups = file[0].data
            np.testing.assert_array_equal(groups.par("BASELINE"), 256 * (ant1 + 1) + ant2 + 1)
            np.testing.assert_allclose((groups.par("DATE") - 2400000.5) * 86400, times, atol=5e-5,
                                       rtol=0)
            np.testing.assert_allclose(np.stack([groups.par(f"{axis}---SIN") for axis in (
                "UU", "VV", "WW")], 1) * C, uvw, atol=1e-4)
            found = groups.data[:, 0, 0, 0][:, :, [0, 2, 3, 1]]  # XX YY XY YX
            np.testing.assert_array_equal(found[..., 0] + 1j * found[..., 1], data)
            np.testing.assert_array_equal(found[..., 2] <= 0, flags | (weights == 0))
            np.testing.assert_array_equal(np.abs(found[..., 2]), weights)
        os.rename(path, self.path("old.ms"))
        for ending in ENDINGS[1:]:
            fringe.convert(self.path("a" + ending), path, overwrite=True)
            with table(path, ack=False) as ms:
                for name, wanted in (("DATA", data), ("WEIGHT_SPECTRUM", weights),
                                     ("ANTENNA1", ant1), ("FLAG", flags)):
                    wanted = wanted | (weights == 0) if name == "FLAG" else wanted
                    np.testing.assert_array_equal(ms.getcol(name) | (weights == 0)
                                                  if name == "FLAG" else ms.getcol(name), wanted)
                np.testing.assert_allclose(ms.getcol("UVW"), uvw, atol=1e-4)
                np.testing.assert_allclose(ms.getcol("TIME"), times, atol=5e-5, rtol=0)

    @needs_pyuvdata
    def test_by_pyuvdata(self):
        path = self.source("a.ms")
        first = read_by_pyuvdata(path)
        for ending in ENDINGS[1:]:
            fringe.convert(path, self.path("a" + ending))
            other = read_by_pyuvdata(self.path("a" + ending))
            for uv in (first, other):
                uv.reorder_pols("AIPS", run_check=False)
                uv.reorder_blts("time", minor_order="baseline", run_check=False)
            for name in ("data_array", "flag_array", "nsample_array"):
                np.testing.assert_allclose(getattr(first, name), getattr(other, name), rtol=1e-6,
                                           err_msg=name)
            np.testing.assert_allclose(first.uvw_array, other.uvw_array, atol=1e-4)
            np.testing.assert_allclose(first.freq_array, other.freq_array)
            np.testing.assert_allclose(first.phase_center_app_ra, other.phase_center_app_ra,
                                       atol=1e-5)
            self.assertEqual(mounts_in_pyuvdata(ending, first.telescope.mount_type),
                             list(other.telescope.mount_type))


class qa_refused(convert_case):

    def test_by_name(self):
        path = snapshot(self.folder, 3, self.rng, "a.uvh5", channels=4)
        raw = snapshot(self.folder, 3, self.rng, "a.ACC", channels=4)
        for source, output, words in (
                (raw, "b.ms", "a.ACC: is a .*which has no phase center"),
                (path, "b.ACC", "output: .*b.ACC: must end in .ms, .uvh5, .uvfits"),
                (path, "b.uvh5", "a.uvh5 is a UVH5 file already"),
                (path, "none/b.ms", "there is no folder"),
                (self.path("c.ms"), "b.uvfits", "c.ms: there is no such file")):
            with self.assertRaisesRegex(ValueError, words):
                fringe.convert(source, self.path(output))
        with self.assertRaisesRegex(ValueError, "field=X"):
            fringe.convert(path, self.path("b.ms"), field="X")
        self.assertFalse([name for name in os.listdir(self.folder) if name[0] in "b."])

    def test_a_full_disk(self):
        path = snapshot(self.folder, 3, self.rng, "a.uvh5", channels=4)
        there = sorted(os.listdir(self.folder))
        for output, free, words in (("b.ms", 10**6, "needs about 4.2 MB, and the disk has 1 MB"),
                                    ("b.uvfits", 100, "needs about 0.00108 MB, and the disk has")):
            with mock.patch("shutil.disk_usage", return_value=mock.Mock(free=free)):
                with self.assertRaisesRegex(OSError, words) as caught:
                    fringe.convert(path, self.path(output))
            self.assertEqual(caught.exception.errno, errno.ENOSPC)
        self.assertEqual(sorted(os.listdir(self.folder)), there)

    def test_the_command(self):
        path = snapshot(self.folder, 3, self.rng, "a.uvh5", channels=4)
        done = command("convert", path, "b.ms", cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, "wrote b.ms: 6 rows\n"), done.stderr)
        with self.assertRaisesRegex(ValueError, "b.ms: exists"):
            fringe.convert(path, self.path("b.ms"))
        with table(self.path("b.ms/HISTORY"), ack=False) as lines:
            self.assertIn("fringe convert", lines.getcol("MESSAGE")[-1])


if __name__ == "__main__":
    unittest.main()
