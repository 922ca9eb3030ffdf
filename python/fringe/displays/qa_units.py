#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Displays in decibels, kelvin and velocities, and fringes in numbers."""
import csv
import importlib.util
import os
import unittest

import numpy as np

from qa_scratch import scratch_case

os.environ["QT_QPA_PLATFORM"] = "offscreen"
HAVE_QT = importlib.util.find_spec("PyQt5") is not None
if HAVE_QT:
    from gnuradio import fringe
    from gnuradio.fringe import displays
    from gnuradio.fringe.displays.readout_table import with_error
    from gnuradio.fringe.displays.scales import decibel_scale
    from gnuradio.fringe.radio_astronomy import lsr_velocity
    from qa_displays import (CHANNELS, INPUTS, START, coherence, random_dump, settle, show,
                             tearDownModule)  # noqa: F401
C = 299792458.0
LINE = 1420405751.768
SITE = ("site: {latitude: 50, longitude: 8}\nphase_center: {ra: 19h59m28s, dec: +40d44m02s}\n"
        "start_time: 2026-03-01T00:00:00Z\n")


@unittest.skipUnless(HAVE_QT, "PyQt5 is not installed")
class qa_units(scratch_case):

    def setUp(self):
        super().setUp()
        self.full, self.dump = random_dump(int(self.rng.integers(1 << 30)))

    def test_decibels_and_kelvin(self):
        of = dict(inputs=INPUTS, channels=CHANNELS, i=0, j=2, channels_per_item=4)
        true = abs(self.full[:, 0, 2])
        for units, want, label in (("dB", 10 * np.log10(true), "Amplitude (dB)"),
                                   ("kelvin", 37.5 * true, "Amplitude (K)"),
                                   ("linear", true, "Amplitude (power)")):
            with self.subTest(units=units):
                view = displays.spectrum(**of, normalize=False, units=units, kelvin_per_unit=37.5)
                np.testing.assert_allclose(show(view, self.dump)[0], want, rtol=1e-5, atol=1e-5)
                panel = view._panels.amplitude.widget
                self.assertEqual(panel.y_label, label)
                self.assertLess(panel.y[0], want.min() + 1e-9)
                self.assertGreater(panel.y[1], want.max())
        mean = self.full[:, 0, 2].mean()
        view = displays.fringes(**of, normalize=False, units="kelvin", kelvin_per_unit=2.0)
        self.assertAlmostEqual(show(view, self.dump)[0][-1] / (2 * abs(mean)), 1, 5)
        view = displays.delays(**of, units="dB")
        lags, = show(view, self.dump)
        x = coherence(self.full, 0, 2) * np.hanning(CHANNELS + 2)[1:-1]
        want = np.abs(np.fft.fftshift(np.fft.fft(x, 4 * CHANNELS))) / (CHANNELS + 1) * 2
        np.testing.assert_allclose(10 ** (lags / 10), want, rtol=1e-4)
        self.assertIn(" dB at ", view._curve.widget.title)
        # No power at all is no value, and no error.
        view = displays.spectrum(**of, normalize=False, units="dB")
        dark = self.dump.copy()
        dark[3] = 0
        self.assertLess(show(view, dark)[0][3], -1e8)

    def test_an_axis_in_decibels_follows_the_data(self):
        scale = decibel_scale(hold=3)
        self.assertTrue(scale.changed(np.array([-31.2, -3.0, np.nan, -np.inf])))
        self.assertEqual(scale.ends, (-35, 0))
        self.assertFalse(scale.changed(np.array([-29.0, -2.0])))
        self.assertTrue(scale.changed(np.array([-90.0, 4.2])))
        self.assertEqual(scale.ends, (-55, 5))  # no deeper than 60 dB
        for _ in range(2):
            self.assertFalse(scale.changed(np.array([-3.0, 3.0])))
        self.assertTrue(scale.changed(np.array([-3.0, 3.0])))
        self.assertEqual(scale.ends, (-5, 5))
        view = displays.spectrum(2, 8, units="dB", maximum=-10)
        self.assertEqual(view._panels.amplitude.widget.y[1], -10)

    def test_velocities(self):
        obs = fringe.observation.from_text(
            SITE + "antennas: [[0, 0, 0], [20, 0, 0]]\nsample_rate: 2e6\n"
            f"center_frequency: {LINE}\n")
        f = np.array(obs.channel_frequencies(16, True))
        dump = np.ones((16, 3), np.complex64)
        view = displays.spectrum(2, 16, observation=obs, axis="topocentric", channels_per_item=16)
        show(view, [(0, 10.0, 1.0, dump)], 16)
        panel = view._panels.amplitude.widget
        np.testing.assert_allclose(panel.shown()[0], C * (LINE - f) / LINE / 1e3, rtol=1e-12)
        self.assertEqual(panel.x_label, "Topocentric velocity, 1420.4058 MHz (km/s)")
        view = displays.spectrum(2, 16, observation=obs, axis="lsr", rest_frequency=1420.4e6,
                                channels_per_item=16)
        panel = view._panels.amplitude.widget
        for seconds, when in ((None, obs.start_time), (3600, START + 3600)):
            if seconds is not None:  # the motion is that at the time of the dumps
                show(view, [(0, seconds, 1.0, dump)], 16)
                when = fringe.epoch.from_pair(when, 0.0)
            want = lsr_velocity(f, obs, when, 1420.4e6) / 1e3
            np.testing.assert_allclose(panel.shown()[0] if seconds else view.frequency_axis()[0],
                                       want, rtol=1e-9)
        self.assertEqual(panel.x_label, "LSR velocity, 1420.4 MHz (km/s)")
        # Half a year makes it another.
        shift = panel.shown()[0] - lsr_velocity(f, obs, obs.start_time, 1420.4e6) / 1e3
        self.assertGreater(abs(shift).min(), 0.5)
        # Of no frequencies there are no velocities: channels are numbered.
        self.assertEqual(displays.spectrum(2, 16, axis="topocentric").frequency_axis()[1],
                         "Channel")

    def test_a_waterfall_in_decibels_over_velocities(self):
        obs = fringe.observation.from_text(
            SITE + "antennas: [[0, 0, 0], [20, 0, 0]]\nsample_rate: 2e6\n"
            f"center_frequency: {LINE}\n")
        dump = np.ones((16, 3), np.complex64)
        dump[:, 1] = 10 ** np.linspace(-3, 0, 16)
        view = displays.waterfall(2, 16, observation=obs, normalize=False, units="dB", axis="lsr",
                                 channels_per_item=16, seconds=4)
        show(view, [(0, 3600.0, 1.0, dump)], 16)
        velocities = lsr_velocity(np.array(obs.channel_frequencies(16, True)), obs,
                                  fringe.epoch.from_pair(START + 3600, 0.0)) / 1e3
        across, up = view.amplitude.middles()
        np.testing.assert_allclose(across, velocities[::-1], rtol=1e-9)
        np.testing.assert_allclose(view.amplitude.values[0], np.linspace(0, -30, 16), atol=1e-5)
        self.assertEqual(view.amplitude.x_label, "LSR velocity, 1420.4058 MHz (km/s)")
        self.assertEqual(view.amplitude.bar[1:], (-35.0, 5.0, "Amplitude (dB)"))
        kelvin = displays.waterfall(2, 16, normalize=False, units="kelvin", kelvin_per_unit=40.0,
                                    channels_per_item=16)
        show(kelvin, [(0, 1.0, 1.0, dump)], 16)
        np.testing.assert_allclose(kelvin.amplitude.values[0], 40 * abs(dump[:, 1]), rtol=1e-6)

    def test_frequencies_that_fall(self):
        f = 1.4e9 - 1e5 * np.arange(16)
        dump = np.ones((16, 3), np.complex64)
        dump[:, 1] = np.arange(1, 17)
        view = displays.waterfall(2, 16, normalize=False, frequencies=f, channels_per_item=16)
        view.set_channels(2, 11)
        show(view, [(0, 1.0, 1.0, dump)], 16)
        np.testing.assert_allclose(view.amplitude.middles()[0], f[2:12][::-1] / 1e6, rtol=1e-12)
        np.testing.assert_allclose(view.amplitude.values[0], np.arange(12, 2, -1), rtol=1e-6)

    def test_mistakes_are_refused(self):
        bare = fringe.observation.from_text(
            "antennas: [[0, 0, 0], [20, 0, 0]]\nsample_rate: 2e6\ncenter_frequency: 1.42e9\n")
        for options, words in (
                ({"units": "volt"}, "units 'volt'; they must be one of linear, dB, kelvin"),
                ({"units": "kelvin"}, "a correlation coefficient has none"),
                ({"units": "kelvin", "normalize": False}, "kelvin_per_unit 0.0"),
                ({"axis": "speed"}, "axis 'speed'; it must be one of frequency, topocentric, lsr"),
                ({"axis": "lsr"}, "axis 'lsr' without an observation"),
                ({"axis": "lsr", "observation": bare}, "site"),
                ({"axis": "topocentric", "rest_frequency": 0}, "rest_frequency 0")):
            with self.subTest(**options), self.assertRaisesRegex(ValueError, words):
                displays.spectrum(2, 16, **options)
            with self.subTest(**options), self.assertRaisesRegex(ValueError, words):
                displays.waterfall(2, 16, **options)
        for inputs, options, words in ((1, {}, "inputs 1; it needs 2"),
                                       (40, {}, "780 baselines; it shows 500 at most"),
                                       (4, {"reference": 4}, "input 4; they are numbered 0 ... 3"),
                                       (4, {"seconds": 0}, "seconds 0")):
            with self.subTest(**options), self.assertRaisesRegex(ValueError, words):
                displays.readout(inputs, 16, **options)


