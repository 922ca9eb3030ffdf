#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe beam: a simulated recording to files of beams, which are read by programs of others."""
import importlib.util
import os
import resource
import subprocess
import sys
import types
import unittest
import warnings
from pathlib import Path

import h5py
import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.beams.beam_axes import beam_axes
from gnuradio.fringe.beams.beam_sink import beam_sink
from gnuradio.fringe.beams.filterbank import sexagesimal
from gnuradio.fringe.beams.form_beams import form_beams
from gnuradio.fringe.beams.psrfits import header_bytes, primary
from qa_cli import FRINGE, command
from qa_scratch import TIMEOUT, rx_time, scratch_case, tag

CHANNELS, RATE, INTERVAL = 32, 1e5, 0.01
SOURCE = "az=90,el=60"


def observation(polarizations="X", east=40):
    """Eight antennas under one source, one of them so many meters to the east."""
    return fringe.observation.from_text(repr({
        "site": {"latitude": -37.0, "longitude": 77.0}, "polarizations": list(polarizations),
        "antennas": [[0, 0, 0], [east, 0, 0], [10, 25, 0], [-20, 10, 0], [15, -30, 0], [30, 30, 0],
                     [-30, -20, 0], [-10, 40, 0]],
        "sample_rate": RATE, "center_frequency": 150e6, "channels": CHANNELS, "format": "ci8",
        "start_time": "2026-06-12T11:20:40.005Z",
        "sky": {"receiver_noise": 0.2, "sources": [{"az": 90.0, "el": 60.0}]}}))


class kept_rows:
    """Keeps what a beam_sink writes."""

    paths = ["x"]

    def __init__(self):
        self.rows = []

    def write(self, start, means, weights):
        self.rows.append((start, means.copy(), weights.copy()))


