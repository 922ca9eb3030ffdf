#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Whether known sources stand mirrored through the center: the file has the other sign."""

import numpy as np

#: Standard deviations by which the mirrored places must be higher, all of them together.
SIGMAS = 6
#: How many times higher the mirrored places must be than those where sources should be.
CLEARLY = 2


def mirrored_sources(made, sources):
    """Names of known sources that are bright where (-l, -m) is and not where (l, m) is.

    made: a `sky_image`. sources: (name, l, m) of each. The list is empty unless all of them
    together say so: the mirrored places of N sources are on average SIGMAS / sqrt(N) standard
    deviations higher than the true ones, and CLEARLY so. A source near the center, or whose
    mirrored place is another's, says nothing.
    """
    image = made.mean()
    median = np.nanmedian(image)
    sigma = 1.4826 * np.nanmedian(np.abs(image - median))
    if not sigma > 0:
        return []
    width = max(made.beam[0], 3 * made.pixel)
    heights = {}
    for name, l, m in sources:
        apart = min(np.hypot(l + a, m + b) for _, a, b in sources)
        there = _highest(made, image, l, m, width), _highest(made, image, -l, -m, width)
        if apart > 2 * width and None not in there:
            heights[name] = [(top - median) / sigma for top in there]
    if not heights:
        return []
    true, mirrored = np.mean(list(heights.values()), axis=0)
    needed = SIGMAS / np.sqrt(len(heights))
    if mirrored - true < needed or mirrored < CLEARLY * true:
        return []
    return [name for name, (at, turned) in heights.items()
            if turned - at > needed and turned > CLEARLY * at]


def remark(made, sources, conjugated):
    """A sentence for people, or None."""
    names = mirrored_sources(made, sources)
    if not names:
        return None
    some = ', '.join(names[:5]) + (' ...' if len(names) > 5 else '')
    return (f'known sources stand mirrored through the center ({some}): the visibilities have '
            f'the other sign; {"leave out" if conjugated else "give"} conjugate=True')


def _highest(made, image, l, m, width):
    """The highest pixel within half a width of a place; None where that is not in the image."""
    columns, rows = (np.abs(made.axis(columns) - at) <= max(width / 2, made.pixel)
                     for columns, at in ((True, l), (False, m)))
    part = image[np.ix_(rows, columns)]
    return np.nanmax(part) if np.isfinite(part).any() else None
