#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A simulated pulsar of DM 56.7: dispersed by the equation over its whole band, found again.

The voltages are made in numpy, as a circle: what is late at the end is at the begin.
"""
import unittest
from fractions import Fraction

import numpy as np
import pmt
from gnuradio import fringe
from gnuradio.fringe.observing.pulse_phases import DISPERSION, delay, frequency, turns
from gnuradio.fringe.pulsars.dispersion import coherent_dedisperser, trials
from gnuradio.fringe.pulsars.fold_beam import fold_beam
from gnuradio.fringe.pulsars.profiles import folded, folder, scrunched, together
from gnuradio.fringe.pulsars.psrfits_fold import filled
from gnuradio.fringe.pulsars.psrfits_read import read_profiles
from gnuradio.fringe.pulsars.pulsar_sink import pulsar_sink
from qa_cli import command
from qa_scratch import random_numbers, scratch_case

DM, RATE, CENTER, CHANNELS, PERIOD, TIME = 56.7, 1e6, 150e6, 32, 2 / 41, 2.0
START = fringe.epoch.from_iso("2026-06-12T12:00:00")
WIDTH = 1e-3  #: rms of the pulse
AT = 0.3  #: phase of the pulse at infinite frequency
SAMPLES = int(RATE * TIME)


def dispersed(voltages, dm):
    """With the delay of each frequency, an infinite one having none: the phase is the integral of
    the delay over frequency."""
    f = CENTER + np.fft.fftfreq(len(voltages), 1 / RATE)
    turns = DISPERSION * dm / f - DISPERSION * dm / CENTER  # - integral of D DM / f^2 from CENTER
    return np.fft.ifft(np.fft.fft(voltages) * np.exp(2j * np.pi * turns))


def envelope(width=WIDTH):
    """The voltage of the pulses, of 41 whole turns. Phase 0 is at 1970."""
    began = float(START.seconds / Fraction(PERIOD) % 1)
    phases = (np.arange(SAMPLES) / RATE / PERIOD + began - AT + 0.5) % 1 - 0.5
    return np.exp(-0.25 * (phases * PERIOD / width)**2)


def noise(rng, *shape):
    """Complex, of unit power."""
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)) / np.sqrt(2)


def tones():
    """One in each channel, not in its middle."""
    t = np.arange(SAMPLES) / RATE
    shares = 0.3 * np.sin(1 + np.arange(CHANNELS))
    f = np.rint((np.arange(CHANNELS) - CHANNELS // 2 + shares) * RATE / CHANNELS * TIME) / TIME
    return np.exp(2j * np.pi * f[:, None] * t).sum(axis=0)


class qa_pulsars(scratch_case):

    @classmethod
    def setUpClass(cls):
        cls.rng = random_numbers()

    def folded(self, voltages, dm=DM, name="sky", **more):
        """(profile [bin], parts, frequencies) of two stations that hear these voltages."""
        from gnuradio.fringe.pulsars import fold_beam as module
        obs = fringe.observation.from_text(repr({
            "site": {"latitude": 50.0, "longitude": 8.0}, "antennas": [[0, 0, 0], [0, 0, 0]],
            "sample_rate": RATE, "center_frequency": CENTER, "channels": CHANNELS, "taps": 8,
            "format": "cf32", "start_time": START.iso(6) + "Z"}))
        path = self.path(name + ".cf32")
        np.repeat(voltages.astype(np.complex64), 2).tofile(path)
        kept, written = [], module._written
        module._written = lambda outputs, axes, sink, *rest: kept.append((axes, sink)) or written(
            outputs, axes, sink, *rest)
        try:
            self.lines = fold_beam([path], more.pop("outputs", []), "zenith", obs, dm=dm,
                                   period=PERIOD, **{"bins": 2048, **more})
        finally:
            module._written = written
        (axes, sink), = kept
        counts = sum(part.counts for part in sink.parts)
        sums = sum(np.nan_to_num(part.profile) * part.counts for part in sink.parts)
        # Without the channel at the edge of the band, which has both ends of it.
        means = sums[:, 1:] / np.maximum(counts[1:], 1)
        return scrunched(means, counts[1:])[0], sink.parts, axes.frequencies

    @staticmethod
    def width_of(profile):
        """(Middle, rms) of a pulse in turns."""
        phases = (np.arange(len(profile)) + 0.5) / len(profile)
        around = (phases - AT + 0.5) % 1 - 0.5
        inside = np.abs(around) < 0.2
        level = np.mean(profile[~inside])
        p = (profile - level)[inside]
        middle = (p * around[inside]).sum() / p.sum()
        return AT + middle, np.sqrt((p * (around[inside] - middle)**2).sum() / p.sum())

    def test_overlap_and_save(self):
        """A stretch in pieces is the whole one by one transform, in both senses of a band."""
        width, frequencies = 31250.0, np.array([149e6, 151e6])
        y = noise(self.rng, 2, 3, 20000)
        f = np.fft.fftfreq(20000, 1 / width)
        h = np.exp(2j * np.pi * DISPERSION * DM * f**2
                   / (frequencies[:, None]**2 * (frequencies[:, None] + f)))
        x = np.fft.ifft(np.fft.fft(y) * h[:, None])
        for backend in ("cpu", "generic"):
            taker = coherent_dedisperser(DM, frequencies, width, backend=backend)
            done = np.concatenate([taker.take(piece) for piece in np.array_split(x, 37, axis=2)],
                                  axis=2)
            right = y[:, :, taker.past:taker.past + done.shape[2]]
            self.assertGreater(done.shape[2], 15000)
            error = np.sqrt(np.mean(np.abs(done - right)[:, :, 300:]**2))
            self.assertLess(error, 0.05)  # of noise that fills the channel up to its edges
        with self.assertRaisesRegex(ValueError, "points: 64: must be"):
            coherent_dedisperser(DM, frequencies, width, 64)

    def test_the_pulse_has_its_width_again(self):
        """To 1 %, without the ends of channels; dispersion that is left in them makes it half as
        wide again."""
        carrier = envelope() * noise(self.rng, SAMPLES)
        truth, _, _ = self.folded(carrier, 0.0, passband=0.6)
        found, _, _ = self.folded(dispersed(carrier, DM), passband=0.6)
        left, _, _ = self.folded(dispersed(carrier, DM), coherent=False)
        wanted = self.width_of(truth)[1]
        self.assertAlmostEqual(wanted * PERIOD / WIDTH, 1, delta=0.03)
        self.assertAlmostEqual(self.width_of(found)[1] / wanted, 1, delta=0.01)
        self.assertGreater(self.width_of(left)[1] / wanted, 1.3)

    def test_arrival_time(self):
        """To 100 ns, at infinite frequency, after 10 s of dispersion."""
        truth, _, _ = self.folded(envelope() * tones(), 0.0)
        found, _, frequencies = self.folded(dispersed(envelope() * tones(), DM))
        self.assertGreater(delay(DM, frequencies).min(), 10)
        self.assertLess(abs(self.width_of(found)[0] - AT) * PERIOD, 1e-7)
        late = self.width_of(found)[0] - self.width_of(truth)[0]
        self.assertLess(abs(late) * PERIOD, 1e-7)

    def test_signal_to_noise(self):
        """As the radiometer equation has it: noise of a bin is the power over the root of the
        number of its samples, and the pulse is the power of its voltages times the stations."""
        strength = 0.5
        carrier = dispersed(strength * envelope() * noise(self.rng, SAMPLES), DM)
        profile, parts, _ = self.folded(carrier + noise(self.rng, SAMPLES), bins=64, seconds=0.5)
        self.assertEqual(len(parts), 4)
        np.testing.assert_allclose([part.seconds for part in parts[:3]], 0.5, atol=1e-9)
        counts = sum(part.counts for part in parts)[1:].sum(axis=0)
        phases = (np.arange(64) + 0.5) / 64
        off = np.abs((phases - AT + 0.5) % 1 - 0.5) > 0.15
        level = profile[off].mean()
        scatter = profile[off].std() / (level / np.sqrt(counts[off].mean()))
        self.assertLess(abs(scatter - 1), 5 / np.sqrt(2 * off.sum()))
        energy = (profile - level).sum() / level * PERIOD / 64
        expected = strength**2 * np.sqrt(2 * np.pi) * WIDTH
        error = np.sqrt(64 / counts.mean()) * PERIOD / 64
        self.assertLess(abs(energy - expected), 5 * 2 * error)

    def test_files(self):
        """PSRFITS in fold mode, read by astropy: where its epochs say that phase 0 is, the pulse is
        at its phase, late by the dispersion of each channel; and a picture."""
        from astropy.io import fits
        paths = [self.path("pulsar.fits"), self.path("pulsar.png")]
        self.folded(dispersed(envelope() * tones(), DM), bins=256, seconds=0.7, outputs=paths)
        with open(paths[1], "rb") as file:
            self.assertEqual(file.read(4), b"\x89PNG")
        with fits.open(paths[0]) as file:
            file.verify("exception")
            head, table = file[0].header, file["SUBINT"]
            self.assertEqual((head["OBS_MODE"], table.header["NBIN"]), ("PSR", 256))
            self.assertEqual((table.header["DM"], table.header["EPOCHS"]), (DM, "VALID"))
            rows = table.data
            scale, offset = (rows[key].reshape(-1, 1, CHANNELS, 1)
                             for key in ("DAT_SCL", "DAT_OFFS"))
            values = rows["DATA"] * scale + offset
            began = ((head["STT_IMJD"] - 40587) * 86400 + head["STT_SMJD"]
                     - START.seconds) + head["STT_OFFS"]
            late = delay(DM, rows["DAT_FREQ"][0] * 1e6)
            center = delay(DM, head["OBSFREQ"] * 1e6)
            for row in range(1, len(rows) - 1):
                self.assertAlmostEqual(rows["PERIOD"][row], PERIOD, 12)
                zero = began + rows["OFFS_SUB"][row]  # at OBSFREQ
                since = float((START.seconds / Fraction(PERIOD)) % 1) + (zero - center) / PERIOD
                self.assertAlmostEqual((since + 0.5) % 1 - 0.5, 0, 5)
                for channel in (3, 20, 31):
                    wanted = AT + (late[channel] - center) / PERIOD
                    found = np.argmax(values[row, 0, channel]) + 0.5
                    self.assertLess(abs((found / 256 - wanted + 0.5) % 1 - 0.5), 3 / 256)
        self.read_again(paths[0])

    def read_again(self, path):
        """fringe plot draws the file: phase 0 of a row is at its epoch, and all channels have the
        pulse at the phase that it has at OBSFREQ there."""
        parts, axes, title = read_profiles(path)
        self.assertIn(f"DM {DM}", title)
        np.testing.assert_allclose(np.diff(axes.frequencies), RATE / CHANNELS)
        for part in parts[1:-1]:
            self.assertAlmostEqual(part.seconds, 0.7, 3)
            peaks = np.argmax(part.profile[0], axis=1)[1:]
            self.assertLess(np.abs((peaks + 0.5) / 256 - AT).max(), 3 / 256)
        dedispersed = self.path("dedispersed.fits")
        self.write_dedispersed(path, dedispersed)
        for part, other in zip(parts, read_profiles(dedispersed)[0]):
            np.testing.assert_allclose(other.profile, part.profile, rtol=0.02,
                                       atol=0.02 * part.profile.max())
        picture = self.path("again.png")
        words = ["plot", path, "-o", picture]
        for more, code, sentence in (([], 0, "wrote"), (["--db"], 2, "--db"),
                                     (["--antennas", "a"], 2, "holds profiles of a pulsar")):
            done = command(*words, *more)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(sentence, done.stdout + done.stderr)
        with open(picture, "rb") as file:
            self.assertEqual(file.read(4), b"\x89PNG")
        with open(path, "r+b") as file:
            file.truncate(9000)
        with self.assertRaisesRegex(ValueError, "damaged, or no PSRFITS file"):
            read_profiles(path)

    @staticmethod
    def write_dedispersed(path, to):
        """As PSRCHIVE writes what it has dedispersed: HISTORY says so."""
        from astropy.io import fits
        with fits.open(path) as file:
            rows, head = file["SUBINT"].data, file[0].header
            late = delay(DM, rows["DAT_FREQ"][0] * 1e6) - delay(DM, head["OBSFREQ"] * 1e6)
            shape = len(rows), -1, CHANNELS
            values = rows["DATA"].reshape(*shape, 256) * rows["DAT_SCL"].reshape(
                *shape, 1) + rows["DAT_OFFS"].reshape(*shape, 1)
            turns = np.fft.rfftfreq(256, 1 / 256) * (late / PERIOD)[:, None]
            values = np.fft.irfft(np.fft.rfft(values) * np.exp(2j * np.pi * turns), 256)
            low, high = values.min(axis=-1), values.max(axis=-1)
            scale = np.maximum(high - low, 1e-30) / 65000
            rows["DAT_SCL"] = scale.reshape(rows["DAT_SCL"].shape)
            rows["DAT_OFFS"] = ((low + high) / 2).reshape(rows["DAT_OFFS"].shape)
            rows["DATA"] = np.rint((values - ((low + high) / 2)[..., None])
                                   / scale[..., None]).reshape(rows["DATA"].shape)
            file.append(fits.BinTableHDU.from_columns(
                [fits.Column("DEDISP", "I", array=[0, 1])], name="HISTORY"))
            file.writeto(to)

    def test_a_gap_of_less_than_half_a_spectrum(self):
        """What follows has its own times, not those of what was before."""
        sink = pulsar_sink((2, 1, 300), np.array([150e6, 151e6]), 0.0,
                           fringe.pulse_phase.from_period(PERIOD), 16, 9.0)
        for late, begun in ((0.0, 0.0), (0.3, 0.0), (0.6 + 1e-9, 0.0), (0.9003, 0.9003)):
            start = START.plus_seconds(late)
            sink._take({"rx_rate": pmt.from_double(1e3), "rx_time": pmt.make_tuple(
                pmt.from_uint64(start.seconds), pmt.from_double(start.fraction()))},
                       np.ones((2, 1, 300), np.complex64))
            self.assertAlmostEqual(sink._origin.seconds_since(START), begun, 8)

    def test_a_gap_is_no_part_of_a_part(self):
        """Two stretches of 0.3 s, an hour apart, in parts of 0.4 s: two parts of 0.3 s. In one part
        of two hours a gap does not count as time that was folded."""
        for seconds, lengths in ((0.4, [0.3, 0.3]), (7200.0, [0.6])):
            sink = pulsar_sink((2, 1, 300), np.array([150e6, 151e6]), 0.0,
                               fringe.pulse_phase.from_period(PERIOD), 16, seconds)
            for late in (0.0, 3600.0):
                start = START.plus_seconds(late)
                tags = {"rx_rate": pmt.from_double(1e3), "rx_time": pmt.make_tuple(
                    pmt.from_uint64(start.seconds), pmt.from_double(start.fraction()))}
                sink._take(tags, np.ones((2, 1, 300), np.complex64))
            sink.finish()
            np.testing.assert_allclose([part.seconds for part in sink.parts], lengths)
            self.assertEqual([part.counts.sum() for part in sink.parts],
                             [2000 * length for length in lengths])
            self.assertAlmostEqual(sink.parts[-1].start.seconds_since(START),
                                   3600.0 * (len(lengths) - 1))

    def test_together(self):
        """Every sample counts as much, whatever the length of its part; bins without any sample
        are not zero."""
        counts = np.array([[[2.0, 0, 4, 0]], [[6.0, 3, 0, 0]]])
        parts = [folded(START, 1.0, np.array([[values]]), n) for values, n in zip(
            ([1.0, np.nan, 3, np.nan], [5.0, 7, np.nan, np.nan]), counts)]
        profile, n = together(parts)
        np.testing.assert_array_equal(n, [[8, 3, 4, 0]])
        np.testing.assert_array_equal(profile, [[[4, 7, 3, np.nan]]])
        np.testing.assert_array_equal(scrunched(profile, n), [[4, 7, 3, np.nan]])

    def test_empty_bins(self):
        """125 samples of a turn leave three of 128 bins empty, each time: they are between their
        neighbors, and the channel counts."""
        wave = folder(fringe.pulse_phase.from_period(0.125), 128, 1, [150e6], 0.0)
        sine = np.sin(2 * np.pi * (np.arange(1000) + 0.5) / 125)
        wave.add(START.plus_seconds(1e-4), 1e-3, sine.reshape(1, 1, -1))
        self.assertEqual(np.isnan(wave.profile()).sum(), 3)
        whole, enough = filled(wave.profile())
        self.assertEqual(list(enough), [True])
        np.testing.assert_allclose(
            whole[0, 0], np.sin(2 * np.pi * (np.arange(128) + 0.5) / 128), atol=0.05)
        sparse = np.full((1, 1, 128), np.nan)
        sparse[..., ::3] = 1
        whole, enough = filled(sparse)
        self.assertEqual((list(enough), np.abs(whole).max()), ([False], 0))

    def test_trials(self):
        """The dispersion of a pulse is the trial with the highest peak."""
        frequencies, interval = np.linspace(149.5e6, 150.5e6, 32), 1e-3
        t = np.arange(2000) * interval
        late = delay(DM, frequencies)[:, None] - delay(DM, frequencies.max())
        powers = np.exp(-0.5 * ((t - 0.7 - late) / 2e-3)**2)
        dms = np.arange(40, 70, 0.7)
        found = trials(powers, frequencies, interval, dms)
        best = np.unravel_index(np.argmax(found), found.shape)
        self.assertLess(abs(dms[best[0]] - DM), 0.71)
        self.assertLess(abs(best[1] * interval - 0.7), 2e-3)
        with self.assertRaisesRegex(ValueError, "dms: 10000: disperses"):
            trials(powers, frequencies, interval, [1e4])

    def test_turns(self):
        """Those of pulse_phase at each instant, of a polyco file and of a period."""
        path = self.path("polyco.dat")
        with open(path, "w", encoding="ascii") as file:
            file.write(
                "0534+21    12-Jun-26  120000.00   61203.50000000000    56.700000  0.5 -6.0\n"
                "      123456.789012   29.946923000000    1   60    4  150.000\n"
                "  1.5D-07  2.0D-04  3.0D-06\n -1.0D-09\n")
        for phase in (fringe.pulse_phase.from_polyco(path),
                      fringe.pulse_phase.from_period(0.0333924123, START, 4e-13)):
            offsets = np.sort(self.rng.uniform(-20, 40, 50))
            there = [phase.at(START.plus_seconds(float(t))) for t in offsets]
            right = np.array([fraction for _, fraction in there])
            found = turns(phase, START, offsets)
            np.testing.assert_allclose((found - right + 0.5) % 1, 0.5, atol=1e-8)
            np.testing.assert_array_equal(
                np.rint(np.diff(found - right)), np.diff([whole for whole, _ in there]))
            self.assertAlmostEqual(frequency(phase, START), 29.947, 3)

    def test_the_command(self):
        obs, out = self.path("array.yml"), self.path("p.png")
        with open(obs, "w", encoding="utf-8") as file:
            file.write("{site: {latitude: 50, longitude: 8}, antennas: [[0, 0, 0], [9, 0, 0]], "
                       "sample_rate: 1e5, center_frequency: 150e6, channels: 16, format: ci8, "
                       "start_time: 2026-06-12T12:00:00Z}")
        recording = self.path("sky.ci8")
        self.rng.integers(-60, 61, 400_000, np.int8).tofile(recording)
        words = ["fold", recording, "--obs", obs, "--quiet", "-b", "zenith"]
        for more, code, sentence in (
                (["--period", "0.02", "-o", out], 0, "folded at 0.02 s"),
                (["--period", "0.02", "-o", out], 2, "exists"),
                (["-o", out, "--overwrite"], 2, "--period"),
                (["--period", "0.02", "-o", out, "--overwrite"], 0, "of the 128 bins got no"),
                (["--period", "0.02", "-o", out, "--overwrite", "--backend", "gpu"], 2,
                 "backend 'gpu': it must be"),
                (["--period", "0.02", "--dm", "1", "-o", out, "--overwrite", "--backend",
                  "generic"], 0, "folded at 0.02 s"),
                (["--period", "-1", "-o", self.path("y.png")], 2, "must be positive"),
                (["--period", "3e-4", "-o", self.path("y.png")], 2, "must be 0.00032 s at least"),
                (["--period", "30", "-o", self.path("y.png")], 2, "--seconds: 10: must be 30"),
                (["--period", "0.02", "--dm", "5", "--center-frequency", "5e4", "-o",
                  self.path("y.png")], 2, "--dm: 5: the lowest channel"),
                (["--period", "0.02", "-o", "x.fil"], 2, ".fits"),
                (["--period", "0.02", "--dm", "-3", "-o", self.path("y.png")], 2, "--dm: -3"),
                (["--period", "0.02", "--dm", "99999", "-o", self.path("y.png")], 2,
                 "shorter than the filter")):
            done = command(*words, *more)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(sentence, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
