#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Displays: blocks that show dumps in a window while they are made.

Each takes visibilities [channel][baseline] (complex64 items of `channels_per_item` channels, as
an integrator or an fx_correlator sends them), `occupancy` the fractions that a flagger sends,
`pulse_profile` the visibilities of each bin of a turn.
They show at most 20 dumps a second and never hold the flowgraph up: dumps that come faster are
passed over. `widget()` is its QWidget. They need
PyQt5 and a QApplication; baseline, channels and scales can be changed while running.
"""
from .closure_phase import closure_phase  # noqa: F401
from .delays import delays  # noqa: F401
from .fringes import fringes  # noqa: F401
from .matrix import matrix  # noqa: F401
from .occupancy import occupancy  # noqa: F401
from .pulse_profile import pulse_profile  # noqa: F401
from .readout import readout  # noqa: F401
from .sky import sky  # noqa: F401
from .spectrum import spectrum  # noqa: F401
from .uv_coverage import uv_coverage  # noqa: F401
from .waterfall import waterfall  # noqa: F401
