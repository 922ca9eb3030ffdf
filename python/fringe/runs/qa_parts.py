#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Recordings in parts: plan, work and merge make the files of one run, bit for bit."""
import hashlib
import json
import os
import resource
import socket
import unittest
import urllib.request
from unittest import mock

import numpy as np
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.runs.plan_in_words import describe_plan, is_plan
from gnuradio.fringe.runs.dump_file import checksum, dump_player, running_checksum
from gnuradio.fringe.runs.merge import merge
from gnuradio.fringe.runs.plan import make_plan, read_plan
from gnuradio.fringe.runs import work as work_module
from gnuradio.fringe.runs.work import work
from gnuradio.fringe.ground.words import numbers_in_words
import qa_coarse_channels
from qa_cli import command
from qa_recorders import vdif_file
from qa_scratch import TIMEOUT, scratch_case, times_tried

try:
    import h5py
except ImportError:
    h5py = None
try:
    from casacore import tables
except ImportError:
    tables = None

START = "2026-06-12T11:20:40.3"


def contents(path):
    """All that is in a visibility file but its history: {name: bytes or array}."""
    if path.endswith(".ms"):
        return ms_contents(path)
    if path.endswith(".uvh5"):
        found = {}
        with h5py.File(path, "r") as file:
            file.visititems(lambda name, entry: found.update({name: entry[()]})
                            if isinstance(entry, h5py.Dataset) and "history" not in name else None)
        return found
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".uvfits"):
        end = data.index(b"END" + 77 * b" ") // 2880 * 2880 + 2880
        data = data[end:]
    return {"bytes": data}


def ms_contents(path):
    if tables is None:
        raise unittest.SkipTest("python3-casacore is not installed")
    found = {}
    for name in ("", "/ANTENNA", "/FIELD", "/SPECTRAL_WINDOW", "/POLARIZATION", "/FEED",
                 "/OBSERVATION"):
        with tables.table(path + name, ack=False) as table:
            for column in table.colnames():
                if column == "LOG" or not table.nrows() or not table.iscelldefined(column, 0):
                    continue
                value = table.getcol(column)
                found[f"{name} {column}"] = np.array(value if not isinstance(value, dict)
                                                     else value["array"])
    return found


