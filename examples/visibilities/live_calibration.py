#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""An array that calibrates itself: live_calibration.py [STATIONS] [PICTURE.png].

Stations with cables of unknown length and phases that drift by up to 30 degrees a minute look at
three sources. numpy makes their dumps, one a second, and applies the corrections as an F-engine
does; the Live Calibrator keeps the array coherent. A transmitter is on for two dumps, and a station
dies.
"""
import sys
import tempfile
import time

import numpy as np
import pmt
from gnuradio import fringe, gr
from gnuradio.fringe.calibration.sources import source_at

#: s that stations wait for a solution.
MAX_WAIT = 60
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

    change: function of the number of a dump and its values [channel][product], before corrections,
    that returns what the correlator gets. coherence: of each dump, over `counted` inputs. late:
    dumps by which corrections come too late. beam: the corrections go to a beamformer alone, and
    the dumps do not have them.
    """

    def __init__(self, obs, rng, dumps, drift=30.0, delay=2e-7, noise=2.0, late=0, sky=SKY,
                 beam=False):
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
        self.noise, self.made, self.beam = noise, 0, beam
        self.sources = [source_at(text, True) for text in sky]
        self.counted = np.ones(self.count, bool)
        self.coherence, self.change = [], lambda k, values: values
        self._factors = [(-np.inf, np.ones((self.count, self.channels)))]
        self._arrived = []
        #: messages with corrections that came
        self.corrected = 0
        #: whether the next dump has to wait for a solution
        self.is_ahead = lambda: False
        for port, handler in (("corrections", self._corrections), ("state", self._state)):
            self.message_port_register_in(pmt.intern(port))
            self.set_msg_handler(pmt.intern(port), handler)
        #: the dicts that came from the port `state`
        self.states = []
        self._give_up = time.monotonic() + MAX_WAIT
        self.set_max_noutput_items(1)
        self._model = None

    def _corrections(self, message):
        get = lambda name: pmt.dict_ref(message, pmt.intern(name), pmt.PMT_NIL)  # noqa: E731
        when = pmt.to_uint64(pmt.tuple_ref(get("time"), 0)) + pmt.to_double(
            pmt.tuple_ref(get("time"), 1))
        factors = np.array(pmt.c32vector_elements(get("corrections")))
        self._arrived.append((self.made + self.late, when,
                              factors.reshape(self.count, self.channels)))
        self.corrected += 1

    def _state(self, message):
        self.states.append(pmt.to_python(message))

    def gains(self, seconds):
        """[input][channel] of the receivers."""
        turn = self.phase + self.drift * seconds
        return self.gain[:, None] * np.exp(1j * turn[:, None] - 2j * np.pi * np.outer(
            self.delay, self.f - MIDDLE))

    def factors(self, seconds):
        """Those that count for a dump."""
        while self._arrived and self._arrived[0][0] <= self.made:
            self._factors.append(self._arrived.pop(0)[1:])
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
        if self.is_ahead() and time.monotonic() < self._give_up:
            time.sleep(0.001)
            return 0  # messages are taken between calls
        self._give_up = time.monotonic() + MAX_WAIT
        if self.made == self.dumps:
            return -1
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
        if not self.beam:
            v = v * (factors[i] * factors[j].conj()).T
        output_items[0][0] = v.astype(np.complex64).ravel()
        where = self.nitems_written(0)
        self.add_item_tag(0, where, pmt.intern("rx_time"), pmt.make_tuple(
            pmt.from_uint64(START + k), pmt.from_double(0.0)))
        for name in ("interval", "exposure"):
            self.add_item_tag(0, where, pmt.intern(name), pmt.from_double(1.0))
        self.made += 1
        return 1


def catalogue(path, sky=SKY):
    """Writes a list of sources, AZ,EL[,FLUX] each."""
    with open(path, "w", encoding="utf-8") as file:
        for k, text in enumerate(sky):
            az, el, *flux = text.split(",")
            file.write(f"- {{name: S{k}, az: {az}, el: {el}"
                       + (f", flux: {flux[0]}" if flux else "") + "}\n")
    return path


def loop(array, sources, **words):
    """Lets stations and a Live Calibrator run until the dumps are over; returns the block."""
    block = fringe.live_calibrator(array.obs, sources, array.channels,
                                   channels_per_item=array.channels, **words)
    together = words.get("dumps", 1)

    def is_ahead():
        waiting = array.made - len(array.states) * together - block.skipped()
        under_way = array.made > block.taken() + block.skipped()
        return under_way or waiting >= together or array.corrected < block.sent()
    array.is_ahead = is_ahead
    flowgraph = gr.top_block()
    flowgraph.connect(array, block)
    flowgraph.msg_connect(block, "corrections", array, "corrections")
    flowgraph.msg_connect(block, "state", array, "state")
    flowgraph.run()
    return block


def main(count=64, picture=None):
    """Returns the coherence of each dump."""
    rng = np.random.default_rng(1)
    array = stations(observation(rng, count), rng, 30)
    i, j = np.triu_indices(count)
    place = np.exp(2j * np.pi * rng.random(count))

    def change(k, values):
        if k in (10, 11):
            values = values + 20 * place[i] * place[j].conj()
        if k >= 20:
            array.counted[3] = False
            values = np.where((i == 3) | (j == 3), np.where(i == j, 0.001, 0) * values, values)
        return values
    array.change = change
    with tempfile.NamedTemporaryFile(suffix=".yml") as file:
        loop(array, catalogue(file.name))
    for state in array.states:
        print(f"dump {state['seconds'] - START:2d}: coherence {state['coherence']:.3f}, solved in "
              f"{state['solved_in']:.2f} s {state['problem'][:60]} {state['bad'] or ''}")
    if picture:
        from matplotlib import pyplot
        figure, axes = pyplot.subplots(figsize=(8, 3.4), layout="constrained")
        axes.plot(array.coherence, "o-")
        axes.axvspan(10, 11, color="C1", alpha=0.3, label="a transmitter is on")
        axes.axvline(20, color="C3", label="a station dies")
        axes.set(xlabel="dump (1 s)", ylabel="coherence", ylim=(0, 1.02),
                 title=f"{count} stations, phases drift by up to 30 degrees a minute")
        axes.legend(loc="lower right")
        figure.savefig(picture, dpi=80)
    return array.coherence


if __name__ == "__main__":
    main(*([int(sys.argv[1])] if len(sys.argv) > 1 else []), *sys.argv[2:3])
