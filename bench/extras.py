#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tracking, gains, flagging and blanking cost: extras.py

The correlator's chain on a recording of ci8, 32 inputs x 256 channels and a few other shapes, on one
core, with dumps of a second: plain; with gains per input and channel; with delays and fringes tracked
besides; with spectra searched by kurtosis and power besides; and the plain one with pulses blanked.
Printed is the time they take against the plain chain's, medians of runs in turn with [quartiles];
waiting counts.
"""
import os
import sys
import tempfile

import flowgraph as other

RECORDED = 1 << 30  # bytes: the limits of the search, worked out once, do not count then
SHAPES = ((2, 4096, 4), (32, 256, 4), (64, 256, 4))


def chain(what, path, inputs, channels, taps):
    """Runs the chain once."""
    import time
    from gnuradio import blocks, fringe, gr
    obs = fringe.observation.example(inputs, 100.0)
    obs.set_site(-26.7, 116.67, 377)
    obs.sample_rate, obs.sky = 1e6, []
    obs.tracking = what in ("tracking", "flagging")
    center = fringe.phase_center()
    center.frame, center.longitude = fringe.phase_center.kind.radec, 1.6
    obs.phase_center = center
    block = fringe.block_spectra(inputs, channels)
    source = fringe.file_source([path], "ci8", inputs, block * channels, 1e6, 150e6,
                                "2026-06-12T23:00:00")
    box = fringe.fx_correlator(
        inputs, channels, "ci8", 1.0, 0, taps, "hann", block_spectra=block, backend="cpu",
        corrections=() if what in ("plain", "blanking") else [1j] * (inputs * channels),
        tracking=fringe.tracking(obs) if obs.tracking else None, flag=what == "flagging",
        pulses=what == "blanking")
    run = gr.top_block()
    values = fringe.channels_per_item(inputs, channels) * inputs * (inputs + 1) // 2
    run.connect(source, box, blocks.null_sink(values * gr.sizeof_gr_complex))
    run.connect((box, 1), blocks.null_sink(values * gr.sizeof_float))
    began, began_cpu = time.monotonic(), time.process_time()
    run.run()
    print(time.process_time() - began_cpu, time.monotonic() - began)


def main():
    if len(sys.argv) > 1:
        chain(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
        return
    print("== the chain on one core, time against the plain one's [quartiles]")
    with tempfile.NamedTemporaryFile(suffix=".ci8") as recording:
        recording.write(os.urandom(1 << 20) * (RECORDED >> 20))
        recording.flush()
        for shape in SHAPES:
            plain, gains, tracking, flagging, blanking = other.measure(
                *([sys.executable, __file__, what, recording.name, *shape]
                  for what in ("plain", "gains", "tracking", "flagging", "blanking")),
                cores=(other.CORES[:1],))
            print(f"{shape[0]:3} inputs x {shape[1]:4} channels: gains {other.ratio(plain, gains, 1)}"
                  f"   and tracking {other.ratio(plain, tracking, 1)}"
                  f"   and flagging {other.ratio(plain, flagging, 1)}"
                  f"   blanking {other.ratio(plain, blanking, 1)}", flush=True)


if __name__ == "__main__":
    main()
