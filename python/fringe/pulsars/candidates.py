#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Many sums that are strong because of one pulse become that pulse.

A sum of another dispersion, d, and begin has a part of the channels of a pulse where the two
sweeps cross in the band. With D the means by which the two differ over the band, and w, w' their
widths, these are at most the part (w + w') / D of the delays of the band, so the sum is at most
that part of the pulse, and the noise beside it. What is not stronger belongs to the pulse.
"""
import numpy as np

from .dispersion import delay

#: A strong sum: its begin in the highest channel (means), number of the direction, pc / cm^3,
#: means, standard deviations.
HIT = np.dtype([("time", np.int64), ("direction", np.int32), ("dm", float), ("width", np.int32),
                ("snr", float)])
NOISE = 5.0  #: standard deviations that noise adds, of the many sums around a pulse
ROUNDING = 2  #: means, of the shifts of channels


def strongest(hits, levels):
    """Those of HITs that no stronger one explains. levels: file_levels."""
    if not len(hits):
        return hits
    f, interval = levels.frequencies, levels.file.interval
    band = float(delay(1.0, f.min()) - delay(1.0, f.max())) / interval  # means
    # Channels in a part of the delays, against the mean: the highest are the densest.
    steep = band * interval / ((f.max() - f.min()) * 2 * delay(1.0, f.max()) / f.max())
    kept = []
    for direction in np.unique(hits["direction"]):
        some = np.sort(hits[hits["direction"] == direction], order="time")
        alive = np.ones(len(some), bool)
        reach = int((some["dm"].max() - some["dm"].min()) * band + 2 * some["width"].max()
                    + 2 * ROUNDING)
        for at in np.argsort(-some["snr"], kind="stable"):
            if not alive[at]:
                continue
            pulse = some[at]
            low, high = np.searchsorted(some["time"], (pulse["time"] - reach,
                                                       pulse["time"] + reach + 1))
            near = some[low:high]
            alive[low:high] &= ~_explained(near, pulse, band, steep)
            alive[at] = False
            kept.append(pulse)
    return np.array(kept, HIT)


def _explained(hits, pulse, band, steep):
    """Which hits are no stronger than what the pulse makes of them."""
    begin = hits["time"] - pulse["time"]  # in the highest channel
    apart = (hits["dm"] - pulse["dm"]) * band
    first, last = np.minimum(begin, begin + apart), np.maximum(begin, begin + apart)
    cross = (first < pulse["width"] + ROUNDING) & (last > -hits["width"] - ROUNDING)
    wide = hits["width"] + pulse["width"] + ROUNDING
    part = np.minimum(1, steep * wide / np.maximum(np.abs(apart), 1))
    return cross & (hits["snr"] <= pulse["snr"] * part + NOISE)
