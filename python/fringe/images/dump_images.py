#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Images of the dumps of a correlator while they come."""

from dataclasses import dataclass

import numpy as np

from .. import fringe_python as fp
from ..readers.feeds import feeds_of_observation
from ..readers.visibilities import is_dated, visibilities
from .frame import frame_of
from .make import image_maker, nothing_seen
from .series import ROUNDING

#: Bytes of the dumps that wait for their image, at most.
MEMORY = 2**30


@dataclass
class timed_dump:
    """One dump."""
    values: np.ndarray          #: complex64 [channel][product]
    weights: np.ndarray = None  #: float32, same shape; None = 1
    flags: np.ndarray = None    #: same shape, not 0 = bad; None = none
    seconds: int = 0            #: start, whole UTC seconds since 1970
    fraction: float = 0.0       #: and the fraction
    interval: float = 1.0       #: s
    edge: int = None            #: the channel of both edges of the band, which is left out


class dump_sky:
    """What a dump shows of the sky: `visibilities`, as the files of a visibility_sink hold them.

    Where the observation has a site, and the dumps have dates, they are phased to its phase
    center, the zenith of the first of them where it says zenith. Else they stay as they are, in
    the axes east, north and up. towards: (observation, epoch) -> (right ascension, declination) of
    another center.
    """

    def __init__(self, observation, channels, complex_samples=True,
                 towards=fp.phase_center_radec):
        obs = self._obs = observation
        self._towards = towards
        self._complex, self._channels = bool(complex_samples), int(channels)
        self._antenna = np.array([entry.antenna for entry in obs.inputs])
        places = np.array([antenna.enu for antenna in obs.antennas], float)
        path = obs.telescope or "dumps"
        self._described = dict(
            path=path, feeds=feeds_of_observation(path, obs),
            telescope=obs.telescope,
            antennas=[antenna.name for antenna in obs.antennas],
            inputs=[(entry.antenna, entry.polarization) for entry in obs.inputs],
            frequencies=obs.channel_frequencies(channels, self._complex),
            positions=places - places.mean(axis=0))
        bad = np.array([entry.bad for entry in obs.inputs], bool)
        self._i, self._j = np.triu_indices(len(bad))
        self._bad = bad[self._i] | bad[self._j]

    def described(self, when=None):
        """`visibilities` without data of a dump whose middle is at an epoch."""
        return self.turned(when)[0]

    def turned(self, when=None):
        """(described(when), the factors [channel][antenna] that visibilities get to be phased as it
        says, the conjugate for the second antenna)."""
        seconds, fraction = (when.seconds, when.fraction()) if when else (0, 0.0)
        vis = visibilities(
            seconds=np.array([seconds]), fractions=np.array([fraction]), intervals=np.ones(1),
            exposures=np.ones(1), has_times=is_dated([seconds]), **self._described)
        if self._is_phased(seconds):
            return vis, self._phase(vis, self._towards(self._obs, when), when)
        return vis, np.ones((self._channels, len(vis.antennas)), np.complex64)

    def visibilities(self, dumps):
        """Of some `timed_dump`s, with data."""
        first, count = dumps[0], len(dumps)
        middles = [self._middle(dump) for dump in dumps]
        shape = count, *first.values.shape
        data = np.array([dump.values for dump in dumps], np.complex64)
        weights = np.empty(shape, np.float32)
        flags = np.broadcast_to(self._bad, shape).copy()
        for k, dump in enumerate(dumps):
            weights[k] = dump.interval if dump.weights is None else dump.weights * dump.interval
            if dump.flags is not None:
                flags[k] |= dump.flags != 0
            if dump.edge is not None:
                flags[k, dump.edge] = True
        bad = ~np.isfinite(data)
        if bad.any():
            data[bad] = 0
            weights[bad] = 0
        flags |= weights <= 0
        seconds = np.array([middle.seconds for middle in middles], np.int64)
        vis = visibilities(
            seconds=seconds, fractions=np.array([middle.fraction() for middle in middles]),
            intervals=np.array([dump.interval for dump in dumps]), exposures=np.ones(count),
            has_times=is_dated(seconds), data=data, weights=weights, flags=flags,
            **self._described)
        if self._is_phased(seconds[0]):
            center = self._towards(self._obs, middles[0])
            vis.uvw = np.empty((count, len(self._obs.antennas), 3))
            for k, when in enumerate(middles):
                turn = self._phase(vis, center, when, k)
                data[k] *= turn[:, self._antenna[self._i]]
                data[k] *= turn[:, self._antenna[self._j]].conj()
        return vis

    def unphased(self, values, dumps, first=None):
        """Values [dump][channel][product] of visibilities() with the phases of the dumps as they
        came. first: the first of those that visibilities() was given."""
        first = first or dumps[0]
        if not self._is_phased(self._middle(first).seconds):
            return values
        center = self._towards(self._obs, self._middle(first))
        back = np.array(values)
        for k, dump in enumerate(dumps):
            turn, _ = fp._dump_phases(self._obs, self._channels, self._complex, *center,
                                      self._middle(dump))
            back[k] *= turn[:, self._antenna[self._i]].conj()
            back[k] *= turn[:, self._antenna[self._j]]
        return back

    @staticmethod
    def _middle(dump):
        return fp.epoch(int(dump.seconds), float(dump.fraction)).plus_seconds(dump.interval / 2)

    def _is_phased(self, seconds):
        return self._obs.has_site and is_dated([seconds])

    def _phase(self, vis, center, when, k=0):
        """Sets uvw of a dump; the factors [channel][antenna] of its visibilities."""
        turn, uvw = fp._dump_phases(self._obs, self._channels, self._complex, *center, when)
        if vis.uvw is None:
            vis.uvw = np.empty((1, *uvw.shape))
        vis.uvw[k] = uvw
        vis.phase_center = (self._obs.phase_center.name or "", *center)
        return turn


