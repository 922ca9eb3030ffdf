#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the items of a voltage ring are."""
import dataclasses
import types

import numpy as np

from .. import fringe_python as fp
from .record_forms import form_of

NAME = "voltage_ring"


@dataclasses.dataclass
class ring_stream:
    """What the items of a ring are."""
    inputs: int
    block: int  #: samples, or spectra, of an item
    rate: float  #: of these, a second
    encoding: str = "ci8"
    parts: int = 1  #: sub-blocks of an item, [part][time][stream]
    channels: int = 0  #: of spectra; 0 = samples
    bits: int = 8  #: of a component of spectra

    @property
    def item_bytes(self):
        """Bytes of an item."""
        if self.channels:
            return 2 * self.channels * self.inputs * self.block
        return -(-fp.encoding_by_name(self.encoding).bits * self.inputs * self.block // 8)

    @property
    def item_seconds(self):
        """Seconds of an item."""
        return self.block / self.rate

    @property
    def _streams(self):
        return self.inputs // self.parts

    def _has_threads(self, path):
        """VDIF has 2^n inputs together: others become threads of their own."""
        return (path.lower().endswith(".vdif") and bool(self._streams & (self._streams - 1))
                and fp.encoding_by_name(self.encoding).bits % 8 == 0)

    def written(self, path, values):
        """The bytes of an item as the form of a path takes them."""
        if not self._has_threads(path):
            return values
        sample = fp.encoding_by_name(self.encoding).bits // 8
        values = values.reshape(self.parts, self.block, self._streams, sample)
        return np.ascontiguousarray(values.swapaxes(1, 2)).ravel()

    def form(self, path, granule, frequency=0.0):
        """The form in which it is recorded, see record_forms. granule: samples of which every
        place where the time begins is a multiple."""
        streams = 1 if self._has_threads(path) else self._streams
        packets = types.SimpleNamespace(inputs=self.inputs, bits=self.bits, preset=NAME, url=NAME)
        return form_of(path, packets, types.SimpleNamespace(
            encoding=self.encoding, streams=streams, stream_major=False,
            spectra=bool(self.channels), samples=granule, sample_rate=self.rate,
            has_frequency=True, center_frequency=frequency, all_channels=self.channels,
            channels=self.channels), None, None, False)
