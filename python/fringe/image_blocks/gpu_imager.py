#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Images of dumps that are on a GPU."""

from dataclasses import replace

import numpy as np

from .. import fringe_python as fp
from ..ground.dump_items import edge_channel
from ..images.dump_images import dump_sky
from ..images.feed_turn import kind_of
from ..images.frame import frame_of, turned
from ..images.items import text_of
from ..images.extent import size_of
from ..images.make import NEAR, SAME_BEAM, gaussian_beam, widths_of
from ..images.planes import plane_maker
from ..observing.stokes import planes_of
from ..images.sky_image import sky_image
from ..readers.visibilities import SPEED_OF_LIGHT, is_dated
from .checked_settings import checked_settings


#: Radians between feeds that stand alike.
NEAR_ANGLE = 1e-3


class gpu_imager(fp._dump_imager):
    """An imager that computes where the dumps are: those of an integrator on a GPU do not cross
    the bus, and only images come to the host.

    Input 0: visibilities, complex64 [channel][baseline], `channels_per_item` channels an item;
    input 1 (optional): weights, float32, same shape. Output: images, float32 [polarization]
    [channel group][m][l], as the *Imager* sends them, with the same tags; an image of each dump
    that has weight.

    They are the images that the *Imager* makes with the gridder separable and natural weights,
    to rounding. The width of the beam is that of equal weights for all baselines.

      observation, channels, size, scale, pol, channels_out, eps, band, complex_samples,
        channels_per_item: as the imager's; pol has 1, 2 or 4 planes
      backend: cuda, cuda:1, ...: where the integrator is; cpu and generic compute on the host

    images() counts images so far, empty() those that were not made, as all their visibilities
    were flagged. Raises ValueError for settings that cannot be, with a sentence.
    """

    def __init__(self, observation, channels=128, size=256, scale=0.0, pol="I", channels_out=1,
                 eps=1e-3, band=None, complex_samples=True, channels_per_item=0, backend="cuda"):
        settings = checked_settings("imager", size, scale, pol, "natural", channels_out,
                                    "separable", eps)
        if len(planes_of(pol)) == 3:
            raise ValueError(f"imager: pol {pol}; it must be 1, 2 or 4 planes")
        inputs = len(observation.inputs)
        per_item = channels_per_item or fp.channels_per_item(max(inputs, 1), channels)
        images = _dump_images(observation, channels, complex_samples, settings, band)
        fp._dump_imager.__init__(
            self, inputs, channels, len(observation.antennas), int(size), images.pixel, float(eps),
            images.rows, images.planes, images.groups, images.frequencies, per_item, backend,
            images.geometry, images.description)


