#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Models of the sky, points or images, and the visibilities that they make."""

import os
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from .. import fringe_python as fp
from ..ground.axes import axes_towards
from ..images.frame import frame_of, image_frame, turned_baselines
from ..images.gridders import for_images
from ..images.known import axes_of_source, read_known
from ..readers.visibilities import SPEED_OF_LIGHT
from ..images.point_sources import true_positions
from ..images.primary_beam import beam_values, powers
from .fits_model import read_model
from .turned_model import received

#: What a Stokes parameter adds to a product of two hands; it is 0 where it is not named.
PARTS = {'I': {'XX': 1, 'YY': 1, 'RR': 1, 'LL': 1, 'II': 1},
         'Q': {'XX': 1, 'YY': -1, 'RL': 1, 'LR': 1},
         'U': {'XY': 1, 'YX': 1, 'RL': 1j, 'LR': -1j},
         'V': {'XY': 1j, 'YX': -1j, 'RR': 1, 'LL': -1}}


@dataclass
class point:
    """A source at a direction of a frame."""
    name: str
    direction: np.ndarray   #: (l, m, n)
    flux: float             #: None = not known


def frame_of_file(vis):
    """The frame of the phases in a file: its phase center, or the zenith."""
    if vis.uvw is None:
        return image_frame(None, 'zenith', np.eye(3), True, False)
    return frame_of(vis, False)


def point_sources(known, vis, frame):
    """Points of an observation's sky, or of a list of calibration_source."""
    if isinstance(known, fp.observation):
        fixed = vis.uvw is not None and all(source.frame == type(source).kind.lm
                                            for source in known.sky)
        if frame.rotation is None and not fixed:
            raise ValueError(f'{vis.path}: does not say where the zenith is; give sources by '
                             'right ascension and declination')
        middle = len(vis.seconds) // 2
        view = SimpleNamespace(phased=vis.uvw is not None, rotation=frame.rotation,
                               instant=(int(vis.seconds[middle]), float(vis.fractions[middle])))
        return [point(name, np.array([l, m, np.sqrt(max(0, 1 - l * l - m * m))]), flux)
                for name, l, m, flux in true_positions(known, view)]
    found, middle = [], len(vis.seconds) // 2
    instant = ((int(vis.seconds[middle]), float(vis.fractions[middle])) if vis.has_times
               else None)
    for source in known:
        where = axes_of_source(source, frame, instant)
        if where is None:
            raise ValueError(f'{source.name}: {vis.path} does not determine its direction: it '
                             'has no phase center, or no positions (give azimuth and elevation '
                             'for a file without a phase center), or stations without a common '
                             'horizon (give right ascension and declination), or, for the Sun, the '
                             'Moon and planets, no times')
        found.append(point(source.name, np.asarray(where, float), source.flux))
    return found


class point_model:
    """Points of known flux, not polarized."""

    def __init__(self, path, vis, frame, known=None, beam=None):
        """beam: a primary beam that the fluxes are multiplied by, see beam_of(); None = 1."""
        self._frame, self._beam = frame, beam
        self._points = point_sources(known or read_known(path), vis, frame)
        for source in self._points:
            if source.flux is None:
                raise ValueError(f'{path}: {source.name} has no flux')
        count = len(self._points)
        where = (', '.join(source.name for source in self._points) if known
                 else os.path.basename(path))
        self.words = (f'{count} source{"s" if count > 1 else ""} of {where}, '
                      f'{sum(source.flux for source in self._points):.6g} in all')

    def visibilities(self, vis):
        """complex64 [dump][channel][product]."""
        made = np.zeros(vis.data.shape, np.complex64)
        antenna = np.array([a for a, _ in vis.inputs])
        hand = np.array([p for _, p in vis.inputs])
        i, j = vis.products
        same = np.flatnonzero(hand[i] == hand[j])
        pairs = np.stack([antenna[i[same]], antenna[j[same]]], 1)
        phases = pair_phases(vis, self._frame, [source.direction for source in self._points], pairs)
        for source, turned in zip(self._points, phases):
            seen = seen_power(self._beam, vis, self._frame, source.direction, hand[i[same]])
            made[:, :, same] += source.flux * seen * turned
        return made


def seen_power(beam, vis, frame, direction, hands):
    """The part of a source's flux that products of a hand each receive: [dump or 1][channel][hand],
    1 without a beam."""
    if beam is None:
        return 1.0
    of_hands = powers(beam, vis, frame, direction[None], vis.frequencies,
                      range(len(vis.seconds)))[:, :, 0]
    # Of circular feeds the mean of X and Y.
    of_hands = np.concatenate([of_hands, of_hands.mean(-1, keepdims=True)], axis=-1)
    return of_hands[..., [{'X': 0, 'Y': 1}.get(hand, 2) for hand in hands]]


def steering(vis, frame, directions):
    """exp(2 pi i f (u l + v m + w (n - 1)) / c) of each antenna, complex128
    [direction][dump][channel][antenna]; 0 where its place is not known."""
    places = vis.uvw
    if places is None:
        places = np.broadcast_to(vis.positions, (len(vis.seconds), *vis.positions.shape))
    return _phases(vis, np.einsum('kx,dax->kda', _towards(vis, frame, directions), places))


def pair_phases(vis, frame, directions, pairs):
    """Visibilities of a source of flux 1 in each direction, one after the other: complex128
    [dump][channel][pair].

    pairs: of antennas, [pair][2]; their uvw are those of the rows.
    """
    first, second = pairs.T
    off = None
    if vis.row_uvw is not None:
        off = vis.baseline_uvw(pairs) - (vis.uvw[:, first] - vis.uvw[:, second])
    for phases, towards in zip(steering(vis, frame, directions),
                               _towards(vis, frame, directions)):
        made = phases[..., first] * phases[..., second].conj()
        yield made if off is None else made * _phases(vis, off @ towards)


