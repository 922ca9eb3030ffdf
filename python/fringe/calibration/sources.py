#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sources to calibrate by, and the visibilities that they make."""

import contextlib
import json
import math
import os
import re
from dataclasses import dataclass

import numpy as np
import yaml

from .. import fringe_python as fp
from ..readers.visibilities import SPEED_OF_LIGHT
from ..ground.axes import site_axes
from ..ground.yaml_text import load_yaml


@dataclass
class calibration_source:
    """A point source: a `phase_center` (radians) or a `satellite_track`, and its flux."""
    name: str
    direction: object
    flux: float = None  #: in the unit of the visibilities; None = not known

    def delays(self, observation, instant):
        """Delay of each antenna against the first, s; `instant` an epoch. ValueError where the
        source is below the horizon."""
        if isinstance(self.direction, fp.phase_center):
            sine = site_axes(observation)[2] @ self.towards(observation, instant)
            low = math.asin(max(-1.0, min(sine, 1.0)))  # in the zenith rounding may pass 1
            if low <= 0:
                raise ValueError(f"{self.name}: is {-math.degrees(low):.1f} degrees below the "
                                 f"horizon of the site at {instant.iso(0)}")
        return fp.delay_model(observation, self.direction).geometric(instant)[0]

    def towards(self, observation, instant):
        """Unit vector in ITRF."""
        place = self.direction
        if place.frame == fp.phase_center.kind.body:
            there = fp.observation(observation)
            there.phase_center = place
            return fp.phase_center_direction(there, instant)
        if place.frame == fp.phase_center.kind.radec:
            return fp.axes_of_radec(place.longitude, place.latitude, instant,
                                    observation.dut1)[2]
        return fp.axes_of_azel(observation, place.longitude, place.latitude)[2]


def source_at(text, horizontal, name=""):
    """A source from "RA,DEC" or "AZ,EL", "...,FLUX" where it is known, angles as in the
    observation file, or from one of fringe.source_names(). Raises ValueError."""
    if not horizontal and "," not in text:
        with contextlib.suppress(ValueError):
            return calibration_source(name or text, fp.phase_center.named(text))
    parts = [part.strip() for part in text.split(",")]
    if len(parts) not in (2, 3):
        raise ValueError(f"'{text}': give {'AZ,EL' if horizontal else 'RA,DEC'}, and ,FLUX where "
                         "it is known" + ("" if horizontal else ", or a name such as Sun"))
    keys = ("az", "el", "flux") if horizontal else ("ra", "dec", "flux")
    return _source({"name": name or text, **dict(zip(keys, parts))}, f"'{text}'")


def read_catalogue(path):
    """Sources of a YAML file: a list of {name, ra, dec, flux} or {name, az, el, flux}.

    Angles as in the observation file; flux may be left out. Instead of a direction, `satellite`
    names a table of instants and positions (fringe.satellite_track) beside the file. Raises
    ValueError.
    """
    try:
        entries = load_yaml(fp.read_text_file(path))
    except yaml.YAMLError as error:
        raise ValueError(f"{path}: is no YAML file: {' '.join(str(error).split())}") from None
    if not isinstance(entries, list) or not entries:
        raise ValueError(f"{path}: must be a list of sources, '- {{name: A, ra: 12h30m, "
                         "dec: +12d23m, flux: 10}'")
    found = []
    for k, entry in enumerate(entries):
        where = f"{path}: source {k + 1}"
        if not isinstance(entry, dict):
            raise ValueError(f"{where}: must be {{name, ra, dec, flux}} or {{name, az, el, flux}}")
        entry = {"name": f"source{k}", **entry}
        if "satellite" in entry:
            entry["satellite"] = os.path.join(os.path.dirname(path), str(entry["satellite"]))
        found.append(_source(entry, where))
    return found


def is_file_name(text):
    """True where a list of sources is a file, False where it is names with commas between."""
    return os.path.exists(text) or "/" in text or bool(re.search(r"\.\w+$", text))


