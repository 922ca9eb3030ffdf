#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The channel that holds both edges of the band, and the one of what is constant in the samples: in
the flags of every file."""
import importlib.util
import unittest

import numpy as np

from gnuradio import blocks, fringe, gr
from qa_scratch import scratch_case

CHANNELS, RATE = 16, 1e6
ENDINGS = [end for end, module in ((".ms", "casacore"), (".uvh5", "h5py"), (".uvfits", "astropy"))
           if importlib.util.find_spec(module)]
NO_FLAGS = (".ACC", ".LCCSPC")


class qa_band_channels(scratch_case):
    seed = 8

    def correlated(self, ending=".ACC", form="ci8", channels=CHANNELS, **options):
        rng = np.random.default_rng(2)
        parts = 2 if form[0] == "c" else 1
        x = rng.normal(0, 20, (3000 * CHANNELS, 3, parts)) + rng.normal(0, 20, (1, parts))
        np.clip(x, -127, 127).astype(np.int8).tofile(self.path("x"))
        path = self.path("v" + ending)
        fringe.correlate(self.path("x"), path, format=form, inputs=3, sample_rate=RATE,
                         center_frequency=1e8, channels=channels, spectra=500, overwrite=True,
                         start_time="2026-01-01", **options)
        return fringe.read_visibilities(path)

    def flagged(self, **options):
        """Channels that are flagged in all products of all dumps, and no others."""
        vis = self.correlated(**options)
        some = vis.flags.any(axis=(0, 2))
        np.testing.assert_array_equal(some, vis.flags.all(axis=(0, 2)))
        return np.flatnonzero(some).tolist()

    def test_files_with_flags(self):
        for ending in ENDINGS:
            with self.subTest(ending):
                self.assertEqual(self.flagged(ending=ending), [0])
                self.assertEqual(self.flagged(ending=ending, keep_edge=True), [])
                self.assertEqual(self.flagged(ending=ending, flag_dc=True), [0, 8])

    @unittest.skipUnless(".uvh5" in ENDINGS, "python3-h5py is not installed")
    def test_the_ends_of_the_band(self):
        """10 % of 16 channels are 1.6, of which both have a part; 12.5 % are two and no more."""
        for form in ("ci8", "i8"):
            for percent, expected in ((10, [0, 1, 14, 15]), (12.5, [0, 1, 14, 15]), (6.25, [0, 15]),
                                      (13, [0, 1, 2, 13, 14, 15])):
                with self.subTest(form=form, percent=percent):
                    vis = self.correlated(".uvh5", form, flag="dumps", flag_edges=percent,
                                          keep_edge=True)
                    whole = np.flatnonzero(vis.flags.all(axis=(0, 2)))
                    whole = np.setdiff1d(whole, [8])  # found, since it is constant
                    self.assertEqual(whole.tolist(), expected)
        for words, sentence in (({"flag": "dumps", "flag_edges": 50}, "flag_edges: 50: must be"),
                                ({"flag_edges": 1}, "flag_edges: 1: flag=dumps")):
            with self.assertRaisesRegex(ValueError, sentence):
                self.correlated(**words)

    @unittest.skipUnless(".uvh5" in ENDINGS, "python3-h5py is not installed")
    def test_visibilities_and_weights_stay(self):
        flagged, kept = (self.correlated(".uvh5", keep_edge=keep) for keep in (False, True))
        np.testing.assert_array_equal(flagged.data, kept.data)
        np.testing.assert_array_equal(flagged.weights, kept.weights)
        self.assertTrue((kept.data[:, 0] != 0).all())

    def test_files_without_flags_have_zeros(self):
        for ending in NO_FLAGS:
            with self.subTest(ending):
                kept = self.correlated(ending, keep_edge=True).data
                self.assertTrue((kept != 0).all())
                for dc, gone in ((False, [0]), (True, [0, 8])):
                    data = self.correlated(ending, flag_dc=dc).data
                    want = kept.copy()
                    want[:, gone] = 0
                    np.testing.assert_array_equal(data, want)

    def test_bands_without_such_a_channel(self):
        # An odd number of channels ends where the band does; real samples do not wrap around.
        self.assertTrue((self.correlated(channels=15).data != 0).all())
        self.assertTrue((self.correlated(form="i8").data != 0).all())
        data = self.correlated(form="i8", flag_dc=True).data
        self.assertTrue((data[:, 0] == 0).all() and (data[:, 1:] != 0).all())

    def test_inverted_real_samples(self):
        # What is constant would lie behind the last channel; where one input is not inverted it has
        # it in the first.
        def correlated(upright=(), **options):
            obs = fringe.observation.from_text(
                f"antennas: [[0, 0, 0], [1, 0, 0], [2, 0, 0]]\nsideband: lower\nformat: i8\n"
                f"sample_rate: {RATE}\ncenter_frequency: 1e8\n")
            inputs = obs.inputs
            for k in upright:
                inputs[k].inverted = True  # once more: the right way up
            obs.inputs = inputs
            return self.correlated(form="i8", obs=obs, **options).data
        kept = correlated()
        autos = np.abs(kept[:, :, [0, 3, 5]]).mean(axis=0)
        self.assertLess(autos.max(), 1.5 * autos.min())  # no channel holds it
        np.testing.assert_array_equal(correlated(flag_dc=True), kept)
        np.testing.assert_allclose(correlated(flag_dc=True, average_channels=4),
                                   correlated(average_channels=4), rtol=1e-6)
        mixed = correlated((1,), flag_dc=True)
        self.assertTrue((mixed[:, 0] == 0).all() and (mixed[:, 1:] != 0).all())

    def test_averages_of_channels_leave_it_out(self):
        kept = self.correlated(keep_edge=True).data.astype(complex)
        for dc in (False, True):
            small = self.correlated(average_channels=4, flag_dc=dc)
            for group, some in enumerate(([1, 2, 3], [4, 5, 6, 7], [9, 10, 11] if dc else
                                          [8, 9, 10, 11], [12, 13, 14, 15])):
                np.testing.assert_allclose(small.data[:, group], kept[:, some].mean(axis=1),
                                           rtol=1e-4)
        small = self.correlated(average_channels=4, keep_edge=True)
        np.testing.assert_allclose(small.data[:, 0], kept[:, :4].mean(axis=1), rtol=1e-4)

    @unittest.skipUnless(".uvh5" in ENDINGS, "python3-h5py is not installed")
    def test_weights_of_averages(self):
        vis = self.correlated(".uvh5", average_channels=4)
        self.assertFalse(vis.flags.any())
        np.testing.assert_allclose(vis.weights[:, 0] / vis.weights[:, 1], 0.75, rtol=1e-5)

    @unittest.skipUnless(".uvh5" in ENDINGS, "python3-h5py is not installed")
    def test_behind_a_reducer_it_is_the_one_that_was_kept(self):
        obs = fringe.observation.example(2)
        for first, flagged in ((0, [0]), (4, [])):
            axes = fringe.dump_axes(obs, CHANNELS, first_channel=first, kept_channels=8)
            samples = fringe.item_sizes.samples("ci8", 2, CHANNELS)
            source = fringe.raw_sky_source(obs, "ci8", samples)
            correlator = fringe.fx_correlator(2, CHANNELS, "ci8", 0.0, 1000)
            reducer = fringe.visibility_reducer(axes)
            path = self.path(f"r{first}.uvh5")
            sink = fringe.visibility_sink(axes.observation, path, axes.channels)
            top = gr.top_block()
            top.connect(source, blocks.head(source.block_bytes, 50_000 // samples + 2),
                        correlator)
            for port in range(2):
                top.connect((correlator, port), (reducer, port))
                top.connect((reducer, port), (sink, port))
            top.run()
            self.assertEqual(fringe.failure(sink), "")
            vis = fringe.read_visibilities(path)
            self.assertEqual(np.flatnonzero(vis.flags.any(axis=(0, 2))).tolist(), flagged)


if __name__ == "__main__":
    unittest.main()
