#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Files in which short baselines are averaged longer, and files of autos or crosses only."""
import importlib.util
import os
import unittest

import numpy as np
import pmt

from gnuradio import blocks, fringe, gr
from gnuradio.fringe.readers.measurement_set import open_ms
from gnuradio.fringe.ground.dates import MJD_SECONDS_OF_1970
from qa_blocks import rx_time, tag
from qa_scratch import scratch_case
from qa_uvdata import needs_pyuvdata, read_by_pyuvdata

CHANNELS, DUMPS, LOSS, RADIUS = 3, 40, 0.01, 1.0
START = 1781263240  # 2026-06-12T11:20:40
ARRAY = """
site: {latitude: -30, longitude: 21}
antennas: [[0, 0, 0], [2600, 300, 0], [-150, 90, 2], [1200, -700, 4], [-4500, 800, 3],
           [9000, 900, 9]]
sample_rate: 2e6
center_frequency: 1400e6
phase_center: {ra: 180, dec: -40}
sky: {sources: [{name: edge, l: %s, m: %s}, {name: center, l: 0, m: 0}]}
"""
needs_casacore = unittest.skipUnless(importlib.util.find_spec("casacore"),
                                     "python3-casacore is not installed")


def observed(angle):
    """The array, and a source at RADIUS degrees from the phase center."""
    offset = np.sin(np.radians(RADIUS))
    return fringe.observation.from_text(ARRAY % (offset * np.cos(angle), offset * np.sin(angle)))


def at(seconds):
    t = fringe.epoch()
    t.seconds = START + int(seconds)
    t.attos = int(round((seconds - int(seconds)) * 1e6)) * 10**12
    return t


def visibilities(obs, starts):
    """[dump][channel][product] of the source, each dump the mean over its second.

    The fringes of the phase center are stopped within each dump.
    """
    f = np.array(obs.channel_frequencies(CHANNELS, True))
    i, j = np.triu_indices(len(obs.inputs))
    data = np.zeros((len(starts), CHANNELS, len(i)), complex)

    def delays(number, t):
        return np.array(fringe.delays(obs, fringe.source_direction(obs, obs.sky[number], t)))

    for k, start in enumerate(starts):
        middle = delays(1, at(start + 0.5))
        for part in (np.arange(4) + 0.5) / 4:
            t = at(start + part)
            tau = delays(0, t) - delays(1, t) + middle
            data[k] += np.exp(-2j * np.pi * f[:, None] * (tau[i] - tau[j])) / 4
    return data.astype(np.complex64)


class in_a_folder(scratch_case):

    def write(self, name, obs, starts, data, weights, flags=None, **options):
        """Dumps of a second into a file."""
        path, values = os.path.join(self.folder, name), data[0].size
        tags = []
        for k, start in enumerate(starts):
            tags.append(rx_time(k, START + int(start), start - int(start)))
            tags.append(tag(k, "interval", pmt.from_double(1.0)))
            tags.append(tag(k, "exposure", pmt.from_double(0.75)))
        flowgraph = gr.top_block()
        sink = fringe.visibility_sink(obs, path, CHANNELS, overwrite=True, **options)
        flowgraph.connect(blocks.vector_source_c(data.ravel().tolist(), False, values, tags),
                          (sink, 0))
        flowgraph.connect(blocks.vector_source_f(weights.ravel().tolist(), False, values),
                          (sink, 1))
        if flags is not None:
            flowgraph.connect(blocks.vector_source_b(flags.ravel().tolist(), False, values),
                              (sink, 2))
        flowgraph.run()
        self.assertEqual(sink.error(), "")
        return path


def columns(path, *names):
    table = open_ms(path)
    try:
        return [table.getcol(name) for name in names]
    finally:
        table.close()


