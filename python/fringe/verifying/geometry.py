#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""uvw against the positions of antennas, the phase center and the times of a file.

With r_a in ITRF and the axes u, v, w of ICRS at a time (ERFA), uvw_a = axes . (r_a - r_0): what
`visibilities` have, whatever the sign of the format is.
"""
import itertools

import numpy as np

from .. import fringe_python as fp
from .finding import FITS, UNKNOWN, WRONG, finding

LIGHT = 0.299792458  #: m in a ns
NANOSECONDS = 1.0  #: that w may be off
#: Part of the array's size that uvw of other programs may differ by: annual aberration.
RELATIVE = 1.2e-4
#: s: without UT1 - UTC, and with it: polar motion.
LATE, LATE_WITH_DUT1 = 0.9, 0.06
#: s, over cos^2 of the declination: programs treat aberration differently, and find the north of
#: ICRS from two places beside the source, which is worse the nearer the pole is (pyuvdata: 0.3 s).
TURNED = 0.6
SIGNS = {(1, 1, 1): "", (-1, -1, -1): "u, v and w have the other sign",
         (-1, 1, 1): "u has the other sign: east and west are exchanged",
         (1, -1, 1): "v has the other sign: north and south are exchanged",
         (-1, -1, 1): "u and v have the other sign: the image is upside-down",
         (1, 1, -1): "w has the other sign"}


def expected_uvw(vis, dut1=0.0, later=0.0):
    """[dump][antenna][3], up to a shift of all antennas, `later` seconds after the times of the
    file."""
    itrf = vis.feeds.itrf - vis.feeds.itrf.mean(axis=0)
    _, ra, dec = vis.phase_center
    times = [fp.epoch(int(s), float(f)).plus_seconds(later)
             for s, f in zip(vis.seconds, vis.fractions)]
    return np.array([fp.antenna_uvw(itrf, fp.axes_of_radec(ra, dec, t, dut1)) for t in times])


def _around(values):
    """Without what all antennas have in common: the median, as a few may be wrong."""
    return values - np.nanmedian(values, axis=1, keepdims=True)


def _misfit(found, want):
    """m, of the antenna in the middle: a few that are wrong do not count."""
    return float(np.median(np.sqrt(np.nanmean(_around(found - want) ** 2, axis=(0, 2)))))


def check_uvw(vis, dut1=None):
    """Findings on signs, times, and antennas. dut1: UT1 - UTC in s; None where it is not known."""
    if vis.uvw is None or vis.phase_center is None or vis.feeds is None or not vis.has_times:
        return [finding("uvw", UNKNOWN, "the file lacks u, v, w, a phase center, times, or "
                        "positions of antennas")]
    # Antennas that have no baselines in a dump, or in none, have no uvw there.
    known = np.isfinite(vis.uvw).all(axis=2)
    dumps = np.flatnonzero(known.sum(axis=1) > 1)
    antennas = np.flatnonzero(known[dumps].any(axis=0))
    here = np.ix_(dumps, antennas)

    def chosen(values):
        return np.where(known[here][..., None], values[here], np.nan)
    want = chosen(expected_uvw(vis, dut1 or 0.0))
    size = np.nanmax(np.abs(_around(want))) if want.size else 0.0
    if size < 1e-3:
        return [finding("uvw", UNKNOWN, "the antennas are all in one place")]
    found = chosen(vis.uvw)
    rate = _around(chosen(expected_uvw(vis, dut1 or 0.0, 1.0)) - want)
    signs = min(SIGNS, key=lambda s: _misfit(found * s, want))
    findings = [finding("sign of uvw", WRONG if SIGNS[signs] else FITS,
                        SIGNS[signs] or "that of V ~ exp(+2 pi i (u l + v m + w (n - 1)))")]
    found = found * signs
    late = _lateness(_around(found - want), rate)
    cosine = max(abs(np.cos(vis.phase_center[2])), 1e-6)
    limit = (LATE if dut1 is None else LATE_WITH_DUT1) + TURNED / cosine ** 2
    still = np.sqrt(np.nanmean(rate ** 2)) * 0.01 < 1e-9
    findings.append(_times(vis, late, limit, dut1, still))
    want = want + late * rate
    found = found - np.nanmedian(found - want, axis=1, keepdims=True)
    allowed = NANOSECONDS * LIGHT + RELATIVE * max(1.0, 0.25 / cosine) * size
    return findings + _antennas([vis.antennas[k] for k in antennas], found, want, allowed)


def _lateness(left, rate):
    """Seconds by which uvw belong to later times than those of the file."""
    # Robust against a few antennas that are wrong: the median of the antennas' own.
    change = np.nansum(rate[..., :2] ** 2, axis=(0, 2))
    own = np.nansum(left[..., :2] * rate[..., :2], axis=(0, 2)) / np.maximum(change, 1e-30)
    return float(np.median(own[change > 0.01 * change.max()]))


def _times(vis, late, limit, dut1, still):
    if still:
        return finding("times", UNKNOWN, "u and v do not change with time")
    if abs(late) <= limit:
        known = "" if dut1 is not None else ", 0.9 s of it for UT1 - UTC, unless --dut1 gives it"
        return finding("times", FITS, f"uvw are those of the file's times within {abs(late):.2g} s "
                       f"(allowed {limit:.2g} s{known})")
    words = (f"uvw belong to times {abs(late):.3g} s {'later' if late > 0 else 'earlier'} than "
             "those of the file")
    dump = float(np.median(vis.intervals))
    if abs(abs(late) - dump / 2) < 0.1 * dump:
        words += ", half a dump: the times are those of an end of the dumps, not the middle"
    return finding("times", WRONG, words)


def _antennas(names, found, want, allowed):
    """Findings on w, and on antennas that are exchanged."""
    left = found - want
    off = np.nanmax(np.abs(left), axis=(0, 2))
    bad = np.flatnonzero(off > allowed)
    for a, b in itertools.combinations(bad[:40], 2):
        exchanged = max(_farthest(found[:, a] - want[:, b]), _farthest(found[:, b] - want[:, a]))
        if exchanged < 2 * allowed + 0.02 * max(off[a], off[b]):
            return [finding("antennas", WRONG, f"{names[a]} and {names[b]} are exchanged: each has "
                            "the uvw of the other's place")]
    if len(bad):
        worst = int(off.argmax())
        only_w = np.nanmax(np.abs(left[:, worst, :2])) < 0.1 * off[worst]
        return [finding("antennas", WRONG,
                        f"uvw of {len(bad)} of {len(names)} antennas are off, most of all "
                        f"{names[worst]}: {off[worst]:.3g} m ({off[worst] / LIGHT:.3g} ns)"
                        + (", in w alone: phases do not fit" if only_w else ""))]
    return [finding("antennas", FITS, f"uvw are those of the places within {off.max():.2g} m "
                    f"({off.max() / LIGHT:.2g} ns; allowed {allowed:.2g} m)")]


def _farthest(left):
    """m; of antennas that are never in the same dump, any."""
    there = np.abs(left[np.isfinite(left)])
    return there.max() if there.size else np.inf
