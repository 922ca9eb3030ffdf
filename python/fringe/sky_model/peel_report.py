#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What peeling did to the sources of a file, in sentences."""

from dataclasses import dataclass, field

import numpy as np

#: Where other sources may lose as much of their flux, the report names the way to keep it.
WORTH_IT = 0.01


@dataclass
class peeled_source:
    """What became of a source."""
    name: str
    known: float                     #: its flux as given, or None
    fluxes: list = field(default_factory=list)   #: removed, of each solution that converged
    problems: list = field(default_factory=list) #: of the others
    moved: list = field(default_factory=list)    #: degrees, where offsets are solved

    def add(self, flux, problem, moved):
        """What came of a solution."""
        if problem:
            self.problems.append(problem)
            return
        self.fluxes.append(flux)
        if moved is not None:
            self.moved.append(moved)

    def __str__(self):
        total = len(self.fluxes) + len(self.problems)
        if not self.fluxes:
            return f'{self.name}: not peeled: {self.problems[0] if total else "no data"}'
        text = f'{self.name}: {np.mean(self.fluxes):.5g} removed'
        if len(self.fluxes) > 1:
            text += f' ({min(self.fluxes):.4g} to {max(self.fluxes):.4g})'
        if self.moved:
            text += f', moved by {60 * np.mean(self.moved):.3g} arcmin'
        if self.known is not None:
            text += f', {self.known:.5g} by the list'
        text += f', converged in {len(self.fluxes)} of {total} solutions'
        return text + (f'; else {self.problems[0]}' if self.problems else '')


@dataclass
class peel_report:
    """What peeling did to a file."""
    sources: list
    loss: tuple        #: least and largest part of a faint source that the gains take with them
    outliers: float    #: part of the visibilities
    flagged: bool
    others: float = None  #: flux of the others' model, by self-calibration; None = there was none

    def lines(self):
        """Sentences for people."""
        done = ', flagged' if self.flagged else ''
        who = 'other sources lose'
        found = []
        if self.others is not None:
            found = [f'{self.others:.5g} of other sources went into the model by self-calibration']
            who = 'what is in no model loses'
        return [str(source) for source in self.sources] + found + [
            f'{who} {100 * self.loss[0]:.2g} to {100 * self.loss[1]:.2g} % of '
            f'{"its" if found else "their"} flux to what is solved'
            f'{self._advice()}; '
            f'{100 * self.outliers:.2g} % of the visibilities stand out and were not used{done}']

    def _advice(self):
        if self.others is not None or self.loss[1] < WORTH_IT:
            return ''
        return ' (selfcal=3 keeps it)'
