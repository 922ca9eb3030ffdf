#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A recording like the TART's, simulated, where there is none: tart_stand_in.py [FILE].

One-bit samples of 24 antennas and of four satellites, in the TART's own HDF5 layout, with the
receivers' phases of tart.yml. For tart_all_sky.grc and tart_live.grc.
"""
import json
import os
import sys

import h5py
import numpy as np
from gnuradio import fringe

SAMPLES = 1 << 18  # of each antenna: 16 ms
here = os.path.dirname(os.path.abspath(__file__))
path = sys.argv[1] if len(sys.argv) > 1 else "tart_stand_in.hdf"

obs = fringe.observation.from_file(os.path.join(here, "tart.yml"))
obs.sky = [fringe.point_source(l=l, m=m, flux=flux, name=name) for name, l, m, flux in (
    ("one", -0.36, 0.03, 0.3), ("two", 0.63, 0.38, 0.25), ("three", 0.28, -0.65, 0.2),
    ("four", -0.5, 0.6, 0.15))]
voltages = fringe.simulator(obs, complex_samples=False).read(SAMPLES)
with h5py.File(path, "w") as file:
    file["data"] = np.packbits(voltages > 0, axis=1)
    file["config"] = [json.dumps({
        "name": "simulated", "sampling_frequency": obs.sample_rate,
        "L0_frequency": obs.center_frequency - obs.sample_rate / 4})]
    file["timestamp"] = ["2026-06-12T11:20:40+00:00"]
print(f"{path}: {SAMPLES} samples of {len(voltages)} antennas")
