#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Images of the sky for the page, one for all viewers, in a thread of their own."""
import threading
import time
import types

import numpy as np

from .. import fringe_python as fp
from ..images.sky_sources import read_sources, source_places
from ..images.zenith_images import zenith_images
from .messages import encode

SIZE = 161            # pixels a side
INTERVAL = 0.5        # seconds from one image to the next, at least
MAX_ANTENNAS = 256
LEVELS = 254          # of the pixels; 255 = below the horizon


class sky_images:
    """Makes an image of the newest dump when it has time for one.

    observation: of the array; None: that which the dumps bring. sources: as the Sky Display takes
    them. `message` is the newest image as the page takes it, or None; `count` how many there were;
    `why` says why no image is made, "" where none is to be expected.
    """

    def __init__(self, observation=None, sources=""):
        self._given, self._sources = observation, read_sources(sources)
        self._text = self._maker = self._places = self._newest = None
        self.message, self.count, self.why = None, 0, ""
        self._wake, self._ending = threading.Condition(), False
        self._thread = threading.Thread(target=self._run, name="images", daemon=True)

    def start(self):
        """Begins to make images."""
        self._thread.start()

    def close(self):
        """Ends the thread."""
        with self._wake:
            self._ending = True
            self._wake.notify()
        if self._thread.is_alive():
            self._thread.join()

    def newest(self, dump):
        """There is another dump; the one before is forgotten."""
        with self._wake:
            self._newest = dump
            self._wake.notify()

    def _run(self):
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._ending or self._newest is not None)
                if self._ending:
                    return
                dump, self._newest = self._newest, None
            began = time.monotonic()
            try:
                self.message, self.why = self._image(dump), ""
                self.count += 1
            except ValueError as error:
                self.message, self.why = None, str(error)
            with self._wake:
                left = INTERVAL - (time.monotonic() - began)
                self._wake.wait_for(lambda: self._ending, timeout=max(0.0, left))

    def _prepare(self, dump):
        """Makes ready for the array of a dump; ValueError where it has no images."""
        text = f"{dump.complex_samples} {len(dump.frequencies)} {dump.observation}"
        if text == self._text:
            return
        self._text, self._maker = text, None
        obs = self._given or (fp.observation.from_text(dump.observation) if dump.observation
                              else None)
        if obs is None:
            raise ValueError("No image: the dumps do not say where the antennas are; give the "
                             "observation file with obs=FILE")
        antennas = len(obs.antennas)
        if not 2 <= antennas <= MAX_ANTENNAS:
            raise ValueError(f"No image: {antennas} antennas; there are images of 2 to "
                             f"{MAX_ANTENNAS}")
        if len(obs.inputs) != len(dump.names):
            raise ValueError(f"No image: the observation has {len(obs.inputs)} inputs, and the "
                             f"dumps have {len(dump.names)}")
        self._obs = obs
        self._places = source_places(obs, self._sources)
        self._maker = zenith_images(obs, len(dump.frequencies), dump.complex_samples, SIZE)

    def _image(self, dump):
        self._prepare(dump)
        if self._maker is None:
            raise ValueError(self.why)
        values = np.where(dump.weights > 0, dump.visibilities, np.nan)
        if dump.edge_channel is not None and len(values) > 1:
            values[dump.edge_channel] = np.nan
        picture = self._maker.image(types.SimpleNamespace(
            values=values, seconds=dump.seconds, fraction=dump.fraction,
            interval=dump.interval), slice(None))
        image = picture.values
        high = float(np.nanmax(image)) if np.nanmax(image) > 0 else 1.0
        below = np.isnan(image)
        levels = np.clip(np.where(below, 0, image) / high * LEVELS, 0, LEVELS).round()
        pixels = np.where(below, 255, levels).astype(np.uint8)
        marks = [[name, round(l, 5), round(m, 5), bool(satellite)] for name, l, m, satellite
                 in self._places.above(picture.when)]
        return encode("sky", {
            "size": len(image), "high": high, "frequency": picture.frequency,
            "title": self._obs.telescope, "antennas": len(self._obs.antennas), "marks": marks,
            "utc": picture.when.iso(0) if picture.when is not None else None}, pixels=pixels)
