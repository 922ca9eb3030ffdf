#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe image: against WSClean, astropy, double sums, and real satellites."""
import contextlib
import functools
import io
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from types import SimpleNamespace
from unittest import mock

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.cli import main
from gnuradio.fringe.images import fits_bytes, gridders, image_settings, make_image
from gnuradio.fringe.images.angles import unit_of
from gnuradio.fringe.images.frame import frame_of
from gnuradio.fringe.images.known import known_sources
from gnuradio.fringe.images.square_image import as_picture
from gnuradio.fringe.images.mirrored import mirrored_sources
from gnuradio.fringe.images.imaging import check_sources, dirty_image, peaks
from qa_imagers import ANTENNAS
from qa_cli import command
from qa_scratch import TIMEOUT, scratch_case

try:
    from astropy import units
    from astropy.coordinates import SkyCoord
    from astropy.io import fits
    from astropy.wcs import WCS
except ImportError:
    fits = None

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", ".."))
DATA = os.environ.get("FRINGE_TEST_DATA", os.path.join(ROOT, "..", "shared", "data"))
RECORDING = os.path.join(DATA, "tart", "mg-tana-raw.hdf")
#: 15 degrees from the zenith, and sources around it: l, m, flux.
CENTER = {"ra": 235.0, "dec": 35.0}
SHARED = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
STARS = [(0.05, 0.03, 1.0), (-0.11, 0.07, 0.6), (0.08, -0.09, 0.4)]


def simulate(folder, stars=STARS, center=None, polarizations="X", samples=1 << 17, name="sky.ms",
             **more):
    """A visibility file of point sources; its path and the observation."""
    described = {
        "site": {"latitude": 50.0, "longitude": 8.0, "height": 100.0},
        "antennas": [[*place, 0.1 * k % 0.4] for k, place in enumerate(ANTENNAS)],
        "polarizations": list(polarizations), "sample_rate": 4.096e6, "center_frequency": 150e6,
        "start_time": "2026-06-12T22:00:00Z", "phase_center": center or CENTER, "channels": 32,
        "taps": 4, "window": "hann", "integration": 0.008,
        "sky": {"receiver_noise": 0.2, "sources": [
            {"name": f"s{k}", "l": float(l), "m": float(m), "flux": float(flux)}
            for k, (l, m, flux) in enumerate(stars)]}, **more}
    shutil.copytree(correlated(repr(described), samples, name), folder, dirs_exist_ok=True)
    path = os.path.join(folder, name)
    return path, fringe.observation.from_file(path + ".ci16.yml")


@functools.lru_cache(None)
def simulated(text, samples):
    """A recording of an observation: many tests begin with the same."""
    raw = os.path.join(tempfile.mkdtemp(dir=SHARED.name), "raw.ci16")
    fringe.simulate(fringe.observation.from_text(text), raw, samples, format="ci16")
    return raw


@functools.lru_cache(None)
def correlated(text, samples, name):
    """A folder with a recording, NAME.ci16, and its visibilities, NAME."""
    folder = tempfile.mkdtemp(dir=SHARED.name)
    path = os.path.join(folder, name)
    for ending in ("", ".yml"):
        shutil.copy(simulated(text, samples) + ending, f"{path}.ci16{ending}")
    fringe.correlate(path + ".ci16", path, path + ".ci16.yml")
    return folder


def parabola(image, row, column):
    """Top of the paraboloid near a pixel: row and column."""
    y, x = np.mgrid[-1:2, -1:2].reshape(2, 9)
    near = image[row - 1:row + 2, column - 1:column + 2].ravel()
    c = np.linalg.lstsq(np.stack([np.ones(9), x, y, x * x, y * y, x * y], 1), near,
                        rcond=None)[0]
    step = -np.linalg.solve([[2 * c[3], c[5]], [c[5], 2 * c[4]]], c[1:3])
    return row + step[1], column + step[0]


