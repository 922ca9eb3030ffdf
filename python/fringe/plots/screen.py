#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where a figure that changes is seen: in a cell of a notebook, in a window, or nowhere."""
import time

SIZE = (9, 5.4)


def in_notebook():
    """Whether this is a kernel of Jupyter, which shows pictures."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return hasattr(get_ipython(), "kernel")


def screen(hidden=False):
    """The one that there is. hidden: none, for a figure that is only asked for."""
    if hidden:
        return no_screen()
    if in_notebook():
        return cell()
    from matplotlib import pyplot, rcsetup
    is_window = pyplot.get_backend().lower() in map(str.lower, rcsetup.interactive_bk)
    return window(pyplot) if is_window else no_screen()


class no_screen:
    """Nothing is seen; the figure can be saved."""

    def __init__(self):
        from ..ground.shown_figure import shown_figure
        self.figure = shown_figure(figsize=SIZE, dpi=100, facecolor="white")

    def update(self, figure):
        """The figure has changed."""

    def wait(self, seconds):
        """Lets time pass."""
        time.sleep(seconds)


class cell(no_screen):
    """A picture in a cell of a notebook, in the place of the one before."""

    _shown = None

    def update(self, figure):
        from IPython.display import display
        if self._shown is None:
            self._shown = display(figure, display_id=True)
        else:
            self._shown.update(figure)


class window(no_screen):
    """A window of matplotlib."""

    def __init__(self, pyplot):
        from ..ground.shown_figure import shown_figure
        self._pyplot = pyplot
        self.figure = pyplot.figure(FigureClass=shown_figure, figsize=SIZE)

    def update(self, figure):
        figure.canvas.draw_idle()

    def wait(self, seconds):
        self._pyplot.pause(max(seconds, 0.01))
