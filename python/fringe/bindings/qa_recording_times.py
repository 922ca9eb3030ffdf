#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Files whose headers say different times, read as one; headers against settings; long gaps."""
import json
import unittest

import numpy as np
from gnuradio import fringe
from qa_cli import command, in_a_folder
from qa_recorders import dumps_of, vdif_file, voltages

RATE, FRAME, LATER = 64000, 256, 50  # 50 frames at 250 a second: 0.2 s
CHANNELS, TAPS, DUMP = 32, 2, 50
SECONDS = 1.2
START = "2026-07-02T00:00:00"
LEVELS = np.array([-3.3359, -1, 1, 3.3359], np.float32)


def two_bits(x):
    """Codes [time][1] of 2-bit samples."""
    return np.digitize(x, [-0.98, 0, 0.98])[:, None]


class two_stations(in_a_folder):
    """West begins 0.2 s before east, and ends as much earlier: half of their noise is one."""
    seed = 41

    def setUp(self):
        super().setUp()
        n = int(SECONDS * RATE)
        noise = self.rng.standard_normal((3, n))
        self.codes = [two_bits((noise[0] + station) / np.sqrt(2)) for station in noise[1:]]
        self.frames = n // FRAME
        self.write_file("west", 0, self.frames - LATER)
        self.write_file("east", LATER, self.frames)
        self.paths = [self.path("west"), self.path("east")]

    def write_file(self, name, first, end):
        codes = self.codes[name == "east"][first * FRAME:end * FRAME]
        vdif_file(self.path(name), codes[None], np.ones((1, end - first), int), 2, False, RATE,
                  64, first=first, second=86400)

    def correlated(self, paths, threads=None, **options):
        """Visibilities [dump][channel][baseline] of fringe.correlate(), and its totals."""
        options = {"channels": CHANNELS, "taps": TAPS, "window": "hann", "spectra": DUMP,
                   **options}
        totals = fringe.correlate(paths, self.path("y.ACC"), format="vdif", threads=threads,
                                  overwrite=True, **options)
        dumps = np.fromfile(self.path("y.ACC"), np.complex64).reshape(-1, 3, CHANNELS)
        return dumps.swapaxes(1, 2), totals

    def coherence(self, visibilities):
        """Of each dump, all channels together."""
        auto = visibilities[:, :, 0].real.sum(1) * visibilities[:, :, 2].real.sum(1)
        with np.errstate(invalid="ignore"):
            return np.abs(visibilities[:, :, 1].sum(1)) / np.sqrt(auto)