class _dump_images:
    """What the C++ block needs of an observation, and the tags of what it makes."""

    def __init__(self, observation, channels, complex_samples, settings, band):
        self._obs, self._settings = observation, settings
        self._channels, self._complex = channels, bool(complex_samples)
        self._sky = dump_sky(observation, channels, complex_samples)
        vis = self._sky.described()
        frame_of(vis)  # says what is missing before the data come
        self.frequencies = np.asarray(vis.frequencies, float)
        low, high = band or (-np.inf, np.inf)
        used = np.flatnonzero((self.frequencies >= low) & (self.frequencies <= high))
        if not 1 <= settings.channels_out <= len(used):
            raise ValueError(f"imager: channels_out {settings.channels_out}; {len(used)} "
                             "channels are in the band")
        self._parts = np.array_split(used, settings.channels_out)
        self.groups = [(int(part[0]), len(part)) for part in self._parts]
        self._bandwidth = (float(widths_of(self.frequencies)[used].sum())
                           / settings.channels_out)
        self._names = planes_of(settings.pol)
        _check_feeds(vis, self._names)
        self._recipes(vis)
        self._beam = None
        zenith = observation.phase_center.frame == fp.phase_center.kind.zenith
        self._all_sky = zenith or not observation.has_site
        # Where the image is not that of the whole sky, the longest baseline counts as it stands.
        flat = replace(frame_of(vis), all_sky=self._all_sky)
        self.pixel = size_of(settings, flat, [vis])[2]

    def _recipes(self, vis):
        makers = [plane_maker(vis, name) for name in self._names]
        pairs = sorted({tuple(pair) for maker in makers for pair in maker.pairs.tolist()})
        self.rows = np.array(pairs, np.uint32).reshape(-1, 2)
        number = {pair: k for k, pair in enumerate(pairs)}
        bad = np.array([entry.bad for entry in self._obs.inputs], bool)
        i, j = np.triu_indices(len(bad))
        bad = bad[i] | bad[j]
        self.planes = []
        for maker in makers:
            places = [number[tuple(pair)] for pair in maker.pairs.tolist()]
            products = np.full((len(maker.parts), len(pairs)), -1, np.int32)
            products[:, places] = np.where((maker.products >= 0) & ~bad[maker.products],
                                           maker.products, -1)
            conjugated = np.zeros(products.shape, np.uint8)
            conjugated[:, places] = maker.conjugated
            self.planes.append(fp._image_plane(
                products.tolist(), conjugated.tolist(), [factor for _, factor in maker.parts],
                maker.mean and len(maker.parts) == 2))

    def _contradiction(self, dump):
        return fp._axis_contradiction(
            self._obs, self._channels, self._complex, "fringe_gpu_imager", dump["freq"] or None,
            dump["channel_width"] or None)

    def geometry(self, dump):
        """Where the antennas are in a dump: see dump_geometry."""
        why = self._contradiction(dump)
        if why:
            raise ValueError(why)
        middle = fp.epoch(int(dump["seconds"]), float(dump["fraction"])).plus_seconds(
            dump["interval"] / 2)
        vis, turns = self._sky.turned(middle)
        self._vis, self._middle = vis, middle
        self._frame = frame_of(vis, None if vis.uvw is None else self._all_sky)
        places = vis.positions[None] if vis.uvw is None else vis.uvw
        uvw, change = turned(self._frame, vis, places)
        if change is not None:
            way = np.nan_to_num(change[0]) * (self.frequencies[:, None] / SPEED_OF_LIGHT)
            turns = turns * np.exp(2j * np.pi * (way % 1))
        left_out = np.zeros(self._channels, np.uint8)
        edge = edge_channel({name: dump[name] for name in ("edge_channel", "complex_samples")
                             if dump[name]}, self._channels)
        if edge is not None:
            left_out[edge] = 1
        self._uvw, self._used = uvw[0], ~left_out.astype(bool)
        up = (0.0, 0.0, 1.0) if self._frame.rotation is None else self._frame.rotation[:, 2]
        return uvw[0], turns.astype(np.complex64), tuple(map(float, up)), left_out

    def description(self, dump, total, visibilities):
        """The text of the tag `image` of a dump."""
        s, shape = self._settings, (len(self._names), len(self.groups))
        beam, fitted = self._beam_now()
        middle = self._middle.seconds, self._middle.fraction()
        made = sky_image(
            None, self._frame, self.pixel, self._names,
            np.array([self.frequencies[part].mean() for part in self._parts]), self._bandwidth,
            np.array(total).reshape(shape) * dump["interval"], visibilities, beam, fitted,
            self._vis.telescope, (int(dump["seconds"]), float(dump["fraction"])), middle,
            dump["interval"], is_dated([middle[0]]))
        return text_of(made, (*shape, s.size[1], s.size[0]))

    def _beam_now(self):
        a, b = self.rows.T.astype(int)
        uvw = self._uvw[a] - self._uvw[b]
        uvw = np.ascontiguousarray(uvw[np.isfinite(uvw).all(axis=1)])
        channels = np.flatnonzero(self._used)
        waves = self.frequencies / SPEED_OF_LIGHT
        moments = (uvw[:, :2].T @ uvw[:, :2]) * (np.mean(waves[channels]**2)
                                                 / max(len(uvw), 1))
        key = np.append(moments, self.pixel)
        near = SAME_BEAM * np.append(np.full(4, np.trace(moments)), self.pixel)
        if self._beam is None or (np.abs(key - self._beam[0]) > near).any():
            # Some channels show the width as well as all.
            some = self.frequencies[channels[np.linspace(0, len(channels) - 1, min(
                8, len(channels))).astype(int)]]
            side = min(NEAR, self._settings.size[0])
            psf = np.zeros((side, side), np.float32)
            ones = np.ones((len(uvw), len(some)), np.float32)
            fp.gridder(side, side, self.pixel, self.pixel, 1e-3).grid(
                uvw, some, ones.astype(np.complex64), ones, psf)
            fitted = fp.fit_beam(psf / psf[side // 2, side // 2], self.pixel, self.pixel)
            self._beam = key, fitted or gaussian_beam(moments), fitted is not None
        return self._beam[1:]


def _check_feeds(vis, names):
    """ValueError where the feeds of an image would have to be turned: the recipes of planes are the
    same at all times."""
    feeds, used = vis.feeds, sorted({antenna for antenna, _ in vis.inputs})
    if not feeds.known or not kind_of(vis) or len({hand for _, hand in vis.inputs}) < 2:
        return
    mounts, angles = {feeds.mounts[a] for a in used}, feeds.angles[used]
    right = (0.0, np.pi / 2) if kind_of(vis) == "XY" else (0.0, 0.0)
    if mounts == {"EQUATORIAL"} and np.allclose(angles, right, atol=NEAR_ANGLE):
        return
    alike = len(mounts) == 1 and np.ptp(angles, axis=0).max() < NEAR_ANGLE
    for name in names:
        if name in "QU" or (name in "IV" and not alike):
            raise ValueError(
                f"imager: pol {name}: feeds on mounts {', '.join(sorted(mounts)).lower()} turn "
                "against the sky, and are not turned on a GPU; backend auto turns them")