@unittest.skipUnless(HAVE_QT, "PyQt5 is not installed")
class qa_readout(scratch_case):

    def noisy(self, count, rho, tau, sigma, f):
        """Dumps of two inputs whose coefficient is rho at the first frequency, with noise."""
        found = []
        for k in range(count):
            dump = np.ones((len(f), 3), complex)
            dump[:, 1] = (rho * np.exp(2j * np.pi * (f - f[0]) * tau)
                          + sigma * self.rng.normal(size=(len(f), 2)) @ [1, 1j])
            found.append((0.01, float(k), 1.0, dump.astype(np.complex64)))
        return found

    def test_numbers_have_their_errors(self):
        f, tau = 1.4e9 + 1e4 * np.arange(64), 1.3e-7
        sent = self.noisy(20, 0.3 * np.exp(0.8j), tau, 0.05, f)
        view = displays.readout(2, 64, frequencies=f, seconds=100, channels_per_item=64)
        show(view, sent, 64)
        (found, (delay, error)), = view.numbers()
        means = np.array([dump[:, 1].mean() for _, _, _, dump in sent])
        shown = int(view.table.dumps)
        self.assertEqual(shown, 20 - view.tap.passed_over())
        self.assertGreater(shown, 5)
        mean = 0.3 * np.exp(0.8j) * np.exp(2j * np.pi * (f - f[0]) * tau).mean()
        noise = 0.05 / np.sqrt(64)
        self.assertLess(abs(found.amplitude - abs(mean)), 5 * noise / np.sqrt(shown))
        self.assertLess(abs(found.phase - np.angle(mean)), 5 * noise / 0.3 / np.sqrt(shown))
        self.assertLess(abs(found.amplitude_scatter / noise - 1), 5 / np.sqrt(2 * shown))
        if shown == 20:
            self.assertAlmostEqual(found.amplitude, abs(means.mean()), 6)
        self.assertLess(abs(delay - tau), 5 * error)
        stated = 0.05 / 0.3 / np.sqrt(shown) / (2 * np.pi * np.sqrt(
            np.sum((f - f.mean()) ** 2)))
        self.assertLess(abs(error / stated - 1), 0.5)
        self.assertEqual([view.table.horizontalHeaderItem(k).text() for k in (0, 1, 5)],
                         [f"{shown} dumps", "Coefficient", "Delay (\u00b5s)"])
        self.assertEqual(view.table.item(0, 1).text(),
                         with_error(found.amplitude, found.amplitude_error))
        path = self.path("numbers.csv")
        view.save_csv(path)
        with open(path, encoding="utf-8", newline="") as file:
            head, row = csv.reader(file)
        self.assertEqual(head[7], "Delay (\u00b5s)")
        np.testing.assert_allclose([float(row[k]) for k in (1, 4, 7, 9)],
                                   [found.amplitude, np.degrees(found.phase), 1e6 * delay,
                                    found.snr], rtol=1e-9)

    def test_baselines_and_the_time_over_which_is_averaged(self):
        full, dump = random_dump(3)
        other, before = random_dump(4)
        view = displays.readout(INPUTS, CHANNELS, seconds=2, channels_per_item=4)
        show(view, [(0.1, t, 1.0, x) for t, x in ((0, before), (1, dump), (2, dump))])
        pairs = [(i, j) for i in range(INPUTS) for j in range(i + 1, INPUTS)]
        self.assertEqual(view.table.names, [f"{i} - {j}" for i, j in pairs])
        for (found, _), pair in zip(view.numbers(), pairs):
            self.assertAlmostEqual(found.amplitude, abs(coherence(full, *pair).mean()), 5)
        view.set_reference(2)
        view.set_seconds(1)
        view.set_channels(3, 12)
        show(view, [(0, 3.0, 1.0, before)])
        self.assertEqual(view.table.names, ["2 - 0", "2 - 1", "2 - 3"])
        for (found, _), j in zip(view.numbers(), (0, 1, 3)):
            mean = coherence(other, 2, j)[3:13].mean()
            self.assertAlmostEqual(found.amplitude, abs(mean), 5)
            self.assertAlmostEqual(found.phase, np.angle(mean), 5)
            self.assertTrue(np.isnan(found.snr))  # of one dump nothing scatters
        settle()
        self.assertEqual(view.table.rowCount(), 3)
        self.assertEqual(view.table.item(1, 2).text(), "-")

    def test_decibels_and_kelvin(self):
        f = 1.4e9 + 1e4 * np.arange(64)
        sent = [(0, *entry[1:]) for entry in self.noisy(2, 0.3, 0, 0.05, f)]
        found = {}
        for units in ("linear", "dB", "kelvin"):
            view = displays.readout(2, 64, frequencies=f, seconds=100, channels_per_item=64,
                                   normalize=False, units=units, kelvin_per_unit=25.0)
            show(view, sent, 64)
            (found[units], _), = view.numbers()
        plain, in_db, in_kelvin = found.values()
        self.assertAlmostEqual(in_db.amplitude, 10 * np.log10(plain.amplitude), 9)
        # A step of the error of A is one of the error in decibels.
        step = 1e-4 * plain.amplitude_error
        slope = 10 * np.log10((plain.amplitude + step) / plain.amplitude) / step
        self.assertAlmostEqual(in_db.amplitude_error / (slope * plain.amplitude_error), 1, 3)
        for field in ("amplitude", "amplitude_scatter", "amplitude_error"):
            self.assertAlmostEqual(getattr(in_kelvin, field), 25 * getattr(plain, field), 9)
        self.assertEqual(in_db.snr, plain.snr)
        self.assertEqual(view.table.horizontalHeaderItem(1).text(), "Power (K)")
        with self.assertRaisesRegex(ValueError, "display readout: units 'K'"):
            displays.readout(2, 64, units="K")

    def test_a_phase_at_random_is_not_shown(self):
        f = 1.4e9 + 1e4 * np.arange(64)
        view = displays.readout(2, 64, frequencies=f, seconds=100, channels_per_item=64)
        # Half a turn from dump to dump: the mean of an even number of them is next to nothing.
        sent = []
        for number, (pause, when, interval, dump) in enumerate(self.noisy(4, 0.3, 0, 1e-3, f)):
            dump[:, 1] *= (-1) ** number
            sent.append((pause, when, interval, dump))
        show(view, sent, 64)
        self.assertEqual([view.table.item(0, k).text() for k in (3, 4)], ["-", "-"])

    def test_values_are_as_exact_as_their_errors(self):
        for value, error, words in ((12.3456, 0.0567, "12.346 \u00b1 0.057"),
                                    (1234.5, 56.0, "1234 \u00b1 56"), (0.5, np.nan, "0.5"),
                                    (np.nan, 1.0, "-")):
            self.assertEqual(with_error(value, error), words)


if __name__ == "__main__":
    done = unittest.main(exit=False)
    # Qt takes its windows down in an order of its own, and trips over it.
    os._exit(0 if done.result.wasSuccessful() else 1)
