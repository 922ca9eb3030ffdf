#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The block that cleans images while a flowgraph runs, against the truth and fringe image."""
import threading
import time
import unittest

import numpy as np
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.observing import item_sizes
from gnuradio.fringe.images import clean_settings, image_settings
from gnuradio.fringe.images.series import image_series
from gnuradio.fringe.readers.fits_image import read_fits_image
from qa_image_blocks import C, CHANNELS, DUMP, SIZE, dumps_to, image_probe, noise, observation
from qa_imagers import ANTENNAS
from qa_scratch import TIMEOUT, scratch_case

FLUXES = (1.0, 0.6)
NOISE = 0.02


class qa_deconvolver(scratch_case):

    def sky(self, count=1):
        """(observation, dumps, (row, column) of two sources): an array of which nobody knows
        where it stands, so the axes are east and north."""
        # Waves are long here, so the beam is some pixels wide; with so many antennas no sidelobe
        # is as high as a source.
        obs = fringe.observation.from_text(repr({
            "antennas": [[*map(float, place), 0.05 * k % 0.2] for k, place in
                         enumerate(ANTENNAS[:20])],
            "sample_rate": 1.024e6, "center_frequency": 50e6}))
        pixel, places = 2 / (SIZE - 4), []
        while len(places) < len(FLUXES):
            row, column = self.rng.integers(8, SIZE - 8, 2)
            l, m = (column - (SIZE - 1) // 2) * pixel, (row - SIZE // 2) * pixel
            if np.hypot(l, m) < 0.8 and all(np.hypot(row - r, column - c) > 16 for r, c in places):
                places.append((row, column))
        antennas = np.array([antenna.enu for antenna in obs.antennas])
        i, j = np.triu_indices(len(obs.inputs))
        f = obs.channel_frequencies(CHANNELS, True)
        dumps = NOISE * noise(self.rng, obs, count)
        for flux, (row, column) in zip(FLUXES, places):
            l, m = (column - (SIZE - 1) // 2) * pixel, (row - SIZE // 2) * pixel
            way = (antennas[i] - antennas[j]) @ [l, m, np.sqrt(1 - l * l - m * m)]
            dumps += flux * np.exp(2j * np.pi * way * f[:, None] / C)
        return obs, dumps.astype(np.complex64), places

    def cleaned(self, obs, dumps, weights=None, ports=3, **words):
        """The images of each port [port][image], and the block."""
        made = fringe.deconvolver(obs, CHANNELS, SIZE, **words)
        probes = [image_probe(item_sizes.image(SIZE)) for _ in range(ports)]
        top = dumps_to(obs, dumps, made, weights=weights)
        for port, probe in enumerate(probes):
            top.connect((made, port), probe)
        self.run_to_the_end(top)
        return [probe.images for probe in probes], made

    def run_to_the_end(self, top):
        """top.run(), which fails where the flowgraph does not end."""
        top.start()
        self.wait(top)

    def wait(self, top):
        ended = threading.Thread(target=top.wait, daemon=True)
        ended.start()
        ended.join(TIMEOUT)
        self.assertFalse(ended.is_alive(), "the flowgraph does not end")

    def test_sources_have_their_fluxes_and_nothing_is_left(self):
        obs, dumps, places = self.sky(2)
        for minor in ("clark", "hogbom"):
            (images, residuals, models), made = self.cleaned(obs, dumps, minor=minor)
            with self.subTest(minor=minor):
                self.assertEqual([len(images), len(residuals), len(models)], [2, 2, 2])
                self.assertEqual((made.images(), made.dropped(), made.empty()), (2, 0, 0))
                for image, residual, model in zip(images, residuals, models):
                    self.assertEqual([item.kind for item in (image, residual, model)],
                                     ["restored image", "residual image", "model"])
                    self.assertLess(np.nanmax(np.abs(residual.values)), 0.08)
                    for flux, (row, column) in zip(FLUXES, places):
                        near = model.values[0, 0, row - 3:row + 4, column - 3:column + 4]
                        self.assertAlmostEqual(near.sum(), flux, delta=0.08)
                        self.assertAlmostEqual(image.values[0, 0, row, column], flux, delta=0.08)
                    back = fringe.restore(model.values[0, 0], np.zeros((SIZE, SIZE), np.float32),
                                          image.beam, image.pixel, image.pixel)
                    np.testing.assert_allclose(image.values[0, 0] - residual.values[0, 0],
                                               np.where(np.isnan(image.values[0, 0]), np.nan, back),
                                               atol=1e-4)
        # A dirty image of the same dumps is full of sidelobes, none as low as the residual.
        dirty = fringe.imager(obs, CHANNELS, SIZE)
        probe = image_probe(item_sizes.image(SIZE))
        top = dumps_to(obs, dumps, dirty)
        top.connect(dirty, probe)
        self.run_to_the_end(top)
        rest = images[0].values.copy()
        for row, column in places:
            rest[0, 0, row - 8:row + 9, column - 8:column + 9] = np.nan
        self.assertGreater(np.nanstd(probe.images[0].values[np.isfinite(rest)]),
                           np.nanstd(rest))

    def test_images_are_those_of_fringe_image(self):
        obs = observation(self.rng)
        model = self.path("sky.yml")
        with open(model, "w", encoding="utf-8") as file:
            file.write(obs.to_text())
        path = self.path("x.uvh5")
        sink = fringe.visibility_sink(obs, path, CHANNELS, keep_edge=True)
        made = fringe.deconvolver(obs, CHANNELS, SIZE, eps=1e-5, every=3 * DUMP, iterations=200,
                                  weight="briggs:0")
        probes = [image_probe(item_sizes.image(SIZE)) for _ in range(2)]
        sky = fringe.degridder(obs, model, CHANNELS, "add")
        top = dumps_to(obs, NOISE * noise(self.rng, obs, 3), sky, made)
        top.connect(sky, sink)
        for port, probe in enumerate(probes):
            top.connect((made, port), probe)
        self.run_to_the_end(top)
        other, = image_series([path], image_settings(
            size=(SIZE, SIZE), weight="briggs", epsilon=1e-5, clean=clean_settings(200)), 3 * DUMP)
        (image,), (left,) = (probe.images for probe in probes)
        np.testing.assert_allclose(image.values, other.values, atol=0.03 * np.nanmax(other.values))
        np.testing.assert_allclose(left.values, other.residual,
                                   atol=0.03 * np.nanmax(other.values))
        np.testing.assert_allclose(image.beam, other.beam, rtol=1e-3)
        self.assertEqual(image.kind, other.kind)

    def test_what_did_not_get_down_to_the_threshold_is_counted(self):
        obs, dumps, _ = self.sky(3)
        self.assertEqual(self.cleaned(obs, dumps, ports=1, iterations=2)[1].unfinished(), 3)
        self.assertEqual(self.cleaned(obs, dumps, ports=1, threshold="0.5")[1].unfinished(), 0)

    def test_dumps_without_data_and_a_part_of_a_dump(self):
        obs, dumps, _ = self.sky(3)
        weights = np.ones(dumps.shape, np.float32)
        weights[1] = 0
        (images,), made = self.cleaned(obs, dumps, weights, ports=1, iterations=50)
        self.assertEqual((len(images), made.empty()), (2, 1))
        # Nothing but zeros is an image too: there is nothing to clean.
        (images,), made = self.cleaned(obs, 0 * dumps, ports=1, iterations=50)
        self.assertEqual((len(images), made.unfinished()), (3, 0))
        np.testing.assert_array_equal(np.nan_to_num(images[0].values), 0)
        # The end of the data in the middle of a dump; more items than one make a dump here.
        row = dumps.shape[2]
        made = fringe.deconvolver(obs, CHANNELS, SIZE, iterations=50, channels_per_item=4)
        sink = blocks.null_sink(4 * item_sizes.image(SIZE))
        top = gr.top_block()
        part = dumps[:2].ravel()[:-4 * row]
        top.connect(blocks.vector_source_c(part, False, 4 * row), made, sink)
        self.run_to_the_end(top)
        self.assertEqual(made.images(), 1)

    def test_it_ends_when_it_is_told_to(self):
        """A source without end, and a model of as many components as there is time for."""
        obs, dumps, _ = self.sky(1)
        for drop in (False, True):
            made = fringe.deconvolver(obs, CHANNELS, SIZE, threshold="1e-9", drop=drop)
            values = item_sizes.visibilities(len(obs.inputs), CHANNELS)
            top = gr.top_block()
            top.connect(blocks.vector_source_c(dumps.ravel(), True, values), made,
                        blocks.null_sink(4 * item_sizes.image(SIZE)))
            top.start()
            end = time.monotonic() + TIMEOUT
            while made.images() < 2 and time.monotonic() < end:
                time.sleep(0.01)
            top.stop()
            self.wait(top)
            with self.subTest(drop=drop):
                self.assertGreaterEqual(made.images(), 2)
                self.assertEqual(made.unfinished() > 0, True)

    def test_dumps_that_come_too_fast_are_counted_and_files_are_written(self):
        obs, dumps, _ = self.sky(30)
        made = fringe.deconvolver(obs, CHANNELS, SIZE, iterations=50, drop=True)
        sinks = [fringe.image_sink(self.path(name), item_sizes.image(SIZE), drop=True, every=DUMP)
                 for name in ("cleaned.fits", "rest.fits")]
        top = dumps_to(obs, dumps, made)
        for port, sink in enumerate(sinks):
            top.connect((made, port), sink)
        self.run_to_the_end(top)
        self.assertGreater(made.images(), 0)
        self.assertEqual(made.images() + made.dropped(), 30)
        for sink in sinks:
            self.assertEqual((sink.error(), sink.images() + sink.dropped()), ("", made.images()))
        cube, header = read_fits_image(self.path("cleaned.fits"))
        self.assertEqual(cube.shape[1:], (1, 1, SIZE, SIZE))
        self.assertAlmostEqual(header["CDELT5"], DUMP)

    def test_what_cannot_be_is_reported(self):
        obs = observation(self.rng)
        for words, sentence in (({"size": 4}, "size 4"), ({"pol": "XYZ"}, "pol"),
                                ({"iterations": 0}, "iterations 0"), ({"gain": 0}, "gain 0"),
                                ({"threshold": "3 dB"}, "threshold 3 dB"),
                                ({"major_gain": 2}, "major_gain 2"),
                                ({"minor": "fast"}, "minor fast")):
            with self.subTest(**words), \
                    self.assertRaisesRegex(ValueError, f"deconvolver: {sentence}"):
                fringe.deconvolver(obs, CHANNELS, **words)


if __name__ == "__main__":
    unittest.main()
