#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe convert: files of other programs, with several fields and windows; a value of each
visibility tells where it belongs."""
import os
import unittest
from unittest import mock

import h5py
import numpy as np
import qa_groups
import qa_measurement_sets
import qa_uvh5_indices
from astropy.io import fits
from casacore.tables import table
from gnuradio import fringe
from gnuradio.fringe.visibility_files.read_visibilities import read_parts
from qa_convert import ENDINGS, convert_case
from qa_skies import snapshot


class qa_several(convert_case):

    def assert_parts(self, path, made, precision=1e-7, **chosen):
        parts = read_parts(path, **chosen)
        self.assertGreater(len(parts), 1)
        for part in parts:
            wanted = fringe.read_visibilities(path, **part.selection.keywords())
            field = wanted.phase_center[0]
            self.assert_alike(wanted, fringe.read_visibilities(made, field=field), precision)

    def test_a_uvfits_file_of_two_sources_and_windows(self):
        path = qa_groups.write(
            self.path("two.uvfits"),
            qa_groups.dumps(source=2) + qa_groups.dumps(source=7, first=1 / 64)
            + qa_groups.dumps(source=2, first=1 / 32),
            [qa_groups.antennas(qa_groups.NAMES),
             qa_groups.setups((1, [0, 5e6], [qa_groups.C2] * 2, [1, 1]), windows=2),
             qa_groups.sources((7, "CAL", 123.0, 41.0, 2000, 0), (2, "TGT", 120.0, 40.0, 2000, 0))],
            stokes=(-5, -6), windows=2)
        for ending in ENDINGS[:2]:
            made = self.path("made" + ending)
            self.assertEqual(fringe.convert(path, made).fields, 2)
            parts = read_parts(path)
            for part in parts:
                wanted = fringe.read_visibilities(path, **part.selection.keywords())
                self.assert_alike(wanted, fringe.read_visibilities(
                    made, field=wanted.phase_center[0], spw="all"), 1e-7)
            fringe.convert(made, self.path("back.uvfits"), overwrite=True)
            self.assert_parts(path, self.path("back.uvfits"))
        with table(self.path("made.ms"), ack=False) as ms:
            self.assertEqual(ms.nrows(), 2 * 3 * 6)
            self.assertEqual(np.count_nonzero(np.diff(ms.getcol("FIELD_ID"))), 2)

    def test_a_uvh5_file_of_two_centers(self):
        m = qa_uvh5_indices
        path = m.write(self.path("two.uvh5"), m.rows_of(3) + m.rows_of(1, 30.0),
                       {1: m.sidereal("A", 1.0, 0.5), 3: m.sidereal("B", 1.1, 0.4)},
                       codes=(-5, -6, -7, -8), header={
                           "spw_array": [4, 2], "flex_spw": True,
                           "flex_spw_id_array": [2, 2, 4, 4, 2, 4]})
        for ending in (".ms", ".uvfits"):
            with self.subTest(ending):
                made = self.path("made" + ending)
                if ending == ".uvfits":
                    with self.assertRaisesRegex(ValueError, "away from an even row"):
                        fringe.convert(path, made)
                    self.assertFalse(os.path.exists(made))
                    continue
                fringe.convert(path, made)
                for part in read_parts(path):
                    wanted = fringe.read_visibilities(path, **part.selection.keywords())
                    self.assert_alike(wanted, fringe.read_visibilities(
                        made, field=wanted.phase_center[0], spw="all"))

    def test_a_set_of_windows_of_other_lengths(self):
        m = qa_measurement_sets
        path = self.path("two.ms")
        rows = m.everything(kinds=(1, 4))
        # A row of one window is missing, and one antenna has a size.
        gone = next(k for k, row in enumerate(rows) if row.kind == 4 and row.first != row.second)
        m.write_set(path, [row.columns() for k, row in enumerate(rows) if k != gone])
        with table(os.path.join(path, "ANTENNA"), readonly=False, ack=False) as antennas:
            antennas.putcell("DISH_DIAMETER", m.USED[1], 25.0)
        made, back = self.path("made.uvh5"), self.path("back.ms")
        result = fringe.convert(path, made)
        self.assertEqual((result.rows, result.fields), (2 * 3 * 10, 2))
        self.assertIn("not the exposure", " ".join(result.notes))
        fringe.convert(made, back)
        for name in ("SRC", "CAL"):
            wanted = fringe.read_visibilities(path, field=name, spw="all")
            self.assert_alike(wanted, fringe.read_visibilities(made, field=name))
            self.assert_alike(wanted, fringe.read_visibilities(back, field=name, spw="all"))
        with h5py.File(made) as file:
            self.assertEqual(file["Header/antenna_diameters"][m.USED[1]], 25)
        with self.assertRaisesRegex(ValueError, "windows have 4, 6 channels.*spw=NUMBER"):
            fringe.convert(path, self.path("made.uvfits"))
        fringe.convert(path, self.path("made.uvfits"), spw="W1")
        self.assert_parts(path, self.path("made.uvfits"), spw="W1")

    def test_frames_of_frequencies(self):
        m = qa_measurement_sets
        path = self.path("lsrk.ms")
        m.write_set(path, [row.columns() for row in m.everything(fields=(2,), kinds=(4,))])
        m.change(path, "SPECTRAL_WINDOW", "MEAS_FREQ_REF", 1, 1)
        fringe.convert(path, self.path("a.uvfits"))
        self.assertEqual(fits.getheader(self.path("a.uvfits"))["SPECSYS"], "LSRK")
        fringe.convert(self.path("a.uvfits"), self.path("back.ms"))
        self.assertEqual(fringe.read_visibilities(self.path("back.ms")).frequency_frame, "LSRK")
        notes = fringe.convert(path, self.path("a.uvh5")).notes
        self.assertIn("UVH5 files have no frame of frequencies", " ".join(notes))
        m.write_set(self.path("two.ms"), [row.columns() for row in m.everything(kinds=(1, 4))])
        m.change(self.path("two.ms"), "SPECTRAL_WINDOW", "MEAS_FREQ_REF", 1, 3)
        with self.assertRaisesRegex(ValueError, "in the frames BARY, TOPO"):
            fringe.convert(self.path("two.ms"), self.path("two.uvh5"))
        vis = fringe.read_visibilities(self.path("a.uvfits"))
        self.assertEqual(vis.frequency_frame, "LSRK")
        self.assertIn("its frequencies are in the frame LSRK", " ".join(vis.remarks))
        fits.setval(self.path("a.uvfits"), "SPECSYS", value="MOON")
        with self.assertRaisesRegex(ValueError, "SPECSYS: MOON: must be one of REST, LSRK"):
            fringe.convert(self.path("a.uvfits"), self.path("b.ms"))

    def test_windows_of_other_correlations(self):
        """Each is a row of its own in a MeasurementSet, and refused elsewhere."""
        m = qa_measurement_sets
        path = self.path("two.ms")
        m.write_set(path, [row.columns() for row in m.everything()])
        with self.assertRaisesRegex(ValueError, "two.ms: has rows of several spectral windows"):
            fringe.convert(path, self.path("made.uvh5"))
        self.assertFalse(os.path.exists(self.path("made.uvh5")))

    def test_stokes_parameters(self):
        path = qa_groups.write(self.path("iquv.uvfits"), qa_groups.dumps(),
                               [qa_groups.antennas(qa_groups.NAMES)], stokes=(1, 2, 3, 4),
                               header={"BUNIT": "JY"})
        wanted = fits.getdata(path).data[:, 0, 0, 0]
        fringe.convert(path, self.path("iquv.ms"))
        with table(self.path("iquv.ms"), ack=False) as ms:
            data = ms.getcol("DATA")
        np.testing.assert_array_equal(data, wanted[..., 0] + 1j * wanted[..., 1])
        with table(os.path.join(self.path("iquv.ms"), "POLARIZATION"), ack=False) as setups:
            self.assertEqual(setups.getcell("CORR_TYPE", 0).tolist(), [1, 2, 3, 4])
        fringe.convert(self.path("iquv.ms"), self.path("back.uvfits"))
        np.testing.assert_array_equal(fits.getdata(self.path("back.uvfits")).data[:, 0, 0, 0],
                                      wanted)
        self.assertEqual(fringe.read_visibilities(self.path("iquv.ms")).unit, "Jy")
        self.assertEqual(fits.getheader(self.path("back.uvfits"))["BUNIT"], "JY")

    def test_units(self):
        for word, unit, in_ms in (("UNCALIB", "count", []), ("JY", "Jy", ["Jy"]),
                                  ("K STR", "K sr", ["K.sr"])):
            path = qa_groups.write(self.path(f"{unit}.uvfits"), qa_groups.dumps(),
                                   [qa_groups.antennas(qa_groups.NAMES)], header={"BUNIT": word})
            made = [self.path(unit + ending) for ending in ENDINGS[:2]]
            for new in made:
                fringe.convert(path, new)
                self.assertEqual(fringe.read_visibilities(new).unit, unit)
            with table(made[0], ack=False) as ms:
                self.assertEqual(ms.getcolkeywords("DATA").get("QuantumUnits", []), in_ms)
            fringe.convert(made[1], path, overwrite=True)
            self.assertEqual(fits.getheader(path)["BUNIT"], word)

    def test_windows_of_one_channel(self):
        """How wide each is stands in AIPS FQ, and not in the axis."""
        tables = [qa_groups.antennas(qa_groups.NAMES),
                  qa_groups.setups((1, [0, 5e6], [1e6, 3e6], [1, 1]), windows=2)]
        with mock.patch.object(qa_groups, "CHANNELS", 1):
            path = qa_groups.write(self.path("two.uvfits"), qa_groups.dumps(), tables, windows=2)
        fringe.convert(path, self.path("two.ms"))
        with table(self.path("two.ms/SPECTRAL_WINDOW"), ack=False) as windows:
            self.assertEqual([windows.getcell("CHAN_WIDTH", k).tolist() for k in range(2)],
                             [[1e6], [3e6]])

    def test_channels_of_unknown_width(self):
        path = snapshot(self.folder, 3, self.rng, "a.uvh5", channels=4)
        with h5py.File(path, "a") as file:
            del file["Header/channel_width"]
        fringe.convert(path, self.path("a.ms"))
        with table(self.path("a.ms/SPECTRAL_WINDOW"), ack=False) as windows:
            self.assertEqual(windows.getcell("CHAN_WIDTH", 0).tolist(), [0] * 4)

    def test_diameters_in_other_units(self):
        path = snapshot(self.folder, 3, self.rng, "a.ms", channels=4)
        with table(os.path.join(path, "ANTENNA"), readonly=False, ack=False) as antennas:
            antennas.putcol("DISH_DIAMETER", np.array([1200.0, 2500.0, 300.0]))
            antennas.putcolkeyword("DISH_DIAMETER", "QuantumUnits", ["cm"])
        fringe.convert(path, self.path("a.uvfits"))
        with fits.open(self.path("a.uvfits"), mode="update") as file:
            self.assertEqual(file["AIPS AN"].data["DIAMETER"].tolist(), [12, 25, 3])
            file["AIPS AN"].data["DIAMETER"] /= 1000
            file["AIPS AN"].columns["DIAMETER"].unit = "KM"
        fringe.convert(self.path("a.uvfits"), self.path("a.uvh5"))
        with h5py.File(self.path("a.uvh5")) as file:
            np.testing.assert_allclose(file["Header/antenna_diameters"], [12, 25, 3], rtol=1e-6)

    def test_feeds_of_some_antennas(self):
        path = self.source("a.ms")
        with table(os.path.join(path, "FEED"), readonly=False, ack=False) as feeds:
            feeds.removerows([1])
        notes = " ".join(fringe.convert(path, self.path("a.uvh5")).notes)
        self.assertIn("UVH5 files give the feeds of all antennas, or of none", notes)

    def test_channels_that_descend(self):
        m = qa_measurement_sets
        path = self.path("down.ms")
        m.write_set(path, [row.columns() for row in m.everything(fields=(2,), kinds=(4,))])
        m.change(path, "SPECTRAL_WINDOW", "CHAN_FREQ", 1, m.WINDOWS[1][::-1])
        for ending in ENDINGS[1:]:
            fringe.convert(path, self.path("made" + ending))
            self.assert_same(path, self.path("made" + ending), 1e-7)
        down = fringe.read_visibilities(self.path("made.uvh5")).frequencies
        np.testing.assert_array_equal(down, m.WINDOWS[1][::-1])


if __name__ == "__main__":
    unittest.main()
