#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibility files of the same inputs, times and phase center, and of different channels, become
one file: what several X-engines have made, each of a part of the band."""
import os
from dataclasses import dataclass

import numpy as np

from .. import fringe_python as fp
from ..ground.options import with_options
from ..ground.new_file import remembers_what_it_reads
from ..certificates.certified_files import certify
from ..readers.ms_check import written_here
from .read_visibilities import read_visibilities
from ..readers.selection import selection
from ..ground.staged_files import staged_files
from .visibility_kinds import required_kind
from .visibility_names import check_copy
from ..joining.bands import check_same, join_bands, same_dumps

@dataclass
class join_plan:
    """What is joined, in the order of frequency."""
    files: list    #: descriptions: readers.visibilities without data
    band: object   #: bands.joint_band
    dumps: list    #: [file] numbers of the dumps that are joined
    history: str   #: a line for the new file

    @property
    def paths(self):
        """Of the files."""
        return [vis.path for vis in self.files]

    @property
    def channels(self):
        """Of the joined file."""
        return len(self.band.frequencies)

    def spread(self, parts, axis, fill, out=None):
        """Values of the files, [file], side by side along the axis of channels; `fill` where no
        file has a channel."""
        like = parts[0]
        if out is None:
            shape = list(like.shape)
            shape[axis] = self.channels
            out = np.empty(shape, like.dtype)
        at, place = 0, [slice(None)] * like.ndim
        for number, count in self.band.pieces:
            place[axis] = slice(at, at + count)
            out[tuple(place)] = fill if number is None else parts[number]
            at += count
        return out

    def observation(self, text):
        """The text of a file's observation, for all channels. As it was where it cannot say them:
        real samples whose band does not begin at the first channel, say."""
        try:
            obs = fp.observation.from_text(text)
            inside = len(self.files[0].frequencies)
            is_complex = np.allclose(obs.channel_frequencies(inside, True),
                                     self.files[0].frequencies, rtol=0,
                                     atol=0.01 * self.band.width)
            obs.channels = self.channels
            obs.sample_rate = self.band.width * self.channels * (1 if is_complex else 2)
            middle = self.channels // 2
            obs.center_frequency = self.band.frequencies[middle] if is_complex else (
                self.band.frequencies[0] + self.band.width * self.channels / 2)
            if np.allclose(obs.channel_frequencies(self.channels, is_complex),
                           self.band.frequencies, rtol=0, atol=0.01 * self.band.width):
                return obs.to_text()
        except ValueError:
            pass
        return text

    @property
    def reference(self):
        """Hz, the frequency of the middle channel, as a file of the whole band names it."""
        return float(self.band.frequencies[self.channels // 2])


@dataclass
class join_result:
    """What was written."""
    path: str
    channels: int
    dumps: int
    frequencies: tuple
    notes: list

    def __str__(self):
        low, high = self.frequencies
        return (f'wrote {self.path}: {self.channels} channels, {low:.10g} to {high:.10g} Hz, '
                f'{self.dumps} dumps')


@remembers_what_it_reads
def join(paths, output, common_times=False, overwrite=False, history='', **chosen):
    """Joins visibility files along frequency into one; returns a join_result.

    paths: two or more files of one kind, in any order, of the same inputs, times and phase center,
    whose bands do not overlap. output: ends as the first does, or as such files do. A gap of whole
    channels between two bands becomes flagged channels of weight 0; the result's notes say how
    many. common_times: joins the dumps that all files have; otherwise files with other times are
    refused. history: a line for the new file. Data, weights and flags are those of the files, bit
    for bit; the file gets its name when it is whole. field, spw, subarray, column: what is joined
    of files that hold several, as read_visibilities() has them. Throws ValueError with a sentence:
    file, field, value.
    """
    paths = [os.path.normpath(os.fspath(path)) for path in paths]
    output = os.path.normpath(os.fspath(output))
    if len(paths) < 2:
        raise ValueError('FILE: two or more files are joined')
    for k, path in enumerate(paths):
        if path in paths[:k]:
            raise ValueError(f'{path}: is named twice')
    kind = required_kind(paths[0])
    for path in paths[1:]:
        if required_kind(path) is not kind:
            raise ValueError(f'{path}: is a {required_kind(path).name}, {paths[0]} a {kind.name}: '
                             'files of one kind are joined')
    described = [read_visibilities(path, with_data=False, **chosen) for path in paths]
    check_copy(paths[0], output, overwrite)
    files, band = join_bands([(vis, kind.width_of(vis)) for vis in described])
    plan = join_plan([vis for vis, _ in files], band, [], history)
    check_same(plan.files)
    plan.dumps = same_dumps(plan.files, common_times)
    with staged_files(kind.files(output)) as copies:
        sums = kind.join(copies, plan)
        with written_here(copies[0]):
            certify(copies[0], history or f'joined from {", ".join(paths)}', sums)
        check_copy(paths[0], output, overwrite)
    return join_result(output, plan.channels, len(plan.dumps[0]),
                       (band.frequencies.min(), band.frequencies.max()), _notes(plan))


with_options(join, selection)


def _notes(plan):
    notes = []
    if plan.band.filled:
        notes.append(f'{plan.band.filled} of the {plan.channels} channels lie between the bands: '
                     'they are flagged and have weight 0')
    for vis, dumps in zip(plan.files, plan.dumps):
        left = len(vis.seconds) - len(dumps)
        if left:
            notes.append(f'{left} of the {len(vis.seconds)} dumps of {vis.path} are left out: not '
                         'all files have them')
    for vis in plan.files:
        if vis.partial:
            notes.append(f'{vis.path} was never finished')
    return notes
