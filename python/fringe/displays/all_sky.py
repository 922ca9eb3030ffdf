#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The display of the sky by its old name."""

from .sky import sky


class all_sky(sky):
    """`sky` by the name, and with the parameters, that it had before: flowgraphs that have it go on
    working. New ones take `sky`."""

    NAME = "all_sky"

    def __init__(self, observation, channels=128, complex_samples=True, size=129,
                 channels_per_item=0, title=""):
        sky.__init__(self, observation, channels, complex_samples, size,
                     channels_per_item=channels_per_item, title=title)
