#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Simulated voltages to a MeasurementSet, block by block: correlate.py [OUTPUT]."""
import os
import sys

from gnuradio import blocks, fringe, gr

here = os.path.dirname(os.path.abspath(__file__))
obs = fringe.observation.from_file(os.path.join(here, "two_antennas.yml"))
output = sys.argv[1] if len(sys.argv) > 1 else "two_antennas.ms"
inputs, channels = len(obs.inputs), obs.channels
spectra = fringe.block_spectra(inputs, channels)  # in one item
samples = spectra * channels  # of each input

flowgraph = gr.top_block()
# For a recording: fringe.file_source(["recording.ci8"], "ci8", inputs, samples, 1e6, 150e6)
source = fringe.raw_sky_source(obs, "ci8", samples, seed=1)
head = blocks.head(source.block_bytes, round(2 * obs.sample_rate / samples))  # 2 s
unpack = fringe.unpack("ci8", inputs, samples, "i8")
channelizer = fringe.channelizer(inputs, channels, spectra, True, "i8", obs.taps, obs.window)
xengine = fringe.xengine(inputs, channels, spectra)
integrator = fringe.integrator(inputs, channels, seconds=obs.integration)
sink = fringe.visibility_sink(obs, output, channels)
flowgraph.connect(source, head, unpack, channelizer, xengine, integrator, sink)
flowgraph.connect((integrator, 1), (sink, 1))  # weights
flowgraph.run()
print(f"{sink.dumps()} dumps of {obs.integration} s in {sink.path()}")
