#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""One page of pictures of a visibility file: fringes, spectra, delays and the sky."""

import os

import numpy as np

from ..images import imaging
from ..ground.new_file import new_file
from ..visibility_files.flagged import count_flagged, share_in_words
from ..readers.times_in_words import span_in_words, when_in_words
from ..ground.words import with_unit
from .baselines import baseline_panels
from .fringes import fringe_panels, fringes_of
from ..images.sky_panel import sky_panel
from .spectra import auto_panel, delay_panel


#: Ending of a page: what is said in the file of how it was made, and no date.
ENDINGS = {'.png': {'Software': 'gr-fringe'},
           '.pdf': {'Creator': 'gr-fringe', 'CreationDate': None},
           '.svg': {'Creator': 'gr-fringe', 'Date': None}}


def plot_page(vis, path, sources=None, title=None, picture=None, reports=None, baselines=None,
              in_decibels=False):
    """Draws `visibilities` as one page, PNG, PDF or SVG by its ending, and returns its path.

    sources: (name, l, m) or (name, l, m, flux) of the true positions to mark. picture: the
    dirty image, where the caller has it already (default: made here). reports: what
    imaging.check_sources() returned, to mark what was found and what was not. baselines: of
    chosen_baselines(), at most 14: the page shows these alone, against time and frequency.
    in_decibels: amplitudes as 10 log10.
    Throws ValueError with a sentence when the page cannot be written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(16, 9.6), dpi=100, facecolor='white')
    FigureCanvasAgg(figure)
    if baselines is None:
        _everything(figure, vis, picture, sources or [], reports, in_decibels)
    else:
        grid = figure.add_gridspec(2, 2, left=0.062, right=0.975, top=0.90, bottom=0.105,
                                   wspace=0.16, hspace=0.30)
        baseline_panels(figure, grid, vis, baselines, in_decibels)
    name = title or f'{vis.telescope or "Visibilities"}: {os.path.basename(vis.path)}'
    if vis.partial:
        name += ' (not finished)'
    figure.text(0.012, 0.955, name, fontsize=17, fontweight='bold', va='center')
    figure.text(0.012, 0.022, _footer(vis), fontsize=10, color='0.25', va='center')
    path = os.fspath(path)
    ending = os.path.splitext(path)[1].lower()
    try:
        with new_file(path, overwrite=True) as file:
            figure.savefig(file, format=ending[1:], metadata=ENDINGS[ending])
    except OSError as error:
        raise ValueError(f'{path}: the page cannot be written: {error.strerror}') from None
    return path


def _everything(figure, vis, picture, sources, reports, in_decibels):
    """Fringes, powers, delays and the sky, of all inputs."""
    if picture is None:
        try:
            picture = imaging.dirty_image(vis)
        except ValueError as error:
            figure.text(0.988, 0.955, str(error), ha='right', va='center', color='0.35')
    widths = [1, 1] if picture is None else [1, 1, 1.28]
    grid = figure.add_gridspec(2, len(widths), left=0.062, right=0.968, top=0.90, bottom=0.105,
                               wspace=0.33 if picture else 0.16, hspace=0.30,
                               width_ratios=widths)
    fringes = fringes_of(vis)
    fringe_panels(figure, grid[0, 0], grid[0, 1], vis, fringes, in_decibels)
    auto_panel(figure.add_subplot(grid[1, 0]), vis)
    delay_panel(figure.add_subplot(grid[1, 1]), vis, fringes)
    if picture is not None:
        sky_panel(figure, grid[:, 2], picture, sources, reports)


def _footer(vis):
    parts = [vis.telescope or 'telescope not given',
             when_in_words(vis),
             span_in_words(vis)]
    if vis.frequencies is None:
        parts.append(f'{vis.data.shape[1]} channels')
    else:
        width = np.median(np.diff(vis.frequencies)) if len(vis.frequencies) > 1 else 0
        parts.append(f'{len(vis.frequencies)} channels'
                     + (f' of {with_unit(width, "Hz")}' if width else '')
                     + f' from {with_unit(vis.frequencies[0], "Hz")}')
    parts.append(f'{len(vis.inputs)} inputs')
    flagged, total = count_flagged(vis)
    if flagged:
        parts.append(f'{share_in_words(flagged, total)} flagged')
    return '   |   '.join(parts + vis.remarks)
