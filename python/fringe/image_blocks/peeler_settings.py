#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the blocks that peel have in common: their settings, and what they say of a dump."""

import numpy as np
import pmt

from ..sky_model.peel import SOLVE, peel_settings

PORT = pmt.intern("solutions")


def peeler_settings(dumps, solution_channels, passes, damping, clip, taper, solve="gains",
                    selfcal=0):
    """`peel_settings`; ValueError for those that cannot be."""
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
    return peel_settings(int(dumps), int(solution_channels) or None, int(passes), damping,
                         None if taper < 0 else taper, clip, solve=solve, selfcal=int(selfcal))


class peeled_dumps:
    """Counts dumps of which all sources that are up were subtracted, and the others."""

    def __init__(self):
        self.restart()

    def restart(self):
        """Begins at 0."""
        self.peeled = self.left = 0

    def message(self, seconds, fraction, reports, problem, solved_in):
        """Counts a dump; what is sent at the port: see peeler(). reports: `peeled_source` of the
        sources that are up; problem: why no source was solved, or ""; solved_in: seconds."""
        whole = not problem and all(report.fluxes and not report.problems for report in reports)
        self.peeled += whole
        self.left += not whole
        return pmt.to_pmt({
            "seconds": int(seconds), "fraction": float(fraction), "problem": problem,
            "solved_in": float(solved_in),
            "sources": {report.name: {
                "converged": bool(report.fluxes) and not report.problems,
                "flux": float(np.mean(report.fluxes)) if report.fluxes else 0.0,
                "problem": report.problems[0] if report.problems else ""}
                   for report in reports}})
