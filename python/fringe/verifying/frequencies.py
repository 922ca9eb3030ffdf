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
        bad = hertz[~(np.isfinite(hertz) & (hertz > 0))][0]
        return [finding("frequencies", WRONG, f"a channel is at {bad:g} Hz, and must be above 0")]
    steps = np.diff(np.sort(hertz))
    if (steps == 0).any():
        again, count = np.sort(hertz)[:-1][steps == 0][0], int((steps == 0).sum())
        return [finding("frequencies", WRONG, ("1 channel has" if count == 1 else
                                               f"{count} channels have")
                        + f" the frequency of another one, {again:.10g} Hz")]
    width = vis.channel_width
    if width and len(steps) and steps.min() < (1 - SAME) * width:
        return [finding("frequencies", WRONG, f"channels of {width:g} Hz overlap: two are "
                        f"{steps.min():g} Hz apart")]
    if len(hertz) == 1:
        return [finding("frequencies", FITS, f"1 channel, at {hertz[0]:.10g} Hz")]
    turn = "fall" if (np.diff(hertz) < 0).all() else "rise" if (
        np.diff(hertz) > 0).all() else "rise and fall"
    return [finding("frequencies", FITS, f"{len(hertz)} channels, which {turn} from "
                    f"{hertz[0]:.10g} to {hertz[-1]:.10g} Hz")]
