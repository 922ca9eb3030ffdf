#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Recordings that are made here, and correlated by fringe.correlate() as a user does it."""
import numpy as np

from ..runs.correlate import correlate

RATE, FREQUENCY = 1e6, 1e8


def correlated(work, raw, form, inputs, channels, **options):
    """Visibilities [dump][channel][product] of the words of a headerless recording."""
    np.ascontiguousarray(raw).tofile(work.path("raw"))
    options = {"sample_rate": RATE, "center_frequency": FREQUENCY, "keep_edge": True, **options}
    correlate(work.path("raw"), work.path("x.ACC"), format=form, inputs=inputs, channels=channels,
              overwrite=True, backend=work.backend, **options)
    v = np.fromfile(work.path("x.ACC"), np.complex64)
    return v.reshape(-1, inputs * (inputs + 1) // 2, channels).swapaxes(1, 2)
