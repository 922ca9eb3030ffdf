#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Strong sources subtracted from visibility files, with a gain of each antenna and direction."""

from dataclasses import dataclass, replace

import numpy as np

from ..ground.options import with_options
from ..visibility_files.in_parts import read_in_parts
from ..visibility_files.read_visibilities import read_visibilities
from ..readers.selection import selection
from ..readers.visibilities import SPEED_OF_LIGHT
from .directional_gains import peel_samples, source_visibilities
from .model_sky import (frame_of_file, image_model, is_image, pair_phases, point_model,
                        point_sources, seen_power)
from .moved_sources import peel_offsets
from .other_sources import other_sources
from .peel_report import peel_report, peeled_source
from .predict import check_file
from ..visibility_files.replaced_data import replaced_data

#: Wavelengths within which the sky is not made of points; at most this part of the longest.
TAPER, TAPER_PART = 40.0, 0.1
#: The column of a MeasurementSet that is written.
COLUMN = 'CORRECTED_DATA'
#: What is solved: a gain of each antenna towards each source, or a flux and an offset of each.
SOLVE = ('gains', 'offsets')


@dataclass
class peel_settings:
    """How sources are peeled."""
    dumps: int = 8            #: of a solution
    channels: int = None      #: of a solution; None = all
    passes: int = 60          #: at most
    damping: float = 0.9
    taper: float = None       #: wavelengths; 0 = none, None = chosen
    clip: float = 5.0         #: times the median amplitude
    model: str = None         #: of the other sources, taken out while gains are solved
    flag: bool = False        #: outliers are flagged
    solve: str = 'gains'      #: or offsets
    selfcal: int = 0          #: cycles in which CLEAN makes a model of the others
    beam: object = None       #: of beam_of(): fluxes are those before it; None = those that the
                              #: array sees


def peel(path, output, known, settings=None, overwrite=False, **chosen):
    """Writes a copy of a visibility file without some sources; its `peel_report`.

    In a copy of a MeasurementSet that is the column CORRECTED_DATA, and DATA stays. output=None: in
    the MeasurementSet itself; `overwrite` allows to replace a column that it has.

    known: an observation with a sky, or a list of calibration_source. Where the solution for a
    source does not converge, its visibilities stay as they are. field, spw, subarray, column: as
    read_visibilities() has them; all else stays as it is. Raises ValueError.
    """
    s = settings or peel_settings()
    described = read_visibilities(path, with_data=False, **chosen)
    check_file(described)
    frame = frame_of_file(described)
    points = point_sources(known, described, frame)
    report = peel_report([peeled_source(point.name, point.flux) for point in points], (0, 0), 0.0,
                         s.flag)
    model = None
    if s.model:
        model = (image_model(s.model, described, 1e-4, s.beam) if is_image(s.model)
                 else point_model(s.model, described, frame, beam=s.beam))
    up = [frame.rotation is None or frame.rotation[:, 2] @ point.direction > 0 for point in points]
    for source, there in zip(report.sources, up):
        if not there:
            source.problems.append('it is below the horizon')
    index = np.flatnonzero(up)
    if len(index) == 0:
        raise ValueError('no source to be peeled is above the horizon')
    work = _solver(s, frame, [points[k] for k in index], [report.sources[k] for k in index])
    history = (f'fringe peel: {COLUMN} = {described.selection.column} without '
               + ', '.join(point.name for point in points)
               + ('' if s.beam is None else f', with the primary beam {s.beam.words}'))
    with replaced_data(described, output, COLUMN, history, overwrite) as file:
        for first, vis in read_in_parts(described, step=s.dumps):
            data, flags = work.peel(vis, model.visibilities(vis) if model else None)
            # What was not measured is not what is left of a measurement.
            file.write(first, np.where(vis.lost(), vis.data, data), flags if s.flag else None)
    report.loss, report.outliers = work.loss(), work.outliers()
    report.others = work.others()
    return report


with_options(peel, selection)


