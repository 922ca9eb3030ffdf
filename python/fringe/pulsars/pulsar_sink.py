#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Voltages of beams into profiles, while a flowgraph runs."""
import numpy as np

from ..beams.voltage_sink import voltage_sink
from .dispersion import coherent_dedisperser
from .profiles import folded, folder


class pulsar_sink(voltage_sink):
    """Dedisperses the voltages of the beams of one direction, and folds their powers.

    Input: as a voltage_sink has it; invalid samples are left out.

      shape: of an item; frequencies: Hz [channel]; dm: pc / cm^3; phase: pulse_phase; bins: of a
      turn; seconds: of a sub-integration; coherent: False leaves the dispersion within the
      channels; passband: see coherent_dedisperser;
      early: seconds, half a sample of the receivers: they are taken at their instants, and spectra
      are dated from the begin of a sample to the end of one
    """

    def __init__(self, shape, frequencies, dm, phase, bins, seconds, coherent=True,
                 passband=1.0, early=0.0, backend="cpu"):
        super().__init__("pulsar_sink", shape)
        self._frequencies, self._dm = frequencies, dm
        self._phase, self._bins, self._seconds = phase, bins, seconds
        self._coherent, self._passband = coherent and (dm != 0 or passband < 1), passband
        self._folder, self._since, self._early = None, None, early
        self._length = 0  #: samples of the part under way
        self._backend = backend
        self.parts = []

    def takes_out(self):
        """True where the dispersion within channels is taken out."""
        return self._coherent

    def make_filter(self):
        if not self._coherent:
            return None
        return coherent_dedisperser(self._dm, self._frequencies, self._rate,
                                    passband=self._passband, backend=self._backend)

    def begin_stretch(self):
        if self._folder and self._origin.seconds_since(self._since) >= self._seconds:
            self._close_part()

    def use(self, voltages, usable):
        powers = (voltages.real**2 + voltages.imag**2).transpose(1, 0, 2)
        if not usable.all():
            powers = np.where(usable[:, None], powers, np.nan)
        while powers.shape[2]:
            start = self._origin.plus_seconds(self._out / self._rate)
            if self._folder is None:
                self._folder = folder(self._phase, self._bins, self._shape[1],
                                      self._frequencies, self._dm)
                self._since, self._length = start, 0
            left = self._seconds - start.seconds_since(self._since)
            some = min(max(1, round(left * self._rate)), powers.shape[2])
            self._folder.add(start.plus_seconds(-self._early), 1 / self._rate,
                             powers[:, :, :some])
            self._out, powers = self._out + some, powers[:, :, some:]
            self._length += some
            end = self._origin.plus_seconds(self._out / self._rate)
            if end.seconds_since(self._since) * self._rate > self._seconds * self._rate - 0.5:
                self._close_part()

    def _close_part(self):
        self.parts.append(folded(self._since, self._length / self._rate,
                                 self._folder.profile(), self._folder.counts))
        self._folder = None

    def finish(self):
        """The last sub-integration ends; to be called when the flowgraph has."""
        super().finish()
        if self._folder:
            self._close_part()
