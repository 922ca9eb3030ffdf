#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Real recordings with known answers, through the blocks."""
import json
import os
import tempfile
import unittest

import h5py
import numpy as np

from gnuradio import blocks, fringe, gr
from gnuradio.fringe.beams.form_beams import form_beams

DATA = os.environ.get("FRINGE_TEST_DATA") or os.path.join(
    os.path.dirname(os.path.realpath(__file__)), "../../../../shared/data")
TART = os.path.join(DATA, "tart")
HIGH = (27, 28, 31, 26, 16, 8, 4)  # numbers of satellites that stand high
OVRO = os.path.join(DATA, "ovro_lwa", "ovro-test.dat")


@unittest.skipUnless(os.path.exists(TART), f"real data: {TART} is not there")
class qa_tart(unittest.TestCase):
    """24 antennas of the TART telescope under the GPS satellites."""

    recording = os.path.join(TART, "mg-tana-raw.hdf")

    @classmethod
    def setUpClass(cls):
        cls.expected = np.load(os.path.join(TART, "expected_tart.npz"))

    def test_zero_lag_sums_are_exact(self):
        block = 1 << 14
        flowgraph = gr.top_block()
        source = fringe.file_source([self.recording], "tart", 24, block)
        unpack = fringe.unpack("tart", 24, block, "f32")
        to_complex = blocks.float_to_complex(24 * block)
        # Voltages [input][time] are spectra of one channel.
        engine = fringe.xengine(24, 1, block, "f32", 1 << 20)
        sink = blocks.vector_sink_c(300)
        flowgraph.connect(source, unpack, to_complex, engine, sink)
        flowgraph.run()
        sums = np.array(sink.data())
        i, j = np.triu_indices(24)
        np.testing.assert_array_equal(sums, self.expected["zero_lag"][i, j])

    def test_spectra_of_the_raw_bits(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.ACC")
            fringe.correlate(self.recording, path, format="tart", channels=2048, taps=1,
                             window="rectangular", spectra=256)
            v = np.fromfile(path, np.complex64).reshape(300, 2048)
        want = self.expected["fx_4096"]
        i, j = np.triu_indices(24)
        autos = np.abs(want[:, range(24), range(24)]).max(axis=0)
        error = np.abs(v[:, 704:1344].T - want[:, i, j]).max(axis=0)
        self.assertLess((error / np.sqrt(autos[i] * autos[j])).max(), 1e-5)

    @staticmethod
    def array():
        """(observation with calibrated phases, the satellites that are known)."""
        with open(os.path.join(TART, "calibration_and_satellites.json"), encoding="utf-8") as f:
            known = json.load(f)
        with open(os.path.join(TART, "antenna_positions.json"), encoding="utf-8") as f:
            positions = json.load(f)["antenna_positions"]
        return fringe.observation.from_text(json.dumps({
            "telescope": "TART", "site": {"latitude": -18.9, "longitude": 47.5, "height": 1300},
            "antennas": positions,
            "inputs": [{"antenna": f"ant{k}", "stream": k, "phase": float(np.degrees(phase))}
                       for k, phase in enumerate(known["antenna_phase_rad"])]})), [
                           s for s in known["satellites"] if s["prn"] in HIGH]

    def test_image_shows_the_high_satellites(self):
        obs, satellites = self.array()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tart.ms")
            fringe.correlate(self.recording, path, obs, format="tart", channels=512, taps=4,
                             window="hann", spectra=10 ** 6)
            vis = fringe.read_visibilities(path)
        # The satellites' main lobe is strong 0.77 MHz on either side of the carrier.
        main_lobe = np.flatnonzero(np.abs(vis.frequencies - 1575.42e6) < 0.77e6)
        picture = fringe.imaging.dirty_image(vis, channels=main_lobe)
        high = [(f"PRN {s['prn']}", s["l"], s["m"]) for s in satellites]
        self.assertEqual(len(high), 7)
        for report in fringe.imaging.check_sources(picture, high, np.radians(0.75),
                                                   fringe.imaging.peaks(picture)):
            with self.subTest(report.name):
                self.assertTrue(report.ok, str(report))

    def test_beams_hear_the_high_satellites(self):
        """And little from elsewhere. Without autocorrelations the receivers' noise is not in it."""
        obs, satellites = self.array()
        rng = np.random.default_rng(1)
        places = np.sqrt(rng.uniform(0, 0.64, 40)) * np.exp(2j * np.pi * rng.random(40))
        places = [complex(s["l"], s["m"]) for s in satellites] + list(places)
        directions = [f"az={np.degrees(np.arctan2(p.real, p.imag)) % 360:.4f},"
                      f"el={np.degrees(np.arccos(abs(p))):.4f}" for p in places]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tart.h5")
            form_beams([self.recording], [path], directions, obs, format="tart", channels=512,
                       products="cross", interval=0.02)
            with h5py.File(path) as file:
                main_lobe = np.abs(file["frequencies"][()] - 1575.42e6) < 0.77e6
                power = file["means"][()][:, :, main_lobe].mean(axis=(0, 2)) / 24
        self.assertGreater(power[:7].min(), 0.5)
        self.assertLess(np.median(power[7:]), 0.1)


@unittest.skipUnless(os.path.exists(OVRO), f"real data: {OVRO} is not there")
class qa_ovro_lwa(unittest.TestCase):
    """352 dual-polarization stations, channelized by the telescope: 704 inputs."""

    def test_integer_sums_are_exact(self):
        raw = np.fromfile(OVRO, np.uint8)
        header = int(raw[4:8].view("<u4")[0])
        packed = raw[header:].reshape(10, 96, 704)  # [time][channel][input]
        signed = (packed[..., None] >> np.array([4, 0], np.uint8) & 15).astype(np.int8)
        signed[signed > 7] -= 16
        chosen = [0, 47, 95]
        cube = np.ascontiguousarray(signed[:, chosen].transpose(1, 2, 0, 3))  # [chan][input][t]
        for backend in ("cpu", "generic"):
            flowgraph = gr.top_block()
            source = blocks.vector_source_b(bytearray(cube), False, cube.size)
            engine = fringe.xengine(704, 3, 10, "i8", 100, 0, 0, 1, backend)
            values = 704 * 705 // 2
            sink = blocks.vector_sink_i(2 * values)
            flowgraph.connect(source, engine, sink)
            flowgraph.run()
            sums = np.array(sink.data(), dtype=np.int64).reshape(3, values, 2)
            total = sums.sum(axis=1)
            diagonal = np.cumsum(np.r_[0, np.arange(704, 1, -1)])
            with self.subTest(backend):
                np.testing.assert_array_equal(
                    total, [[136094, 7899], [157370, 13185], [175846, 9328]])
                np.testing.assert_array_equal(
                    sums[:, diagonal, 0].sum(axis=1), [146307, 164511, 160738])
                self.assertFalse(sums[:, diagonal, 1].any())


if __name__ == "__main__":
    unittest.main()
