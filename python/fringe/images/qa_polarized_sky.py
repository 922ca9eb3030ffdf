#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Hours of a polarized sky in visibility files, by Jones matrices of its own, for tests."""
import os

import erfa
import h5py
import numpy as np
from astropy.io import fits
from casacore.tables import table
from gnuradio import fringe
from gnuradio.fringe.visibility_files.replaced_data import replaced_data
from qa_skies import C, snapshot

#: Where the antennas stand, and a source that is highest at MIDDLE.
LATITUDE, LONGITUDE, HEIGHT = -26.7, 116.7, 300.0
RA, DEC = np.radians([256.0, -45.0])
MIDDLE, HOURS, DUMPS, ANTENNAS = 1781280000, 6.0, 13, 27
TIMES = MIDDLE + 3600 * np.linspace(-HOURS / 2, HOURS / 2, DUMPS)


def parallactic_angle(time, latitude=LATITUDE, longitude=LONGITUDE):
    """Radians, of the zenith from the pole of date, by spherical trigonometry."""
    latitude, longitude = np.radians([latitude, longitude])
    hour, dec = erfa.atco13(RA, DEC, 0, 0, 0, 0, 2440587.5, time / 86400, 0.0, longitude, latitude,
                            HEIGHT, 0, 0, 0, 0, 0, 0)[2:4]
    return np.arctan2(np.sin(hour), np.tan(latitude) * np.cos(dec) - np.sin(dec) * np.cos(hour))


def pole_of_date(time):
    """Radians, of the pole of date from the north of ICRS, as they are seen at the source."""
    day, step = (2440587.5, time / 86400), 1e-5
    (ra, dec), (ra2, dec2) = (erfa.atci13(RA, up, 0, 0, 0, 0, *day)[:2] for up in
                              (DEC - step, DEC + step))
    return -np.arctan2((ra2 - ra) * np.cos((dec + dec2) / 2), dec2 - dec)


def jones(kind, angle):
    """Of feeds whose first receptor stands at an angle, on (north, east): [...][2][2].

    Circular: R = (X + i Y) / sqrt(2), so that RL = Q + i U for a feed that looks north.
    """
    co, so = np.cos(angle), np.sin(angle)
    linear = np.array([[co, so], [-so, co]]).transpose(2, 3, 0, 1)
    return linear if kind == "XY" else np.array([[1, 1j], [1, -1j]]) @ linear / np.sqrt(2)


def brightness(stokes):
    i, q, u, v = stokes
    return np.array([[i + q, u + 1j * v], [u - 1j * v, i - q]])


def observed(folder, generator, name="sky.ms", kind="XY", sources=(), angles=0.0, mount=True,
             feeds=None):
    """A file of DUMPS dumps over HOURS, of sources ((l, m), (I, Q, U, V)).

    angles: radians of the first receptors, [antenna];  mount: whether they turn.  feeds:
    what the observation gives, see snapshot().
    """
    center = {"ra": float(np.degrees(RA)), "dec": float(np.degrees(DEC))}
    noise = snapshot(folder, ANTENNAS, generator, "noise-" + name, DUMPS, 4, 600.0, center, kind,
                     feeds=feeds)
    _spread(noise)
    vis = fringe.read_visibilities(noise)
    chi = np.array([parallactic_angle(t) + pole_of_date(t) for t in TIMES]) * mount
    feeds = jones(kind, chi[:, None] + np.broadcast_to(angles, ANTENNAS))
    antenna = np.array([a for a, _ in vis.inputs])
    hand = np.array([kind.index(p) for _, p in vis.inputs])
    i, j = vis.products
    data = np.zeros(vis.data.shape, complex)
    uvw = vis.uvw[:, antenna[i]] - vis.uvw[:, antenna[j]]
    for (l, m), stokes in sources:
        seen = np.einsum("dnpk,kl,dmql->dnmpq", feeds, brightness(stokes), feeds.conj())
        turns = uvw @ [l, m, np.sqrt(1 - l * l - m * m) - 1]
        data += (seen[:, antenna[i], antenna[j], hand[i], hand[j]][:, None] * np.exp(
            2j * np.pi * turns[:, None] * vis.frequencies[:, None] / C))
    path = os.path.join(folder, name)
    with replaced_data(vis, path, "DATA", "a polarized sky") as file:
        file.write(0, data.astype(np.complex64))
    return path


def _spread(path):
    """Puts the dumps of a file over the hours, with the uvw of these times."""
    vis = fringe.read_visibilities(path, with_data=False)
    where = vis.feeds.itrf
    uvw = np.array([where @ np.array(fringe.axes_of_radec(RA, DEC, fringe.epoch(int(t), t % 1))).T
                    for t in TIMES])
    pairs = [np.repeat(np.arange(DUMPS), ANTENNAS * (ANTENNAS + 1) // 2)]
    pairs += [np.tile(k, DUMPS) for k in np.triu_indices(ANTENNAS)]
    dump, first, second = pairs
    if path.endswith(".ms"):
        with table(path, readonly=False, ack=False) as ms:
            assert np.array_equal(ms.getcol("ANTENNA2"), second)
            ms.putcol("UVW", uvw[dump, first] - uvw[dump, second])
            for column in ("TIME", "TIME_CENTROID"):
                ms.putcol(column, TIMES[dump] + 40587 * 86400)
    elif path.endswith(".uvh5"):
        with h5py.File(path, "r+") as file:
            assert np.array_equal(file["Header/ant_2_array"], second)
            file["Header/uvw_array"][:] = uvw[dump, second] - uvw[dump, first]
            file["Header/time_array"][:] = 2440587.5 + TIMES[dump] / 86400
    else:
        with fits.open(path, mode="update") as file:
            groups = file[0]
            names = [groups.header[f"PTYPE{k + 1}"] for k in range(groups.header["PCOUNT"])]
            raw = groups.data.view(np.ndarray)
            for k, name in enumerate(names):
                column = raw[raw.dtype.names[k]]
                if name[:2] in ("UU", "VV", "WW"):
                    column[:] = (uvw[dump, first] - uvw[dump, second])[:, "UVW".index(name[0])] / C
                elif name == "DATE" and groups.header[f"PZERO{k + 1}"]:
                    days = 2440587.5 + TIMES[dump] / 86400 - groups.header[f"PZERO{k + 1}"]
                    column[:] = days
                    days -= column
                elif name == "DATE":
                    column[:] = days
