#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Which baselines, channels and dumps of a visibility file are asked for, by name, Hz and UTC."""
import numpy as np

from .. import fringe_python as fp
from .visibilities import is_dated


def chosen_baselines(vis, baselines):
    """(number of the product, inputs in the order asked for, whether to conjugate) of each.

    baselines: 'all', 'cross', 'auto', 'A-B' with the names of two inputs, or a list of these pairs.
    """
    found = {(int(i), int(j)): k for k, (i, j) in enumerate(zip(*vis.products))}
    if baselines in ('all', 'cross', 'auto'):
        return [(k, i, j, False) for (i, j), k in found.items()
                if baselines == 'all' or (i == j) == (baselines == 'auto')]
    names = {vis.input_name(k): k for k in range(len(vis.inputs))}
    pairs = []
    for text in [baselines] if isinstance(baselines, str) else baselines:
        cuts = [at for at, letter in enumerate(text) if letter == '-']
        asked = [(text[:at], text[at + 1:]) for at in cuts
                 if text[:at] in names and text[at + 1:] in names]
        if not asked:
            raise ValueError(f"baselines: {text}: must be all, cross, auto or two inputs as A-B; "
                             f"the inputs of {vis.path} are {', '.join(names)}")
        i, j = (names[name] for name in asked[0])
        pairs.append((found[min(i, j), max(i, j)], i, j, i > j))
    return pairs


def chosen_channels(vis, band, count):
    """Numbers of the channels in a band, (lowest, highest) in Hz; None: all of `count`."""
    if band is None:
        return np.arange(count)
    if vis.frequencies is None:
        raise ValueError(f'band: {vis.path} does not say at which frequencies it was made')
    chosen = np.flatnonzero((vis.frequencies >= band[0]) & (vis.frequencies <= band[1]))
    if not len(chosen):
        raise ValueError(f'band: {band[0]:g},{band[1]:g}: {vis.path} has channels from '
                         f'{vis.frequencies.min():.10g} to {vis.frequencies.max():.10g} Hz')
    return chosen


def chosen_dumps(vis, between):
    """The dumps whose centers lie between two instants, a range of numbers in the file.

    between: 'FROM,TO', each a time in UTC or seconds from the start of the first dump; None: all.
    """
    everything = range(vis.first_dump, vis.first_dump + len(vis.seconds))
    if between is None or not len(vis.seconds):
        return everything
    words = [word.strip() for word in between.split(',')]
    if len(words) != 2:
        raise ValueError(f"time: {between}: must be FROM,TO: two times in UTC, or two numbers of "
                         "seconds from the start")
    passed = seconds_passed(vis)
    low, high = (_passed_at(vis, word, default) for word, default in
                 zip(words, (-np.inf, np.inf)))
    inside = np.flatnonzero((passed >= low) & (passed <= high))
    if not len(inside):
        raise ValueError(f'time: {between}: {vis.path} has no dump there; its dumps are '
                         f'{passed[0]:g} to {passed[-1]:g} s from its start')
    return range(vis.first_dump + int(inside[0]), vis.first_dump + int(inside[-1]) + 1)


def seconds_passed(vis):
    """Seconds from the start of the first dump to the center of each."""
    half = vis.intervals[0] / 2 if np.isfinite(vis.intervals[0]) else 0.0
    return (vis.seconds - vis.seconds[0]) + (vis.fractions - vis.fractions[0]) + half


def cut_to_channels(vis, chosen):
    """Leaves only these channels in the content of a file."""
    if vis.frequencies is not None:
        vis.frequencies = vis.frequencies[chosen]
    for name in ('data', 'weights', 'flags', 'missing'):
        if getattr(vis, name) is not None:
            setattr(vis, name, getattr(vis, name)[:, chosen])


def _passed_at(vis, word, default):
    if not word:
        return default
    try:
        return float(word)
    except ValueError:
        pass
    if not (vis.has_times and is_dated(vis.seconds)):
        raise ValueError(f'time: {word}: {vis.path} does not say when it was made; give seconds '
                         'from its start')
    try:
        instant = fp.epoch.from_iso(word)
    except ValueError as error:
        raise ValueError(f'time: {word}: must be a time in UTC or a number of seconds: '
                         f'{error}') from None
    return ((instant.seconds - int(vis.seconds[0])) + (instant.fraction() - vis.fractions[0])
            + seconds_passed(vis)[0])


def reference_number(name, antennas):
    """Number of the antenna of phase 0 among names; None without a name."""
    if name is None:
        return None
    if name not in antennas:
        raise ValueError(f"reference: {name}: is no antenna; there are " + ", ".join(antennas[:8])
                         + (" ..." if len(antennas) > 8 else ""))
    return antennas.index(name)
