#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Settings that are allowed and hardly meant: sentences for before the work begins."""
import math
import time

from .. import fringe_python as fp
from .positions import azimuth_and_elevation
from .recording_names import modified

CLOCK_SLACK = 60.0  # seconds by which a computer's clock may be off
HOUR_SLACK = 30.0  # seconds from whole hours: a zone's, and no chance
MAX_ZONES = 14  # hours that a zone differs from UTC at most


def elevation(obs, start):
    """Elevation of an observation's phase center in degrees; None where it has none."""
    center = obs.phase_center
    if center.frame == fp.phase_center.kind.azel:
        return math.degrees(center.latitude)
    if center.frame == fp.phase_center.kind.zenith or not obs.has_site:
        return None
    return azimuth_and_elevation(obs, start)[1]


def below_the_horizon(obs, seconds):
    """A phase center that does not stand in the sky while the recording lasts."""
    if not obs.has_start_time:
        return []
    name = obs.phase_center.name or "the phase center"
    times = (obs.start_time, obs.start_time.plus_seconds(seconds))
    found = [elevation(obs, t) for t in times]
    if found[0] is None or min(found) >= 0:
        return []
    if max(found) < 0:
        return [f"{name} is {-max(found):.0f} degrees below the horizon of the site at "
                f"{times[0].iso(0)} UTC: are phase_center, start_time (UTC) and site right?"]
    what = "sets" if found[1] < 0 else "rises"
    return [f"{name} {what} between {times[0].iso(0)} and {times[1].iso(0)} UTC: the array does "
            "not see it all the time"]


def nowhere(obs):
    """A site that nobody has filled in."""
    if obs.has_site and obs.site_latitude == 0 and obs.site_longitude == 0:
        return ["the site is at latitude 0, longitude 0, in the Gulf of Guinea: times and "
                "directions on the sky are for there; give the array's own as site"]
    return []


def _span(seconds):
    """A length of time in words."""
    for unit, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.0f} seconds"


def misdated(paths, obs, seconds, now=None):
    """A start time that the recording's file contradicts: the last write was at its end, or, of a
    copy, later. A simulated sky may be of any time."""
    if not obs.has_start_time or obs.sky:
        return []
    end = obs.start_time.seconds + obs.start_time.fraction() + seconds
    now = time.time() if now is None else now
    start = f"start_time {obs.start_time.iso(0)} UTC"
    if end > now + CLOCK_SLACK:
        return [f"{start}: the recording would end {_span(end - now)} from now; is it UTC, and is "
                "this computer's clock right?"]
    written = max(map(modified, paths))
    early = end - written
    if early > CLOCK_SLACK:
        return [f"{start}: the recording would end {_span(early)} after {paths[0]} was last "
                "written; is it UTC?"]
    hours = round(-early / 3600)
    if 1 <= hours <= MAX_ZONES and abs(-early - 3600 * hours) <= HOUR_SLACK:
        return [f"{start}: {paths[0]} was last written {hours} hour{'' if hours == 1 else 's'} "
                "after the recording's end, to the minute; is start_time UTC, and not the time of "
                "a zone?"]
    return []


def notes(paths, observations, samples):
    """Sentences on what is hardly meant; often none. samples: of every input, that are read."""
    found = []
    seconds = samples / observations[0].sample_rate
    for observation in observations:
        found += below_the_horizon(observation, seconds)
    found += nowhere(observations[0])
    found += misdated(paths, observations[0], seconds)
    return list(dict.fromkeys(found))