def peel_visibilities(vis, known, settings, frame):
    """What is to be subtracted from `visibilities` with data, one solution for all dumps:
    ([dump][channel][product], [peeled_source]). Nothing where a solution does not converge."""
    points = point_sources(known, vis, frame)
    reports = [peeled_source(point.name, point.flux) for point in points]
    up = [frame.rotation is None or frame.rotation[:, 2] @ point.direction > 0 for point in points]
    there = [k for k, above in enumerate(up) if above]
    if not there:
        return np.zeros(vis.data.shape, np.complex64), []
    work = _solver(replace(settings, dumps=len(vis.data)), frame, [points[k] for k in there],
                   [reports[k] for k in there])
    left, _ = work.peel(vis, None)
    return vis.data - left, [reports[k] for k in there]


class _solver:
    def __init__(self, settings, frame, points, reports):
        self._s, self._frame, self._points, self._reports = settings, frame, points, reports
        self._seen = self._out = 0
        self._losses, self._found = [], []

    def loss(self):
        """Gains are 2 numbers of each antenna and source, of as many numbers as there are
        antennas in each sample, flux and offset 3 of a source: least where all samples tell
        something new, largest where they repeat each other."""
        return tuple(np.mean(self._losses, axis=0)) if self._losses else (0.0, 0.0)

    def outliers(self):
        return self._out / max(self._seen, 1)

    def others(self):
        """Flux of the model that self-calibration made, mean of the parts; None without."""
        return float(np.mean(self._found)) if self._found else None

    def peel(self, vis, other):
        """(data, flags of outliers), [dump][channel][product]. other: visibilities of the sources
        that are known and stay, or None.

        After each cycle of self-calibration the gains are solved with a better model of them."""
        other = np.zeros(vis.data.shape, np.complex64) if other is None else other
        if not self._s.selfcal:
            return self._cycle(vis, other, True)
        antenna = np.array([a for a, _ in vis.inputs])
        pairs = np.stack([antenna[k] for k in vis.products], 1)
        weights = vis.valid_weights() * self._taper(vis, pairs)
        sky = other_sources([point.direction for point in self._points])
        data, flags = self._cycle(vis, other, False)
        for cycle in range(self._s.selfcal):
            more = sky.visibilities(replace(vis, data=data - other), np.where(flags, 0, weights))
            data, flags = self._cycle(vis, other + more, cycle + 1 == self._s.selfcal)
        self._found.append(sky.flux)
        return data, flags

    def _cycle(self, vis, other, last):
        """As peel(), with one solution; what became of it is kept for the report if it is the
        last."""
        data, flags = vis.data.copy(), np.zeros(vis.data.shape, bool)
        weights = vis.valid_weights()
        antenna = np.array([a for a, _ in vis.inputs])
        hand = np.array([p for _, p in vis.inputs])
        i, j = vis.products
        channels = self._s.channels or len(vis.frequencies)
        for name in sorted(set(hand)):
            use = np.flatnonzero((hand[i] == name) & (hand[j] == name) & (i != j))
            if not len(use):
                continue
            pairs = np.stack([antenna[i[use]], antenna[j[use]]], 1)
            for d in range(0, len(vis.data), self._s.dumps):
                for c in range(0, len(vis.frequencies), channels):
                    at = np.ix_(np.arange(d, min(d + self._s.dumps, len(vis.data))),
                                np.arange(c, min(c + channels, len(vis.frequencies))), use)
                    taken, marks = self._solution(vis, at, pairs, name, data[at] - other[at],
                                                  weights[at], last)
                    data[at] -= taken
                    flags[at] = marks
        return data, flags

    def _solution(self, vis, at, pairs, hand, v, weights, last):
        """What is to be subtracted from visibilities [dump][channel][baseline] of a hand, and
        outliers."""
        dumps, channels = at[0].ravel(), at[1].ravel()
        some = _part(vis, dumps, channels)
        shape = -1, len(pairs)
        models, powers = self._models(some, hand, pairs)
        tapered = (weights * self._taper(some, pairs)).reshape(shape)
        how = self._s.passes, self._s.damping, self._s.clip
        flat = v.reshape(shape)
        if self._s.solve == 'offsets':
            waves = SPEED_OF_LIGHT / some.frequencies
            # lambda^2 (u, v), where u and v are meters by lambda.
            coordinates = (baselines_apart(some, pairs)[:, None]
                           * waves[:, None, None]).reshape(*shape, 2)
            found, outliers = peel_offsets(flat, tapered, models, coordinates, *how)
            made = [solution.visibilities(m, coordinates) for solution, m in zip(found, models)]
            scale = np.degrees((waves**2).mean())
            moved = [scale * np.hypot(*solution.offset) for solution in found]
        else:
            found, outliers = peel_samples(flat, tapered, models, pairs, len(vis.antennas), *how)
            made = [source_visibilities(solution.gain, m, pairs)
                    for solution, m in zip(found, models)]
            moved = None
        taken, count = np.zeros(flat.shape, complex), 0
        for k, (report, solution) in enumerate(zip(self._reports, found)):
            if not solution.problem:
                taken += made[k]
                count += 1
            if last:
                report.add(solution.flux / powers[k], solution.problem, moved[k] if moved else None)
        taken, outliers = taken.reshape(v.shape), outliers.reshape(v.shape) & (weights > 0)
        if not last:
            return taken, outliers
        self._seen += np.count_nonzero(weights > 0)
        self._out += np.count_nonzero(outliers)
        used = len(np.unique(pairs))
        cells = np.count_nonzero(weights > 0) / len(pairs)
        largest = 2 * count / used if moved is None else 1.5 * count / len(pairs)
        self._losses.append((largest / max(cells, 1), largest))
        return taken, outliers

    def _models(self, vis, hand, pairs):
        """Of each source the visibilities [sample][baseline], scaled so that their mean square is
        1, and the part of its flux that is received."""
        towards, models, received = [source.direction for source in self._points], [], []
        for direction, phases in zip(towards, pair_phases(vis, self._frame, towards, pairs)):
            seen = seen_power(self._s.beam, vis, self._frame, direction, [hand])
            received.append(float(np.sqrt(np.mean(np.square(seen)))) or 1.0)
            models.append((phases * (seen / received[-1])).reshape(-1, len(pairs)))
        return models, received

    def _taper(self, vis, pairs):
        """1 - exp(-(u^2 + v^2) / (2 taper^2)), [dump][channel][baseline]."""
        length = np.hypot(*np.moveaxis(baselines_apart(vis, pairs), -1, 0))[:, None] * (
            vis.frequencies / SPEED_OF_LIGHT)[:, None]
        taper = taper_of(self._s.taper, length.max())
        if not taper > 0:
            return np.ones(length.shape, np.float32)
        return (-np.expm1(-length**2 / (2 * taper**2))).astype(np.float32)


def taper_of(taper, longest):
    """The taper, wavelengths, that is meant: None = chosen by the longest baseline."""
    return min(TAPER, TAPER_PART * longest) if taper is None else taper


def baselines_apart(vis, pairs):
    """u and v in meters, [dump][baseline][2]."""
    if vis.uvw is not None:
        return np.nan_to_num(vis.baseline_uvw(pairs)[..., :2])
    apart = vis.positions[pairs[:, 0]] - vis.positions[pairs[:, 1]]
    return np.broadcast_to(apart[:, :2], (len(vis.seconds), len(pairs), 2))


def _part(vis, dumps, channels):
    """The description of some dumps and channels."""
    return replace(vis, seconds=vis.seconds[dumps], fractions=vis.fractions[dumps],
                   frequencies=vis.frequencies[channels],
                   uvw=None if vis.uvw is None else vis.uvw[dumps],
                   row_uvw=None if vis.row_uvw is None else vis.row_uvw[dumps],
                   data=None, weights=None, flags=None, missing=None)

