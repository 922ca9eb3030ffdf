#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Axes of directions and places: east, north, and the direction itself, or up."""

import numpy as np


def axes_towards(longitude, latitude):
    """Rows: unit vectors to the east and north of a direction, and towards it; radians. Of right
    ascension and declination these are u, v and w of an equatorial frame; of the longitude and
    geodetic latitude of a place east, north and up there, in ITRF."""
    so, co, sa, ca = (np.sin(longitude), np.cos(longitude), np.sin(latitude), np.cos(latitude))
    return np.array([[-so, co, 0], [-sa * co, -sa * so, ca], [ca * co, ca * so, sa]])


def site_axes(observation):
    """Rows: east, north and up at the site of an observation, in ITRF."""
    return axes_towards(*np.radians([observation.site_longitude, observation.site_latitude]))
