#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Known sources by name, from catalogues and observation files: in images, plots, peeling."""
import contextlib
import io
import unittest

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.calibration.sources import sources_of
from gnuradio.fringe.cli import main
from gnuradio.fringe.images import image_settings, make_image
from gnuradio.fringe.images.known import known_sources, read_known
from gnuradio.fringe.images.sky_sources import read_sources
from gnuradio.fringe.sky_model.model_sky import frame_of_file, point_sources
from qa_image import simulate
from qa_scratch import scratch_case

#: When and where the Sun, the Moon and Venus are up at the site of simulate().
WHEN = "2026-06-19T12:00:00Z"
CATALOGUE = "- {name: A, ra: 150, dec: 20}\n- {name: B, ra: 140, dec: 25}\n"


class qa_known(scratch_case):

    def file(self, **more):
        # Towards the south, as high as the Sun is in June.
        return simulate(self.folder, [(0.05, 0.03, 1.0)], {"az": 180, "el": 60}, samples=1 << 14,
                        start_time=WHEN, **more)

    def expected(self, obs, name, made):
        """(l, m) of a body, by the directions of the observation's site."""
        there = fringe.observation.from_text(obs.to_text())
        there.phase_center = fringe.phase_center.named(name)
        towards = np.array(fringe.phase_center_direction(there, fringe.epoch(*made.middle)))
        site = np.array(fringe.itrf_from_enu(obs, [0, 0, 0]))
        enu = np.array(fringe.enu_from_itrf(obs, site + towards))
        return (made.frame.rotation @ enu)[:2]

    def test_bodies_are_where_the_site_sees_them(self):
        path, obs = self.file()
        made = make_image([path], image_settings(size=(64, 64)))
        found = {name: place for name, *place in known_sources(read_known("Sun,Moon,Venus"), made)}
        self.assertEqual(set(found), {"Sun", "Moon", "Venus"})
        for name, place in found.items():
            # Images have one aberration, that of their center: at most 1e-4 elsewhere. The Moon
            # would be off by 1e-2 as seen from the center of the Earth.
            np.testing.assert_allclose(place, self.expected(obs, name, made), atol=1e-4)
        vis = fringe.read_visibilities(path)
        for body in point_sources(read_known("Sun,Moon"), vis, frame_of_file(vis)):
            np.testing.assert_allclose(body.direction[:2], found[body.name], atol=1e-5)

    def test_a_file_of_the_sun_has_it_in_its_middle(self):
        path, _ = simulate(self.folder, [(0.0, 0.0, 1.0)], "Sun", samples=1 << 14,
                           start_time=WHEN)
        made = make_image([path], image_settings(size=(64, 64)))
        (name, l, m), = known_sources(read_known("Sun"), made)
        self.assertEqual(name, "Sun")
        np.testing.assert_allclose([l, m], 0, atol=3e-6)

    def test_one_way_to_name_sources(self):
        catalogue = self.path("c.yml")
        with open(catalogue, "w", encoding="utf-8") as file:
            file.write(CATALOGUE)
        for read in (sources_of, read_known, read_sources):
            self.assertEqual([source.name for source in read(catalogue)], ["A", "B"])
            for name in fringe.source_names():
                source, = read(name)
                self.assertEqual((source.name, source.direction.name), (name, name))
            self.assertEqual([source.name for source in read("sun, CasA")], ["sun", "CasA"])
            with self.assertRaisesRegex(ValueError, "Sun,XyzA: is no file, and 'XyzA' is no "
                                        "source that has a name here; there are Sun, Moon"):
                read("Sun,XyzA")
            with self.assertRaisesRegex(ValueError, "none.yml"):
                read(self.path("none.yml"))

    def test_every_command_takes_names(self):
        path, _ = self.file()
        out, other = self.path("x.png"), self.path("x.ms")
        for words in (["image", path, "-o", out, "--sky", "Sun,Moon", "--size", "64",
                       "--overwrite"],
                      ["plot", path, "-o", out, "--sky", "Sun,Moon"],
                      ["plot", path, "-o", out, "--sky", path + ".ci16.yml"]):
            with self.subTest(words), contextlib.redirect_stdout(io.StringIO()) as printed:
                self.assertEqual(main(words), 0)
                self.assertIn("wrote", printed.getvalue())
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            # Exit code 3: in this noise there is no Sun to be peeled.
            self.assertIn(main(["peel", path, "-o", other, "--sources", "Sun"]), (0, 3))
        self.assertIn("Sun", printed.getvalue())

    def test_without_a_horizon_bodies_are_refused(self):
        path, _ = self.file()
        vis = fringe.read_visibilities(path)
        vis.positions[:] *= 1e5
        vis.uvw = vis.uvw * 1e5
        made = make_image([path], image_settings(size=(64, 64)))
        made.frame.rotation = None
        with self.assertRaisesRegex(ValueError, "none of the sources"):
            known_sources(read_known("Sun"), made)
        self.assertEqual(len(known_sources(read_known("Vir A"), made)), 1)
        with self.assertRaisesRegex(ValueError, "does not determine its direction"):
            point_sources(read_known("Sun"), vis, frame_of_file(vis))


if __name__ == "__main__":
    unittest.main()
