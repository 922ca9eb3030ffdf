#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Engines that work on the parts of a recording: workers that die, a command that is killed."""
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

import numpy as np
from gnuradio.fringe.runs.engines import run_dask, write_slurm
from gnuradio.fringe.runs.resume import begin_or_resume
from gnuradio.fringe.runs.plan import read_plan
from qa_cli import FRINGE, command
from qa_scratch import TIMEOUT, scratch_case

try:
    import distributed
except ImportError:
    distributed = None

INPUTS, CHANNELS = 4, 64
DUMP = 1 << 18  # samples

# What a job script sees of Slurm: sbatch runs the tasks one after the other, and a task again that
# was put back; a job that depends on another one runs if all tasks of that one ended with 0. In its
# first run the process of task $KILL is killed; task $CANCEL is not run. The true
# Slurm: scripts/try_slurm.
STAND_IN_SLURM = {
    "sbatch": r"""
[ -z "$FAIL" ] || { echo "sbatch: error: $FAIL" >&2; exit 1; }
echo "$*" >> "$IN/sbatch-words"
for word; do
    case $word in --wrap=*)
        [ -e "$IN/failed" ] || bash -c "${word#--wrap=}" >&2
        echo 8
        exit ;;
    esac
done
rm -f "$IN/failed"
script=${!#}
export SLURM_ARRAY_JOB_ID=7
SLURM_CPUS_PER_TASK=$(sed -n 's/#SBATCH --cpus-per-task=//p' "$script"); export SLURM_CPUS_PER_TASK
[ "$SLURM_CPUS_PER_TASK" = 3 ] || exit 1
for task in $(seq $(sed -n 's/#SBATCH --array=\([0-9]*\)-/\1 /p' "$script")); do
    export SLURM_ARRAY_TASK_ID=$task SLURM_RESTART_COUNT=0
    [ "$task" != "$CANCEL" ] || { touch "$IN/failed"; continue; }
    [ "$task" != "$KILL" ] || sed "s/^[^#]* work /sh -c 'kill -9 \$\$' /" "$script" | bash >&2
    until rm -f "$IN/again"; bash "$script" >&2; code=$?; [ ! -e "$IN/again" ]; do
        SLURM_RESTART_COUNT=$((SLURM_RESTART_COUNT + 1))
    done
    [ $code = 0 ] || touch "$IN/failed"
done
echo 7
""",
    "scontrol": r"""
[ "$1" = requeue ] && echo "$2" >> "$IN/requeued" && touch "$IN/again"
""",
    "sleep": "exit 0\n"}


def children(pid):
    """Process numbers of the children of a process, and theirs."""
    found, parents = {}, {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                    parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
                with open(f"/proc/{name}/cmdline", encoding="utf-8") as file:
                    found[int(name)] = file.read()
            except (OSError, ValueError):
                continue
    below, added = {pid}, True
    while added:
        more = {child for child, parent in parents.items() if parent in below} - below
        below, added = below | more, bool(more)
    return {child: found.get(child, "") for child in below - {pid}}


def listening(pids):
    """Addresses at which processes wait for connections, as the kernel writes them."""
    sockets, found = set(), set()
    for pid in pids:
        try:
            for name in os.listdir(f"/proc/{pid}/fd"):
                sockets.add(os.readlink(f"/proc/{pid}/fd/{name}"))
        except OSError:
            continue
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table, encoding="ascii") as file:
            for words in map(str.split, file.readlines()[1:]):
                if words[3] == "0A" and f"socket:[{words[9]}]" in sockets:
                    found.add(words[1].split(":")[0])
    return found


