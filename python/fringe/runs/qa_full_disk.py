#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""`fringe correlate` where nothing more can be written: what it says is there is there, and opens.

Disks of a few megabytes need root; where none can be mounted those tests are skipped, by name. A
limit on the size of files does for a full disk everywhere else.
"""
import os
import re
import resource
import subprocess
import unittest

from gnuradio import fringe
from qa_cli import command
from qa_cli_interrupted import CHANNELS, DUMP_BYTES, PRODUCTS, RAW, early_ends

FORMATS = (".ms", ".uvh5", ".uvfits", ".ACC", ".LCCSPC")
BEGINS = "2026-06-12T00:00:00"
#: Sentences about a file: which it is, and how many dumps are in it; None: as many as there are.
SENTENCES = ((r"the first (?P<dumps>\d+) dumps are in (?P<files>\S+)", int),
             (r"the first dump is in (?P<files>\S+)", lambda _: 1),
             (r"(?P<files>\S+(?:, [^ ;]+)*) (?:is|are) whole", lambda _: None))


class on_a_disk(early_ends):

    def correlated(self, *names, words=(), **options):
        outputs = [word for name in names for word in ("-o", name)]
        return command("correlate", "raw", "--format", "ci8", *RAW, "--start-time", BEGINS, *words,
                       *outputs, cwd=self.folder, **options)

    def dumps_in(self, name):
        vis = fringe.read_visibilities(self.path(name))
        self.assertEqual(vis.data.shape[1:], (CHANNELS, PRODUCTS))
        self.assertTrue((vis.weights > 0).all())
        return len(vis.seconds)

    def check(self, done, code=1):
        """The run failed with one sentence, and all that it says of files is so. Returns the dumps
        of every file."""
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Afringe correlate: [^\n]+\n\Z")
        found = {}
        for pattern, dumps_of in SENTENCES:
            for match in re.finditer(pattern, done.stderr):
                for name in re.split(", ", match["files"].rstrip(";")):
                    found[name] = self.dumps_in(name)
                    dumps = dumps_of(match.groupdict().get("dumps"))
                    self.assertEqual(found[name], found[name] if dumps is None else dumps,
                                     done.stderr)
        return found

    def check_nothing_else(self, found):
        """What lies there has been spoken of."""
        there = {name for name in os.listdir(self.path("disk")) if name != "filler"}
        for name in found:
            stem, ending = os.path.splitext(os.path.basename(name))
            there -= {stem + ending, f"{stem}{ending}.yml"}
            if ending == ".LCCSPC":
                there.remove(f"{stem}.LACSPC")
        self.assertEqual(there, set())

    def mount(self, size):
        os.makedirs(self.path("disk"), exist_ok=True)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "none",
                                  self.path("disk")], capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest(f"{self.id()}: mounting a small disk needs root")

    def unmount(self):
        subprocess.run(["umount", self.path("disk")], check=True)


class qa_full_disk(on_a_disk):

    def run_on(self, size, *names, words=()):
        self.mount(size)
        try:
            done = self.correlated(*names, words=words)
            found = self.check(done)
            self.check_nothing_else({n: k for n, k in found.items() if n.startswith("disk/")})
            return done, found
        finally:
            self.unmount()

    def test_it_fills(self):
        self.recording(130)
        for ending in FORMATS:
            for size in (8900, 15007) if ending == ".ms" else (1444, 5000):
                with self.subTest(ending, size=size):
                    done, found = self.run_on(size, f"disk/x{ending}")
                    self.assertRegex(done.stderr, f"disk/x{ending[:2]}[A-Za-z5]*: ")
                    self.assertEqual(list(found), [f"disk/x.partial{ending}"], done.stderr)
                    dumps = found[f"disk/x.partial{ending}"]
                    # Half of the disk, at least, and not all of the recording.
                    if ending != ".ms":
                        self.assertGreater(dumps, size * 1024 / 2 / (DUMP_BYTES / 8 * 13) - 5)
                    self.assertLess(dumps, 130)

    def test_not_one_dump_fits(self):
        self.recording(30)
        for ending in FORMATS:
            for size in (4, 60):
                with self.subTest(ending, size=size):
                    done, found = self.run_on(size, f"disk/x{ending}")
                    self.assertEqual(found, {})
                    self.assertRegex(done.stderr, f"disk/x{ending[:2]}.*(full|No space left)")

    def test_several_files(self):
        self.recording(130)
        names = [f"disk/{k}{ending}" for k, ending in enumerate(FORMATS[1:])]
        done, found = self.run_on(6000, *names, "x.ACC")
        self.assertEqual(set(found), {name.replace(".", ".partial.") for name in names} | {"x.ACC"},
                         done.stderr)
        self.assertEqual(found["x.ACC"], 130)
        self.expect_right_dumps("x.ACC", 130)

    def test_the_next_file(self):
        self.recording(130)
        for ending in FORMATS:
            size = 19000 if ending == ".ms" else 11500 if ending[:3] == ".uv" else 6800
            with self.subTest(ending):
                done, found = self.run_on(size, f"disk/x{ending}", words=["--new-file-every", "1"])
                self.assertEqual(list(found), [f"disk/x_20260612_000001.partial{ending}",
                                               f"disk/x_20260612_000000{ending}"], done.stderr)
                self.assertEqual(found[f"disk/x_20260612_000000{ending}"], 78)

    def test_a_simulation(self):
        self.write("sky.yml", "antennas: [[0, 0, 0]]\nsample_rate: 1e6\nformat: ci8\n")
        self.mount(12000)
        self.addCleanup(self.unmount)
        done = command("simulate", "sky.yml", "-o", "disk/x.ci8", "--samples", 2 ** 23,
                       cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "fringe simulate: disk/x.ci8: No space left on device\n")
        self.assertEqual(os.listdir(self.path("disk")), [])

    def test_a_disk_that_is_not_to_be_written(self):
        self.recording(3)
        self.mount(1000)
        try:
            subprocess.run(["mount", "-o", "remount,ro", self.path("disk")], check=True)
            for ending in FORMATS:
                with self.subTest(ending):
                    self.check_refused(ending)
        finally:
            self.unmount()

    def check_refused(self, ending):
        done = self.correlated(f"disk/x{ending}")
        self.assertEqual(self.check(done, 2), {})
        self.assertRegex(done.stderr, f"disk/x{ending[:3]}[A-Za-z5]*: nothing can be written to "
                         "the folder disk: ")
        self.assertEqual(os.listdir(self.path("disk")), [])


class qa_no_disk(on_a_disk):
    """Without rights to mount one."""

    def test_a_folder_that_is_not_to_be_written(self):
        if os.geteuid() == 0:
            self.skipTest(f"{self.id()}: root writes everywhere")
        self.recording(3)
        os.mkdir(self.path("disk"), 0o555)
        for ending in FORMATS:
            with self.subTest(ending):
                qa_full_disk.check_refused(self, ending)

    def test_files_that_may_not_grow(self):
        self.recording(130)
        for ending in FORMATS:
            # A UVFITS file keeps its tables far behind the data, in front of a hole.
            least = (120 if ending == ".uvfits" else 40) * DUMP_BYTES
            for limit in (least + 99, least + 10 * DUMP_BYTES):
                with self.subTest(ending, limit=limit):
                    done = self.correlated(
                        f"x{ending}", words=["--overwrite"],
                        preexec_fn=lambda limit=limit: resource.setrlimit(
                            resource.RLIMIT_FSIZE, (limit, limit)))
                    found = self.check(done)
                    self.assertEqual(list(found), [f"x.partial{ending}"], done.stderr)
                    dumps = found[f"x.partial{ending}"]
                    self.assertGreater(dumps, 0)
                    self.assertLess(dumps, 130)
                    if ending == ".ACC":
                        self.assertEqual(dumps, limit // DUMP_BYTES)
                        self.expect_right_dumps(f"x.partial{ending}", dumps)


if __name__ == "__main__":
    unittest.main()
