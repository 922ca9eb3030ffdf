#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The beamformer: gain, noise, beam shape, tracking, nulls, losses, changes, Stokes parameters.

Spectra are made in numpy, by the geometry of docs/conventions.md.
"""
import unittest

import numpy as np
import pmt
from gnuradio import blocks, fringe, gr
from gnuradio.fringe.calibration.corrections_message import corrections_message
from qa_scratch import random_numbers, rx_time, tag

C = 299792458.0
NOON = fringe.epoch.from_iso("2026-06-12T12:00:00")
SITE = {"latitude": 50.0, "longitude": 8.0, "height": 300.0}
ENU = np.array([[0, 0, 0], [31, 4, 1], [-12, 77, -2], [140, -60, 3], [-95, -33, 0], [60, 60, 0],
                [-70, 20, 1], [15, -80, 0]], float)
CHANNELS, BLOCK, RATE, FREQUENCY = 8, 32, 8e4, 150e6
SECOND = RATE / CHANNELS  # spectra in one


def hill(polarizations="X", **more):
    """An observation with these antennas."""
    return fringe.observation.from_text(repr({
        "site": SITE, "antennas": ENU.tolist(), "polarizations": list(polarizations),
        "sample_rate": RATE, "center_frequency": FREQUENCY, "channels": CHANNELS, **more}))


def delays_of(az, el):
    """Of each antenna against the first, seconds; degrees."""
    az, el = np.radians(az), np.radians(el)
    towards = [np.sin(az) * np.cos(el), np.cos(az) * np.cos(el), np.sin(el)]
    return -(ENU - ENU[0]) @ towards / C


FREQUENCIES = FREQUENCY + (np.arange(CHANNELS) - CHANNELS // 2) * RATE / CHANNELS


def response(delays):
    """What a signal of unit voltage is at each input: [channel][input]."""
    return np.exp(-2j * np.pi * FREQUENCIES[:, None] * delays)


def noise(rng, *shape):
    """Complex, of unit power."""
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)) / np.sqrt(2)


def started(offset=0, at=NOON):
    """Tags of an item that begins at an instant."""
    return [rx_time(offset, at.seconds, at.fraction()),
            tag(offset, "rx_rate", pmt.from_double(SECOND)),
            tag(offset, "rx_freq", pmt.from_double(FREQUENCY))]


def run(former, x, tags=None):
    """(output, weights, tags of the output) for spectra x [item][channel][input][time]."""
    top = gr.top_block()
    size = x[0].size
    source = blocks.vector_source_c(x.ravel().tolist(), False, size,
                                    started() if tags is None else tags)
    signature = former.output_signature()
    voltages = signature.max_streams() == 1
    sinks = [blocks.vector_sink_c(signature.sizeof_stream_item(0) // 8)] if voltages else [
        blocks.vector_sink_f(signature.sizeof_stream_item(port) // 4) for port in (0, 1)]
    top.connect(source, former)
    for port, sink in enumerate(sinks):
        top.connect((former, port), sink)
    top.run()
    assert fringe.failure(former) == "", fringe.failure(former)
    found = {}
    for made in sinks[0].tags():
        found.setdefault(pmt.symbol_to_string(made.key), []).append((made.offset, made.value))
    return (np.array(sinks[0].data()), None if voltages else np.array(sinks[1].data()), found)


def powers(obs, x, directions, tags=None, products="power", **more):
    """(means [item][row][channel], weights [item][beam][channel]) of a beamformer."""
    more = {"seconds": 0, "spectra": x.shape[0] * x.shape[-1], "block_spectra": x.shape[-1], **more}
    former = fringe.beamformer(obs, directions, products, **more)
    out, weights, _ = run(former, x, tags)
    channels = CHANNELS // more.get("average", 1)
    rows = former.beams() * (2 if products == "stokes" else 1)
    return out.reshape(-1, rows, channels), weights.reshape(-1, former.beams(), channels)


class qa_beamformer(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.rng = random_numbers()

    def sky(self, items, *sources, inputs=len(ENU), noise_power=0.0):
        """Spectra [item][channel][input][time] of (response [channel][input], power)."""
        x = np.sqrt(noise_power) * noise(self.rng, items, CHANNELS, inputs, BLOCK)
        for seen, power in sources:
            signal = np.sqrt(power) * noise(self.rng, items, CHANNELS, 1, BLOCK)
            x += seen[None, :, :, None] * signal
        return x.astype(np.complex64)

    def test_gain_is_n_and_noise_root_n(self):
        n, items = len(ENU), 40
        spectra = items * BLOCK * CHANNELS
        seen = response(delays_of(70, 40))
        signal = self.sky(items, (seen, 1.0))
        found, weights = powers(hill(), signal, ["az=70,el=40"])
        alone_power = (np.abs(signal[:, :, 0]) ** 2).mean(axis=(0, 2))
        np.testing.assert_allclose(found[0, 0], n ** 2 * alone_power, rtol=1e-4)
        np.testing.assert_allclose(weights, n, rtol=1e-6)
        silence = self.sky(items, noise_power=1.0)
        found, _ = powers(hill(), silence, ["az=70,el=40"])
        self.assertLess(abs(found.mean() / n - 1), 5 / np.sqrt(spectra))
        alone, _ = powers(hill(), silence, ["az=70,el=40"], products="incoherent")
        power = (np.abs(silence) ** 2).sum(axis=2).mean(axis=(0, 2))
        np.testing.assert_allclose(alone[0, 0], power, rtol=1e-5)
        cross, _ = powers(hill(), silence, ["az=70,el=40"], products="cross")
        np.testing.assert_allclose(cross, found - alone, atol=1e-4)
        self.assertLess(abs(cross.mean()), 5 * n / np.sqrt(spectra))

    def test_power_is_that_of_the_visibilities(self):
        """w^T V w* of the X-engine's sums of the same spectra."""
        obs, items = hill(), 6
        x = self.sky(items, (response(delays_of(70, 40)), 1.0), noise_power=0.5)
        found, _ = powers(obs, x, ["az=70,el=40", "az=120,el=70"])
        former = fringe.beamformer(obs, ["az=70,el=40", "az=120,el=70"])
        weights = former.weights(NOON)
        n, top = len(ENU), gr.top_block()
        sums = blocks.vector_sink_c(CHANNELS * n * (n + 1) // 2)
        engine = fringe.xengine(n, CHANNELS, BLOCK, channels_per_item=CHANNELS)
        top.connect(blocks.vector_source_c(x.ravel().tolist(), False, x[0].size), engine, sums)
        top.run()
        i, j = np.triu_indices(n)
        v = np.zeros((CHANNELS, n, n), complex)
        v[:, i, j] = np.reshape(sums.data(), (CHANNELS, -1)) / (items * BLOCK)
        v[:, j, i] = v[:, i, j].conj()
        expected = np.einsum("bci,cij,bcj->bc", weights, v, weights.conj()).real
        np.testing.assert_allclose(found[0], expected, rtol=1e-5)

    def test_the_shape_is_the_array_factor(self):
        seen = response(delays_of(70, 40))
        x = self.sky(2, (seen, 1.0))
        alone_power = (np.abs(x[:, :, 0]) ** 2).mean(axis=(0, 2))
        places = [(az, el) for az in (60, 68, 69, 70, 71, 75) for el in (30, 39, 40, 41)]
        amplitudes = np.linspace(0.5, 1.5, len(ENU)).tolist()
        found, _ = powers(hill(), x, [f"az={az},el={el}" for az, el in places],
                          amplitudes=amplitudes)
        for place, power in zip(places, found[0]):
            factor = np.abs((amplitudes * seen * response(delays_of(*place)).conj()).sum(axis=1))
            np.testing.assert_allclose(power / alone_power, factor ** 2, atol=5e-4)

    def test_a_source_is_followed_for_an_hour(self):
        """An item every five minutes; the geometry is that of uvw."""
        obs = hill()
        ra, dec = fringe.radec_of_azel(obs, np.radians(200), np.radians(50), NOON)
        items, tags = [], []
        for k in range(13):
            at = NOON.plus_seconds(300.0 * k)
            axes = fringe.axes_of_radec(ra, dec, at.plus_seconds(BLOCK / 2 / SECOND), 0.0)
            w = np.array(fringe.antenna_uvw(obs, axes))[:, 2]
            items.append(self.sky(1, (response(-(w - w[0]) / C), 1.0))[0])
            tags += started(k, at)
        x = np.array(items)
        direction = f"{float(np.degrees(ra))!r},{float(np.degrees(dec))!r}"
        found, _ = powers(obs, x, [direction], tags)
        self.assertEqual(len(found), 13)  # a gap ends a mean
        alone_power = (np.abs(x[:, :, 0]) ** 2).mean(axis=2)
        np.testing.assert_allclose(found[:, 0] / alone_power, len(ENU) ** 2, rtol=1e-4)
        fixed, _ = powers(obs, x, ["az=200,el=50"], tags)
        self.assertLess((fixed[-1, 0] / alone_power[-1]).mean(), 0.7 * len(ENU) ** 2)

    def test_nulls_are_40_db_deep(self):
        loud = response(delays_of(110, 20))
        weak = response(delays_of(70, 40))
        x = self.sky(4, (loud, 1e4))
        plain, _ = powers(hill(), x, ["az=70,el=40"])
        deaf, _ = powers(hill(), x, ["az=70,el=40"], nulls=["az=110,el=20"])
        self.assertLess((deaf / plain.mean()).max(), 1e-4)
        found, _ = powers(hill(), self.sky(4, (weak, 1.0)), ["az=70,el=40"],
                          nulls=["az=110,el=20"])
        self.assertGreater(found.min(), 0.5 * len(ENU) ** 2)

    def test_new_directions_from_a_spectrum_on(self):
        """Voltages: each spectrum has the weights of its direction, and no phase jumps else."""
        obs = hill()
        x = self.sky(4, noise_power=1.0)
        change = 70  # its middle is at 70.5 spectra
        former = fringe.beamformer(obs, ["az=70,el=40"], "voltages", block_spectra=BLOCK)
        former.point(["az=120,el=70"], start=NOON.plus_seconds((change + 0.5) / SECOND))
        out, _, tags = run(former, x)
        out = np.moveaxis(out.reshape(4, CHANNELS, 1, BLOCK), 0, 2).reshape(CHANNELS, -1)
        flat = np.moveaxis(x, 0, 2).reshape(CHANNELS, len(ENU), -1)
        for part, place in ((slice(0, change), (70, 40)), (slice(change, None), (120, 70))):
            w = response(delays_of(*place)).conj()
            np.testing.assert_allclose(out[:, part], np.einsum("ci,cit->ct", w, flat[..., part]),
                                       atol=2e-4)
        self.assertEqual({key: [offset for offset, _ in value] for key, value in tags.items()
                          if key != "stream"}, {"rx_time": [0], "rx_rate": [0], "rx_freq": [0]})

    def test_a_message_points_the_beams(self):
        x = self.sky(2, noise_power=1.0)
        former = fringe.beamformer(hill(), ["zenith"], seconds=0, spectra=2 * BLOCK,
                                   block_spectra=BLOCK)
        port = pmt.intern("beams")
        former.to_basic_block()._post(port, pmt.dict_add(
            pmt.make_dict(), pmt.intern("directions"),
            pmt.make_vector(1, pmt.intern("az=120,el=70"))))
        former.to_basic_block()._post(port, pmt.intern("nonsense"))  # the log says what is wrong
        out, _, _ = run(former, x)
        np.testing.assert_allclose(out, powers(hill(), x, ["az=120,el=70"])[0].ravel(), rtol=1e-5)

    def test_lost_inputs_and_their_weights(self):
        """The powers are scaled by what was there, and the weights say how much that was."""
        obs, items = hill(), 60
        x = self.sky(items, noise_power=1.0)
        tags, there = started(), np.ones((items, CHANNELS, len(ENU), BLOCK), bool)
        for item in range(items):
            runs = [(i, 3 * i, 10 + i) for i in self.rng.choice(len(ENU), 3, replace=False)]
            for i, first, count in runs:
                there[item, :, i, first:first + count] = False
            if item % 3 == 0:
                there[item, 2:4, 5:7, 8:20] = False
                tags.append(tag(item, "lost", pmt.init_u64vector(6, [5, 2, 2, 2, 8, 12])))
            flat = [int(n) for run_ in runs for n in run_]
            tags.append(tag(item, "invalid", pmt.init_u64vector(len(flat), flat)))
        found, weights = powers(obs, x * there, ["zenith", "az=70,el=40"], tags)
        expected = there.sum(axis=2).mean(axis=(0, 2))
        np.testing.assert_allclose(weights, np.broadcast_to(expected, weights.shape), rtol=1e-5)
        self.assertLess(abs(found.mean() / len(ENU) - 1), 5 / np.sqrt(items * BLOCK * CHANNELS))

    def test_nothing_there(self):
        tags = started() + [tag(0, "invalid", pmt.init_u64vector(
            3 * len(ENU), [n for i in range(len(ENU)) for n in (i, 4, 28)]))]
        x = self.sky(2, noise_power=1.0)
        x[0, ..., 4:] = x[1] = 0
        tags.append(tag(1, "invalid", pmt.init_u64vector(
            3 * len(ENU), [n for i in range(len(ENU)) for n in (i, 0, BLOCK)])))
        found, weights = powers(hill(), x, ["zenith"], tags, spectra=BLOCK)
        self.assertTrue(np.all(found[1] == 0))
        self.assertTrue(np.all(weights[1] == 0))
        np.testing.assert_allclose(weights[0], len(ENU) / 8, rtol=1e-6)
        former = fringe.beamformer(hill(), ["zenith"], "voltages", block_spectra=BLOCK)
        _, _, found = run(former, x, tags)
        self.assertEqual([(offset, list(pmt.u64vector_elements(value)))
                          for offset, value in found["invalid"]],
                         [(0, [0, 4, 28]), (1, [0, 0, BLOCK])])
        self.assertEqual([list(pmt.f32vector_elements(value)) for _, value in found["weights"]],
                         [[0.125], [0.0]])

    def test_stokes_parameters(self):
        """A polarized source; linear feeds and circular ones."""
        seen = np.repeat(response(delays_of(70, 40)), 2, axis=1)
        stokes = np.array([3.0, 1.0, -0.8, 1.5])
        i, q, u, v = stokes
        for feeds, coherency in (("XY", [[i + q, u + 1j * v], [u - 1j * v, i - q]]),
                                 ("RL", [[i + v, q + 1j * u], [q - 1j * u, i - v]])):
            mixing = np.linalg.cholesky(coherency)
            signal = noise(self.rng, 200, CHANNELS, 2, BLOCK)
            signal = np.einsum("pq,ncqt->ncpt", mixing, signal)
            x = seen[None, :, :, None] * np.tile(signal, (1, 1, len(ENU), 1))
            found, weights = powers(hill(feeds), x.astype(np.complex64), ["az=70,el=40"],
                                    products="stokes", average=CHANNELS)
            error = found[0, :, 0] / len(ENU) ** 2 - stokes
            self.assertLess(np.abs(error).max(), 5 * 3 / np.sqrt(200 * BLOCK * CHANNELS))
            self.assertEqual(weights.shape, (1, 2, 1))

    def test_requantized_spectra(self):
        """Their gains are divided out."""
        gains = np.linspace(20, 40, len(ENU))
        x = self.sky(8, (response(delays_of(70, 40)), 1.0))
        q = (x * gains[:, None]).astype(np.complex64).view(np.float32)
        q = np.rint(q).clip(-127, 127).astype(np.int8)
        former = fringe.beamformer(hill(), ["az=70,el=40"], seconds=0, spectra=8 * BLOCK,
                                   block_spectra=BLOCK, component="i8")
        tags = started() + [tag(0, "gains", pmt.init_f32vector(len(ENU), gains.tolist()))]
        top, sink = gr.top_block(), blocks.vector_sink_f(CHANNELS)
        source = blocks.vector_source_b(q.ravel().view(np.uint8).tolist(), False, q[0].size, tags)
        top.connect(source, former, sink)
        top.run()
        exact, _ = powers(hill(), x, ["az=70,el=40"])
        np.testing.assert_allclose(sink.data(), exact.ravel(), rtol=2e-3)

    def test_corrections_change_at_a_stated_time(self):
        """A message as the channelizer takes it; what a beam hears goes on without a step."""
        seen = response(delays_of(70, 40))
        x = self.sky(6, (seen, 1.0))
        gains = np.exp(2j * np.pi * self.rng.random((len(ENU), CHANNELS)))
        gains *= self.rng.uniform(0.5, 2, gains.shape)
        change = 75  # spectrum from which the gains are others, within an item
        y = x.transpose(1, 2, 0, 3).reshape(CHANNELS, len(ENU), -1).copy()
        y[:, :, change:] *= gains.T[:, :, None]
        changed = y.reshape(CHANNELS, len(ENU), -1, BLOCK).transpose(2, 0, 1, 3)
        former = fringe.beamformer(hill(), ["az=70,el=40"], "voltages", block_spectra=BLOCK)
        when = NOON.plus_seconds((change + 0.5) / SECOND)
        former.to_basic_block()._post(
            pmt.intern("corrections"), corrections_message(1 / gains, when))
        out, _, _ = run(former, np.ascontiguousarray(changed, np.complex64))
        exact, _, _ = run(fringe.beamformer(hill(), ["az=70,el=40"], "voltages",
                                            block_spectra=BLOCK), x)
        np.testing.assert_allclose(out, exact, atol=3e-5 * np.abs(exact).max())
        former.set_corrections(np.ones(len(ENU) * CHANNELS))
        with self.assertRaisesRegex(ValueError, "corrections: 3: must be inputs"):
            former.set_corrections([1, 1, 1])

    def test_directions_change_at_a_stated_spectrum(self):
        """Within an item; each sample is that of a beam that always looked there, in phase, too."""
        x = self.sky(6, (response(delays_of(70, 40)), 1.0), noise_power=0.3)
        former = fringe.beamformer(hill(), ["az=70,el=40"], "voltages", block_spectra=BLOCK)
        former.point(["az=250,el=40"], start=NOON.plus_seconds(50.5 / SECOND))
        out, _, _ = run(former, x)
        pure = [run(fringe.beamformer(hill(), [d], "voltages", block_spectra=BLOCK), x)[0]
                .reshape(6, CHANNELS, BLOCK).transpose(1, 0, 2).reshape(CHANNELS, -1)
                for d in ("az=70,el=40", "az=250,el=40")]
        got = out.reshape(6, CHANNELS, BLOCK).transpose(1, 0, 2).reshape(CHANNELS, -1)
        np.testing.assert_allclose(got[:, :50], pure[0][:, :50], rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(got[:, 50:], pure[1][:, 50:], rtol=1e-5, atol=1e-5)

    def test_blanked_samples_are_weights(self):
        """Zeros of samples in front of a filter bank: the noise keeps its level, and the weight
        is what the filter passes of the samples that are there."""
        n, points, taps, items = len(ENU), CHANNELS, 4, 60
        samples = items * BLOCK * points
        voltages = noise(self.rng, n, samples).astype(np.complex64)
        at = np.arange(0, samples - 64, 512)
        for i in range(0, n, 2):
            for a in at:
                voltages[i, a:a + 48] = 0
        raw = np.ascontiguousarray(voltages.reshape(n, items, -1).transpose(1, 0, 2))
        size = n * BLOCK * points
        runs = [(item, i, a % (BLOCK * points), 48) for i in range(0, n, 2)
                for a in at for item in [a // (BLOCK * points)]]
        tags = [rx_time(0, NOON.seconds, 0.0), tag(0, "rx_rate", pmt.from_double(RATE))]
        for item in range(items):
            of = sorted((i, a, m) for k, i, a, m in runs if k == item)
            tags.append(tag(item, "blanked", pmt.init_u64vector(
                3 * len(of), [int(v) for run_ in of for v in run_])))
        source = blocks.vector_source_c(raw.ravel().tolist(), False, size, tags)
        channelizer = fringe.channelizer(n, points, BLOCK, taps=taps, backend="cpu")
        former = fringe.beamformer(hill(), ["zenith"], seconds=0, spectra=items * BLOCK - 8,
                                   block_spectra=BLOCK)
        top, sinks = gr.top_block(), [blocks.vector_sink_f(points) for _ in range(2)]
        top.connect(source, channelizer, former)
        for port, sink in enumerate(sinks):
            top.connect((former, port), sink)
        top.run()
        self.assertEqual(fringe.failure(former), "")
        power, weights = (np.array(sink.data())[:points] for sink in sinks)
        kept = 1 - 48 / 512  # of every other input
        np.testing.assert_allclose(weights, n / 2 * (1 + kept), rtol=5e-3)
        self.assertLess(abs(power.mean() / n - 1), 5 / np.sqrt(samples))

    def test_means_begin_at_multiples_of_their_length(self):
        at = NOON.plus_seconds(-0.0035)  # 35 spectra before noon
        x = self.sky(5, noise_power=1.0)
        former = fringe.beamformer(hill(), ["zenith"], seconds=0.005, block_spectra=BLOCK,
                                   average=4)
        out, _, tags = run(former, x, started(0, at))
        spectra = [35, 50, 50, 25]
        w = response(delays_of(0, 90)).conj()
        y = np.abs(np.einsum("ci,ncit->cnt", w, x).reshape(CHANNELS, -1)) ** 2
        expected = [part.reshape(2, 4, -1).mean(axis=(1, 2))
                    for part in np.split(y, np.cumsum(spectra)[:-1], axis=1)]
        np.testing.assert_allclose(out.reshape(-1, 2), expected, rtol=1e-4)
        self.assertEqual([round(pmt.to_double(value) * SECOND) for _, value in tags["interval"]],
                         spectra)
        starts = [fringe.epoch.from_pair(pmt.to_uint64(pmt.tuple_ref(value, 0)),
                                         pmt.to_double(pmt.tuple_ref(value, 1)))
                  for _, value in tags["rx_time"]]
        np.testing.assert_allclose([s.seconds_since(NOON) for s in starts],
                                   [-0.0035, 0, 0.005, 0.01], atol=1e-9)
        self.assertEqual({pmt.to_double(value) for _, value in tags["channel_width"]},
                         {4 * RATE / CHANNELS})

    def test_mistakes(self):
        obs = hill()
        for words, sentence in (
                (dict(directions=[]), "directions"), (dict(directions=["Nowhere"]), "directions"),
                (dict(products="volts"), "products: \"volts\" is not known"),
                (dict(products="stokes"), "needs inputs of X and Y"),
                (dict(average=3), "average: 3: must divide the 8 channels"),
                (dict(amplitudes=[1.0]), "amplitudes: 1: must be 8"),
                (dict(corrections=[1.0]), "corrections: 1: must be inputs"),
                (dict(backend="cuda:99"), ""), (dict(component="i16"), "component"),
                (dict(nulls=["zenith"] * 9), "fewer nulls than inputs"),
                (dict(nulls=["zenith"]), "nulls: zenith: is one of the directions, too"),
                (dict(spectra=5), "a dump has one length")):
            with self.subTest(**words):
                with self.assertRaises(ValueError) as caught:
                    fringe.beamformer(obs, **{"directions": ["zenith"], **words})
                self.assertIn(sentence, str(caught.exception))
        with self.assertRaises(ValueError):
            fringe.beamformer(obs, ["zenith"]).point(["zenith", "Sun"])

    def test_a_moving_direction_needs_times(self):
        x = self.sky(1, noise_power=1.0)
        for words in ({"directions": ["120,35"], "seconds": 0, "spectra": 4},
                      {"directions": ["zenith"], "seconds": 1.0}):
            top, former = gr.top_block(), fringe.beamformer(hill(), block_spectra=BLOCK, **words)
            top.connect(blocks.vector_source_c(x.ravel().tolist(), False, x[0].size), former,
                        blocks.null_sink(gr.sizeof_float * CHANNELS))
            top.run()
            self.assertIn("rx_time", fringe.failure(former))


if __name__ == "__main__":
    unittest.main()
