#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where an array stands, and how directions stand there."""

import numpy as np

from .. import fringe_python as fp
from ..ground.axes import axes_towards
from ..readers.antenna_pairs import ON_EARTH, longitude_latitude


def site_of(content):
    """An observation at the middle of the antennas, by WGS84; at 0, 0 where they are not on the
    ground."""
    site = fp.observation()
    site.dut1 = content.dut1 or 0.0
    center = np.mean(content.itrf, axis=0)
    if np.linalg.norm(center) > ON_EARTH:
        place = longitude_latitude(center)
        longitude, latitude = np.degrees(place)
        below = np.array(fp.itrf_from_wgs84(latitude, longitude, 0.0))
        site.set_site(latitude, longitude, (center - below) @ axes_towards(*place)[2])
    return site


def of_date(site, place, instant):
    """(sidereal time of the site; right ascension and declination of an ICRS place, of the equator
    and the equinox of date; the angle from the north of date to that of ICRS), radians."""
    u, v, w = np.array(fp.axes_of_radec(*place, instant, site.dut1))
    sidereal = fp.local_sidereal_time(site, instant)
    greenwich = sidereal - np.radians(site.site_longitude)
    return (sidereal, (np.arctan2(w[1], w[0]) + greenwich) % (2 * np.pi),
            np.arcsin(np.clip(w[2], -1, 1)), np.arctan2(-u[2], v[2]))
