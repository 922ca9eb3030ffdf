#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Delays and fringes taken out in the F-engine: a source of exactly known signal, heard by antennas
whose delays come straight from the model, without polynomials."""
import math
import os
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from qa_scratch import random_numbers, scratch_case, times_tried

RATE, FREQUENCY = 8e6, 1.4204e9
CHANNELS, SPECTRA = 64, 350
NEAR_MIDNIGHT = "2026-06-12T23:59:40"  # an hour from here on goes through midnight


def observation(east, ra=1.6, dec=-0.5, **fields):
    """Two antennas `east` meters apart, that hear their source about 60 degrees from the zenith."""
    obs = fringe.observation.example(2, east)
    obs.set_site(-26.7, 116.67, 377.0)
    obs.sample_rate, obs.center_frequency = RATE, FREQUENCY
    center = fringe.phase_center()
    center.frame, center.longitude, center.latitude = fringe.phase_center.kind.radec, ra, dec
    obs.phase_center = center
    obs.sky = []
    obs.tracking = True
    for name, value in fields.items():
        setattr(obs, name, value)
    return obs


def elevation(obs, t):
    """Of the phase center, in degrees."""
    axes = fringe.axes_of_radec(obs.phase_center.longitude, obs.phase_center.latitude, t)
    up = np.array(obs.antennas[0].itrf)
    return math.degrees(math.asin(np.dot(axes[2], up) / np.linalg.norm(up)))


class source:
    """A wide-band signal that can be evaluated at any instant: many tones."""

    def __init__(self, rng, obs, start, seconds):
        # Not at the edges of the band, where a channel hears both of its ends.
        self.tones = FREQUENCY + RATE * (rng.random(150) - 0.5) * 0.9
        self.amplitudes = rng.standard_normal(150) + 1j * rng.standard_normal(150)
        self.delays = self._delays(obs, start, seconds)

    @staticmethod
    def _delays(obs, start, seconds):
        """Delay of each antenna as a function of the time at which it hears: t = t_0 + D(t_0)."""
        model = fringe.delay_model(obs, obs.phase_center)
        heard, late = [], []
        for x in np.linspace(-0.02, seconds + 0.02, 7):
            delays, _ = model.arrival(start.plus_seconds(x))
            heard.append(x + np.array(delays))
            late.append(delays)
        return [np.polynomial.Polynomial.fit(h, d, 4)
                for h, d in zip(np.transpose(heard), np.transpose(late))]

    def heard(self, antenna, cable, t):
        """Baseband samples at the instants t (seconds since the start)."""
        late = self.delays[antenna](t - cable) + cable
        x = np.zeros(len(t), complex)
        for f, a in zip(self.tones, self.amplitudes):
            x += a * np.exp(2j * np.pi * ((f - FREQUENCY) * t - np.remainder(f * late, 1.0)))
        return x


class qa_tracking(scratch_case):

    def path(self, name):
        return os.path.join(self.folder, name)

    def correlated(self, obs, start, real=False, inverted=(False, False), **options):
        """V_00, V_01, V_11 of each dump, [dump][product][channel]; those that the signal reaches
        only in part are left out."""
        rate = RATE * (2 if real else 1)
        longest = fringe.tracking(obs).longest() * RATE / CHANNELS
        samples = (SPECTRA + 2 * int(longest)) * CHANNELS * (2 if real else 1)
        t = np.arange(samples) / rate
        sky = source(self.rng, obs, start, samples / rate)
        x = np.stack([sky.heard(k, entry.cable_delay, t) for k, entry in enumerate(obs.inputs)], 1)
        inputs = obs.inputs
        for k, entry in enumerate(inputs):
            entry.inverted = inverted[k]
            x[:, k] = np.conj(x[:, k]) if inverted[k] else x[:, k]
        if real:  # the middle of the band lies at a quarter of the rate
            x *= np.exp(2j * np.pi * t * rate / 4)[:, None]
        obs.inputs = inputs
        obs.sample_rate = rate
        (x.real.astype("<f4") if real else x.astype("<c8")).tofile(self.path("raw"))
        fringe.correlate(self.path("raw"), self.path("x.ACC"), obs,
                         format="f32" if real else "cf32", channels=CHANNELS, taps=4,
                         spectra=100, start_time=start.iso(15), overwrite=True, **options)
        v = np.fromfile(self.path("x.ACC"), np.complex64).reshape(-1, 3, CHANNELS)
        late = int(max(abs(d(0.0)) for d in sky.delays) * RATE / CHANNELS / 100) + 1
        self.assertGreater(len(v), late)
        return v[late:].astype(complex)

    def expect_coherent(self, v, label):
        sums = v.sum(axis=2)
        loss = 1 - np.abs(sums[:, 1]) / np.sqrt(sums[:, 0].real * sums[:, 2].real)
        phase = np.degrees(np.angle(sums[:, 1]))
        self.assertLess(np.abs(phase).max(), 1.0, label)
        self.assertLess(loss.max(), 1e-3, label)
        # Channel by channel, where there is anything.
        strong = np.abs(v[:, 0]) > 0.05 * np.abs(v[:, 0]).max()
        self.assertLess(np.abs(np.degrees(np.angle(v[:, 1])))[strong].max(), 3.0, label)

    def test_an_hour_on_short_and_long_baselines(self):
        all_minutes = 0, 0.34, 13, 31, 60
        for east, some in ((1e3, (0.34, 60)), (3e6, (0.34, 31))):
            obs = observation(east)
            first = fringe.epoch.from_iso(NEAR_MIDNIGHT)
            for minutes in times_tried(some, all_minutes):
                start = first.plus_seconds(60 * minutes + float(self.rng.random()))
                with self.subTest(f"{east} m, {minutes} min, {elevation(obs, start):.0f} deg"):
                    self.expect_coherent(self.correlated(observation(east), start), "tracked")

    def test_the_source_is_low(self):
        """The hour is one at about 30 degrees of elevation, or it would prove little."""
        obs = observation(1e3)
        t = fringe.epoch.from_iso(NEAR_MIDNIGHT).plus_seconds(1800)
        self.assertTrue(15 < elevation(obs, t) < 45, elevation(obs, t))

    def test_real_and_inverted_samples(self):
        start = fringe.epoch.from_iso(NEAR_MIDNIGHT)
        for real in (False, True):
            for inverted in ((False, False), (True, False), (True, True)):
                with self.subTest(f"real {real}, inverted {inverted}"):
                    v = self.correlated(observation(30e3), start, real, inverted)
                    self.expect_coherent(v, "tracked")

    def test_delays_are_those_of_each_spectrum(self):
        obs = observation(3e6)
        tracking = fringe.tracking(obs)
        start = fringe.epoch.from_iso(NEAR_MIDNIGHT)
        for step, count in ((3e-4, 5000), (0.3, 40), (20.0, 9)):
            many = np.reshape(tracking.delays(start, step, count), (2, count))
            for k in range(0, count, max(1, count // 7)):
                at = start.plus_seconds(k * step)
                delays = np.ravel(fringe.tracking(obs).delays(at, step, 1))
                np.testing.assert_allclose(many[:, k], delays, rtol=0, atol=3e-14)

    def test_cable_delays(self):
        obs = observation(1e3)
        inputs = obs.inputs
        inputs[0].cable_delay, inputs[1].cable_delay = 2.3e-6, 17.81e-6
        obs.inputs = inputs
        self.expect_coherent(self.correlated(obs, fringe.epoch.from_iso(NEAR_MIDNIGHT)), "tracked")

    def stages(self, obs, samples, backend):
        """Dumps of one spectrum that come out of the stages, wired one by one."""
        spectra = 16
        top = gr.top_block()
        source = fringe.file_source([self.path("raw")], "cf32", 2, spectra * CHANNELS, RATE,
                                    FREQUENCY, obs.start_time.iso(9))
        chain = (fringe.unpack("cf32", 2, spectra * CHANNELS, backend=backend),
                 fringe.channelizer(2, CHANNELS, spectra, True, "f32", 4, backend=backend,
                                    tracking=fringe.tracking(obs)),
                 fringe.xengine(2, CHANNELS, spectra, "f32", dump_spectra=1, backend=backend),
                 fringe.integrator(2, CHANNELS, "f32", 0, 1, backend=backend))
        sink = blocks.null_sink(CHANNELS * 3 * gr.sizeof_gr_complex)
        weights = blocks.vector_sink_f(CHANNELS * 3)
        top.connect(source, *chain, sink)
        top.connect((chain[-1], 1), weights)
        top.run()
        return np.reshape(weights.data(), (-1, CHANNELS, 3))[:, 0]

    def test_only_the_delay_itself_is_lost_at_the_end(self):
        samples = 2000 * CHANNELS + 5
        self.rng.standard_normal((samples, 4)).astype("<f4").tofile(self.path("raw"))
        for east in (3e6, -3e6):
            obs = observation(east, channels=CHANNELS, taps=4, integration=0.0, spectra=1)
            obs.start_time = fringe.epoch.from_iso(NEAR_MIDNIGHT)
            obs.has_start_time = True
            middle = obs.start_time.plus_seconds(2 * CHANNELS / RATE)
            late = np.reshape(fringe.tracking(obs).delays(middle, CHANNELS / RATE, 2000), (2, -1))
            ends = CHANNELS * (np.arange(2000) + 4) + np.round(late.max(axis=0) * RATE)
            count = int((ends < samples - 5).sum())
            longest = fringe.tracking(obs).longest() * RATE / CHANNELS
            self.assertGreater(count - (2000 - longest), 100)
            fringe.correlate(self.path("raw"), self.path("x.ACC"), obs, format="cf32",
                             overwrite=True)
            vis = fringe.read_visibilities(self.path("x.ACC"))
            self.assertEqual(len(vis.data), count)
            # Nothing is missing there; at the start the late input hears nothing yet.
            self.assertTrue((vis.weights[-300:, 1:] > 0).all())
            for backend in ("cpu", "generic"):
                with self.subTest(f"{east} m, {backend}"):
                    weights = self.stages(obs, samples, backend)
                    self.assertEqual(len(weights), count)
                    np.testing.assert_array_equal(weights > 0, vis.weights[:, 1] > 0)

    def test_a_delay_that_is_longer_than_the_ring(self):
        """300,000 samples, where the ring before the block holds some 150 items of 1024: it copies
        the items then. The recording read without a ring gives the same dumps."""
        rate, channels, block, samples = 1e9, 64, 16, 800000
        self.rng.integers(-40, 41, (samples, 4)).astype("i1").tofile(self.path("raw"))
        obs = observation(9e4, sample_rate=rate, has_start_time=True,
                          start_time=fringe.epoch.from_iso(NEAR_MIDNIGHT))
        self.assertGreater(fringe.tracking(obs).longest() * rate, 300e3)
        before = fringe.threads()
        fringe.set_threads(1)
        self.addCleanup(fringe.set_threads, before)
        top = gr.top_block()
        source = fringe.file_source([self.path("raw")], "ci8", 2, block * channels, rate,
                                    FREQUENCY, obs.start_time.iso(9))
        engine = fringe.fx_correlator(2, channels, "ci8", 0, 1000, 4, block_spectra=block,
                                      tracking=fringe.tracking(obs), backend="cpu")
        sink, weights = blocks.vector_sink_c(3 * channels), blocks.vector_sink_f(3 * channels)
        top.connect(source, engine, sink)
        top.connect((engine, 1), weights)
        top.run()
        fringe.correlate(self.path("raw"), self.path("x.ACC"), obs, format="ci8", taps=4,
                         channels=channels, spectra=1000, backend="cpu")
        v = np.fromfile(self.path("x.ACC"), np.complex64).reshape(-1, 3, channels)
        whole = np.reshape(weights.data(), (-1, channels, 3)).min(axis=(1, 2)) == 1
        self.assertGreater(whole.sum(), 5)
        got = np.reshape(np.array(sink.data(), np.complex64), (-1, channels, 3)).transpose(0, 2, 1)
        self.assertEqual(got.shape, v.shape)
        # Channel 0 is the edge of the band, which the file leaves out.
        np.testing.assert_allclose(got[whole][..., 1:], v[whole][..., 1:], rtol=0,
                                   atol=1e-6 * np.abs(v).max())

    def test_fringes_that_are_not_stopped_turn(self):
        start = fringe.epoch.from_iso(NEAR_MIDNIGHT)
        obs = observation(30e3, fringe_stopping=False)
        v = self.correlated(obs, start)
        model = fringe.delay_model(obs, obs.phase_center)
        sums = v.sum(axis=2)[:, 1]
        for k, value in enumerate(sums, 1):  # the first dump is left out
            middle = (100 * k + 50) * CHANNELS / RATE
            delay = model.arrival(start.plus_seconds(middle))[0][1]
            turns = FREQUENCY * delay - np.angle(value) / (2 * np.pi)
            self.assertLess(abs(turns - round(turns)), 0.01)

    def test_without_delays_nothing_changes(self):
        start = fringe.epoch.from_iso(NEAR_MIDNIGHT)
        raw = self.rng.standard_normal((20 * CHANNELS, 2, 2)).astype("<f4")
        raw.tofile(self.path("noise"))
        got = []
        for tracked in (True, False):
            obs = observation(0.0, tracking=tracked)
            fringe.correlate(self.path("noise"), self.path("n.ACC"), obs, format="cf32",
                             channels=CHANNELS, taps=4, spectra=8, start_time=start.iso(9),
                             overwrite=True, backend="generic")
            got.append(np.fromfile(self.path("n.ACC"), np.complex64))
        # The last spectrum waits for samples that may be needed and never come.
        whole = 8 * 3 * CHANNELS // 8
        np.testing.assert_allclose(got[0][:whole], got[1][:whole], rtol=0, atol=1e-5)

    @staticmethod
    def other_noise(uvw, spectra):
        """Standard deviation between products of noise, by the power of an input, with and without
        the delays of `uvw`. A window that is moved by the delay D holds a piece of other noise: of
        a channel of width B, and at most as wide, the correlation of both is 1 - (pi B D)^2 / 6, so
        that the voltages differ by (pi B D)^2 / 3 of their power; a product has two of them."""
        late = np.abs(uvw[:, 2]).max() / 299792458.0
        return np.pi * RATE / CHANNELS * late * np.sqrt(2 / 3 / spectra)

    @staticmethod
    def whole(times):
        """Rows of dumps between the first and the last one, in which a spectrum may be missing
        whose window needs samples from outside of the recording."""
        return (times > times.min()) & (times < times.max())

    def test_the_measurement_set_is_the_one_phased_when_written(self):
        """On a small array both ways must give the same data and uvw."""
        from casacore.tables import table
        obs = fringe.observation.example(3, 40.0)
        obs.set_site(-26.7, 116.67, 377.0)
        obs.sample_rate, obs.sky = RATE, []
        for frame in ("radec", "azel", "zenith"):
            center = fringe.phase_center()
            center.frame = getattr(fringe.phase_center.kind, frame)
            center.longitude, center.latitude = 1.6, -0.5 if frame == "radec" else 1.1
            obs.phase_center = center
            raw = self.rng.standard_normal((4000 * CHANNELS, 3, 2))
            raw += self.rng.standard_normal((4000 * CHANNELS, 1, 2))
            raw.astype("<f4").tofile(self.path("noise"))
            got = []
            for tracked in (True, False):
                obs.tracking = tracked
                fringe.correlate(self.path("noise"), self.path(f"{frame}{tracked}.ms"), obs,
                                 format="cf32", channels=CHANNELS, taps=4, spectra=1000,
                                 start_time=NEAR_MIDNIGHT)
                with table(self.path(f"{frame}{tracked}.ms"), ack=False) as t:
                    got.append((t.getcol("DATA"), t.getcol("UVW"), t.getcol("TIME")))
            error = np.abs(got[0][0] - got[1][0]) / np.abs(got[1][0]).max()
            # The window's channel is half as wide in effect, so that this is more than 7 sigma;
            # 3e-7 are left where there is no delay.
            bound = 4 * self.other_noise(got[1][1], 1000) + 1e-6
            self.assertLess(error[self.whole(got[1][2])].max(), bound, frame)
            np.testing.assert_allclose(got[0][1], got[1][1], atol=1e-6)

    def test_what_cannot_be_tracked(self):
        obs = observation(1e3)
        obs.sample_rate = 0
        with self.assertRaisesRegex(ValueError, "sample_rate"):
            fringe.tracking(obs)
        with self.assertRaisesRegex(ValueError, "sign: 2"):
            fringe.tracking(observation(1e3), True, 2)
        with self.assertRaisesRegex(ValueError, "inputs"):
            fringe.channelizer(3, 64, 16, tracking=fringe.tracking(observation(1e3)))

    def test_a_stream_without_time_is_refused(self):
        flowgraph = gr.top_block()
        block = fringe.channelizer(2, 64, 16, tracking=fringe.tracking(observation(1e3)))
        sink = blocks.null_sink(2 * 64 * 16 * 8)
        flowgraph.connect(blocks.null_source(2 * 64 * 16 * 8), blocks.head(2 * 64 * 16 * 8, 4),
                          block, sink)
        flowgraph.run()
        self.assertEqual(sink.nitems_read(0), 0)


class qa_corrections(unittest.TestCase):

    def test_they_change_at_a_dump(self):
        """A change at an instant counts from the first spectrum on whose middle is there."""
        inputs, channels, spectra = 2, 32, 16
        obs = observation(0.0)
        rng = random_numbers()
        items = 12
        x = (rng.standard_normal((inputs, items, spectra * channels, 2)).astype("f4")
             .view("c8")[..., 0])
        start = fringe.epoch.from_iso("2026-01-01T00:00:00")
        for taps in (1, 4):
            for at in (0, 1, 37, 64, 100):
                block = fringe.channelizer(inputs, channels, spectra, taps=taps, backend="cpu")
                # In the middle of the window of spectrum `at`.
                when = start.plus_samples(at * channels + taps * channels // 2, RATE)
                factors = rng.standard_normal((inputs, channels)) + 2j
                block.set_corrections(factors.ravel(), when)
                plain = fringe.channelizer(inputs, channels, spectra, taps=taps, backend="cpu")
                got = []
                for each in (block, plain):
                    flowgraph = gr.top_block()
                    time = pmt.make_tuple(pmt.from_uint64(start.seconds), pmt.from_double(0))
                    tags = [gr.tag_utils.python_to_tag((0, pmt.intern(key), value, None))
                            for key, value in (("rx_time", time),
                                               ("rx_rate", pmt.from_double(RATE)))]
                    source = blocks.vector_source_c(x.swapaxes(0, 1).ravel().tolist(), False,
                                                    inputs * spectra * channels, tags)
                    sink = blocks.vector_sink_c(inputs * spectra * channels)
                    flowgraph.connect(source, each, sink)
                    flowgraph.run()
                    y = np.array(sink.data()).reshape(-1, channels, inputs, spectra)
                    y = y.transpose(1, 2, 0, 3)
                    # The first item holds taps - 1 spectra fewer.
                    got.append(np.concatenate([y[:, :, 0, :spectra - taps + 1],
                                               y[:, :, 1:].reshape(channels, inputs, -1)], 2))
                ratio = got[0] / got[1]
                np.testing.assert_allclose(ratio[:, :, :at], 1, atol=1e-4)
                want = np.broadcast_to(factors.T[:, :, None], ratio[:, :, at:].shape)
                np.testing.assert_allclose(ratio[:, :, at:], want, rtol=1e-3)

    def test_several_wait(self):
        """Of one stretch of an F-engine; one takes the place of those of its time and later."""
        obs, channels = fringe.observation.from_text("""
            site: {latitude: -30, longitude: 20}
            antennas: [[0, 0, 0], [40, 5, 0]]
            inputs: [{antenna: ant0}, {antenna: ant1}]
            sample_rate: 1e6
            center_frequency: 150e6
            start_time: 2026-03-01T00:00:00Z
            sky: {receiver_noise: 0.5, sources: [{az: 120, el: 50, flux: 1}]}"""), 32
        samples = fringe.item_sizes.samples("ci8", 2, channels)
        dump = samples // channels // 8  # spectra
        got = []
        for changes in ((), ((5, 9), (2, 3j), (3, 2), (5, 7), (4, 5))):
            block = fringe.fx_correlator(2, channels, "ci8", seconds=0.0, spectra=dump, taps=1,
                                         backend="cpu")
            for at, factor in changes:
                block.set_corrections(np.repeat([1, factor], channels), obs.start_time.plus_samples(
                    at * dump * channels + channels // 2, 1e6))
            source = fringe.raw_sky_source(obs, "ci8", samples, seed=3)
            sink = blocks.vector_sink_c(3 * channels)
            flowgraph = gr.top_block()
            flowgraph.connect(source, blocks.head(source.block_bytes, 1), block, sink)
            flowgraph.run()
            got.append(np.array(sink.data()).reshape(-1, channels, 3))
        ratio = (got[1] / got[0])[:, :, 1]
        want = np.array([1, 1, -3j, 2, 5, 5, 5, 5])[:, None]
        np.testing.assert_allclose(ratio, np.broadcast_to(want, ratio.shape), rtol=1e-3)


if __name__ == "__main__":
    unittest.main()
