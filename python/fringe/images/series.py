#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Images of visibility files, one for each interval of time."""

from dataclasses import replace

import numpy as np

from ..ground.options import with_options
from ..visibility_files.read_visibilities import describe_files
from ..readers.selection import selection
from ..readers.visibilities import some_dumps
from .frame import frame_of
from .mosaic import fields_of
from .extent import size_of
from .make import image_maker, image_settings, nothing_seen

#: Images of one series, at most.
MAX_IMAGES = 10**6
#: Dumps whose centers lie before the end of an interval by less than this part of it are in it.
ROUNDING = 1e-6


def image_series(paths, settings=None, every=1.0, one_frame=True, progress=None, **chosen):
    """Yields a `sky_image` for each `every` seconds of some files, from their first dump on; None
    where there are no visibilities, or all are flagged.

    All have the same pixels. one_frame: all have the same center too, that of the whole run;
    False: those of the whole sky have the zenith of their own time. progress: is called with the
    part of the work that is done. field, spw, subarray, column: as read_visibilities() has them.
    Raises ValueError with a sentence.
    """
    s = settings or image_settings()
    files = describe_files(paths, **chosen)
    if s.primary_beam is not None and len(fields_of(files)) > 1:
        raise ValueError('beam: files of several phase centers become a mosaic, which is one '
                         'image; make a series of each field')
    intervals = _intervals(files, every)
    frame = frame_of(files[0], s.all_sky)
    columns, rows, pixel, _ = size_of(s, frame, files)
    maker = image_maker(replace(s, size=(columns, rows), scale=pixel, all_sky=frame.all_sky))
    made_one = False
    for number, parts in enumerate(intervals):
        made = None
        if parts:
            try:
                made = maker.make(parts, frame=frame if one_frame else None)
                made_one = True
            except nothing_seen as error:
                why = error
        if number + 1 == len(intervals) and not made_one:
            raise why
        yield made
        if progress:
            progress((number + 1) / len(intervals))


with_options(image_series, selection)


def _intervals(files, every):
    """The descriptions [interval][file] of the dumps in each interval."""
    if not every > 0:
        raise ValueError(f'every: {every:g}: must be a time of more than 0 s')
    for vis in files:
        longest = vis.intervals.max()
        if every < longest * (1 - ROUNDING):
            raise ValueError(f'every: {every:g} s: a dump of {vis.path} is {longest:g} s long; '
                             'no image is shorter than that')
    first = min(files, key=lambda v: v.seconds[0] + v.fractions[0])
    zero = int(first.seconds[0]), first.fractions[0] - first.intervals[0] / 2
    numbers = [np.floor(((v.seconds - zero[0]) + (v.fractions - zero[1])) / every + ROUNDING)
               .astype(int) for v in files]
    count = max(int(n.max()) for n in numbers) + 1
    if count > MAX_IMAGES:
        raise ValueError(f'every: {every:g} s: makes {count} images; {MAX_IMAGES} are the most')
    found = [[] for _ in range(count)]
    for vis, of in zip(files, numbers):
        for number in np.unique(of):
            dumps = np.flatnonzero(of == number)
            found[number].append(some_dumps(vis, range(dumps[0], dumps[-1] + 1)))
    return found
