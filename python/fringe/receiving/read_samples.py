#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Samples of a recording as a numpy array."""
import numpy as np
from gnuradio import gr

from .. import fringe_python as fp
from ..observing.recognize import format_for

BLOCK = 8192  # samples of a block; every format's granule divides it


class _collector(gr.sync_block):
    """Keeps one input of blocks [input][time]."""

    def __init__(self, inputs, values, wanted):
        gr.sync_block.__init__(self, name="fringe_collector", out_sig=None,
                               in_sig=[(np.float32, inputs * values)])
        self._shape, self._wanted, self.kept = (inputs, values), wanted, []

    def work(self, input_items, output_items):
        """Copies the items: their memory is GNU Radio's."""
        for item in input_items[0]:
            self.kept.append(item.reshape(self._shape)[self._wanted].copy())
        return len(input_items[0])


def read_samples(path, format=None, inputs=None, wanted=0, sample_rate=None, first=0,
                 limit=2 ** 24):
    """(samples of one input, sample rate, center frequency) of a recording, at most `limit`
    samples from `first` on: complex64 or float32. Raises ValueError for a wrong use."""
    name = format_for([path], format, "")
    form = fp.recording_format_by_name(name)
    if not form.self_describing and not inputs:
        inputs = 1
    info = fp.recording_info(path, name, inputs or 0)
    if not 0 <= wanted < info.streams:
        raise ValueError(f"input: {wanted}: {path} has {info.streams} inputs, which are "
                         f"numbered 0 to {info.streams - 1}")
    rate = info.sample_rate or sample_rate
    if not rate:
        raise ValueError(f"sample_rate: not given, and {path} does not say it")
    encoding = fp.encoding_by_name(info.encoding)
    count = min(limit, info.samples - first)
    if count < BLOCK:
        raise ValueError(f"{path}: holds {max(count, 0)} samples from {first} on; "
                         f"at least {BLOCK} are needed")
    source = fp.file_source([path], name, info.streams, BLOCK, rate, start_samples=[first],
                            samples=count)
    values = BLOCK * (2 if encoding.complex_samples else 1)
    sink = _collector(info.streams, values, wanted)
    flowgraph = gr.top_block()
    flowgraph.connect(source, fp.unpack(source.encoding(), info.streams, BLOCK, "f32",
                                        files=source.parts()), sink)
    flowgraph.run()
    samples = np.concatenate(sink.kept)
    return (samples.view(np.complex64) if encoding.complex_samples else samples)[:count], rate, \
        info.center_frequency
