#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Images of the sky over an array, of single dumps, for displays and the web page."""

from dataclasses import dataclass

import numpy as np

from .. import fringe_python as fp
from ..readers.visibilities import is_dated
from .dump_images import dump_sky, timed_dump
from .frame import image_frame
from .make import image_maker, nothing_seen
from .sky_image import image_settings

#: Rms error of an image, of its rms.
ERROR = 1e-3


@dataclass
class sky_picture:
    """The sky above the horizon: l (east) along columns, m (north) along rows."""
    values: np.ndarray  #: [m][l], NaN below the horizon
    axis: np.ndarray    #: direction cosine of each column, and of each row
    frequency: float    #: Hz, mean
    when: object        #: `epoch` of the middle of the dump; None = it has no time


class zenith_images:
    """Makes images of dumps, as image_maker does, of the sky around the zenith.

    V are correlation coefficients, so strong and weak antennas count alike. Inputs that the
    observation calls bad are left out. Where the observation is tracked the phases are turned
    back to the zenith.
    """

    def __init__(self, observation, channels, complex_samples, size):
        self._sky = dump_sky(observation, channels, complex_samples, towards_zenith)
        size = int(size) | 1  # the zenith is a pixel
        self._maker = image_maker(image_settings(
            size=(size, size), scale=2 / (size - 1), epsilon=ERROR, all_sky=True))
        antenna = np.array([entry.antenna for entry in observation.inputs])
        hand = np.array([entry.polarization for entry in observation.inputs])
        bad = np.array([entry.bad for entry in observation.inputs], bool)
        self._i, self._j = i, j = np.triu_indices(len(antenna))
        self._any = ((antenna[i] != antenna[j]) & (hand[i] == hand[j]) & ~(bad[i] | bad[j])).any()

    def image(self, dump, band):
        """The `sky_picture` of a dump and a slice of channels; ValueError with a sentence."""
        if not self._any:
            raise ValueError("No image: no two antennas have inputs of one polarization")
        vis = self._sky.visibilities([timed_dump(
            self._coefficients(dump.values), seconds=int(dump.seconds),
            fraction=float(dump.fraction), interval=dump.interval or 1.0)])
        vis.frequencies = np.asarray(vis.frequencies)[band]
        vis.data, vis.weights, vis.flags = (
            array[:, band] for array in (vis.data, vis.weights, vis.flags))
        if vis.frequencies.min() <= 0:
            raise ValueError("No image: the observation says no center frequency")
        center = None
        if vis.uvw is not None:
            center = tuple(vis.phase_center[1:])
            vis.uvw = vis.positions[None]  # l is towards the east, and m to the north, of today
        frame = image_frame(center, "zenith", np.eye(3), True, center is not None)
        try:
            made = self._maker.make([vis], frame=frame)
        except nothing_seen:
            raise ValueError("No image: there are no data") from None
        when = fp.epoch(*made.middle) if is_dated([dump.seconds]) else None
        return sky_picture(made.values[0, 0], made.axis(), float(made.frequencies[0]), when)

    def _coefficients(self, values):
        """Correlation coefficients [channel][product]; no number where an input has no power."""
        power = np.nan_to_num(values[:, self._i == self._j].real)
        scale = power[:, self._i] * power[:, self._j]
        return np.where(scale > 0, values, np.nan) / np.sqrt(np.where(scale > 0, scale, 1))


def towards_zenith(observation, when):
    """Right ascension and declination of the zenith."""
    return fp.radec_of_azel(observation, 0.0, np.pi / 2, when)


class running_mean:
    """The mean of images so far, in which the newest have the weight of one in `count`."""

    def __init__(self, count):
        self._count = count
        self.restart()

    def restart(self):
        """Forgets all."""
        self._mean, self._seen = None, 0

    def difference(self, values):
        """`values` less the mean of those before, and adds them to it. None for the first."""
        self._seen += 1
        if self._mean is None or self._mean.shape != values.shape:
            self._mean, self._seen = np.array(values), 1
            return None
        left = values - self._mean
        self._mean += left / min(self._seen, self._count)
        return left
