#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Images of dumps that stay on a device, beside those of the Imager, which come to the host.

Without FRINGE_STAND_IN these run on the GPU of this machine, if there is one. With it (as the
build's tests are run) on a stand-in whose memory is the host's and whose streams are threads that
sleep at random.
"""
import unittest

from qa_stand_in import use_stand_in

use_stand_in()

import numpy as np  # noqa: E402
from gnuradio import blocks, fringe, gr  # noqa: E402
from gnuradio.fringe.image_blocks.gpu_imager import gpu_imager  # noqa: E402
from gnuradio.fringe.observing import item_sizes  # noqa: E402
from qa_image_blocks import CHANNELS, SIZE, dumps_to, image_probe, noise, observation  # noqa: E402
from qa_scratch import scratch_case  # noqa: E402

FOUND, WHY = fringe.find_devices()
BACKENDS = ["cpu"] + (["cuda"] if FOUND and not FOUND[0].refused else [])
#: Planes that two hands make.
POLARIZATIONS = ("I", "Q", "XX,YY", "IQUV")


def imaged(made, obs, dumps, weights, pol, groups):
    """The images that a block makes of dumps."""
    probe = image_probe(item_sizes.image(SIZE, pol, groups))
    top = dumps_to(obs, dumps, made, weights=weights)
    top.connect(made, probe)
    top.run()
    return probe.images


class qa_gpu_imager(scratch_case):

    def same(self, found, wanted, part=1e-3):
        self.assertEqual(len(found), len(wanted))
        for actual, other in zip(found, wanted):
            self.assertEqual(actual.values.shape, other.values.shape)
            np.testing.assert_array_equal(np.isnan(actual.values), np.isnan(other.values))
            difference = np.sqrt(np.nanmean((actual.values - other.values)**2))
            self.assertLess(difference, part * np.sqrt(np.nanmean(other.values**2)))
            np.testing.assert_allclose(actual.total_weight, other.total_weight, rtol=1e-5)
            np.testing.assert_allclose(actual.frequencies, other.frequencies)
            for name in ("visibilities", "planes", "telescope", "has_times"):
                self.assertEqual(getattr(actual, name), getattr(other, name), name)
            for name in ("pixel", "duration", "bandwidth"):
                self.assertAlmostEqual(getattr(actual, name) / getattr(other, name), 1, 6, name)
            for name in ("begin", "middle"):
                seconds, fraction = np.subtract(getattr(actual, name), getattr(other, name))
                self.assertAlmostEqual(seconds + fraction, 0, 6, name)
            self.assertEqual(actual.frame.all_sky, other.frame.all_sky)
            if other.frame.center is not None:
                np.testing.assert_allclose(actual.frame.center, other.frame.center, atol=1e-9)
            # Beams of random weights and of equal ones.
            np.testing.assert_allclose(actual.beam[:2], other.beam[:2], rtol=0.1)

    def test_images_are_those_of_the_imager(self):
        for number, (center, site) in enumerate((
                ("zenith", True), ({"ra": 235.0, "dec": 35.0}, True), ("zenith", False))):
            hands = "XY" if number != 1 else "X"
            obs = observation(self.rng, center, site, hands)
            obs.inputs[3].bad = True
            dumps = noise(self.rng, obs, 3)
            weights = self.rng.uniform(0.1, 1, dumps.shape).astype(np.float32)
            weights[self.rng.random(weights.shape) < 0.1] = 0
            dumps[0, 2, 5] = np.nan
            pol = str(self.rng.choice(POLARIZATIONS)) if hands == "XY" else "I"
            words = dict(pol=pol, channels_out=int(self.rng.integers(1, 4)), eps=1e-5)
            if number == 1:
                words["scale"] = 0.5
            wanted = imaged(fringe.imager(obs, CHANNELS, SIZE, gridder="separable", **words),
                            obs, dumps, weights, pol, words["channels_out"])
            for backend in BACKENDS:
                with self.subTest(center=center, site=site, backend=backend, **words):
                    made = gpu_imager(obs, CHANNELS, SIZE, backend=backend, **words)
                    found = imaged(made, obs, dumps, weights, pol, words["channels_out"])
                    self.same(found, wanted)
                    self.assertEqual((made.images(), made.empty()), (3, 0))

    def test_a_dump_without_weight_has_no_image(self):
        obs = observation(self.rng)
        dumps = noise(self.rng, obs, 4)
        weights = np.ones(dumps.shape, np.float32)
        weights[1] = 0
        for backend in BACKENDS:
            made = gpu_imager(obs, CHANNELS, SIZE, backend=backend)
            self.assertEqual(len(imaged(made, obs, dumps, weights, "I", 1)), 3)
            self.assertEqual((made.images(), made.empty()), (3, 1))

    def test_dumps_of_a_correlator_on_the_device_stay_there(self):
        """As images of the host; the same where a host block reads the dumps, too."""
        if "cuda" not in BACKENDS:
            self.skipTest(f"no device: {WHY}")
        obs = observation(self.rng, polarizations="XY")
        inputs, groups = len(obs.inputs), 2
        block = 64
        item = item_sizes.raw_bytes("ci8", inputs, CHANNELS, block)
        raw = self.rng.integers(-60, 61, 24 * item, np.int8).view(np.uint8)
        values = item_sizes.visibilities(inputs, CHANNELS)

        def run(make, backend, watched=False):
            top = gr.top_block(catch_exceptions=False)
            source = blocks.vector_source_b(raw.tolist(), False, item)
            box = fringe.fx_correlator(inputs, CHANNELS, "ci8", 0, 256, 4, "hann", "8", [1.0],
                                       block_spectra=block, backend=backend)
            made = make(obs, CHANNELS, SIZE, pol="IQUV", channels_out=groups, eps=1e-4)
            probe = image_probe(item_sizes.image(SIZE, "IQUV", groups))
            top.connect(source, box, (made, 0), probe)
            top.connect((box, 1), (made, 1))
            sink = None
            if watched:
                sink = blocks.vector_sink_c(values)
                top.connect(box, sink)
            top.run()
            return probe.images, sink

        def on_device(*arguments, **words):
            return gpu_imager(*arguments, **words)

        def on_host(*arguments, **words):
            return fringe.imager(*arguments, gridder="separable", **words)
        wanted, _ = run(on_host, "cuda")
        self.assertEqual(len(wanted), 24 * block // 256)
        found, _ = run(on_device, "cuda")
        self.same(found, wanted)
        found, sink = run(on_device, "cuda", watched=True)
        self.same(found, wanted)
        self.assertEqual(len(sink.data()), len(wanted) * CHANNELS * inputs * (inputs + 1) // 2)

    def test_other_frequencies_end_the_data_with_a_sentence(self):
        obs = observation(self.rng)
        made = gpu_imager(obs, CHANNELS, SIZE, backend="cpu")
        probe = image_probe(item_sizes.image(SIZE))
        other = observation(self.rng, center_frequency=70e6)
        box = fringe.fx_correlator(len(obs.inputs), CHANNELS, "ci8", 0, 64, backend="cpu",
                                   block_spectra=32)
        source = fringe.raw_sky_source(other, "ci8", 32 * CHANNELS)
        top = gr.top_block()
        top.connect(source, blocks.head(source.output_signature().sizeof_stream_item(0), 8), box,
                    made, probe)
        top.run()
        self.assertEqual(probe.images, [])
        self.assertIn("70000000 Hz", fringe.failure(made))

    def test_what_cannot_be(self):
        obs = observation(self.rng, polarizations="XY")
        for words, sentence in (
                (dict(pol="Z"), "imager: pol Z"),
                (dict(pol="I,Q,U"), "1, 2 or 4 planes"),
                (dict(channels_out=CHANNELS + 1), "channels_out 17; 16 channels"),
                (dict(size=4), "imager: size 4"),
                (dict(channels_per_item=3), "channels_per_item")):
            with self.assertRaisesRegex(ValueError, sentence):
                gpu_imager(obs, CHANNELS, **{"size": SIZE, "backend": "cpu", **words})


if __name__ == "__main__":
    unittest.main()
