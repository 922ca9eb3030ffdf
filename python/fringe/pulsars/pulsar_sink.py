#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Voltages of beams into profiles, while a flowgraph runs."""
import dataclasses

import numpy as np
import pmt
from gnuradio import gr

from .. import fringe_python as fp
from ..ground.streams import expected_streams, tags_of
from .dispersion import coherent_dedisperser
from .profiles import folder


@dataclasses.dataclass
class folded:
    """Some seconds of a pulsar."""
    start: object  #: epoch of the first sample
    seconds: float  #: of samples, without gaps
    profile: np.ndarray  #: [plane][channel][bin]
    counts: np.ndarray  #: [channel][bin]


class pulsar_sink(gr.sync_block):
    """Dedisperses the voltages of the beams of one direction, and folds their powers.

    Input: spectra [channel][beam][time], complex float32, as the Beamformer sends voltages. Tags
    read: rx_time, rx_rate (both needed), spectra, invalid (those samples are left out). A gap
    begins the filter anew.

      shape: of an item; frequencies: Hz [channel]; dm: pc / cm^3; phase: pulse_phase; bins: of a
      turn; seconds: of a sub-integration; coherent: False leaves the dispersion within the
      channels; passband: see coherent_dedisperser;
      early: seconds, half a sample of the receivers: they are taken at their instants, and spectra
      are dated from the begin of a sample to the end of one
    """

    def __init__(self, shape, frequencies, dm, phase, bins, seconds, coherent=True,
                 passband=1.0, early=0.0):
        gr.sync_block.__init__(self, name="fringe_pulsar_sink", out_sig=None,
                               in_sig=[(np.complex64, int(np.prod(shape)))])
        self._shape, self._frequencies, self._dm = shape, frequencies, dm
        self._phase, self._bins, self._seconds = phase, bins, seconds
        self._coherent, self._passband = coherent and (dm != 0 or passband < 1), passband
        self._filter, self._valid, self._rate = None, None, 0.0
        self._origin, self._in, self._out = None, 0, 0  #: epoch of sample 0; samples in, out
        self._folder, self._since, self._early = None, None, early
        self._length = 0  #: samples of the part under way
        self.parts, self._error = [], ""

    def error(self):
        """Why the data ended early; "" where they did not."""
        return self._error

    def takes_out(self):
        """True where the dispersion within channels is taken out."""
        return self._coherent

    def work(self, input_items, output_items):
        """Takes items."""
        try:
            for k, item in enumerate(input_items[0]):
                self._take(tags_of(self, 0, self.nitems_read(0) + k), item.reshape(self._shape))
        except Exception as error:  # pylint: disable=broad-except
            self._error = str(error) or repr(error)
            expected_streams.refuse(self, f"pulsar_sink: {self._error}")
            return -1
        return len(input_items[0])

    def _begin(self, tags):
        self._rate = pmt.to_double(tags["rx_rate"]) if "rx_rate" in tags else self._rate
        start = fp.epoch.from_pair(*pmt.to_python(tags["rx_time"]))
        if self._origin is not None:
            late = start.seconds_since(self._origin.plus_seconds(self._in / self._rate))
            if abs(late * self._rate) < 0.5:
                return
        if not self._rate > 0:
            raise ValueError("the voltages came without the tag rx_rate")
        if self._coherent and self._filter is None:
            self._filter = coherent_dedisperser(self._dm, self._frequencies, self._rate,
                                                passband=self._passband)
        self._end_stretch()
        if self._folder and start.seconds_since(self._since) >= self._seconds:
            self._close_part()
        self._origin, self._in, self._out = start, 0, self._filter.past if self._filter else 0
        self._valid = np.ones((self._shape[1], 0), bool)

    def _take(self, tags, spectra):
        if "rx_time" in tags:
            self._begin(tags)
        if self._origin is None:
            raise ValueError("the voltages came without the tag rx_time, which folding needs")
        length = pmt.to_uint64(tags["spectra"]) if "spectra" in tags else self._shape[2]
        valid = np.ones((self._shape[1], length), bool)
        if "invalid" in tags:
            for beam, first, count in np.reshape(pmt.u64vector_elements(tags["invalid"]), (-1, 3)):
                valid[beam, first:first + count] = False
        spectra = spectra[:, :, :length]
        self._in += length
        self._valid = np.concatenate([self._valid, valid], axis=1)
        done = self._filter.take(spectra) if self._filter else spectra
        if done.shape[2]:
            self._fold(done)

    def _end_stretch(self):
        """What the filter still holds is folded."""
        done = self._filter.finish() if self._filter else None
        if done is not None and done.shape[2]:
            self._fold(done)

    def _usable(self, count):
        """[beam][time] of `count` samples that came out: nothing that the filter takes from is
        invalid. What comes before them is forgotten."""
        before = self._filter.past if self._filter else 0
        after = self._filter.future if self._filter else 0
        span = before + after + 1
        bad = np.cumsum(np.pad(~self._valid[:, :count + span - 1], ((0, 0), (1, 0))), axis=1)
        self._valid = self._valid[:, count:]
        return bad[:, span:] == bad[:, :-span]

    def _fold(self, voltages):
        powers = (voltages.real**2 + voltages.imag**2).transpose(1, 0, 2)
        usable = self._usable(powers.shape[2])
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
        self._end_stretch()
        if self._folder:
            self._close_part()
