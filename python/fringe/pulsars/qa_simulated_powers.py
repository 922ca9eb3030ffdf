# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Powers of a beam with pulses in them, and files of them as other programs write them."""
import struct

import numpy as np

K = 1e12 / 2.41e-4  # Hz^2 s cm^3 / pc: the delay of 1 pc / cm^3 at 1 Hz
MJD = 61203.5  # 2026-06-12T12:00:00


def late(dm, f):
    """Seconds against an infinite frequency."""
    return K * dm / np.square(f)


def box(length, begin, width):
    """[time] the part of each mean that a pulse from `begin` on fills; both in means."""
    t = np.arange(length)
    return np.clip(np.minimum(t + 1, begin + width) - np.maximum(t, begin), 0, None)


def add_pulse(levels, f, interval, begin, dm, width, strength):
    """Adds a pulse to levels [channel][time]: its begin in the highest channel and width in
    seconds, its strength in standard deviations of a mean that it fills."""
    for row, delay in zip(levels, late(dm, f) - late(dm, f.max())):
        row += strength * box(len(row), (begin + delay) / interval, width / interval)


def text(word):
    return struct.pack("<i", len(word)) + word.encode()


def write_fil(path, values, f, interval, bits=8, more=b"", **changed):
    """values [time][polarization][channel], channels as in the frequencies f (Hz)."""
    head = {"data_type": 1, "nchans": values.shape[2], "nbits": bits, "nifs": values.shape[1],
            "tstart": MJD, "tsamp": interval, "fch1": f[0] / 1e6, "foff": (f[1] - f[0]) / 1e6,
            "src_raj": 53431.97, **changed}
    kinds = {8: np.uint8, 16: "<u2", 32: "<f4"}
    with open(path, "wb") as file:
        file.write(text("HEADER_START") + text("source_name") + text("B0531+21"))
        for key, value in head.items():
            if value is not None:
                file.write(text(key) + struct.pack("<d" if isinstance(value, float) else "<i",
                                                   value))
        file.write(more + text("HEADER_END"))
        file.write(values.astype(kinds.get(bits, np.uint8)).tobytes())
    return path


def write_blimpy(path, values, f, interval, **changed):
    """As blimpy and Breakthrough Listen write HDF5."""
    import h5py
    with h5py.File(path, "w") as file:
        file.attrs["CLASS"] = "FILTERBANK"
        file["data"] = values
        file["data"].attrs.update({"fch1": f[0] / 1e6, "foff": (f[1] - f[0]) / 1e6,
                                   "tsamp": interval, "tstart": MJD, "nchans": values.shape[2],
                                   "source_name": "B0531+21", **changed})
    return path


def write_search(path, values, f, interval, block=64, bits=8, weights=None, middles=None,
                 unit="MHz", kind="AABB", mode="SEARCH", **changed):
    """PSRFITS in search mode: values [time][polarization][channel] in steps of a scale and an
    offset; weights [row][channel]; middles: OFFS_SUB of each row, seconds."""
    from astropy.io import fits
    rows = -(-len(values) // block)
    planes, channels = values.shape[1:]
    padded = np.concatenate([values, values[-1:].repeat(rows * block - len(values), axis=0)])
    scale, offset = 0.25, np.arange(planes * channels) * -1.0
    data = (padded - offset.reshape(planes, channels)) / scale
    form, code = {8: ("B", np.uint8), 16: ("I", np.int16), 32: ("E", np.float32)}.get(
        bits, ("B", np.uint8))
    data = data if bits == 32 else np.rint(data)
    names = {"Hz": 1, "MHz": 1e6, "GHz": 1e9}
    ones = np.ones((rows, 1))
    columns = [
        ("OFFS_SUB", "D", "s", middles if middles is not None else
         (np.arange(rows) + 0.5) * block * interval),
        ("TSUBINT", "D", "s", ones[:, 0] * block * interval),
        ("DAT_FREQ", f"{channels}D", unit, ones * f / names.get(unit, 1e6)),
        ("DAT_WTS", f"{channels}E", None, ones * (np.ones(channels) if weights is None else
                                                    weights)),
        ("DAT_SCL", f"{planes * channels}E", None, ones * np.full(planes * channels, scale)),
        ("DAT_OFFS", f"{planes * channels}E", None, ones * offset),
        ("DATA", f"{block * planes * channels}{form}", None, data.astype(code).reshape(rows, -1))]
    table = fits.BinTableHDU.from_columns(
        [fits.Column(name, form, unit=unit, array=array) for name, form, unit, array in columns])
    head = {"EXTNAME": "SUBINT", "NPOL": planes, "NCHAN": channels, "NSBLK": block, "NBITS": bits,
            "TBIN": interval, "POL_TYPE": kind, "CHAN_BW": abs(f[1] - f[0]) / 1e6, **changed}
    table.header.update({key: value for key, value in head.items() if value is not None})
    first = fits.PrimaryHDU()
    first.header.update({"FITSTYPE": "PSRFITS", "OBS_MODE": mode, "STT_IMJD": 61203,
                         "STT_SMJD": 43200, "STT_OFFS": 0.25, "SRC_NAME": "B0531+21"})
    fits.HDUList([first, table]).writeto(path, overwrite=True)
    return path
