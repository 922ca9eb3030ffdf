#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Images that take longer than dumps, and disks that are slow: images are lost, and counted, and
visibilities never are."""
import os
import threading
import time
import unittest
from unittest import mock

import numpy as np
import qa_live_packets
from gnuradio import blocks, fringe
from gnuradio.fringe.observing import item_sizes
from gnuradio.fringe.image_blocks import image_sink as sinks
from gnuradio.fringe.images.dump_images import dump_images
from gnuradio.fringe.readers.fits_image import read_fits_image
from qa_image_blocks import DUMP, SIZE, CHANNELS, dumps_to, image_probe, noise, observation
from qa_live import while_sending
from qa_packets import mwa
from qa_scratch import TIMEOUT, scratch_case


class gate:
    """Holds a method back until it is opened."""

    def __init__(self, method):
        self._method, self._open = method, threading.Event()

    def __call__(self, *words):
        self._open.wait(TIMEOUT)
        return self._method(*words)

    def open(self):
        self._open.set()


class qa_slow_images(scratch_case):

    def held_back(self, every=0.0, block=fringe.imager, count=200, **more):
        """Dumps through a block of images that makes none until all dumps have passed another
        one; the block and the images."""
        obs = observation(self.rng)
        made = block(obs, CHANNELS, SIZE, every=every, drop=True, **more)
        probe, beside = image_probe(item_sizes.image(SIZE)), blocks.vector_sink_c(
            item_sizes.visibilities(len(obs.inputs), CHANNELS))
        top = dumps_to(obs, noise(self.rng, obs, count), made, probe)
        top.connect(top.source, beside)
        held = gate(made._images.add)
        made._images.add = held
        size = count * CHANNELS * len(obs.inputs) * (len(obs.inputs) + 1) // 2
        top.start()
        end = time.monotonic() + TIMEOUT
        while len(beside.data()) < size and time.monotonic() < end:
            time.sleep(0.01)
        passed = len(beside.data())
        held.open()
        top.wait()
        self.assertEqual(passed, size, "dumps waited for images")
        return made, probe.images

    def test_dumps_do_not_wait_for_images(self):
        made, images = self.held_back()
        self.assertGreater(made.dropped(), 0)
        self.assertEqual(made.images() + made.dropped(), 200)
        # The last ones come out after the end of the data, too.
        self.assertEqual(len(images), made.images())
        self.assertEqual(made.rest(), [])

    def test_dumps_do_not_wait_for_clean(self):
        made, images = self.held_back(block=fringe.deconvolver, iterations=20)
        self.assertEqual(made.images() + made.dropped(), 200)
        self.assertEqual(len(images), made.images())

    def test_dumps_of_one_image_wait_in_memory(self):
        # All of them fit, so none is lost. One image is that of the last, short interval.
        made, images = self.held_back(every=15 * DUMP, count=100)
        self.assertEqual((made.dropped(), len(images)), (0, 6))
        rest = made.rest()
        self.assertEqual(len(rest), 1)
        np.testing.assert_allclose([image.duration for image in images + rest],
                                   [15 * DUMP] * 6 + [10 * DUMP], rtol=1e-6)

    def test_images_are_those_of_a_block_that_waits(self):
        obs = observation(self.rng)
        dumps, images = noise(self.rng, obs, 9), []
        for drop in (False, True):
            made = fringe.imager(obs, CHANNELS, SIZE, every=3 * DUMP, drop=drop)
            probe = image_probe(item_sizes.image(SIZE))
            dumps_to(obs, dumps, made, probe).run()
            images.append([image.values for image in probe.images + made.rest()])
        self.assertEqual(*map(len, images))
        np.testing.assert_array_equal(*images)

    def test_what_cannot_be_imaged_ends_the_flowgraph_with_a_sentence(self):
        obs = observation(self.rng)
        made = fringe.imager(obs, CHANNELS, SIZE, drop=True)
        with mock.patch.object(dump_images, "add", side_effect=ValueError("the moon is down")):
            top = dumps_to(obs, noise(self.rng, obs, 50), made,
                           blocks.null_sink(4 * item_sizes.image(SIZE)))
            top.run()
        self.assertIn("imager: the moon is down", fringe.failure(made))

    def test_live_visibilities_do_not_wait_for_the_disk(self):
        inputs, slots, seconds = 3, 420, 0.64  # 400 packets of each input
        samples = self.rng.integers(-50, 50, (inputs, slots, 2048, 2)).astype(np.int8)
        packets = [mwa(k, qa_live_packets.GPS + n // 625, n % 625, samples[k, n])
                   for n in range(slots) for k in range(inputs)]
        send = qa_live_packets.qa_live_packets.send
        obs = self.path("obs.yml")
        with open(obs, "w") as file:
            file.write("antennas: [[0, 0, 0], [30, 4, 0], [7, 20, 0]]\nsample_rate: 1.28e6\n"
                       "center_frequency: 1.5e8\nchannels: 32\nintegration: 0.002\n"
                       "site: {latitude: -26.7, longitude: 116.7}\n")
        paths = [self.path("live.ACC"), self.path("live.fits")]
        with mock.patch.object(sinks, "image_output", self.held_disk):
            result = while_sending(
                lambda source: (send(source, packets), self.disk.open()),
                lambda: fringe.correlate(
                    [], paths, obs, image_size=16, seconds=seconds,
                    live="udp://:0?preset=mwa&inputs=3&gps_leap_seconds=18&window=6"))
        self.assertEqual((result.dumps, result.samples_lost), (320, 0))
        self.assertEqual(os.path.getsize(paths[0]), 320 * 32 * 6 * 8)
        cube = read_fits_image(paths[1])[0]
        missing = 320 - np.isfinite(cube[:, 0, 0, 8, 8]).sum()
        self.assertGreater(missing, 0)
        lost = [int(line.split()[0]) for line in result.images
                if "in no image" in line or "left out" in line]
        self.assertEqual(sum(lost), missing, result.images)

    def held_disk(self, *words, **settings):
        """image_output() of a disk that takes nothing until it is opened."""
        made = self.outputs(*words, **settings)
        self.disk = gate(made.add)
        made.add = self.disk
        return made

    def setUp(self):
        scratch_case.setUp(self)
        self.outputs, self.disk = sinks.image_output, None


if __name__ == "__main__":
    unittest.main()
