#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What blocks have in common that measure with one receiver: its spectrum, dump by dump."""
from typing import NamedTuple

import numpy as np
import pmt
from gnuradio import gr

from .. import fringe_python as fp
from ..ground.dump_items import dump_items, dump_times, edge_channel
from ..ground.dump_values import product
from ..ground.streams import dump_fields, expected_streams, tags_of


class power_spectrum(NamedTuple):
    """The powers of one receiver in one dump."""
    powers: np.ndarray  #: [channel]; nan without data, and where a channel holds both band edges
    times: dump_times   #: as the tags say
    middle: float       #: sky frequency in the middle of the band, Hz; 0 = not known
    width: float        #: from one channel to the next, Hz; 0 = not known
    complex_samples: bool

    def instant(self):
        """The middle of the dump, an epoch; None where it has no time."""
        seconds, fraction, interval, _ = self.times
        if seconds is None:
            return None
        return fp.epoch(seconds, fraction).plus_seconds((interval or 0.0) / 2)


class dump_meter(gr.basic_block):
    """A block with one input, visibilities [channel][baseline], that measures every dump.

    measured(spectrum) returns a value for each output, or None, also after refuse(). Raises
    ValueError for an input that there is not, and channels that do not fit.
    """

    def __init__(self, name, observation, channels, input_, channels_per_item, outputs):
        self.name_ = name
        inputs, self.channels = len(observation.inputs), channels or observation.channels
        per_item = channels_per_item or fp.channels_per_item(inputs, self.channels)
        if self.channels % per_item:
            raise ValueError(f"{name}: channels_per_item {channels_per_item}; it must divide the "
                             f"{self.channels} channels (0 = chosen for you)")
        if int(input_) != input_ or not 0 <= input_ < inputs:
            raise ValueError(f"{name}: input {input_}; the observation has inputs 0 ... "
                             f"{inputs - 1}")
        baselines = inputs * (inputs + 1) // 2
        self._column = [product(int(input_), int(input_), inputs)]
        self._dump = dump_items(baselines, self.channels, per_item)
        gr.basic_block.__init__(self, name=f"fringe_{name}",
                                in_sig=[(np.complex64, per_item * baselines)], out_sig=outputs)
        self._streams = expected_streams(("visibilities", 8 * per_item * baselines,
                                          dump_fields(inputs, self.channels, per_item)))
        self.set_tag_propagation_policy(gr.TPP_DONT)

    def forecast(self, noutput_items, ninputs):
        """One item is enough to be called."""
        return [1] * ninputs

    def start(self):
        """Forgets what is left of an earlier run."""
        self._streams.restart(self)
        self._dump.restart()
        self._refused = False
        return True

    def refuse(self, why):
        """Ends the data with a sentence, from measured()."""
        self._refused = True
        expected_streams.refuse(self, why)

    def general_work(self, input_items, output_items):
        """Takes the items of one dump, and measures it when it is whole."""
        items = input_items[0]
        if self._streams.refused(self, [len(items)]):
            return -1
        if self._dump.begins and len(items):
            self._tags = tags_of(self, 0, self.nitems_read(0))
            self._dump.begin(self._column)
        self.consume(0, self._dump.add(items))
        if not self._dump.whole:
            return 0
        values = self.measured(self._spectrum(self._dump.end()[0][:, 0].real.astype(float)))
        if values is None:
            return -1 if self._refused else 0
        for out, value in zip(output_items, values):
            out[0] = value
        return 1

    def _spectrum(self, powers):
        times = dump_times.of(self._tags)
        if times.exposure == 0:
            powers[:] = np.nan  # a dump of which all was lost has zeros
        edge = edge_channel(self._streams.received, self.channels)
        if edge is not None and self.channels > 1:
            powers[edge] = np.nan
        middle, width = (pmt.to_double(self._tags[name]) if name in self._tags else 0.0
                         for name in ("rx_freq", "channel_width"))
        return power_spectrum(powers, times, middle, width,
                              self._streams.received.get("complex_samples") != "False")


class settling:
    """Leaves out dumps for a time after something was changed, by the time of the data."""

    def __init__(self, seconds):
        self._seconds, self._left = seconds, 0.0

    def changed(self, least=0.0):
        """From here on `seconds` of data are left out, or the least."""
        self._left = max(self._seconds, least, self._left)

    def leaves_out(self, spectrum):
        """True for a dump that began before all has settled."""
        was, length = self._left, spectrum.times.interval or 0.0
        self._left = max(0.0, was - length)
        return was > 1e-9
