#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The delay spectrum of a dump, as the page draws it."""
import numpy as np

from ..ground.dump_values import coefficients
from ..radio_astronomy.delay_spectrum import delay_axis, delay_spectrum, highest

POINTS = 1024  # of a delay spectrum, at most


def delay_message(dump, i, j, columns):
    """(field of the header, arrays) of a pair of inputs, by the equation of the Delay Display.

    columns: of the products i-j, i-i, j-j. The field has the first delay and the step of the
    arrays, s, and the peaks (delay, height) of coefficients and of powers. Where there are more
    than POINTS, the highest of neighbors is sent. None, {}: for one input alone, or one channel.
    """
    channels = len(dump.frequencies)
    if i == j or channels < 2:
        return None, {}
    there = (dump.weights[:, columns] > 0) & np.isfinite(dump.visibilities[:, columns])
    if dump.edge_channel is not None:
        there[dump.edge_channel] = False
    values = np.where(there, dump.visibilities[:, columns], 0)
    axis = delay_axis(channels, float(np.median(np.diff(dump.frequencies))))
    together = -(-len(axis) // POINTS)
    starts, peaks, arrays = np.arange(0, len(axis), together), {}, {}
    for name in ("coefficient", "power"):
        cross = coefficients(values, [(i, j)], name == "coefficient")[:, 0]
        lags = delay_spectrum(np.where(there[:, 0], cross, np.nan), channels)
        peaks[name] = [float(number) for number in highest(axis, lags)]
        arrays["lags_" + name] = np.maximum.reduceat(lags, starts).astype(np.float32)
    step = axis[1] - axis[0]
    return {"first": axis[0] + (together - 1) / 2 * step, "step": together * step,
            "peaks": peaks}, arrays
