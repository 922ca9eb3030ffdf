#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Strong sources taken out of dumps, while a flowgraph runs."""

from collections import deque

import numpy as np
import pmt

from ..images.dump_images import dump_sky
from ..images.known import read_known
from ..sky_model.model_sky import frame_of_file
from ..sky_model.peel import SOLVE, peel_settings, peel_visibilities
from .dump_changer import dump_changer


class peeler(dump_changer):
    """Subtracts the strongest sources from dumps, with a gain of each antenna towards each.

        V_ab = sum_k g_ka conj(g_kb) exp(2 pi i (u l_k + v m_k + w (n_k - 1))) + all the rest

    The gains are solved for each dump, from it and those before it, as `fringe peel` does.
    Visibilities from which a source cannot be subtracted, as its gains do not converge, say, stay
    as they are: the stream goes on in any case, and the port `solutions` says why.

    Input 0: visibilities, complex64 [channel][baseline], `channels_per_item` channels an item;
    input 1 (optional): weights, float32; input 2 (optional): flags, uint8; same shape.
    Outputs: the same; where no weights (flags) come in, the outputs have 1 (0). All tags are kept.

    Message port `solutions`: after each dump a dict with `seconds`, `fraction` (start of the
    dump), and `sources`, a dict by their names: each a dict with `converged` (bool), `flux` that
    was removed, mean of the solutions, and `problem` (why not, or "").

      observation: places, phase center and frequencies
      sources: names such as "Sun,CasA", an observation file with a sky, or a catalogue
      dumps: of a solution: this one and so many - 1 before it
      passes, damping, clip, taper, channels of a solution: as those of fringe peel
      channels, complex_samples, channels_per_item: as visibility_sink's
      solve: gains, or offsets: a flux and an offset, which grows with the square of the wavelength,
        of each source
      selfcal: cycles of self-calibration: the other sources that CLEAN finds in the image of what
        is left go into the model, and the gains are solved again, so that they keep their flux.
        Each makes an image of the dumps of the solution, for which the flowgraph waits

    Raises ValueError for sources that are not known, and settings that cannot be.
    """

    def __init__(self, observation, sources, channels=128, dumps=8, solution_channels=0, passes=60,
                 damping=0.9, clip=5.0, taper=-1.0, complex_samples=True, channels_per_item=0,
                 solve="gains", selfcal=0):
        for field, value, right, what in (
                ("dumps", dumps, dumps >= 1, "it must be 1 or more"),
                ("solution_channels", solution_channels, solution_channels >= 0,
                 "it must be 1 or more, or 0 for all"),
                ("passes", passes, passes >= 1, "it must be 1 or more"),
                ("damping", damping, 0 < damping <= 1, "it must be more than 0 and at most 1"),
                ("clip", clip, clip >= 2, "it must be 2 or more"),
                ("selfcal", selfcal, int(selfcal) == selfcal and selfcal >= 0,
                 "it must be a number of cycles, 0 or more"),
                ("solve", solve, solve in SOLVE, f"there are {' and '.join(SOLVE)}")):
            if not right:
                raise ValueError(f"peeler: {field} {value}; {what}")
        dump_changer.__init__(self, "peeler", observation, channels, complex_samples,
                              channels_per_item)
        self._known = read_known(sources)
        self._settings = peel_settings(int(dumps), int(solution_channels) or None, int(passes),
                                       damping, None if taper < 0 else taper, clip, solve=solve,
                                       selfcal=int(selfcal))
        self._sky = dump_sky(observation, channels, complex_samples)
        self._window = deque(maxlen=int(dumps))
        self._peeled = self._left = 0
        self._port = pmt.intern("solutions")
        self.message_port_register_out(self._port)

    def peeled(self):
        """Dumps of which all sources that are up were subtracted, so far."""
        return self._peeled

    def left(self):
        """Dumps in which at least one stayed."""
        return self._left

    def start(self):
        """Forgets what is left of an earlier run."""
        self._window.clear()
        self._peeled = self._left = 0
        return dump_changer.start(self)

    def change(self, dump):
        """The dump without the sources."""
        self._window.append(dump)
        dumps = list(self._window)
        vis = self._sky.visibilities(dumps)
        try:
            taken, reports = peel_visibilities(vis, self._known, self._settings,
                                               frame_of_file(vis))
        except (ValueError, np.linalg.LinAlgError) as error:
            self._say(dump, [], str(error))
            return dump.values
        self._say(dump, reports, "")
        newest = self._sky.unphased(taken[-1:], dumps[-1:], dumps[0])[0]
        return (dump.values - newest).astype(np.complex64)

    def _say(self, dump, reports, problem):
        whole = not problem and all(report.fluxes and not report.problems for report in reports)
        self._peeled += whole
        self._left += not whole
        message = {"seconds": int(dump.seconds), "fraction": float(dump.fraction),
                   "problem": problem,
                   "sources": {report.name: {
                    "converged": bool(report.fluxes) and not report.problems,
                    "flux": float(np.mean(report.fluxes)) if report.fluxes else 0.0,
                    "problem": report.problems[0] if report.problems else ""}
                       for report in reports}}
        self.message_port_pub(self._port, pmt.to_pmt(message))
