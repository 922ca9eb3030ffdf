#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Strong sources taken out of dumps that are on a GPU."""

import time
from collections import deque

import numpy as np

from .. import fringe_python as fp
from ..ground.blas_threads import use_one_blas_thread
from ..ground.dump_items import edge_channel
from ..images.dump_images import dump_sky
from ..images.known import read_known
from ..readers.visibilities import SPEED_OF_LIGHT
from ..sky_model.directional_gains import peel_gains
from ..sky_model.model_sky import frame_of_file, point_sources, steering
from ..sky_model.peel import baselines_apart, taper_of
from ..sky_model.peel_report import peeled_source
from ..sky_model.source_sums import OF_ALL_FACTOR, outlier_search, source_sums, sum_of
from .peeler_settings import peeled_dumps, peeler_settings


class gpu_peeler(fp._dump_peeler):
    """A peeler that computes where the dumps are: those of an integrator on a GPU stay there, and
    an imager on the same GPU takes them from there.

    Input 0: visibilities, complex64 [channel][baseline], `channels_per_item` channels an item;
    input 1 (optional): weights, float32, same shape. Outputs: the same; where no weights come in,
    they are 1. The tags of the dumps are kept.

    Sums over the channels of each baseline are made on the GPU, and so is the subtraction; the
    gains are solved on the host, from the sums. Those of the dumps before are kept, without the
    outliers that they had when they came.

      observation ... channels_per_item: as those of peeler()
      backend: cuda, cuda:1, ...: where the integrator is; cpu and generic compute on the host

    Raises ValueError for settings that cannot be, with a sentence.
    """

    def __init__(self, observation, sources, channels=128, dumps=8, solution_channels=0, passes=60,
                 damping=0.9, clip=5.0, taper=-1.0, complex_samples=True, channels_per_item=0,
                 backend="cuda"):
        settings = peeler_settings(dumps, solution_channels, passes, damping, clip, taper)
        inputs = len(observation.inputs)
        per_item = channels_per_item or fp.channels_per_item(max(inputs, 1), channels)
        self._work = work = _peeled_sources(observation, sources, channels, complex_samples,
                                            settings)
        fp._dump_peeler.__init__(
            self, inputs, channels, len(observation.antennas), work.sources, work.hands,
            work.groups, work.frequencies, per_item, backend, work.sky, work.solve)

    def peeled(self):
        """Dumps of which all sources that are up were subtracted, so far."""
        return self._work.count.peeled

    def left(self):
        """Dumps in which at least one stayed."""
        return self._work.count.left


