#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Threads of the library that multiplies matrices for numpy."""
import ctypes
import os

#: Of OpenBLAS as distributions build it, and as the wheels of numpy bring it.
NAMES = ("openblas_set_num_threads", "openblas_set_num_threads64_",
         "scipy_openblas_set_num_threads", "scipy_openblas_set_num_threads64_")


def use_one_blas_thread():
    """From now on OpenBLAS multiplies in the thread that calls it, in this whole process; returns
    the paths of the libraries that were asked.

    After each product of matrices its threads wait actively for the next one, on all cores. Beside
    a flowgraph they take these cores from the blocks, and small matrices gain nothing from them.
    """
    asked = []
    try:
        with open("/proc/self/maps", encoding="utf-8") as file:
            paths = {line.split(maxsplit=5)[5].strip() for line in file if "openblas" in line}
    except OSError:  # not Linux
        return asked
    for path in sorted(filter(os.path.isfile, paths)):
        library = ctypes.CDLL(path)
        for name in NAMES:
            if hasattr(library, name):
                getattr(library, name)(1)
                asked.append(path)
    return asked
