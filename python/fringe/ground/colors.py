#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Colors of the displays, of the web page and of plots: one quantity has the same everywhere.
And the titles of panels."""

import numpy as np

# Red, green, blue at even steps. "heat" gets lighter all the way; "phase" ends where it begins
# and has four colors a quarter of a turn apart; "difference" is dark in the middle, where there
# is none.
ANCHORS = {
    "heat": ((0, 0, 4), (34, 12, 74), (88, 16, 110), (140, 41, 99), (188, 55, 84),
             (226, 88, 50), (246, 136, 20), (250, 192, 50), (252, 255, 164)),
    "phase": ((60, 60, 66), (44, 96, 190), (120, 180, 225), (238, 236, 232), (232, 168, 92),
              (176, 60, 52), (60, 60, 66)),
    "difference": ((190, 225, 255), (90, 160, 235), (35, 95, 190), (15, 42, 95), (10, 10, 14),
                   (95, 32, 12), (190, 75, 20), (240, 150, 50), (255, 225, 160)),
}

#: Colors of the parts of windows and of the web page, light and dark: what is drawn on, letters,
#: lines of axes and of grids, and curves; on the page also the ground between panels, and states.
THEMES = {
    "light": {"paper": "#ffffff", "ink": "#202020", "gray": "#808080", "faint": "#e4e4e8",
              "blue": "#1f5fbf", "orange": "#e06000", "ground": "#f3f4f7", "good": "#1d7a3c",
              "bad": "#b3261e", "waiting": "#8a5a00"},
    "dark": {"paper": "#191b20", "ink": "#e8e8ea", "gray": "#9a9aa2", "faint": "#33363e",
             "blue": "#7db0ff", "orange": "#ff9c52", "ground": "#0f1014", "good": "#6fd08e",
             "bad": "#ff8a80", "waiting": "#ffc266"},
}

#: Titles of the panels of a page, as matplotlib takes them.
TITLE = dict(loc='left', fontsize=11.5)


def color_table(name):
    """256 colors, uint32 [color][red, green, blue] from 0 to 255."""
    anchors = np.array(ANCHORS[name], float)
    at = np.linspace(0, len(anchors) - 1, 256)
    return np.stack([np.interp(at, np.arange(len(anchors)), anchors[:, k])
                     for k in range(3)], axis=1).astype(np.uint32)


def color_map(name):
    """The same as a color map of matplotlib, which the caller may change."""
    from matplotlib.colors import ListedColormap
    return ListedColormap(color_table(name) / 255, name)
