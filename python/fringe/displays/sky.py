#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The sky over an array, while it observes."""

import threading
import time

import numpy as np

from ..images.sky_sources import read_sources, source_places
from ..images.zenith_images import running_mean, zenith_images
from .display import display
from .scales import auto_scale
from .sky_view import radec_of, sky_view

MIN_ANTENNAS, MAX_ANTENNAS = 2, 256
#: Images in a second, at most.
RATE = 10.0


class sky(display):
    """The dirty image of the whole sky above the horizon, of single dumps.

        I(l, m) = sum_ij W_ij Re{V_ij exp(-2 pi i (u l + v m + w n))} / sum_ij W_ij,   i != j

    of correlation coefficients, in a thread of its own: the newest dump when it has time for one,
    and at most ten a second. Dumps that come faster are counted, and the flowgraph never waits.
    Sources of the observation's sky, others that are asked for, and satellites are marked where
    they stand at the time of the dump. The line below the map says azimuth, elevation, right
    ascension and declination of the place under the pointer. Two antennas show their fringes.

    Input: visibilities [channel][baseline].

      observation: positions of 2 to 256 antennas, frequencies, site, sources, bad inputs; where
        it says that delays are tracked the phases are turned back to the zenith
      channels, channels_per_item: as in the block before
      complex_samples: of the recording
      size: pixels a side, 16 to 1024
      sources: what is marked beside the observation's sky: a catalogue (as fringe calibrate takes
        it, with satellites), an observation file, or names such as "Sun,CasA"
      difference: shows the difference from the running mean of the images before, in which
        what comes and goes stands out
      memory: images in that mean
      maximum: upper end of the colors; 0 = it follows the data
      title: a line above the display; "" = none

    Raises ValueError for invalid sizes, channels, sources and numbers of antennas.
    """

    NAME = "sky"

    def __init__(self, observation, channels=128, complex_samples=True, size=257, sources="",
                 difference=False, memory=20, maximum=0.0, channels_per_item=0,
                 title=""):
        antennas = len(observation.antennas)
        if not MIN_ANTENNAS <= antennas <= MAX_ANTENNAS:
            raise ValueError(f"display {self.NAME}: {antennas} antennas; it makes images of "
                             f"{MIN_ANTENNAS} to {MAX_ANTENNAS}")
        for field, value, right, what in (
                ("size", size, 16 <= size <= 1024, "it must be 16 ... 1024 pixels"),
                ("memory", memory, memory >= 1, "it must be 1 image or more"),
                ("maximum", maximum, maximum >= 0, "it must be 0 or more")):
            if not right:
                raise ValueError(f"display {self.NAME}: {field} {value}; {what}")
        self._obs, self._maximum = observation, float(maximum)
        self._places = source_places(observation, read_sources(sources))
        self._scales = [auto_scale(hold=8, steps=(1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10))
                        for _ in range(2)]
        self._mean, self._difference = running_mean(int(memory)), bool(difference)
        self._newest, self._guard, self._thread = None, threading.Lock(), None
        self._ending, self._replaced, self._shown_band = threading.Event(), 0, None
        #: the last image, a sky_picture, and how many there were
        self.image, self.images = None, 0
        display.__init__(self, self.NAME, len(observation.inputs), channels, channels_per_item,
                         (), observation.channel_frequencies(channels, complex_samples), title)
        self._maker = zenith_images(observation, channels, complex_samples, int(size))
        self._widget = sky_view(radec_of(observation), self.set_difference)
        self.map = self._widget.map
        self.map.title = "The sky"
        self.set_difference(difference)

    def set_difference(self, difference):
        """Shows the difference from the running mean, or the images, from the next one on."""
        self._difference = bool(difference)
        self._gui(lambda: self._widget.box.setChecked(self._difference))

    def set_maximum(self, maximum):
        """Upper end of the colors; 0 = it follows the data."""
        self._maximum = float(maximum)

    def lost(self):
        """Dumps so far that were not shown, as they came faster than images are made."""
        return self.tap.passed_over() + self._replaced

    def _products(self):
        return None, slice(None)

    def _show(self, dump):
        # The thread ends when no dump comes for a while, or the run ends.
        with self._guard:
            self._replaced += self._newest is not None
            self._newest = dump
            if self._thread is None:
                self._ending.clear()
                self._thread = threading.Thread(target=self._make_images, daemon=True)
                self._thread.start()

    def _run_ended(self):
        # The widget may be gone right after this: the last image is waited for.
        with self._guard:
            thread = self._thread
        self._ending.set()
        if thread is not None:
            thread.join()

    def _make_images(self):
        while True:
            began = time.monotonic()
            with self._guard:
                dump, self._newest = self._newest, None
                if dump is None:
                    self._thread = None
                    return
            self._make_image(dump)
            self._ending.wait(max(0.0, 1 / RATE - (time.monotonic() - began)))

    def _make_image(self, dump):
        band = self.band()
        try:
            picture = self._maker.image(dump, band)
        except ValueError as error:  # nothing received yet, say
            self.map.change(title=str(error))
            return
        if band != self._shown_band:
            self._mean.restart()
            self._shown_band = band
        left = self._mean.difference(picture.values)
        self.image, self.images = picture, self.images + 1
        name = f"{self._obs.telescope}: the sky" if self._obs.telescope else "The sky"
        around = {"sources": self._places.above(picture.when), "notes": self._notes(picture),
                  "title": f"{name} at {picture.frequency / 1e6:.6g} MHz"}
        if self._difference and left is not None:
            limit = self._limit(1, left)
            self.map.show_sky(picture, left, -limit, limit, "Difference of the coefficient",
                              "difference", **around)
        else:
            limit = self._limit(0, np.fmax(picture.values, 0))
            self.map.show_sky(picture, picture.values, 0, limit, "Correlation coefficient", "heat",
                              **around)

    def _limit(self, which, values):
        self._scales[which].changed(values)
        return self._maximum or self._scales[which].limit or 1.0

    def _notes(self, picture):
        """Texts for the corners."""
        when = picture.when.iso(0) if picture.when is not None else ""
        day, _, clock = when.rstrip("Z").replace(" ", "T").partition("T")
        lost = self.lost()
        below = ["difference\nto the mean"] if self._difference else []
        below.append(f"image {self.images}")
        if lost:
            below.append(f"{lost} dump{'s' * (lost > 1)}\nnot shown")
        return (f"{day}\n{clock} UTC" if clock else "", f"{len(self._obs.antennas)} antennas",
                "\n".join(below), "")
