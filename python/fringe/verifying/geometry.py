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
LATE, LATE_WITH_DUT1 = 1.0, 0.06
SIGNS = {(1, 1, 1): "", (-1, -1, -1): "u, v and w have the other sign",
         (-1, 1, 1): "u has the other sign: east and west are exchanged",
         (1, -1, 1): "v has the other sign: north and south are exchanged",
         (-1, -1, 1): "u and v have the other sign: the image is upside-down",
         (1, 1, -1): "w has the other sign"}


def _centered(places):
    return places - places.mean(axis=-2, keepdims=True)


def expected_uvw(vis, dut1=0.0, later=0.0):
    """[dump][antenna][3], around the mean of the antennas, `later` seconds after the times of the
    file."""
    itrf = _centered(vis.feeds.itrf)
    _, ra, dec = vis.phase_center
    times = [fp.epoch(int(s), float(f)).plus_seconds(later)
             for s, f in zip(vis.seconds, vis.fractions)]
    return np.array([itrf @ np.array(fp.axes_of_radec(ra, dec, t, dut1)).T for t in times])


def _rms(values):
    return float(np.sqrt((values ** 2).mean()))


def _misfit(found, want):
    """m, of the antenna in the middle: a few that are wrong do not count."""
    return float(np.median(np.sqrt(((found - want) ** 2).mean(axis=(0, 2)))))


def check_uvw(vis, dut1=None):
    """Findings on signs, times, and antennas. dut1: UT1 - UTC in s; None where it is not known."""
    if vis.uvw is None or vis.phase_center is None or vis.feeds is None or not vis.has_times:
        return [finding("uvw", UNKNOWN, "the file has no uvw, no phase center, no times or no "
                        "places of antennas")]
    want = expected_uvw(vis, dut1 or 0.0)
    size = np.abs(want).max()
    if size < 1e-3:
        return [finding("uvw", UNKNOWN, "the antennas are all in one place")]
    found = _centered(np.nan_to_num(vis.uvw))
    rate = (expected_uvw(vis, dut1 or 0.0, 1.0) - want)
    signs = min(SIGNS, key=lambda s: _misfit(found * s, want))
    findings = [finding("sign of uvw", WRONG if SIGNS[signs] else FITS,
                        SIGNS[signs] or "that of V ~ exp(+2 pi i (u l + v m + w (n - 1)))")]
    found = found * signs
    late = _lateness(found, want, rate)
    limit = LATE if dut1 is None else LATE_WITH_DUT1
    findings.append(_times(vis, late, limit, dut1, _rms(rate) * 0.01 < 1e-9))
    left = found - want - late * rate
    return findings + _antennas(vis, found, want + late * rate, left, size)


def _lateness(found, want, rate):
    """Seconds by which uvw belong to later times than those of the file."""
    # Robust against a few antennas that are wrong: the median of the antennas' own.
    change = (rate[..., :2] ** 2).sum(axis=(0, 2))
    own = ((found - want)[..., :2] * rate[..., :2]).sum(axis=(0, 2)) / np.maximum(change, 1e-30)
    return float(np.median(own[change > 0.01 * change.max()]))


def _times(vis, late, limit, dut1, still):
    if still:
        return finding("times", UNKNOWN, "u and v do not change with time")
    words = f"uvw belong to times {abs(late):.3g} s {'later' if late > 0 else 'earlier'}"
    dump = float(np.median(vis.intervals))
    if abs(late) <= limit:
        known = "" if dut1 is not None else "; UT1 - UTC makes up to 0.9 s (--dut1 says it)"
        return finding("times", FITS, words + known)
    if abs(abs(late) - dump / 2) < 0.1 * dump:
        words += ", half a dump: the times are those of an end of the dumps, not the middle"
    return finding("times", WRONG, words)


def _antennas(vis, found, want, left, size):
    """Findings on w, and on antennas that are exchanged."""
    allowed = NANOSECONDS * LIGHT + RELATIVE * size
    off = _robust(left)
    bad = np.flatnonzero(off > allowed)
    names = vis.antennas
    for a, b in itertools.combinations(bad[:40], 2):
        exchanged = max(np.abs(found[:, a] - want[:, b]).max(), np.abs(found[:, b]
                                                                       - want[:, a]).max())
        if exchanged < 2 * allowed + 0.02 * max(off[a], off[b]):
            return [finding("antennas", WRONG, f"{names[a]} and {names[b]} are exchanged: each has "
                            "the uvw of the other's place")]
    if len(bad):
        worst = int(off.argmax())
        only_w = np.abs(left[:, worst, :2]).max() < 0.1 * off[worst]
        return [finding("antennas", WRONG,
                        f"uvw of {len(bad)} of {len(names)} antennas are off, most of all "
                        f"{names[worst]}: {off[worst]:.3g} m ({off[worst] / LIGHT:.3g} ns)"
                        + (", in w alone: phases do not fit" if only_w else ""))]
    return [finding("antennas", FITS, f"uvw are those of the places within {off.max():.2g} m "
                    f"({off.max() / LIGHT:.2g} ns; allowed {allowed:.2g} m)")]


def _robust(left):
    """m by which each antenna is off, against the median of all: [antenna]."""
    shift = np.median(left, axis=1, keepdims=True)
    return np.abs(left - shift).max(axis=(0, 2))
