#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The blocks of images, against fringe image and sums."""
import os
import tempfile
import threading
import time
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.observing import item_sizes
from gnuradio.fringe.image_blocks.gpu_imager import gpu_imager
from gnuradio.fringe.images import fits_bytes, image_settings
from gnuradio.fringe.images.items import TAG, image_of, tag_of
from gnuradio.fringe.images.series import image_series
from gnuradio.fringe.readers.fits_image import read_fits_image
from qa_scratch import rx_time, scratch_case, tag

C = 299792458.0
CHANNELS, SIZE, ANTENNA_COUNT, DUMP = 16, 48, 8, 0.008
START = 1781301600
ANTENNAS = [(-1.0, 3.2), (6.1, 3.2), (9.3, 1.2), (13.3, -1.2), (18.4, -4.1), (15.8, -14.3),
            (19.6, -15.1), (15.0, -24.7)]


def observation(rng, center="zenith", site=True, polarizations="X", **more):
    """Eight antennas, and two sources at random places."""
    sources = [{"name": f"s{k}", "az": float(rng.uniform(0, 360)), "el": float(el), "flux": flux}
               for k, (el, flux) in enumerate(((rng.uniform(60, 85), 1.0),
                                               (rng.uniform(40, 60), 0.6)))]
    described = {
        "antennas": [[*map(float, place), 0.05 * k % 0.2]
                     for k, place in enumerate(ANTENNAS[:ANTENNA_COUNT])],
        "polarizations": list(polarizations), "sample_rate": 1.024e6, "center_frequency": 150e6,
        "start_time": "2026-06-12T22:00:00Z", "phase_center": center, "channels": CHANNELS,
        "integration": DUMP, "sky": {"receiver_noise": 0.3, "sources": sources}, **more}
    if site:
        described["site"] = {"latitude": 50.0, "longitude": 8.0, "height": 100.0}
    return fringe.observation.from_text(repr(described))


class dumps_to(gr.top_block):
    """Random or given dumps through blocks."""

    def __init__(self, obs, dumps, *chain, weights=None, complex_tag=None):
        gr.top_block.__init__(self)
        row = dumps.shape[2]
        per_item = item_sizes.visibilities(len(obs.inputs), CHANNELS) // row
        items = CHANNELS // per_item
        tags = []
        for k in range(len(dumps)):
            tags += [rx_time(k * items, START, k * DUMP),
                     tag(k * items, "interval", pmt.from_double(DUMP)),
                     tag(k * items, "mark", pmt.from_long(k))]
        self.source = blocks.vector_source_c(dumps.ravel(), False, per_item * row, tags)
        self.connect(self.source, chain[0])
        if weights is not None:
            self.connect(blocks.vector_source_f(weights.ravel(), False, per_item * row),
                         (chain[0], 1))
        if len(chain) > 1:
            self.connect(*chain)


class image_probe(gr.sync_block):
    """Keeps images, as sky_image."""

    def __init__(self, values):
        gr.sync_block.__init__(self, "probe", [(np.float32, values)], None)
        self.images = []

    def work(self, input_items, _):
        for k, item in enumerate(input_items[0]):
            found = {pmt.symbol_to_string(tag.key): tag.value for tag in self.get_tags_in_range(
                0, self.nitems_read(0) + k, self.nitems_read(0) + k + 1)}
            self.images.append(image_of(item, found[TAG]))
        return len(input_items[0])


def noise(rng, obs, count):
    """Dumps [dump][channel][product] with real autocorrelations."""
    i, j = np.triu_indices(len(obs.inputs))
    made = rng.normal(size=(count, CHANNELS, len(i), 2)) @ (1, 1j)
    made[..., i == j] = 5
    return made.astype(np.complex64)


