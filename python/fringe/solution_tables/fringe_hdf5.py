#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Solutions in HDF5 files of gr-fringe, which docs/formats.md describes."""

import os

import numpy as np

from .. import fringe_python as fp
from ..calibration.solutions import KINDS, solutions, term_solution
from ..readers.hdf5_file import opened_hdf5
from .hdf5 import new_hdf5, put, text_of

FORMAT, VERSION = "gr-fringe calibration solutions", 1
#: Datasets with a value for each place on an axis, and their units.
SCALES = {"time": "s since 1970-01-01T00:00:00 UTC", "frequency": "Hz"}
AXES = "time", "frequency", "antenna", "polarization"
TEXTS = "model", "made", "reference"


def holds_solutions(path):
    """True for an HDF5 file that says that it is one."""
    if not os.path.isfile(path):  # a pipe would wait for somebody who writes
        return False
    try:
        with opened_hdf5(path, "HDF5 file") as file:
            return text_of(file.attrs.get("format", "")) == FORMAT
    except ValueError:
        return False


def check_hdf5(found):
    """Such a file holds all that there can be."""


def write_hdf5(path, found, overwrite=False):
    """Writes `solutions` to a new file."""
    with new_hdf5(path, overwrite, found.made) as file:
        file.attrs.update(format=FORMAT, version=VERSION, program=f"gr-fringe {fp.__version__}",
                          **{name: getattr(found, name) for name in TEXTS})
        _scale(file, "antenna", found.antennas)
        _scale(file, "polarization", list(found.polarizations))
        if found.positions is not None:
            _labeled(file, "position", found.positions, "m", (file["antenna"], None),
                      ("antenna", "ITRF x y z"))
        flux = file.create_group("flux")
        _scale(flux, "source", list(found.flux))
        values = np.array(list(found.flux.values()), float).reshape(-1, 2)
        for column, name in enumerate(("value", "error")):
            _labeled(flux, name, values[:, column], "Jy, or the unit of the data",
                      (flux["source"],), ("source",))
        for number, term in enumerate(found.terms):
            _write_term(file, file.create_group(f"terms/{number}_{term.kind}"), term)


def _write_term(file, group, term):
    group.attrs.update(kind=term.kind, meaning=KINDS[term.kind], reference=term.reference)
    for name, values in (("time", term.times), ("frequency", term.frequencies)):
        _scale(group, name, values, SCALES[name])
    scales = group["time"], group["frequency"], file["antenna"], file["polarization"]
    _labeled(group, "interval", term.intervals, "s", scales[:1], AXES[:1])
    _labeled(group, "width", term.widths, "Hz", scales[1:2], AXES[1:2])
    unit = "s" if term.is_delay else ""
    for name, values, units in (("value", term.values, unit), ("error", term.errors, unit),
                                ("flag", term.flags, ""), ("snr", term.snr, "")):
        _labeled(group, name, values, units, scales, AXES)
    if term.phase_errors is not None:
        _labeled(group, "phase_error", term.phase_errors, "rad", scales, AXES)
    put(group, "why", list(term.why))


def _scale(group, name, values, units=""):
    made = put(group, name, values)
    made.make_scale(name)
    made.attrs["units"] = units


def _labeled(group, name, values, units, scales, axes):
    made = put(group, name, values)
    made.attrs["units"] = units
    for number, (scale, axis) in enumerate(zip(scales, axes)):
        made.dims[number].label = axis
        if scale is not None:
            made.dims[number].attach_scale(scale)


def read_hdf5(path, polarizations=None):
    """`solutions` of such a file. polarizations: not needed, the file has them."""
    with opened_hdf5(path, "file of calibration solutions of gr-fringe") as file:
        version = int(file.attrs["version"])
        if text_of(file.attrs["format"]) != FORMAT or version != VERSION:
            raise ValueError(f"{path}: format {text_of(file.attrs['format'])!r}, version "
                             f"{version}; this program reads {FORMAT!r}, version {VERSION}")
        groups = sorted(file["terms"].values() if "terms" in file else [],
                        key=lambda group: int(group.name.rpartition("/")[2].partition("_")[0]))
        flux = file["flux"]
        return solutions(
            _texts(file["antenna"]), "".join(_texts(file["polarization"])),
            [_read_term(path, group) for group in groups],
            positions=file["position"][()] if "position" in file else None,
            flux={name: (float(value), float(error)) for name, value, error in zip(
                _texts(flux["source"]), flux["value"][()], flux["error"][()])},
            **{name: text_of(file.attrs[name]) for name in TEXTS})


def _read_term(path, group):
    kind, unit = text_of(group.attrs["kind"]), text_of(group["value"].attrs["units"])
    axes = tuple(dim.label for dim in group["value"].dims)
    if axes != AXES:
        raise ValueError(f"{path}: {group.name}/value has the axes {', '.join(axes)}; must be "
                         + ", ".join(AXES))
    term = term_solution(
        kind, *(group[name][()] for name in ("time", "interval", "frequency", "width", "value",
                                             "error", "flag", "snr")),
        why=_texts(group["why"]), reference=text_of(group.attrs["reference"]),
        phase_errors=group["phase_error"][()] if "phase_error" in group else None)
    for name, found, right in (("value", unit, "s" if term.is_delay else ""), *(
            (name, text_of(group[name].attrs["units"]), units)
            for name, units in SCALES.items())):
        if found != right:
            raise ValueError(f"{path}: {group.name}/{name} is in {found!r}; must be in {right!r}")
    return term


def _texts(dataset):
    return [text_of(value) for value in dataset[()]]
