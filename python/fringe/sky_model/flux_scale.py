#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Flux densities of standard sources: the scale of Perley and Butler (2017)."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class flux_standard:
    """A source whose flux density is known.

    log10(S / Jy) = sum_k a_k (log10(f / GHz))^k within `range`, which Perley & Butler, ApJS 230, 7
    (2017), table 6, give with an accuracy of 3 to 5 %. 3C 123, 3C 196 and 3C 295 are resolved by
    long baselines; 3C 48, 3C 138 and 3C 147 vary by some per cent in years.
    """
    name: str
    others: tuple      #: other names
    position: str      #: right ascension, declination, ICRS
    coefficients: tuple  #: a_0, a_1, ...
    range: tuple       #: GHz, lowest and highest
    polarized: tuple = ()  #: (GHz, per cent, degrees north through east) of its linear polarization


#: Of 3C 286, from Perley & Butler, ApJS 206, 16 (2013), table 9.
OF_3C286 = (
    (1.05, 8.6, 33), (1.45, 9.5, 33), (1.64, 9.9, 33), (1.95, 10.1, 33), (2.45, 10.5, 33),
    (2.95, 10.8, 33), (3.25, 10.9, 33), (3.75, 11.1, 33), (4.50, 11.3, 33), (5.00, 11.4, 33),
    (6.50, 11.6, 33), (7.25, 11.7, 33), (8.10, 11.9, 34), (8.80, 11.9, 34), (12.8, 11.9, 34),
    (13.7, 11.9, 34), (14.6, 12.1, 34), (15.5, 12.2, 34), (18.1, 12.5, 34), (19.0, 12.5, 35),
    (22.4, 12.6, 35), (23.3, 12.6, 35), (36.5, 13.1, 36), (43.5, 13.2, 36))

STANDARDS = (
    flux_standard("3C48", ("J0137+3309", "0137+331", "0134+329"),
                  "01h37m41.299431s,+33d09m35.132990s",
                  (1.3253, -0.7553, -0.1914, 0.0498), (0.05, 50)),
    flux_standard("3C123", ("J0437+2940", "0437+296"), "04h37m04.3753s,+29d40m13.819s",
                  (1.8017, -0.7884, -0.1035, -0.0248, 0.0090), (0.05, 50)),
    flux_standard("3C138", ("J0521+1638", "0521+166", "0518+165"),
                  "05h21m09.886021s,+16d38m22.051220s",
                  (1.0088, -0.4981, -0.1552, -0.0102, 0.0223), (0.2, 50)),
    flux_standard("3C147", ("J0542+4951", "0542+498", "0538+498"),
                  "05h42m36.137916s,+49d51m07.233560s",
                  (1.4516, -0.6961, -0.2007, 0.0640, -0.0464, 0.0289), (0.05, 50)),
    flux_standard("3C196", ("J0813+4813", "0813+482"), "08h13m36.05609s,+48d13m02.6360s",
                  (1.2872, -0.8530, -0.1534, -0.0200, 0.0201), (0.05, 50)),
    flux_standard("3C286", ("J1331+3030", "1331+305", "1328+307"),
                  "13h31m08.287984s,+30d30m32.958850s",
                  (1.2481, -0.4507, -0.1798, 0.0357), (0.05, 50), OF_3C286),
    flux_standard("3C295", ("J1411+5212", "1411+522"), "14h11m20.467s,+52d12m09.52s",
                  (1.4701, -0.7658, -0.2780, -0.0347, 0.0399), (0.05, 50)),
)


def standard_named(name):
    """The flux_standard of a name, such as 3C286, 3C 286 or J1331+3030; None where it has none."""
    wanted = name.replace(" ", "").upper()
    return next((known for known in STANDARDS
                 if wanted in (known.name, *known.others)), None)


def standard_flux(known, frequencies):
    """Flux density at frequencies in Hz, Jy. Raises ValueError out of the range of frequencies."""
    f = np.asarray(frequencies, float) / 1e9
    low, high = known.range
    if f.min() < low or f.max() > high:
        raise ValueError(f"model: {known.name}: {f.min():.6g} to {f.max():.6g} GHz; its flux is "
                         f"known from {low:g} to {high:g} GHz")
    return 10 ** np.polynomial.polynomial.polyval(np.log10(f), known.coefficients)


def standard_stokes(known, frequencies):
    """I, Q, U, V at frequencies in Hz, Jy, [Stokes parameter][frequency]; between those of the
    table the linear polarization is interpolated. Q, U and V are 0 where none is known of it."""
    f = np.asarray(frequencies, float) / 1e9
    made = np.zeros((4, len(f)))
    made[0] = standard_flux(known, frequencies)
    if known.polarized:
        at, percent, degrees = np.array(known.polarized, float).T
        if f.min() < at[0] or f.max() > at[-1]:
            raise ValueError(f"model: {known.name}: {f.min():.6g} to {f.max():.6g} GHz; its "
                             f"polarization is known from {at[0]:g} to {at[-1]:g} GHz")
        linear = made[0] * np.interp(f, at, percent) / 100
        angle = 2 * np.radians(np.interp(f, at, degrees))
        made[1], made[2] = linear * np.cos(angle), linear * np.sin(angle)
    return made
