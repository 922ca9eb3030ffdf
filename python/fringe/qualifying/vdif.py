#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Recordings written by the definition of VDIF, for measurements of what is read from files."""
import numpy as np


def write_vdif(path, codes, bits, rate, frame_bytes=1000, there=None):
    """Codes [input][time] of real samples, whole numbers from 0 to 2^bits - 1.

    there: [input][frame], 1 = written, 0 = missing, -1 = marked as invalid. The rate must be a
    whole number of frames a second. The recording begins with July 2026, reference epoch 53.
    """
    samples = frame_bytes * 8 // bits
    per_second, frames = rate // samples, codes.shape[1] // samples
    shifts = np.arange(0, 32, bits, dtype=np.uint32)
    there = np.ones((len(codes), frames), int) if there is None else there
    with open(path, "wb") as out:
        for k in range(frames):
            for thread in np.flatnonzero(there[:, k]):
                head = np.zeros(8, "<u4")
                head[0] = k // per_second + (1 << 31 if there[thread, k] < 0 else 0)
                head[1] = k % per_second | 53 << 24
                head[2] = (frame_bytes + 32) // 8
                head[3] = (bits - 1) << 26 | int(thread) << 16
                head[4] = 1 << 24 | rate // 2000
                part = codes[thread, k * samples:(k + 1) * samples].reshape(-1, 32 // bits)
                words = np.bitwise_or.reduce(part.astype("<u4") << shifts, axis=1)
                out.write(head.tobytes() + words.astype("<u4").tobytes())