def _towards(vis, frame, directions):
    """(l, m, n - 1) of directions in the axes of a file; (l, m, n) where it is not phased."""
    if vis.uvw is None:
        return np.array(directions)
    axes = np.eye(3)
    if frame.center is not None and tuple(frame.center) != tuple(vis.phase_center[1:]):
        axes = axes_towards(*frame.center) @ axes_towards(*vis.phase_center[1:]).T
    return np.array(directions) @ axes - [0, 0, 1]


def _phases(vis, lengths):
    """exp(2 pi i f length / c), with an axis of channels before the last; 0 where not known."""
    turns = lengths[..., None, :] * (vis.frequencies / SPEED_OF_LIGHT)[:, None]
    known = np.isfinite(turns)
    return np.where(known, np.exp(2j * np.pi * (np.where(known, turns, 0) % 1)), 0)


def is_image(path):
    return path.lower().endswith(('.fits', '.fit', '.fts'))


class pixel_model:
    """Images in units of flux a pixel, [Stokes parameter or hands][group of channels][m][l]."""

    def __init__(self, values, frame, pixels, planes, centers, epsilon, beam=None):
        #: pixels: (pixel_l, pixel_m); planes: I, XX ...; centers: frequencies of the groups, Hz;
        #: beam: a primary beam that the image is multiplied by, its mean over the times
        self._beam, self._pixels = beam, pixels
        self._values, self._frame, self._planes = values, frame, planes
        self._centers = np.asarray(centers)
        columns, rows = values.shape[:1:-1]
        self._gridder = for_images(fp.gridder(columns, rows, *pixels, epsilon), columns)

    def visibilities(self, vis):
        """complex64 [dump][channel][product]."""
        f = vis.frequencies
        group = np.zeros(len(f), int)
        if len(self._centers) > 1:
            group = np.argmin(np.abs(f[:, None] - self._centers), axis=1)
        antennas = sorted({antenna for antenna, _ in vis.inputs})
        pairs = [(a, b) for k, a in enumerate(antennas) for b in antennas[k:]]
        uvw, change = turned_baselines(self._frame, vis, pairs)
        uvw = uvw.reshape(-1, 3)
        made = np.zeros(vis.data.shape, np.complex64)
        number = {pair: k for k, pair in enumerate(pairs)}
        hands = [(vis.inputs[i], vis.inputs[j]) for i, j in zip(*vis.products)]
        # A product of antennas (x, y), x > y, is the conjugate of the pair's.
        place = np.array([number[min(x[0], y[0]), max(x[0], y[0])] for x, y in hands])
        back = np.array([x[0] > y[0] for x, y in hands])
        for plane, name in enumerate(self._planes):
            factor = np.array([_factor(name, x[1] + y[1]) for x, y in hands])
            use = np.flatnonzero(factor != 0)
            if not len(use) or not self._values[plane].any():
                continue
            for g in np.unique(group):
                channels = np.flatnonzero(group == g)
                v = self._of_baselines(vis, uvw, channels, plane, g)
                v = v.reshape(len(vis.data), len(pairs), len(channels))
                if change is not None:
                    turns = np.nan_to_num(change)[..., None] * (f[channels] / SPEED_OF_LIGHT)
                    v = v * np.exp(-2j * np.pi * (turns % 1))
                some = v[:, place[use]]
                some = np.where(back[use][:, None], some.conj(), some) * factor[use][:, None]
                made[:, channels[:, None], use] += some.transpose(0, 2, 1)
        return received(vis, made) if {'Q', 'U', 'V'} & set(self._planes) else made

    def _of_baselines(self, vis, uvw, channels, plane, group):
        """Visibilities [row][channel] of an image, times the beam."""
        f, values = vis.frequencies, self._values[plane, group]
        if self._beam is None:
            return self._gridder.degrid(uvw, f[channels], values)
        made = np.empty((len(uvw), len(channels)), np.complex64)
        for k, channel in enumerate(channels):
            seen = beam_values(self._beam, vis, self._frame, self._planes[plane:plane + 1],
                               [[channel]], *values.shape[::-1], self._pixels)[0, 0]
            made[:, k] = self._gridder.degrid(uvw, f[[channel]],
                                              (values * seen).astype(np.float32))[:, 0]
        return made


class image_model(pixel_model):
    """An image in units of flux a pixel, as fringe image --clean and other programs write them."""

    def __init__(self, path, vis, epsilon, beam=None):
        model = read_model(path)
        groups = len(model.centers)
        rows, columns = model.values.shape[2:]
        pixel_model.__init__(self, model.values, _frame_for(path, model.frame, vis), model.pixels,
                             model.planes, model.centers, epsilon, beam)
        self.words = (f'the model of {os.path.basename(path)}, {"".join(model.planes)}, '
                      f'{columns} x {rows} pixels, {model.values[0].sum() / groups:.6g} in all')


def _factor(name, hands):
    return PARTS[name].get(hands, 0) if name in PARTS else complex(name == hands)


def _frame_for(path, frame, vis):
    """The frame of a model, for a file."""
    if frame.center is None:
        if vis.uvw is not None:
            raise ValueError(f'{path}: is an image around the zenith without right ascensions, '
                             f'and {vis.path} has a phase center')
        return frame_of_file(vis)
    if vis.uvw is None:
        raise ValueError(f'{path}: has right ascensions, and {vis.path} no phase center')
    ra, dec = vis.phase_center[1:]
    if np.linalg.norm(axes_towards(*frame.center)[2] - axes_towards(ra, dec)[2]) < 1e-12:
        frame.center = ra, dec
    return frame
