#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""uv coverage: which waves on the sky the baselines have measured so far."""

import numpy as np
from PyQt5 import QtCore, QtGui

from .. import fringe_python as fp
from .curves import side_by_side
from .display import display
from .plots import plot

#: Baselines that are drawn, all instants together: a screen is full of them.
MAX_LINES = 20000
#: Part of the longest baseline by which an end must have moved to be drawn again.
STEP = 0.002


def axes_at(obs, when):
    """Rows u, v, w in ITRF of the observation's phase center at an instant."""
    center, kinds = obs.phase_center, obs.phase_center.kind
    if center.frame in (kinds.radec, kinds.body):
        return fp.axes_of_radec(*fp.phase_center_radec(obs, when), when,
                                *obs.orientation(when))
    if center.frame == kinds.azel:
        return fp.axes_of_azel(obs, center.longitude, center.latitude)
    return fp.axes_of_azel(obs, 0.0, np.pi / 2)


class uv_plot(plot):
    """Baselines in wavelengths: the newest in orange, where they have been in blue."""

    def __init__(self, names=()):
        super().__init__("u, towards east (wavelengths)", "v, towards north (wavelengths)", True)
        self.tracks, self.stretch = [], (1.0, 1.0)
        self.baselines = list(names)

    def reading(self, x, y):
        """plot's: the place, and the newest baseline that is nearest."""
        place = f"u {x:.5g}, v {y:.5g} wavelengths, length {np.hypot(x, y):.5g}"
        if not self.tracks or not len(self.tracks[-1]):
            return None, place
        ends = np.mean(self.stretch) * np.concatenate([self.tracks[-1], -self.tracks[-1]])
        k = int(np.hypot(*(ends - (x, y)).T).argmin())
        name = self.baselines[k % len(self.baselines)]
        return tuple(ends[k]), f"{name}: u {ends[k][0]:.5g}, v {ends[k][1]:.5g}   pointer: {place}"

    def columns(self):
        """plot's: the newest dump, in the middle of the channels shown."""
        newest = (self.tracks or [np.empty((0, 2))])[-1] * np.mean(self.stretch)
        return ([("Baseline", np.array(self.baselines[:len(newest)])),
                 ("u (wavelengths)", newest[:, 0])], ("v (wavelengths)", newest[:, 1]))

    def paint(self, painter):
        """Each baseline over the band is a short line, and one more at (-u, -v)."""
        painter.setPen(self.theme.faint)
        for ends in (((self.x[0], 0), (self.x[1], 0)), ((0, self.y[0]), (0, self.y[1]))):
            painter.drawLine(*(QtCore.QPointF(*self.at(*end)) for end in ends))
        tracks = self.tracks
        for points in tracks:
            color, width = ((self.theme.orange, 5) if points is tracks[-1] else
                             (self.theme.blue, 2))
            painter.setPen(QtGui.QPen(color, width, QtCore.Qt.SolidLine, QtCore.Qt.RoundCap))
            painter.drawLines(self._lines(points))

    def _lines(self, points):
        both = np.concatenate([points, -points])
        ends = [self.at(*(both * s).T) for s in self.stretch]
        return [QtCore.QLineF(*four) for four in zip(*ends[0], *ends[1])]


class uv_coverage(display):
    """u and v of every baseline, from the observation's antennas and the time of the dumps.

        (u, v) = (uvw_i - uvw_j) f / c,  and (-u, -v)

    The newest dump is orange, the ones before are blue; over the channels shown each baseline
    is a line. With the zenith as phase center the points stand still.

    Input: visibilities [channel][baseline]; of them only the times and frequencies are used.

      observation: antennas, inputs, site and phase center; start_time where dumps have no time
      channels, channels_per_item: as in the block before
      complex_samples: of the recording; with it channels lie on the sky as the channelizer's
      title: a line above the display; "" = none

    Raises ValueError for invalid sizes and channels.
    """

    def __init__(self, observation, channels=128, complex_samples=True, channels_per_item=0,
                 title=""):
        self._obs = observation
        inputs = len(observation.inputs)
        display.__init__(self, "uv_coverage", inputs, channels, channels_per_item, title=title,
                         observation=observation, complex_samples=complex_samples)
        antennas = sorted({entry.antenna for entry in observation.inputs if not entry.bad})
        self._pairs = [np.array(antennas)[k] for k in np.triu_indices(len(antennas), 1)]
        names = [antenna.name for antenna in observation.antennas]
        self.plot = uv_plot([f"{names[a]} - {names[b]}" for a, b in zip(*self._pairs)])
        self.plot.title = "uv coverage"
        self._widget = side_by_side(self.plot)
        places = np.array([antenna.itrf for antenna in observation.antennas])
        self._longest = max((np.linalg.norm(places[a] - places[b])
                             for a, b in zip(*self._pairs)), default=1.0) or 1.0
        self._newest, self._tracks = None, []
        self.set_channels()

    def uv(self, when):
        """(u, v) of every baseline [baseline][2] in meters at an instant (a fringe.epoch)."""
        uvw = fp.antenna_uvw(self._obs, axes_at(self._obs, when))
        return (uvw[self._pairs[0]] - uvw[self._pairs[1]])[:, :2]

    def _channels_changed(self):
        waves = (self.frequencies[[self._first, self._last]] / 299792458.0
                 if len(self.frequencies) else np.zeros(2))
        end = 1.08 * self._longest * max(abs(waves)) or 1.0
        # East is to the left, as in the sky.
        self.plot.change(stretch=tuple(waves), x=(end, -end), y=(-end, end))

    def _products(self):
        return None, slice(0, 1)

    def _show(self, dump):
        when = (fp.epoch.from_pair(dump.seconds, dump.fraction) if dump.interval > 0
                else self._obs.start_time)
        points = self.uv(when.plus_seconds(dump.interval / 2))
        if self._newest is None or np.abs(points - self._newest).max() > STEP * self._longest:
            self._newest = points
            longest = max(1, MAX_LINES // max(1, len(points)))
            self._tracks = (self._tracks + [points])[-longest:]
            self.plot.change(tracks=self._tracks)
