#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Stations whose receivers drift, and their correlator, for tests: numpy alone."""

import time

import numpy as np
import pmt
from gnuradio import fringe, gr
from gnuradio.fringe.calibration.sources import source_at

START, RATE, MIDDLE = 1_772_323_200, 1e6, 150e6
SKY = ["120,50,2", "250,70,1", "10,35,0.7"]


def observation(rng, stations, channels=16, hands="X"):
    """Stations at random places within 200 m."""
    obs = fringe.observation()
    obs.set_site(-30, 20, 1000)
    inputs = []
    for a in range(stations):
        obs.add_antenna(f"A{a}", list(rng.uniform(-100, 100, 3) * (1, 1, 0.02)))
        for hand in hands:
            entry = fringe.input()
            entry.antenna, entry.polarization, entry.stream = a, hand, len(inputs)
            inputs.append(entry)
    obs.inputs = inputs
    obs.sample_rate, obs.center_frequency, obs.channels = RATE, MIDDLE, channels
    return obs


class stations(gr.sync_block):
    """Dumps of 1 s of drifting stations, and the corrections that its F-engine gets.

    made: called with the number of a dump, its values [channel][product], and returns what is
    sent; it may wait. coherence: of each dump, over `counted` inputs.
    """

    def __init__(self, obs, rng, dumps, drift=30.0, delay=2e-7, noise=2.0, late=0, sky=SKY):
        self.count, self.channels = len(obs.inputs), obs.channels
        self.products = self.count * (self.count + 1) // 2
        gr.sync_block.__init__(self, name="stations", in_sig=None,
                               out_sig=[(np.complex64, self.channels * self.products)])
        self.obs, self.rng, self.dumps, self.late = obs, rng, dumps, late
        self.f = np.array(obs.channel_frequencies(self.channels, True))
        self.delay = rng.uniform(-delay, delay, self.count)
        self.phase = rng.uniform(-np.pi, np.pi, self.count)
        self.drift = np.radians(drift) / 60 * rng.uniform(-1, 1, self.count)
        self.gain = rng.uniform(0.5, 2, self.count)
        self.noise, self.made = noise, 0
        self.sources = [source_at(text, True) for text in sky]
        self.counted = np.ones(self.count, bool)
        self.coherence, self.change = [], lambda k, values: values
        self._factors = [(-np.inf, np.ones((self.count, self.channels)))]
        self._arrived = []
        #: how many solutions were tried: so far behind it the stations are at most
        self.solved = lambda: self.made
        for port, handler in (("corrections", self._corrections), ("state", self._state)):
            self.message_port_register_in(pmt.intern(port))
            self.set_msg_handler(pmt.intern(port), handler)
        #: the dicts that came from the port `state`
        self.states = []
        self.set_max_noutput_items(1)
        self._model = None

    def _corrections(self, message):
        get = lambda name: pmt.dict_ref(message, pmt.intern(name), pmt.PMT_NIL)  # noqa: E731
        when = pmt.to_uint64(pmt.tuple_ref(get("time"), 0)) + pmt.to_double(
            pmt.tuple_ref(get("time"), 1))
        factors = np.array(pmt.c32vector_elements(get("corrections")))
        self._arrived.append((self.made + self.late, when,
                              factors.reshape(self.count, self.channels)))

    def _state(self, message):
        self.states.append(pmt.to_python(message))

    def gains(self, seconds):
        """[input][channel] of the receivers."""
        turn = self.phase + self.drift * seconds
        return self.gain[:, None] * np.exp(1j * turn[:, None] - 2j * np.pi * np.outer(
            self.delay, self.f - MIDDLE))

    def factors(self, seconds):
        """Those that count for a dump."""
        some = [entry for entry in self._arrived if entry[0] <= self.made]
        self._arrived = [entry for entry in self._arrived if entry[0] > self.made]
        self._factors += [(when, factors) for _, when, factors in some]
        return [factors for when, factors in self._factors if when <= START + seconds + 1e-6][-1]

    def sky(self):
        """Visibilities of the sky, [channel][product]."""
        if self._model is None:
            antenna = np.array([entry.antenna for entry in self.obs.inputs])
            hand = np.array([entry.polarization for entry in self.obs.inputs])
            i, j = np.triu_indices(self.count)
            at = fringe.epoch(START, 0.0)
            self._model = 0
            for source in self.sources:
                tau = np.array(source.delays(self.obs, at))[antenna]
                self._model = self._model + source.flux * np.exp(
                    -2j * np.pi * np.outer(self.f, tau[i] - tau[j])) * (hand[i] == hand[j])
        return self._model

    def work(self, input_items, output_items):
        """One dump."""
        if self.made == self.dumps:
            return -1
        end = time.monotonic() + 20  # messages are taken between calls, so no lock is waited for
        while self.solved() < self.made - 1 and time.monotonic() < end:
            time.sleep(0.001)
        k, (i, j) = self.made, np.triu_indices(self.count)
        g = self.gains(k + 0.5)
        both = (g[i] * g[j].conj()).T
        v = self.sky() + np.where(i == j, self.noise, 0)
        power = np.abs(v[:, i == j])
        sigma = np.sqrt(power[:, i] * power[:, j] / (RATE / self.channels))
        v = v + np.where(i == j, 0, sigma * (self.rng.normal(size=(*v.shape, 2)) @ (1, 1j))
                         / np.sqrt(2))
        v = self.change(k, v * both)
        factors = self.factors(k)
        residual = (g * factors)[self.counted]
        residual = residual / np.abs(residual)
        n = len(residual)
        self.coherence.append(float((np.abs(residual.sum(axis=0)) ** 2 - n).mean() / (n * (n - 1))))
        v = v * (factors[i] * factors[j].conj()).T
        output_items[0][0] = v.astype(np.complex64).ravel()
        where = self.nitems_written(0)
        self.add_item_tag(0, where, pmt.intern("rx_time"), pmt.make_tuple(
            pmt.from_uint64(START + k), pmt.from_double(0.0)))
        for name in ("interval", "exposure"):
            self.add_item_tag(0, where, pmt.intern(name), pmt.from_double(1.0))
        self.made += 1
        return 1
