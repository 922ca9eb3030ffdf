#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The simulated sky as GNU Radio sources."""

import numpy as np
from gnuradio import gr

from ..ground.quantize import default_level, quantize, raw_format_by_name
from .simulator import by_stream, simulator
from ..ground.streams import begin, describe


def _add_start_tags(block, ports, sky):
    """rx_time, rx_rate and rx_freq on the next item, as a receiver sends them when it starts."""
    obs = sky.observation
    start = obs.start_time.plus_samples(sky.samples_read, obs.sample_rate)
    for port in range(ports):
        begin(block, port, start, obs.sample_rate, obs.center_frequency)


class sky_source(gr.sync_block):
    """Voltages of a simulated array, one output stream for each input of the observation.

    Output i: input i of the observation, complex64, or float32 where complex_samples is
    false, in units in which receiver_noise and flux are powers; without end, and as fast as
    the flowgraph takes them. fringe.simulator describes what is simulated. The first item
    of a run carries rx_time, rx_rate and rx_freq. Raises ValueError as fringe.simulator does.
    """

    def __init__(self, observation, complex_samples=True, seed=1):
        self._sky = simulator(observation, complex_samples, seed)
        self._begins = True
        ports = len(self._sky.observation.inputs)
        item = np.complex64 if complex_samples else np.float32
        gr.sync_block.__init__(self, name="fringe_sky_source", in_sig=None,
                               out_sig=[item] * ports)

    def start(self):
        """The next item is the first of a run: GNU Radio drops what was on its way before it."""
        self._begins = True
        return True

    def work(self, input_items, output_items):
        """Fills every output with as many samples."""
        if self._begins:  # GNU Radio may drop tags that start() adds
            _add_start_tags(self, len(output_items), self._sky)
            self._begins = False
        voltages = self._sky.read(len(output_items[0]))
        for out, row in zip(output_items, voltages):
            out[:] = row
        return len(output_items[0])


class raw_sky_source(gr.sync_block):
    """The simulated sky as raw sample blocks, like a file_source of a recording of it.

    Output: one item is block_samples samples of every stream in the named headerless format,
    packed bytes [time][stream]; without end. `level` is the factor from voltages to the
    numbers of the format (None: the default of fringe.simulate), so a source's visibility is
    level^2 flux; it can be read back as the attribute `level`, and `clipped` counts clipped
    components. The first item of a run carries rx_time, rx_rate and rx_freq. Raises ValueError
    for an unknown format, a block without samples, and as fringe.simulator does.
    """

    def __init__(self, observation, format="ci8", block_samples=8192, seed=1, level=None):
        fmt = raw_format_by_name(format)
        if int(block_samples) != block_samples or block_samples < 1:
            raise ValueError(f"raw_sky_source: block_samples {block_samples}; it must be a "
                             "positive whole number")
        self._sky = simulator(observation, fmt.is_complex, seed)
        self._format = format
        self._samples = int(block_samples)
        self.level = default_level(format, self._sky.power()) if level is None else float(level)
        self.clipped = 0
        self._begins = True
        packed = format in ("mwa16", "mwa8")
        components = 2 if fmt.is_complex and not packed else 1
        self._streams = max(self._sky.observation.streams()) + 1
        self.block_bytes = (self._samples * self._streams * components
                            * np.dtype(fmt.dtype).itemsize)
        gr.sync_block.__init__(self, name="fringe_raw_sky_source", in_sig=None,
                               out_sig=[(np.uint8, self.block_bytes)])

    def start(self):
        """The next item is the first of a run: GNU Radio drops what was on its way before it."""
        self._begins = True
        return True

    def work(self, input_items, output_items):
        """Fills one block, so that a flowgraph can stop between two."""
        if self._begins:  # GNU Radio may drop tags that start() adds
            describe(self, 0, "raw samples", self.block_bytes, format=self._format,
                     inputs=self._streams, files=1, block_samples=self._samples)
            _add_start_tags(self, 1, self._sky)
            self._begins = False
        voltages = by_stream(self._sky.observation, self._sky.read(self._samples))
        block = quantize(voltages, self._format, self.level)
        self.clipped += block.clipped
        output_items[0][0] = block.data
        return 1
