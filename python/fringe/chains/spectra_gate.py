#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Spectra of parts of a pulsar's turn, before the X-engine."""
import numpy as np
import pmt
from gnuradio import gr

from .. import fringe_python as fp
from ..ground.streams import expected_streams, tags_of, valid_in

BYTES = {"f32": np.uint64, "i8": np.uint16}  #: a type as long as a complex number of a component


def _runs(inside):
    """[(first, count)] of what is False in a row."""
    edges = np.flatnonzero(np.diff(np.concatenate([[1], inside, [1]]).astype(np.int8)))
    return [(int(a), int(b - a)) for a, b in edges.reshape(-1, 2)]


class spectra_gate(gr.sync_block):
    """Leaves spectra out that lie outside of gates in phase.

    Input: spectra [channel][input][time], `block_spectra` an item, "f32" complex float32 or "i8"
    complex int8. Output g: the same, zero and invalid where they lie outside of gate g, so an
    X-engine and an integrator behind it count exactly what is inside. A spectrum belongs to the
    gate in which the phase of its middle lies.

    Tags read: rx_time, rx_rate (both needed), spectra, invalid; all are passed on. Tags written:
    invalid, and where channels have different phases, lost.

      gates: pulse_gates
    """

    def __init__(self, inputs, channels, block_spectra, component, gates):
        kind = BYTES[component]
        size = inputs * channels * block_spectra * np.dtype(kind).itemsize
        gr.sync_block.__init__(self, name="fringe_spectra_gate", in_sig=[(np.uint8, size)],
                               out_sig=[(np.uint8, size)] * len(gates))
        self.set_tag_propagation_policy(gr.TPP_DONT)
        self._shape, self._kind, self._gates = (channels, inputs, block_spectra), kind, gates
        self._origin, self._rate, self._count = None, 0.0, 0

    def work(self, input_items, output_items):
        """Takes items."""
        made = 0
        try:
            for made, item in enumerate(input_items[0]):
                self._take(made, item, [out[made] for out in output_items])
        except Exception as error:  # pylint: disable=broad-except
            expected_streams.refuse(self, f"spectra_gate: {error}")
            return -1
        return made + 1

    def _take(self, number, item, outputs):
        tags = tags_of(self, 0, self.nitems_read(0) + number)
        if "rx_rate" in tags:
            self._rate = pmt.to_double(tags["rx_rate"])
        if "rx_time" in tags:
            self._origin, self._count = fp.epoch.from_pair(*pmt.to_python(tags["rx_time"])), 0
        if self._origin is None or not self._rate > 0:
            raise ValueError("the spectra carry no rx_time and rx_rate, so they have no phase")
        length = pmt.to_uint64(tags["spectra"]) if "spectra" in tags else self._shape[2]
        inside = np.zeros((len(outputs), 1, 0), bool)
        if length:
            inside = self._gates.inside(self._origin.plus_seconds(self._count / self._rate),
                                        1 / self._rate, length)
        self._count += length
        spectra = item.view(self._kind).reshape(self._shape)
        for port, out in enumerate(outputs):
            there = np.pad(inside[port], ((0, 0), (0, self._shape[2] - length)))
            np.multiply(spectra, there[:, None], out=out.view(self._kind).reshape(self._shape))
            self._tag(port, number, tags, inside[port])

    def _tag(self, port, number, tags, inside):
        """Passes the tags of an item on, with what is outside."""
        _, inputs, _ = self._shape
        tags = dict(tags)
        if self._gates.by_channel:
            runs = [(0, inputs, channel, 1, *run) for channel, row in enumerate(inside)
                    for run in _runs(row)]
            if "lost" in tags:
                raise ValueError("packets with some of the channels were lost; gates need a DM of "
                                 "0, or whole spectra")
            if runs:
                tags["lost"] = _u64vector(runs)
        else:
            valid = valid_in(tags, inputs, inside.shape[1]) & inside
            tags.pop("invalid", None)
            runs = [(k, *run) for k, row in enumerate(valid) for run in _runs(row)]
            if runs:
                tags["invalid"] = _u64vector(runs)
        offset = self.nitems_written(port) + number
        for name, value in tags.items():
            self.add_item_tag(port, offset, pmt.intern(name), value)


def _u64vector(rows):
    values = [number for row in rows for number in row]
    return pmt.init_u64vector(len(values), values)
