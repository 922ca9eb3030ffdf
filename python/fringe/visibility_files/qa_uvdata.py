# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Visibility files as pyuvdata reads them, for tests."""
import importlib.metadata
import unittest
import warnings
from unittest import mock


def version_of_pyuvdata():
    """(3, 2) of 3.2.1; (0, 0) where it is not installed."""
    try:
        major, minor = importlib.metadata.version("pyuvdata").split(".")[:2]
    except importlib.metadata.PackageNotFoundError:
        return 0, 0
    return int(major), int(minor)


needs_pyuvdata = unittest.skipUnless(version_of_pyuvdata() >= (3, 2), "pyuvdata from 3.2 on, "
                                     "which knows mounts, is not installed")


def mounts_in_pyuvdata(ending, mounts):
    """Of UVFITS files of others, it takes number 7 not for fixed, which is its own, but for other.
    """
    return [str(mount) if ending != ".uvfits" else str(mount).replace("fixed", "other")
            for mount in mounts]


def read_by_pyuvdata(path, **options):
    """A UVData, which has checked itself; without a look into the network."""
    from astropy.coordinates import EarthLocation
    from astropy.utils import iers
    from pyuvdata import UVData
    with mock.patch.object(EarthLocation, "get_site_names", return_value=[]), \
            iers.conf.set_temp("auto_download", False), \
            iers.conf.set_temp("iers_degraded_accuracy", "ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return UVData.from_file(path, **options)
