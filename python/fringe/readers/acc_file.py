#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Reads ACC files (L-files) with the side file, x.ACC.yml, that describes them."""

import functools
import os

import numpy as np
import yaml

from .. import fringe_python as fp
from ..ground.yaml_text import load_yaml
from .feeds import feeds_of_observation
from .visibilities import clean, is_dated, is_partial, thin_out, visibilities

#: Radians: phases of tracked data that are nearer to those of one phase center are phased to it.
NEARLY_PHASED = 0.1


def files_of_acc(path):
    """The file, and the one that describes it."""
    return [path, path + '.yml']


def read_acc(path, inputs, channels, limit):
    """`visibilities` of an ACC file; without data where limit is None."""
    vis, order = describe_raw(path, path + '.yml', inputs, channels)
    channels = channels if vis.frequencies is None else len(vis.frequencies)
    products = len(vis.products[0])
    dumps = count_dumps(vis, path, products * channels * 8)
    if limit is not None:
        try:
            raw = np.memmap(path, np.dtype(order + 'c8'), 'r', shape=(dumps, products, channels))
            raw = raw[thin_out(vis, channels, limit)]
        except OSError as error:
            raise ValueError(f'{path}: cannot be read: {error.strerror}') from None
        vis.data = np.ascontiguousarray(raw.transpose(0, 2, 1), np.complex64)
        fill_raw(vis)
    return vis


def fill_raw(vis):
    """Weights and flags of data that are read."""
    # The format has no weights; the writer sets what had none to exactly 0.
    vis.weights = (vis.data != 0).astype(np.float32)
    vis.flags = np.zeros(vis.data.shape, bool)
    i, j = vis.products
    vis.flags[:, :, np.isin(i, vis.bad_inputs) | np.isin(j, vis.bad_inputs)] = True
    clean(vis)


def describe_raw(path, side, inputs, channels):
    """`visibilities` without data of a raw file, and its byte order as numpy has it.

    side: the file that describes it; inputs and channels say it without one.
    """
    if os.path.exists(side):
        return _describe_acc(path, side)
    if not (inputs and channels):
        raise ValueError(f'{path}: the file that describes it, {side}, is missing; say how '
                         'many inputs and channels it has')
    zero = np.zeros(0)
    return visibilities(
        path=path, telescope='', antennas=[f'input {k}' for k in range(inputs)],
        inputs=[(k, 'X') for k in range(inputs)], frequencies=None,
        seconds=zero.astype(np.int64), fractions=zero, intervals=zero, exposures=zero,
        has_times=False, partial=is_partial(path),
        remarks=[f'there is no {os.path.basename(side)} that describes it']), '='


def _describe_acc(path, side):
    """`visibilities` without data from the side file, and the byte order as numpy has it."""
    try:
        text = fp.read_text_file(side, 2**30)
        # A writer that was killed may have left a part of a line.
        text = text[:text.rfind('\n') + 1]
        description = load_yaml(text)
        observation = fp.observation.from_text(description['observation'], side)
        frequencies = np.array(description['frequencies'], np.float64)
        dumps = description['dumps'] or []
        starts = np.array([str(d['start']).rstrip('Z') for d in dumps], 'datetime64[ns]')
        intervals = np.array([d['interval'] for d in dumps], np.float64)
        exposures = np.array([d['exposure'] for d in dumps], np.float64)
        order = {'little': '<', 'big': '>'}[description['byte_order']]
        agree = ((description['inputs'], description['channels'])
                 == (len(observation.inputs), len(frequencies)))
        complex_samples = bool(description.get('complex_samples', True))
    except OSError as error:
        raise ValueError(f'{side}: cannot be read: {error.strerror}') from None
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f'{side}: does not describe an ACC file: '
                         f'{" ".join(str(error).split())}') from None
    if not agree:
        raise ValueError(f'{side}: damaged, its inputs and channels are not those of its '
                         'observation and frequencies')
    nanos = starts.astype(np.int64)
    half = (nanos % 10**9) * 1e-9 + intervals / 2
    seconds = nanos // 10**9 + np.floor(half).astype(np.int64)
    positions = np.array([a.enu for a in observation.antennas], np.float64)
    vis = visibilities(
        path=path, telescope=observation.telescope,
        antennas=[a.name for a in observation.antennas],
        inputs=[(i.antenna, i.polarization) for i in observation.inputs],
        frequencies=frequencies, seconds=seconds, fractions=half - np.floor(half),
        intervals=intervals, exposures=exposures, partial=is_partial(path),
        has_times=is_dated(seconds),
        bad_inputs=[k for k, i in enumerate(observation.inputs) if i.bad],
        positions=positions if np.ptp(positions) > 0 else None,
        feeds=feeds_of_observation(side, observation))
    located = observation.has_site and vis.has_times and vis.positions is not None
    if observation.tracking and located:
        _describe_tracked(vis, observation, complex_samples)
    return vis, order