@needs_casacore
class qa_averaging_by_baseline(in_a_folder):

    AVERAGED = {"smearing_loss": LOSS, "field_radius": RADIUS, "longest_average": 16.0}

    def test_the_loss_is_below_the_stated(self):
        starts, weights, worst = np.arange(DUMPS, dtype=float), None, 1.0
        for angle in np.arange(4) * np.pi / 4:
            obs = observed(angle)
            data = visibilities(obs, starts)
            weights = np.ones(data.shape, np.float32)
            path = self.write("a.ms", obs, starts, data, weights, **self.AVERAGED)
            vis, uvw, ant1, ant2, interval = columns(path, "DATA", "UVW", "ANTENNA1", "ANTENNA2",
                                                     "INTERVAL")
            self.assertEqual(set(np.round(interval)), {1.0, 2.0, 4.0, 8.0, 16.0})
            l, m = obs.sky[0].a, obs.sky[0].b
            path_length = uvw @ [l, m, np.sqrt(1 - l * l - m * m) - 1]
            f = np.array(obs.channel_frequencies(CHANNELS, True))
            expected = np.exp(2j * np.pi * path_length[:, None] * f / 299792458.0)
            turned = vis[..., 0] / expected
            # uvw are those of the middle: nothing but amplitude is lost.
            self.assertLess(np.abs(np.angle(turned)).max(), 2e-3)
            averaged = interval > 1.5
            self.assertGreater(np.abs(turned[averaged]).min(), 1 - LOSS)
            worst = min(worst, np.abs(turned[averaged]).min())
            np.testing.assert_allclose(turned[ant1 == ant2], 1, atol=1e-6)
        # The bound is met by a source in the worst place, to within steps of two.
        self.assertLess(worst, 1 - LOSS / 3)

    def test_sums_are_conserved(self):
        rng, starts = np.random.default_rng(2), np.arange(DUMPS, dtype=float)
        obs = observed(1.0)
        data = visibilities(obs, starts)
        weights = rng.uniform(0.2, 1, data.shape).astype(np.float32)
        flags = (rng.uniform(size=data.shape) < 0.1).astype(np.uint8)
        names = ("DATA", "WEIGHT_SPECTRUM", "FLAG", "ANTENNA1", "ANTENNA2", "TIME", "INTERVAL",
                 "EXPOSURE", "TIME_CENTROID")
        plain = columns(self.write("plain.ms", obs, starts, data, weights, flags), *names)
        short = columns(self.write("short.ms", obs, starts, data, weights, flags,
                                   **self.AVERAGED), *names)
        self.assertLess(len(short[0]), 0.45 * len(plain[0]))
        np.testing.assert_array_equal(short[5], short[8])
        for a in range(6):
            for b in range(a, 6):
                plain_rows, other = ([column[(part[3] == a) & (part[4] == b)] for column in part]
                              for part in (plain, short))
                for k in (6, 7):  # INTERVAL, EXPOSURE
                    np.testing.assert_allclose(plain_rows[k].sum(), other[k].sum())
                good = [np.where(part[2], 0, part[1]) for part in (plain_rows, other)]
                np.testing.assert_allclose(good[0].sum(axis=0), good[1].sum(axis=0), rtol=1e-5)
                # Each row is the mean of the dumps in its interval.
                for k, (time, interval) in enumerate(zip(other[5], other[6])):
                    inside = np.abs(plain_rows[5] - time) < interval / 2
                    self.assertEqual(inside.sum(), round(interval))
                    w = good[0][inside]
                    np.testing.assert_allclose(w.sum(axis=0), good[1][k], rtol=1e-5)
                    mean = (w * plain_rows[0][inside]).sum(axis=0) / np.maximum(w.sum(axis=0), 1e-9)
                    got = other[0][k]
                    # Dumps are phased one by one, also those that are averaged.
                    self.assertLess(np.abs(np.where(good[1][k] > 0, got - mean, 0)).max(), 1e-4)

    def test_tracked_data_are_not_turned_again(self):
        starts, obs = np.arange(20.0), observed(0.7)
        data = visibilities(obs, starts)
        weights = np.ones(data.shape, np.float32)
        once, = columns(self.write("once.ms", obs, starts, data, weights, **self.AVERAGED), "DATA")
        f = np.array(obs.channel_frequencies(CHANNELS, True))
        i, j = np.triu_indices(len(obs.inputs))
        for k, start in enumerate(starts):
            tau = np.array(fringe.delays(obs, fringe.source_direction(obs, obs.sky[1],
                                                                      at(start + 0.5))))
            data[k] *= np.exp(2j * np.pi * f[:, None] * (tau[i] - tau[j]))
        obs.tracking = True
        tracked, = columns(self.write("tracked.ms", obs, starts, data, weights, **self.AVERAGED),
                           "DATA")
        np.testing.assert_allclose(tracked, once, atol=2e-4)

    def test_a_gap_ends_all_averages(self):
        starts = np.concatenate([np.arange(5.0), 9 + np.arange(6.0)])
        obs = observed(0.0)
        data = visibilities(obs, starts)
        path = self.write("gap.ms", obs, starts, data, np.ones(data.shape, np.float32),
                          **self.AVERAGED)
        time, interval, ant1, ant2 = columns(path, "TIME", "INTERVAL", "ANTENNA1", "ANTENNA2")
        auto = (ant1 == 0) & (ant2 == 0)
        np.testing.assert_allclose(interval[auto], [5, 6])
        np.testing.assert_allclose(time[auto] - MJD_SECONDS_OF_1970 - START, [2.5, 12], atol=1e-5)
        for a, b in ((0, 1), (0, 5), (2, 4)):
            row = (ant1 == a) & (ant2 == b)
            self.assertAlmostEqual(interval[row].sum(), 11)
            self.assertFalse(np.any(np.abs(time[row] - MJD_SECONDS_OF_1970 - START - 7) < 2 - 1e-3))

    @unittest.skipUnless(importlib.util.find_spec("h5py"), "python3-h5py is not installed")
    def test_uvh5_has_the_same_rows(self):
        import h5py
        starts = np.arange(21.0)
        obs = observed(0.5)
        data = visibilities(obs, starts)
        weights = np.ones(data.shape, np.float32)
        ms = columns(self.write("x.ms", obs, starts, data, weights, **self.AVERAGED),
                     "DATA", "UVW", "TIME", "INTERVAL", "ANTENNA1", "ANTENNA2")
        path = self.write("x.uvh5", obs, starts, data, weights, **self.AVERAGED)
        with h5py.File(path) as file:
            header, count = file["Header"], len(ms[0])
            self.assertEqual(header["Nblts"][()], count)
            self.assertFalse(header["blts_are_rectangular"][()])
            self.assertEqual(header["Ntimes"][()], len(np.unique(header["time_array"][()])))
            np.testing.assert_allclose(header["uvw_array"][()], -ms[1], atol=1e-9)
            np.testing.assert_allclose((header["time_array"][()] - 2400000.5) * 86400, ms[2],
                                       rtol=0, atol=1e-4)
            np.testing.assert_allclose(header["integration_time"][()], ms[3])
            np.testing.assert_array_equal(header["ant_1_array"][()], ms[4])
            np.testing.assert_array_equal(header["ant_2_array"][()], ms[5])
            np.testing.assert_allclose(file["Data/visdata"][()].conj(), ms[0], atol=1e-6)
        # Both are read back with every row at its own time.
        for name in ("x.ms", "x.uvh5"):
            vis = fringe.read_visibilities(os.path.join(self.folder, name))
            self.assertEqual(int((~vis.flags[:, 0]).sum()), len(ms[0]))
            self.assertTrue(np.all(np.diff(vis.times) > np.timedelta64(0)))

    @needs_pyuvdata
    def test_pyuvdata_reads_it(self):
        starts = np.arange(21.0)
        obs = observed(0.5)
        data = visibilities(obs, starts)
        path = self.write("x.uvh5", obs, starts, data, np.ones(data.shape, np.float32),
                          **self.AVERAGED)
        uv = read_by_pyuvdata(path)
        # Means of 8 and of 16 dumps end with one of the 5 that are left.
        self.assertEqual(sorted(set(np.round(uv.integration_time))), [1, 2, 4, 5, 8, 16])

    def test_errors(self):
        obs = observed(0.0)
        for options, words in (
                ({"smearing_loss": 1.5}, "smearing loss: 1.5: must lie between 0 and 1"),
                ({"smearing_loss": 0.01}, "field radius: 0: must be above 0"),
                ({"smearing_loss": 0.01, "field_radius": 1.0, "longest_average": 0.0},
                 "longest average: 0: must be positive"),
                ({"products": "cross"}, "products: cross: must be all, autos or crosses")):
            with self.assertRaisesRegex(ValueError, words):
                fringe.visibility_sink(obs, os.path.join(self.folder, "e.ms"), 4, **options)
        with self.assertRaisesRegex(ValueError, "can be written to .ms and .uvh5"):
            fringe.visibility_sink(obs, os.path.join(self.folder, "e.ACC"), 4, products="autos")
        self.assertEqual(os.listdir(self.folder), [])