def sources_of(text):
    """Sources of a catalogue, see read_catalogue(), or of names with commas between, such as
    "Sun,CasA": those of fringe.source_names(). Raises ValueError."""
    if is_file_name(text):
        return read_catalogue(text)
    names = [name.strip() for name in text.split(",")]
    try:
        return [calibration_source(name, fp.phase_center.named(name)) for name in names]
    except ValueError as error:
        raise ValueError(f"{text}: is no file, and {error}") from None


def _source(entry, where):
    """A source from its fields, read as the observation file's are."""
    strange = set(entry) - {"name", "ra", "dec", "az", "el", "flux", "satellite"}
    if strange:
        raise ValueError(f"{where}: there is no field {min(map(str, strange))}; there are name, "
                         "ra, dec, az, el, satellite and flux")
    name, flux = str(entry["name"]), entry.get("flux")
    try:
        flux = None if flux is None else float(flux)
    except (TypeError, ValueError):
        raise ValueError(f"{where}: flux {flux}: must be a number") from None
    if flux is not None and not 0 < flux < math.inf:
        raise ValueError(f"{where}: flux {flux}: must be positive")
    if "satellite" in entry:
        return calibration_source(name, fp.satellite_track.from_file(entry["satellite"]), flux)
    place = {key: str(entry[key]) for key in ("ra", "dec", "az", "el") if key in entry}
    center = fp.phase_center.from_text(json.dumps(place), where)
    return calibration_source(name, center, flux)


def source_delays(vis, observation, sources):
    """Delays that make a file's phases: s, [source][dump][input].

        M_ij = exp(-2 pi i f (T_i - T_j)),   T = tau            not phased
                                             T = tau + w / c    phased: w of the file

    tau: geometric delays, from the observation's positions, at the middle of each dump. `vis`
    must have the inputs of `observation`: ValueError.
    """
    check_inputs(vis, observation)
    if vis.frequencies is None or vis.frequencies.min() < 0:
        raise ValueError(f"{vis.path}: does not say at which frequencies it was made")
    if not vis.has_times and any(not _fixed(source) for source in sources):
        raise ValueError(f"{vis.path}: does not say when it was made; only sources given by "
                         "azimuth and elevation can be used")
    antenna = np.array([a for a, _ in vis.inputs])
    found = np.empty((len(sources), len(vis.seconds), len(antenna)))
    for d, (second, fraction) in enumerate(zip(vis.seconds, vis.fractions)):
        instant = fp.epoch(int(second), float(fraction))
        w = 0 if vis.uvw is None else vis.uvw[d, :, 2] / SPEED_OF_LIGHT
        for k, source in enumerate(sources):
            found[k, d] = (np.asarray(source.delays(observation, instant)) + w)[antenna]
    return found


def point_visibilities(tau, frequencies):
    """exp(-2 pi i f (tau_i - tau_j)), [source][channel][product], of delays [source][input]."""
    i, j = np.triu_indices(tau.shape[1])
    turns = tau[:, None, :] * np.asarray(frequencies)[:, None]
    e = np.exp(-2j * np.pi * (turns - np.rint(turns)))
    return e[..., i] * e[..., j].conj()


def check_inputs(vis, observation):
    """Raises ValueError where a file's inputs are not those of an observation."""
    ours = [(observation.antennas[entry.antenna].name, entry.polarization)
            for entry in observation.inputs]
    theirs = [(vis.antennas[antenna], hand) for antenna, hand in vis.inputs]
    if len(ours) != len(theirs):
        raise ValueError(f"{vis.path}: has {len(theirs)} inputs, the observation {len(ours)}")
    for k, (name, other) in enumerate(zip(theirs, ours)):
        if name != other:
            raise ValueError(f"{vis.path}: input {k} is {' '.join(name)}, in the observation it is "
                             f"{' '.join(other)}")


def _fixed(source):
    return (isinstance(source.direction, fp.phase_center)
            and source.direction.frame in (fp.phase_center.kind.azel,
                                           fp.phase_center.kind.zenith))
