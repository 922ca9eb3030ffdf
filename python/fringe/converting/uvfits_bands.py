#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Spectral windows as the windows (IFs) of a UVFITS file, each an even row of channels."""

from dataclasses import dataclass

import numpy as np

#: Part of a channel by which one may be out of its place.
NEAR = 1e-3


@dataclass
class uvfits_bands:
    """Windows of as many channels each."""
    count: int            #: channels
    starts: np.ndarray    #: Hz, of the first channel of each window
    steps: np.ndarray     #: Hz to the next channel


def even_bands(content, part):
    """(the uvfits_bands, the order of the channels of a part in them).

    They ascend there. Raises ValueError where they make no even row.
    """
    counts = [len(window.frequencies) for window in part.windows]
    if len(set(counts)) > 1:
        raise ValueError(f'{content.path}: its windows have {", ".join(map(str, counts))} '
                         'channels, and those of a UVFITS file as many each: choose one with '
                         'spw=NUMBER')
    starts, steps, order = [], [], []
    for number, (window, channels) in enumerate(zip(part.windows, part.slices())):
        places = np.argsort(window.frequencies)
        hertz = window.frequencies[places]
        step = (hertz[-1] - hertz[0]) / (len(hertz) - 1) if len(hertz) > 1 else window.widths[0]
        if not step:
            raise ValueError(f'{content.path}: window {number}: does not say how wide its channel '
                             'is')
        off = np.abs(hertz - hertz[0] - step * np.arange(len(hertz))).max()
        if off > NEAR * step:
            raise ValueError(f'{content.path}: window {number}: its channels are up to '
                             f'{off:.6g} Hz away from an even row of {step:.6g} Hz, which '
                             'a UVFITS file has')
        starts.append(float(hertz[0]))
        steps.append(float(step))
        order.append(channels.start + places)
    if any((np.abs(window.widths - step) > NEAR * step).any()
           for window, step in zip(part.windows, steps)):
        content.notes.append('UVFITS files have channels that are as wide as they are apart')
    return uvfits_bands(counts[0], np.array(starts), np.array(steps)), np.concatenate(order)
