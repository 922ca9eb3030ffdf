#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe verify: files that fit, and files with one fault each, put there with casacore."""
import contextlib
import io
import os
import types
import unittest

import h5py
import numpy as np
from casacore.tables import makearrcoldesc, makescacoldesc, maketabdesc, table
from gnuradio import fringe
from gnuradio.fringe.cli import main
from gnuradio.fringe.verifying import verify
from gnuradio.fringe.verifying.finding import FITS, UNKNOWN, WRONG
from gnuradio.fringe.verifying.frequencies import check_frequencies
from gnuradio.fringe.verifying.geometry import LIGHT, SIGNS, TURNED
from gnuradio.fringe.certificates.ms import pieces_of_ms
from gnuradio.fringe.verifying.numbers import number_check
from qa_scratch import scratch_case
from qa_skies import ms_sky, snapshot

DUMP, DUMPS, ANTENNAS = 10.0, 4, 8


class qa_verify(scratch_case):

    def sky(self, name="sky.ms", spread=False):
        """A MeasurementSet that our writer made; spread: its dumps last 10 s, one after another."""
        path = snapshot(self.folder, ANTENNAS, self.rng, name, dumps=DUMPS, extent=3000.0)
        if spread:
            vis = fringe.read_visibilities(path)
            _, ra, dec = vis.phase_center
            with table(path, readonly=False, ack=False) as ms:
                times, dump = np.unique(ms.getcol("TIME"), return_inverse=True)
                later = DUMP * np.arange(DUMPS)
                start = fringe.epoch(int(vis.seconds[0]), float(vis.fractions[0]))
                places = [vis.feeds.itrf @ fringe.axes_of_radec(ra, dec, start.plus_seconds(t)).T
                          for t in later]
                first, second = ms.getcol("ANTENNA1"), ms.getcol("ANTENNA2")
                ms.putcol("UVW", np.array([places[d][a] - places[d][b]
                                           for d, a, b in zip(dump, first, second)]))
                for name in ("TIME", "TIME_CENTROID"):
                    ms.putcol(name, times[0] + later[dump])
                for name in ("INTERVAL", "EXPOSURE"):
                    ms.putcol(name, np.full(len(dump), DUMP))
        return path

    def change(self, path, column, change, part=""):
        with table(os.path.join(path, part), readonly=False, ack=False) as ms:
            ms.putcol(column, change(ms.getcol(column)))

    def wrong(self, path, **options):
        """What is wrong, in words, but that the file was changed."""
        return "; ".join(finding.line() for finding in verify(path, **options)
                         if finding.result == WRONG and finding.check != "certificate")

    def test_files_of_ours_fit(self):
        path = self.sky()
        paths = [path, self.path("x.uvh5"), self.path("x.uvfits")]
        for other in paths[1:]:
            fringe.convert(path, other)
        for each in [*paths, self.sky("spread.ms", True)]:
            with self.subTest(each):
                self.assertEqual(self.wrong(each), "")
                found = {finding.check: finding.result for finding in verify(each)}
                for check in ("sign of uvw", "times", "antennas", "dumps"):
                    self.assertEqual(found[check], FITS, check)

    def test_signs(self):
        for signs, words in SIGNS.items():
            if words:
                path = self.sky(f"{'_'.join(map(str, signs))}.ms")
                self.change(path, "UVW", lambda uvw, signs=signs: uvw * signs)
                self.assertIn(words, self.wrong(path))

    def test_w_off_by_20_ns(self):
        path = self.sky()
        with table(path, ack=False) as ms:
            sign = (ms.getcol("ANTENNA1") == 3).astype(int) - (ms.getcol("ANTENNA2") == 3)
        self.change(path, "UVW", lambda uvw: uvw + np.outer(sign, [0, 0, 20 * LIGHT]))
        found = self.wrong(path)
        self.assertIn("uvw of 1 of 8 antennas are off", found)
        self.assertRegex(found, r"\((19\.\d|20(\.\d)?) ns\), in w alone")

    def test_exchanged_antennas(self):
        path = self.sky()

        def exchange(places):
            places[[2, 5]] = places[[5, 2]]
            return places
        self.change(path, "POSITION", exchange, "ANTENNA")
        names = fringe.read_visibilities(path).antennas
        self.assertIn(f"{names[2]} and {names[5]} are exchanged", self.wrong(path))

    def test_times_half_a_dump_off(self):
        for sign, word in ((1, "earlier"), (-1, "later")):
            path = self.sky(f"{word}.ms", True)
            self.change(path, "TIME", lambda t, sign=sign: t + sign * DUMP / 2)
            self.assertIn(f"5 s {word} than those of the file, half a dump", self.wrong(path))

    def test_what_ut1_may_be(self):
        path = self.sky(spread=True)
        _, _, dec = fringe.read_visibilities(path).phase_center
        turned = TURNED / np.cos(dec) ** 2
        self.change(path, "TIME", lambda t: t - turned - 0.4)
        self.assertEqual(self.wrong(path), "")
        self.assertIn("s later", self.wrong(path, dut1=0.0))
        self.assertEqual(self.wrong(path, dut1=0.4), "")
        self.change(path, "TIME", lambda t: t - 0.6)
        self.assertIn("s later", self.wrong(path))

    def test_dumps_that_overlap(self):
        path = self.sky(spread=True)
        self.change(path, "INTERVAL", lambda length: 2 * length)
        self.assertIn("overlap", self.wrong(path))

    def test_numbers_that_are_none(self):
        with table(self.sky("plain.ms"), ack=False) as ms:
            weights = next(name for name in ("WEIGHT_SPECTRUM", "WEIGHT") if name in ms.colnames())
        for column, value, words in (
                ("DATA", np.nan, "are no number"), (weights, np.nan, "a weight that is no number"),
                (weights, -1.0, "have a negative weight")):
            path = self.sky(f"{words}.ms")

            def broken(values, value=value):
                values[5, 3, 0] = value
                return values
            self.change(path, column, broken)
            found = self.wrong(path)
            self.assertIn("1 visibilities that are not flagged", found)
            self.assertIn(words, found)
            # What is flagged may be anything.
            self.change(path, "FLAG", np.ones_like)
            self.assertNotIn(words, self.wrong(path))

    def test_antennas_without_baselines(self):
        """As a telescope has them that names all of its antennas: no rows, or none in a dump."""
        for whole in (True, False):
            path = self.path(f"{whole}.ms")
            with table(self.sky(f"all{whole}.ms", True), ack=False) as ms:
                gone = (ms.getcol("ANTENNA1") == 2) | (ms.getcol("ANTENNA2") == 2)
                if not whole:
                    gone &= ms.getcol("TIME") == ms.getcol("TIME")[0]
                ms.selectrows(np.flatnonzero(~gone)).copy(path, deep=True).close()
            self.assertEqual(self.wrong(path), "")
            self.change(path, "UVW", lambda uvw: uvw * [-1, -1, 1])
            self.assertIn("the image is upside-down", self.wrong(path))

    def test_windows_of_other_lengths(self):
        columns = [makearrcoldesc(name, value, 2)
                   for name, value in (("DATA", 0j), ("FLAG", False))]
        columns += [makearrcoldesc("WEIGHT", 0.0, 1), makescacoldesc("FLAG_ROW", False),
                    makescacoldesc("DATA_DESC_ID", 0)]
        with table(self.path("windows.ms"), maketabdesc(columns), 4, ack=False) as ms:
            for row, channels in enumerate((4, 9, 4, 9)):
                ms.putcell("DATA_DESC_ID", row, int(channels == 9))
                ms.putcell("DATA", row, np.full((channels, 2), np.nan if row == 3 else 1 + 0j))
                ms.putcell("FLAG", row, np.zeros((channels, 2), bool))
                ms.putcell("WEIGHT", row, np.ones(2))
        numbers = number_check()
        for piece in pieces_of_ms(self.path("windows.ms"), {"TIME"}):
            numbers.add(piece)
        found = [finding.words for finding in numbers.findings()]
        self.assertIn("18 visibilities that are not flagged are no number", found)

    def test_weights_of_zero(self):
        path, other = self.sky(), self.path("x.uvh5")
        fringe.convert(path, other)
        with h5py.File(other, "r+") as file:
            file["Data/nsamples"][7] = 0
        found = [finding.line() for finding in verify(other) if "weight 0" in finding.words]
        self.assertEqual(len(found), 1)
        self.assertNotIn(WRONG, found[0])
        self.assertEqual(self.wrong(other), "")

    def test_weights(self):
        paths = self.sky(), self.path("x.uvh5")
        fringe.convert(*paths)
        for path in paths:
            found = {finding.check: finding for finding in verify(path)}
            self.assertEqual(found["weights"].result, UNKNOWN)  # nothing was lost
            self.assertEqual(found["numbers"].result, FITS)

    def test_a_source_and_its_mirror_image(self):
        sky = ms_sky(self.sky())
        l, m = 0.02, -0.03
        n = np.sqrt(1 - l * l - m * m)
        _, ra, dec = fringe.read_visibilities(sky.path).phase_center
        place = ("star", ra + np.arctan2(l, n * np.cos(dec) - m * np.sin(dec)),
                 np.arcsin(m * np.cos(dec) + n * np.sin(dec)))
        noise = sky.noise(1.0, self.rng)
        star = sky.point(l, m)
        for data, result, words in ((star, FITS, "towards it"), (0, UNKNOWN, "it is not seen"),
                                     (star.conj(), WRONG, "the sky is upside-down"),
                                     (star[:, ::-1], WRONG, "channels in reverse order")):
            sky.write(data + noise)
            found = verify(sky.path, [place])[-1]
            self.assertEqual(found.result, result, found.line())
            self.assertIn(words, found.words)

    def test_frequencies(self):
        for hertz, result, words in (
                ([3e8, 3.1e8, 3.2e8], FITS, "3 channels, which rise from 300000000 to 320000000"),
                ([3.2e8, 3.1e8, 3e8], FITS, "fall"), ([3.2e8, 3e8, 3.1e8], FITS, "rise and fall"),
                ([3e8], FITS, "1 channel, at 300000000 Hz"), ([], UNKNOWN, "has none"),
                ([3e8, 3e8, 3.1e8], WRONG, "1 channel has the frequency of another"),
                ([3e8, 3e8, 3.1e8, 3.1e8], WRONG, "2 channels have the frequency of another"),
                ([3e8, 3.05e8, 3.2e8], WRONG, "channels of 1e+07 Hz overlap"),
                ([3e8, -3.1e8], WRONG, "-3.1e+08 Hz"), ([0.0, 1e7], WRONG, "0 Hz"),
                ([3e8, np.nan], WRONG, "nan"), ([3e8, np.inf], WRONG, "inf")):
            with self.subTest(hertz):
                found, = check_frequencies(types.SimpleNamespace(frequencies=hertz,
                                                                 channel_width=1e7))
                self.assertEqual(found.result, result, found.line())
                self.assertIn(words, found.words)
        path = self.sky()
        self.change(path, "CHAN_FREQ", lambda hertz: hertz[:, :1] + 0 * hertz, "SPECTRAL_WINDOW")
        self.assertIn("have the frequency of another", self.wrong(path))

    def test_command(self):
        path, other = self.sky(), self.path("other.uvh5")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            fringe.convert(path, other)
            self.assertEqual(main(["verify", path, other]), 0)
            self.change(path, "UVW", lambda uvw: -uvw)
            self.assertEqual(main(["verify", path]), 1)
            self.assertEqual(main(["verify", other, path]), 1)
        self.assertIn("u, v and w have the other sign", out.getvalue())
        with contextlib.redirect_stderr(io.StringIO()):
            for words in ((path, "--dut1", "3"), (path, "--source", "1"), (self.path("no.ms"),)):
                self.assertEqual(main(["verify", *words]), 2)


if __name__ == "__main__":
    unittest.main()
