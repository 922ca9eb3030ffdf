#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where a phase center stands in the sky: azimuth, elevation, when it rises and sets."""
import math
from dataclasses import dataclass

import numpy as np

from .. import fringe_python as fp
from ..ground.axes import site_axes

STEP = 600.0  # seconds between the elevations that a rise or set is looked for in
DAY = 86400.0
CLOSE = 0.5  # seconds to which a rise or set is found


@dataclass
class position:
    """A direction at an instant, in degrees, and the sidereal time of the site in hours."""
    azimuth: float
    elevation: float
    right_ascension: float
    declination: float
    sidereal_time: float


def azimuth_and_elevation(obs, instant):
    """Azimuth (north through east) and elevation of the phase center in degrees, geometric: the
    refraction of the air, half a degree at the horizon, is not in it."""
    east, north, up = site_axes(obs) @ fp.phase_center_direction(obs, instant)
    return (math.degrees(math.atan2(east, north)) % 360,
            math.degrees(math.atan2(up, math.hypot(east, north))))


def position_at(obs, instant):
    """The `position` of an observation's phase center at an instant."""
    ra, dec = fp.phase_center_radec(obs, instant)
    return position(*azimuth_and_elevation(obs, instant), math.degrees(ra) % 360,
                    math.degrees(dec), fp.local_sidereal_time(obs, instant) * 12 / math.pi)


def rise_and_set(obs, instant, horizon=0.0):
    """(rise, set) of the phase center in the day after an instant: epochs, None where there is
    none. `horizon`: the elevation, degrees, that counts as rising."""
    found = {"rise": None, "set": None}
    seconds = np.arange(0, DAY + 1, STEP)
    heights = [azimuth_and_elevation(obs, instant.plus_seconds(float(s)))[1] - horizon
               for s in seconds]
    for k in range(len(seconds) - 1):
        if heights[k] < 0 <= heights[k + 1] and found["rise"] is None:
            found["rise"] = _crossing(obs, instant, seconds[k], 1, horizon)
        elif heights[k] >= 0 > heights[k + 1] and found["set"] is None:
            found["set"] = _crossing(obs, instant, seconds[k], -1, horizon)
    return found["rise"], found["set"]


def _crossing(obs, instant, first, way, horizon):
    """The instant at which the elevation passes the horizon, within STEP after `first`."""
    low, high = float(first), float(first) + STEP
    while high - low > CLOSE:
        middle = (low + high) / 2
        height = azimuth_and_elevation(obs, instant.plus_seconds(middle))[1] - horizon
        low, high = (middle, high) if way * height < 0 else (low, middle)
    return instant.plus_seconds((low + high) / 2)


def position_in_words(obs, instant):
    """(name, value) of each line on where the phase center is: none for one fixed to the
    ground."""
    kind = fp.phase_center.kind
    if not obs.has_site or obs.phase_center.frame in (kind.zenith, kind.azel):
        return []
    now = position_at(obs, instant)
    clock = instant.iso(0).replace("T", " ").rstrip("Z") + " UTC"
    lines = [("elevation", f"{now.elevation:.2f} degrees, azimuth {now.azimuth:.2f} degrees at "
                           f"{clock}"),
             ("position", f"right ascension {_sexagesimal(now.right_ascension / 15, 'hms')}, "
                          f"declination {_sexagesimal(now.declination, 'dms')} (ICRS), seen "
                          "from the site")]
    if now.elevation < 0:
        lines[0] = ("elevation", lines[0][1] + ": below the horizon")
    return lines + _passage(obs, instant, now.elevation) + [
        ("sidereal", f"time of the site {_sexagesimal(now.sidereal_time, 'hms', 0)}")]


def _passage(obs, instant, elevation):
    rise, fall = rise_and_set(obs, instant)
    if rise is None and fall is None:
        return [("rise, set", "it does not set there that day" if elevation >= 0
                 else "it does not rise there that day")]
    times = [(time, word) for time, word in ((rise, "rises"), (fall, "sets")) if time]
    times.sort(key=lambda pair: pair[0].seconds_since(instant))
    return [("rise, set", ", ".join(f"{word} {time.iso(0).replace('T', ' ').rstrip('Z')} UTC"
                                    for time, word in times))]


def _sexagesimal(value, units, digits=1):
    """12h30m49.4s or +12d23m28.0s."""
    sign = "" if units[0] == "h" else "-" if value < 0 else "+"
    total = round(abs(value) * 3600, digits)
    whole, rest = divmod(total, 3600)
    if units[0] == "h":
        whole %= 24
    minutes, seconds = divmod(rest, 60)
    width = 3 + digits if digits else 2
    return (f"{sign}{int(whole):02d}{units[0]}{int(minutes):02d}{units[1]}"
            f"{seconds:0{width}.{digits}f}{units[2]}")
