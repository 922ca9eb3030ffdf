#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Gains in UVH5-cal files (.calh5), which pyuvdata's UVCal reads and writes."""

import contextlib
import os

import numpy as np

from .. import fringe_python as fp
from ..calibration.solutions import solutions, term_solution
from ..ground.axes import axes_towards
from ..readers.antenna_pairs import longitude_latitude
from ..readers.hdf5_file import opened_hdf5
from ..readers.uvh5_header import JD_OF_1970, check_on_earth, has, itrf_of, text, word
from .hdf5 import new_hdf5, text_of
from .own_words import OWN, own_words, read_own_words

NAME = "UVH5-cal file"
#: Kinds of terms that are gains of each polarization; the format has no others.
GAINS = "G", "B", "Pcross"
#: Numbers of AIPS.
JONES = {"X": -5, "Y": -6, "R": -1, "L": -2}
#: Arrays that are kept exactly beside the layout: it has no errors, and days for seconds.
EXACT = "times", "intervals", "frequencies", "widths", "errors", "phase_errors"


def holds_uvcal(path):
    """True for an HDF5 file with the groups of UVH5-cal."""
    if not os.path.isfile(path):
        return False
    with contextlib.suppress(ValueError), opened_hdf5(path, NAME) as file:
        return "Header/cal_type" in file
    return False


def check_uvcal(found):
    """Raises ValueError where such a file cannot hold it."""
    for term in found.terms:
        if term.kind not in GAINS:
            raise ValueError(f"a UVH5-cal file holds gains, not term {term.kind}: its delays count "
                             "from 0 Hz, without a sign, and it has no leakage")
    if found.positions is None:
        raise ValueError("a UVH5-cal file has to say where the antennas stand, and these solutions "
                         "do not")


def write_uvcal(path, found, overwrite=False):
    """Writes `solutions` of one term to a new file."""
    term, = found.terms
    with new_hdf5(path, overwrite, found.made) as file:
        header, data = file.create_group("Header"), file.create_group("Data")
        for name, value in _header(found, term).items():
            header[name] = np.bytes_(value) if isinstance(value, str) else value
        # V_12 is <conj(x_1) x_2> in this format, the other way round here.
        data["gains"] = _turned(np.where(term.flags, 1, term.values)).conj()
        data["flags"], data["qualities"] = _turned(term.flags), _turned(term.snr)
        own = file.create_group("gr-fringe")
        own[OWN] = own_words(found, term)
        own["positions"] = found.positions
        for name in EXACT:
            if getattr(term, name) is not None:
                own[name] = getattr(term, name)


def _turned(cube):
    """[T][F][antenna][polarization] as [antenna][F][T][polarization], or back."""
    return np.moveaxis(cube, (0, 1, 2), (2, 1, 0))


def _header(found, term):
    antennas, place = len(found.antennas), found.positions.mean(axis=0)
    longitude, latitude = np.degrees(longitude_latitude(place))
    up = axes_towards(*longitude_latitude(place))[2]
    altitude = float((place - fp.itrf_from_wgs84(latitude, longitude, 0.0)) @ up)
    center = np.array(fp.itrf_from_wgs84(latitude, longitude, altitude))
    wide = len(term.frequencies) == 1
    edges = np.stack([term.frequencies - term.widths / 2, term.frequencies + term.widths / 2], 1)
    band = ({"freq_range": edges} if wide else
            {"freq_array": term.frequencies, "channel_width": term.widths,
             "flex_spw_id_array": np.zeros(len(term.frequencies), int)})
    reference = found.reference_of(term)
    if reference:
        band["ref_antenna_name"] = reference
    names = np.array([name.encode() for name in found.antennas])
    hands = found.polarizations
    feeds = np.array([[hand.lower().encode() for hand in hands]] * antennas)
    # A feed's X is to the north, the first of its angles.
    angles = np.tile([np.pi / 2 * (hand == "Y") for hand in hands], (antennas, 1))
    return {
        "version": "0.1", "telescope_name": "unknown", "telescope_frame": "itrs",
        "latitude": latitude, "longitude": longitude, "altitude": altitude,
        "Nants_telescope": antennas, "Nants_data": antennas,
        "antenna_numbers": np.arange(antennas), "antenna_names": names,
        "antenna_positions": found.positions - center, "ant_array": np.arange(antennas),
        "Nfeeds": len(hands), "feed_array": feeds, "feed_angle": angles,
        "mount_type": np.array([b"other"] * antennas),
        "cal_type": "gain", "cal_style": "sky", "gain_convention": "divide", "wide_band": wide,
        "sky_catalog": found.model or "unknown", "history": found.made or "gr-fringe",
        "Nfreqs": 1 if wide else len(term.frequencies), "Nspws": 1, "spw_array": np.array([0]),
        "Njones": len(hands), "jones_array": np.array([JONES[hand] for hand in hands]),
        "Ntimes": len(term.times), "time_array": term.times / 86400 + JD_OF_1970,
        "integration_time": term.intervals, **band}


