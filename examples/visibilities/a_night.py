#!/usr/bin/env python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A simulated night of 27 antennas at 1.4 GHz: 3C286, and a field with a radio galaxy.

    a_night.py CALIBRATOR.ms TARGET.ms [SHORTER]

Receivers, leakages and a satellite are simulated in dumps; the RFI Flagger searches them, and the
Visibility Sink writes them. SHORTER: divides the number of dumps.
"""
import sys

import numpy as np
import pmt
from gnuradio import fringe, gr
from gnuradio.fringe.sky_model.flux_scale import standard_named, standard_stokes

ANTENNAS, CHANNELS, WIDTH, CENTER = 27, 32, 2e6, 1.4e9
START = fringe.epoch.from_iso("2026-06-12T02:30:00")
CALIBRATOR, TARGET = (202.784534, 30.509155), (197.2, 28.4)  # right ascension, declination
SEFD, SCALE = 2000.0, 0.03  # Jy of a receiver; counts a Jy
C = 299792458.0
ARCMIN = np.radians(1 / 60)
#: (l, m) in arcmin, Stokes parameters in Jy at the center, spectral index, width in arcmin.
SOURCES = [((-4.0, 3.5), (0.9, 0, 0, 0), -0.7, 0), ((7.5, -6.0), (0.35, 0, 0, 0), -0.9, 0),
           ((9.0, 8.0), (0.2, 0.02, 0, 0), 0.1, 0), ((-9.5, -7.5), (0.12, 0, 0, 0), -0.8, 0),
           ((-7.0, 9.5), (0.06, 0, 0, 0), -0.6, 0), ((2.0, -10.0), (0.03, 0, 0, 0), -0.7, 0),
           # The galaxy: its core, and two lobes whose fields stand differently.
           ((2.0, 1.0), (0.15, 0, 0, 0), 0.0, 0), ((0.4, 2.6), (0.7, 0.12, 0.07, 0), -0.8, 2.2),
           ((3.8, -0.8), (0.6, -0.08, 0.1, 0), -0.8, 2.0)]


class receivers:
    """Gains, bandpasses, leakages and delays of all antennas: Jones matrices of an instant."""

    def __init__(self, rng, frequencies):
        two = ANTENNAS, 2
        x = np.linspace(-1, 1, len(frequencies))[:, None, None]
        self._amplitude = 1 + 0.1 * rng.standard_normal(two)
        self._phase, self._drift = rng.uniform(-np.pi, np.pi, two), np.radians(
            30 / 3600) * rng.uniform(-1, 1, two)
        self._cloud = rng.uniform(0, 2 * np.pi, (ANTENNAS, 1))
        band = 1 + 0.08 * np.sin(3 * x + rng.uniform(0, 6, two)) - 0.25 * x**8
        delay = 4e-9 * rng.standard_normal(two)
        ripple = 0.15 * np.cos(2 * x + rng.uniform(0, 6, (ANTENNAS, 1)))
        turns = delay * (frequencies - frequencies.mean())[:, None, None]
        self._band = band * np.exp(1j * (ripple - 2 * np.pi * turns))
        self._leak = 0.03 * (rng.standard_normal((*two, 2)) @ [1, 1j])

    def jones(self, seconds):
        """[channel][antenna][2][2]"""
        # The receivers drift slowly, and the air over them by 15 degrees in half an hour.
        phase = self._phase + self._drift * seconds + 0.25 * np.sin(seconds / 270 + self._cloud)
        gain = SCALE**0.5 * self._amplitude * (1 + 0.03 * np.sin(seconds / 2000)) * np.exp(
            1j * phase)
        leakage = np.zeros((ANTENNAS, 2, 2), complex)
        leakage[:, 0, 0] = leakage[:, 1, 1] = 1
        leakage[:, 0, 1], leakage[:, 1, 0] = self._leak.T
        return (gain * self._band)[..., None] * leakage


def observation_of(center, length):
    """A Y of three arms of nine antennas, with feeds that turn against the sky."""
    arms = [(9 * (k + 1)**1.7 * np.sin(turn), 9 * (k + 1)**1.7 * np.cos(turn))
            for turn in np.radians([5, 125, 245]) for k in range(9)]
    return fringe.observation.from_text(repr({
        "telescope": "Y27", "site": {"latitude": 34.08, "longitude": -107.62, "height": 2100.0},
        "antennas": [{"enu": [float(e), float(n), 0.0], "mount": "alt-az"} for e, n in arms],
        "polarizations": ["X", "Y"], "sample_rate": CHANNELS * WIDTH, "center_frequency": CENTER,
        "channels": CHANNELS, "integration": float(length), "start_time": START.iso(0) + "Z",
        "phase_center": dict(zip(("ra", "dec"), center))}))


def sky_of(name, frequencies):
    """(direction in degrees, Stokes parameters [channel][4], width in radians) of sources."""
    if name == "calibrator":
        stokes = standard_stokes(standard_named("3C286"), frequencies)
        made = np.zeros((len(frequencies), 4))
        made[:, :len(stokes)] = stokes.T
        return [((0.0, 0.0), made, 0.0)]
    return [(np.array(place) * ARCMIN, np.array(stokes) * (frequencies / CENTER)[:, None]**index,
             width * ARCMIN) for place, stokes, index, width in SOURCES]


class dump_source(gr.sync_block):
    """Sends dumps of one direction: (seconds after START) of each, `length` long."""

    def __init__(self, obs, center, sky, starts, length, chain, rng):
        count = len(obs.inputs)
        self._pairs = np.triu_indices(count)
        item = CHANNELS * len(self._pairs[0])
        gr.sync_block.__init__(self, "dump_source", None, [(np.complex64, item)])
        self._places = np.array([antenna.itrf for antenna in obs.antennas])
        self._f = np.array(obs.channel_frequencies(CHANNELS, True))
        self._center, self._sky, self._starts = np.radians(center), sky, list(starts)
        self._length, self._chain, self._rng, self._sent = length, chain, rng, 0
        low, high = (np.array(fringe.itrf_from_enu(obs, [0.0, 0.0, h])) for h in (0.0, 1.0))
        self._zenith = high - low

    def work(self, input_items, output_items):
        """One dump a call."""
        if self._sent == len(self._starts):
            return -1
        start = self._starts[self._sent]
        begin = START.plus_seconds(float(start))
        for key, value in (
                ("rx_time", pmt.make_tuple(pmt.from_uint64(begin.seconds),
                                           pmt.from_double(begin.fraction()))),
                ("interval", pmt.from_double(self._length)),
                ("exposure", pmt.from_double(self._length))):
            self.add_item_tag(0, self._sent, pmt.intern(key), value)
        output_items[0][0] = self._dump(start).ravel()
        self._sent += 1
        return 1

    def _dump(self, start):
        """[channel][product]"""
        middle = start + self._length / 2
        axes = np.array(fringe.axes_of_radec(*self._center, START.plus_seconds(float(middle))))
        uvw = self._places @ axes.T
        # The angle between north and the zenith turns the feeds.
        angle = np.arctan2(axes[0] @ self._zenith, axes[1] @ self._zenith)
        feed = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        matrix = self._chain.jones(middle) @ feed
        waves = self._f[:, None] / C
        near = np.hypot(*(uvw[:, None] - uvw)[..., :2].transpose(2, 0, 1)) * waves[..., None]
        total = np.zeros((CHANNELS, ANTENNAS, 2, ANTENNAS, 2), complex)
        for (l, m), stokes, width in self._sky:
            n = np.sqrt(1 - l * l - m * m)
            turn = np.exp(2j * np.pi * (uvw @ [l, m, n]) * waves)  # [channel][antenna]
            i, q, u, v = stokes.T
            bright = np.array([[i + q, u + 1j * v], [u - 1j * v, i - q]]).transpose(2, 0, 1)
            seen = matrix * turn[..., None, None]
            shape = np.exp(-(np.pi * width * near)**2 / (4 * np.log(2)))
            total += np.einsum("caij,cjk,cblk->caibl", seen, bright, seen.conj(),
                               optimize=True) * shape[:, :, None, :, None]
        count = 2 * ANTENNAS
        a, b = self._pairs
        flat = total.reshape(CHANNELS, count, count)[:, a, b]
        return self._with_noise(flat, matrix, start).astype(np.complex64)

    def _with_noise(self, flat, matrix, start):
        a, b = self._pairs
        power = SEFD * (np.abs(matrix)**2).sum(axis=-1).reshape(CHANNELS, -1)
        sigma = np.sqrt(power[:, a] * power[:, b] / (WIDTH * self._length))
        noise = sigma * (self._rng.standard_normal((*flat.shape, 2)) @ [1, 1j]) / np.sqrt(2)
        flat = flat + np.where(a == b, power[:, a] + noise.real * np.sqrt(2), noise)
        if 600 <= start % 2700 < 900:  # a satellite in two channels, each three quarters of an hour
            turns = np.exp(2j * np.pi * self._rng.uniform(0, 1, 2 * ANTENNAS))
            flat[:, :][[20, 21]] += 3 * SCALE * turns[a] * turns[b].conj()
        return flat


class cross_flags(gr.sync_block):
    """Takes the flags off the powers of inputs, in which the shape of the band is much stronger
    than the noise, so that it looks like interference."""

    def __init__(self, inputs):
        a, b = np.triu_indices(inputs)
        self._kept = np.tile(a != b, CHANNELS)
        item = [(np.uint8, len(self._kept))]
        gr.sync_block.__init__(self, "cross_flags", item, item)

    def work(self, input_items, output_items):
        """Copies the flags of two inputs."""
        output_items[0][:] = input_items[0] * self._kept
        return len(output_items[0])


def record(path, name, center, starts, length, seed, chain_seed=1):
    """A MeasurementSet of one direction."""
    obs = observation_of(center, length)
    f = np.array(obs.channel_frequencies(CHANNELS, True))
    chain = receivers(np.random.default_rng(chain_seed), f)
    source = dump_source(obs, center, sky_of(name, f), starts, length, chain,
                         np.random.default_rng(seed))
    # In dumps of minutes sums over antennas see the sky change, so "power" is left out.
    flagger = fringe.rfi_flagger(obs, CHANNELS, window=min(32, len(starts)),
                                 detectors=["median", "threshold"], channels_per_item=CHANNELS)
    sink = fringe.visibility_sink(obs, path, CHANNELS, overwrite=True, keep_edge=True,
                                  channels_per_item=CHANNELS)
    top = gr.top_block()
    top.connect(source, flagger, sink)
    top.connect((flagger, 1), (sink, 1))
    crosses = cross_flags(len(obs.inputs))
    top.connect((flagger, 2), crosses)
    top.connect(crosses, (sink, 2))
    top.run()
    if sink.error():
        sys.exit(sink.error())
    print(f"{path}: {sink.dumps()} dumps of {length:g} s, "
          f"{100 * flagger.totals()['any'] / flagger.totals()['all']:.1f} % flagged")


def record_night(calibrator, target, shorter=1):
    """Three scans of 3C286, and the field between them; shorter: divides the number of dumps."""
    scans = [first + 30.0 * k for first in (0, 5400, 10800) for k in range(max(8 // shorter, 4))]
    field = [first + 120.0 * k * shorter for first in (480, 5880) for k in range(40 // shorter)]
    record(calibrator, "calibrator", CALIBRATOR, scans, 30.0, 2)
    record(target, "target", TARGET, field, 120.0, 3)


if __name__ == "__main__":
    record_night(*sys.argv[1:3], *map(int, sys.argv[3:4]))
