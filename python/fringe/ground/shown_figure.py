#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Figures of matplotlib that show themselves in a notebook. To be imported where one is drawn:
matplotlib is slow to load."""
import io

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


class shown_figure(Figure):
    """A figure that needs no pyplot, neither for files nor in a notebook."""

    def __init__(self, *arguments, **words):
        super().__init__(*arguments, **words)
        FigureCanvasAgg(self)

    def _repr_png_(self):
        file = io.BytesIO()
        self.savefig(file, format='png')
        return file.getvalue()