class _peeled_sources:
    """What the C++ block needs of an observation and of the sources, and their gains."""

    def __init__(self, observation, sources, channels, complex_samples, settings):
        self._obs, self._settings = observation, settings
        self._channels, self._complex = channels, bool(complex_samples)
        self._sky = dump_sky(observation, channels, complex_samples)
        self._known = read_known(sources)
        known = self._known
        self.sources = len(known.sky if isinstance(known, fp.observation) else known)
        if not 1 <= self.sources <= fp._peeled_sources_limit:
            raise ValueError(f"peeler: sources {sources}: {self.sources} of them; on a GPU it must "
                             f"be 1 to {fp._peeled_sources_limit}; backend auto takes more")
        described = self._sky.described()
        self.frequencies = np.asarray(described.frequencies, float)
        step = min(settings.channels or channels, channels)
        self.groups = [(first, min(step, channels - first)) for first in range(0, channels, step)]
        self._rows(described)
        self.count = peeled_dumps()
        self._earlier = {}

    def _rows(self, vis):
        """Products of two antennas with the same polarization."""
        i, j = vis.products
        antenna = np.array([a for a, _ in vis.inputs])
        hand = np.array([p for _, p in vis.inputs])
        bad = np.array([entry.bad for entry in self._obs.inputs], bool)
        self.hands, self._pairs = [], []
        for name in sorted(set(hand)):
            use = np.flatnonzero((hand[i] == name) & (hand[j] == name) & (i != j)
                                 & ~bad[i] & ~bad[j])
            pairs = np.stack([antenna[i[use]], antenna[j[use]]], 1)
            self._pairs.append(pairs)
            self.hands.append(np.column_stack([use, pairs]).astype(np.uint32))

    def sky(self, dump):
        """Where the sources are in a dump: see peeling_sky."""
        why = fp._axis_contradiction(
            self._obs, self._channels, self._complex, "fringe_gpu_peeler", dump["freq"] or None,
            dump["channel_width"] or None)
        if why:
            raise ValueError(why)
        if dump["first"]:
            use_one_blas_thread()
            self.count.restart()
            self._earlier = {}
        middle = fp.epoch(int(dump["seconds"]), float(dump["fraction"])).plus_seconds(
            dump["interval"] / 2)
        vis, turn = self._sky.turned(middle)
        frame = frame_of_file(vis)
        points = point_sources(self._known, vis, frame)
        turns = steering(vis, frame, [point.direction for point in points])[:, 0] * turn.conj()
        self._reports = [peeled_source(point.name, point.flux) for point in points]
        self._up = [k for k, point in enumerate(points)
                    if frame.rotation is None or frame.rotation[:, 2] @ point.direction > 0]
        turns[[k for k in range(len(points)) if k not in self._up]] = 0
        left_out = np.zeros(self._channels, np.uint8)
        edge = edge_channel({name: dump[name] for name in ("edge_channel", "complex_samples")
                             if dump[name]}, self._channels)
        if edge is not None:
            left_out[edge] = 1
        lengths = [np.hypot(*baselines_apart(vis, pairs)[0].T) for pairs in self._pairs]
        tapers = [SPEED_OF_LIGHT * self._taper(length, group)
                  for length in lengths for group in self.groups]
        return (turns.astype(np.complex64), np.concatenate(lengths).astype(np.float32),
                np.array(tapers, np.float32), left_out)

    def _taper(self, lengths, group):
        waves = self.frequencies[group[0]:group[0] + group[1]] / SPEED_OF_LIGHT
        return taper_of(self._settings.taper, lengths.max(initial=0) * waves.max())

    def solve(self, dump, sums):
        """(gains [group][hand][source][antenna], message) of a dump. sums: see _dump_peeler."""
        began, antennas = time.monotonic(), len(self._obs.antennas)
        gains = np.zeros((len(self.groups), len(self.hands), self.sources, antennas), complex)
        reports, problem = [self._reports[k] for k in self._up], ""
        try:
            for g in range(len(self.groups) if self._up else 0):
                for hand, pairs in enumerate(self._pairs):
                    if len(pairs):
                        gains[g, hand, self._up] = self._solution(g, hand, pairs, antennas, sums,
                                                                  dump["interval"], reports)
        except (ValueError, np.linalg.LinAlgError) as error:
            gains[:], reports, problem = 0, [], str(error)
        return gains.astype(np.complex64), self.count.message(
            dump["seconds"], dump["fraction"], reports, problem, time.monotonic() - began)

    def _solution(self, group, hand, pairs, antennas, sums, seconds, reports):
        """Gains [source][antenna] of the sources that are up."""
        s, up = self._settings, self._up
        earlier = self._earlier.setdefault((group, hand), deque(maxlen=max(s.dumps - 1, 1)))
        before = [sum_of(list(earlier))] if earlier and s.dumps > 1 else []
        newest = None

        def sums_of(gains, search):
            nonlocal newest
            trial = np.zeros((self.sources, antennas), np.complex64)
            trial[up] = gains
            clip = s.clip * (OF_ALL_FACTOR if search is outlier_search.OF_ALL else 1)
            newest = _as_source_sums(sums(hand, group, trial, clip), seconds)
            return sum_of([newest, *before]).of_sources(up)

        found = peel_gains(sums_of, len(up), pairs, antennas, s.passes, s.damping)
        earlier.append(newest)
        for report, solution in zip(reports, found):
            report.add(solution.flux, solution.problem, None)
        return [solution.gain for solution in found]


def _as_source_sums(found, seconds):
    """`source_sums` of what the block has added up, with weights times the length of the dump."""
    data, packed, weights, all_weights, heaviest, level = found[:6]
    count = len(data)
    models = np.empty((count, count, len(weights)), complex)
    for k in range(count):
        for n in range(k + 1):
            models[k, n] = packed[k * (k + 1) // 2 + n]
            models[n, k] = models[k, n].conj()
    return source_sums(seconds * data.astype(complex), seconds * models,
                       seconds * weights.astype(float), seconds * all_weights.astype(float),
                       seconds * heaviest, level)
