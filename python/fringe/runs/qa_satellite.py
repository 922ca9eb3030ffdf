#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A satellite as phase center, --phase-center satellite=TABLE: followed, and into a UVH5 file."""
import math
import os
import unittest

import numpy as np
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.describing import info
from qa_phase_centers import with_a_recording
from qa_uvdata import needs_pyuvdata, read_by_pyuvdata

SPEED_OF_LIGHT, EARTH_RATE = 299792458.0, 7.292115e-5


class with_a_satellite(with_a_recording):
    """With a table of a satellite that comes from the west and goes over the zenith."""

    @staticmethod
    def enu(seconds, up=20e6):
        return [4e6 + 4e3 * seconds, 1e6, up]

    def table(self, up=20e6):
        """Positions, a second apart."""
        start = self.observation().start_time
        with open(self.path("sat.txt"), "w", encoding="utf-8") as file:
            for k in range(-20, 21):
                place = fringe.itrf_from_enu(self.observation(), self.enu(k, up))
                file.write(f"{start.plus_seconds(float(k)).iso(9)} "
                           + " ".join(f"{x:.6f}" for x in place) + "\n")
        return self.path("sat.txt")


class qa_satellite(with_a_satellite):

    def test_it_is_followed(self):
        """As a flowgraph does that tracks by the table."""
        raw, table, obs = self.recording(), self.table(), self.observation()
        centers = [f"satellite={table}", "92,-28,star"]
        made = fringe.correlate(raw, self.path("x.ACC"), obs, phase_centers=centers,
                                backend="generic", keep_edge=True)
        self.assertEqual([os.path.basename(f) for f in made.files],
                         ["x_sat.ACC", "x_star.ACC"])

        top = gr.top_block()
        block = 64
        source = fringe.file_source([raw], "ci8", 3, block * 16, 8e6, 150e6,
                                    obs.start_time.iso(15))
        box = fringe.fx_correlator(3, 16, "ci8", 0, 500, block_spectra=block, backend="generic",
                                   tracking=fringe.tracking.of_satellite(obs, table))
        sink = blocks.vector_sink_c(16 * 6)
        top.connect(source, box, sink)
        top.connect((box, 1), blocks.null_sink(4 * 16 * 6))
        top.run()
        want = np.reshape(sink.data(), (-1, 16, 6)).transpose(0, 2, 1)
        got, star = (np.fromfile(self.path(f), np.complex64).reshape(-1, 6, 16)
                     for f in ("x_sat.ACC", "x_star.ACC"))
        self.assertEqual(len(got), len(want))
        np.testing.assert_allclose(got, want, atol=1e-5 * np.abs(want).max())
        self.assertFalse(np.allclose(got, star, atol=1e-2 * np.abs(want).max()))

    def test_what_cannot_be(self):
        raw, good = self.recording(), f"satellite={self.table()}"
        def run(center=good, output="x.ACC", **options):
            fringe.correlate(raw, self.path(output), self.observation(
                **options.pop("fields", {})), phase_centers=[center], **options)
        for options, why in (
                ({"output": "x.ms"}, "x.ms: is phased to one direction.*write .uvh5.*or .ACC"),
                ({"output": "x.uvfits"}, "x.uvfits: is phased to one direction.*write .uvh5"),
                ({"output": "x.uvh5", "fields": {"fringe_stopping": False}}, "fringe_stopping"),
                ({"output": "x.uvh5", "smearing_loss": 0.01, "field_radius": 1.0}, "averaging"),
                ({"tracking": False}, "tracking=False: .* is followed in the F-engine"),
                ({"fields": {"has_start_time": False}}, "phase_centers: .*give start_time"),
                ({"start_time": "2027-01-01T00:00:00"}, "satellite=.*sat.txt"),
                ({"center": "satellite=none.txt"}, "satellite=none.txt: .*none.txt")):
            with self.subTest(why), self.assertRaisesRegex(ValueError, why):
                run(**options)
        self.table(up=-20e6)
        with self.assertRaisesRegex(ValueError, "degrees below the horizon"):
            run()

