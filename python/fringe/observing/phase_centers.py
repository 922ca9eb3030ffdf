#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where the array looks: phase centers from text, what tracking them needs, and what is lost
without it."""
import math
import os
import re

import numpy as np

from .. import fringe_python as fp

NOTICEABLE = 0.01  # loss of amplitude that is worth a warning


def phase_center(text):
    """A phase center of the option phase_centers, by fringe.phase_center.from_text()."""
    return fp.phase_center.from_text(text, f"phase_centers: {text}")


def moves_over_the_array(obs):
    """True for a phase center among the stars and one of the solar system: where it is depends on
    the time."""
    kind = fp.phase_center.kind
    return obs.phase_center.frame in (kind.radec, kind.body)


def satellite_of(center):
    """(table, name) of a satellite, from "satellite=TABLE" or "satellite=TABLE,NAME"; None for
    another phase center."""
    if not isinstance(center, str) or not center.strip().startswith("satellite="):
        return None
    table, _, name = center.strip()[len("satellite="):].partition(",")
    return table, name.strip() or os.path.splitext(os.path.basename(table))[0]


def satellites_of(centers, tracking):
    """The table that each phase center is followed by, "" for those that are no satellites."""
    found = [satellite_of(center) for center in centers]
    if any(found) and tracking is False:
        raise ValueError("tracking=False: a satellite (phase_centers=satellite=TABLE) is followed "
                         "in the F-engine")
    return [satellite[0] if satellite else "" for satellite in found]


def _towards_satellite(obs, table, name):
    """Turns an observation to where a satellite is when it begins."""
    if not obs.has_start_time:
        raise ValueError("phase_centers: a satellite is followed in time, and nothing says when "
                         "the recording began; give start_time=UTC")
    obs.check()
    if not obs.has_site:
        raise ValueError("phase_centers: a satellite is followed from places on the earth; the "
                         "observation has no site")
    try:
        place = fp.satellite_track.from_file(table).at(obs.start_time)
    except ValueError as error:
        raise ValueError(f"phase_centers: satellite={table}: {error}") from None
    east, north, up = fp.enu_from_itrf(obs, place)
    obs.phase_center = fp.phase_center.at_azel(math.atan2(east, north) % (2 * math.pi),
                                               math.atan2(up, math.hypot(east, north)), name)


def towards(obs, center):
    """The observation turned to a phase center: a text, or a fringe.phase_center."""
    turned = fp.observation(obs)
    if satellite_of(center):
        _towards_satellite(turned, *satellite_of(center))
    else:
        turned.phase_center = phase_center(center) if isinstance(center, str) else center
    return turned


def observations_towards(obs, centers):
    """One observation for each phase center; without centers the given one. With a
    satellite among them all are tracked."""
    if not centers:
        return [obs]
    made, tracking = [], obs.tracking or any(map(satellite_of, centers))
    for center in centers:
        observed = towards(obs, center)
        satellite = satellite_of(center)
        if satellite and observed.phase_center.latitude < 0:
            raise ValueError(f"phase_centers: satellite={satellite[0]}: is "
                             f"{-math.degrees(observed.phase_center.latitude):.1f} degrees below "
                             "the horizon when the recording begins")
        observed.tracking = tracking
        observed.check()
        made.append(observed)
    return made


def paths_towards(paths, observations):
    """Output files [observation][path]: for several phase centers x.ms becomes x_NAME.ms, by the
    center's name or its number from 1 on."""
    if len(observations) == 1:
        return [list(paths)]
    named = []
    for number, obs in enumerate(observations, 1):
        name = re.sub(r"[^\w+-]+", "_", obs.phase_center.name) or str(number)
        named.append([f"{stem}_{name}{ending}" for stem, ending in map(os.path.splitext, paths)])
    flat = [path for some in named for path in some]
    if len(set(flat)) < len(flat):
        raise ValueError("phase_centers: two centers have the same name; give each its own")
    return named


def tracking_of(obs, satellite=""):
    """What the F-engine tracks: the observation's phase center, the satellite of a table, or
    None."""
    if not obs.tracking:
        return None
    if not obs.has_start_time and moves_over_the_array(obs):
        raise ValueError("tracking: a direction among the stars is tracked in time, and nothing "
                         "says when the recording began; give start_time=UTC")
    if satellite:
        return fp.tracking.of_satellite(obs, satellite, obs.fringe_stopping)
    return fp.tracking(obs, obs.fringe_stopping)


def loss_without(obs, complex_samples):
    """Largest loss of amplitude, 0 ... 1, on any baseline of an observation that is not tracked:
    the delay turns the phase through a channel, the earth's rotation through a dump,

        1 - sinc(width delay) sinc(frequency rate seconds)
    """
    if len(obs.antennas) < 2 or obs.tracking or not obs.has_start_time:
        return 0.0
    try:
        delays, rates = fp.delay_model(obs, obs.phase_center).geometric(obs.start_time)
    except ValueError:  # no site, say: there is nothing to go by
        return 0.0
    used = sorted({entry.antenna for entry in obs.inputs})
    width = obs.sample_rate / (1 if complex_samples else 2) / obs.channels
    points = obs.channels * (1 if complex_samples else 2)
    seconds = obs.integration or obs.spectra * points / obs.sample_rate
    delay, rate = np.ptp(np.take(delays, used)), np.ptp(np.take(rates, used))
    return 1 - max(0.0, np.sinc(width * delay)) * max(
        0.0, np.sinc(obs.center_frequency * rate * seconds))


def warnings(obs, complex_samples):
    """Sentences for the user about the delays of an observation; often none."""
    if obs.tracking:
        try:
            return fp.delay_model(obs, obs.phase_center).warnings(obs.start_time)
        except ValueError:  # tracking_of() says why
            return []
    loss = loss_without(obs, complex_samples)
    if not loss > NOTICEABLE or math.isnan(loss):
        return []
    return [f"without tracking the longest baseline loses {100 * loss:.0f} % of a source in the "
            "phase center: tracking=True takes delays and fringes out (or take shorter dumps and "
            "more channels)"]
