#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Everything at the same time, in small: eight_stations.py [-o FOLDER] [--seconds 8].

Eight stations with cables of unknown length observe two sources. One flowgraph on a CPU correlates
them, flags interference, calibrates itself by the sources, makes an image of the sky every half
second, forms beams towards both sources and the zenith between them, and keeps the last seconds of
samples. It writes to FOLDER:

    stations.uvh5                   visibilities with flags
    sky_0000.png ...                images
    beams_1.fil ..., beams.h5       the power of the beams, each 10 ms
    ring_end.vdif                   the samples of the last second
    eight_stations.png              what happened
"""
import argparse
import os

import h5py
import numpy as np
import pmt
from gnuradio import blocks, fringe, gr

RATE, CHANNELS, DUMP, IMAGE, SIZE = 250e3, 32, 0.1, 0.5, 128
SKY = "[{name: A, az: 120, el: 60, flux: 1.0}, {name: B, az: 270, el: 70, flux: 0.6}]"
DIRECTIONS = ["az=120,el=60", "az=270,el=70", "zenith"]
ARRAY = """
telescope: eight stations
site: {latitude: -30, longitude: 20, height: 1000}
antennas: [[0, 0, 0], [3.2, 0.7, 0], [-1.8, 2.4, 0], [0.9, -3.6, 0], [-3.1, -1.7, 0],
           [4.1, 3.9, 0], [-4.8, 1.2, 0], [1.7, 5.1, 0]]
