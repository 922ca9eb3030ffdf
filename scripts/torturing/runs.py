# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""A recording, how it is correlated into a file of every format, and what may be left of that."""
import os
import re
import resource
import signal
import subprocess
import sys
import time

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.describing.info import describe

TIMEOUT = 120  # s, after which a run does not end any more
FORMATS = (".ms", ".uvh5", ".uvfits", ".ACC", ".LCCSPC")
INPUTS, CHANNELS, DUMPS = 4, 64, 600
SPECTRA = 50  # of a dump
FRINGE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../apps/fringe")
OBSERVATION = f"""
site: {{latitude: -30, longitude: 21, height: 1000}}
antennas: [[0, 0, 0], [11, 2, 0], [-7, 9, 0], [30, -4, 0]]
format: ci8
sample_rate: 1e6
center_frequency: 150e6
start_time: 2026-06-12T00:00:00
phase_center: {{ra: 5h00m00s, dec: -30d00m00s}}
channels: {CHANNELS}
spectra: {SPECTRA}
"""


class bench:
    """What all trials share: a recording in `folder`, and the files that are right."""

    def __init__(self, folder):
        self.folder = folder
        self.raw, self.obs = os.path.join(folder, "raw"), os.path.join(folder, "obs.yml")
        self.right, self.seconds = {}, 0.0

    def prepare(self):
        """Makes recording and right files, and measures how long a run takes."""
        noise = np.random.default_rng(7).normal(0, 20, DUMPS * SPECTRA * CHANNELS * INPUTS * 2)
        np.clip(noise, -127, 127).astype(np.int8).tofile(self.raw)
        with open(self.obs, "w", encoding="utf-8") as file:
            file.write(OBSERVATION)
        began = time.monotonic()
        run = self.begin(self.folder)
        code, text = end_of(run)
        self.seconds = time.monotonic() - began
        if code:
            raise RuntimeError(text)
        for ending in FORMATS:
            self.right[ending] = fringe.read_visibilities(os.path.join(self.folder, "x" + ending))

    def begin(self, folder, *words, limits=(), environment=(), outputs=FORMATS, recording=True):
        """A run of `fringe correlate` in a folder, which is not waited for."""
        read = [self.raw, "--obs", self.obs, "--backend", "generic"] if recording else []
        names = [word for ending in outputs for word in ("-o", "x" + ending)]
        return subprocess.Popen(
            [sys.executable, FRINGE, "correlate", *read, *names, *words], cwd=folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, **dict(environment)},
            preexec_fn=lambda: _prepare((*limits, (resource.RLIMIT_CORE, 0))))

    def check(self, folder, code=None):
        """What is left of a run is that of the right files, as far as it goes, or its name says
        that it is not finished. Returns {name: dumps}."""
        found = {}
        for name in sorted(os.listdir(folder)):
            stem, ending = os.path.splitext(name)
            if ending in FORMATS and stem in ("x", "x.partial"):
                found[name] = self._dumps(os.path.join(folder, name), stem == "x")
            elif not re.fullmatch(r"\.x.*\.writing|x(\.partial)?(\.LACSPC|\.\w+\.yml)", name):
                raise AssertionError(f"{name}: what is that?")
        if code == 0 and set(found) != {"x" + ending for ending in FORMATS}:
            raise AssertionError(f"all is well, it says, and there are {found}")
        return found

    def _dumps(self, path, whole):
        right = self.right[os.path.splitext(path)[1]]
        try:
            describe(path)
            vis = fringe.read_visibilities(path)
        except ValueError as error:
            if whole or "\n" in str(error) or os.path.splitext(path)[0] not in str(error):
                raise
            return None  # nothing was written yet
        dumps = len(vis.data)
        # The last one may be half there, or a part of one where a signal ended the run.
        same = dumps if dumps == DUMPS else dumps - 1
        for values, expected in ((vis.data, right.data), (vis.weights, right.weights)):
            np.testing.assert_array_equal(values[:same], expected[:same], path)
        return dumps


def _prepare(limits):
    """In the process of a run, before its program begins."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # jobs in the background ignore it
    for what, value in limits:
        resource.setrlimit(what, (value, value))


def begun(run, folder, name):
    """Waits until a run has made a file of that name; False where it has ended before."""
    end = time.monotonic() + TIMEOUT
    while not os.path.exists(os.path.join(folder, name)):
        if run.poll() is not None:
            return False
        if time.monotonic() > end:
            run.kill()
            raise AssertionError(f"there is no {name} after {TIMEOUT} s")
        time.sleep(0.002)
    return True


def end_of(run):
    """(exit code, what it printed) of a run."""
    try:
        text, _ = run.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        run.kill()
        run.communicate()
        raise AssertionError(f"the run does not end in {TIMEOUT} s") from None
    return run.returncode, text


def check_sentence(code, text, codes):
    """A run ends with one of these codes, and one line of text where it is not 0."""
    if code not in codes:
        raise AssertionError(f"exit code {code}, must be one of {codes}: {text}")
    lines = [line for line in text.splitlines()
             if not line.startswith(("fringe", "note: ", "warning: "))]
    if code > 0 and (lines or not text):
        raise AssertionError(f"exit code {code} without a sentence, or with more: {text}")


def in_words(found):
    """Dumps of every file."""
    return ", ".join(f"{name}: {dumps}" for name, dumps in found.items()) or "no file"