class qa_uvh5(with_a_satellite):
    """A phase center of type "ephem": a place for each dump."""

    def setUp(self):
        super().setUp()
        self.table()
        fringe.correlate(self.recording(), [self.path("x.uvh5"), self.path("x.ACC")],
                         self.observation(dut1=0.0), backend="generic", keep_edge=True,
                         phase_centers=[f"satellite={self.path('sat.txt')},SAT 7"])

    def seen(self, seconds):
        """Hour angle, declination and distance, from the site, by the law that table() writes."""
        obs, way = self.observation(), 0.0
        site = fringe.itrf_from_enu(obs, [0, 0, 0])
        for _ in range(5):
            place = fringe.itrf_from_enu(obs, self.enu(seconds - way))
            c, s = math.cos(EARTH_RATE * way), math.sin(EARTH_RATE * way)
            x, y, z = place  # the earth has turned since it was sent
            r = np.subtract([c * x + s * y, c * y - s * x, z], site)
            way = np.linalg.norm(r) / SPEED_OF_LIGHT
        return (math.radians(116.67) - math.atan2(r[1], r[0]), math.asin(r[2] / np.linalg.norm(r)),
                np.linalg.norm(r))

    def test_the_header(self):
        import h5py
        with h5py.File(self.path("x.uvh5")) as file:
            center = file["Header/phase_center_catalog/0"]
            self.assertEqual({k: center[k][()] for k in ("cat_name", "cat_type", "cat_frame")},
                             {"cat_name": b"SAT 7", "cat_type": b"ephem", "cat_frame": b"icrs"})
            times = np.unique(file["Header/time_array"])
            np.testing.assert_array_equal(center["cat_times"], times)
            self.assertGreater(len(times), 3)
            ra, dec = center["cat_lon"][()], center["cat_lat"][()]
            lst, app_ra, app_dec = (np.array(file["Header"][name])[::6] for name in
                                    ("lst_array", "phase_center_app_ra", "phase_center_app_dec"))
            own, begin = file["gr-fringe"], self.observation().start_time
            whole, fraction = own["start_seconds"][()], own["start_attoseconds"][()] * 1e-18
            middles = (whole - begin.seconds + fraction - begin.fraction()
                       + file["Header/integration_time"][::6] / 2)
            for k, seconds in enumerate(middles):
                hour_angle, declination, distance = self.seen(seconds)
                off = math.remainder(lst[k] - app_ra[k] - hour_angle, 2 * math.pi)
                self.assertLess(abs(off), 1e-8)
                self.assertAlmostEqual(app_dec[k], declination, delta=1e-8)
                self.assertAlmostEqual(own["satellite_distance"][k], distance, delta=0.1)
                # Where a star would have to be.
                w = fringe.axes_of_radec(ra[k], dec[k], begin.plus_seconds(seconds), 0.0)[2]
                self.assertAlmostEqual(math.asin(w[2]), app_dec[k], delta=1e-8)

    def test_phases_are_those_that_were_tracked(self):
        vis = fringe.read_visibilities(self.path("x.uvh5"))
        acc = fringe.read_visibilities(self.path("x.ACC"))
        np.testing.assert_array_equal(vis.data, acc.data)
        # uvw of its direction: w is what is farther away from it.
        lengths = np.linalg.norm(vis.uvw[0], axis=1)
        places = vis.positions - vis.positions[0]
        np.testing.assert_allclose(lengths, np.linalg.norm(places, axis=1),
                                   atol=1e-3)

    def test_it_is_described(self):
        output = info.describe(self.path("x.uvh5"))
        self.assertRegex(output, r"phase center +SAT 7, right ascension")
        self.assertIn("the phase center moves", output)

    @needs_pyuvdata
    def test_pyuvdata_reads_it(self):
        uv = read_by_pyuvdata(self.path("x.uvh5"), strict_uvw_antpos_check=True)
        self.assertTrue(uv.check(strict_uvw_antpos_check=True, check_autos=True))
        center = uv.phase_center_catalog[0]
        self.assertEqual((center["cat_name"], center["cat_type"]), ("SAT 7", "ephem"))
        ours = uv.uvw_array.copy(), uv.phase_center_app_ra.copy(), uv.phase_center_app_dec.copy()
        uv._set_app_coords_helper()
        # Its own have the diurnal aberration, 0.3 arcsec, and UT1 of a table, 0.2 s at most.
        np.testing.assert_allclose(uv.phase_center_app_dec, ours[2], atol=3e-6)
        np.testing.assert_allclose(np.unwrap(uv.phase_center_app_ra), np.unwrap(ours[1]), atol=2e-5)
        uv.set_uvws_from_antenna_positions(update_vis=False)
        np.testing.assert_allclose(uv.uvw_array, ours[0], atol=3000 * 2e-5)


if __name__ == "__main__":
    unittest.main()
