#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything at the same time on one GPU: what gpu_live.py --all runs.

    gpu_live.py --all [--seconds 8] [--steps visibilities,flags,...] [--small] [--ring 2]
                     [--without images,...] [--moving]

512 inputs, 1024 channels, 30.72 MHz of 8 + 8 bit samples: 31.5 GB/s, sent at that rate from a ring
that was filled once, with noise and two sources that each receiver turns by a phase of its own: A
at the zenith, and B, of three times its power, 30 degrees to the east. The steps are switched on in
turn, each in a process of its own:

  visibilities  dumps of 2 s come to host memory
  flags         interference is searched for in the spectra, and left out
  images        of dumps of 0.5 s: 4 Stokes parameters x 198 groups of channels x 512 x 512 pixels
  calibration   every 2 s, by 16 of the channels; corrections go to the channelizer
  peeling       B is taken out of the dumps of 0.5 s, with gains of each station solved for each of
                them, before images are made; the images say what is left at its place
  beams         1000 directions of two polarizations, powers of 50 ms in 1024 channels, into
                SIGPROC filterbanks, a file for each direction
  ring          the last seconds of samples
  metrics       read once a second

A block of samples that the flowgraph has no room for in time is lost, as it would be with a network
card: the source counts it. --small is a size for computers without a GPU.
"""
import argparse
import os
import resource
import shutil
import sys
import tempfile
import threading
import time
import traceback

import numpy as np
import pmt

import gpu_flowgraph as g
from gnuradio import blocks, fringe, gr
from gnuradio.fringe import fringe_python as fp
from gnuradio.fringe.chains.stage_maker import stage_maker
from gnuradio.fringe.images.extent import BORDER
from gnuradio.fringe.observing.sizes import block_sizes
from gnuradio.fringe.operating.blocks import blocks_of
from gnuradio.fringe.operating.operator import flowgraph_operator
from live_watches import busiest, picture_sink, stations_at_zenith, thread_seconds, used_memory

STEPS = ("visibilities", "flags", "images", "calibration", "peeling", "beams", "ring", "metrics")
IMAGE, SOLUTION, MEAN = 0.5, 2.0, 0.05  # seconds
#: Sources: azimuth and elevation in degrees, power in that of the receivers' noise.
SKY = {"A": (0.0, 90.0, 2.25), "B": (90.0, 60.0, 6.75)}
NOISE = 6.0  # of each component of a sample, in steps of the 8 bits
#: Samples in the order in which they were received. Long ones come again as a whole, and the search
#: for interference finds that; short ones end between two stations more often.
PIECE = 128
CENTER = 150e6  # Hz


class sizes:
    """Of the array; `small` for the stand-in device of the tests."""

    def __init__(self, small, directions=0, moving=False):
        self.stations = 12 if small else 256
        self.channels, self.block = (32, 64) if small else (1024, 512)
        self.rate = 40e3 if small else 30.72e6
        self.pixels, self.groups = (32, 2) if small else (512, 198)
        self.directions = directions or (5 if small else 1000)
        self.moving = moving
        self.step = 4 if small else 64  # of the channels, for the calibrator
        self.ring = 8 if small else 20  # blocks, between the source and its readers: 0.34 s
        self.inputs = 2 * self.stations
        self.item = 2 * self.inputs * self.channels * self.block
        self.items = self.rate / self.channels / self.block  # a second

    def observation(self):
        return stations_at_zenith(self.stations, sample_rate=self.rate, channels=self.channels,
                                  start_time="2026-06-12T21:33:20Z")

    def sources_in(self, item):
        """The value of Stokes I at the place of each source, the mean of all groups of channels of
        an image: the largest of the pixels around it."""
        side, pixel = self.pixels, 2 / (self.pixels - BORDER)
        stokes = item[:self.groups * side * side].reshape(self.groups, side, side)
        found = {}
        for name in SKY:
            l, m, _ = towards_source(name)
            column, row = round((side - 1) // 2 + l / pixel), round(side // 2 + m / pixel)
            around = stokes[:, row - 2:row + 3, column - 2:column + 3].mean(axis=0)
            found[name] = float(around.ravel()[np.abs(around).argmax()])
        return found

    def towards(self):
        """Directions of beams, evenly over the sky above 30 degrees, or among the stars."""
        k = np.arange(self.directions)
        if self.moving:
            declination = np.degrees(np.arcsin(2 * (k + 0.5) / len(k) - 1))
            return [f"{ra:.3f},{dec:.3f}" for ra, dec in zip(137.508 * k % 360, declination)]
        elevation = np.degrees(np.arcsin(0.5 + 0.5 * (k + 0.5) / len(k)))
        return [f"az={az:.3f},el={el:.3f}" for az, el in zip(137.508 * k % 360, elevation)]


def towards_source(name):
    """(l, m, n) of a source: to the east, to the north, up."""
    azimuth, elevation = np.radians(SKY[name][:2])
    return np.array([np.cos(elevation) * np.sin(azimuth), np.cos(elevation) * np.cos(azimuth),
                     np.sin(elevation)])


def live_source(its):
    """Samples [time][input] that hold the sources, sent by a block in C++, which counts the blocks
    for which there was no room when they were due. An item has pieces of them in an order of its
    own: noise that does not repeat itself. What a station receives of a source comes earlier the
    nearer it stands to it, but for the two ends of a piece."""
    row, rng = 2 * its.inputs, np.random.default_rng(1)
    times = min(its.item, 128 << 20) // row // PIECE * PIECE
    turns = np.exp(2j * np.pi * rng.random(its.inputs))
    places = np.array([antenna.enu for antenna in its.observation().antennas])
    frequencies = CENTER + np.fft.fftfreq(times, 1 / its.rate)
    waves = {name: np.fft.fft(rng.normal(0, NOISE * power**0.5, (times, 2)) @ [1, 1j])
             for name, (_, _, power) in SKY.items()}
    some = np.empty((times, its.inputs, 2), np.int8)
    for station, place in enumerate(places):
        x = np.fft.ifft(sum(wave * np.exp(2j * np.pi * frequencies * (
            place @ towards_source(name) / 299792458.0))
                            for name, wave in waves.items()))
        for k in (2 * station, 2 * station + 1):
            noise = NOISE * rng.standard_normal((times, 2), np.float32) @ [1, 1j]
            turned = turns[k] * x + noise
            some[:, k] = np.stack([turned.real, turned.imag], -1).round().clip(-127, 127)
    return fp._filled_source(its.item, its.ring, its.rate, some.ravel().view(np.uint8),
                             PIECE * row, False)


class one_card(gr.top_block):
    """The flowgraph, with the steps up to one of them."""

    def __init__(self, its, steps, folder, ring_seconds, backend):
        gr.top_block.__init__(self, "one card", catch_exceptions=True)
        self.obs, self.its, self.folder, self.steps = its.observation(), its, folder, steps
        self.source = live_source(its)
        # The source is stronger than the receivers: their noise is not independent.
        search = {"combined": False} if "flags" in steps else None
        make = stage_maker(
            sizes=block_sizes("ci8", its.inputs, its.channels, its.block, 0), taps=4,
            window="hann", requantize="8", gains=[0.4], files=1, streams=[], conjugate=[],
            corrections=[], tracking=None, remove_mean=False, seconds=IMAGE, search=search)
        self.unpack, self.channelizer = make.unpack(backend), make.channelizer(backend)
        self.xengine = make.xengine(backend)
        row = [self.source, self.unpack, self.channelizer]
        if search is not None:
            self.flagger = make.flaggers([backend], [its.channels])[0]
            row.append(self.flagger)
        self.connect(*row, self.xengine)
        self.spectra, self.per_item = row[-1], make.sizes.channels_per_item
        make.seconds = SOLUTION
        self.integrator = make.integrator(backend)
        self.connect(self.xengine, self.integrator)
        for step in steps[1:]:
            getattr(self, f"_{step}")(backend, ring_seconds)
        if "calibration" not in steps:
            values = make.sizes.visibilities
            self.nulls = [blocks.null_sink(size * values) for size in (8, 4)]
            for port, sink in enumerate(self.nulls):
                self.connect((self.integrator, port), sink)

    def _flags(self, *_):
        pass  # they are in the row

    def _metrics(self, *_):
        pass  # they are read from outside

    def _peeling(self, *_):
        pass  # it is before the imager

    def _images(self, backend, _):
        its, width = self.its, self.its.rate / self.its.channels
        self.image_sums = fringe.integrator(its.inputs, its.channels, "i8", IMAGE, 0, self.per_item,
                                            backend)
        used = its.groups * ((its.channels - 10) // its.groups)
        edge = (its.channels // 2 - (its.channels - used) // 2 - 0.5) * width
        self.imager = fringe.imager(
            self.obs, its.channels, its.pixels, pol="IQUV", channels_out=its.groups, eps=1e-3,
            band=(CENTER - edge, CENTER + edge), backend="cuda", channels_per_item=self.per_item)
        self.pictures = picture_sink(4 * its.groups * its.pixels ** 2, its.sources_in)
        dumps = [self.image_sums]
        if "peeling" in self.steps:
            self.peeler = fringe.peeler(
                self.obs, self._sky_file("B"), its.channels, dumps=4,
                solution_channels=its.channels // 4, channels_per_item=self.per_item,
                backend="cuda")
            self.solutions = solutions_of()
            self.msg_connect(self.peeler, "solutions", self.solutions, "solutions")
            dumps.append(self.peeler)
        dumps.append(self.imager)
        self.connect(self.xengine, *dumps, self.pictures)
        for block, reader in zip(dumps, dumps[1:]):
            self.connect((block, 1), (reader, 1))

    def _sky_file(self, *names):
        path = os.path.join(self.folder, "".join(names) + ".yml")
        with open(path, "w", encoding="utf-8") as file:
            for name in names:
                azimuth, elevation, power = SKY[name]
                file.write(f"- {{name: {name}, az: {azimuth}, el: {elevation}, "
                           f"flux: {power}}}\n")
        return path

    def _calibration(self, *_):
        self.calibrator = fringe.live_calibrator(
            self.obs, self._sky_file("A", "B"), self.its.channels, delays=False,
            channels_per_item=self.per_item, channel_step=self.its.step, ahead=0.5, max_misfit=0.2)
        self.connect(self.integrator, self.calibrator)
        self.connect((self.integrator, 1), (self.calibrator, 1))
        self.msg_connect(self.calibrator, "corrections", self.channelizer, "corrections")

    def _beams(self, backend, _):
        its, towards = self.its, self.its.towards()
        self.former = fringe.beamformer(
            self.obs, towards, "power", MEAN, channels=its.channels, block_spectra=its.block,
            component="i8", backend=backend, half_precision=True)
        self.beams = fringe.filterbank_sink(
            self.obs, towards, os.path.join(self.folder, "beams.fil"), "power", MEAN,
            channels=its.channels)
        self.connect(self.spectra, self.former, self.beams)
        self.connect((self.former, 1), (self.beams, 1))

    def _ring(self, _, seconds):
        its = self.its
        self.ring = fringe.voltage_ring(its.inputs, its.channels * its.block, its.rate, seconds,
                                        os.path.join(self.folder, "ring.sigmf-collection"))
        self.connect(self.source, self.ring)

    def problem(self):
        """Why a block failed; ""."""
        for block in blocks_of(self):
            try:
                why = fringe.failure(getattr(block, "gateway", block))
            except ValueError:  # it is made of others
                continue
            if why:
                return why
        return ""


class solutions_of(gr.basic_block):
    """What a peeler says of its dumps: the last one, and how many were peeled."""

    def __init__(self):
        gr.basic_block.__init__(self, "solutions", None, None)
        port = pmt.intern("solutions")
        self.message_port_register_in(port)
        self.set_msg_handler(port, self._take)
        self._last, self.seconds, self.peeled = None, [], 0
        self.clear()

    def clear(self):
        """Counts from now on."""
        self.seconds, self.peeled = [], 0

    def _take(self, message):
        self._last = pmt.to_python(message)
        sources = self._last["sources"].values()
        self.peeled += bool(sources) and all(source["converged"] for source in sources)
        self.seconds.append(self._last["solved_in"])

    def words(self, image):
        """How many dumps were peeled, what was taken out, and what an image has at these places."""
        words = [f"{self.peeled} dumps peeled, {len(self.seconds) - self.peeled} not, solved in "
                 f"{np.median(self.seconds or [np.nan]):.2f} s, at most "
                 f"{max(self.seconds, default=np.nan):.2f} s"]
        for name, source in (self._last["sources"] if self._last else {}).items():
            if source["converged"]:
                words.append(f"{source['flux']:.4g} of {name} taken out, "
                             f"{100 * image[name] / source['flux']:.2f} % left")
            else:
                words.append(f"{name} stays: {source['problem']}")
        return ", ".join(words)


def made_since(top, began):
    """What the steps of a flowgraph have made since a time."""
    words = []
    if hasattr(top, "pictures"):
        rate, per = top.its.items, IMAGE * top.its.items
        came = [at for at in top.pictures.came if at > began]
        # A picture comes some tenths of a second after its last block, and less than a dump.
        ages = [(at - top.source.began) % (per / rate) for at in came]
        words.append(f"{len(came)} images, age {np.median(ages):.2f} s, oldest {max(ages):.2f} s"
                     if came else "no images")
        if top.pictures.last:
            words.append("last image: " + ", ".join(
                f"{value:.4g} at the place of {name}" for name, value in top.pictures.last.items()))
    if hasattr(top, "peeler"):
        words.append(top.solutions.words(top.pictures.last))
    if hasattr(top, "calibrator"):
        block, state = top.calibrator, top.calibrator.last_state or {}
        words.append(f"{block.sent()} solutions, {block.refused()} refused, {block.skipped()} "
                     f"dumps skipped, coherence {state.get('coherence', np.nan):.3f}, solved in "
                     f"{state.get('solved_in', np.nan):.2f} s {state.get('problem', '')}")
    if hasattr(top, "beams"):
        words.append(f"{top.beams.nitems_read(0)} means of beams, {top.beams.gaps} gaps")
    return words


def run(its, steps, seconds, ring_seconds, backend, folder):
    """Runs the flowgraph, and says what came of it."""
    sys.setswitchinterval(1e-4)  # the files of the beams and the calibrator wait for each other
    memory = used_memory()
    memory.start()
    made = time.monotonic()
    top = one_card(its, steps, folder, ring_seconds, backend)
    source = top.source
    made = time.monotonic() - made
    watch = threading.Timer(seconds + 60, top.stop)
    watch.start()
    began = time.monotonic()
    top.start()
    while source.items < max(2 * its.ring, IMAGE * its.items + its.ring) and watch.is_alive():
        time.sleep(0.01)
    if "--verbose" in sys.argv:
        print(f"      made in {made:.1f} s, first samples after {time.monotonic() - began:.1f} s, "
              f"{memory.peak:.1f} GB of the GPU", flush=True)
    # With the first of each, memory is registered, and programs' libraries are loaded. Nothing can
    # be peeled before the calibrator's first corrections: no source stands out.
    while watch.is_alive() and ("beams" in steps and not top.beams.nitems_read(0)
                                or "images" in steps and len(top.pictures.came) < 2
                                or "peeling" in steps and not top.solutions.peeled):
        time.sleep(0.01)
    if "--verbose" in sys.argv:
        print(f"      ready after {time.monotonic() - began:.1f} s", flush=True)
    source.keep_time(its.items)
    began = time.monotonic() - began
    time.sleep(2)  # until what came as fast as it could is through
    first_lost, n, t, cpu = source.lost, source.items, time.monotonic(), time.process_time()
    source.clear()
    if "peeling" in steps:
        top.solutions.clear()
    threads = thread_seconds()
    operator, reading = flowgraph_operator(top), []
    while time.monotonic() < t + seconds and watch.is_alive():
        if "metrics" in steps:
            asked = time.monotonic()
            found = operator.samples()
            reading.append(time.monotonic() - asked)
        time.sleep(max(0.0, min(1.0, t + seconds - time.monotonic())))
    took, sent = time.monotonic() - t, source.items - n
    lost, late, words = source.lost - first_lost, source.late, made_since(top, t)
    cores = (time.process_time() - cpu) / took
    busy = busiest(threads, took)
    source.end()
    top.stop()
    top.wait()
    watch.cancel()
    if hasattr(top, "beams"):
        size = sum(entry.stat().st_size for entry in os.scandir(folder))
        words.append(f"{size / 1e9:.1f} GB")
    if reading:
        words.append(f"{len(found)} metrics in {1e3 * np.median(reading):.0f} ms")
    host = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{'+ ' * (len(steps) > 1) + steps[-1]:16} {sent * its.item / took / 1e9:5.2f} GB/s "
          f"{took:5.1f} s  lost {lost:3} of {sent + lost} blocks, most behind {late:4.1f}  "
          f"{cores:5.2f} cores  {memory.peak:5.1f} GB of the GPU  {host:5.1f} GB of the host  "
          f"(made in {made:.1f} s, ready in {began:.1f} s)", flush=True)
    for sentence in (*words, top.problem()):
        if sentence:
            print(f"      {sentence}", flush=True)
    if "--verbose" in sys.argv:
        print("      cores by thread: " + ", ".join(busy), flush=True)
    if reading and "--verbose" in sys.argv:
        from gnuradio.fringe.operating.table import table
        print("\n".join("      " + line for line in table(found)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--ring", type=float, default=2.0)
    parser.add_argument("--steps", default=",".join(STEPS))
    parser.add_argument("--folder", default=None)
    parser.add_argument("--without", default="", help="steps that are left out")
    parser.add_argument("--directions", type=int, default=0)
    parser.add_argument("--moving", action="store_true", help="beams follow stars")
    parser.add_argument("--backend", default="cuda")
    options = parser.parse_args()
    its = sizes(options.small, options.directions, options.moving)
    print(f"{its.inputs} inputs x {its.rate / 1e6:g} MHz, {its.channels} channels: "
          f"{2e-9 * its.inputs * its.rate:.2f} GB/s, blocks of {its.item / 1e6:.0f} MB; "
          f"{len(os.sched_getaffinity(0))} cores", flush=True)
    for step in options.steps.split(","):
        folder = tempfile.mkdtemp(dir=options.folder)
        try:
            on = [name for name in STEPS[:STEPS.index(step) + 1]
                  if name not in options.without.split(",")]
            g.alone(run, its, on, options.seconds, options.ring, options.backend, folder)
        except Exception:  # the next step runs whatever becomes of this one
            print(f"+ {step:14} failed:", flush=True)
            traceback.print_exc(file=sys.stdout)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
