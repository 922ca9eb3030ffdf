#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The pulsar of a run: options, and the gates that they ask for."""
import dataclasses
import os

from .. import fringe_python as fp
from ..ground.options import option
from ..observing.pulse_gates import MAX_GATES, equal_gates, pulse_gates
from ..observing.pulse_phases import frequency
from ..observing.recording_names import absolute


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
        timed = self.period is not None or self.polyco is not None
        for name in ("period", "polyco", "dm"):
            if getattr(self, name) is not None and not self.is_gated:
                raise ValueError(f"{name}: {getattr(self, name)}: is of a pulsar; say which phases "
                                 "are wanted, with bins=N or gate=FROM,TO")
        if not self.is_gated:
            return
        if self.bins is not None and self.gate:
            raise ValueError("bins and gate: give one of the two")
        if not timed or (self.period is not None and self.polyco is not None):
            raise ValueError("period: give either it or polyco, the file of predictions")
        if self.period is not None and not 0 < self.period < float("inf"):
            raise ValueError(f"period: {self.period:g}: must be more than 0 seconds")
        if self.bins is not None and not 2 <= self.bins <= MAX_GATES:
            raise ValueError(f"bins: {self.bins}: must be 2 to {MAX_GATES}")
        if len(self.gate) > MAX_GATES:
            raise ValueError(f"gate: {len(self.gate)} are given; {MAX_GATES} at most")
        for low, high in self.gate:
            if not 0 <= low < 1 or not low < high <= low + 1:
                raise ValueError(f"gate: {low:g},{high:g}: must be two phases in turns, the first "
                                 "from 0 to less than 1, the second behind it by a turn at most; "
                                 "0.95,1.05 goes over phase 0")
        if self.dm is not None and not 0 <= self.dm < 1e5:
            raise ValueError(f"dm: {self.dm:g}: must be 0 to 100,000 pc / cm^3")

    def pulse_gates(self, obs, complex_samples, samples):
        """The pulse_gates of an observation, `samples` of which are recorded; None where there are
        none. Raises ValueError where they cannot be."""
        if not self.is_gated:
            return None
        if not obs.has_start_time:
            raise ValueError("start_time: nothing says when the recording began, so it has no "
                             "phase; give start_time=UTC")
        phase = (fp.pulse_phase.from_period(self.period) if self.polyco is None else
                 fp.pulse_phase.from_polyco(self.polyco))
        gates = equal_gates(self.bins) if self.bins is not None else list(self.gate)
        dm = phase.dispersion if self.dm is None else self.dm
        if dm and self.flags_spectra:
            raise ValueError(f"flag: {self.flag}: searches whole spectra, and with a DM of {dm:g} "
                             "the gates take parts of them; take flag=pulses or flag=dumps, or "
                             "dm=0")
        f = obs.channel_frequencies(obs.channels, complex_samples)
        if dm and not min(f) > 0:
            raise ValueError(f"dm: {dm:g}: the lowest channel is at {min(f):g} Hz; dispersion has "
                             "no end there")
        words = (f"the period {self.period:.17g} s" if self.polyco is None else
                 absolute(self.polyco))
        made = pulse_gates(phase, gates, dm, f, 0.5 / obs.sample_rate, words)
        start = obs.start_time.plus_seconds((self.start_sample or [0])[0] / obs.sample_rate)
        begin, end = made.span(samples / obs.sample_rate)
        try:
            for offset in (begin, end):
                phase.at(start.plus_seconds(offset))
            turned = frequency(phase, start.plus_seconds((begin + end) / 2))
        except RuntimeError as error:  # predictions for another time
            raise ValueError(f"polyco: {error}") from None
        spectrum = obs.channels * (1 if complex_samples else 2) / obs.sample_rate
        shortest = min(high - low for low, high in gates) / turned
        if shortest < spectrum:
            low, high = min(gates, key=lambda gate: gate[1] - gate[0])
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
