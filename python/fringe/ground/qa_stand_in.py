# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stand-in for GPUs: its streams are threads that sleep at random, so that what does not wait
for them gives other results.

With FRINGE_STAND_IN, the library of the stand-in (as ctest runs the tests), it is the device;
without it the GPU of this machine, if there is one. GNU Radio must not have been imported yet.
"""
import os

STAND_IN = os.environ.get("FRINGE_STAND_IN")


def use_stand_in(devices=1, delay=300, **more):
    """So many devices, each piece of work of which begins up to `delay` microseconds late: twice
    as late where FRINGE_TEST_SEED is set, as scripts/random_tests does. `more` are other
    variables of lib/tests/stand_in_device.cc, such as REFUSED_2="dust"."""
    if STAND_IN:
        late = 2 * delay if os.environ.get("FRINGE_TEST_SEED") else delay
        os.environ["FRINGE_DEVICE_LIBRARY"] = STAND_IN
        for name, value in {"DEVICES": devices, "DELAY": late, **more}.items():
            os.environ.setdefault(f"FRINGE_STAND_IN_{name}", str(value))