class qa_engines(scratch_case):

    def words(self, dumps):
        x = self.rng.integers(-100, 101, (dumps * DUMP, INPUTS, 2), np.int8)
        x.tofile(self.path("raw"))
        return ["correlate", "raw", "--format", "ci8", "--inputs", str(INPUTS), "--sample-rate",
                "1e6", "--channels", str(CHANNELS), "--spectra", str(DUMP // CHANNELS)]

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def started(self, words, under=()):
        """A running fringe; under: words of the program that starts it."""
        with open(self.path("log"), "ab") as log:
            process = subprocess.Popen([*under, sys.executable, FRINGE, *words], cwd=self.folder,
                                       stdout=log, stderr=log)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def done_parts(self):
        folder = self.path("b.plan.parts")
        if not os.path.isdir(folder):
            return set()
        return {name for name in os.listdir(folder)
                if name.startswith("part-") and name.endswith(".json")}

    def expect_end(self, process):
        self.assertEqual(process.wait(TIMEOUT), 0, self.content("log").decode())

    def wait_until(self, happened, process):
        """True as soon as it has happened, False when the process has ended before."""
        deadline = time.monotonic() + TIMEOUT
        while process.poll() is None:
            if happened():
                return True
            self.assertLess(time.monotonic(), deadline, self.content("log").decode())
            time.sleep(0.01)
        return False

    @unittest.skipIf(distributed is None, "python3-distributed is not installed")
    def test_workers_are_killed(self):
        words = self.words(8)
        whole = command(*words, "-o", "a.ACC", "--backend", "cpu", cwd=self.folder)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        process = self.started([*words, "-o", "b.ACC", "--engine", "dask", "--parts", "8",
                                "--workers", "2"])
        killed, seen, addresses = 0, set(), set()

        def working():
            return [child for child, words in children(process.pid).items()
                    if "spawn_main" in words and child not in seen
                    and sum("work_apart" in more for more in children(child).values()) > 1]

        while killed < 2 and self.wait_until(working, process):
            victims = working()
            addresses |= listening([process.pid, *children(process.pid)])
            if victims:
                seen.add(victims[0])
                os.kill(victims[0], signal.SIGKILL)
                killed += 1
        self.expect_end(process)
        self.assertEqual(self.content("a.ACC"), self.content("b.ACC"))
        self.assertFalse(os.path.exists(self.path("b.plan.json")))
        self.assertLessEqual(addresses, {"0100007F"})  # 127.0.0.1

    @unittest.skipIf(distributed is None, "python3-distributed is not installed")
    def test_a_worker_is_killed_behind_its_parts(self):
        """It has done parts of which nobody has taken note yet: Dask has them done again."""
        done = command("plan", *self.words(5)[1:], "--parts", "5", "-o", "b.plan.json",
                       cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = []

        def progress(count, total):
            seen.append((count, total))
            deadline = time.monotonic() + TIMEOUT
            while len(seen) == 1 and len(self.done_parts()) < 5 and time.monotonic() < deadline:
                time.sleep(0.1)
            if len(seen) == 2:  # of several that are taken note of together
                for child, words in children(os.getpid()).items():
                    if "spawn_main" in words:
                        os.kill(child, signal.SIGKILL)
            if len(seen) < 3:  # until Dask knows of it, but has not done them again
                time.sleep((2, 0.3)[len(seen) - 1])

        run_dask(self.path("b.plan.json"), workers=1, progress=progress)
        self.assertEqual(seen, [(n + 1, 5) for n in range(5)])
        self.assertEqual(len(self.done_parts()), 5)

    @unittest.skipIf(distributed is None, "python3-distributed is not installed")
    def test_scheduler_of_a_site_is_killed(self):
        """No worker has come yet when it is."""
        with open(self.path("log"), "ab") as log:
            scheduler = subprocess.Popen(
                [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1",
                 "--port", "0", "--dashboard-address", "127.0.0.1:0", "--scheduler-file",
                 "site.json"], cwd=self.folder, stdout=log, stderr=log)
        self.addCleanup(scheduler.wait)
        self.addCleanup(scheduler.kill)
        self.assertTrue(self.wait_until(lambda: os.path.exists(self.path("site.json")), scheduler))
        time.sleep(1)  # until it is written
        with open(self.path("site.json"), encoding="utf-8") as file:
            address = json.load(file)["address"]
        process = self.started([*self.words(2), "-o", "b.ACC", "--engine", "dask", "--scheduler",
                                address, "--parts", "2"])
        self.assertTrue(self.wait_until(
            lambda: b"Receive client connection" in self.content("log"), process))
        time.sleep(2)
        scheduler.kill()
        self.assertEqual(process.wait(TIMEOUT), 1)
        output = self.content("log").decode()
        # The other sentence where a slow machine is still greeting it.
        self.assertRegex(output, f"{re.escape(address)}: (is gone; --resume does the parts that "
                                 "are missing|.* is closed; give the address)")
        self.assertTrue(os.path.exists(self.path("b.plan.json")))

    @unittest.skipIf(distributed is None, "python3-distributed is not installed")
    def test_resume(self):
        words = self.words(6)
        command(*words, "-o", "a.ACC", "--backend", "cpu", cwd=self.folder)
        words = [*words, "-o", "b.ACC", "--engine", "dask", "--parts", "6", "--workers", "1"]
        process = self.started(words)
        if self.wait_until(lambda: len(self.done_parts()) >= 2, process):
            process.kill()  # the scheduler is in it
            process.wait()
        before = {name: os.stat(self.path(f"b.plan.parts/{name}")).st_mtime_ns
                  for name in self.done_parts()}
        self.assertGreater(len(before), 1)
        again = command(*words, cwd=self.folder)
        self.assertEqual(again.returncode, 2)
        self.assertIn("--resume goes on with it", again.stderr)
        other = command(*words, "--resume", "--taps", "2", cwd=self.folder)
        self.assertEqual(other.returncode, 2)
        self.assertIn("taps is not what this command says", other.stderr)
        # Other threads make the same bits.
        process = self.started([*words, "--resume", "--threads", "1"])
        self.wait_until(lambda: len(self.done_parts()) > len(before), process)
        for name, changed in before.items():
            try:
                now = os.stat(self.path(f"b.plan.parts/{name}")).st_mtime_ns
            except FileNotFoundError:
                continue  # the run has ended, and its parts are gone
            self.assertEqual(now, changed)
        self.expect_end(process)
        self.assertEqual(self.content("a.ACC"), self.content("b.ACC"))

    def test_slurm_script(self):
        words = self.words(3)
        done = command("plan", *words[1:], "--parts", "3", "-o", "p.json", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        parts = len(read_plan(self.path("p.json")).parts)
        self.assertEqual(parts, 3)
        with open(write_slurm(self.path("p.json"), tasks=2), encoding="utf-8") as file:
            script = file.read()
        self.assertIn("#SBATCH --array=0-1\n", script)
        self.assertIn("#SBATCH --requeue\n", script)
        # Every part is one task's, as a shell reads it.
        script = script.replace("fringe work --threads", "echo").replace(self.path("p.json"), "")
        numbers = []
        for task in ("0", "1"):
            env = {**os.environ, "SLURM_ARRAY_TASK_ID": task, "SLURM_CPUS_PER_TASK": ""}
            numbers += subprocess.run(["bash", "-c", script], env=env, capture_output=True,
                                      text=True, check=True).stdout.split()
        self.assertEqual(sorted(numbers), ["0", "1", "2"])

    def with_slurm(self, words, **env):
        """Runs fringe where `sbatch` is STAND_IN_SLURM."""
        bin_ = self.path("bin")
        os.makedirs(bin_, exist_ok=True)
        for name, text in STAND_IN_SLURM.items():
            path = os.path.join(bin_, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/bash\n" + text)
            os.chmod(path, 0o755)
        env = {"PATH": f"{bin_}:{os.environ['PATH']}", "IN": self.folder, **env}
        return command(*words, cwd=self.folder, variables=env)

    def test_names_that_a_script_cannot_hold(self):
        for name in ("a\ntouch PWNED #", 'a"b', "a\\b"):
            os.makedirs(self.path(name))
            with self.subTest(name=name), self.assertRaisesRegex(ValueError, "which the script"):
                write_slurm(self.path(name + "/p.json"))
            self.assertEqual(os.listdir(self.path(name)), [])

    def test_only_what_the_plan_made_is_removed(self):
        folder = self.path("x.plan.parts")
        os.makedirs(folder)
        for name in ("part-00000-0.dumps", "precious"):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(name)
        path = self.path("x.plan.json")

        class made:
            written = False

            def write(self, path, overwrite):
                self.written = True
        with self.assertRaisesRegex(ValueError, "x.plan.parts: is there already, and no plan"):
            begin_or_resume(path, made, False, [], False)
        self.assertEqual(len(os.listdir(folder)), 2)
        begin_or_resume(path, made, False, [], True)
        self.assertEqual(os.listdir(folder), ["precious"])

    def test_slurm_jobs(self):
        words = self.words(4)
        command(*words, "-o", "a.ACC", "--backend", "cpu", cwd=self.folder)
        words = [*words, "-o", "b.ACC", "--engine", "slurm", "--parts", "4", "--threads", "3",
                 "--slurm", "--partition='a b'"]
        done = self.with_slurm(words, KILL="1", CANCEL="2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("submitted job 7, and job 8, which merges", done.stdout)
        # The process of task 1 was killed, and its task repeated; task 2 was canceled.
        self.assertEqual(self.content("requeued").decode().split(), ["7_1"])
        self.assertEqual(self.content("sbatch-words").decode().splitlines()[0],
                         f"--parsable --partition=a b {self.path('b.plan.sbatch')}")
        self.assertIn("--dependency=afterok:7", self.content("sbatch-words").decode())
        self.assertFalse(os.path.exists(self.path("b.ACC")))
        self.assertEqual(self.done_parts(), {f"part-0000{k}.json" for k in (0, 1, 3)})
        before = {name: os.stat(self.path(f"b.plan.parts/{name}")).st_mtime_ns
                  for name in self.done_parts()}
        done = self.with_slurm([*words, "--resume"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.content("a.ACC"), self.content("b.ACC"))
        for name, changed in before.items():
            self.assertEqual(os.stat(self.path(f"b.plan.parts/{name}")).st_mtime_ns, changed)
        done = self.with_slurm([*words, "--overwrite"], FAIL="Invalid partition name")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("sbatch: error: Invalid partition name", done.stderr)

    def test_what_is_missing(self):
        words = self.words(1)
        for more, why in ((["--resume"], "--resume: is for --engine"),
                          (["--workers", "2", "--engine", "slurm"],
                           "--workers: is for --engine dask"),
                          (["--engine", "dask", "--flag", "all"], "--flag: all: the search")):
            done = command(*words, "-o", "c.ACC", *more, cwd=self.folder)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(why, done.stderr)
        done = command(*words, "-o", "c.ACC", "--engine", "slurm", cwd=self.folder,
                       variables={"PATH": "/nowhere"})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("there is no sbatch", done.stderr)


if __name__ == "__main__":
    unittest.main()
