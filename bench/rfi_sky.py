# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dumps of a simulated array with interference whose place is known, and the flagger on them."""
import os
import subprocess
import time

import numpy as np
import pmt

from gnuradio import blocks, fringe, gr

START = 1_781_263_240  # seconds since 1970
WIDTH, SECONDS = 40e3, 1.0  # Hz of a channel, of a dump
CENTER = 150e6
KINDS = ("persistent", "burst", "transients", "broadband", "drifting")


def observation(stations, channels, seed):
    """Dual-polarization stations, scattered over 300 m."""
    at = np.random.default_rng(seed).uniform(-150, 150, (stations, 2))
    return fringe.observation.from_text(f"""
telescope: simulated
site: {{latitude: -26.7, longitude: 116.67}}
antennas: [{", ".join(f"[{e:.2f}, {n:.2f}, 0]" for e, n in at)}]
polarizations: [X, Y]
sample_rate: {channels * WIDTH}
center_frequency: {CENTER}
channels: {channels}
format: cf32
""")


def places(kind, dumps, channels, rng):
    """[dump, channel]: where this kind of interference is, in units of its strength."""
    where = np.zeros((dumps, channels))
    if kind == "persistent":
        where[:, channels // 6] = 1
    elif kind == "burst":  # over the whole band, one dump and two
        where[[dumps // 3, 2 * dumps // 3, 2 * dumps // 3 + 1]] = 1
    elif kind == "transients":
        for _ in range(20):
            t, c = rng.integers(dumps - 4), rng.integers(channels // 2, channels - 3)
            where[t:t + rng.integers(1, 5), c:c + rng.integers(1, 4)] = 1
    elif kind == "broadband":  # a third as strong, over a quarter of the band
        where[dumps // 8:dumps // 8 + 8, channels // 4:channels // 2] = 1 / 3
    elif kind == "drifting":
        t = np.arange(dumps)
        where[t, channels // 3 + t * channels // (4 * dumps)] = 1
    return where


class simulated:
    """Visibilities [dump, channel, product] of noise, some sources, a receiver's band, and
    interference of the given kinds. Sources and `strength`: times the noise of a visibility."""

    def __init__(self, stations=12, channels=128, dumps=96, strength=3.0, seed=1, kinds=KINDS,
                 sources=(3, 1, 0.5)):
        rng = np.random.default_rng(seed)
        self.obs = observation(stations, channels, seed)
        self.dumps, self.channels = dumps, channels
        self.inputs = 2 * stations
        self.i, self.j = np.triu_indices(self.inputs)
        self.noise = 1 / np.sqrt(WIDTH * SECONDS)  # of a product of inputs of power 1
        self.frequencies = np.array(self.obs.channel_frequencies(channels, True))
        self.truth = {}
        shape = (dumps, channels, len(self.i))
        data = rng.standard_normal(shape, np.float32) + 1j * rng.standard_normal(shape, np.float32)
        autos = self.i == self.j
        data[..., autos] = np.sqrt(2) * data[..., autos].real + np.sqrt(2) / self.noise
        data = data.astype(np.complex64) * np.float32(self.noise / np.sqrt(2))
        directions = rng.uniform(-0.6, 0.6, (3, 2))
        for flux, (east, north) in zip(sources, directions):
            rates = rng.uniform(-7e-5, 7e-5, 2)
            for t in range(dumps):
                data[t] += self._wave(east + rates[0] * t, north + rates[1] * t,
                                      flux * self.noise, np.ones(self.inputs))
        for kind in kinds:
            where = places(kind, dumps, channels, rng)
            azimuth = rng.uniform(0, 2 * np.pi)
            heard = rng.uniform(0.7, 1.4, self.inputs)
            wave = self._wave(np.sin(azimuth), np.cos(azimuth), strength * self.noise, heard)
            for t in np.flatnonzero(where.any(axis=1)):
                data[t] += where[t][:, None] * wave
            self.truth[kind] = where > 0
        x = np.linspace(-1, 1, channels)
        band = 1 + rng.uniform(-0.15, 0.15, self.inputs)[:, None] * x - 0.3 * x ** 8
        self.data = data * (band[self.i] * band[self.j]).T.astype(np.float32)

    def _wave(self, east, north, power, heard):
        """Products of a plane wave, [channel, product]."""
        at = np.array([a.enu for a in self.obs.antennas])[:, :2]
        delay = np.repeat(at @ [east, north], 2) / 299792458.0
        phase = np.exp(2j * np.pi * self.frequencies[:, None] * delay) * np.sqrt(heard)
        return (power * phase[:, self.i] * phase[:, self.j].conj()).astype(np.complex64)

    def dirty(self):
        """[dump, channel]: some interference is there."""
        return np.any(list(self.truth.values()), axis=0)

    def crosses(self):
        """Which products are of two different stations."""
        return self.i // 2 != self.j // 2


class dump_source(gr.sync_block):
    """Sends visibilities [dump, channel, product] as an integrator does."""

    def __init__(self, data, per_item, seconds=SECONDS, start=START):
        self.rows = data.reshape(-1, per_item * data.shape[2])
        self.per_dump = data.shape[1] // per_item
        self.seconds, self.begin, self.sent = seconds, start, 0
        values = self.rows.shape[1]
        gr.sync_block.__init__(self, "dump_source", None,
                               [(np.complex64, (values,)), (np.float32, (values,))])

    def work(self, _, output_items):
        vis, weights = output_items
        n = min(len(vis), len(self.rows) - self.sent)
        if n == 0:
            return -1
        vis[:n] = self.rows[self.sent:self.sent + n]
        weights[:n] = 1
        for k in range(-self.sent % self.per_dump, n, self.per_dump):
            at = self.begin + (self.sent + k) // self.per_dump * self.seconds
            for port in (0, 1):
                tag = lambda key, value: self.add_item_tag(
                    port, self.nitems_written(port) + k, pmt.intern(key), value)
                tag("rx_time", pmt.make_tuple(pmt.from_uint64(int(at)), pmt.from_double(at % 1)))
                tag("interval", pmt.from_double(self.seconds))
                tag("exposure", pmt.from_double(self.seconds))
        self.sent += n
        return n


class flag_sink(gr.sync_block):
    """Keeps flags, or anything else that comes in vectors of bytes."""

    def __init__(self, values):
        gr.sync_block.__init__(self, "flag_sink", [(np.uint8, (values,))], None)
        self.rows = []

    def work(self, input_items, _):
        self.rows.append(input_items[0].copy())
        return len(input_items[0])


def flag(sky, **settings):
    """(flags [dump, channel, product], seconds that it took) of rfi_flagger."""
    per_item = fringe.channels_per_item(sky.inputs, sky.channels)
    source = dump_source(sky.data, per_item)
    flagger = fringe.rfi_flagger(sky.obs, sky.channels, **settings)
    values = per_item * len(sky.i)
    sink = flag_sink(values)
    top = gr.top_block()
    for port in (0, 1):
        top.connect((source, port), (flagger, port))
        top.connect((flagger, port), blocks.null_sink(values * (8, 4)[port]))
    top.connect((flagger, 2), sink)
    began = time.monotonic()
    top.run()
    return np.concatenate(sink.rows).reshape(sky.data.shape), time.monotonic() - began


def write(sky, path, flagger=None):
    """Writes a MeasurementSet through visibility_sink, with the flags of a flagger if given."""
    per_item = fringe.channels_per_item(sky.inputs, sky.channels)
    top = gr.top_block()
    source = last = dump_source(sky.data, per_item)  # kept: Python's blocks die with their names
    sink = fringe.visibility_sink(sky.obs, path, sky.channels, overwrite=True)
    if flagger:
        for port in (0, 1):
            top.connect((last, port), (flagger, port))
        last = flagger
    for port in range(3 if flagger else 2):
        top.connect((last, port), (sink, port))
    top.run()
    del source
    if sink.error():
        raise RuntimeError(sink.error())


def read_flags(sky, path):
    """FLAG of a MeasurementSet as [dump, channel, product]; products that it has not are True."""
    from casacore.tables import table
    with table(path, ack=False) as rows:
        flags = rows.getcol("FLAG")
        a, b = rows.getcol("ANTENNA1"), rows.getcol("ANTENNA2")
    out = np.ones((sky.dumps, sky.channels, sky.inputs, sky.inputs), bool)
    per_dump = len(flags) // sky.dumps
    for k in range(per_dump):
        for corr, (p, q) in enumerate(((0, 0), (0, 1), (1, 0), (1, 1))):
            out[:, :, 2 * a[k] + p, 2 * b[k] + q] = flags[k::per_dump, :, corr]
    return out[:, :, sky.i, sky.j]


def aoflagger(sky, path):
    """(flags, seconds) of Debian's aoflagger with its default strategy on a MeasurementSet."""
    began = time.monotonic()
    subprocess.run(["aoflagger", path], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "LC_ALL": "C"})
    took = time.monotonic() - began
    return read_flags(sky, path), took