class qa_aligned(two_stations):

    def expect_aligned(self, dumps, weights=None):
        both = slice(LATER * FRAME // (2 * CHANNELS * DUMP) + 1,
                     (self.frames - LATER) * FRAME // (2 * CHANNELS * DUMP) - 1)
        self.assertGreater(both.stop - both.start, 10)
        # 2 bits keep 88 % of it.
        np.testing.assert_allclose(self.coherence(dumps[both]), 0.44, atol=0.06)
        for part, there, gone in ((slice(0, both.start - 1), 0, 2),
                                  (slice(both.stop + 2, None), 2, 0)):
            self.assertGreater(len(dumps[part]), 2)
            self.assertGreater(dumps[part, :, there].real.min(), 0)
            np.testing.assert_array_equal(dumps[part, :, gone], 0)
            np.testing.assert_array_equal(dumps[part, :, 1], 0)
            if weights is not None:
                np.testing.assert_array_equal(weights[part][:, :, [1, gone]], 0)
                np.testing.assert_allclose(weights[part][:, :, there], 1)

    def test_through_correlate(self):
        seen = []
        for threads in (1, 2):
            dumps, totals = self.correlated(self.paths, threads)
            self.expect_aligned(dumps)
            self.assertEqual(totals.losses["missing"], [LATER * FRAME] * 2)
            self.assertIn(f"{self.paths[1]} begins 0.2 s after {self.paths[0]}", totals.notes[0])
            seen.append(dumps)
        np.testing.assert_allclose(seen[0], seen[1], atol=1e-5)
        # In any order of the files, as the first that begins is the start.
        other, _ = self.correlated(self.paths[::-1], 2)
        np.testing.assert_allclose(other[:, :, 1], seen[0][:, :, 1].conj(), atol=1e-5)

    def test_through_the_stages(self):
        dumps = dumps_of(self.paths, "vdif", CHANNELS, TAPS, 40, DUMP, complex_samples=False)
        self.expect_aligned(dumps.visibilities, dumps.weights)
        self.assertEqual(dumps.source.start_time().iso(3), START + ".000")
        self.assertEqual(dumps.source.total_samples(), self.frames * FRAME)
        self.assertEqual(dumps.source.samples_missing(), 2 * LATER * FRAME)
        through, _ = self.correlated(self.paths, 2)
        np.testing.assert_allclose(through, dumps.visibilities, atol=2e-5)

    def test_no_sample_is_put_elsewhere(self):
        source, x = voltages(self.paths, "vdif", 1000)
        values = [LEVELS[codes[:, 0]] for codes in self.codes]
        np.testing.assert_array_equal(x[0, :-LATER * FRAME], values[0][:-LATER * FRAME])
        np.testing.assert_array_equal(x[1, LATER * FRAME:], values[1][LATER * FRAME:])
        # From a sample on: of the first file that begins.
        for start in (1, 5000, LATER * FRAME + 13):
            source, x = voltages(self.paths, "vdif", 1000, start_samples=[start])
            self.assertEqual(source.total_samples(), self.frames * FRAME - start)
            np.testing.assert_array_equal(x[0, :2000], values[0][start:start + 2000])
            begin = max(LATER * FRAME - start, 0)
            np.testing.assert_array_equal(
                x[1, begin:begin + 2000], values[1][start + begin:start + begin + 2000])
            self.assertEqual(source.start_time(),
                             fringe.epoch.from_iso(START).plus_samples(start, RATE))

    def test_requantized(self):
        # The level is that of each file's own first samples, also where it begins later.
        for start in (0, 1000, LATER * FRAME + 8):
            plain, _ = self.correlated(self.paths, start_sample=[start])
            dumps, _ = self.correlated(self.paths, requantize="8", start_sample=[start])
            np.testing.assert_allclose(dumps, plain, atol=0.05 * np.abs(plain).max())

    def test_sigmf(self):
        x = self.rng.integers(-99, 100, (2, 5000, 2))
        for k, first in enumerate((0, 1237)):
            x[k, first:first + 3000].astype(np.int8).tofile(self.path(f"s{k}.sigmf-data"))
            time = f"2026-06-12T10:00:00.{first:06d}Z"
            with open(self.path(f"s{k}.sigmf-meta"), "w", encoding="utf-8") as out:
                json.dump({"global": {"core:datatype": "ci8", "core:sample_rate": 1e6},
                           "captures": [{"core:sample_start": 0, "core:datetime": time}]}, out)
        source, got = voltages([self.path("s0"), self.path("s1")], "sigmf", 100)
        want = x[..., 0] + 1j * x[..., 1]
        np.testing.assert_array_equal(got[0], np.where(np.arange(4237) < 3000, want[0, :4237], 0))
        np.testing.assert_array_equal(got[1], np.where(np.arange(4237) < 1237, 0, want[1, :4237]))
        self.assertEqual(source.losses()["missing"], [1237, 1237])

    def test_mark5b(self):
        # Their day is one of a thousand, which is enough to put them side by side.
        codes = self.rng.integers(0, 4, (20, 40000))
        for name, first, last in (("a", 0, 12), ("b", 3, 20)):
            with open(self.path(name), "wb") as out:
                for n in range(first, last):
                    time = (0x99886399, 0x99900000, 0x99900001, 0x99900002)[(n + 6) // 8]
                    np.array([0xABADDEED, (n + 6) % 8, time, 0], "<u4").tofile(out)
                    (codes[n].reshape(-1, 4) << [0, 2, 4, 6]).sum(1).astype(np.uint8).tofile(out)
        source, x = voltages([self.path("a"), self.path("b")], "mark5b", 4000, inputs=2,
                             start_time="2023-02-23T23:59:59.75")  # MJD 59998
        self.assertEqual(source.sample_rate(), 320000)
        levels = np.array([-3.3359, 1, -1, 3.3359], np.float32)[codes].ravel()
        np.testing.assert_array_equal(x[0, :480000], levels[:480000])
        np.testing.assert_array_equal(x[1, 120000:], levels[120000:])
        with self.assertRaisesRegex(ValueError, "2023-02-24.*1000 days.*prefer=header"):
            voltages([self.path("a"), self.path("b")], "mark5b", 4000, inputs=2,
                     start_time="2023-02-24T23:59:59.75")

    def test_info_says_it(self):
        text = command("info", "--format", "vdif", "west", "east", cwd=self.folder)
        self.assertEqual(text.returncode, 0, text.stderr)
        for words in ("start        2026-07-02 00:00:00.200 UTC", "2 recordings together",
                      "east begins 0.2 s after west", "sample 12800 there"):
            self.assertIn(words, text.stdout)


class qa_contradictions(two_stations):

    def correlate(self, *words):
        return command("correlate", "west", "east", "--format", "vdif", "--channels", 32,
                       "--integration", 0.1, "-o", "x.ACC", "--overwrite", *words,
                       cwd=self.folder)

    def refused(self, words, *sentences):
        ended = self.correlate(*words)
        self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
        for sentence in sentences:
            self.assertIn(sentence, ended.stderr)

    def accepted(self, *words):
        ended = self.correlate(*words)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        return ended.stdout, fringe.read_visibilities(self.path("x.ACC"))

    def test_a_start_time(self):
        wrong = ["--start-time", START + ".2"]
        self.refused(wrong, "start-time: 2026-07-02T00:00:00.200000000", "--prefer",
                     "west says that it begins at 2026-07-02T00:00:00.000000000")
        for choice, begin in (("header", 0.0), ("settings", 0.2)):
            text, vis = self.accepted(*wrong, "--prefer", choice)
            self.assertIn("overrides it", text)
            self.assertAlmostEqual((vis.times[0] - np.datetime64(START)) / np.timedelta64(1, "s")
                                   - vis.intervals[0] / 2, begin, delta=0.01)
        self.accepted("--start-time", START)

    def test_one_in_the_observation_file(self):
        self.write("obs.yml", f"""
            antennas: [[0, 0, 0], [10, 0, 0]]
            start_time: 2026-07-02T00:00:01
            format: vdif
            channels: 32
            """)
        self.refused(["--obs", "obs.yml"], "2026-07-02T00:00:01", "2026-07-02T00:00:00",
                     "--prefer")

    def test_a_sample_rate(self):
        self.write("obs.yml", f"""
            antennas: [[0, 0, 0], [10, 0, 0]]
            sample_rate: {2 * RATE}
            channels: 32
            """)
        for wrong in (["--sample-rate", 2 * RATE], ["--obs", "obs.yml"]):
            self.refused(wrong, f"--sample-rate: {2 * RATE} Hz is given",
                         f"west has {RATE} Hz by its header",
                         "--prefer header or --prefer settings")
            for choice, rate in (("header", RATE), ("settings", 2 * RATE)):
                text, vis = self.accepted(*wrong, "--prefer", choice)
                self.assertIn("overrides it", text)
                self.assertAlmostEqual(np.ptp(vis.frequencies), rate / 2 * 31 / 32)
        self.accepted("--sample-rate", RATE)
        with self.assertRaisesRegex(ValueError, f"sample_rate: {2 * RATE}.*{RATE}"):
            fringe.file_source(self.paths, "vdif", 2, 1024, 2 * RATE)

    def test_start_samples(self):
        shift = LATER * FRAME
        self.refused(["--start-sample", "0,0"], "--start-sample: sample 0 of east",
                     f"by their headers sample {-shift} belongs", "--prefer")
        self.accepted("--start-sample", f"{shift},0")  # as the headers say
        self.accepted("--start-sample", shift)
        text, _ = self.accepted("--start-sample", "0,0", "--prefer", "settings")
        self.assertIn("start samples override headers", text)

    def test_another_day(self):
        vdif_file(self.path("east"), self.codes[1][None], np.ones((1, self.frames), int), 2,
                  False, RATE, 64, second=2 * 86400)
        self.refused([], "west: begins at 2026-07-02T00:00:00", "2026-07-03", "no other file")
        self.accepted("--start-sample", "0,0", "--prefer", "settings")


class qa_gaps(two_stations):

    def joined(self, second):
        vdif_file(self.path("later"), self.codes[0][None], np.ones((1, self.frames), int), 2,
                  False, RATE, 64, second=second)
        self.write("joined", self.read("west") + self.read("later"))
        return self.path("joined")

    def guppi(self, packets, per_block=32):
        out = b""
        for packet in packets:
            cards = {"OBSNCHAN": 1, "NPOL": 1, "NBITS": 8, "BLOCSIZE": 4096, "TBIN": 1e-6,
                     "PKTIDX": packet, "PIPERBLK": per_block, "STT_IMJD": 61000, "STT_SMJD": 5}
            out += b"".join(f"{k:8}= {v:>20}".ljust(80).encode() for k, v in cards.items())
            out += b"END".ljust(80) + self.rng.bytes(4096)
        self.write("g", out)
        return self.path("g")

    def sigmf(self, index):
        self.write("s.sigmf-data", self.rng.bytes(20000))
        self.write("s.sigmf-meta", json.dumps({
            "global": {"core:datatype": "ci8", "core:sample_rate": 1e6},
            "captures": [{"core:sample_start": 0, "core:global_index": 0},
                         {"core:sample_start": 4096, "core:global_index": index}]}))
        return self.path("s.sigmf-meta")

    def test_headers_that_claim_years(self):
        for path, form in ((self.joined(2 * 86400), "vdif"), (self.joined(86400 * 9000), "vdif"),
                           (self.guppi([0, 32, 2 ** 40]), "guppi"), (self.sigmf(2 ** 52), "sigmf"),
                           (self.guppi([0, 32, 10000]), "guppi")):
            with self.subTest(path):
                info = fringe.recording_info(path, form)
                self.assertGreater(info.missing, 0.9 * info.samples)
                for make in (
                        lambda: fringe.correlate(path, self.path("y.ACC"), format=form,
                                                 channels=16, integration=0.01),
                        lambda: fringe.file_source([path], form, 0, 1024)):
                    with self.assertRaisesRegex(ValueError, rf"{path}: .*9\d\.\d* % missing: its "
                                                rf"\d+ bytes .* of the {info.samples} samples "
                                                r".*allow_gaps=True"):
                        make()
                fringe.file_source([path], form, 0, 1024, allow_gaps=True)
                fringe.file_source([path], form, 0, 1024, samples=2048)
                text = command("info", "--format", form, path)
                self.assertIn("of them, so that they are read only with --allow-gaps",
                              text.stdout)

    def test_more_than_any_recording_has(self):
        path = self.guppi([0, 1, 2 ** 52], 1)
        with self.assertRaisesRegex(ValueError, "g: packet .*PKTIDX.* 10.18 samples"):
            fringe.correlate(path, self.path("y.ACC"), format="guppi", channels=16)

    def test_gaps_that_are_allowed(self):
        path = self.guppi([0, 32, 1000])
        correlate = ["correlate", path, "--format", "guppi", "--channels", 16, "--integration",
                     0.004, "-o", "x.ACC"]
        ended = command(*correlate, cwd=self.folder)
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn("--allow-gaps", ended.stderr)
        ended = command(*correlate, "--allow-gaps", cwd=self.folder)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("missing in the recording", ended.stdout)
        power = np.abs(np.fromfile(self.path("x.ACC"), np.complex64).reshape(-1, 16)).sum(1)
        self.assertGreater(power[0], 0)
        self.assertGreater(power[-1], 0)
        np.testing.assert_array_equal(power[2:-2], 0)

    def test_a_station_that_was_there_for_a_moment(self):
        self.write_file("east", LATER, LATER + 20)
        with self.assertRaisesRegex(ValueError,
                                    "east: 92 % missing.*span together.*allow_gaps=True"):
            self.correlated(self.paths)
        dumps, totals = self.correlated(self.paths, allow_gaps=True)
        self.assertEqual(totals.losses["missing"], [0, (self.frames - LATER - 20) * FRAME])
        self.assertEqual(len(dumps), (self.frames - LATER) * FRAME // (2 * CHANNELS * DUMP))


if __name__ == "__main__":
    unittest.main()