sample_rate: 250e3
center_frequency: 150e6
channels: 32
start_time: 2026-03-01T00:00:00Z
phase_center: zenith
sky: {receiver_noise: 0.5, sources: %s}
""" % SKY


def cables(obs, seed=3):
    """The same array with the cables that nobody has measured."""
    rng, true = np.random.default_rng(seed), fringe.observation(obs)
    inputs = true.inputs
    for entry in inputs[1:]:
        entry.cable_delay, entry.phase = rng.uniform(-2e-7, 2e-7), rng.uniform(-180, 180)
    true.inputs = inputs
    return true


class eight_stations(gr.top_block):
    """The flowgraph."""

    def __init__(self, folder, seconds):
        gr.top_block.__init__(self, "eight stations", catch_exceptions=True)
        obs = fringe.observation.from_text(ARRAY)
        inputs, spectra = len(obs.inputs), fringe.block_spectra(8, CHANNELS)
        samples, channels = spectra * CHANNELS, CHANNELS
        place = lambda name: os.path.join(folder, name)  # noqa: E731
        with open(place("sky.yml"), "w", encoding="utf-8") as file:
            file.write(SKY)

        source = fringe.raw_sky_source(cables(obs), "ci8", samples)
        pace = blocks.throttle(source.block_bytes, RATE / samples)  # as fast as the sky
        head = blocks.head(source.block_bytes, int(seconds * RATE / samples))
        self.ring = fringe.voltage_ring(inputs, samples, RATE, 2, place("ring.vdif"))
        unpack = fringe.unpack("ci8", inputs, samples, "f32")
        channelizer = fringe.channelizer(inputs, channels, spectra)
        xengine = fringe.xengine(inputs, channels, spectra)
        self.integrator = fringe.integrator(inputs, channels, seconds=DUMP)
        self.connect(source, pace, head, unpack, channelizer, xengine, self.integrator)
        self.connect(head, self.ring)

        calibrator = fringe.live_calibrator(obs, place("sky.yml"), channels)
        self.states = blocks.message_debug()
        self.connect(self.integrator, calibrator)
        self.connect((self.integrator, 1), (calibrator, 1))
        self.msg_connect(calibrator, "corrections", channelizer, "corrections")
        self.msg_connect(calibrator, "state", self.states, "store")

        flagger = fringe.rfi_flagger(obs, channels, window=8)
        sink = fringe.visibility_sink(obs, place("stations.uvh5"), channels, overwrite=True)
        imager = fringe.imager(obs, channels, SIZE, every=IMAGE)
        self.images = blocks.vector_sink_f(SIZE * SIZE)
        self.connect(self.integrator, flagger)
        self.connect((self.integrator, 1), (flagger, 1))
        for port in range(3):
            for reader in (sink, imager):
                self.connect((flagger, port), (reader, port))
        self.connect(imager, self.images)
        pictures = fringe.image_sink(place("sky_%04d.png"), SIZE * SIZE, overwrite=True)
        self.connect(imager, pictures)
        # GNU Radio does not keep blocks that are written in Python.
        self.kept = [source, calibrator, imager, pictures]

        former = fringe.beamformer(obs, DIRECTIONS, "power", 0.01, block_spectra=spectra)
        self.beams = fringe.filterbank_sink(
            obs, DIRECTIONS, [place("beams.fil"), place("beams.h5")], "power", 0.01,
            overwrite=True)
        self.connect(channelizer, former, self.beams)
        self.connect((former, 1), (self.beams, 1))


def observe(folder, seconds):
    """Runs the flowgraph; returns the coherence of each dump, the images, and what the ring
    wrote."""
    flowgraph = eight_stations(folder, seconds)
    flowgraph.start()
    flowgraph.wait()
    flowgraph.ring.dump(before=1, name="end")  # a window has a button for it
    flowgraph.ring.join()
    for sink in (flowgraph.integrator, flowgraph.beams):
        if fringe.failure(sink):
            raise SystemExit(fringe.failure(sink))
    states = [pmt.to_python(flowgraph.states.get_message(k))
              for k in range(flowgraph.states.num_messages())]
    images = np.array(flowgraph.images.data()).reshape(-1, SIZE, SIZE)
    return [state["coherence"] for state in states], images, flowgraph.ring.dumps()[-1]


def draw(folder, coherence, images):
    """The picture: coherence, the first and the last image, the beams."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    with h5py.File(os.path.join(folder, "beams.h5")) as file:
        power = file["means"][()].mean(axis=2)
    figure, axes = pyplot.subplots(2, 2, figsize=(9, 7), layout="constrained")
    axes[0, 0].plot(coherence, "o-")
    axes[0, 0].set(xlabel="solution", ylabel="coherence", ylim=(-0.3, 1.05),
                   title="Calibrated by the sky")
    for row, direction in zip(power.T, DIRECTIONS):
        whole = row[row > 0]
        axes[0, 1].plot(0.01 * np.arange(len(whole)), whole, lw=0.8, label=direction)
    axes[0, 1].set(xlabel="s", ylabel="power", title="Beams")
    axes[0, 1].legend(loc="center right")
    for panel, image, title in zip(axes[1], (images[0], images[-1]), ("first", "last")):
        shown = panel.imshow(image, origin="lower", extent=(-1, 1, -1, 1))
        panel.set(xlabel="l (east)", ylabel="m (north)", title=f"The {title} image")
        figure.colorbar(shown, ax=panel, shrink=0.8)
    figure.savefig(os.path.join(folder, "eight_stations.png"), dpi=80)


def main():
    """Reads the options, observes and says what is there."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("-o", "--output", default="eight_stations", metavar="FOLDER")
    parser.add_argument("--seconds", type=float, default=8.0)
    options = parser.parse_args()
    if not 1 <= options.seconds <= 3600:
        parser.error(f"--seconds: {options.seconds:g}: must be 1 to 3600")
    os.makedirs(options.output, exist_ok=True)
    coherence, images, kept = observe(options.output, options.seconds)
    draw(options.output, coherence, images)
    print(f"coherence {coherence[0]:.3f}, then {coherence[-1]:.3f}; {len(images)} images; "
          f"{os.path.basename(kept['file'])}: {kept['seconds']:.3f} s {kept['problem']}")


if __name__ == "__main__":
    main()
