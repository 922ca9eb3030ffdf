#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""9: what stands in visibility files, read with the libraries of others."""
import os

import numpy as np

from .. import fringe_python as fp
from ..runs.correlate import correlate
from ..visibility_files.read_visibilities import read_visibilities
from .requirement import at_most, exactly, group, measured

GROUP = group(9, "Visibility files")
ANTENNAS, CHANNELS, RATE, FREQUENCY, C = 4, 16, 1e6, 150e6, 299792458.0
ENU = np.array([[0, 0, 0], [31, 4, 1], [-12, 77, -2], [140, -60, 3]], float)
CORRELATIONS = {9: (0, 0), 10: (0, 1), 11: (1, 0), 12: (1, 1)}  # XX XY YX YY, as casacore has them
FREQUENCIES = FREQUENCY + (np.arange(CHANNELS) - CHANNELS // 2) * RATE / CHANNELS


def hill(**more):
    return fp.observation.from_text(repr({
        "site": {"latitude": 50.0, "longitude": 8.0, "height": 300.0}, "antennas": ENU.tolist(),
        "sample_rate": RATE, "center_frequency": FREQUENCY, "start_time": "2026-06-12T22:00:00",
        "phase_center": "zenith", "channels": CHANNELS, **more}))


class coded:
    """Files of an array of two polarizations whose inputs, in a strange order in the recording,
    are one noise times codes [input]."""

    def __init__(self, work):
        number = np.arange(2 * ANTENNAS)
        self.codes = np.sqrt(number + 2) * np.exp(2j * np.pi * number ** 2 / 97)
        order = work.rng.permutation(2 * ANTENNAS)  # stream of each input
        x = 100 * work.noise(64 * CHANNELS)
        raw = np.empty((len(x), 2 * ANTENNAS), np.complex64)
        raw[:, order] = x[:, None] * self.codes
        raw.tofile(work.path("raw"))
        self.power = float((np.abs(x) ** 2).mean())
        self.ms, self.uvh5 = work.path("coded.ms"), work.path("coded.uvh5")
        correlate(work.path("raw"), [self.ms, self.uvh5], hill(format="cf32", inputs=[
            {"antenna": f"ant{k // 2}", "polarization": "XY"[k % 2], "stream": int(order[k])}
            for k in range(2 * ANTENNAS)]), taps=1, window="rectangular", spectra=64,
            keep_edge=True, overwrite=True)

    def compared(self, rows):
        """Largest difference from the codes of rows (antennas 1 and 2, their hands, w in meters,
        [channel]), the phase of w being taken back."""
        worst, seen = 0.0, set()
        for first, second, hands, w, values in rows:
            a, b = 2 * first + hands[0], 2 * second + hands[1]
            mean = (values * np.exp(2j * np.pi * FREQUENCIES * w / C)).mean()
            worst = max(worst, abs(mean / (self.codes[a] * self.codes[b].conj() * self.power) - 1))
            seen.add((a, b))
        # Of 4 antennas with themselves and each other, 4 correlations each.
        return measured(worst if len(seen) == 40 else np.nan, note=f"{len(seen)} products")


FILES = ("The recording has the eight inputs of four antennas in a random order; the file, read "
         "with {} alone, against the codes of the antennas and polarizations that it names.")


@GROUP.requires("A MeasurementSet has each product where it says.", at_most(1e-5),
                FILES.format("casacore"))
def measurement_set(work):
    from casacore.tables import table
    made = coded(work)
    with table(made.ms, ack=False) as ms:
        first, second, uvw, data = (ms.getcol(name) for name in
                                    ("ANTENNA1", "ANTENNA2", "UVW", "DATA"))
    with table(os.path.join(made.ms, "POLARIZATION"), ack=False) as described:
        hands = [CORRELATIONS[k] for k in described.getcol("CORR_TYPE")[0]]
    return made.compared((first[r], second[r], hands[p], uvw[r, 2], data[r, :, p])
                         for r in range(len(first)) for p in range(4))


@GROUP.requires("A UVH5 file has each product where it says.", at_most(1e-5),
                FILES.format("h5py") + " The format has uvw of antenna 2 minus 1, and conj(V).")
def uvh5(work):
    import h5py
    made = coded(work)
    with h5py.File(made.uvh5) as file:
        header = file["Header"]
        first, second = header["ant_1_array"][()], header["ant_2_array"][()]
        numbers = header["antenna_numbers"][()].tolist()
        hands = [{-5: (0, 0), -6: (1, 1), -7: (0, 1), -8: (1, 0)}[k]
                 for k in header["polarization_array"][()]]
        uvw, data = header["uvw_array"][()], file["Data/visdata"][()]
    data = data.reshape(len(first), CHANNELS, 4).conj()
    return made.compared((numbers.index(first[r]), numbers.index(second[r]), hands[p], -uvw[r, 2],
                          data[r, :, p]) for r in range(len(first)) for p in range(4))


@GROUP.requires(
    "uvw are the baselines, and close.", at_most(1e-6, "m"),
    "uvw of the MeasurementSet at the zenith: |uvw| against the distance of the antennas on the "
    "map, w against the height, and the sums around all triangles.")
def uvw_of_the_file(work):
    from casacore.tables import table
    with table(coded(work).ms, ack=False) as ms:
        first, second, uvw = (ms.getcol(name) for name in ("ANTENNA1", "ANTENNA2", "UVW"))
    of, off = {(a, b): line for a, b, line in zip(first, second, uvw)}, []
    for (a, b), line in of.items():
        off.append(abs(np.linalg.norm(line) - np.linalg.norm(ENU[a] - ENU[b])))
        off.append(abs(line[2] - (ENU[a] - ENU[b])[2]))
        off += [np.abs(line + of[b, c] - of[a, c]).max() for c in range(b + 1, ANTENNAS) if a < b]
    return measured(max(off), note=f"{len(off)} numbers")


@GROUP.requires(
    "A source has the phase that the file's uvw give it, in sign and size.",
    at_most(0.02, "degrees"),
    "Tones of one source at l = 0.12, m = 0.25, with the delays of a flat map of the antennas, "
    "phased to the zenith; largest phase that is left of DATA times exp(-2 pi i f (u l + v m + "
    "w (n - 1)) / c), all from casacore. Precession turns u and v, at most by 0.02.")
def sign_of_the_sky(work):
    from casacore.tables import table
    l, m = 0.12, 0.25
    n = np.sqrt(1 - l * l - m * m)
    late = -(ENU - ENU[0]) @ [l, m, n] / C
    t = np.arange(64 * CHANNELS) / RATE
    use = np.arange(2, CHANNELS - 1)
    f = FREQUENCIES[use]
    turns = (f - FREQUENCY)[:, None, None] * t - (f[:, None] * late)[..., None]
    np.exp(2j * np.pi * turns).sum(axis=0).T.astype("<c8").tofile(work.path("raw"))
    correlate(work.path("raw"), work.path("x.ms"), hill(format="cf32"), taps=1,
              window="rectangular", spectra=64, overwrite=True)
    with table(work.path("x.ms"), ack=False) as ms:
        uvw, data = ms.getcol("UVW"), ms.getcol("DATA")[:, use, 0]
        first, second = ms.getcol("ANTENNA1"), ms.getcol("ANTENNA2")
    # The north of the file is that of ICRS: u and v stand turned against east and north.
    flat = (ENU[first] - ENU[second])[:, :2] @ [1, 1j]
    turn = np.angle(((uvw[:, 0] + 1j * uvw[:, 1]) * flat.conj()).sum())
    if abs(turn) > 0.02:
        return measured(np.nan, note="u and v are not east and north")
    place = (l + 1j * m) * np.exp(1j * turn)
    way = uvw @ [place.real, place.imag, n - 1]
    left = data * np.exp(-2j * np.pi * way[:, None] * f / C)
    return measured(np.degrees(np.abs(np.angle(left))).max(),
                    note=f"north turned by {np.degrees(turn):.3f} degrees")


@GROUP.requires(
    "Every kind of file has the same visibilities.", exactly(0, "visibilities"),
    "One run into .ms, .uvh5, .uvfits and .ACC; visibilities and flags that are not those of the "
    ".uvh5. The .ACC is not phased: its amplitudes are compared, to 1e-6.")
def files(work):
    raw = work.rng.integers(-80, 80, (CHANNELS * 400, 8, 2)).astype(np.int8)
    raw.tofile(work.path("raw.ci8"))
    paths = [work.path("x." + kind) for kind in ("uvh5", "ms", "uvfits", "ACC")]
    correlate(work.path("raw.ci8"), paths, hill(polarizations=["X", "Y"], format="ci8"),
              spectra=100, backend=work.backend)
    first, *others = (read_visibilities(path) for path in paths)
    good = ~first.flags
    wrong = sum(int((vis.flags != first.flags).sum() + (vis.data != first.data)[good].sum())
                for vis in others[:2])
    off = np.abs(np.abs(others[2].data) - np.abs(first.data)) > 1e-6 * np.abs(first.data).max()
    return measured(wrong + int(off[good].sum()), note=f"{first.data.size} visibilities")
