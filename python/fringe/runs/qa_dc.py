#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What a converter's zero and a receiver's local oscillator do to the middle of the band."""
import unittest

import numpy as np

from gnuradio import blocks, fringe, gr
from qa_recorders import vdif_file
from qa_scratch import scratch_case

CHANNELS, RATE = 64, 1e6
MIDDLE = CHANNELS // 2


class dc_case(scratch_case):
    seed = 5

    def record(self, name, zero, samples=600_000, rms=12.0, inputs=1):
        """A recording of noise around `zero`, as an RTL-SDR makes them."""
        zero = np.repeat(np.broadcast_to(zero, inputs), 2)
        x = self.rng.normal(zero, rms, (samples, 2 * inputs))
        np.clip(np.round(x), 0, 255).astype(np.uint8).tofile(self.path(name))
        return self.path(name)

    def correlated(self, paths, form="cu8", inputs=2, name="x.uvh5", **options):
        fringe.correlate(paths, self.path(name), format=form, inputs=inputs, sample_rate=RATE,
                         center_frequency=1e8, channels=CHANNELS, start_time="2026-01-01",
                         overwrite=True, **{"integration": 0.2, **options})
        return fringe.read_visibilities(self.path(name))

    @staticmethod
    def coherence(vis, channel=MIDDLE, products=(0, 1, 2)):
        aa, ab, bb = vis.data[:, channel, products].mean(axis=0)
        return abs(ab) / np.sqrt(abs(aa) * abs(bb))


class qa_zero(dc_case):

    def test_receivers_that_have_nothing_in_common_do_not_correlate(self):
        two = [self.record(name, 127.4) for name in ("a", "b")]
        # 9375 spectra: noise of 0.01.
        self.assertLess(self.coherence(self.correlated(two)), 0.05)
        self.assertGreater(self.coherence(self.correlated(two, "cu8_128")), 0.1)

    def test_offset_binary_has_its_zero_at_128(self):
        two = [self.record(name, 128) for name in ("a", "b")]
        self.assertLess(self.coherence(self.correlated(two, "cu8_128")), 0.05)

    def test_both_rails_are_counted(self):
        x = np.full((1000, 2, 2), 127, np.uint8)
        x[:5, 0, 0], x[5:12, 0, 1], x[20:50, 0] = 0, 255, 254
        x[[3, 4], 1, 1], x[90:95, 1] = 255, 1
        x.tofile(self.path("x"))
        result = fringe.correlate(
            self.path("x"), self.path("x.ACC"), format="cu8", inputs=2, sample_rate=RATE,
            center_frequency=1e8, channels=10, spectra=10)
        self.assertEqual(result.losses["saturated"], [12, 2])

    def test_the_simulator_writes_what_is_read(self):
        obs = fringe.observation.example(2)
        fringe.simulate(obs, self.path("s"), 400_000, "cu8")
        x = np.fromfile(self.path("s"), np.uint8)
        self.assertLess(abs(x.mean() - 127.4), 0.1)


