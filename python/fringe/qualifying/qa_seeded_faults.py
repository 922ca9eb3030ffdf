#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Faults that are put into the product: the requirement that is meant to find each one fails.

A fault stands where the measurement takes the product's answer: a block's output, a file, an
argument that gets lost. Without the fault the same requirement passes.
"""
import contextlib
import os
import unittest
from unittest import mock

import numpy as np
import pmt
from casacore.tables import table
from gnuradio import gr
from gnuradio.fringe.qualifying import (beams, calibrating, delays, filter_bank, imaging,
                                        integration, interference, linearity, losses, peeling,
                                        polarization, products, quantization, radiometer, runner,
                                        time_stamps, visibility_files)
from gnuradio.fringe.qualifying.table import chosen

# Warnings on buffers and on observations without a place are what is meant here.
gr.logging().set_default_level(gr.log_levels.off)


def verdicts(*numbers):
    """Of requirements, that share nothing with other runs."""
    made = {}
    return [runner.measure(one, "cpu", made=made).verdict for one in chosen(only=numbers)]


@contextlib.contextmanager
def changed(module, name, answer):
    """The function of that name in a module does answer(function, *arguments)."""
    whole = getattr(module, name)
    with mock.patch.object(module, name, lambda *args, **words: answer(whole, *args, **words)):
        yield


def rewritten(column, change):
    """A correlate() after which a column of the MeasurementSet is change(column)."""
    def answer(correlate, recordings, outputs, *args, **words):
        result = correlate(recordings, outputs, *args, **words)
        for path in [outputs] if isinstance(outputs, str) else outputs:
            if os.path.isdir(path):
                with table(path, readonly=False, ack=False) as ms:
                    ms.putcol(column, change(ms.getcol(column)))
        return result
    return answer


class qa_seeded_faults(unittest.TestCase):

    def expect_caught(self, module, name, answer, *numbers, **smaller):
        """smaller: constants of the module, for the time."""
        with contextlib.ExitStack() as until_then:
            for constant, value in smaller.items():
                until_then.enter_context(mock.patch.object(module, constant, value))
            self.assertEqual(verdicts(*numbers), ["passed"] * len(numbers))
            with changed(module, name, answer):
                self.assertEqual(verdicts(*numbers), ["failed"] * len(numbers))

    def test_frequency_of_the_other_sign(self):
        self.expect_caught(filter_bank, "channelized", lambda f, work, x, *args, **words: f(
            work, np.conj(x), *args, **words), "1.6", "1.9")

    def test_channels_off_by_one(self):
        self.expect_caught(filter_bank, "channelized", lambda f, *args, **words: np.roll(
            f(*args, **words), 1, axis=2), "1.1", "1.6")

    def test_another_window(self):
        self.expect_caught(
            filter_bank, "channelized", lambda f, work, x, channels, taps, window="hann", **words:
            f(work, x, channels, taps, "hamming" if window == "hann" else window, **words),
            "1.1", "1.2")

    def test_a_weak_nonlinearity(self):
        self.expect_caught(linearity, "correlated", lambda f, *args, **words: (
            lambda v: v * (1 + 1e-9 * np.abs(v)))(f(*args, **words)), "3.1")

    def test_an_integer_that_is_off_by_one(self):
        def answer(f, *args, **words):
            vis, weights = f(*args, **words)
            vis[0, 0, 0] = np.nextafter(vis[0, 0, 0].real, np.inf, dtype=np.float32)
            return vis, weights
        self.expect_caught(integration, "sums", answer, "4.1")

    def test_a_delay_off_by_one_sample(self):
        def answer(f, raw, out, obs, **words):
            inputs = obs.inputs
            inputs[1].cable_delay += 1 / delays.RATE
            obs.inputs = inputs
            return f(raw, out, obs, **words)
        self.expect_caught(delays, "correlate", answer, "5.4", CABLES=(0.25,))

    def test_nothing_is_tracked(self):
        def answer(f, east):
            obs = f(east)
            obs.tracking = False
            return obs
        self.expect_caught(delays, "pair", answer, "5.1", MINUTES=(60,))

    def test_corrections_a_sample_late(self):
        def answer(f, *args, tags=(), **words):
            late = [(key, pmt.make_tuple(pmt.tuple_ref(value, 0), pmt.from_double(2.0 ** -20))
                     if key == "rx_time" else value) for key, value in tags]
            return f(*args, tags=late, **words)
        self.expect_caught(delays, "channelized", answer, "5.7", CHANGES=(17,))

    def test_thresholds_of_another_level(self):
        self.expect_caught(quantization, "real_noise", lambda f, *args: 1.5 * f(*args), "6.2",
                           SAMPLES=1 << 20)

    def test_a_floor_of_noise(self):
        def answer(f, *args, **words):
            vis, weights = f(*args, **words)
            return vis + 0.01, weights
        self.expect_caught(radiometer, "sums", answer, "7.1", "7.2", LONG=100_000)

    def test_products_of_the_other_sign(self):
        self.expect_caught(products, "dumps", lambda f, *args, **words: (
            f(*args, **words)[0].conj(), None), "8.3")

    def test_two_products_exchanged(self):
        def answer(f, *args, **words):
            vis, weights = f(*args, **words)
            if vis.shape[2] > 3:
                vis[..., [1, 2]] = vis[..., [2, 1]]
            return vis, weights
        self.expect_caught(products, "dumps", answer, "8.3")

    def test_a_phase_for_each_baseline(self):
        def answer(f, *args, **words):
            vis, weights = f(*args, **words)
            return vis * np.exp(0.02j * np.arange(vis.shape[2])), weights
        self.expect_caught(products, "sums", answer, "8.1")

    def test_antennas_exchanged_in_a_file(self):
        self.expect_caught(visibility_files, "correlate", rewritten(
            "ANTENNA1", lambda a: np.where(a == 0, 1, np.where(a == 1, 0, a))), "9.1")

    def test_uvw_of_the_other_sign(self):
        self.expect_caught(visibility_files, "correlate", rewritten("UVW", lambda uvw: -uvw),
                           "9.3", "9.4")

    def test_a_dump_that_begins_a_sample_late(self):
        self.expect_caught(time_stamps, "correlated", lambda f, *args, **words: f(
            *args, start_sample=(1,), **words), "10.1")

    def test_times_half_a_dump_off(self):
        half = 0.5 * time_stamps.SPECTRA * time_stamps.CHANNELS / time_stamps.RATE
        self.expect_caught(time_stamps, "correlate", rewritten("TIME", lambda t: t + half), "10.3")

    def test_the_last_dump_is_dropped(self):
        whole = time_stamps.SPECTRA * time_stamps.CHANNELS
        self.expect_caught(time_stamps, "correlate", lambda f, *args, **words: f(
            *args, samples=7 * whole, **words), "10.6")

    def test_weights_without_meaning(self):
        self.expect_caught(losses, "correlate", rewritten("WEIGHT_SPECTRUM", np.ones_like),
                           "11.1", "11.3", "11.4", DUMPS=60, SPECTRA=100)

    def test_a_flagger_that_flags_twice_as_much(self):
        self.expect_caught(interference, "flagged", lambda f, work, data, rate: f(
            work, data, 2 * rate), "12.2")

    def test_feeds_exchanged(self):
        """Products 0-2 and 1-3, and 0-3 and 1-2, of four inputs: X of the one, Y of the other."""
        def answer(f, path):
            vis = f(path)
            vis.data = vis.data[..., [0, 1, 6, 5, 4, 3, 2, 7, 8, 9]]
            return vis
        self.expect_caught(polarization, "read_visibilities", answer, "13.1")

    def test_the_hand_of_the_other_sign(self):
        def answer(f, path):
            vis = f(path)
            vis.data = vis.data.conj()
            return vis
        self.expect_caught(polarization, "read_visibilities", answer, "13.3", "13.5")

    def test_an_image_that_is_upside_down(self):
        def answer(f, paths, settings):
            settings.conjugate = True
            return f(paths, settings)
        self.expect_caught(imaging, "make_image", answer, "14.1", "14.4", SAMPLES=1 << 14)

    def test_a_source_that_is_not_peeled(self):
        self.expect_caught(peeling, "peel_samples", lambda f, data, weights, models, *args: f(
            data, weights, [models[0], 0 * models[1] + 1], *args), "15.1")

    def test_errors_that_are_half_as_large(self):
        def answer(f, *args):
            found = f(*args)
            for term in found.terms:
                term.errors = 0.5 * term.errors
            return found
        self.expect_caught(calibrating, "solve_terms", answer, "16.2")

    def test_a_beam_beside_its_source(self):
        self.expect_caught(beams, "power", lambda f, work, x, directions, *args, **words: f(
            work, x, [one.replace("az=70", "az=70.3") for one in directions], *args, **words),
            "17.1")


if __name__ == "__main__":
    unittest.main()
