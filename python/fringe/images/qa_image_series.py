#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe image --every: cubes, numbered files and movies of a file's images."""
import contextlib
import glob
import io
import json
import os
import shutil
import subprocess
import tempfile
import unittest
import unittest.mock
from types import SimpleNamespace

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.calibration.sources import read_catalogue
from gnuradio.fringe.cli import main
from gnuradio.fringe.images import image_settings, make_image
from gnuradio.fringe.images.series import image_series
from gnuradio.fringe.images.imaging import check_sources, peaks
from gnuradio.fringe.readers.fits_image import read_fits_image
from gnuradio.fringe.visibility_files.read_visibilities import read_visibilities
from qa_image import RECORDING, ROOT, simulate
from qa_scratch import TIMEOUT, scratch_case

try:
    from astropy.io import fits
    from astropy.wcs import WCS
except ImportError:
    fits = None

SIZE = 64


class qa_image_series(scratch_case):

    def fringe(self, *words, code=0):
        try:
            ended = main(["image", *words])
        except SystemExit as stop:  # of a word that is no value of its option
            ended = stop.code
        self.assertEqual(ended, code)

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.recording = simulate(holder.name, samples=1 << 18, center="zenith",
                                 name="sky.uvh5")[0]

    def recorded(self):
        """A file of 8 dumps of 8 ms around the zenith."""
        return shutil.copy(self.recording, self.folder)

    @unittest.skipUnless(fits, "astropy is not installed")
    def test_a_cube_is_the_images_of_its_intervals(self):
        path = self.recorded()
        dumps = len(read_visibilities(path, with_data=False).seconds)
        per = int(self.rng.integers(1, 4))
        out = self.path("cube.fits")
        self.fringe(path, "-o", out, "--every", f"{8 * per}ms", "--size", str(SIZE))
        with fits.open(out) as file:
            cube, header = file[0].data, file[0].header
        count = -(-dumps // per)
        self.assertEqual(cube.shape, (count, 1, 1, SIZE, SIZE))
        self.assertEqual(header["CTYPE5"], "TIME")
        self.assertAlmostEqual(header["CDELT5"], 0.008 * per, 12)
        self.assertEqual(WCS(header).celestial.wcs.ctype[0], "RA---SIN")
        # Each plane is what an image of these dumps alone is.
        made = list(image_series([path], image_settings(size=(SIZE, SIZE)), 0.008 * per))
        for plane, image in zip(cube, made):
            np.testing.assert_array_equal(plane, image.values[..., ::-1])
        whole = make_image([path], image_settings(size=(SIZE, SIZE)))
        weights = np.array([image.total_weight.sum() for image in made])
        seen = np.isfinite(whole.values)
        np.testing.assert_allclose(
            np.average([image.values[seen] for image in made], axis=0, weights=weights),
            whole.values[seen], atol=2e-3 * np.nanmax(whole.values))

    def test_numbered_files_and_what_is_refused(self):
        path = self.recorded()
        self.fringe(path, "-o", self.path("x_%03d.fits"), "--every", "0.016", "--size", str(SIZE))
        self.assertEqual([os.path.basename(path) for path in sorted(glob.glob(
            self.path("x_*.fits")))], [f"x_{k:03}.fits" for k in range(4)])
        for words, sentence in (
                (("-o", self.path("x.png"), "--every", "1s"), "x_%04d.png"),
                (("-o", self.path("x.fits"), "--every", "1ms"), "a dump of"),
                (("-o", self.path("x.fits"), "--every", "1 year"), "such as 1s"),
                (("-o", self.path("x.mp4")), "--every 1s"),
                (("-o", self.path("x.jpg"), "--every", "1s"), "x.mp4"),
                (("-o", self.path("x_%03d.fits"), "--every", "16ms"), "x_000.fits")):
            with self.subTest(words[1]):
                text = io.StringIO()
                with contextlib.redirect_stderr(text):
                    self.fringe(path, *words, code=2)
                self.assertIn(sentence, text.getvalue())
        self.assertEqual([name for name in os.listdir(self.folder) if "writing" in name], [])

    def test_intervals_without_data_are_not_numbers(self):
        path = self.recorded()
        vis = read_visibilities(path)
        import h5py
        with h5py.File(path, "r+") as file:
            flags = file["Data/flags"][:]
            times = file["Header/time_array"][:]
            flags[times == np.unique(times)[2]] = True
            file["Data/flags"][:] = flags
        made = list(image_series([path], image_settings(size=(SIZE, SIZE)), 0.008))
        self.assertEqual(len(made), len(vis.seconds))
        self.assertEqual([k for k, image in enumerate(made) if image is None], [2])
        if fits:
            out = self.path("cube.fits")
            self.fringe(path, "-o", out, "--every", "8ms", "--size", str(SIZE))
            cube = fits.getdata(out)
            self.assertEqual([k for k, plane in enumerate(cube) if np.isnan(plane).all()], [2])

    @unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is not installed")
    def test_a_movie_has_an_image_for_each_interval(self):
        path = self.recorded()
        out = self.path("sky.mp4")
        self.fringe(path, "-o", out, "--every", "16ms", "--size", str(SIZE), "--rate", "4")
        found = json.loads(subprocess.run(
            ["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", out],
            capture_output=True, check=True, timeout=TIMEOUT).stdout)["streams"][0]
        self.assertEqual((found["nb_read_frames"], found["r_frame_rate"]), ("4", "4/1"))

    def test_without_ffmpeg_a_sentence(self):
        path = self.recorded()
        text = io.StringIO()
        with unittest.mock.patch.dict(os.environ, PATH=self.folder):
            with contextlib.redirect_stderr(text):
                self.fringe(path, "-o", self.path("x.mp4"), "--every", "1s", code=2)
        self.assertIn("ffmpeg, which is not installed", text.getvalue())

    def test_correlate_makes_images_in_the_same_flowgraph(self):
        """They are those of its visibility file, the last interval among them."""
        obs = fringe.observation.from_text("""
site: {latitude: 50.0, longitude: 8.0}
antennas: [[0, 0, 0], [4, 0, 0], [1, 2.5, 0], [-2, 1, 0], [1.5, -3, 0], [3, 3, 0]]
sample_rate: 1e6
center_frequency: 150e6
start_time: 2026-06-12T22:00:00Z
channels: 16
integration: 0.004
sky: {receiver_noise: 0.3, sources: [{az: 90, el: 60}]}
""")
        raw = self.path("sky.ci8")
        fringe.simulate(obs, raw, int(0.02 * obs.sample_rate), format="ci8")
        outputs = [self.path(name) for name in ("sky.uvh5", "cube.fits", "x_%d.fits")]
        made = fringe.correlate(raw, outputs, raw + ".yml", every=0.008, image_size=SIZE)
        self.assertEqual([os.path.basename(path) for path in made.files], ["sky.uvh5"])
        files = list(image_series([outputs[0]], image_settings(size=(SIZE, SIZE), epsilon=1e-3),
                                  0.008))
        self.assertEqual(len(made.images), 2)
        self.assertGreater(len(files), 2)
        for k, file in enumerate(files):
            values, _ = read_fits_image(self.path(f"x_{k}.fits"))
            scale = np.nanstd(file.values)
            np.testing.assert_allclose(values[..., ::-1], file.values, atol=0.01 * scale)
        self.assertFalse(os.path.exists(self.path(f"x_{len(files)}.fits")))
        # Images alone are enough.
        made = fringe.correlate(raw, self.path("alone.fits"), raw + ".yml", image_size=SIZE)
        self.assertEqual(made.files, [])
        self.assertEqual(len(read_fits_image(self.path("alone.fits"))[0]), made.dumps)
        with self.assertRaisesRegex(ValueError, "alone.fits"):
            fringe.correlate(raw, self.path("alone.fits"), raw + ".yml")

    def noise(self, seconds):
        """A recording of noise of three antennas and its observation."""
        raw, obs = self.path("noise.ci8"), self.path("noise.yml")
        with open(obs, "w") as file:
            file.write("antennas: [[0, 0, 0], [30, 4, 0], [7, 20, 0]]\nsample_rate: 1e6\n"
                       "center_frequency: 1.5e8\nchannels: 16\nintegration: 0.004\n"
                       "start_time: 2026-06-12T22:00:00Z\nformat: ci8\n"
                       "site: {latitude: 50.0, longitude: 8.0}\n")
        self.rng.integers(-20, 20, (int(seconds * 1e6), 3, 2), np.int8).tofile(raw)
        return raw, obs

    def test_images_alone_of_a_recording_that_takes_a_while(self):
        # More than a tenth of a second, after which it was taken for one without any output.
        raw, obs = self.noise(1.5)
        made = fringe.correlate(raw, self.path("alone.fits"), obs, image_size=16)
        self.assertEqual((made.samples, made.dumps), (1500000, 375))
        self.assertEqual(read_fits_image(self.path("alone.fits"))[0].shape[0], 375)

    def test_the_times_of_a_cube(self):
        """Of dumps that do not fill the intervals, and of a recording that begins in a dump."""
        raw, obs = self.noise(0.0795)
        first = int(self.rng.integers(100, 3900))
        for every, start, step in ((0.01, 0, 0.01), (0, 0, 0.004), (0, first, 0.004)):
            out = self.path("cube.fits")
            made = fringe.correlate(raw, out, obs, image_size=16, every=every, overwrite=True,
                                    start_sample=(start,))
            cube, header = read_fits_image(out)
            with self.subTest(every=every, start=start):
                self.assertEqual(made.dumps, 20)
                self.assertEqual(cube.shape[0], 8 if every else 20)
                self.assertFalse(np.isnan(cube[:, 0, 0, 8, 8]).any())
                self.assertAlmostEqual(header["CDELT5"], step)
                # Intervals are whole multiples of their length.
                zero = (start % 4000) * 1e-6 if every == 0 else 0
                self.assertAlmostEqual(header["CRVAL5"], step / 2 - zero, delta=1e-4)

    def test_an_image_is_as_long_as_a_dump_at_least(self):
        raw, obs = self.noise(0.02)
        with self.assertRaisesRegex(ValueError, "a dump is 0.004 s long"):
            fringe.correlate(raw, self.path("x.fits"), obs, every=0.001)

    @unittest.skipUnless(os.path.exists(RECORDING), f"{RECORDING} is not there")
    def test_a_recording_of_satellites_to_an_image_in_one_command(self):
        """Seven within 0.75 degrees on the sky. In the dirty image sidelobes of the others move two
        of them a little further."""
        out = self.path("tart.fits")
        made = main(["correlate", RECORDING, "--obs", fringe.example_file("tart.yml"),
                     "--spectra", "256", "-o", out, "--every", "1s", "--image-band",
                     "1574.65e6,1576.19e6", "--image-size", "400", "--image-clean", "1000",
                     "--quiet"])
        self.assertEqual(made, 0)
        cube, header = read_fits_image(out)
        values = cube[0, 0, 0, 1:, :0:-1]  # l = m = 0 in the middle
        axis = (np.arange(399) - 199) * np.radians(header["CDELT2"])
        tops = peaks(SimpleNamespace(values=values, axis=axis), 0.25 * np.nanmax(values))
        self.assertLess(len(tops), 120)  # chance would find one of a hundred
        satellites = []
        for satellite in read_catalogue(fringe.example_file("tart_satellites.yml")):
            azimuth, elevation = satellite.direction.longitude, satellite.direction.latitude
            satellites.append((satellite.name, np.cos(elevation) * np.sin(azimuth),
                               np.cos(elevation) * np.cos(azimuth)))
        reports = check_sources(SimpleNamespace(values=values, axis=axis), satellites,
                                np.radians(0.75), tops)
        print("\n".join(map(str, reports)))
        self.assertEqual([report.name for report in reports if report.degrees < 0.75],
                         [f"PRN {n}" for n in (27, 31, 26, 16, 28, 8, 4)])

    def test_progress_goes_from_nothing_to_all(self):
        path = self.recorded()
        for weight in ("natural", "uniform"):
            parts = []
            # So little memory that dumps are read one by one.
            make_image([path], image_settings(size=(SIZE, SIZE), weight=weight, memory=1),
                       parts.append)
            self.assertGreater(len(parts), 3)
            self.assertEqual(parts, sorted(parts))
            self.assertGreater(parts[0], 0)
            self.assertEqual(parts[-1], 1)
        parts = []  # what was kept of a first reading
        make_image([path], image_settings(size=(SIZE, SIZE), weight="uniform"), parts.append)
        self.assertEqual((parts.count(1), parts[-1]), (1, 1))

    def test_images_of_memory_are_those_of_files(self):
        path = self.recorded()
        settings = image_settings(size=(SIZE, SIZE))
        maker = fringe.images.image_maker(settings)
        of_file = make_image([path], settings)
        for _ in range(2):
            made = maker.make([read_visibilities(path)])
            np.testing.assert_array_equal(made.values, of_file.values)
            self.assertEqual(made.beam, of_file.beam)


if __name__ == "__main__":
    unittest.main()
