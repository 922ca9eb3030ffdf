#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Means over the channels of a visibility file: a number for each dump."""
import os

import numpy as np

from ..visibility_files.read_visibilities import read_visibilities


def band_mean(vis, i, j, band=None):
    """Mean of V_ij = <x_i conj(x_j)> over the channels, complex [dump].

        sum over channels w V / sum over channels w,    w = weight, 0 where flagged

    vis: from read_visibilities(), or the name of a file. i, j: inputs, by number or name; j, i is
    the conjugate of i, j. band: (lowest, highest) sky frequency in Hz; None = all channels. A dump
    of which nothing is left is nan. Raises ValueError.
    """
    vis = loaded(vis)
    i, j = (input_number(vis, name) for name in (i, j))
    product = int(np.flatnonzero((vis.products[0] == min(i, j))
                                 & (vis.products[1] == max(i, j)))[0])
    chosen = channels_in(vis, band)
    weights = vis.valid_weights()[:, chosen, product].astype(float)
    total = weights.sum(axis=1)
    with np.errstate(invalid='ignore', divide='ignore'):
        mean = (weights * vis.data[:, chosen, product]).sum(axis=1) / total
    mean[~(total > 0)] = np.nan
    return mean.conj() if i > j else mean


def total_power(vis, input=0, band=None):  # pylint: disable=redefined-builtin
    """Power of an input, [dump]: the mean of its autocorrelation over the channels.

        P = <|x|^2>

    In the square of the unit of the samples, times the gains in the observation file. vis, input,
    band: as band_mean() has them. Raises ValueError.
    """
    return band_mean(vis, input, input, band).real


def coefficient(vis, i, j, band=None):
    """Correlation coefficient of two inputs, complex [dump]: 1 for equal signals.

        rho = V_ij / sqrt(P_i P_j)

    vis, i, j, band: as band_mean() has them. Raises ValueError.
    """
    vis = loaded(vis)
    power = total_power(vis, i, band) * total_power(vis, j, band)
    with np.errstate(invalid='ignore', divide='ignore'):
        return band_mean(vis, i, j, band) / np.sqrt(power)


def loaded(vis, with_data=True):
    """The content of a visibility file, by its name if it is not read yet."""
    if isinstance(vis, (str, os.PathLike)):
        return read_visibilities(os.fspath(vis), with_data=with_data)
    if with_data:
        vis.require_data()
    return vis


def input_number(vis, name):
    """Number of an input that is given by number or name."""
    names = [vis.input_name(k) for k in range(len(vis.inputs))]
    if isinstance(name, str):
        if name not in names:
            raise ValueError(f"input '{name}': {vis.path} has no such input; it has "
                             f"{', '.join(names)}")
        return names.index(name)
    if not 0 <= int(name) < len(names) or int(name) != name:
        raise ValueError(f'input {name}: {vis.path} has inputs 0 ... {len(names) - 1}')
    return int(name)


def channels_in(vis, band):
    """Which channels lie in a band, (lowest, highest) in Hz."""
    if band is None:
        return np.ones(vis.data.shape[1], bool)
    if vis.frequencies is None:
        raise ValueError(f'band: {vis.path} does not say at which frequencies it was made')
    chosen = (vis.frequencies >= band[0]) & (vis.frequencies <= band[1])
    if not chosen.any():
        raise ValueError(f'band: {band[0]:.10g} to {band[1]:.10g} Hz has no channel of {vis.path}, '
                         f'which has {vis.frequencies.min():.10g} to '
                         f'{vis.frequencies.max():.10g} Hz')
    return chosen
