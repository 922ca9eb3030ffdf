#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe calibrate --terms: files of every kind, what is chosen of them, what is refused."""
import contextlib
import io
import os
import shutil
import unittest

import numpy as np
from casacore import tables
from gnuradio import fringe
from gnuradio.fringe.calibration.sources import source_at
from gnuradio.fringe.cli import main
from gnuradio.fringe.primary_beams import beam_of
from gnuradio.fringe.sky_model.flux_scale import standard_flux, standard_named
from gnuradio.fringe.solution_tables.tables import read_solutions
from gnuradio.fringe.solving.file import calibrate_file, model_of_file
from gnuradio.fringe.solving.of_file import of_uvrange
from gnuradio.fringe.solving.terms import terms_of
from gnuradio.fringe.visibility_files.replaced_data import replaced_data
from qa_groups import NAMES, antennas, dumps, fits, setups, sources, write
from qa_scratch import scratch_case
from qa_skies import snapshot
from qa_solving_errors import receivers, term_of

CENTER = {"ra": "13h31m08.287984s", "dec": "+30d30m32.958850s"}
FLUX = 5.0


class qa_solving_file(scratch_case):
    def written(self, name="a.ms", antennas=5, hands="XY", flux=FLUX, noise=50.0, dumps=4):
        """A file of a source at its phase center, and the receivers that have heard it."""
        raw = snapshot(self.folder, antennas, self.rng, "noise-" + name, dumps, 16,
                       center=CENTER, polarizations=hands, latitude=30)
        vis = fringe.read_visibilities(raw)
        true = receivers(self.rng, antennas, len(hands), 16, delay=2e-7)
        true.phase -= true.phase[0]
        true.delay -= true.delay[0]
        g = true(np.zeros(dumps), vis.frequencies)
        antenna, hand = (np.array(values) for values in zip(*(
            (a, hands.index(p)) for a, p in vis.inputs)))
        i, j = vis.products
        same, own = hand[i] == hand[j], i == j
        gains = g[:, :, antenna[i], hand[i]] * g[:, :, antenna[j], hand[j]].conj()
        flux = np.broadcast_to(flux, len(vis.frequencies))[:, None]
        sigma = (noise + flux) / np.sqrt(vis.exposures[0] * vis.channel_width
                                         if vis.channel_width else 64)
        gaussian = self.rng.normal(size=(*vis.data.shape, 2)) @ (1, 1j) / np.sqrt(2)
        data = gains * (flux * same + own * noise + np.where(own, 0, sigma * gaussian))
        data[..., own] = np.abs(data[..., own])
        path = self.path(name)
        with replaced_data(vis, path, "DATA", "a source") as file:
            file.write(0, data.astype(np.complex64))
        return path, true

    def model(self):
        path = self.path("catalogue.yml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"- {{name: A, ra: {CENTER['ra']}, dec: {CENTER['dec']}, flux: {FLUX}}}\n")
        return path

    def run_command(self, *words, code=0):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            self.assertEqual(main(["calibrate", *words]), code, err.getvalue())
        return out.getvalue() + err.getvalue()

    def assert_gains(self, found, true, hands):
        """Gains and delays within 5 errors of the truth."""
        gain, delay = term_of(found, "G"), term_of(found, "K")
        self.assertEqual(found.polarizations, hands)
        off = np.abs(np.abs(gain.values[0, 0]) - true.amplitude) / gain.errors[0, 0]
        self.assertLess(off.max(), 5)
        late = np.abs(delay.values[0, 0] - true.delay)[1:] / delay.errors[0, 0, 1:]
        self.assertLess(late.max(), 5)
        self.assertFalse(gain.flags.any() or delay.flags.any())

    def test_fluxes_of_two_sources(self):
        """One 5 degrees away has no flux: there is none, and its error says so."""
        path, true = self.written("two.ms", hands="X", noise=20.0)
        words = self.run_command(
            path, "--terms", "K G", "--source", f"{CENTER['ra']},{CENTER['dec']},{FLUX}",
            "--source", "13h51m08s,+34d00m00s", "--accept-untested", "--reference",
            fringe.read_visibilities(path).antennas[0], "-o", self.path("two.h5"))
        self.assertIn("2 sources; fluxes solved for: 13h51m08s", words)
        found = fringe.read_solutions(self.path("two.h5"))
        self.assert_gains(found, true, "X")
        (flux, error), = found.flux.values()
        self.assertLess(flux, 5 * error)
        self.assertGreater(error, 1e-4)

    def test_files_of_every_kind(self):
        for name, hands in (("a.ms", "XY"), ("a.uvfits", "RL"), ("a.uvh5", "X")):
            with self.subTest(name):
                path, true = self.written(name, hands=hands)
                table = self.path(name + ".h5")
                words = self.run_command(path, "--terms", "K G", "--model", self.model(), "-o",
                                         table, "--reference",
                                         fringe.read_visibilities(path, with_data=False)
                                         .antennas[0])
                self.assertIn(f"wrote {table}", words)
                self.assertIn("1 source of catalogue.yml, 5 in all", words)
                found = read_solutions(table)
                self.assert_gains(found, true, hands)
                self.assertEqual(found.made[:10], "gr-fringe ")
                self.assertTrue(os.path.basename(path) in found.made)

    def test_what_is_chosen(self):
        path, true = self.written()
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(main(["predict", self.model(), path, "--in-place"]), 0)
        first = fringe.read_visibilities(path, with_data=False).antennas[0]
        solved = calibrate_file(path, terms_of("K G"), "MODEL_DATA", reference=first,
                                channels=slice(4, 12), uvrange=of_uvrange("20:100000m"))
        self.assertTrue(solved.absolute)
        self.assertEqual(solved.found.model, "column MODEL_DATA")
        gain = term_of(solved.found, "G")
        # Of the whole band, though it was solved from its middle.
        self.assertGreater(gain.widths[0], 4.09e6 - 2.6e5)
        off = np.abs(np.abs(gain.values[0, 0]) - true.amplitude) / gain.errors[0, 0]
        self.assertLess(off.max(), 5)
        times = calibrate_file(path, terms_of("G:0.5ms"), "MODEL_DATA", reference=first)
        some = calibrate_file(path, terms_of("G:0.5ms"), "MODEL_DATA", reference=first,
                              time="0,0.0006")
        self.assertLess(len(some.found.terms[0].times), len(times.found.terms[0].times))

    def test_the_model_is_of_the_dumps_that_are_read(self):
        path, _ = self.written()
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(main(["predict", self.model(), path, "--in-place"]), 0)
        with tables.table(path, readonly=False, ack=False) as ms:
            model, times = ms.getcol("MODEL_DATA"), ms.getcol("TIME")
            model[times < np.unique(times)[2]] *= 7
            ms.putcol("MODEL_DATA", model)
        vis = fringe.read_visibilities(path)
        passed = vis.seconds + vis.fractions - vis.seconds[0] - vis.fractions[0]
        later = f"{passed[2]},{passed[3] + 2 * vis.intervals[0]}"
        gains, other = (calibrate_file(path, terms_of("K G"), model, time=later).found.terms[0]
                      for model in ("MODEL_DATA", self.model()))
        np.testing.assert_allclose(gains.values, other.values, rtol=1e-4)
        thinned = fringe.read_visibilities(path, limit=2 * vis.data.size // 4 * 13)
        self.assertEqual(len(thinned.seconds), 2)
        with self.assertRaisesRegex(ValueError, "MODEL_DATA: .* is too large to be read whole"):
            model_of_file(thinned, "MODEL_DATA", (), {})

    def test_a_set_that_was_corrected(self):
        """A second calibration is of DATA, too, which fringe apply corrects."""
        path, true = self.written()
        words = path, "--terms", "K G", "--model", self.model(), "-o"
        self.run_command(*words, self.path("first.h5"))
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(main(["apply", path, self.path("first.h5")]), 0)
        self.assertIn("its column DATA is read, not CORRECTED_DATA",
                      self.run_command(*words, self.path("second.h5")))
        first, second = (read_solutions(self.path(name)).terms[0].values
                         for name in ("first.h5", "second.h5"))
        np.testing.assert_array_equal(first, second)
        again = self.run_command(*words, self.path("third.h5"), "--column", "CORRECTED_DATA")
        self.assertIn("amplitude 1 ", again)

    def test_antennas_without_places(self):
        """The solutions do not say where antennas stand either, and hold for another file."""
        path, _ = self.written()
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(main(["predict", self.model(), path, "--in-place"]), 0)
        there = calibrate_file(path, terms_of("G"), "MODEL_DATA").found
        self.assertEqual(there.positions.shape, (5, 3))
        shutil.copytree(path, self.path("nowhere.ms"))
        with tables.table(self.path("nowhere.ms/ANTENNA"), readonly=False, ack=False) as table:
            table.putcol("POSITION", 0 * table.getcol("POSITION"))
        found = calibrate_file(self.path("nowhere.ms"), terms_of("G"), "MODEL_DATA").found
        self.assertIsNone(found.positions)
        after, _ = fringe.apply_solutions(fringe.read_visibilities(path), found)
        self.assertFalse(after.flags.all())

    def test_the_flux_scale(self):
        known = standard_named("3C286")
        # The files are of 150 MHz, where 3C 286 has 30 Jy.
        frequencies = 150e6 + 4.096e6 / 16 * (np.arange(16) - 8)
        path, true = self.written(flux=standard_flux(known, frequencies), noise=200.0)
        first = fringe.read_visibilities(path, with_data=False).antennas[0]
        with self.assertRaisesRegex(ValueError, "its polarization is known from 1.05"):
            calibrate_file(path, terms_of("K G"), "3C286", reference=first)
        path, true = self.written("b.uvh5", hands="X", flux=standard_flux(known, frequencies),
                                  noise=200.0)
        solved = calibrate_file(path, terms_of("K G"), "3C286", reference=first)
        self.assert_gains(solved.found, true, "X")
        self.assertRegex(solved.found.model, r"3C286, 30\.02\d* Jy at 0.14987 GHz")
        with self.assertRaisesRegex(ValueError, "3C48: is .* degrees or more from the phase"):
            calibrate_file(path, terms_of("G"), "3C48")

    def test_a_station_of_the_sky_from_voltages(self):
        """Dipoles in a circle of 35 m, as EDA2's, behind cables and receivers, that hear four
        sources at once: gains, delays and the fluxes of three."""
        places = self.rng.uniform(-1, 1, (400, 2))
        places = 17.5 * places[np.hypot(*places.T) < 1][:16]
        text = {"site": {"latitude": -26.7, "longitude": 116.67, "height": 377.0},
                "antennas": [[float(e), float(n), 0.0] for e, n in places],
                "polarizations": ["X", "Y"], "mount": "fixed", "feed_angle": [90, 0],
                "sample_rate": 25e6 / 27, "center_frequency": 159.375e6, "channels": 16,
                "start_time": "2026-06-12T16:00:00Z", "phase_center": "zenith",
                "integration": 0.05, "sky": {"receiver_noise": 1.0, "sources": [
                    {"name": name, "az": az, "el": el, "flux": flux} for name, az, el, flux in (
                        ("A", 40, 55, 0.3), ("B", 200, 70, 0.2), ("C", 290, 35, 0.3),
                        ("D", 330, 75, 0.1))]}}
        true = fringe.observation.from_text(repr(text))
        inputs = true.inputs
        for entry in inputs:
            entry.cable_delay, entry.phase = self.rng.uniform(0, 8e-8), self.rng.uniform(-180, 180)
            entry.gain = self.rng.uniform(0.8, 1.2)
        true.inputs = inputs
        raw, sky, path = self.path("sky.ci8"), self.path("sky.yml"), self.path("sky.ms")
        level = fringe.simulate(true, raw, 2**17, format="ci8", beam=beam_of("dipole:0.3m")).level
        with open(sky, "w", encoding="utf-8") as file:
            file.write(fringe.observation.from_text(repr(text)).to_text())
        fringe.correlate(raw, path, sky)
        known = [source_at(f"{s['az']},{s['el']},{s['flux']}"[:None if k == 0 else -4], True,
                           s["name"]) for k, s in enumerate(text["sky"]["sources"])]
        first = fringe.read_visibilities(path, with_data=False).antennas[0]
        solved = calibrate_file(path, terms_of("K G"), sources=known, reference=first,
                                beam=beam_of("dipole:0.3m"))
        self.assertLess(solved.left.chi2[0], 1.3)
        for source in text["sky"]["sources"][1:]:
            for hand in "XY":
                flux, error = solved.found.flux[f"{source['name']} {hand}"]
                self.assertLess(abs(flux - source["flux"]), 6 * error)
                self.assertLess(error, 0.03 * source["flux"])
        delay, gain = term_of(solved.found, "K"), term_of(solved.found, "G")
        self.assertFalse(delay.flags.any() or gain.flags.any())
        late, size, turn = (np.reshape([getattr(entry, name) for entry in inputs], (-1, 2))
                            for name in ("cable_delay", "gain", "phase"))
        late = late - late[0]
        off = (delay.values[0, 0] - late)[1:]
        self.assertLess(np.abs(off / delay.errors[0, 0, 1:]).max(), 6)
        self.assertLess(np.abs(off).max(), 5e-8)
        found = gain.values[0, 0] / (level * size) * np.exp(-1j * np.radians(turn - turn[0]))
        self.assertLess(np.abs((np.abs(found) - 1) * level * size / gain.errors[0, 0]).max(), 6)
        # Without the delays, which the phase in the middle of the band is independent of.
        angle = np.angle(found * np.exp(2j * np.pi * gain.frequencies[0] * late))[1:]
        self.assertLess(np.abs(angle / gain.phase_errors[0, 0, 1:]).max(), 6)
        self.assertLess(np.abs(angle).max(), 0.2)

    @unittest.skipUnless(fits, "needs astropy")
    def test_several_fields_of_another_program(self):
        """A field is chosen, or the sentence names them; weights are the file's own."""
        path = write(self.path("two.uvfits"), dumps(3, source=1) + dumps(3, 0.1, source=2), [
            antennas(NAMES), sources((1, "A", 10.0, 20.0, 2000.0, 0.0),
                                     (2, "B", 40.0, 20.0, 2000.0, 0.0)), setups((1, 0.0, 1e6, 1))])
        here = [source_at("02h40m00s,+20d00m00s", False)]
        with self.assertRaisesRegex(ValueError, "A.*B"):
            calibrate_file(path, terms_of("G"), sources=here)
        solved = calibrate_file(path, terms_of("G"), sources=here, field="B", reference="A")
        self.assertFalse(solved.absolute)
        gain, = solved.found.terms
        # Source 2, setup 1, subarray 1: see value_of().
        np.testing.assert_allclose(np.abs(gain.values[0, 0, :, 0]) ** 2, 2111.5, rtol=0.01)
        self.assertEqual((solved.found.antennas, solved.found.reference), (["A", "B", "C"], "A"))

    def test_what_is_refused(self):
        path, _ = self.written()
        model = self.model()
        for words, sentence, code in (
                (("--terms", "G"), "say what was observed", 2),
                (("--terms", "G", "--model", model, "--uvrange", "5"), "must be LOW:HIGH", 2),
                (("--terms", "G", "--model", model, "--uvrange", "1:2m"), "no baseline is in it",
                 2),
                (("--terms", "G", "--model", model, "--reference", "Q"), "Q: is no antenna", 2),
                (("--terms", "G", "--model", model, "--delays"), "does not go with --terms", 2),
                (("--terms", "G", "--model", model, "--max-unexplained", "0.2"),
                 "--max-unexplained: does not go with --terms", 2),
                (("--terms", "G", "--model", model, "--min-coherence", "0"),
                 "--min-coherence: does not go with --terms", 2),
                (("--terms", "G", "--model", model, "--source", "1h00m00s,2d00m00s"),
                 "catalogue.yml and 1h00m00s,2d00m00s: say what was observed", 2),
                (("--terms", "Q", "--model", model), "kind 'Q'", 2),
                (("--clip", "3"), "--clip: goes with --terms", 2),
                (("--source", "1h,2d"), "is needed without --terms", 2),
                (("--terms", "G", "--model", model, "--min-snr", "1e9"), "no solution is left", 3)):
            with self.subTest(sentence):
                self.assertIn(sentence, self.run_command(path, *words, code=code))


if __name__ == "__main__":
    unittest.main()