class qa_parts(scratch_case):

    def recording(self, inputs, samples):
        """ci8 noise that all inputs have in common, and some of their own."""
        x = self.rng.integers(-60, 61, (samples, inputs + 1, 2), np.int8)
        path = self.path("raw")
        (x[:, :1] + x[:, 1:]).tofile(path)
        return path

    def observation(self, inputs, rate, **fields):
        obs = fringe.observation.example(inputs, float(self.rng.uniform(10, 3000)))
        obs.set_site(-26.7, 116.67, 377.0)
        obs.sample_rate, obs.center_frequency = rate, 1.4204e9
        obs.start_time, obs.has_start_time = fringe.epoch.from_iso(START), True
        obs.sky = []
        for name, value in fields.items():
            setattr(obs, name, value)
        return obs

    def expect_same(self, recordings, obs, endings, numbers=None, output=None, **settings):
        """One run, and parts in random order, make the same files; returns what one run came to,
        and how many parts there were. numbers: of parts, one after the other; None: a random
        one."""
        by_center = settings.pop("by_center", False)
        whole = fringe.correlate(recordings, [self.path(f"one{ending}") for ending in endings], obs,
                                 backend="cpu", overwrite=True, **settings, **(output or {}))
        whole_contents = [contents(path) for path in sorted(whole.files)]
        counts = []
        for parts in numbers or [int(self.rng.integers(1, 17))]:
            plan = self.path(f"plan{parts}.json")
            make_plan(recordings, obs, parts=parts, by_center=by_center, **(output or {}),
                      **settings).write(plan, overwrite=True)
            counts.append(len(read_plan(plan).parts))
            for number in self.rng.permutation(counts[-1]):
                work(plan, int(number), threads=int(self.rng.integers(1, 4)))
            merged = merge(plan, [self.path(f"many{ending}") for ending in endings],
                           overwrite=True)
            self.assertEqual((merged.samples, merged.dumps, merged.losses),
                             (whole.samples, whole.dumps, whole.losses))
            self.assertEqual(len(merged.files), len(whole.files))
            for content, path in zip(whole_contents, sorted(merged.files)):
                self.expect_same_contents(content, contents(path))
        fringe.set_threads(0)
        return whole, counts

    def expect_same_contents(self, content, other):
        self.assertEqual(content.keys(), other.keys())
        for name, expected in content.items():
            found = other[name]
            if isinstance(expected, np.ndarray):
                self.assertEqual(expected.dtype, found.dtype, name)
                texts = expected.dtype.kind == "O"
                expected, found = ((x.tolist() if texts else x.tobytes())
                                   for x in (expected, found))
            self.assertEqual(expected, found, name)

    def test_gap_of_hours(self):
        """Some of the parts lie in it."""
        recording = self.path("gap.vdif")
        with open(recording, "wb") as out:
            for first, frames in ((137, 1911), (7200 * 1000 + 456, 2234)):
                codes = self.rng.integers(0, 256, (1, frames * 64, 2))
                vdif_file(self.path("piece"), codes, np.ones((1, frames), int), 8, True, 64000, 128,
                          first)
                with open(self.path("piece"), "rb") as piece:
                    out.write(piece.read())
        obs = self.observation(2, 64000.0, channels=16, integration=0.05)
        obs.has_start_time = False
        self.expect_same([recording, recording], obs, [".uvh5"], numbers=(2, 3, 7, 16),
                         allow_gaps=True)

    def test_tracking_and_flags(self):
        inputs, channels = int(self.rng.integers(2, 6)), int(self.rng.integers(8, 70))
        rate = 1e6
        obs = self.observation(inputs, rate, tracking=True, channels=channels,
                               integration=float(self.rng.choice([0.01, 0.23, 0.1])), spectra=0)
        center = fringe.phase_center()
        center.frame, center.longitude, center.latitude = (fringe.phase_center.kind.radec, 1.6,
                                                           -0.5)
        obs.phase_center = center
        raw = self.recording(inputs, int(self.rng.integers(500000, 1000000)))
        _, counts = self.expect_same([raw], obs, [".ms", ".uvh5"] if tables else [".uvh5"],
                                    format="ci8", output={"flag": "dumps"})
        self.assertGreaterEqual(counts[0], 1)

    def test_requantized_by_spectra(self):
        inputs, channels = int(self.rng.integers(1, 6)), int(self.rng.integers(8, 70))
        obs = self.observation(inputs, 1e6, channels=channels, requantize="8", integration=0.0,
                               spectra=int(self.rng.choice([50, 300, 1000, 20000])))
        raw = self.recording(inputs, int(self.rng.integers(500000, 1000000)))
        gains = self.path("gains.npy")
        np.save(gains, np.exp(1j * self.rng.uniform(0, 6, (inputs, channels))))
        self.expect_same([raw], obs, [".ACC", ".uvfits"], format="ci8", gains=gains,
                         start_sample=[int(self.rng.integers(0, 1000))])

    def test_losses_and_running_mean(self):
        frames, per_frame, threads = 8000, 64, 3
        codes = self.rng.integers(0, 256, (threads, per_frame * frames, 1))
        there = self.rng.choice([1, 0, -1], (threads, frames), p=[0.8, 0.15, 0.05])
        there[:, [0, -1]] = 1
        there[0] = 1
        vdif_file(self.path("v"), codes, there, 8, False, per_frame * 250, 64)
        obs = self.observation(threads, per_frame * 250, channels=16, taps=3, spectra=0,
                               integration=float(self.rng.choice([0.2, 5])))
        obs.has_start_time = False
        whole, _ = self.expect_same([self.path("v")], obs, [".uvh5"], format="vdif",
                                    prefer="header", remove_mean=bool(self.rng.integers(0, 2)))
        self.assertGreater(whole.samples_lost, 0)

    def test_every_number_of_parts(self):
        """1 to 16, of a recording with losses, with tracking, gains and flags, to every format."""
        frames, per_frame, inputs, channels = 25600, 64, 3, 16
        rate = per_frame * 256
        codes = self.rng.integers(0, 256, (inputs, per_frame * frames, 1))
        there = self.rng.choice([1, 0, -1], (inputs, frames), p=[0.9, 0.07, 0.03])
        there[:, [0, -1]] = 1
        there[0] = 1
        vdif_file(self.path("v"), codes, there, 8, False, rate, 64)
        gains = self.path("gains.npy")
        np.save(gains, self.rng.uniform(0.2, 2, (inputs, channels)) *
                np.exp(1j * self.rng.uniform(0, 6, (inputs, channels))))
        obs = self.observation(inputs, rate, channels=channels, spectra=0,
                               integration=float(self.rng.choice([0.1, 1.3, 5.5])),
                               tracking=True, has_start_time=False)
        center = fringe.phase_center()
        center.frame, center.longitude, center.latitude = (
            fringe.phase_center.kind.radec, float(self.rng.uniform(0, 6)), -0.5)
        obs.phase_center = center
        obs.requantize = str(self.rng.choice(["", "8"])) or obs.requantize
        endings = [".ACC", ".uvfits"] + [".uvh5"] * (h5py is not None) + [".ms"] * (
            tables is not None)
        numbers = times_tried((1, 2, 3, 5, 8, 13, 16), range(1, 17))
        whole, counts = self.expect_same(
            [self.path("v")], obs, endings, numbers, output={"flag": "dumps"}, format="vdif",
            prefer="header", gains=gains)
        self.assertEqual(counts, list(numbers))
        self.assertGreater(sum(whole.losses["missing"]), 0)
        self.assertGreater(sum(whole.losses["invalid"]), 0)

    def test_metrics_of_a_part(self):
        """Are served while it is worked on."""
        run, found = work_module._run, []
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = f"127.0.0.1:{free.getsockname()[1]}"

        def run_and_ask(*arguments):
            run(*arguments)
            with urllib.request.urlopen(f"http://{address}/metrics", timeout=TIMEOUT) as answer:
                found.append(answer.read().decode())

        plan = self.path("plan.json")
        make_plan([self.recording(2, 20000)], self.observation(2, 1e6, channels=16), parts=1,
                  format="ci8").write(plan)
        with mock.patch.object(work_module, "_run", run_and_ask):
            work(plan, 0, metrics=address)
        self.assertRegex(found[0], r'(?m)^fringe_samples_total\{block=".*"\} 20000$')
        with self.assertRaises(OSError):
            socket.create_connection(tuple(address.split(":")), TIMEOUT)
        with self.assertRaisesRegex(ValueError, "metrics: x:y: must be HOST:PORT"):
            work(plan, 0, again=True, metrics="x:y")

    def test_phase_centers(self):
        obs = self.observation(3, 1e6, tracking=True, channels=32, integration=0.2)
        raw = self.recording(3, 600000)
        self.expect_same([raw], obs, [".uvh5"], format="ci8", by_center=True,
                         phase_centers=["90,-30,A", "91,-31,B"])

    @unittest.skipIf(h5py is None, "python3-h5py is not installed")
    def test_what_becomes_of_dumps(self):
        """Levels of Van Vleck, averages in time and frequency, new files, of two recordings."""
        frames, per_frame, channels = 24000, 64, 16
        rate = per_frame * 256
        sky = self.rng.integers(0, 4, (1, per_frame * frames, 1))
        for name in "vw":
            own = self.rng.integers(0, 4, sky.shape)
            vdif_file(self.path(name), np.where(self.rng.random(sky.shape) < 0.3, sky, own),
                      np.ones((1, frames), int), 2, False, rate, per_frame // 4)
        with open(self.path("eop"), "w", encoding="utf-8") as file:
            file.writelines(f"{day} {self.rng.uniform(-0.3, 0.3):.6f} 0.1 0.2\n"
                            for day in range(61210, 61230))
        obs = self.observation(2, rate, channels=channels, spectra=0, has_start_time=False,
                               integration=float(self.rng.choice([0.3, 1.0])))
        obs.set_earth_orientation(self.path("eop"))
        output = {"van_vleck": True, "flag": str(self.rng.choice(["none", "dumps"])),
                  "mask": [(1.4204e9, 1.4205e9)], "average_channels": 2, "flag_dc": True}
        more = ({"smearing_loss": 0.01, "field_radius": 2.0, "longest_average": 5.0},
                {"new_file_every": 20}, {"products": "crosses"})
        for chosen in more:
            with self.subTest(chosen):
                if "mask" in output and output["flag"] == "none":
                    del output["mask"]
                whole, _ = self.expect_same(
                    [self.path("v"), self.path("w")], obs, [".uvh5"], format="vdif",
                    start_sample=[int(n) for n in self.rng.integers(0, 5000, 2)],
                    prefer="settings", start_time="2026-07-01T00:00:00.25",
                    output={**output, **chosen})
                self.assertGreater(len(whole.files), 3 * ("new_file_every" in chosen))

    @unittest.skipIf(h5py is None, "python3-h5py is not installed")
    def test_bands(self):
        """A plan for each channel of a recording whose band was split, and one file of them."""
        channels = qa_coarse_channels.COUNT
        x = self.rng.integers(-60, 61, (channels, 400000, 2, 2), np.int8)
        path = qa_coarse_channels.qa_coarse_channels.guppi(self, x, -1)
        for channel in range(channels):
            self.expect_same([path], None, [".uvh5"], coarse_channel=channel, channels=32,
                             spectra=int(self.rng.integers(100, 300)))
            for name in ("one", "many"):
                os.rename(self.path(name + ".uvh5"), self.path(f"{name}{channel}.uvh5"))

    @unittest.skipIf(h5py is None, "python3-h5py is not installed")
    def test_directions(self):
        """A satellite and a direction of the ground, which move among the stars."""
        obs = self.observation(3, 1e6, tracking=True, channels=16, integration=0.1)
        start = obs.start_time
        with open(self.path("sat.txt"), "w", encoding="utf-8") as file:
            for k in range(-20, 21):
                place = fringe.itrf_from_enu(obs, [4e6 + 4e3 * k, 1e6, 2e7])
                file.write(f"{start.plus_seconds(float(k)).iso(9)} "
                           + " ".join(f"{angle:.6f}" for angle in place) + "\n")
        raw = self.recording(3, 600000)
        self.expect_same([raw], obs, [".uvh5"], format="ci8",
                         phase_centers=[f"satellite={self.path('sat.txt')}", "Sun"])
        obs.tracking, obs.phase_center = False, fringe.phase_center.at_azel(
            float(self.rng.uniform(0, 6)), 1.0)
        self.expect_same([raw], obs, [".uvh5"], format="ci8")

    def planned(self, parts=5):
        """A plan of that many parts of a small recording; its path."""
        raw = self.recording(2, 1500000)
        obs = self.observation(2, 1e6, channels=16, integration=0.15, spectra=0)
        make_plan([raw], obs, parts=parts, format="ci8").write(self.path("plan.json"))
        self.assertEqual(len(read_plan(self.path("plan.json")).parts), parts)
        return self.path("plan.json")

    def test_numbers_in_words(self):
        for numbers, words in (((), ""), ((3,), "3"), ((4, 3), "3, 4"), ((0, 1, 2), "0 to 2"),
                              ((0, 1, 2, 9, 11, 12), "0 to 2, 9, 11, 12"),
                              (range(0, 100, 2), "0, 2, 4 and 47 more")):
            self.assertEqual(numbers_in_words(numbers, 3 if len(numbers) > 6 else 20), words)

    def test_checksum(self):
        """That of a file, made by several threads, is that of its bytes as they are written."""
        piece = 1 << 24
        for size in (0, int(self.rng.integers(1, piece)), piece,
                     int(self.rng.integers(piece + 1, 3 * piece))):
            data = self.rng.bytes(size)
            with open(self.path("x"), "wb") as file:
                file.write(data)
            expected = hashlib.sha256(b"".join(
                hashlib.sha256(data[at:at + piece]).digest()
                for at in range(0, size, piece))).hexdigest()
            self.assertEqual(checksum(self.path("x")), expected)
            written, at = running_checksum(), 0
            while at < size:
                count = int(self.rng.integers(1, size + 1))
                written.update(data[at:at + count])
                at += count
            self.assertEqual(written.hexdigest(), expected)

    def test_a_part_is_known_by_its_bytes(self):
        plan = self.planned()
        for number in range(5):
            work(plan, number)
        merge(plan, [self.path("a.ACC")])
        name = self.path("plan.parts/part-00003-0.dumps")
        before = os.stat(name).st_mtime_ns
        work(plan, 3)  # it is done
        self.assertEqual(os.stat(name).st_mtime_ns, before)
        with open(name, "r+b") as file:
            at = int(self.rng.integers(0, os.path.getsize(name)))
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1 << int(self.rng.integers(0, 8))]))
        there = sorted(os.listdir(self.folder))
        for ending in (".ms", ".uvh5", ".uvfits", ".ACC"):
            with self.assertRaisesRegex(ValueError, "part 3 of 5 not done, or not what was"):
                merge(plan, [self.path("b" + ending)])
            self.assertEqual(sorted(os.listdir(self.folder)), there)
        os.unlink(self.path("plan.parts/part-00001.json"))
        self.assertTrue(is_plan(plan))
        self.assertEqual(describe_plan(plan).splitlines()[2:],
                         ["  done         4: 0, 2 to 4", "  missing      1: 1"])
        with self.assertRaisesRegex(ValueError, "parts 1, 3 of 5 not done, or not what was"):
            merge(plan, [self.path("b.ACC")])
        self.assertFalse(os.path.exists(self.path("b.ACC")))
        for number in (1, 3):
            work(plan, number)
        merge(plan, [self.path("b.ACC")])
        self.assertEqual(contents(self.path("a.ACC")), contents(self.path("b.ACC")))

    def test_reports_that_say_what_cannot_be(self):
        plan = self.planned()
        for number in range(5):
            work(plan, number)
        name = self.path("plan.parts/part-00002.json")
        with open(name, encoding="utf-8") as file:
            good = json.load(file)
        some = next(iter(good["losses"].values()))
        for wrong in ({"losses": {"missing": ["a"] * len(some)}}, {"losses": {"missing": [1]}},
                      {"losses": {"missing": [10**40] * len(some)}}, {"losses": []}, {"part": 1},
                      {"losses": {"unknown": [0] * len(some)}},
                      {"files": []}, {"damaged": None}, {"processor": 3}, {"dumps": "1"}):
            with self.subTest(str(wrong)[:60]):
                with open(name, "w", encoding="utf-8") as file:
                    json.dump({**good, **wrong}, file)
                with self.assertRaisesRegex(ValueError, "part 2 of 5 not done, or not what was"):
                    merge(plan, [self.path("b.ACC")])

    def test_parts_of_another_plan(self):
        """Who makes the plan anew, with other settings, does not get parts of the earlier one."""
        plan = self.planned()
        for number in range(5):
            work(plan, number)
        obs = self.observation(2, 1e6, channels=16, integration=0.15, spectra=0, taps=2)
        make_plan([self.path("raw")], obs, parts=5, format="ci8").write(plan, overwrite=True)
        with self.assertRaisesRegex(ValueError, "parts 0 to 4 of 5 not done"):
            merge(plan, [self.path("a.ACC")])
        for number in range(5):
            work(plan, number)
        merge(plan, [self.path("a.ACC")])
        fringe.correlate([self.path("raw")], [self.path("b.ACC")], obs, backend="cpu", format="ci8")
        self.assertEqual(contents(self.path("a.ACC")), contents(self.path("b.ACC")))

    def test_what_was_planned_is_read(self):
        plan = self.planned()
        with open(self.path("raw"), "ab") as file:
            file.write(b"more")
        with self.assertRaisesRegex(ValueError, "raw: has 6000004 bytes; the plan was made for "):
            work(plan, 0)
        with self.assertRaisesRegex(ValueError, "9: there is no such part; .* 0 to 4"):
            work(plan, 9)
        with open(plan, encoding="utf-8") as file:
            fields = json.load(file)
        fields["version"] = "0.0.1"
        with open(plan, "w", encoding="utf-8") as file:
            json.dump(fields, file)
        os.truncate(self.path("raw"), 6000000)
        with self.assertRaisesRegex(ValueError, "the plan is of 0.0.1"):
            work(plan, 0)
        del fields["settings"]["samples"]
        with open(plan, "w", encoding="utf-8") as file:
            json.dump(fields, file)
        with self.assertRaisesRegex(ValueError, "plan.json: .*settings: samples: None: must be"):
            work(plan, 0)
        with open(plan, "w", encoding="utf-8") as file:
            file.write("{}")
        with self.assertRaisesRegex(ValueError, "is no plan that this program knows"):
            work(plan, 0)

    def test_what_cannot_be_cut(self):
        raw = self.recording(2, 100000)
        obs = self.observation(2, 1e6, channels=16)
        for settings, why in (({"parts": 0}, "parts: 0: must be"),
                              ({"devices": [0, 1]}, "devices: parts .* on processors only"),
                              ({"flag": "all"}, "flag: all: the search in spectra"),
                              ({"flag": "spectra"}, "take flag=dumps")):
            with self.assertRaisesRegex(ValueError, why):
                make_plan([raw], obs, format="ci8", **settings)

    def test_a_thousand_parts(self):
        path = self.path("long")
        with open(path, "wb") as file:
            file.truncate(2 * 10 ** 9)  # of zeros that need no place on the disk
        obs = self.observation(2, 1e6, channels=16, integration=0.1, spectra=0)
        parts = make_plan([path], obs, format="ci8", parts=1000).parts
        self.assertEqual(len(parts), 1000)
        self.assertEqual({part.end for part in parts[:-1]}, {part.first for part in parts[1:]})

    def test_damaged(self):
        voltages = self.rng.standard_normal((1000000, 4)).astype(np.float32)
        voltages[700000, 1] = np.nan
        voltages.tofile(self.path("raw"))
        obs = self.observation(2, 1e6, channels=16, integration=0.07, spectra=0)
        with self.assertRaisesRegex(ValueError, "NaN"):
            fringe.correlate([self.path("raw")], [self.path("one.ACC")], obs, backend="cpu",
                             format="cf32")
        make_plan([self.path("raw")], obs, parts=7, format="cf32").write(self.path("plan.json"))
        parts = len(read_plan(self.path("plan.json")).parts)
        self.assertGreater(parts, 3)
        for number in range(parts):
            work(self.path("plan.json"), number)
        with self.assertRaisesRegex(ValueError, r"plan.parts/part-0000\d.json: .*NaN"):
            merge(self.path("plan.json"), [self.path("many.ACC")])
        self.assertEqual(contents(self.path("one.partial.ACC")),
                         contents(self.path("many.partial.ACC")))

    def test_damaged_tags(self):
        """Are said, whatever they are; nothing is made of them."""
        plan = self.path("plan.json")
        make_plan([self.recording(2, 20000)], self.observation(2, 1e6, channels=16), parts=1,
                  format="ci8").write(plan)
        work(plan, 0)
        name, = [name for name in os.listdir(self.path("plan.parts")) if name.endswith(".dumps")]
        path = os.path.join(self.path("plan.parts"), name)
        with open(path, "rb") as file:
            first, line, rest = file.read().split(b"\n", 2)
        for damaged in (b"{" + line[1:], line.replace(b'": "', b'": "!', 1),
                        line.replace(b'": "', b'": "////', 1), b"[1]", b"[[], []]"):
            with open(path, "wb") as file:
                file.write(first + b"\n" + damaged + b"\n" + rest)
            player, top = dump_player([path], 3, 16, 16), gr.top_block()
            for port, size in ((0, 8), (1, 4)):
                top.connect((player, port), blocks.null_sink(size * 48))
            top.run()
            self.assertIn(f"{path}: is damaged, at the tags of a dump", player.error(), damaged)

    def test_full_disk(self):
        """A limit on the size of files does for one."""
        plan = self.planned()
        size = int(self.rng.integers(1, 16 * 3 * 12 * 2))  # of at most two of its dumps
        numbers = ["2"] * int(self.rng.integers(1, 3))  # by itself, or in a copy of the process
        done = command("work", "plan.json", *numbers, cwd=self.folder, preexec_fn=lambda:
                       resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Afringe work: \S*plan\.parts: File too large\n\Z")
        self.assertEqual(os.listdir(self.path("plan.parts")), [])

    def test_command(self):
        raw = self.recording(2, 1500000)
        words = [raw, "--format", "ci8", "--inputs", "2", "--sample-rate", "1e6", "--channels",
                 "16", "--integration", "0.3"]
        for arguments, sentence in (
                (["plan", *words, "--parts", "3", "-o", "p.json"], "p.json: 3 parts, 0 to 2"),
                (["work", "p.json", "2"], "part 2: "), (["work", "p.json", "0", "1"], "part 1: "),
                (["info", "p.json"], "p.json: plan of 3 parts\n  recordings   1 file, 6 MB, 1.5 s\n"
                 "  done         3: 0 to 2\n"),
                (["merge", "p.json", "-o", "a.ACC"], "wrote a.ACC"),
                (["correlate", *words, "-o", "b.ACC", "--backend", "cpu"], "wrote b.ACC")):
            # On one processor a part writes its dumps itself, else a thread does.
            cores = sorted(os.sched_getaffinity(0))[:int(self.rng.integers(1, 3))]
            done = command(*arguments, cwd=self.folder,
                           preexec_fn=lambda cores=cores: os.sched_setaffinity(0, cores))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(sentence, done.stdout)
        self.assertEqual(contents(self.path("a.ACC")), contents(self.path("b.ACC")))
        for arguments, why in ((["work", "p.json", "3"], "3: there is no such part"),
                               (["work", "none.json", "3"],
                                "none.json: cannot be read: No such file"),
                               (["correlate", *words, "-o", "c.ACC", "--parts", "3"],
                                "--parts: is for --engine")):
            done = command(*arguments, cwd=self.folder)
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    unittest.main()