class qa_image_blocks(scratch_case):

    def imaged(self, obs, dumps, weights=None, **words):
        """The images of dumps by an imager, and the imager."""
        made = fringe.imager(obs, CHANNELS, SIZE, **words)
        probe = image_probe(item_sizes.image(SIZE, words.get("pol", "I"),
                                             words.get("channels_out", 1)))
        top = dumps_to(obs, dumps, made, weights=weights)
        top.connect(made, probe)
        top.run()
        return probe.images, made

    def test_images_are_those_of_a_file_of_the_same_dumps(self):
        """Around the zenith, and around another phase center; with weights, in two groups."""
        for center in ("zenith", {"ra": 235.0, "dec": 35.0}):
            obs = observation(self.rng, center)
            dumps = noise(self.rng, obs, 3)
            weights = self.rng.uniform(0.1, 1, dumps.shape).astype(np.float32)
            path = self.path(f"{len(str(center))}.uvh5")
            sink = fringe.visibility_sink(obs, path, CHANNELS, keep_edge=True)
            dumps_to(obs, dumps, sink, weights=weights).run()
            words = dict(weight="briggs:0", channels_out=2, eps=1e-5)
            images, made = self.imaged(obs, dumps, weights, every=3 * DUMP, **words)
            files = list(image_series([path], image_settings(
                size=(SIZE, SIZE), weight="briggs", channels_out=2, epsilon=1e-5), 3 * DUMP))
            with self.subTest(center=center):
                self.assertEqual((len(images), len(files), made.dropped()), (1, 1, 0))
                first, other = images[0], files[0]
                scale = np.nanstd(other.values)
                np.testing.assert_allclose(first.values, other.values, atol=3e-4 * scale)
                np.testing.assert_allclose(first.frame.center, other.frame.center, atol=1e-9)
                np.testing.assert_allclose(first.beam, other.beam, rtol=1e-3)
                self.assertEqual(first.frame.all_sky, other.frame.all_sky)
                self.assertAlmostEqual(first.middle[1], other.middle[1], 6)

    def test_feeds_that_turn(self):
        """Stokes parameters of the sky, as of a file; refused where dumps stay on a GPU."""
        def feeds(*angles, **more):
            return observation(
                self.rng, {"ra": 235.0, "dec": 35.0}, polarizations="XY",
                antennas=[{"enu": [*map(float, place), 0.0], "feed_angle": angle, **more}
                          for place, angle in zip(ANTENNAS, angles)])
        still, obs = feeds(*[0.0] * 8), feeds(*[30.0] * 8, mount="alt-az")
        dumps = noise(self.rng, obs, 1)
        plain, turned = (self.imaged(site, dumps, pol="IQUV", eps=1e-5)[0][0].values
                         for site in (still, obs))
        path = self.path("turned.uvh5")
        sink = fringe.visibility_sink(obs, path, CHANNELS, keep_edge=True)
        dumps_to(obs, dumps, sink).run()
        other, = image_series([path], image_settings(size=(SIZE, SIZE), pol="IQUV", epsilon=1e-5),
                              1.0)
        scale = np.nanstd(other.values)
        np.testing.assert_allclose(turned, other.values, atol=3e-4 * scale)
        for plane, turns in enumerate((False, True, True, False)):
            apart = np.nanstd((turned - plain)[plane])
            self.assertEqual(apart > 0.1 * scale, turns, plane)
        for pol, refused in (("Q", "pol Q: feeds on mounts alt-az turn against"), ("I", "")):
            try:
                gpu_imager(obs, CHANNELS, SIZE, pol=pol, backend="cpu")
                refusal = ""
            except ValueError as error:
                refusal = str(error)
            self.assertIn(refused, refusal)
            self.assertEqual(bool(refused), bool(refusal))
        obs = feeds(*range(8), mount="alt-az")
        with self.assertRaisesRegex(ValueError, "pol V: feeds on mounts alt-az turn"):
            gpu_imager(obs, CHANNELS, SIZE, pol="V", backend="cpu")

    def test_without_a_site_the_sum_over_the_plane_of_the_array(self):
        obs = observation(self.rng, site=False)
        obs.sky = []
        dumps = noise(self.rng, obs, 2)
        images, made = self.imaged(obs, dumps, eps=1e-5)
        self.assertEqual((len(images), made.images()), (2, 2))
        places = np.array([antenna.enu for antenna in obs.antennas])
        f = obs.channel_frequencies(CHANNELS, True)
        i, j = np.triu_indices(len(obs.inputs))
        cross = i != j
        for dump, image in zip(dumps, images):
            axis = image.axis()
            for _ in range(10):
                a, b = self.rng.integers(8, SIZE - 8, 2)
                l, m = axis[a], image.axis(columns=False)[b]
                n = 1 - l * l - m * m
                if n <= 0.1:
                    continue
                way = (places[i] - places[j])[cross] @ [l, m, np.sqrt(n)]
                turns = np.exp(-2j * np.pi * way * f[:, None] / C)
                wanted = (dump[:, cross] * turns).real.mean()
                self.assertAlmostEqual(image.values[0, 0, b, a], wanted,
                                       delta=1e-3 * np.nanstd(image.values))

    def test_every_interval_and_the_rest(self):
        obs = observation(self.rng)
        dumps = noise(self.rng, obs, 5)
        images, made = self.imaged(obs, dumps, every=2 * DUMP, eps=1e-5)
        self.assertEqual(len(images), 2)
        images += made.rest()
        single, _ = self.imaged(obs, dumps, eps=1e-5)
        self.assertEqual(len(single), 5)
        for k, image in enumerate(images):
            wanted = np.mean([image.values for image in single[2 * k:2 * k + 2]], axis=0)
            np.testing.assert_allclose(image.values, wanted, atol=5e-3 * np.nanstd(wanted))
            self.assertAlmostEqual(image.duration, DUMP * (2 if k < 2 else 1), 9)

    def test_an_image_with_all_flagged_is_not_sent(self):
        obs = observation(self.rng)
        dumps = noise(self.rng, obs, 3)
        weights = np.ones(dumps.shape, np.float32)
        weights[1] = 0
        images, made = self.imaged(obs, dumps, weights)
        self.assertEqual((len(images), made.empty()), (2, 1))

    def test_a_tag_says_what_an_image_is(self):
        obs = observation(self.rng)
        image = self.imaged(obs, noise(self.rng, obs, 1))[0][0]
        other = image_of(image.values.ravel(), tag_of(image))
        self.assertEqual(fits_bytes(image, ["x"]), fits_bytes(other, ["x"]))

    def test_files(self):
        obs = observation(self.rng)
        dumps = noise(self.rng, obs, 5)
        images, _ = self.imaged(obs, dumps)
        paths = [self.path(name) for name in ("cube.fits", "x_%02d.fits", "new.png")]
        made = fringe.imager(obs, CHANNELS, SIZE, every=2 * DUMP)
        sink = fringe.image_sink(paths, item_sizes.image(SIZE))
        sink.set_last(made.rest)
        top = dumps_to(obs, dumps, made, sink)
        top.run()
        self.assertEqual((sink.error(), sink.images(), sink.dropped()), ("", 3, 0))
        cube, header = read_fits_image(paths[0])
        self.assertEqual(cube.shape, (3, 1, 1, SIZE, SIZE))
        self.assertAlmostEqual(header["CDELT5"], 2 * DUMP)
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["cube.fits", "new.png", "x_00.fits", "x_01.fits", "x_02.fits"])
        np.testing.assert_array_equal(read_fits_image(self.path("x_02.fits"))[0][0, 0],
                                      images[4].values[0, 0][:, ::-1])
        with self.assertRaisesRegex(ValueError, "cube.fits"):
            fringe.image_sink(paths, item_sizes.image(SIZE))

    def test_a_slow_disk_loses_images_and_says_how_many(self):
        obs = observation(self.rng)
        sink = fringe.image_sink(self.path("x.fits"), item_sizes.image(SIZE), drop=True)
        lock = self.slow(sink)
        made = fringe.imager(obs, CHANNELS, SIZE)
        top = dumps_to(obs, noise(self.rng, obs, 40), made, sink)
        top.start()
        made_all = 40
        end = time.monotonic() + 200
        while made.images() < made_all and time.monotonic() < end:
            time.sleep(0.01)
        lock.set()
        top.wait()
        self.assertEqual(made.images(), made_all)
        self.assertGreater(sink.dropped(), 0)
        self.assertEqual(sink.images() + sink.dropped(), made_all)

    @staticmethod
    def slow(sink):
        """Makes the disk wait until the event that is returned is set."""
        event, make = threading.Event(), sink._make

        def outputs():
            event.wait(200)
            return make()
        sink._make = outputs
        return event

    def test_the_last_dump_is_sent_whole_through_a_small_buffer(self):
        obs = observation(self.rng)
        with open(self.path("sky.yml"), "w") as file:
            file.write(obs.to_text())
        dumps = noise(self.rng, obs, 3)
        row = dumps.shape[2]
        # A dump is 16 items, of which the output has room for four.
        tags = [time_tag for k in range(3) for time_tag in (
            rx_time(k * CHANNELS, START, k * DUMP),
            tag(k * CHANNELS, "interval", pmt.from_double(DUMP)))]
        added = fringe.degridder(obs, self.path("sky.yml"), CHANNELS, "add", channels_per_item=1)
        added.set_max_output_buffer(4)
        back = fringe.degridder(obs, self.path("sky.yml"), CHANNELS, "subtract",
                                channels_per_item=1)
        sink = blocks.vector_sink_c(row)
        top = gr.top_block()
        top.connect(blocks.vector_source_c(dumps.ravel(), False, row, tags), added, back, sink)
        top.run()
        np.testing.assert_allclose(np.array(sink.data()).reshape(dumps.shape), dumps, atol=1e-4)

    def test_degridder_makes_what_the_correlator_makes_of_the_same_sky(self):
        for center, tracking in (("zenith", False), ({"ra": 235.0, "dec": 50.0}, True)):
            obs = observation(self.rng, center, tracking=str(tracking).lower())
            path = self.path("sky.yml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(obs.to_text())
            dumps = noise(self.rng, obs, 2)
            made = fringe.degridder(obs, path, CHANNELS)
            sink = blocks.vector_sink_c(made.output_signature().sizeof_stream_item(0) // 8)
            top = dumps_to(obs, dumps, made, sink)
            top.run()
            found = np.reshape(sink.data(), dumps.shape)
            marks = [pmt.to_python(tag.value) for tag in sink.tags()
                     if pmt.symbol_to_string(tag.key) == "mark"]
            self.assertEqual(marks, [0, 1])
            i, j = np.triu_indices(len(obs.inputs))
            f = obs.channel_frequencies(CHANNELS, True)
            places = np.array([antenna.itrf for antenna in obs.antennas])
            for k in range(2):
                when = fringe.epoch(START, k * DUMP).plus_seconds(DUMP / 2)
                wanted = 0
                origin = np.array(fringe.axes_of_radec(
                    *fringe.phase_center_radec(obs, when), when))[2] if tracking else np.zeros(3)
                for source in obs.sky:
                    s = np.array(fringe.source_direction(obs, source, when)) - origin
                    way = (places[i] - places[j]) @ s
                    wanted = wanted + source.flux * np.exp(2j * np.pi * way * f[:, None] / C)
                with self.subTest(center=center, dump=k):
                    np.testing.assert_allclose(found[k], wanted, atol=2e-3)

    def test_add_and_subtract(self):
        obs = observation(self.rng)
        path = self.path("sky.yml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(obs.to_text())
        dumps = noise(self.rng, obs, 2)
        back = [fringe.degridder(obs, path, CHANNELS, mode) for mode in ("add", "subtract")]
        sink = blocks.vector_sink_c(back[0].output_signature().sizeof_stream_item(0) // 8)
        dumps_to(obs, dumps, *back, sink).run()
        np.testing.assert_allclose(np.reshape(sink.data(), dumps.shape), dumps, atol=1e-4)
        with self.assertRaisesRegex(ValueError, "mode divide"):
            fringe.degridder(obs, path, CHANNELS, "divide")

    def test_peeler_takes_out_a_source_with_gains(self):
        obs = observation(self.rng)
        obs.sky = obs.sky[:1]
        path = self.path("sky.yml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(obs.to_text())
        count = 4
        dumps = noise(self.rng, obs, count)
        source = fringe.degridder(obs, path, CHANNELS)
        sink = blocks.vector_sink_c(source.output_signature().sizeof_stream_item(0) // 8)
        dumps_to(obs, dumps, source, sink).run()
        alone = np.reshape(sink.data(), dumps.shape)
        gain = (1 + 0.1 * self.rng.normal(size=ANTENNA_COUNT)) * np.exp(
            0.3j * self.rng.normal(size=ANTENNA_COUNT))
        i, j = np.triu_indices(len(obs.inputs))
        loud = (dumps + 30 * gain[i] * gain[j].conj() * alone).astype(np.complex64)
        peel = fringe.peeler(obs, path, CHANNELS, taper=0)
        sink = blocks.vector_sink_c(peel.output_signature().sizeof_stream_item(0) // 8)
        top = dumps_to(obs, loud, peel, sink)
        store = blocks.message_debug()
        top.msg_connect(peel, "solutions", store, "store")
        top.run()
        left = np.reshape(sink.data(), dumps.shape)
        cross = i != j
        self.assertEqual((peel.peeled(), peel.left()), (count, 0))
        self.assertLess(np.abs(left - dumps)[..., cross].std(), 1.0)
        self.assertEqual(store.num_messages(), count)
        message = pmt.to_python(store.get_message(count - 1))
        self.assertTrue(message["sources"]["s0"]["converged"])
        flux = 30 * obs.sky[0].flux * np.abs(gain[i] * gain[j])[cross].mean()
        self.assertAlmostEqual(message["sources"]["s0"]["flux"] / flux, 1, delta=0.1)
        # What cannot be solved goes through as it is, and the port says why.
        peel = fringe.peeler(obs, path, CHANNELS, taper=0)
        sink = blocks.vector_sink_c(peel.output_signature().sizeof_stream_item(0) // 8)
        store = blocks.message_debug()
        top = dumps_to(obs, loud, peel, sink, weights=np.zeros(loud.shape, np.float32))
        top.msg_connect(peel, "solutions", store, "store")
        top.run()
        np.testing.assert_array_equal(np.reshape(sink.data(), dumps.shape), loud)
        self.assertEqual((peel.peeled(), peel.left()), (0, count))
        self.assertTrue(pmt.to_python(store.get_message(0))["sources"]["s0"]["problem"])

    def test_raw_samples_to_images_in_one_box(self):
        # Pixels are much smaller than the beam, so no sidelobe is as high as the source.
        obs = observation(self.rng, center_frequency=50e6)
        obs.sky = obs.sky[:1]
        samples = item_sizes.samples("ci8", len(obs.inputs), CHANNELS)
        source = fringe.raw_sky_source(obs, "ci8", samples)
        box = fringe.all_sky_imager(obs, "ci8", CHANNELS, 0.02, SIZE)
        probe = image_probe(item_sizes.image(SIZE))
        top = gr.top_block()
        top.connect(source, blocks.head(source.block_bytes, 100_000 // samples + 1), box, probe)
        top.run()
        self.assertGreater(len(probe.images), 2)
        image = probe.images[1]
        row, column = np.unravel_index(np.nanargmax(image.values[0, 0]), (SIZE, SIZE))
        star = obs.sky[0]
        l, m = np.cos(star.b) * np.sin(star.a), np.cos(star.b) * np.cos(star.a)
        axis = image.axis()
        self.assertLess(np.hypot(axis[column] - l, image.axis(columns=False)[row] - m),
                        2 * image.pixel)

    def test_what_cannot_be_is_reported(self):
        obs = observation(self.rng)
        for words, sentence in (({"size": 4}, "size 4"), ({"pol": "XYZ"}, "pol"),
                                ({"weight": "robust"}, "weight robust"),
                                ({"every": -1}, "every -1"),
                                ({"channels_out": 99}, "channels_out 99"), ({"eps": 1}, "eps 1"),
                                ({"gridder": "fast"}, "gridder fast")):
            with self.subTest(**words), self.assertRaisesRegex(ValueError, f"imager: {sentence}"):
                fringe.imager(obs, CHANNELS, **words)
        with self.assertRaisesRegex(ValueError, "damping 0"):
            fringe.peeler(obs, "CasA", CHANNELS, damping=0)
        with self.assertRaisesRegex(ValueError, "x.jpg"):
            fringe.image_sink("x.jpg", 100)
        with tempfile.NamedTemporaryFile(suffix=".fits") as file:
            with self.assertRaisesRegex(ValueError, "exist|there"):
                fringe.image_sink(file.name, 100)


if __name__ == "__main__":
    unittest.main()
