#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Pulses blanked in samples: pulse_blanker between wired stages, and fx_correlator(pulses=...).

All must blank the same samples of the same data, for any length of blocks and any number of
threads, and give the same bits of requantized spectra; the weights are worked out here from what
was blanked, and means keep their level.
"""
import unittest

from qa_stand_in import use_stand_in

use_stand_in(delay=0)

import numpy as np  # noqa: E402
import pmt  # noqa: E402
from gnuradio import blocks, fringe, gr  # noqa: E402
from qa_scratch import rx_time, scratch_case, tag  # noqa: E402

RATE = 1e6
INPUTS, CHANNELS, TAPS, DUMP = 3, 16, 4, 700
SEARCH = {"window": 1024, "guard": 3, "false_alarm": 1e-6}


def radar(rng, samples, inputs=INPUTS):
    """Noise with a common part and pulses of 5 in 500 samples, 40 times the noise: [sample][input]
    complex integers, without and with pulses."""
    def noise(power):
        return rng.normal(0, np.sqrt(power / 2), (samples, inputs, 2)) @ [1, 1j]

    clean = noise(1) + noise(0.5)[:, :1]
    t = np.arange(samples)
    turns = np.exp(2j * np.pi * (0.13 * t[:, None] + 0.618 * np.arange(inputs)))
    dirty = clean + (t % 500 < 5)[:, None] * np.sqrt(60) * turns
    return [np.clip(np.rint(12 * np.stack([x.real, x.imag], -1)), -127, 127).astype(np.int8)
            for x in (clean, dirty)]


class result:
    """Dumps and weights [dump][channel][product], blanked samples [input], and runs of blanked
    samples (input, first, count) where a blanker is in the chain."""

    def __init__(self, x, block, stages, tags=(), losses=None, blanker=None):
        inputs = x.shape[1]
        values = fringe.item_sizes.visibilities(inputs, CHANNELS)
        vis, weights = blocks.vector_sink_c(values), blocks.vector_sink_f(values)
        top = gr.top_block(catch_exceptions=False)
        samples = block * CHANNELS
        raw = blocks.vector_source_b(x.view(np.uint8).ravel().tolist(), False,
                                     2 * inputs * samples, list(tags))
        top.connect(raw, *stages, vis)
        top.connect((stages[-1], 1), weights)
        seen = blocks.vector_sink_b(2 * inputs * samples) if blanker else None
        if blanker:
            top.connect(blanker, seen)
        top.run()
        self.v, self.w = (np.reshape(sink.data(), (-1, CHANNELS, inputs * (inputs + 1) // 2))
                          for sink in (vis, weights))
        self.blanked = losses.losses()["blanked"]
        self.runs = [] if not blanker else [
            (i, first + t.offset * samples, count)
            for t in seen.tags() if str(t.key) == "blanked"
            for i, first, count in np.reshape(pmt.u64vector_elements(t.value), (-1, 3)).tolist()]


def wired(x, block, tags=(), backend="cpu", requantize="8"):
    """The stages one by one."""
    inputs = x.shape[1]
    component = "f32" if requantize == "none" else "i8"
    blanker = fringe.pulse_blanker(inputs, block * CHANNELS, backend=backend, **SEARCH)
    stages = (
        fringe.unpack("ci8", inputs, CHANNELS * block, backend=backend), blanker,
        fringe.channelizer(inputs, CHANNELS, block, True, "i8", TAPS, "hann", requantize, [0.7],
                           backend=backend),
        fringe.xengine(inputs, CHANNELS, block, component, 4096, 0, DUMP, 0, backend),
        fringe.integrator(inputs, CHANNELS, component, 0, DUMP, 0, backend))
    return result(x, block, stages, tags, blanker, blanker)


def pool(x, block, threads, tags=(), backend="cpu", pulses=SEARCH, **more):
    """fx_correlator on a number of threads."""
    before = fringe.threads()
    fringe.set_threads(threads)
    try:
        box = fringe.fx_correlator(x.shape[1], CHANNELS, "ci8", 0, DUMP, TAPS, "hann", "8", [0.7],
                                   block_spectra=block, pulses=pulses, backend=backend, **more)
    finally:
        fringe.set_threads(before)
    return result(x, block, (box,), tags, box)


def weights_of(runs, samples, inputs):
    """What is left of each dump, [dump][product], by the prototype as scipy's window gives it."""
    from scipy.signal.windows import hann
    length = TAPS * CHANNELS
    n = np.arange(length) - (length - 1) / 2
    h2 = (np.sinc(n / CHANNELS) * hann(length, sym=True))**2
    kept = np.ones((inputs, samples))
    for i, first, count in runs:
        kept[i, first:first + count] = 0
    spectra = samples // CHANNELS - TAPS + 1
    left = []
    for i in range(inputs):
        for j in range(i, inputs):
            both = kept[i] * kept[j]
            each = np.array([both[s * CHANNELS:][:length] @ h2 for s in range(spectra)]) / h2.sum()
            left.append([each[k:k + DUMP].mean() for k in range(0, spectra, DUMP)])
    return np.transpose(left)


