#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe correlate --gate, --bins: spectra by the phase of a pulsar, of stations that hear it."""
import os
import unittest
from fractions import Fraction

import h5py
import numpy as np
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.observing.pulse_gates import equal_gates, pulse_gates
from qa_cli import command
from qa_scratch import scratch_case

RATE, CHANNELS, PERIOD, START = 1e5, 16, 0.0503, 1781265600
SPECTRUM = CHANNELS / RATE
ON = (0.4, 0.5)
PULSAR = {"period": PERIOD}


def observation(**more):
    """Two stations at one place."""
    return fringe.observation.from_text(repr({
        "site": {"latitude": 50.0, "longitude": 8.0}, "antennas": [[0, 0, 0], [0, 0, 0]],
        "sample_rate": RATE, "center_frequency": 150e6, "channels": CHANNELS, "taps": 1,
        "window": "rectangular", "format": "ci8", "integration": 0.1,
        "start_time": "2026-06-12T12:00:00Z", **more}))


def phases_of(times):
    """Phases of times behind START, in turns."""
    return (float(START / Fraction(PERIOD) % 1) + times / PERIOD) % 1


class qa_pulse_gates(scratch_case):

    def recorded(self, seconds=1.0, strength=0.0, late=0.0):
        """Noise of two stations, and a common signal in ON, so many seconds late."""
        count = int(seconds * RATE)
        noise = self.rng.standard_normal((count, 2, 2)) * 15
        phases = phases_of(np.arange(count) / RATE - late)
        common = self.rng.standard_normal((count, 1, 2)) * 15 * strength
        noise += common * ((phases >= ON[0]) & (phases < ON[1]))[:, None, None]
        path = self.path("sky.ci8")
        np.clip(np.rint(noise), -127, 127).astype(np.int8).tofile(path)
        return path

    def correlated(self, sky, name="x.uvh5", obs=None, **options):
        fringe.correlate(sky, self.path(name), obs or observation(), overwrite=True, **options)
        stem, ending = os.path.splitext(name)
        names = sorted(found for found in os.listdir(self.folder)
                       if found.startswith(stem) and found.endswith(ending))
        return [fringe.read_visibilities(self.path(found)) for found in names]

    def test_bins_are_the_whole(self):
        """Sums of whole numbers: those of the bins are those of all spectra, exactly, with dumps
        longer and shorter than a turn, with gaps and with a DM."""
        sky = self.recorded(0.4)
        for integration, more in ((0.1, {}), (0.01, {}), (0.05, {"dm": 30.0}),
                                  (0.05, {"flag": "spectra"})):
            with self.subTest(integration=integration, **more):
                settings = {"integration": integration, "requantize": "8",
                            "flag": more.get("flag", "none")}
                whole, = self.correlated(sky, "whole.uvh5", **settings)
                bins = self.correlated(sky, "part.uvh5", bins=5, **PULSAR, **settings, **{
                    key: value for key, value in more.items() if key != "flag"})
                self.assertEqual(len(bins), 5)
                # Dumps end at multiples of their length, so they hold so many spectra.
                n = np.rint(whole.intervals / SPECTRUM)[:, None, None]
                counts = [np.rint(part.weights / whole.weights.max() * n) for part in bins]
                shares = np.array([part.weights.sum() for part in bins])
                np.testing.assert_allclose(shares / shares.sum(), 0.2, atol=0.03)
                np.testing.assert_allclose(sum(part.weights for part in bins), whole.weights,
                                           atol=1e-5)
                there = whole.weights > 0
                total = sum(c * part.data for c, part in zip(counts, bins))
                # Numbers of float32 are exact to half of their last digit.
                self.assertLess(np.abs(total - n * whole.data)[there].max()
                                / np.abs(n * whole.data).max(), 3e-7)
                for name in os.listdir(self.folder):
                    if name.endswith(".uvh5"):
                        os.remove(self.path(name))

    def test_sums_are_exact(self):
        """Without the means: the sums of products in bins add up to those of all, to the bit."""
        obs, sky, sums = observation(), self.recorded(0.3), []
        f = obs.channel_frequencies(CHANNELS, True)
        phase = fringe.pulse_phase.from_period(PERIOD)
        for gates in (None, pulse_gates(phase, equal_gates(4), 0.0, f),
                      pulse_gates(phase, equal_gates(4), 20.0, f)):
            block = 64
            source = fringe.file_source([sky], "ci8", 2, block * CHANNELS, RATE, 150e6,
                                        "2026-06-12T12:00:00")
            made = fringe.fx_correlator(2, CHANNELS, "ci8", 0.1, taps=1, window="rectangular",
                                        requantize="8", gains=[1.0, 1.0], block_spectra=block,
                                        backend="cpu", gates=gates)
            top, sinks = gr.top_block(), []
            top.connect(source, made)
            ports = made.output_signature()  # the list of all sizes is not in GNU Radio 3.10.12
            values = [ports.sizeof_stream_item(k) for k in range(ports.max_streams())]
            for port, size in enumerate(values):
                kind = ((blocks.vector_sink_c, 8) if port < len(values) // 2 else
                        (blocks.vector_sink_f, 4))
                sinks.append(kind[0](size // kind[1]))
                top.connect((made, port), sinks[-1])
            top.run()
            data = [np.array(sink.data()) for sink in sinks]
            n = 625  # spectra of a dump
            sums.append(sum(np.rint(v * np.rint(w * n))
                            for v, w in zip(data[:len(data) // 2], data[len(data) // 2:])))
        self.assertGreater(np.abs(sums[0]).max(), 1e5)
        for other in sums[1:]:
            np.testing.assert_array_equal(other, sums[0])

    def test_a_pulsar_in_a_gate(self):
        """The gate has the pulses and no other noise: the signal to noise is higher by the root of
        the share of the turn, as the radiometer equation has it; off the pulses is noise."""
        strength = 0.7
        sky = self.recorded(2.0, strength)
        on, off = self.correlated(sky, gate=[ON, (ON[1], 1 + ON[0])], **PULSAR)
        whole, = self.correlated(sky, "whole.uvh5")
        found = []
        for vis, share, part in ((on, 0.1, 1), (off, 0.9, 0), (whole, 1.0, 0.1)):
            spectra = vis.weights / whole.weights.max() * 625
            self.assertAlmostEqual(spectra[1:-1].mean() / 625, share, delta=0.02)
            values = vis.data[1:-1, 1:, 1] / 450  # power of a station's noise
            self.assertAlmostEqual(spectra[1:-1].min(), spectra[1:-1, 0, 0].min())
            noise = np.sqrt((1 + strength**2 * part)**2 / spectra[1:-1, 1:, 1])
            error = np.sqrt((noise**2).mean() / values.size)
            # A spectrum at the edge of a gate is half in it: 1 of 31.
            wanted = strength**2 * part
            self.assertLess(abs(values.mean() - wanted), 6 * error + 0.05 * wanted, share)
            scatter = np.sqrt((values.imag**2).mean() / (noise**2 / 2).mean())
            self.assertLess(abs(scatter - 1), 6 / np.sqrt(2 * values.size))
            found.append(wanted / np.sqrt((values.imag**2).mean()))
        wanted = np.sqrt(10) * (1 + 0.1 * strength**2) / (1 + strength**2)
        self.assertLess(abs(found[0] / found[2] / wanted - 1), 0.35)

    def test_phases(self):
        """Each spectrum of each channel is in the gate of its phase, asked for one by one."""
        f = np.array([149e6, 150e6, 151e6])
        path = self.path("polyco.dat")
        with open(path, "w", encoding="ascii") as file:
            file.write(
                "0534+21    12-Jun-26  120000.00   61203.50000000000    56.700000  0.5 -6.0\n"
                "      123456.789012   29.946923000000    1   60    1  150.000\n  1.5D-07\n")
        start = fringe.epoch(START, 0.0).plus_seconds(float(self.rng.uniform(0, 9)))
        for phase in (fringe.pulse_phase.from_polyco(path),
                      fringe.pulse_phase.from_period(0.0333)):
            gates = pulse_gates(phase, [(0.0, 0.25), (0.9, 1.2)], 0.3, f)
            found = gates.inside(start, 1e-3, 50)
            self.assertEqual(found.shape, (2, 3, 50))
            for channel, hz in enumerate(f):
                late = 1e12 / 2.41e-4 * 0.3 * (hz**-2.0 - (1 / 150e6**2 if phase.frequency else 0))
                for k in range(50):
                    at = phase.at(start.plus_seconds((k + 0.5) * 1e-3 - late))[1]
                    self.assertEqual(found[0, channel, k], at < 0.25)
                    self.assertEqual(found[1, channel, k], at >= 0.9 or at < 0.2)

    def test_predictions_reach_as_far_as_the_dispersion(self):
        """Channels are asked for at their own instants, 10 s before those at 1.4 GHz here."""
        path, sky = self.path("polyco.dat"), self.recorded(1.7)
        with open(path, "w", encoding="ascii") as file:
            file.write(
                "0534+21    12-Jun-26  120000.00   61203.50000000000    56.700000  0.5 -6.0\n"
                "      123456.789012   29.946923000000    1   60    1 1400.000\n  1.5D-07\n")
        obs = observation(start_time="2026-06-12T11:30:05Z")
        with self.assertRaisesRegex(ValueError, "polyco: .*no polynomial covers .*11:29:54"):
            self.correlated(sky, obs=obs, polyco=path, bins=4)
        self.assertEqual(len(self.correlated(sky, obs=obs, polyco=path, bins=4, dm=0.0)), 4)
        # What is read counts, not where the recording begins.
        obs = observation(start_time="2026-06-12T11:29:59.5Z")
        with self.assertRaisesRegex(ValueError, "no polynomial covers"):
            self.correlated(sky, obs=obs, polyco=path, bins=4, dm=0.0)
        found = self.correlated(sky, "y.uvh5", obs, polyco=path, bins=4, dm=0.0,
                                start_sample=[60000], samples=100000)
        self.assertEqual(len(found), 4)

    def test_dispersion(self):
        """A pulse that is late by the DM at 150 MHz is at its own phase with that DM."""
        dm = 0.2
        late = 1e12 / 2.41e-4 * dm / 150e6**2
        sky = self.recorded(1.0, 2.0, late)
        on, = self.correlated(sky, gate=[ON], dm=dm, **PULSAR)
        without, = self.correlated(sky, gate=[ON], **PULSAR)
        self.assertGreater(abs(on.data[1:-1, 1:, 1].mean()), 450 * 3.5)
        self.assertLess(abs(without.data[1:-1, 1:, 1].mean()), 450 * 1.5)

    def test_the_command(self):
        sky, obs = self.recorded(0.3), self.path("array.yml")
        with open(obs, "w", encoding="utf-8") as file:
            file.write(observation().to_text())
        words = ["correlate", sky, "--obs", obs, "--quiet"]
        for more, code, sentence in (
                (["--period", "0.05", "--bins", "3", "-o", self.path("y.uvh5")], 0, "y_bin2.uvh5"),
                (["--period", "0.05", "--gate", "0.9,1.1", "-o", self.path("z.uvh5")], 0, "z.uvh5"),
                (["--period", "0.05", "-o", "x.uvh5"], 2, "--period: 0.05: is of a pulsar"),
                (["--period", "-0.05", "--bins", "3", "-o", "x.uvh5"], 2, "--period: -0.05: must"),
                (["--bins", "3", "-o", "x.uvh5"], 2, "--period: give either it or"),
                (["--period", "0.05", "--bins", "1", "-o", "x.uvh5"], 2, "must be 2 to 64"),
                (["--period", "0.05", "--gate", "0.5,1.6", "-o", "x.uvh5"], 2, "--gate: 0.5,1.6"),
                (["--period", "0.05", "--gate", "0.5", "-o", "x.uvh5"], 2, "two phases in turns"),
                (["--period", "0.05", "--gate", "0,0.5", "--gate", "0.5,0.501", "-o", "x.uvh5"], 2,
                 "--gate: 0.5,0.501: lasts 5e-05 s, less than a spectrum of 16 channels"),
                (["--period", "1e-3", "--bins", "9", "-o", "x.uvh5"], 2, "less than a spectrum"),
                (["--polyco", "none.dat", "--bins", "9", "-o", "x.uvh5"], 2, "none.dat"),
                (["--period", "0.05", "--bins", "2", "--engine", "dask", "-o", "x.uvh5"], 2,
                 "--bins: spectra are gated in one piece")):
            done = command(*words, *more, cwd=self.folder)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(sentence, done.stdout + done.stderr)
        with h5py.File(self.path("z.uvh5")) as file:
            self.assertIn("phases 0.9 to 1.1 of the period 0.05",
                          file["Header/history"][()].decode())


if __name__ == "__main__":
    unittest.main()