class qa_beam_files(scratch_case):

    def setUp(self):
        super().setUp()
        self.obs = observation()
        self.recording = self.path("sky.ci8")
        fringe.simulate(self.obs, self.recording, int(0.5 * RATE))

    def test_hdf5(self):
        path = self.path("beam.h5")
        lines = form_beams([self.recording], [path], [SOURCE, "az=250,el=60"], self.obs,
                           interval=INTERVAL, average=4, history="a test")
        self.assertEqual(lines[0], f"wrote {path}")
        with h5py.File(path) as file:
            means, weights = file["means"][()], file["weights"][()]
            # From the middle of a mean to that of another.
            self.assertEqual(means.shape, (51, 2, CHANNELS // 4))
            self.assertEqual(list(file.attrs["rows"]), [f"{SOURCE} X", "az=250,el=60 X"])
            self.assertEqual(file.attrs["start_time"], "2026-06-12T11:20:40.000000000000")
            self.assertEqual(file.attrs["interval"], INTERVAL)
            self.assertIn("a test", file.attrs["history"])
            f = np.array(self.obs.channel_frequencies(CHANNELS, True)).reshape(-1, 4).mean(axis=1)
            np.testing.assert_allclose(file["frequencies"], f)
        np.testing.assert_allclose(weights, len(self.obs.inputs), rtol=1e-6)
        on, off = means[:, :, 1:].mean(axis=(0, 2))
        # The array factor is 64 there and 1.56 here, and the receivers' noise 8 x 0.2.
        self.assertAlmostEqual(on / off / ((64 + 1.6) / (1.56 + 1.6)), 1, delta=0.1)

    def test_behind_an_f_engine_that_tracks(self):
        """The same beams, whatever the F-engine has taken out; spectra of 8 bits, nearly."""
        self.obs.phase_center = fringe.phase_center.from_text("az=100,el=50")
        found = []
        for settings in ({}, {"tracking": True}, {"requantize": "8"}):
            path = self.path(f"{len(found)}.h5")
            form_beams([self.recording], [path], [SOURCE, "Cas A"], self.obs, interval=INTERVAL,
                       samples=20000, **settings)
            with h5py.File(path) as file:
                # Without the edge of the band, and the means that begin or end with the data.
                found.append(file["means"][2:-1, :, 1:].mean(axis=(0, 2)))
        np.testing.assert_allclose(found[1], found[0], rtol=1e-3)
        np.testing.assert_allclose(found[2], found[0], rtol=1e-2)

    def test_a_gap_is_zeros(self):
        """Means on their grid; one that came in two parts is one again."""
        former = fringe.beamformer(self.obs, [SOURCE], seconds=INTERVAL)
        axes = beam_axes.of(self.obs, [SOURCE], "power", 1, True, INTERVAL)
        sink, tags = beam_sink(axes, [kept_rows()]), []
        # The first spectrum of a mean may begin up to half of one before it.
        for item, (start, length) in enumerate(((0.9999, 0.01), (1.01, 0.004), (1.016, 0.004),
                                                (1.05, 0.01))):
            tags += [rx_time(item, int(start), start % 1),
                     tag(item, "interval", pmt.from_double(length))]
        values = np.repeat([1.0, 2.0, 4.0, 5.0], CHANNELS)
        top = gr.top_block()
        for port in (0, 1):
            top.connect(blocks.vector_source_f(values.tolist(), False, CHANNELS, tags),
                        (sink, port))
        top.run()
        sink.finish()
        (start, means, weights), = sink.writers[0].rows
        self.assertEqual(start.iso(3), "1970-01-01T00:00:01.000")
        np.testing.assert_allclose(means[:, 0, 0], [1, 3, 0, 0, 0, 5])
        np.testing.assert_allclose(weights, means)
        self.assertEqual((sink.gaps, sink.dumps()), (3, 6))

    def test_one_channel_of_one_beam(self):
        """Items of a single number: numpy has nothing to say of them."""
        axes = types.SimpleNamespace(rows=1, beams=1, frequencies=np.array([1e6]), interval=1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sink = beam_sink(axes, [kept_rows()])
        tags = [rx_time(0, 7, 0.0), tag(0, "interval", pmt.from_double(1.0))]
        top = gr.top_block()
        for port in (0, 1):
            top.connect(blocks.vector_source_f([3.0 + port], False, 1, tags), (sink, port))
        top.run()
        sink.finish()
        (_, means, weights), = sink.writers[0].rows
        self.assertEqual((means.tolist(), weights.tolist()), ([[[3]]], [[[4]]]))

    def flowgraph(self, *more, blocks_of=10**9, interval=INTERVAL, **words):
        """A flowgraph of the recording that ends in a filterbank_sink: (flowgraph, sink)."""
        block = 40 * CHANNELS
        source = fringe.file_source([self.recording], "ci8", 8, block, RATE, 150e6,
                                    "2026-06-12T11:20:40.005Z")
        head = blocks.head(source.output_signature().sizeof_stream_item(0), blocks_of)
        sink = fringe.filterbank_sink(self.obs, [SOURCE, "az=250,el=60"], *more, average=4,
                                      interval=interval, **words)
        former = fringe.beamformer(self.obs, [SOURCE, "az=250,el=60"], "power", INTERVAL,
                                   average=4, block_spectra=40)
        top = gr.top_block()
        top.connect(source, head, fringe.unpack("ci8", 8, block, "f32"),
                    fringe.channelizer(8, CHANNELS, 40), former, sink)
        top.connect((former, 1), (sink, 1))
        return top, sink

    def test_sink_of_a_flowgraph(self):
        """The files are those of form_beams()."""
        names = [self.path("a.fil"), self.path("a.h5"), self.path("a.fits")]
        top, sink = self.flowgraph(names)
        top.run()
        self.assertEqual(sink.error(), "")
        self.assertEqual(sink.dumps(), 51)
        form_beams([self.recording], [self.path("b.fil"), self.path("b.h5"), self.path("b.fits")],
                   [SOURCE, "az=250,el=60"], self.obs, interval=INTERVAL, average=4)
        values = 51 * CHANNELS // 4
        for number in "12":
            made, wanted = (Path(self.path(f"{name}_{number}.fil")).read_bytes() for name in "ab")
            self.assertEqual(made[:-4 * values], wanted[:-4 * values])
            np.testing.assert_allclose(*(np.frombuffer(data[-4 * values:], np.float32)
                                         for data in (made, wanted)), rtol=1e-5)
        found = []
        for name in "ab":
            with h5py.File(self.path(f"{name}.h5")) as file:
                found.append((file["means"][()], file["weights"][()]))
        for made, wanted in zip(*found):
            np.testing.assert_allclose(made, wanted, rtol=1e-5)
        there = sorted(path.name for path in Path(self.folder).glob("a*"))
        self.assertEqual(there, ["a.h5", "a_1.fil", "a_1.fits", "a_2.fil", "a_2.fits"])

    def test_sink_that_is_started_twice(self):
        """Files that are there are replaced where that is asked for, else refused at once."""
        top, sink = self.flowgraph(self.path("a.fil"), overwrite=True, blocks_of=20)
        top.run()
        first = sink.dumps()
        self.assertGreater(first, 0)
        before = Path(self.path("a_1.fil")).read_bytes()
        top.run()  # nothing comes, so nothing is written
        self.assertEqual((sink.error(), sink.dumps()), ("", 0))
        self.assertEqual(Path(self.path("a_1.fil")).read_bytes(), before)
        top, sink = self.flowgraph(self.path("a.fil"), overwrite=True)
        top.run()
        self.assertGreater(sink.dumps(), first)
        self.assertGreater(os.path.getsize(self.path("a_1.fil")), len(before))
        with self.assertRaisesRegex(ValueError, "a_1.fil"):
            self.flowgraph(self.path("a.fil"))

    def test_another_interval_than_the_beamformers(self):
        """Every second mean would be zeros."""
        top, sink = self.flowgraph(self.path("a.fil"), interval=INTERVAL / 2)
        top.run()
        self.assertRegex(sink.error(), "^means of 0.009.* s came, .* of 0.005 s .* same interval")
        self.assertFalse(os.path.exists(self.path("a_1.fil")))

    def test_settings_of_a_sink(self):
        for words, why in (({"path": "a.vdif"}, "a.vdif: is for voltages"),
                           ({"path": "a.txt"}, "files that end with .fil"),
                           ({"path": []}, "path .*; give the name"),
                           ({"directions": []}, "directions .*; give at least one"),
                           ({"products": "voltages"}, "products voltages; it must be one of"),
                           ({"average": 5}, "average 5; it must divide the 32 channels"),
                           ({"interval": 0}, "interval 0; it must be more than 0")):
            with self.subTest(words=words), self.assertRaisesRegex(ValueError, why):
                fringe.filterbank_sink(**{"observation": self.obs, "directions": [SOURCE],
                                          "path": self.path("x.fil"), **words})

    def test_filterbank(self):
        """The header and the data, read by this test."""
        path = self.path("beam.fil")
        form_beams([self.recording], [path, self.path("beam.h5")], [SOURCE], self.obs,
                   interval=INTERVAL)
        with open(path, "rb") as file:
            data = file.read()
        end = data.index(b"HEADER_END") + len("HEADER_END")
        with h5py.File(self.path("beam.h5")) as file:
            means = file["means"][()]
        np.testing.assert_array_equal(np.frombuffer(data[end:], "<f4").reshape(means.shape),
                                      means[..., ::-1])
        for key, value in (("nchans", CHANNELS), ("nbits", 32), ("nifs", 1)):
            at = data.index(key.encode()) + len(key)
            self.assertEqual(int.from_bytes(data[at:at + 4], "little"), value)

    @unittest.skipUnless(importlib.util.find_spec("blimpy"), "blimpy is not installed")
    def test_filterbank_in_blimpy(self):
        from blimpy import Waterfall
        path = self.path("beam.fil")
        form_beams([self.recording], [path, self.path("beam.h5")], [SOURCE], self.obs,
                   interval=INTERVAL)
        read = Waterfall(path)
        with h5py.File(self.path("beam.h5")) as file:
            np.testing.assert_array_equal(read.data, file["means"][()][..., ::-1])
            frequencies = file["frequencies"][()]
        np.testing.assert_allclose(read.get_freqs() * 1e6, frequencies[::-1])
        self.assertEqual(read.header["tsamp"], INTERVAL)
        self.assertEqual(read.header["source_name"], SOURCE)
        day = fringe.epoch.from_iso("2026-06-12T11:20:40").mjd_seconds() / 86400
        self.assertAlmostEqual(read.header["tstart"], day, 9)
        ra, dec = fringe.radec_of_azel(self.obs, np.radians(90), np.radians(60),
                                       fringe.epoch.from_iso("2026-06-12T11:20:40"))
        self.assertAlmostEqual(read.header["src_raj"].hourangle, np.degrees(ra) / 15 % 24, 5)
        self.assertAlmostEqual(read.header["src_dej"].deg, np.degrees(dec), 5)

    def test_psrfits(self):
        """Search mode, read by astropy: the same means to a step of 8 bits."""
        from astropy.io import fits
        obs = observation("XY")
        fringe.simulate(obs, self.recording, int(0.5 * RATE), overwrite=True)
        for products, planes, kind in (("stokes", 4, "IQUV"), ("power", 2, "AABB")):
            path = self.path(f"{products}.fits")
            form_beams([self.recording], [path, self.path(f"{products}.h5")], [SOURCE, "zenith"],
                       obs, interval=1e-3, products=products)
            with h5py.File(self.path(f"{products}.h5")) as file:
                means, frequencies = file["means"][()], file["frequencies"][()]
                start = fringe.epoch.from_iso(file.attrs["start_time"])
            for number, name in enumerate(("1", "zenith")):
                with fits.open(self.path(f"{products}_{name}.fits")) as file:
                    file.verify("exception")
                    head, rows = file[0].header, file["SUBINT"]
                    self.assertEqual((head["FITSTYPE"], head["OBS_MODE"], head["OBSNCHAN"]),
                                     ("PSRFITS", "SEARCH", CHANNELS))
                    began = (head["STT_IMJD"] - 40587) * 86400 + head["STT_SMJD"]
                    self.assertEqual(began, start.seconds)
                    self.assertAlmostEqual(head["STT_OFFS"], start.fraction(), 12)
                    self.assertEqual((rows.header["POL_TYPE"], rows.header["NPOL"],
                                      rows.header["EPOCHS"]), (kind, planes, "MIDTIME"))
                    self.assertEqual(rows.header["NSTOT"], len(means))
                    np.testing.assert_allclose(rows.data["DAT_FREQ"] * 1e6,
                                               np.tile(frequencies, (len(rows.data), 1)))
                    np.testing.assert_allclose(rows.data["DAT_WTS"], 1, rtol=1e-2)
                    scales, offsets = (rows.data[key].reshape(-1, 1, planes, CHANNELS)
                                       for key in ("DAT_SCL", "DAT_OFFS"))
                    self.assertEqual(rows.data["DATA"].shape[1:], (256, planes, CHANNELS, 1))
                    values = rows.data["DATA"][..., 0] * scales + offsets
                    steps = np.broadcast_to(scales, values.shape)
                    values, steps = (x.reshape(-1, planes, CHANNELS)[:len(means)]
                                     for x in (values, steps))
                    right = means[:, number * planes:(number + 1) * planes]
                    if products == "stokes":  # V has the other sign
                        right = right * np.array([1, 1, 1, -1])[:, None]
                        self.assertGreater(np.abs(right[:, 3]).max(), 0)
                    self.assertLess(np.abs((values - right) / steps).max(), 0.51)

    def test_the_hand_of_psrfits(self):
        """1 where A and B are X and Y or L and R, and of Stokes parameters, -1 where they are R and
        L."""
        for polarizations, feed, hand, angle, products in (
                ("XY", "LIN", 1, 45, "power"), ("Y", "LIN", 1, 45, "power"),
                ("RL", "CIRC", -1, 0, "power"), ("R", "CIRC", -1, 0, "power"),
                ("L", "CIRC", 1, 0, "power"), ("RL", "CIRC", 1, 0, "stokes"),
                ("XY", "LIN", 1, 45, "stokes")):
            obs = observation(polarizations)
            former = fringe.beamformer(obs, [SOURCE], seconds=INTERVAL)
            axes = beam_axes.of(obs, [SOURCE], products, 1, True, INTERVAL)
            head = primary(axes, 0, obs.start_time, "SEARCH").decode()
            for key, value in (("FD_POLN", f"'{feed:8}'"), ("FD_HAND", f"{hand:20}"),
                               ("FD_SANG", f"{float(angle)!r:>20}")):
                self.assertIn(f"{key:8}= {value}", head)

    @unittest.skipUnless(importlib.util.find_spec("astropy"), "python3-astropy is not installed")
    def test_fits_headers(self):
        """Values come back through astropy; a name in other letters, or a long one, stops
        nothing."""
        from astropy.io import fits
        values = {"SIMPLE": True, "BITPIX": 8, "NAXIS": 0, "EXTEND": False, "A": -1.25e-300,
                  "B": 0.1, "C": 61203, "D": "it's", "E": "", "F": 1e22, "G": "'" * 34,
                  "H": np.float64(1 / 3), "I": np.int64(-7), "J": 4150.0}
        data = header_bytes([(key, value, "[m]") for key, value in values.items()]
                            + [("K", "Gro\u00dfe Wei\u00dfe\n", ""), ("L", "x" * 100, "too long")])
        self.assertEqual(len(data), 2880)
        head = fits.Header.fromstring(data)
        for key, value in values.items():
            self.assertEqual(head[key], value)
            head.cards[key].verify("exception")
        self.assertEqual((head["K"], head["L"]), ("Gro?e Wei?e", "x" * 68))

    @unittest.skipUnless(importlib.util.find_spec("your"), "your is not installed")
    def test_psrfits_in_your(self):
        from your import Your
        path = self.path("beam.fits")
        form_beams([self.recording], [path, self.path("beam.h5")], [SOURCE], self.obs,
                   interval=1e-3)
        read = Your(path)
        with h5py.File(self.path("beam.h5")) as file:
            means, frequencies = file["means"][()], file["frequencies"][()]
        self.assertEqual((read.your_header.nchans, read.your_header.tsamp), (CHANNELS, 1e-3))
        self.assertAlmostEqual(abs(read.your_header.foff), abs(np.diff(frequencies)[0]) / 1e6, 9)
        # Your.get_data() casts scaled values to 8 bits again, which wraps.
        values = read.read_subint(0)[:, 0]
        step = np.ptp(means[:256, 0], axis=0) / 255
        self.assertLess((np.abs(values[:256, :] - means[:256, 0]) / step).max(), 0.52)

    def test_3000_km(self):
        """Two stations an eighth of the Earth apart: the delays are hundreds of samples, which
        the channelizer takes out, and the beam is as strong as beside each other."""
        found = []
        for east in (40, 3e6):
            obs = observation(east=east)
            obs.phase_center = fringe.phase_center.from_text(SOURCE)
            path = self.path(f"{east:g}.h5")
            fringe.simulate(obs, self.recording, int(0.5 * RATE), overwrite=True)
            form_beams([self.recording], [path], [SOURCE], obs, interval=INTERVAL, tracking=True)
            with h5py.File(path) as file:
                found.append(file["means"][8:-8, 0, 1:].mean())
        # 64 x the power of the source and 8 x that of the receivers: an eighth of the inputs
        # without coherence would leave 49.
        self.assertAlmostEqual(found[1] / found[0], 1, delta=0.05)

    def test_the_command(self):
        obs, out = self.path("array.yml"), self.path("beam.fil")
        with open(obs, "w", encoding="utf-8") as file:
            file.write(observation("XY").to_text())
        fringe.simulate(observation("XY"), self.recording, int(0.1 * RATE), overwrite=True)
        words = ["beam", self.recording, "--obs", obs, "--quiet"]
        done = command(*words, "-b", SOURCE, "-b", "zenith", "--products", "stokes", "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("beam_1.fil", "beam_zenith.fil"):
            self.assertIn(name, done.stdout)
            self.assertTrue(os.path.exists(self.path(name)))
        self.assertFalse(os.path.exists(out))
        for wrong, sentence in ((["-o", self.path("x.ms")], "beams are written to files"),
                                (["-o", self.path("x.fil"), "-b", "Nowhere"], "Nowhere"),
                                (["-o", self.path("x.fil"), "--average", "5"], "must divide"),
                                (["-o", self.path("x.fil"), "--interval", "1e-4"],
                                 "0.00032 s at least")):
            done = command(*words, "-b", "zenith", *wrong)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(sentence, done.stderr)
            self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("x")], [])

    def test_towards_a_satellite(self):
        """The header says where it is when the data begin."""
        table, path = self.path("above.txt"), self.path("beam.fil")
        up = np.array([np.cos(np.radians(-37)) * np.cos(np.radians(77)),
                       np.cos(np.radians(-37)) * np.sin(np.radians(77)), np.sin(np.radians(-37))])
        with open(table, "w", encoding="utf-8") as file:
            for second in range(20, 60, 5):
                file.write("2026-06-12T11:20:{:02d} {} {} {}\n".format(second, *(7e6 * up)))
        form_beams([self.recording], [path], [f"satellite={table}"], self.obs, interval=INTERVAL)
        with open(path, "rb") as file:
            data = file.read()
        at = data.index(b"src_dej") + len("src_dej")
        # 7000 km above the site on the ellipsoid, so a little beside the zenith.
        self.assertAlmostEqual(np.frombuffer(data[at:at + 8], "<f8")[0] / 10000, -37, delta=3)

    def test_what_a_user_should_know(self):
        """A wide array, and a direction below the horizon."""
        lines = form_beams([self.recording], [self.path("x.h5")], ["az=90,el=-10"],
                           observation(east=4e4), interval=INTERVAL, samples=4000)
        self.assertTrue(any(line.startswith("note: the delays of inputs differ by up to")
                            for line in lines), lines)
        self.assertTrue(any(line.startswith("note: az=90,el=-10 is 10 degrees below the horizon")
                            for line in lines), lines)

    def test_what_cannot_be(self):
        """Nothing is left where there are no means, and what would do nothing is refused."""
        path = self.path("x.h5")
        for settings, kind, sentence in (
                ({"flag": "all"}, TypeError, "form_beams() has no setting flag"),
                ({"interval": np.inf}, ValueError, "interval: inf: must be 0.00032 s at least"),
                ({"nulls": [SOURCE]}, ValueError, f"nulls: {SOURCE}: is one of the directions")):
            with self.subTest(**settings):
                with self.assertRaises(kind) as caught:
                    form_beams([self.recording], [path], [SOURCE], self.obs, **settings)
                self.assertIn(sentence, str(caught.exception))
                self.assertEqual([name for name in os.listdir(self.folder) if name[0] == "x"], [])

    def test_a_full_disk(self):
        """The sentence names the files, and those that are there."""
        obs = self.path("array.yml")
        with open(obs, "w", encoding="utf-8") as file:
            file.write(self.obs.to_text())
        for name, partial in (("x.h5", "x.partial.h5"), ("x.fil", "x.partial.fil")):
            done = subprocess.run(
                [sys.executable, FRINGE, "beam", self.recording, "--obs", obs, "--quiet", "-b",
                 "zenith", "--interval", "0.0005", "-o", self.path(name)], capture_output=True,
                text=True, timeout=TIMEOUT, check=False,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000)))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(f"{self.path(name)}: File too large; what was written until then is in "
                          f"{self.path(partial)}", done.stderr)
            self.assertTrue(os.path.exists(self.path(partial)))
            self.assertFalse(os.path.exists(self.path(name)))

    def test_sexagesimal(self):
        self.assertAlmostEqual(sexagesimal(12.5), 123000.0)
        self.assertAlmostEqual(sexagesimal(-(5 + 6 / 60 + 7.25 / 3600)), -50607.25)
        self.assertAlmostEqual(sexagesimal(1 - 1e-9), 10000.0)


if __name__ == "__main__":
    unittest.main()