def _describe_tracked(vis, observation, complex_samples):
    """Sets the phase center and uvw of data whose fringes the F-engine has stopped."""
    center, left, uvw = _towards_phase_center(
        observation.to_text(), len(vis.frequencies), complex_samples,
        tuple(vis.seconds.tolist()), tuple(vis.fractions.tolist()))
    name = observation.phase_center.name
    if left > NEARLY_PHASED:
        vis.remarks.append(f'the data were tracked towards {name or "a direction"} that does not '
                           'stay among the stars, or without stopping fringes: they have no '
                           'phase center, and their images are wrong')
        return
    vis.phase_center = (name or 'ra{:.4f}_dec{:+.4f}'.format(*np.degrees(center)), *center)
    vis.uvw = uvw


@functools.lru_cache(maxsize=4)  # a file that is read in parts is described for each
def _towards_phase_center(text, channels, complex_samples, seconds, fractions):
    """(right ascension, declination) of the phase center of the first dump, the largest phase
    that tracking has left towards it in the first and the last dump, and uvw of all."""
    observation = fp.observation.from_text(text)
    middles = [fp.epoch(*when) for when in zip(seconds, fractions)]
    center = fp.phase_center_radec(observation, middles[0])

    def towards(when, channels):
        return fp._dump_phases(observation, channels, complex_samples, *center, when)
    left = max(np.abs(np.angle(towards(when, channels)[0])).max()
               for when in (middles[0], middles[-1]))
    uvw = np.array([towards(when, 1)[1] for when in middles])
    uvw.flags.writeable = False
    return center, left, uvw


def count_dumps(vis, path, dump_bytes):
    """Whole dumps in a raw file; the description is cut to them."""
    size = os.path.getsize(path)
    if size == 0:
        raise ValueError(f'{path}: is empty')
    dumps, rest = divmod(size, dump_bytes)
    described = len(vis.seconds) if vis.frequencies is not None else dumps
    if vis.partial:
        # The data and their description are written one after the other.
        dumps = min(dumps, described)
    elif rest or dumps != described:
        raise ValueError(f'{path}: damaged, {size} bytes are not '
                         + (f'the {described} dumps' if vis.frequencies is not None
                            else 'a whole number of dumps')
                         + f' of {dump_bytes} bytes that its inputs and channels make')
    if vis.frequencies is None:
        vis.seconds, vis.fractions = np.zeros(dumps, np.int64), np.zeros(dumps)
        vis.intervals = vis.exposures = np.full(dumps, np.nan)
    cut_dumps(vis, dumps)
    return dumps


def cut_dumps(vis, dumps):
    """Cuts the description to this number of dumps."""
    for name in ('seconds', 'fractions', 'intervals', 'exposures'):
        setattr(vis, name, getattr(vis, name)[:dumps])
    vis.uvw = None if vis.uvw is None else vis.uvw[:dumps]
