#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What a run leaves on the disk: flags, a new file every so often, the history."""

import os
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.visibility_files.read_visibilities import read_visibilities
from qa_scratch import rx_time, scratch_case, tag

try:
    import h5py
except ImportError:
    h5py = None
try:
    from casacore import tables
except ImportError:
    tables = None

CHANNELS, SECONDS = 8, 3.2
OBSERVATION = """
site: {latitude: 50.0, longitude: 8.0}
antennas: [[0, 0, 0], [30, 5, 0], [-12, 20, 0]]
format: cf32
sample_rate: 32.0e+3
center_frequency: 150.0e+6
start_time: 2026-06-12T22:00:00.3Z
channels: 8
integration: 0.1
sky: {receiver_noise: 1.0, sources: [{l: 0.1, m: 0.1, flux: 1.0}]}
"""


class files_case(scratch_case):

    def setUp(self):
        super().setUp()
        self.obs = fringe.observation.from_text(OBSERVATION)


class qa_new_files(files_case):

    def setUp(self):
        super().setUp()
        self.sky = self.path('sky.cf32')
        fringe.simulate(self.obs, self.sky, int(SECONDS * 32000))

    def check(self, ending):
        whole, rolled = self.path('whole' + ending), self.path('rolled' + ending)
        fringe.correlate(self.sky, whole, self.sky + '.yml')
        result = fringe.correlate(self.sky, rolled, self.sky + '.yml', new_file_every=1)
        names = [self.path(f'rolled_20260612_22000{k}{ending}') for k in range(4)]
        self.assertEqual(result.files, names)
        parts = [read_visibilities(name) for name in names]
        self.assertEqual([len(part.times) for part in parts[1:]], [10, 10, result.dumps - 27])
        expected = read_visibilities(whole)
        times = np.concatenate([part.times for part in parts])
        self.assertEqual(times.tolist(), expected.times.tolist())
        self.assertFalse([name for name in os.listdir(self.folder)
                          if 'partial' in name or name.startswith('.')])
        return parts, expected

    def test_matrices_are_those_of_one_file(self):
        parts, expected = self.check('.ACC')
        np.testing.assert_array_equal(np.concatenate([part.data for part in parts]),
                                      expected.data)

    @unittest.skipIf(tables is None, 'python3-casacore is not installed')
    def test_measurement_sets(self):
        # Each is phased to its own zenith.
        parts, expected = self.check('.ms')
        np.testing.assert_allclose(np.abs(np.concatenate([part.data for part in parts])),
                                   np.abs(expected.data), rtol=1e-5)

    @unittest.skipIf(h5py is None, 'python3-h5py is not installed')
    def test_the_history_tells_recordings_and_losses(self):
        fringe.correlate(self.sky, self.path('x.uvh5'), self.sky + '.yml', history='how')
        with h5py.File(self.path('x.uvh5')) as file:
            history = file['Header/history'][()].decode()
        for words in ('how\nread ' + self.sky, 'Phase center', 'Written by gr-fringe',
                      'samples of every input read\nno samples lost'):
            self.assertIn(words, history)

    def test_refused(self):
        with self.assertRaisesRegex(ValueError, 'x.ms: a new file every 1.5.* whole seconds'):
            fringe.visibility_sink(self.obs, self.path('x.ms'), CHANNELS, roll_seconds=1.5)


class qa_flags(files_case):

    @staticmethod
    def edge():
        """[channel][product] of what every file of complex samples has flagged."""
        return np.arange(CHANNELS)[:, None] == 0

    @unittest.skipIf(h5py is None, 'python3-h5py is not installed')
    def test_the_third_port_is_in_the_file(self):
        random = np.random.default_rng(1)
        shape = (4, CHANNELS, 6)
        data = random.normal(size=shape) + 1j * random.normal(size=shape)
        weights = random.choice([0, 0.5, 1], shape)
        flags = random.choice([0, 0, 0, 4, 32, 96], shape)
        top = gr.top_block()
        size = CHANNELS * 6
        sinks = [fringe.visibility_sink(self.obs, self.path(name), CHANNELS, True, CHANNELS)
                 for name in ('x.uvh5', 'x.ACC')]
        tags = [t for k in range(4) for t in
                (rx_time(k, 1781229600 + k), tag(k, 'interval', pmt.from_double(1.0)))]
        sources = [blocks.vector_source_c(data.ravel(), False, size, tags),
                   blocks.vector_source_f(weights.ravel(), False, size),
                   blocks.vector_source_b(flags.ravel().tolist(), False, size)]
        for sink in sinks:
            for port, source in enumerate(sources):
                top.connect(source, (sink, port))
        top.run()
        self.assertEqual([sink.error() for sink in sinks], ['', ''])
        self.assertEqual(sinks[0].files(), [self.path('x.uvh5')])
        with h5py.File(self.path('x.uvh5')) as file:
            written = file['Data/flags'][()].reshape(4, 6, CHANNELS).transpose(0, 2, 1)
            fractions = file['Data/nsamples'][()].reshape(4, 6, CHANNELS).transpose(0, 2, 1)
        np.testing.assert_array_equal(written, (flags != 0) | (weights == 0) | self.edge())
        np.testing.assert_array_equal(fractions, weights)


if __name__ == '__main__':
    unittest.main()