@needs_casacore
class qa_some_products(in_a_folder):

    def test_autos_or_crosses_only(self):
        starts, obs = np.arange(3.0), observed(0.0)
        data = visibilities(obs, starts)
        weights = np.ones(data.shape, np.float32)
        i, j = np.triu_indices(6)
        names = ("DATA", "ANTENNA1", "ANTENNA2", "TIME")
        for ending in ("ms", "uvh5"):
            whole = fringe.read_visibilities(self.write(f"all.{ending}", obs, starts, data,
                                                        weights))
            for products, kept in (("autos", i == j), ("crosses", i != j)):
                path = self.write(f"{products}.{ending}", obs, starts, data[..., kept],
                                  weights[..., kept], products=products)
                if ending == "ms":
                    rows, ant1, ant2, _ = columns(path, *names)
                    self.assertEqual(len(rows), 3 * kept.sum())
                    self.assertTrue(np.all((ant1 == ant2) == (products == "autos")))
                vis = fringe.read_visibilities(path)
                np.testing.assert_array_equal(vis.data[..., kept], whole.data[..., kept])
                self.assertTrue(np.all(vis.flags[..., ~kept]))

    def test_both_at_once(self):
        starts, obs = np.arange(16.0), observed(0.0)
        data = visibilities(obs, starts)
        i, j = np.triu_indices(6)
        path = self.write("x.ms", obs, starts, data[..., i != j],
                          np.ones(data[..., i != j].shape, np.float32), products="crosses",
                          **qa_averaging_by_baseline.AVERAGED)
        ant1, ant2, interval = columns(path, "ANTENNA1", "ANTENNA2", "INTERVAL")
        self.assertTrue(np.all(ant1 != ant2))
        self.assertAlmostEqual(interval.sum(), 15 * 16)


if __name__ == "__main__":
    unittest.main()
