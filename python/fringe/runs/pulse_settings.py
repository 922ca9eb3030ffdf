#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The pulsar of a run: options, and the gates that they ask for."""
import dataclasses
import os

from ..ground.options import option
from ..observing.pulse_gates import MAX_GATES, check_pulsar, pulse_gates
from ..observing.pulse_phases import frequency


@dataclasses.dataclass
class pulse_settings:
    """Which spectra are taken by the phase of a pulsar."""
    period: float = option(
        "of a pulsar at the telescope, with bins or gate; phase 0 is at 1970-01-01 UTC",
        kind="number", metavar="SECONDS")
    polyco: str = option(
        "predictions of a pulsar's phase as TEMPO, TEMPO2 and PINT write them, instead of a period",
        metavar="FILE")
    dm: float = option(
        "dispersion measure of the pulsar, which gives every channel its phase; by default that of "
        "polyco, else 0", kind="number", metavar="PC/CM3")
    bins: int = option(
        f"parts of a turn, 2 to {MAX_GATES}, each in a file of its own: x.ms becomes x_bin00.ms, "
        "x_bin01.ms ...", kind="whole", metavar="N")
    gate: tuple = option(
        "only the spectra of these phases, in turns, as 0.95,1.05; repeated, each in a file of its "
        "own: x_gate1.ms, x_gate2.ms ...", (), kind="gates", metavar="FROM,TO")

    @property
    def is_gated(self):
        """True where spectra are taken by their phase."""
        return self.bins is not None or bool(self.gate)

    def check_pulsar(self):
        """Raises ValueError for what cannot be, whatever the recording."""
        for name in ("period", "polyco", "dm"):
            if getattr(self, name) is not None and not self.is_gated:
                raise ValueError(f"{name}: {getattr(self, name)}: is of a pulsar; say which phases "
                                 "are wanted, with bins=N or gate=FROM,TO")
        if not self.is_gated:
            return
        check_pulsar(self.period, self.polyco, self.bins, self.gate, self.dm)

    def pulse_gates(self, obs, complex_samples, samples):
        """The pulse_gates of an observation, `samples` of which are recorded; None where there are
        none. Raises ValueError where they cannot be."""
        if not self.is_gated:
            return None
        if not obs.has_start_time:
            raise ValueError("start_time: nothing says when the recording began, so it has no "
                             "phase; give start_time=UTC")
        made = pulse_gates.of(obs, self.period, self.polyco, self.bins, self.gate, self.dm,
                              complex_samples)
        if made.dm and self.flags_spectra:
            raise ValueError(f"flag: {self.flag}: searches whole spectra, and with a DM of "
                             f"{made.dm:g} the gates take parts of them; take flag=pulses or "
                             "flag=dumps, or dm=0")
        start = obs.start_time.plus_seconds((self.start_sample or [0])[0] / obs.sample_rate)
        begin, end = made.span(samples / obs.sample_rate)
        try:
            for offset in (begin, end):
                made.phase.at(start.plus_seconds(offset))
            turned = frequency(made.phase, start.plus_seconds((begin + end) / 2))
        except RuntimeError as error:  # predictions for another time
            raise ValueError(f"polyco: {error}") from None
        spectrum = obs.channels * (1 if complex_samples else 2) / obs.sample_rate
        shortest = min(high - low for low, high in made.gates) / turned
        if shortest < spectrum:
            low, high = min(made.gates, key=lambda gate: gate[1] - gate[0])
            given, less = ((f"bins: {self.bins}", "fewer bins") if self.bins is not None else
                           (f"gate: {low:g},{high:g}", "a longer gate"))
            raise ValueError(f"{given}: lasts {shortest:.3g} s, less than a spectrum of "
                             f"{obs.channels} channels, {spectrum:.3g} s; take {less}, or fewer "
                             "channels")
        return made

    def gated_paths(self, paths):
        """Output files [gate][path]."""
        count = self.bins or len(self.gate) or 1
        if count == 1:
            return [list(paths)]
        width = len(str(count - 1))
        names = ([f"bin{k:0{width}d}" for k in range(count)] if self.bins else
                 [f"gate{k}" for k in range(1, count + 1)])
        return [[f"{stem}_{name}{ending}" for stem, ending in map(os.path.splitext, paths)]
                for name in names]