class qa_one_blanking(scratch_case):
    seed = 20261127

    def same(self, got, expected):
        np.testing.assert_array_equal(got.w, expected.w)
        np.testing.assert_array_equal(got.v, expected.v)
        self.assertEqual(got.blanked, expected.blanked)

    def test_the_same_bits_for_all_blocks_and_threads(self):
        _, x = radar(self.rng, 40 * 3 * 50 * CHANNELS)
        expected = wired(x, 50)
        self.assertGreater(min(expected.blanked), 0.02 * len(x))
        for block in (40, 300):
            self.same(wired(x, block), expected)
        for block, threads in ((50, 1), (50, 3), (40, 2), (300, 2)):
            with self.subTest(block=block, threads=threads):
                self.same(pool(x, block, threads), expected)
        self.same(wired(x, 50, backend="generic"), expected)
        self.same(pool(x, 50, 2, backend="generic"), expected)

    def test_the_port_says_what_was_blanked(self):
        """Of recordings, and of voltages behind a Stack."""
        _, x = radar(self.rng, 40 * 50 * CHANNELS)
        voltages = (x.astype(np.float32).view(np.complex64)[..., 0] if x.ndim == 3 else x).T
        for form, size in (("ci8", 2), ("voltages", 8)):
            with self.subTest(format=form):
                box = fringe.fx_correlator(INPUTS, CHANNELS, form, 0, DUMP, TAPS, block_spectra=50,
                                           pulses=SEARCH, backend="cpu")
                samples, debug, top = 50 * CHANNELS, blocks.message_debug(), gr.top_block()
                data = x if form == "ci8" else np.stack(
                    [voltages[:, at:at + samples] for at in range(0, len(x), samples)])
                path = self.path("data")
                np.ascontiguousarray(data).tofile(path)
                values = fringe.item_sizes.visibilities(INPUTS, CHANNELS)
                top.connect(blocks.file_source(size * INPUTS * samples, path), box,
                            blocks.null_sink(8 * values))
                top.connect((box, 1), blocks.null_sink(4 * values))
                top.msg_connect(box, "losses", debug, "store")
                top.run()
                sent = [pmt.dict_ref(debug.get_message(k), pmt.intern("blanked"), pmt.PMT_NIL)
                        for k in range(debug.num_messages())]
                counts = [list(pmt.u64vector_elements(numbers)) for numbers in sent
                          if not pmt.is_null(numbers)]
                self.assertEqual(counts[-1], list(box.losses()["blanked"]))
                self.assertGreater(min(counts[-1]), 0)

    def test_the_same_bits_on_a_device(self):
        if not fringe.find_devices()[0]:
            self.skipTest("no device")
        _, x = radar(self.rng, 40 * 50 * CHANNELS)
        expected = wired(x, 50)
        self.same(wired(x, 50, backend="cuda"), expected)
        self.same(pool(x, 50, 1, backend="cuda"), expected)

    def test_weights_are_what_is_left(self):
        clean, x = radar(self.rng, 100 * 50 * CHANNELS)
        x[20000:30000, 1] = clean[20000:30000, 1]  # one input hears nothing for a while
        x[25000:25003, 0] = 127  # and one something that no other does
        got = wired(x, 50)
        self.assertEqual(got.blanked, [sum(count for i, _, count in got.runs if i == k)
                                       for k in range(INPUTS)])
        expected = weights_of(got.runs, len(x), INPUTS)
        np.testing.assert_allclose(got.w, np.broadcast_to(expected[:, None], got.w.shape),
                                   rtol=0, atol=3e-6)

    def test_means_keep_their_level(self):
        """Of the same noise without pulses, and within its own errors."""
        clean, x = radar(self.rng, 700 * 50 * CHANNELS)
        truth, got = wired(clean, 50, requantize="none"), wired(x, 50, requantize="none")
        spectra = len(x) / CHANNELS
        mean, true = (np.average(some.v, axis=0, weights=some.w) for some in (got, truth))
        scale = 144 * 1.5  # power of an input
        # The part of the data that is blanked is what the two do not have in common.
        lost = 1 - got.w.mean()
        self.assertLess(lost, 0.05)
        error = scale * np.sqrt(lost / spectra)
        self.assertLess(np.abs(mean - true).max(), 5 * error)
        # The mean over channels is that of 16 times as many products.
        self.assertLess(np.abs((mean - true).mean(axis=0)).max(), 5 * error / 4)

    def test_gaps_short_blocks_and_lost_samples(self):
        block = 20
        samples = block * CHANNELS
        _, x = radar(self.rng, 90 * samples)
        tags = [rx_time(0, 1000, 0.25), tag(0, "rx_rate", pmt.from_double(RATE)),
                tag(29, "samples", pmt.from_uint64(samples - 37)),
                rx_time(30, 1000, 0.25 + (30 * samples + 777) / RATE),
                rx_time(55, 1000, 0.25 + (55 * samples + 999) / RATE),
                tag(40, "invalid", pmt.init_u64vector(6, [0, 10, 200, 2, 0, 17])),
                tag(70, "rx_freq", pmt.from_double(1e8))]
        expected = wired(x, block, tags)
        self.assertLess(expected.w.min(), 0.95)
        for threads in (1, 3):
            self.same(pool(x, block, threads, tags), expected)

    def test_another_filter_in_the_next_run(self):
        """What is blanked of a spectrum is that of the filter that makes it now."""
        _, x = radar(self.rng, 4 * 50 * CHANNELS)
        samples = 50 * CHANNELS
        xengine = fringe.xengine(INPUTS, CHANNELS, 50, "i8", 4096, 0, DUMP, 0, "cpu")

        def run(taps, *behind):
            top = gr.top_block(catch_exceptions=False)
            values = fringe.item_sizes.visibilities(INPUTS, CHANNELS)
            integrator = fringe.integrator(INPUTS, CHANNELS, "i8", 0, DUMP, 0, "cpu")
            sinks = [blocks.vector_sink_c(values), blocks.vector_sink_f(values)]
            top.connect(
                blocks.vector_source_b(x.view(np.uint8).ravel().tolist(), False,
                                       2 * INPUTS * samples),
                fringe.unpack("ci8", INPUTS, samples, backend="cpu"),
                fringe.pulse_blanker(INPUTS, samples, backend="cpu", **SEARCH),
                fringe.channelizer(INPUTS, CHANNELS, 50, True, "i8", taps, "hann", "8", [0.7],
                                   backend="cpu"), *behind, integrator, sinks[0])
            top.connect((integrator, 1), sinks[1])
            top.run()
            top.disconnect_all()
            return np.array(sinks[1].data())

        fresh = run(2, fringe.xengine(INPUTS, CHANNELS, 50, "i8", 4096, 0, DUMP, 0, "cpu"))
        run(4, xengine)
        np.testing.assert_array_equal(run(2, xengine), fresh)

    def test_some_dumps_of_a_recording(self):
        _, x = radar(self.rng, 60 * 100 * CHANNELS)
        x.tofile(self.path("x.ci8"))

        def dumps(*selected):
            source = fringe.file_source([self.path("x.ci8")], "ci8", INPUTS, 100 * CHANNELS, RATE,
                                        1e8, "2026-07-01T00:00:00")
            box = fringe.fx_correlator(INPUTS, CHANNELS, "ci8", 0, DUMP, TAPS, "hann", "8", [0.7],
                                       block_spectra=100, pulses=SEARCH, backend="cpu",
                                       recording=source, remove_mean=True)
            if selected:
                box.select_dumps(*selected)
            values = fringe.item_sizes.visibilities(INPUTS, CHANNELS)
            sinks = [blocks.vector_sink_c(values), blocks.vector_sink_f(values)]
            top = gr.top_block(catch_exceptions=False)
            for port, sink in enumerate(sinks):
                top.connect((box, port), sink)
            top.run()
            first, end, together = box.recorded_dumps()
            return first, end, together, *(np.reshape(sink.data(), (-1, values))
                                           for sink in sinks)
        first, end, together, v, w = dumps()
        self.assertLess(w.min(), 0.99)
        middle = first + (end - first) // 2 // together * together
        for a, b in ((first, middle), (middle, end)):
            *_, some_v, some_w = dumps(a, b)
            np.testing.assert_array_equal(some_v, v[a - first:b - first])
            np.testing.assert_array_equal(some_w, w[a - first:b - first])

    def test_what_cannot_be(self):
        for words, sentence in (({"window": 1000}, "window: 1000"), ({"guard": 513}, "guard"),
                                ({"false_alarm": 0.1}, "false_alarm"),
                                ({"bad_inputs": [2]}, "bad_inputs: 2"),
                                ({"component": "i9"}, "i9")):
            with self.assertRaisesRegex(ValueError, sentence):
                fringe.pulse_blanker(2, 1024, **words)
        with self.assertRaisesRegex(ValueError, "1 or 2 bits"):
            fringe.fx_correlator(2, 16, "cvdif2", pulses=True, backend="cpu")


if __name__ == "__main__":
    unittest.main()