class qa_image(scratch_case):

    def fringe(self, *words, code=0):
        self.assertEqual(main(["image", *words]), code)

    def printed(self, *words):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.fringe(*words)
        return out.getvalue()

    @unittest.skipUnless(fits, "astropy is not installed")
    def test_stations_around_the_earth_have_no_common_horizon(self):
        places = self.rng.normal(size=(5, 3))
        places *= 6.4e6 / np.linalg.norm(places, axis=1)[:, None]
        turn = np.linalg.qr(self.rng.normal(size=(3, 3)))[0]
        turn *= np.linalg.det(turn)  # a rotation
        for size, known in ((1.0, False), (1e-3, True)):
            vis = SimpleNamespace(path="x", frequencies=np.array([230e9]), positions=size * places,
                                  antennas=list("abcde"), phase_center=("M87", 1.0, 0.2),
                                  uvw=(size * places @ turn.T)[None], has_times=False)
            frame = frame_of(vis, False)
            self.assertEqual(frame.rotation is not None, known)
            if known:
                np.testing.assert_allclose(frame.rotation, turn, atol=1e-9)
            else:
                with self.assertRaisesRegex(ValueError, "all_sky=True needs"):
                    frame_of(vis, True)

    def test_angles_have_the_unit_that_fits(self):
        for degrees, name, value in ((3.3, "degrees", 3.3), (0.1, "degrees", 0.1),
                                     (0.02, "arcmin", 1.2), (1e-3, "arcsec", 3.6),
                                     (1e-6, "mas", 3.6), (5e-9, "uas", 18), (1e-12, "uas", 0.0036)):
            found, _, many = unit_of(np.radians(degrees))
            self.assertEqual(found, name)
            self.assertAlmostEqual(np.radians(degrees) * many / value, 1)

    def test_astropy_finds_a_star_where_it_is(self):
        l, m = self.rng.uniform(-0.2, 0.2, 2)
        path, _ = simulate(self.folder, [(l, m, 1.0)])
        star = SkyCoord(CENTER["ra"], CENTER["dec"], unit="deg").directional_offset_by(
            np.arctan2(l, m) * units.rad, np.arcsin(np.hypot(l, m)) * units.rad)
        for size in ("480", "401x512"):
            output = self.path(f"{size}.fits")
            self.fringe(path, "-o", output, "--size", size, "--scale", "0.1deg")
            with fits.open(output) as file:
                image, header = file[0].data[0, 0], file[0].header
            wcs = WCS(header).celestial
            column, row = wcs.world_to_pixel(star)
            top = np.unravel_index(np.nanargmax(image), image.shape)
            found = parabola(image, *top)
            with self.subTest(size):
                self.assertLess(abs(found[0] - row), 0.1)
                self.assertLess(abs(found[1] - column), 0.1)
                self.assertEqual(header["BUNIT"], "count/beam")
                self.assertEqual(header["DATE-OBS"][:16], "2026-06-12T22:00")
                self.assertIn("fringe", str(header["HISTORY"]))
                self.assertAlmostEqual(header["CRVAL3"], 150e6, delta=1e5)

    @unittest.skipUnless(fits, "astropy is not installed")
    @unittest.skipUnless(shutil.which("wsclean"), "wsclean is not installed")
    def test_image_is_that_of_wsclean(self):
        path, _ = simulate(self.folder)
        size, scale = 512, 0.002
        made = subprocess.run(
            ["wsclean", "-size", str(size), str(size), "-scale", f"{scale}rad", "-pol", "XX",
             "-weight", "natural", "-niter", "0", "-name", "ws", "-use-wgridder",
             "-no-small-inversion", path],
            cwd=self.folder, env=dict(os.environ, OPENBLAS_NUM_THREADS="1"), text=True,
            capture_output=True, timeout=TIMEOUT, check=False)
        self.assertEqual(made.returncode, 0, made.stdout[-2000:] + made.stderr)
        theirs = fits.getdata(self.path("ws-dirty.fits"))[0, 0]
        self.fringe(path, "-o", self.path("x.fits"), "--size", str(size), "--scale",
                    f"{scale}rad", "--no-all-sky", "--pol", "XX")
        ours = fits.getdata(self.path("x.fits"))[0, 0]
        seen = np.isfinite(ours)
        self.assertGreater(np.corrcoef(ours[seen], theirs[seen])[0, 1], 0.9999)
        highest = np.argsort(np.where(seen, ours, -1).ravel())[::-1][:5]
        np.testing.assert_allclose(ours.ravel()[highest], theirs.ravel()[highest], rtol=0.01)
        self.assertEqual(np.argmax(np.where(seen, ours, -1)),
                         np.argmax(np.where(seen, theirs, -1)))
        first, other = (WCS(fits.getheader(self.path(f))).celestial
                        for f in ("x.fits", "ws-dirty.fits"))
        for x, y in ((100, 150), (300, 170)):
            apart = np.subtract(first.pixel_to_world_values(x, y),
                                other.pixel_to_world_values(x, y))
            self.assertLess(np.abs((apart + 180) % 360 - 180).max(), 1e-4)

    def test_image_is_the_sum_over_visibilities(self):
        path, _ = simulate(self.folder, center={"ra": 220.0, "dec": 22.0})
        vis = fringe.read_visibilities(path)
        i, j = vis.products
        cross = i != j
        weights = vis.valid_weights()[:, :, cross]
        for gridder in ("separable", "direct"):
            made = make_image([path], image_settings(size=(101, 96), scale=0.008, gridder=gridder,
                                                     epsilon=1e-4, memory=1))
            rms = np.nanstd(made.values)
            for _ in range(10):
                row, column = self.rng.integers(0, 96), self.rng.integers(0, 101)
                l, m = (column - 50) * 0.008, (row - 48) * 0.008
                antenna = np.array([a for a, _ in vis.inputs])
                uvw = (vis.uvw[:, antenna[i[cross]]] - vis.uvw[:, antenna[j[cross]]])
                way = uvw @ [l, m, np.sqrt(1 - l * l - m * m) - 1]
                turns = way[:, None, :] * vis.frequencies[:, None] / 299792458.0
                value = (weights * vis.data[:, :, cross] * np.exp(-2j * np.pi * turns)).real.sum()
                found = made.values[0, 0, row, column]
                if np.isfinite(found):
                    self.assertAlmostEqual(found, value / weights.sum(), delta=1e-3 * rms)

    def test_sky_of_a_phase_center_far_from_the_zenith(self):
        path, obs = simulate(self.folder, center={"ra": 215.0, "dec": 10.0})
        made = make_image([path], image_settings(all_sky=True))
        picture = as_picture(made)
        truth = fringe.imaging.true_positions(obs, picture)
        for report in check_sources(picture, truth, found=peaks(picture)):
            self.assertTrue(report.ok, str(report))
        self.assertGreater(made.frame.rotation[2, 2], 0.999999)
        self.assertFalse(make_image([path]).frame.all_sky)

    def test_zenith_is_the_whole_sky_by_default(self):
        path, obs = simulate(self.folder, center="zenith")
        made = make_image([path])
        self.assertTrue(made.frame.all_sky)
        picture, other = as_picture(made), dirty_image(fringe.read_visibilities(path),
                                                       normalize=False)
        truth = fringe.imaging.true_positions(obs, picture)
        for report in check_sources(picture, truth, found=peaks(picture)):
            self.assertTrue(report.ok, str(report))
        # The direct sum of fringe plot, at the same places.
        for source in truth:
            ours, theirs = (min(peaks(p), key=lambda s: np.hypot(s.l - source[1], s.m - source[2]))
                            for p in (picture, other))
            self.assertAlmostEqual(ours.l, theirs.l, delta=picture.beam / 20)
            self.assertAlmostEqual(ours.value / theirs.value, 1, delta=0.03)

    def test_every_kind_of_file(self):
        peak = {}
        for name in ("a.ms", "a.uvh5", "a.uvfits", "a.ACC", "a.LCCSPC"):
            with self.subTest(name):
                path, obs = simulate(self.folder, center="zenith", name=name)
                made = make_image([path])
                picture = as_picture(made)
                self.assertEqual(made.frame.center is None, name in ("a.ACC", "a.LCCSPC"))
                truth = fringe.imaging.true_positions(obs, picture)
                for report in check_sources(picture, truth, found=peaks(picture)):
                    self.assertTrue(report.ok, str(report))
                peak[name] = peaks(picture)[0].value
                if fits:
                    header = fits.Header.fromstring(fits_bytes(made)[:2880 * 2])
                    self.assertEqual(header["CTYPE1"], "L" if made.frame.center is None
                                     else "RA---SIN")
        self.assertLess(np.ptp(list(peak.values())), 0.02 * max(peak.values()))

    @unittest.skipUnless(fits, "astropy is not installed")
    def test_uvfits_with_several_spectral_windows(self):
        # As the VLBA and the EHT have them: windows with gaps, one of them of the lower sideband.
        path, _ = simulate(self.folder, name="one.uvfits", polarizations="XY", samples=1 << 15)
        read = fringe.read_visibilities(path)
        windows = int(self.rng.choice([2, 4, 8]))
        channels, width = 32 // windows, read.frequencies[1] - read.frequencies[0]
        several = self.path("several.uvfits")
        with open(path, "rb") as file:
            content = file.read()
        for axis, old, new in ((4, 32, channels), (5, 1, windows)):
            content = content.replace(f"NAXIS{axis}  = {old:20d}".encode(),
                                      f"NAXIS{axis}  = {new:20d}".encode(), 1)
        with open(several, "wb") as file:
            file.write(content)
        starts = (np.arange(windows) * channels + self.rng.integers(0, 9, windows)) * width
        sides = self.rng.choice([-1, 1], windows)
        with fits.open(several) as file:
            at = [unit.name for unit in file].index("AIPS FQ")
            file[at] = fits.BinTableHDU.from_columns([
                fits.Column("FRQSEL", "1J", array=[1]),
                fits.Column("IF FREQ", f"{windows}D", array=[starts]),
                fits.Column("CH WIDTH", f"{windows}E", array=[np.full(windows, width)]),
                fits.Column("TOTAL BANDWIDTH", f"{windows}E",
                            array=[np.full(windows, channels * width)]),
                fits.Column("SIDEBAND", f"{windows}J", array=[sides])], name="AIPS FQ")
            file.writeto(several, overwrite=True)
        vis = fringe.read_visibilities(several)
        np.testing.assert_array_equal(vis.data, read.data)
        np.testing.assert_array_equal(vis.weights, read.weights)
        wanted = read.frequencies[0] + (starts[:, None] + width * sides[:, None]
                                        * np.arange(channels)).ravel()
        np.testing.assert_allclose(vis.frequencies, wanted, rtol=1e-12)
        self.assertEqual(vis.remarks, read.remarks)
        # A model in a copy, and its image: all windows are written and read.
        model = self.path("model.uvfits")
        l, m = self.rng.uniform(-0.1, 0.1, 2)
        with open(self.path("model.yml"), "w", encoding="utf-8") as file:
            file.write(f"site: {{latitude: 50, longitude: 8}}\nantennas: [[0, 0, 0], [1, 1, 0]]\n"
                       f"sample_rate: 1e6\ncenter_frequency: 150e6\nphase_center: {CENTER}\n"
                       f"sky: {{sources: [{{l: {l}, m: {m}, flux: 2.0}}]}}\n")
        self.assertEqual(main(["predict", self.path("model.yml"), several, "-o", model]), 0)
        made = make_image([model], image_settings(size=(128, 128), scale=0.005, all_sky=False))
        row, column = np.unravel_index(np.nanargmax(made.values[0, 0]), (128, 128))
        self.assertLess(np.hypot((column - 63) * 0.005 - l, (row - 64) * 0.005 - m), 0.006)
        # Up to a pixel beside the top.
        self.assertAlmostEqual(made.values[0, 0, row, column], 2.0, delta=0.3)

    def test_planes_and_groups_of_channels(self):
        path, _ = simulate(self.folder, polarizations="XY")
        made = make_image([path], image_settings(size=(64, 64), pol="IQUV", channels_out=4,
                                                 pol_frame="feed"))
        self.assertEqual(made.values.shape, (4, 4, 64, 64))
        xx, yy = (make_image([path], image_settings(size=(64, 64), pol=p, channels_out=4)).values[0]
                  for p in ("XX", "YY"))
        # Weights of the two hands are alike here.
        np.testing.assert_allclose(made.values[0], (xx + yy) / 2, atol=1e-3 * np.nanstd(xx))
        np.testing.assert_allclose(made.values[1], (xx - yy) / 2, atol=1e-3 * np.nanstd(xx))
        if fits:
            header = fits.Header.fromstring(fits_bytes(made)[:2880 * 2])
            self.assertEqual([header[f"NAXIS{k}"] for k in (1, 2, 3, 4)], [64, 64, 4, 4])

    def test_file_of_the_other_sign(self):
        from casacore.tables import table
        path, _ = simulate(self.folder)
        plain = make_image([path]).values
        with table(path, readonly=False, ack=False) as ms:
            ms.putcol("DATA", ms.getcol("DATA").conj())
        turned = make_image([path], image_settings(conjugate=True)).values
        np.testing.assert_array_equal(turned, plain)

    def test_the_other_sign_is_remarked(self):
        from casacore.tables import table
        path, _ = simulate(self.folder)
        words = [path, "--sky", path + ".ci16.yml", "-o"]
        self.assertNotIn("mirrored", self.printed(*words, self.path("a.png")))
        self.assertIn("leave out --conjugate",
                      self.printed(*words, self.path("b.png"), "--conjugate"))
        with table(path, readonly=False, ack=False) as ms:
            ms.putcol("DATA", ms.getcol("DATA").conj())
        text = self.printed(*words, self.path("c.png"))
        self.assertIn("note: known sources stand mirrored through the center (s0)", text)
        self.assertIn("give --conjugate", text)
        self.assertNotIn("mirrored", self.printed(*words, self.path("d.png"), "--conjugate"))

    def test_symmetric_skies_are_not_called_mirrored(self):
        path, obs = simulate(self.folder, [(0.1, 0.06, 1.0), (-0.1, -0.06, 0.5)])
        made = make_image([path], image_settings(conjugate=True))
        self.assertEqual(mirrored_sources(made, known_sources(obs, made)), [])
        path, obs = simulate(self.folder, [(0.001, 0.0, 1.0)], name="middle.ms")
        made = make_image([path])
        self.assertEqual(mirrored_sources(made, known_sources(obs, made)), [])

    def test_files_together_and_weighted(self):
        path, _ = simulate(self.folder)
        other, _ = simulate(self.folder, center={"ra": 236.0, "dec": 34.0}, name="other.uvh5")
        plain = make_image([path])
        both = make_image([path, other], image_settings(size=plain.values.shape[3:1:-1],
                                                        scale=plain.pixel))
        self.assertEqual(both.visibilities, 2 * plain.visibilities)
        top = [np.unravel_index(np.nanargmax(m.values[0, 0]), m.values[0, 0].shape)
               for m in (plain, both)]
        self.assertLessEqual(np.abs(np.subtract(*top)).max(), 1)
        beams = [make_image([path], image_settings(weight=w, robust=r)).beam[0] for w, r in
                 (("uniform", 0), ("briggs", -1), ("briggs", 1), ("natural", 0))]
        self.assertEqual(beams, sorted(beams))
        natural = make_image([path], image_settings(weight="briggs", robust=4)).beam[0]
        self.assertAlmostEqual(natural / beams[3], 1, delta=1e-3)

    def test_flagged_visibilities_do_not_count(self):
        path, _ = simulate(self.folder, name="sky.ms")
        whole = make_image([path])
        from casacore.tables import table
        with table(path, readonly=False, ack=False) as ms:
            data, flags = ms.getcol("DATA"), ms.getcol("FLAG")
            bad = self.rng.random(flags.shape) < 0.2
            data[bad] = np.nan
            ms.putcol("DATA", data)
            ms.putcol("FLAG", flags | bad)
        less = make_image([path])
        self.assertAlmostEqual(less.visibilities / whole.visibilities, 0.8, delta=0.03)
        self.assertAlmostEqual(np.nanmax(less.values) / np.nanmax(whole.values), 1, delta=0.05)

    def test_pictures_and_what_is_never_replaced(self):
        path, obs = simulate(self.folder)
        plain = self.path("sky.png")
        self.fringe(path, "-o", plain, "--sky", path + ".ci16.yml", "--check")
        with open(plain, "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        self.fringe(path, "-o", plain, code=2)
        self.fringe(path, "-o", plain, "--overwrite", "--all-sky")
        source, _ = simulate(self.folder, name="a.uvfits")
        os.symlink(source, self.path("link.fits"))
        self.fringe(source, "-o", self.path("link.fits"), "--overwrite", code=2)
        os.rename(source, self.path("in.uvfits"))
        self.assertGreater(os.path.getsize(self.path("in.uvfits")), 10000)

    def test_refusals_are_sentences(self):
        path, _ = simulate(self.folder, samples=1 << 15)
        output = self.path("x.fits")
        for words, sentence in ((("-o", self.path("x.jpg")), "end its name in .fits or .png"),
                                (("--size", "ten"), "--size: ten"), (("--size", "2"), "8 to 32768"),
                                (("--scale", "3parsec"), "--scale: 3parsec"),
                                (("--weight", "robust"), "natural, uniform or briggs:R"),
                                (("--weight", "briggs:x"), "after briggs:"),
                                (("--pol", "YY"), "--pol: YY"), (("--pol", "XY"), "--pol: XY"),
                                (("--pol", "I,Q,V"), "axis of a FITS file"),
                                (("--channels-out", "99"), "--channels-out: 99: must be 1 to 32"),
                                (("--eps", "1e-9"), "--eps: 1e-09"), (("--check",), "--sky"),
                                (("--support", "32"), "go with --gridder wprojection"),
                                (("--gridder", "wprojection", "--support", "7"), "support is 7"),
                                (("--band", "9,1"), "--band: 9,1"),
                                (("--band", "1,9"), "channels from"),
                                (("-o", output), "names one file twice"),
                                (("--psf", "-o", self.path("x-psf.fits")), "file twice")):
            with self.subTest(words):
                made = command("image", path, "-o", output, *words)
                self.assertEqual(made.returncode, 2, made.stderr)
                self.assertIn(sentence, made.stderr)
                self.assertEqual(made.stderr.count("\n"), 1, made.stderr)
                self.assertFalse(os.path.exists(output))

    def test_w_projection_makes_the_same_image(self):
        path, _ = simulate(self.folder, center={"ra": 220.0, "dec": 22.0})
        size = {"size": (121, 100), "scale": 0.003, "pol": "I"}
        ours, theirs, rough = (make_image([path], image_settings(**size, **how)).values
                               for how in ({"gridder": "separable", "epsilon": 1e-5},
                                           {"gridder": "wprojection"},
                                           {"gridder": "wprojection", "support": 64,
                                            "w_planes": 64}))
        self.assertLess(np.nanstd(ours - theirs), 1e-3 * np.nanstd(ours))
        self.assertLess(np.nanstd(ours - rough), 1e-3 * np.nanstd(ours))
        with self.assertRaisesRegex(ValueError, "need kernels of a support of"):
            make_image([path], image_settings(**{**size, "scale": 0.006}, gridder="wprojection",
                                              support=8))

    def test_planes_together_are_those_alone(self):
        """W-projection takes two and four polarizations in one call, with any weights."""
        path, _ = simulate(self.folder, center={"ra": 220.0, "dec": 22.0}, polarizations="XY",
                           samples=1 << 15)
        for pol, weight in (("IQUV", "natural"), ("IQUV", "briggs"), ("XX,YY", "uniform")):
            ours, theirs = (make_image([path], image_settings(
                size=(60, 51), scale=0.003, pol=pol, weight=weight, channels_out=2, gridder=name,
                psf=True)) for name in ("wprojection", "separable"))
            with self.subTest(pol=pol, weight=weight):
                for plane in range(len(ours.planes)):
                    self.assertLess(np.nanstd(ours.values[plane] - theirs.values[plane]),
                                    1e-3 * np.nanstd(theirs.values[plane]))
                self.assertLess(np.nanstd(ours.psf - theirs.psf), 1e-3 * np.nanstd(theirs.psf))
                np.testing.assert_allclose(ours.total_weight, theirs.total_weight)
        # The gridder itself, both ways.
        shape = 4, 30, 3
        uvw = self.rng.normal(0, 30, (30, 3))
        f = np.array([149e6, 150e6, 151e6])
        data = (self.rng.normal(size=(*shape, 2)) @ (1, 1j)).astype(np.complex64)
        weights = self.rng.uniform(0.5, 1, shape).astype(np.float32)
        four, single = (fringe.gridder(40, 33, 0.003, 0.003, method="w_projection", **more)
                        for more in ({"polarizations": 4, "half_precision": True}, {}))
        images, alone = (np.zeros((4, 33, 40), np.float32) for _ in range(2))
        four.grid(uvw, f, data, weights, images)
        for k in range(4):
            single.grid(uvw, f, data[k], weights[k], alone[k])
        np.testing.assert_allclose(images, alone, atol=1e-4 * np.abs(alone).max())
        back = four.degrid(uvw, f, images)
        for k in range(4):
            np.testing.assert_allclose(back[k], single.degrid(uvw, f, images[k]),
                                       atol=1e-4 * np.abs(back).max())
        with self.assertRaisesRegex(ValueError, r"data must be an array \[4\]\[30\]\[3\]"):
            four.grid(uvw, f, data[0], weights[0], images[0])

    def test_auto_takes_a_gpu_for_small_fields_where_the_error_may_be_its_own(self):
        class found:
            on_gpu = True

        class none:
            on_gpu = False
        many, few = 10**9, 10
        with mock.patch.object(gridders.fp, "compute_target", lambda _: found):
            for size, pixel, eps, visibilities, w, name in (
                    (256, 3e-4, 1e-3, many, 1000.0, "wprojection"),
                    (256, 3e-4, 1e-4, many, 1000.0, "separable"),
                    (256, 3e-4, 1e-3, few, 1000.0, "direct"),
                    (256, 7e-3, 1e-3, many, 1000.0, "separable"),
                    (256, 3e-4, 1e-3, many, None, "separable")):
                self.assertEqual(gridders.chosen("auto", size, size, pixel, eps, visibilities,
                                                 lambda w=w: w), name)
        with mock.patch.object(gridders.fp, "compute_target", lambda _: none):
            self.assertEqual(gridders.chosen("auto", 256, 256, 3e-4, 1e-3, many, lambda: 1000.0),
                             "separable")
        self.assertEqual(gridders.chosen("ducc", 256, 256, 3e-4, 1e-3, few, None), "ducc")

    def test_ducc_makes_the_same_image(self):
        try:
            import ducc0  # noqa: F401
        except ImportError:
            self.skipTest("ducc0 is not installed")
        path, _ = simulate(self.folder, center={"ra": 220.0, "dec": 22.0})
        ours, theirs = (make_image([path], image_settings(size=(300, 256), scale=0.003,
                                                          gridder=g, epsilon=1e-5)).values
                        for g in ("separable", "ducc"))
        self.assertLess(np.nanstd(ours - theirs), 3e-5 * np.nanstd(ours))

    @unittest.skipUnless(fits, "astropy is not installed")
    @unittest.skipUnless(os.path.exists(RECORDING), "the TART recording is not there")
    def test_satellites_of_the_tart(self):
        ms, output = self.path("tart.ms"), self.path("tart.fits")
        fringe.correlate(RECORDING, ms, fringe.example_file("tart.yml"), channels=512,
                         taps=4, window="hann", spectra=256)
        self.fringe(ms, "-o", output, "--band", "1574.65e6,1576.19e6")
        with fits.open(output) as file:
            image, wcs = file[0].data[0, 0][:, ::-1], WCS(file[0].header).celestial
        self.assertEqual(wcs.wcs.ctype[0], "RA---SIN")
        picture = as_picture(make_image([ms], image_settings(band=(1574.65e6, 1576.19e6))))
        # The picture has l = m = 0 in its middle, and one row and column more.
        np.testing.assert_array_equal(image, picture.values[:-1, 1:])
        with open(os.path.join(DATA, "tart", "calibration_and_satellites.json"),
                  encoding="utf-8") as file:
            known = json.load(file)["satellites"]
        high = [(f"PRN {s['prn']}", s["l"], s["m"]) for s in known
                if s["prn"] in (27, 28, 31, 26, 16, 8, 4)]
        self.assertEqual(len(high), 7)
        # The eighth of the catalogue is too low to stand out.
        self.fringe(ms, "-o", self.path("tart.png"), "--band", "1574.65e6,1576.19e6", "--sky",
                    fringe.example_file("tart_satellites.yml"), "--check", code=3)
        self.assertIn("mirrored through the center (PRN 26, PRN 16, PRN 28)", self.printed(
            ms, "-o", self.path("turned.png"), "--band", "1574.65e6,1576.19e6", "--conjugate",
            "--sky", fringe.example_file("tart_satellites.yml")))
        found = peaks(picture)
        for report in check_sources(picture, high, np.radians(0.75), found):
            self.assertTrue(report.ok, str(report))


if __name__ == "__main__":
    unittest.main()
