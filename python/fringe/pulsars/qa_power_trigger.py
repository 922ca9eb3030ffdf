#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A dispersed pulse in the voltages of an array is found in the power of a beam, its samples are
dumped by a Voltage Ring, correlated, and imaged at its place."""
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.images import make_image
from gnuradio.fringe.images.imaging import peaks
from gnuradio.fringe.images.square_image import as_picture
from gnuradio.fringe.pulsars.levels import deviations
from gnuradio.fringe.pulsars.pulse_search import MAX_TRIALS, pulse, pulse_search

from qa_live import wait_until
from qa_scratch import scratch_case, times_tried
from qa_voltage_ring import START, at, source_of

K = 1e12 / 2.41e-4  # Hz^2 s cm^3 / pc: the delay of 1 pc / cm^3 at 1 Hz
LIGHT = 299792458.0


def late(dm, f):
    """Seconds."""
    return K * dm / np.square(f)


class qa_pulse_search(scratch_case):

    F, INTERVAL, CHANNELS = 150e6 + 20e3 * (np.arange(32) - 16), 1e-3, 32

    def searched(self, powers, highest=40.0, widest=16, history=512):
        """(time of its begin, pulse) of each search of powers [beam][channel][time]."""
        search, found = pulse_search(self.F, self.INTERVAL, highest, widest, history), []
        for k in range(powers.shape[2]):
            found += [(k + 1 - pulse.ago, pulse) for pulse in search.add(powers[:, :, k])]
        return found

    def noise(self, beams, count):
        """Means of 20 spectra, with a bandpass."""
        gains = self.rng.uniform(0.2, 5, (beams, self.CHANNELS, 1))
        return gains * self.rng.gamma(20, 1 / 20, (beams, self.CHANNELS, count)), gains

    def test_pulses(self):
        """Their time, dispersion, width and strength, by the delay of each channel."""
        for _ in range(times_tried(2, 6)):
            powers, gains = self.noise(2, 2000)
            dm, width = self.rng.uniform(5, 38), int(self.rng.choice([1, 2, 4, 8]))
            begin, beam = int(self.rng.integers(900, 1500)), int(self.rng.integers(2))
            shift = (late(dm, self.F) - late(dm, self.F.max())) / self.INTERVAL
            for c in range(self.CHANNELS):
                first = begin + int(round(shift[c]))
                powers[beam, c, first:first + width] += 0.6 * gains[beam, c]
            time, found = max(self.searched(powers), key=lambda pair: pair[1].snr)
            band = shift[0] / dm  # means that differ over the band, a pc / cm^3
            self.assertEqual(found.beam, beam)
            self.assertLessEqual(abs(time - begin), max(2, width))
            self.assertLess(abs(found.dm - dm) * band, 2 + width)
            self.assertLessEqual(abs(np.log2(found.width / width)), 1)
            # Of 32 channels whose noise is 1 / sqrt(20).
            expected = 0.6 * np.sqrt(32 * 20 * width)
            self.assertLess(abs(found.snr / expected - 1), 0.5)
            self.assertAlmostEqual(found.delay, found.dm * band * self.INTERVAL, places=9)

    def test_noise(self):
        """No search finds 9 standard deviations in noise."""
        powers, _ = self.noise(2, 1600)
        self.assertLess(max(pulse.snr for _, pulse in self.searched(powers)), 9)

    def test_an_undispersed_pulse_has_no_dispersion(self):
        powers, gains = self.noise(1, 1500)
        powers[:, :, 1001:1003] += 2 * gains
        _, found = max(self.searched(powers), key=lambda pair: pair[1].snr)
        self.assertLess(found.dm, 1.5)

    def test_silence_and_dead_channels(self):
        powers, _ = self.noise(1, 1000)
        powers[:, 3:9] = 0
        self.assertTrue(all(np.isfinite(pulse.snr) for _, pulse in self.searched(powers)))
        self.assertEqual({pulse.snr for _, pulse in self.searched(0 * powers)}, {0.0})
        np.testing.assert_array_equal(deviations(np.ones((2, 5))), 0)

    def test_too_many_trials(self):
        with self.assertRaisesRegex(ValueError, f"the limit is {MAX_TRIALS}"):
            pulse_search(self.F, 1e-6, 1000.0, 4, 256)


class qa_power_trigger(scratch_case):

    def setUp(self):
        super().setUp()
        self.obs = fringe.observation.example(2)
        self.obs.sample_rate, self.obs.center_frequency, self.obs.channels = 640e3, 150e6, 32

    def messages(self, powers, starts, **words):
        """What is asked for of means [time][row * channel], tagged as a beamformer does."""
        words = {"interval": 1e-3, "dm": (1.0, 40.0), "history": 256, **words}
        trigger = fringe.power_trigger(self.obs, ["zenith", "Sun"], **words)
        tags = {k: {**at(start, 1.0), "interval": pmt.from_double(1e-3),
                    "exposure": pmt.from_double(1e-3)} for k, start in enumerate(starts)}
        items = np.ascontiguousarray(powers, np.float32).view(np.uint8)
        source = source_of(items, tags)
        source.allowed = len(items)
        debug, flowgraph = blocks.message_debug(), gr.top_block()
        flowgraph.connect(source, trigger)
        flowgraph.msg_connect(trigger, "dump", debug, "store")
        flowgraph.run()
        wait_until(lambda: debug.num_messages() == trigger.found())
        self.assertEqual(fringe.failure(trigger), "")
        return trigger, [pmt.to_python(debug.get_message(k)) for k in range(debug.num_messages())]

    def powers(self, pulses, count=2000, rows=2, row=1):
        """Noise [time][row][channel] with pulses {mean: dm}."""
        powers = self.rng.gamma(20, 1 / 20, (count, rows, 32))
        f = np.array(self.obs.channel_frequencies(32, True))
        for begin, dm in pulses.items():
            for c, shift in enumerate(np.rint((late(dm, f) - late(dm, f.max())) / 1e-3)):
                powers[begin + int(shift):begin + int(shift) + 2, row, c] += 1.5
        return powers.reshape(count, -1)

    def test_what_is_asked_for(self):
        trigger, found = self.messages(self.powers({600: 20.0, 1700: 10.0}),
                                       1e-3 * np.arange(2000), hold=0.5, margin=0.02)
        self.assertEqual(len(found), 2)
        for message, begin, dm in zip(found, (0.6, 1.7), (20.0, 10.0)):
            why = message["why"]
            self.assertEqual(why["direction"], "Sun")
            self.assertLess(abs(why["dm"] - dm), 2)
            self.assertGreater(why["snr"], 15)
            start, end = ((second - START) + fraction for second, fraction in
                          (message["from"], message["to"]))
            delay = late(dm, 149.68e6) - late(dm, 150.3e6)
            self.assertLess(abs(start - (begin - 0.02)), 0.004)
            self.assertLess(abs(end - (begin + delay + 0.022)), 0.008)
            time = fringe.epoch.from_iso(why["time"]).seconds_since(fringe.epoch(START, 0.0))
            self.assertLess(abs(time - begin), 0.004)
        self.assertEqual((trigger.found(), trigger.undispersed()), (2, 0))

    def test_held_and_undispersed(self):
        """An undispersed pulse holds no other."""
        trigger, found = self.messages(self.powers({450: 0.0, 600: 20.0, 900: 10.0, 1500: 0.0}),
                                       1e-3 * np.arange(2000), hold=0.6)
        self.assertEqual([round(message["why"]["dm"] / 10) for message in found], [2])
        self.assertEqual(trigger.undispersed(), 2)

    def test_a_gap_begins_a_new_search(self):
        starts = 1e-3 * np.arange(2200) + np.where(np.arange(2200) < 1650, 0, 0.3)
        _, found = self.messages(self.powers({1630: 20.0, 1800: 20.0}, 2200), starts)
        times = [fringe.epoch.from_iso(message["why"]["time"]) for message in found]
        self.assertEqual(len(times), 1)
        self.assertLess(abs(times[0].seconds_since(fringe.epoch(START, 0.0)) - 2.1), 0.004)

    def test_stokes(self):
        self.obs = fringe.observation(self.obs)
        powers = self.powers({600: 20.0}, 1000, rows=8, row=4)  # I of the second direction
        _, found = self.messages(powers, 1e-3 * np.arange(1000), products="stokes")
        self.assertEqual([message["why"]["direction"] for message in found], ["Sun"])
        powers = self.powers({600: 20.0}, 1000, rows=8, row=5)  # Q
        _, found = self.messages(powers, 1e-3 * np.arange(1000), products="stokes")
        self.assertEqual(found, [])

    def test_a_clock_that_nobody_has_set(self):
        """It begins in 1970, and the margin before a pulse is shorter there."""
        trigger = fringe.power_trigger(self.obs, ["zenith"])
        trigger._next = fringe.epoch(0, 0.3)
        trigger._ask(pulse(snr=20, dm=5.0, delay=0.01, width=1, beam=0, ago=290))
        self.assertEqual(trigger.found(), 1)

    def test_means_without_a_time(self):
        trigger = fringe.power_trigger(self.obs, ["zenith"])
        flowgraph = gr.top_block()
        flowgraph.connect(blocks.null_source(4 * 32), trigger)
        flowgraph.run()
        self.assertIn("the means carry no time", fringe.failure(trigger))

    def test_refusals(self):
        for words, sentence in (({"products": "voltages"}, "products voltages; it must be cross"),
                                ({"average": 5}, "average 5; it must divide"),
                                ({"interval": 0}, "interval 0"), ({"dm": (5, 1)}, "dm"),
                                ({"interval": 4e-5}, "it must be 5e-05 or more, the seconds of"),
                                ({"threshold": 0}, "threshold 0"), ({"widest": 0}, "widest 0"),
                                ({"history": 100}, "history 100; it must be 64 or more"),
                                ({"dm": (0, 9e4)}, "dm: 90000: would be")):
            with self.assertRaisesRegex(ValueError, sentence):
                fringe.power_trigger(self.obs, ["zenith"], **words)


class qa_pulse_in_an_array(scratch_case):
    """Twelve stations of 60 m, noise, and a pulse that one part of the noise is: dispersed over the
    band, and late at each station by the equation of an array."""

    RATE, CENTER, CHANNELS, STATIONS, SECONDS = 640e3, 150e6, 32, 12, 0.8
    BEGIN, WIDTH, DM = 0.45, 2e-3, 20.0
    MEAN = 1.03e-3  # 20.6 spectra: 20 or 21

    def array(self, places):
        return fringe.observation.from_text(repr({
            "site": {"latitude": -30.0, "longitude": 20.0, "height": 0.0},
            "antennas": places.tolist(), "sample_rate": self.RATE,
            "center_frequency": self.CENTER, "channels": self.CHANNELS,
            "start_time": fringe.epoch(START, 0.0).iso(6), "phase_center": "zenith",
            "integration": 0.01}))

    def voltages(self, places, direction):
        """[time][station], of standard deviation 10 (noise), 8 bits."""
        count = int(self.RATE * self.SECONDS)
        f = self.CENTER + np.fft.fftfreq(count, 1 / self.RATE)
        both = lambda *shape: self.rng.standard_normal((*shape, 2)) @ (1, 1j)  # noqa: E731
        pulse = np.zeros(count, complex)
        first, length = int(self.BEGIN * self.RATE), int(self.WIDTH * self.RATE)
        pulse[first:first + length] = both(length)
        # The phase is the integral of the delay behind that of the highest frequency.
        top = f.max()
        turns = K * self.DM * (1 / f - 1 / top) + K * self.DM / top**2 * (f - top)
        spectrum = np.fft.fft(pulse) * np.exp(2j * np.pi * turns)
        tau = -places @ direction / LIGHT  # whoever is nearer receives it earlier
        x = np.stack([both(count) + np.fft.ifft(spectrum * np.exp(-2j * np.pi * f * t))
                      for t in tau], axis=1)
        x = 7 * x.astype(np.complex64).view(np.float32)
        return np.clip(np.rint(x), -127, 127).astype(np.int8)

    def test_it_is_imaged_at_its_place(self):
        places = self.rng.uniform(-30, 30, (self.STATIONS, 3)) * (1, 1, 0.02)
        az, el = self.rng.uniform(0, 2 * np.pi), np.radians(self.rng.uniform(50, 80))
        direction = np.array([np.cos(el) * np.sin(az), np.cos(el) * np.cos(az), np.sin(el)])
        obs, block = self.array(places), 64 * self.CHANNELS
        items = self.voltages(places, direction)
        items = items[:len(items) // block * block].reshape(-1, 2 * self.STATIONS * block)
        source = source_of(items.view(np.uint8), {0: at(0, self.RATE, self.CENTER)})
        source.allowed = len(items) - 2
        beams = ["zenith", f"az={np.degrees(az):.2f},el={np.degrees(el):.2f}", "az=90,el=30"]
        ring = fringe.voltage_ring(self.STATIONS, block, self.RATE, 2.0, self.path("p.vdif"))
        unpack = fringe.unpack("ci8", self.STATIONS, block, "f32")
        channelizer = fringe.channelizer(self.STATIONS, self.CHANNELS, 64)
        former = fringe.beamformer(obs, beams, "power", self.MEAN, block_spectra=64)
        trigger = fringe.power_trigger(obs, beams, "power", self.MEAN, dm=(2.0, 40.0), widest=8,
                                       history=256, margin=0.01, threshold=10)
        flowgraph = gr.top_block()
        flowgraph.connect(source, unpack, channelizer, former, trigger)
        flowgraph.connect(source, ring)
        flowgraph.msg_connect(trigger, "dump", ring, "dump")
        flowgraph.start()
        wait_until(ring.dumps)
        source.allowed = len(items)
        flowgraph.wait()
        [found] = ring.dumps()
        self.assertEqual((found["problem"], found["lost"]), ("", 0))
        why = found["why"]
        self.assertEqual(why["direction"], beams[1])
        time = fringe.epoch.from_iso(why["time"]).seconds_since(fringe.epoch(START, 0.0))
        self.assertLess(abs(time - self.BEGIN), 0.004)
        self.assertLess(abs(why["dm"] - self.DM), 3)
        self.assertGreater(why["snr"], 20)

        self.check_samples(found, items, block)
        fringe.correlate(found["file"], self.path("p.uvh5"), obs, integration=0.01,
                         prefer="header")
        picture = as_picture(make_image([self.path("p.uvh5")]))
        peak = max(peaks(picture), key=lambda peak: peak.value)
        # An error of a beam / (signal / noise), and of the pixels.
        noise = 1.4826 * np.nanmedian(np.abs(picture.values - np.nanmedian(picture.values)))
        self.assertGreater(peak.value / noise, 10)
        error = np.hypot(peak.l - direction[0], peak.m - direction[1])
        self.assertLess(error, picture.beam / 5)

    def check_samples(self, found, items, block):
        """The file has the samples that hold the whole pulse."""
        begin = fringe.epoch.from_iso(found["start"]).seconds_since(fringe.epoch(START, 0.0))
        delay = late(self.DM, self.CENTER - self.RATE / 2) - late(
            self.DM, self.CENTER + self.RATE / 2)
        self.assertLess(begin, self.BEGIN)
        self.assertGreater(begin + found["seconds"], self.BEGIN + delay + self.WIDTH)
        first, count = int(round(begin * self.RATE / block)), found["samples"] // block
        data = np.fromfile(found["file"], np.uint8)
        size = int(data[8:12].view("<u4")[0] & 0xffffff) * 8
        # A thread of each station: VDIF has 2^n inputs in a thread.
        values = (data.reshape(-1, size)[:, 32:] ^ 0x80).reshape(-1, self.STATIONS, size - 32)
        expected = items[first:first + count].view(np.uint8).reshape(-1, self.STATIONS, 2)
        np.testing.assert_array_equal(values.swapaxes(0, 1).reshape(self.STATIONS, -1),
                                      expected.swapaxes(0, 1).reshape(self.STATIONS, -1))


if __name__ == "__main__":
    unittest.main()