def read_uvcal(path, polarizations=None):
    """`solutions` of one term, a bandpass or, of one value over the band, gains.

    Raises ValueError for delays, whose sign the format does not say, and for leakage.
    """
    with opened_hdf5(path, NAME) as file:
        header, data = file["Header"], file["Data"]
        cal_type, convention = text(header["cal_type"]), text(header["gain_convention"])
        if cal_type != "gain" or convention not in ("divide", "multiply"):
            raise ValueError(f"{path}: cal_type {cal_type}, gain_convention {convention}; gains "
                             "are read, to divide by or to multiply with")
        codes = np.ravel(header["jones_array"][()]).tolist()
        letters = {code: hand for hand, code in JONES.items()}
        if not set(codes) <= set(letters):
            raise ValueError(f"{path}: jones_array is {codes}; -5 and -6 (X and Y), -1 and -2 (R "
                             "and L) are read")
        basis = "".join(sorted((letters[code] for code in codes), key="XYRL".index))
        place = [codes.index(JONES[hand]) for hand in basis]
        gains, flags = (_turned(data[name][()])[..., place] for name in ("gains", "flags"))
        snr = (_turned(data["qualities"][()])[..., place] if "gr-fringe" in file
               else np.zeros(gains.shape))
        gains = np.where(flags, 1, gains).conj()
        gains = gains if convention == "divide" else 1 / gains
        check_on_earth(path, header)
        names, positions = _antennas(header)
        axes, order = _axes(path, header)
        own_group = file["gr-fringe"] if "gr-fringe" in file else {}
        own = read_own_words(text(own_group[OWN]) if OWN in own_group else "")
        axes["errors"] = np.zeros(gains.shape)
        if "kind" in own:
            axes |= {name: own_group[name][()] for name in EXACT if name in own_group}
            positions = own_group["positions"][()]
        kind = "G" if len(axes["frequencies"]) == 1 else "B"
        term = term_solution(
            own.get("kind", kind), values=gains[:, order], flags=flags[:, order],
            snr=snr[:, order], why=own.get("why", []), reference=own.get("term_reference", ""),
            **axes)
        return solutions(
            names, basis, [term], own.get("reference", word(header, "ref_antenna_name", "")),
            positions, own["flux"], own.get("model", word(header, "sky_catalog", "")),
            own.get("made", word(header, "history", "")))


def _antennas(header):
    """Names and ITRF positions (m) of the antennas that have gains; None where all are at one
    place."""
    number = {int(k): row for row, k in enumerate(np.ravel(header["antenna_numbers"][()]))}
    rows = [number[int(k)] for k in np.ravel(header["ant_array"][()])]
    names = [text_of(name) for name in header["antenna_names"][()]]
    known = np.ptp(header["antenna_positions"][()], axis=0).max() > 1e-6
    return [names[row] for row in rows], itrf_of(header)[rows] if known else None


def _axes(path, header):
    """(times, intervals, frequencies, widths of a term, the order of the frequencies)."""
    if has(header, "time_array"):
        jd = np.ravel(header["time_array"][()])
    elif has(header, "time_range"):
        jd = np.reshape(header["time_range"][()], (-1, 2)).mean(axis=1)
    else:
        raise ValueError(f"{path}: has neither time_array nor time_range")
    if header["wide_band"][()]:
        edges = np.reshape(header["freq_range"][()], (-1, 2))
        centers, widths = edges.mean(axis=1), np.ptp(edges, axis=1)
    else:
        centers = np.ravel(header["freq_array"][()])
        widths = np.abs(np.broadcast_to(header["channel_width"][()], centers.shape))
    order = np.argsort(centers)
    # A double that holds a Julian date resolves 40 microseconds.
    times = np.round((jd - JD_OF_1970) * 86400, 4)
    intervals = np.broadcast_to(np.ravel(header["integration_time"][()]), times.shape)
    return {"times": times, "intervals": intervals, "frequencies": centers[order],
            "widths": widths[order]}, order
