#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities as users have them: they describe, plot and image themselves, also in notebooks."""

import dataclasses
import functools

from ..ground.words import as_html
from ..images.cleaning import clean_settings
from ..images.make import image_maker
from ..images.sky_image import image_settings
from ..plots.page import plot_figure
from ..readers import visibilities as content
from ..readers.chosen import chosen_baselines
from ..visibility_files.flagged import count_flagged, share_in_words
from ..visibility_files.read_visibilities import read_visibilities as read
from .info import describe_content


class visibilities(content.visibilities):
    """The content of a visibility file, with its pictures."""

    def plot(self, baselines=None, in_decibels=False, title=None, **more):
        """The page of `fringe plot`, a figure of matplotlib that a notebook shows.

        baselines: these alone, amplitude and phase against time and frequency: "cross", "auto", or
        a list of pairs of inputs, ["west-east"]; None: fringes, autocorrelations, delays and the
        sky. in_decibels: amplitudes as 10 log10. title: a line above it. more: sources, picture,
        reports, stretch, see plots.page.plot_figure. figure.savefig("x.pdf") writes it.
        Raises ValueError.
        """
        self.require_data()
        if baselines is not None:
            baselines = chosen_baselines(self, baselines)
        return plot_figure(self, title=title, baselines=baselines, in_decibels=in_decibels, **more)

    def image(self, clean=0, **settings):
        """The image of `fringe image`, a `sky_image`, which a notebook shows.

        Its values are [plane][group of channels][m][l], its plot() is a figure of matplotlib.
        clean: components that are taken out; 0 = a dirty image; or clean_settings. settings: size,
        (columns, rows); scale, direction cosine a pixel; weight, pol, band and all other fields of
        images.image_settings. Raises ValueError where there can be no image.
        """
        if not isinstance(clean, clean_settings) and clean < 0:
            raise ValueError(f'clean: {clean}: must be a number of components')
        if clean:
            settings['clean'] = (clean if isinstance(clean, clean_settings)
                                 else clean_settings(clean))
        return image_maker(image_settings(**settings)).make([self])

    def _repr_html_(self):
        flagged = ('' if self.data is None else
                   f'{share_in_words(*count_flagged(self))} of the visibilities')
        return as_html(describe_content(self, 'visibilities', flagged))


@functools.wraps(read)
def read_visibilities(path, *arguments, **words):
    vis = read(path, *arguments, **words)
    return visibilities(**{field.name: getattr(vis, field.name)
                           for field in dataclasses.fields(vis)})
