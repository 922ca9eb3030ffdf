#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The stages of one correlator: blocks that agree in their sizes and settings."""
import dataclasses

from .. import fringe_python as fp
from ..observing.sizes import VOLTAGES, block_sizes

# Short sums of the X-engine: long enough that passing them on costs nothing, short enough that
# float32 keeps its precision in one, and int32 is exact; the integrator adds them up in double or
# int64.
SUM_SPECTRA = {"f32": 4096, "i8": 65535}

# Spectra over which a mean goes that is taken out: so much as one of them, a thousandth, does the
# channel in the middle of the band lose of its signal.
MEAN_SPECTRA = 1024


@dataclasses.dataclass
class stage_maker:
    """Makes stages; the fields are the arguments of fx_correlator.

    `search`: the parameters of a kurtosis_search, `pulses` those of a pulse_search; None = no
    search. `gates`: pulse_gates, or None
    """
    sizes: block_sizes
    taps: int
    window: str
    requantize: str
    gains: list
    files: int
    streams: list
    conjugate: list
    corrections: list
    tracking: object
    remove_mean: bool
    seconds: float = 0.0
    spectra: int = 0
    search: dict = None
    recording: object = None
    pulses: dict = None
    gates: object = None

    @property
    def voltages(self):
        """True where voltages come in, which need no unpack."""
        return self.sizes.format in VOLTAGES

    @property
    def component(self):
        """Of the spectra."""
        return "f32" if self.requantize == "none" else "i8"

    @property
    def spectra_bytes(self):
        """Bytes of the spectra of a block."""
        return self.sizes.components * (4 if self.component == "f32" else 1)

    @property
    def mean_blocks(self):
        """Blocks over which the running mean goes; 0 = it stays."""
        return -(-MEAN_SPECTRA // self.sizes.block_spectra) if self.remove_mean else 0

    def unpack(self, backend):
        """Raw blocks to voltages."""
        return fp.unpack(self.sizes.format, self.sizes.inputs, self.sizes.block_samples,
                         self._component(backend), self.files, self.streams, backend,
                         self.mean_blocks, self.sizes.item_samples)

    def unpacks(self, backends, kept_samples):
        """Unpacks that take blocks in turn."""
        return fp.unpack.make_turns(self.sizes.format, self.sizes.inputs, self.sizes.block_samples,
                                    self.files, self.streams, backends, kept_samples,
                                    self.sizes.item_samples, self._component(backends[0]))

    def voltage_component(self, on_gpu):
        """Of the voltages."""
        if self.remove_mean:
            return "f32"
        encoding = self.sizes.encoding
        return encoding.component_on_gpu if on_gpu else encoding.component

    def _component(self, backend):
        return self.voltage_component(fp.compute_target(backend).on_gpu)

    def blanker(self, backend):
        """Voltages to voltages without pulses."""
        return fp.pulse_blanker(
            self.sizes.inputs, self.sizes.block_samples, self._component(backend),
            self.sizes.encoding.complex_samples, backend=backend, **self.pulses)

    def channelizer(self, backend, part=(0, 0)):
        """Voltages to spectra."""
        return fp.channelizer(
            self.sizes.inputs, self.sizes.channels, self.sizes.block_spectra,
            self.sizes.encoding.complex_samples, self._component(backend), self.taps,
            self.window, self.requantize, self.gains, self.conjugate, self.corrections, backend,
            self.tracking, part)

    def flaggers(self, backends, channels):
        """Blocks that leave interference out of the spectra, of some channels each."""
        return fp.kurtosis_flagger.make_parts(
            self.sizes.inputs, channels, self.sizes.block_spectra, self.component,
            fp.kurtosis_search(**self.search), 4 if self.requantize == "4" else 8, backends)

    def xengine(self, backend, channels=None, per_item=None):
        """Spectra to sums."""
        return fp.xengine(
            self.sizes.inputs, channels or self.sizes.channels, self.sizes.block_spectra,
            self.component, SUM_SPECTRA[self.component], self.seconds, self.spectra,
            per_item or self.sizes.channels_per_item, backend)

    def integrator(self, backend, channels=None, per_item=None):
        """Sums to dumps."""
        return fp.integrator(
            self.sizes.inputs, channels or self.sizes.channels, self.component, self.seconds,
            self.spectra, per_item or self.sizes.channels_per_item, backend)

    def fx_engine(self, backend):
        """Raw blocks to sums, on the cores of a CPU."""
        return fp.fx_engine(
            self.sizes.format, self.sizes.inputs, self.sizes.channels, self.sizes.block_spectra,
            self.taps, self.window, self.requantize, self.gains, self.conjugate, self.corrections,
            self.files, self.streams, self.seconds, self.spectra, self.sizes.channels_per_item,
            self.tracking, None if self.search is None else fp.kurtosis_search(**self.search),
            backend, self.recording, 0, self.mean_blocks,
            None if self.pulses is None else fp.pulse_search(**self.pulses))
