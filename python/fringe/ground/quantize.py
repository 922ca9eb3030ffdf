#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Voltages to the bytes of the headerless recording formats."""

import collections

import numpy as np

# rms: r.m.s. of a component (a real sample, or the real or imaginary part of a complex one)
# at the default level: as high as leaves clipping to a sample in a million or less, and for
# the few-bit formats near the optimum between clipping and rounding.
# half: the number that the code `offset` stands for.
raw_format = collections.namedtuple("raw_format", "is_complex dtype largest offset rms half",
                                    defaults=(0.0,))

RAW_FORMATS = {
    "i8": raw_format(False, "<i1", 127, 0, 24.0),
    "u8": raw_format(False, "<u1", 127, 128, 24.0),
    "i16": raw_format(False, "<i2", 32767, 0, 6000.0),
    "u16": raw_format(False, "<u2", 32767, 32768, 6000.0),
    "f32": raw_format(False, "<f4", None, 0, None),
    "ci8": raw_format(True, "<i1", 127, 0, 24.0),
    "cu8": raw_format(True, "<u1", 127.4, 128, 24.0, 0.6),
    "cu8_128": raw_format(True, "<u1", 127, 128, 24.0),
    "ci16": raw_format(True, "<i2", 32767, 0, 6000.0),
    "cf32": raw_format(True, "<f4", None, 0, None),
    "mwa16": raw_format(True, "<u2", 15, 0, 3.0),
    "mwa8": raw_format(True, "<u1", 7.5, 0, 2.5, 0.5),
}

quantized = collections.namedtuple("quantized", "data clipped level")


def raw_format_by_name(name):
    """The headerless format of that name; ValueError for an unknown name."""
    if name == "tart":
        raise ValueError("format: 'tart' is an HDF5 file of one-bit samples, whose sign alone "
                         "says nothing of a source's flux; simulate to i8 or ci8")
    if name not in RAW_FORMATS:
        raise ValueError(f"format: '{name}' is not a headerless recording format; it must be "
                         f"one of {', '.join(RAW_FORMATS)}")
    return RAW_FORMATS[name]


def default_level(format_name, power):
    """The factor from voltages of that mean power to the numbers of a format."""
    fmt = raw_format_by_name(format_name)
    if fmt.rms is None or power <= 0:
        return 1.0
    return fmt.rms / np.sqrt(power / 2 if fmt.is_complex else power)


def quantize(voltages, format_name, level=None):
    """Rounds voltages to a headerless recording format.

    voltages: [stream][time], real or complex as the format is. Each component becomes
    round(level * component), clipped to the format's range (symmetric, +-127 for 8 bits),
    little-endian; mwa8 rounds to the middles of its steps, n + 1/2, and cu8 to numbers that are
    127.4 less than a byte. Visibilities of what was
    written are level^2 times those of the voltages (plus 1/12 in each component's power from
    the rounding). level=None sets the r.m.s. to a fifth of full scale (3 for mwa16, 2.5 for
    mwa8, level 1 for floats), from the mean power of these voltages.

    Returns (data, clipped, level): bytes [time][stream] as a flat uint8 array, the number of
    components that were clipped, and the level used. Raises ValueError for an unknown format,
    real voltages for a complex format or the other way round, and NaN or infinite voltages.
    """
    fmt = raw_format_by_name(format_name)
    voltages = np.asarray(voltages)
    if voltages.ndim != 2:
        raise ValueError(f"voltages: have {voltages.ndim} dimensions; they must be "
                         "[stream][time]")
    if np.iscomplexobj(voltages) != fmt.is_complex:
        raise ValueError(f"voltages: are {'real' if fmt.is_complex else 'complex'}, and "
                         f"{format_name} is {'complex' if fmt.is_complex else 'real'}")
    if level is None:
        power = np.mean(np.abs(voltages) ** 2, dtype=float) if voltages.size else 0.0
        level = default_level(format_name, power)
    parts = np.ascontiguousarray(voltages.T, dtype=np.complex64 if fmt.is_complex else np.float32)
    parts = parts.view(np.float32) * np.float32(level)
    if not np.isfinite(parts).all():
        raise ValueError("voltages: some are NaN or infinite; they must be finite numbers")
    if fmt.largest is None:
        return quantized(parts.astype(fmt.dtype).reshape(-1).view(np.uint8), 0, level)

    # mwa8 stores n for n + 1/2, so its codes are whole numbers after the half is taken off.
    codes = np.rint(parts - np.float32(fmt.half))
    low, high = np.rint([-fmt.largest - fmt.half, fmt.largest - fmt.half])
    clipped = int(np.count_nonzero((codes < low) | (codes > high)))
    codes = np.clip(codes, low, high).astype(np.int32) + fmt.offset
    if format_name in ("mwa16", "mwa8"):
        bits = 5 if format_name == "mwa16" else 4
        codes &= (1 << bits) - 1
        codes = codes[:, 0::2] | codes[:, 1::2] << bits
    return quantized(codes.astype(fmt.dtype).reshape(-1).view(np.uint8), clipped, level)