class dump_images:
    """Images of the dumps that it is given: one of each, or one for each `every` seconds from
    the first on. All have the same pixels."""

    def __init__(self, observation, channels, complex_samples, settings, every=0.0, maker=None):
        """maker: an `image_maker`, or what makes something else of dumps, with its methods."""
        self._sky = dump_sky(observation, channels, complex_samples)
        frame_of(self._sky.described())  # says what is missing before the data come
        self._maker = maker or image_maker(settings)
        #: seconds of dumps in an image; 0 = one
        self.every = float(every)
        self._zero, self._number = None, 0
        self._waiting = []
        #: images so far, and how many could not be made: all their visibilities were flagged
        self.made, self.empty = 0, 0

    def restart(self):
        """Forgets the dumps that wait."""
        self._waiting, self._zero, self._number = [], None, 0

    def add(self, dump):
        """Takes a `timed_dump`; returns the images that are ready now, a list of `sky_image`."""
        if self.every <= 0:
            return self._image([dump])
        images = []
        since = self._since(dump)
        number = int(np.floor((since + dump.interval / 2) / self.every + ROUNDING))
        if number != self._number:
            images += self.rest()
            self._number = number
        self._waiting.append(dump)
        held = sum(dump.values.nbytes for dump in self._waiting)
        if held > MEMORY:
            raise ValueError(f"every: {self.every:g} s: the dumps of one image need more than "
                             f"{MEMORY >> 20} MiB; take longer dumps, or shorter intervals")
        if since + 1.5 * dump.interval > (number + 1) * self.every + ROUNDING * self.every:
            images += self.rest()
            self._number = number + 1
        return images

    def rest(self):
        """The image of the dumps that wait for more, a list of none or one."""
        waiting, self._waiting = self._waiting, []
        return self._image(waiting) if waiting else []

    def _since(self, dump):
        """Seconds from the first dump to this one."""
        if self._zero is None:
            self._zero = dump.seconds, dump.fraction
        return (dump.seconds - self._zero[0]) + (dump.fraction - self._zero[1])

    def _image(self, dumps):
        try:
            made = self._maker.make([self._sky.visibilities(dumps)])
        except nothing_seen:
            self.empty += 1
            return []
        if self.made == 0:
            self._maker.keep_pixels(made)
        self.made += 1
        return [made]
