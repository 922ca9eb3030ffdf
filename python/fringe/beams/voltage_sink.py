#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Voltages of beams as they come from a flowgraph, through a filter, stretch by stretch."""
import numpy as np
import pmt
from gnuradio import gr

from .. import fringe_python as fp
from ..ground.streams import expected_streams, tags_of, valid_in


class voltage_sink(gr.sync_block):
    """Takes the voltages of beams; a class that is derived says what becomes of them.

    Input: spectra [channel][beam][time], complex float32, as the Beamformer sends voltages. Tags
    read: rx_time, rx_rate (both needed), spectra, invalid. A gap begins the filter anew.

      name: of the block; shape: of an item

    What is derived has make_filter(), begin_stretch() where it wants to, and use().
    """

    def __init__(self, name, shape):
        gr.sync_block.__init__(self, name=f"fringe_{name}", out_sig=None,
                               in_sig=[(np.complex64, int(np.prod(shape)))])
        self._name, self._shape = name, shape
        self._filter, self._valid, self._rate = None, None, 0.0
        self._origin, self._in, self._out = None, 0, 0  #: epoch of sample 0; samples in, out
        self._error = ""

    def make_filter(self):
        """An overlap_save for spectra of self._rate; None: as they come."""
        return None

    def begin_stretch(self):
        """Sample 0, at self._origin, does not follow on those before."""

    def prepare(self, spectra):
        """Spectra before they are filtered."""
        return spectra

    def use(self, voltages, usable):
        """Takes voltages [row][beam][time], the first of which is sample self._out, and usable
        [beam][time]: nothing that the filter took from was invalid."""
        raise NotImplementedError

    def error(self):
        """Why the data ended early; "" where they did not."""
        return self._error

    def work(self, input_items, output_items):
        """Takes items."""
        try:
            for k, item in enumerate(input_items[0]):
                self._take(tags_of(self, 0, self.nitems_read(0) + k), item.reshape(self._shape))
        except Exception as error:  # pylint: disable=broad-except
            self._error = getattr(error, "strerror", None) or str(error) or repr(error)
            expected_streams.refuse(self, f"{self._name}: {self._error}")
            return -1
        return len(input_items[0])

    def _begin(self, tags):
        self._rate = pmt.to_double(tags["rx_rate"]) if "rx_rate" in tags else self._rate
        start = fp.epoch.from_pair(*pmt.to_python(tags["rx_time"]))
        if self._origin is not None:
            late = start.seconds_since(self._origin.plus_seconds(self._in / self._rate))
            # Samples of the receivers count: a spectrum has up to twice as many as channels.
            if abs(late * self._rate) * 2 * self._shape[0] < 0.5:
                return
        if not self._rate > 0:
            raise ValueError("the voltages came without the tag rx_rate")
        self._filter = self._filter or self.make_filter()
        self._end_stretch()
        self._origin, self._in, self._out = start, 0, self._filter.past if self._filter else 0
        self._valid = np.ones((self._shape[1], 0), bool)
        self.begin_stretch()

    def _take(self, tags, spectra):
        if "rx_time" in tags:
            self._begin(tags)
        if self._origin is None:
            raise ValueError("the voltages came without the tag rx_time, which is needed")
        length = pmt.to_uint64(tags["spectra"]) if "spectra" in tags else self._shape[2]
        valid = valid_in(tags, self._shape[1], length)
        spectra = self.prepare(spectra[:, :, :length])
        self._in += length
        self._valid = np.concatenate([self._valid, valid], axis=1)
        self._pass_on(self._filter.take(spectra) if self._filter else spectra)

    def _end_stretch(self):
        """What the filter still holds is used."""
        self._pass_on(self._filter.finish() if self._filter else None)

    def _pass_on(self, done):
        if done is not None and done.shape[2]:
            self.use(done, self._usable(done.shape[2]))

    def _usable(self, count):
        """[beam][time] of `count` samples that came out: nothing that the filter takes from is
        invalid. What comes before them is forgotten."""
        before = self._filter.past if self._filter else 0
        after = self._filter.future if self._filter else 0
        span = before + after + 1
        bad = np.cumsum(np.pad(~self._valid[:, :count + span - 1], ((0, 0), (1, 0))), axis=1)
        self._valid = self._valid[:, count:]
        return bad[:, span:] == bad[:, :-span]

    def finish(self):
        """What is held is used; to be called when the flowgraph has ended."""
        self._end_stretch()
