#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The folder of a lab: recordings, observation files, the task, and the answers apart."""
import os

import numpy as np
import yaml

from .. import fringe_python as fp
from ..ground.quantize import default_level, quantize
from ..observing.positions import azimuth_and_elevation
from ..simulating.simulator import simulator

FORMAT = "ci8"
#: Samples that are made at a time.
STRETCH = 1 << 20
LOWEST = 5.0  # degrees of elevation

README = """\
# {title}

{task}

## What is here

| file | |
|---|---|
{files}

The recordings have flaws, as those of real receivers have. Find them before you believe a number.
All of this is simulated (gr-fringe {version}, seed {seed}).
"""

ANSWERS = """\
# For instructors: the truth of the recordings in this folder, and all of their flaws.
# Take this file out before students get the folder.
"""


class lab_folder:
    """Where a lab is written, and what all of them need.

    folder: to write in; seed: of noise and of the numbers to be found; start: epoch; site:
    (latitude, longitude, height), degrees and m.
    """

    def __init__(self, folder, seed, start, site):
        self.folder, self.seed, self.start, self.site = folder, seed, start, site
        self.rng = np.random.default_rng([seed, 1937])
        self.answers, self.files = {"seed": seed}, []

    def observation(self, antennas, rate, frequency, phase_center, more="", start=None):
        """The text of an observation file; antennas: {name: (east, north, up)}."""
        latitude, longitude, height = self.site
        places = [f"{{name: {name}, enu: {list(enu)}}}" for name, enu in antennas.items()]
        return (f"site: {{latitude: {latitude:.10g}, longitude: {longitude:.10g}, "
                f"height: {height:.10g}}}\n"
                f"antennas: [{', '.join(places)}]\nformat: {FORMAT}\nsample_rate: {rate:.10g}\n"
                f"center_frequency: {frequency:.12g}\n"
                f"start_time: {(start or self.start).iso(0)}Z\n"
                f"phase_center: {phase_center}\n{more}")

    def stretches(self, text, samples, kind=0):
        """Voltages of an observation, [input][time], and the number of the first sample of each
        stretch; kind: another one has other noise."""
        made = simulator(fp.observation.from_text(text), True, 16 * self.seed + kind)
        for first in range(0, samples, STRETCH):
            yield first, made.read(min(STRETCH, samples - first))

    def must_be_up(self, text, what, seconds=0.0):
        """ValueError where the phase center of an observation is below the horizon."""
        obs = fp.observation.from_text(text)
        for instant in (obs.start_time, obs.start_time.plus_seconds(seconds)):
            height = azimuth_and_elevation(obs, instant)[1]
            if height < LOWEST:
                raise ValueError(f"start_time: {instant.iso(0)}Z: {what} stands at an elevation of "
                                 f"{height:.0f} degrees there; it must be {LOWEST:g} or more")

    def write(self, name, text, what):
        """A file of text."""
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        self.files.append((name, what))

    def recording(self, name, what):
        """A recording that grows by record(): see below."""
        self.files.append((name, what))
        return recording(os.path.join(self.folder, name))

    def finish(self, title, task):
        """Writes the task and the answers."""
        files = "\n".join(f"| `{name}` | {what} |" for name, what in self.files)
        self.write("README.md", README.format(title=title, task=task.strip(), files=files,
                                              version=fp.__version__, seed=self.seed), "")
        self.write("answers.yml", ANSWERS + yaml.safe_dump(_plain(self.answers), sort_keys=False),
                   "")


class recording:
    """Writes voltages [time] or [input][time] in units where powers of 1 are usual."""

    level = default_level(FORMAT, 2.0)

    def __init__(self, path):
        self._file = open(path, "wb")  # pylint: disable=consider-using-with

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def record(self, voltages):
        """Appends samples."""
        self._file.write(quantize(np.atleast_2d(voltages), FORMAT, self.level).data)


def _plain(value):
    """Numbers of numpy as those of Python, of six digits."""
    if isinstance(value, dict):
        return {key: _plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, (str, int, bool)):
        return value
    return float(f"{value:.6g}")
