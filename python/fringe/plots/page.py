#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""One page of pictures of a visibility file: fringes, spectra, delays and the sky."""

import os

import numpy as np

from ..images import imaging
from ..images.frame import COMMON_HORIZON
from ..images.make import image_maker
from ..images.picture import field_panel
from ..images.sky_image import image_settings, sky_image
from ..images.texts import alike, fit
from ..ground.new_file import new_file
from ..visibility_files.flagged import count_flagged, share_in_words
from ..readers.times_in_words import span_in_words, when_in_words
from ..ground.words import with_unit
from .baselines import baseline_panels
from .fringes import fringe_panels, fringes_of
from ..images.sky_panel import sky_panel
from .parts import say
from .spectra import auto_panel, delay_panel

#: Pixels a side of an image around a phase center.
FIELD = 512

#: Ending of a page: what is said in the file of how it was made, and no date.
ENDINGS = {'.png': {'Software': 'gr-fringe'},
           '.pdf': {'Creator': 'gr-fringe', 'CreationDate': None},
           '.svg': {'Creator': 'gr-fringe', 'Date': None}}


def picture_of(vis):
    """The dirty image of the whole sky, an `image`, or a `sky_image` around the phase center where
    stations stand too far apart to have one horizon. Throws ValueError where there is none."""
    apart = vis.positions is not None and np.nanmax(np.ptp(vis.positions, axis=0)) > COMMON_HORIZON
    if vis.uvw is not None and apart:
        return image_maker(image_settings(size=(FIELD, FIELD))).make([vis])
    return imaging.dirty_image(vis)


def plot_figure(vis, sources=None, title=None, picture=None, reports=None, baselines=None,
                in_decibels=False, stretch='auto'):
    """The page of `visibilities` as a figure of matplotlib.

    sources: (name, l, m) or (name, l, m, flux) of the true positions to mark. picture: of
    picture_of(), where the caller has it already (default: made here). stretch: of its colors,
    auto, linear, sqrt or asinh. reports: what imaging.check_sources() said, to mark what was
    found and what was not. baselines: of chosen_baselines(), at most 14: the page shows these
    alone, against time and frequency. in_decibels: amplitudes as 10 log10.
    Throws ValueError with a sentence.
    """
    from ..ground.shown_figure import shown_figure

    figure = shown_figure(figsize=(16, 9.6), dpi=100, facecolor='white')
    if baselines is None:
        _everything(figure, vis, picture, sources or [], reports, in_decibels, stretch)
    else:
        grid = figure.add_gridspec(2, 2, left=0.062, right=0.975, top=0.90, bottom=0.105,
                                   wspace=0.16, hspace=0.30)
        baseline_panels(figure, grid, vis, baselines, in_decibels)
    name = title or f'{vis.telescope or "Visibilities"}: {os.path.basename(vis.path)}'
    if vis.partial:
        name += ' (not finished)'
    fit(figure, figure.text(0.012, 0.955, name, fontsize=17, fontweight='bold', va='center'), 0.988)
    for line, y in zip((_footer(vis), '   |   '.join(alike(vis.remarks))), (0.03, 0.012)):
        fit(figure, figure.text(0.012, y, line, fontsize=10, color='0.25', va='center'), 0.988)
    return figure


def plot_page(vis, path, *arguments, **words):
    """Draws `visibilities` as one page, PNG, PDF or SVG by its ending, and returns its path.

    The other arguments are those of plot_figure(). Throws ValueError with a sentence when the page
    cannot be written.
    """
    figure = plot_figure(vis, *arguments, **words)
    path = os.fspath(path)
    ending = os.path.splitext(path)[1].lower()
    try:
        with new_file(path, overwrite=True) as file:
            figure.savefig(file, format=ending[1:], metadata=ENDINGS[ending])
    except OSError as error:
        raise ValueError(f'{path}: the page cannot be written: {error.strerror}') from None
    return path


def _everything(figure, vis, picture, sources, reports, in_decibels, stretch):
    """Fringes, powers, delays and the sky, of all inputs."""
    if picture is None:
        try:
            picture = picture_of(vis)
        except ValueError as error:
            problem = str(error)
    widths = [1, 1, 0.5] if picture is None else [1, 1, 1.28]
    grid = figure.add_gridspec(2, len(widths), left=0.062, right=0.968, top=0.90, bottom=0.105,
                               wspace=0.33, hspace=0.30,
                               width_ratios=widths)
    fringes = fringes_of(vis)
    fringe_panels(figure, grid[0, 0], grid[0, 1], vis, fringes, in_decibels)
    auto_panel(figure.add_subplot(grid[1, 0]), vis)
    delay_panel(figure.add_subplot(grid[1, 1]), vis, fringes)
    if picture is None:
        say(figure.add_subplot(grid[:, 2]), 'Image', problem, 28)
    elif isinstance(picture, sky_image):
        panel = figure.add_subplot(grid[:, 2], anchor='N')
        bar = panel.inset_axes([0, -0.165, 1, 0.028])
        field_panel(panel, bar, picture, sources, f'{picture.unit}/beam', stretch)
    else:
        sky_panel(figure, grid[:, 2], picture, sources, reports, stretch)


def _footer(vis):
    parts = [vis.telescope or 'telescope not given',
             when_in_words(vis),
             span_in_words(vis)]
    if vis.frequencies is None:
        parts.append(f'{vis.data.shape[1]} channels')
    else:
        width = np.median(np.diff(vis.frequencies)) if len(vis.frequencies) > 1 else 0
        parts.append(f'{len(vis.frequencies)} channel' + 's' * (len(vis.frequencies) > 1)
                     + (f' of {with_unit(width, "Hz")}' if width else '')
                     + f' from {with_unit(vis.frequencies[0], "Hz")}')
    parts.append(f'{len(vis.inputs)} inputs')
    flagged, total = count_flagged(vis)
    if flagged:
        parts.append(f'{share_in_words(flagged, total)} flagged')
    return '   |   '.join(parts)
