#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""All-sky dirty image of a small array, while it observes."""

import threading
import time

import numpy as np
from PyQt5 import QtCore, QtGui

from .. import imaging
from ..readers.visibilities import visibilities
from .colours import GREY, colour_map
from .curves import auto_scale, side_by_side
from .display import display
from .plots import heat_map

MAX_ANTENNAS = 32
#: Images in a second, at most.
RATE = 2.0


class sky_map(heat_map):
    """The sky as seen from below: north up, east to the left."""

    def __init__(self):
        super().__init__("l, direction cosine to the east", "m, to the north", square=True)
        self.smooth = True
        self.x, self.y = (1.0, -1.0), (-1.0, 1.0)

    def paint(self, painter):
        """The image inside the horizon, and circles of elevation."""
        horizon = QtGui.QPainterPath()
        horizon.addEllipse(self.area())
        painter.fillPath(horizon, QtGui.QColor.fromRgb(int(colour_map("heat")[0])))
        painter.setClipPath(horizon)
        super().paint(painter)
        painter.setClipRect(self.area())
        painter.setBrush(QtCore.Qt.NoBrush)
        middle = QtCore.QPointF(*self.at(0, 0))
        for elevation in (0, 30, 60):
            painter.setPen(QtGui.QPen(GREY, 2 if elevation == 0 else 1, QtCore.Qt.SolidLine
                                      if elevation == 0 else QtCore.Qt.DashLine))
            radius = np.cos(np.radians(elevation)) * self.area().width() / 2
            painter.drawEllipse(middle, radius, radius)


class all_sky(display):
    """The dirty image of the whole sky from one dump, by direct Fourier transform.

        I(l, m) = sum_ij W_ij Re{conj(E_i) V_ij E_j} / sum_ij W_ij,   i != j

    as fringe.imaging.dirty_image makes it, of correlation coefficients, in a thread of its own
    and at most twice a second: the newest dump when it has time for one. Inputs that the
    observation calls bad are left out.

    Input: visibilities [channel][baseline], phased to the zenith (no delay tracking).

      observation: positions of the antennas, frequencies; at most 32 antennas
      channels, channels_per_item: as in the block before
      complex_samples: of the recording
      size: pixels a side

    Raises ValueError for invalid sizes, channels and antennas, and for too many antennas.
    """

    def __init__(self, observation, channels=128, complex_samples=True, size=129,
                 channels_per_item=0):
        if len(observation.antennas) > MAX_ANTENNAS:
            raise ValueError(f"display all_sky: {len(observation.antennas)} antennas; it makes "
                             f"images of at most {MAX_ANTENNAS}")
        if not 16 <= size <= 1024:
            raise ValueError(f"display all_sky: size {size}; it must be 16 ... 1024 pixels")
        self._obs, self._size = observation, int(size)
        self._scale = auto_scale(patience=8, steps=(1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10))
        self._newest, self._guard, self._thread = None, threading.Lock(), None
        self._ending = threading.Event()
        #: the last image, a fringe.imaging.image, and how many there were
        self.image, self.images = None, 0
        display.__init__(self, "all_sky", len(observation.inputs), channels, channels_per_item,
                         (), observation.channel_frequencies(channels, complex_samples))
        self.map = sky_map()
        self.map.title = "All-sky dirty image"
        self._widget = side_by_side(self.map)
        places = np.array([one.enu for one in observation.antennas])
        self._described = dict(
            path="", telescope=observation.telescope,
            antennas=[one.name for one in observation.antennas],
            inputs=[(one.antenna, one.polarisation) for one in observation.inputs],
            frequencies=self.frequencies, exposures=np.ones(1),
            positions=places - places.mean(axis=0))
        bad = np.array([one.bad for one in observation.inputs], bool)
        i, j = np.triu_indices(len(bad))
        self._flags = bad[i] | bad[j]

    def _products(self):
        return None, slice(None)

    def _show(self, dump):
        # The thread ends when no dump comes for a while, or the run ends.
        with self._guard:
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
        data = np.nan_to_num(dump.values)[None]
        flags = self._flags | np.isnan(dump.values)[None]
        vis = visibilities(
            seconds=np.array([dump.seconds]), fractions=np.array([dump.fraction]),
            intervals=np.array([dump.interval]), data=data,
            weights=np.ones(data.shape, np.float32),
            flags=flags, **self._described)
        try:
            picture = imaging.dirty_image(vis, self._size, self.band())
        except ValueError as error:  # too few antennas, or nothing received yet
            self.map.title = str(error)
            self.map.changed()
            return
        self.image, self.images = picture, self.images + 1
        self._scale.changed(np.fmax(picture.values, 0))
        self.map.title = f"All-sky dirty image at {picture.frequency / 1e6:.6g} MHz"
        # North up, and east to the left.
        shown = picture.values[::-1, ::-1]
        self.map.show_values(shown, 0, self._scale.limit or 1.0, "Correlation coefficient")
