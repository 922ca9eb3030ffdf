#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Frequencies of a file."""
import numpy as np

from .finding import FITS, UNKNOWN, WRONG, finding

SAME = 1e-3  #: of a channel


def check_frequencies(vis):
    """Whether each channel has a band of its own, above 0 Hz."""
    if vis.frequencies is None or not len(vis.frequencies):
        return [finding("frequencies", UNKNOWN, "the file has none")]
    hertz = np.asarray(vis.frequencies, float)
    if not np.isfinite(hertz).all() or (hertz <= 0).any():
        bad = hertz[~(hertz > 0)][0]
        return [finding("frequencies", WRONG, f"{bad:g} Hz is the frequency of no sky")]
    steps = np.diff(np.sort(hertz))
    if (steps == 0).any():
        again = np.sort(hertz)[:-1][steps == 0][0]
        return [finding("frequencies", WRONG, f"{int((steps == 0).sum())} channels have the "
                        f"frequency of another one, {again:.10g} Hz")]
    width = vis.channel_width
    if width and len(steps) and steps.min() < (1 - SAME) * width:
        return [finding("frequencies", WRONG, f"channels of {width:g} Hz overlap: two are "
                        f"{steps.min():g} Hz apart")]
    turn = "fall" if len(hertz) > 1 and (np.diff(hertz) < 0).all() else "rise" if (
        np.diff(hertz) > 0).all() else "rise and fall"
    return [finding("frequencies", FITS, f"{len(hertz)} channels, which {turn} from "
                    f"{hertz[0]:.10g} to {hertz[-1]:.10g} Hz")]
