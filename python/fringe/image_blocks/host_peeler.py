#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Strong sources taken out of dumps on the host, while a flowgraph runs."""

import time
from collections import deque

import numpy as np

from ..images.dump_images import dump_sky
from ..images.known import read_known
from ..sky_model.model_sky import frame_of_file
from ..sky_model.peel import peel_visibilities
from .dump_changer import dump_changer
from .peeler_settings import PORT, peeled_dumps, peeler_settings


class host_peeler(dump_changer):
    """The peeler of dumps that are on the host.

    Input 0: visibilities, complex64 [channel][baseline], `channels_per_item` channels an item;
    input 1 (optional): weights, float32; input 2 (optional): flags, uint8; same shape.
    Outputs: the same; where no weights (flags) come in, the outputs have 1 (0). All tags are kept.

    The arguments are those of peeler(), but for the backend.
    """

    def __init__(self, observation, sources, channels=128, dumps=8, solution_channels=0, passes=60,
                 damping=0.9, clip=5.0, taper=-1.0, complex_samples=True, channels_per_item=0,
                 solve="gains", selfcal=0):
        self._settings = peeler_settings(dumps, solution_channels, passes, damping, clip, taper,
                                         solve, selfcal)
        dump_changer.__init__(self, "peeler", observation, channels, complex_samples,
                              channels_per_item)
        self._known = read_known(sources)
        self._sky = dump_sky(observation, channels, complex_samples)
        self._window = deque(maxlen=int(dumps))
        self._count = peeled_dumps()
        self.message_port_register_out(PORT)

    def peeled(self):
        """Dumps of which all sources that are up were subtracted, so far."""
        return self._count.peeled

    def left(self):
        """Dumps in which at least one stayed."""
        return self._count.left

    def start(self):
        """Forgets what is left of an earlier run."""
        self._window.clear()
        self._count.restart()
        return dump_changer.start(self)

    def change(self, dump):
        """The dump without the sources."""
        began = time.monotonic()
        self._window.append(dump)
        dumps = list(self._window)
        vis = self._sky.visibilities(dumps)
        try:
            taken, reports = peel_visibilities(vis, self._known, self._settings,
                                               frame_of_file(vis))
        except (ValueError, np.linalg.LinAlgError) as error:
            self._say(dump, [], str(error), began)
            return dump.values
        self._say(dump, reports, "", began)
        newest = self._sky.unphased(taken[-1:], dumps[-1:], dumps[0])[0]
        if dump.weights is not None:  # what was not measured is not what is left of a measurement
            newest[dump.weights <= 0] = 0
        return (dump.values - newest).astype(np.complex64)

    def _say(self, dump, reports, problem, began):
        self.message_port_pub(PORT, self._count.message(
            dump.seconds, dump.fraction, reports, problem, time.monotonic() - began))