class qa_remove_mean(dc_case):
    OFFSETS = (131.3, 120.0)

    def unpacked(self, path, form, block, mean_blocks, backend="auto"):
        """Voltages [input][time] of the module's block."""
        top, source = gr.top_block(), fringe.file_source([path], form, 2, block, RATE)
        sink = blocks.vector_sink_f(2 * block * (2 if form[0] == "c" else 1))
        top.connect(source, fringe.unpack(form, 2, block, backend=backend,
                                          mean_blocks=mean_blocks), sink)
        top.run()
        return np.reshape(sink.data(), (-1, 2, block * (2 if form[0] == "c" else 1)))

    def test_the_mean_of_the_last_blocks_is_taken_out(self):
        for form in ("cu8", "i8"):
            parts = 2 if form == "cu8" else 1
            x = self.rng.integers(0, 90, (16 * 500, 2, parts), np.uint8)
            x.tofile(self.path("x"))
            v = x - 127.4 if form == "cu8" else x.astype(float)
            v = v.reshape(16, 500, 2, parts)
            for backend in ("cpu", "generic"):
                got = self.unpacked(self.path("x"), form, 500, 3, backend)
                for k in range(16):
                    mean = v[max(k - 2, 0):k + 1].mean(axis=(0, 1))
                    want = (v[k] - mean).swapaxes(0, 1).reshape(2, -1)
                    np.testing.assert_allclose(got[k], want, atol=1e-4)

    def test_the_middle_of_the_band_is_as_the_rest(self):
        path = self.record("x", self.OFFSETS, samples=1_200_000, inputs=2)
        left = self.correlated(path)
        self.assertGreater(self.coherence(left), 0.9)
        vis = self.correlated(path, remove_mean=True)
        self.assertLess(self.coherence(vis), 0.04)
        # A thousandth of the power is lost there.
        power = vis.data[:, :, (0, 2)].mean(axis=0).real
        np.testing.assert_allclose(power[MIDDLE], power[MIDDLE + 1], rtol=0.05)
        np.testing.assert_array_equal(vis.weights, left.weights)

    def test_a_constant_changes_nothing(self):
        # The same noise as floats, around nothing and around something.
        x = self.rng.normal(0, 1, (400_000, 2, 2)).astype("<f4")
        found = []
        for offset in (0, 4):
            (x + np.float32(offset)).tofile(self.path("x"))
            found.append(self.correlated(self.path("x"), "cf32", remove_mean=True).data)
        np.testing.assert_allclose(found[1], found[0], atol=2e-5)

    def test_any_number_of_threads_and_both_ways(self):
        path = self.record("x", self.OFFSETS, samples=900_001, inputs=2)
        single = self.correlated(path, remove_mean=True, threads=1)
        for threads in (2, 5):
            two = self.correlated(path, remove_mean=True, threads=threads)
            np.testing.assert_array_equal(two.data, single.data)
        # Through GNU Radio's rings, and stage by stage.
        channels, inputs = CHANNELS, 2
        spectra = fringe.item_sizes.spectra(inputs, channels)
        sizes = spectra * channels
        mean = -(-1024 // spectra)
        for chain in (
                lambda: (fringe.fx_correlator(inputs, channels, "cu8", 0.2, remove_mean=True),),
                lambda: (fringe.unpack("cu8", inputs, sizes, backend="cpu", mean_blocks=mean),
                         fringe.channelizer(inputs, channels, spectra, True, "f32"),
                         fringe.xengine(inputs, channels, spectra, "f32", dump_seconds=0.2),
                         fringe.integrator(inputs, channels, "f32", 0.2))):
            top = gr.top_block()
            source = fringe.file_source([path], "cu8", inputs, sizes, RATE, 1e8, "2026-01-01")
            sink, weights = blocks.vector_sink_c(3 * channels), blocks.null_sink(12 * channels)
            made = chain()
            top.connect(source, *made, sink)
            top.connect((made[-1], 1), weights)
            top.run()
            got = np.reshape(sink.data(), (-1, channels, 3))
            np.testing.assert_allclose(got, single.data, rtol=0,
                                       atol=1e-4 * np.abs(single.data).max())

    def test_lost_samples_do_not_count(self):
        x = self.rng.normal(30, 3, (2, 32_000, 1))
        codes = np.clip(np.round(x + 128), 0, 255).astype(int)
        there = np.ones((2, 32_000 // 64), int)
        there[1, 100:400] = 0  # filled with the format's zero
        vdif_file(self.path("v"), codes, there, 8, False, 64 * 250, 64)
        fringe.correlate(self.path("v"), self.path("v.uvh5"), format="vdif", sample_rate=16e3,
                         center_frequency=1e8, channels=16, spectra=900, taps=1,
                         remove_mean=True)
        vis = fringe.read_visibilities(self.path("v.uvh5"))
        for auto in (0, 2):
            self.assertLess(abs(vis.data[0, 0, auto]) / abs(vis.data[0, 5, auto]), 3)

    def test_wrong_use(self):
        with self.assertRaisesRegex(ValueError, "component: i8.*f32"):
            fringe.unpack("ci8", 2, 64, "i8", mean_blocks=3)


if __name__ == "__main__":
    unittest.main()
