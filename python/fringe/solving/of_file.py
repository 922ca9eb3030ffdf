#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The visibilities of a file as the solver of terms takes them."""

import numpy as np

from ..calibration.data import channel_width, chosen_channels, prepared
from ..calibration.solutions import POLARIZATIONS
from ..ground.dump_values import product
from ..readers.polarizations import in_order
from ..readers.visibilities import SPEED_OF_LIGHT
from .fluxes import fitted_model
from .samples import samples

#: Units of --uvrange: meters, and wavelengths.
UNITS = {"m": None, "": 1.0, "lambda": 1.0, "kl": 1e3, "klambda": 1e3}


def samples_of(vis, model, channels=None, uvrange=None, crosses=False):
    """The `samples` of visibilities with data and a model of them.

      model: complex, [dump][channel][product] as the data; or a list of such models of sources and
          their fluxes, (of flux 1, flux), None where it is to be solved for
      channels: slice or numbers of those to use; None: all
      uvrange: shortest and longest projected baseline, as of_uvrange() gives them
      crosses: products of two polarizations, too

    Weights are 1 / variance, from powers, exposures and the width of a channel, where the file has
    autocorrelations; else the file's own. Raises ValueError for polarizations that are not
    calibrated together, and for a file that does not say what is needed.
    """
    hands = "".join(in_order(hand for _, hand in vis.inputs))
    if hands not in POLARIZATIONS:
        raise ValueError(f"{vis.path}: products of {', '.join(hands)}; gains are of X and Y, or of "
                         "R and L")
    if vis.frequencies is None or vis.frequencies.min() < 0:
        raise ValueError(f"{vis.path}: does not say at which frequencies it was made")
    use = chosen_channels(vis, channels)
    pairs, places = _places(vis, hands, crosses)
    times = vis.seconds + vis.fractions
    dumps = np.argsort(times, kind="stable")
    data, weights, absolute = _arrays(vis, dumps, use, places)
    if isinstance(model, list):
        sky = fitted_model([_of_pairs(source, dumps, use, places) for source, _ in model],
                           [flux for _, flux in model], hands=len(hands))
    else:
        sky = _of_pairs(model, dumps, use, places)
    if uvrange is not None:
        _cut(vis, uvrange, dumps, use, pairs, weights)
    widths = np.full(len(use), channel_width(vis) if _has_width(vis) else np.nan)
    return samples(data, weights, sky, *pairs.T, list(vis.antennas), hands, times[dumps],
                   vis.intervals[dumps], vis.frequencies[use], widths, absolute,
                   (vis.frequencies.min() - widths[0] / 2, vis.frequencies.max() + widths[0] / 2))


def positions_of(vis):
    """Where the antennas stand, ITRF, m, [antenna][3]; None where the file does not say it."""
    return None if vis.feeds is None or vis.positions is None else vis.feeds.itrf


def of_uvrange(text):
    """(low, high, unit) of "100:5000", wavelengths, "0.1:5kl", thousands of them, or "30:500m".
    Either number may be missing. Raises ValueError."""
    body = text.strip()
    unit = next((name for name in sorted(UNITS, key=len, reverse=True) if body.endswith(name)), "")
    body = body[:len(body) - len(unit)]
    low, colon, high = body.partition(":")
    try:
        ends = float(low or 0), float(high or "inf")
        if not colon or not 0 <= ends[0] < ends[1]:
            raise ValueError
    except ValueError:
        raise ValueError(f"uvrange: '{text}': must be LOW:HIGH in wavelengths, with kl at the end "
                         "in thousands of them, with m in meters: 100:5000, 0.1:5kl, 30:500m"
                         ) from None
    return *ends, unit


def _has_width(vis):
    """Whether the width of a channel is known: see channel_width()."""
    return bool(vis.channel_width) or len(vis.frequencies) > 1


def _places(vis, hands, crosses):
    """(pairs of antennas [pair][2], {(p, q): (product of each pair or -1, whether to conjugate)}).
    """
    number = {entry: k for k, entry in enumerate(vis.inputs)}
    antennas = sorted({antenna for antenna, _ in vis.inputs})
    pairs = np.array([(a, b) for k, a in enumerate(antennas) for b in antennas[k + 1:]], int)
    if not len(pairs):
        raise ValueError(f"{vis.path}: has one antenna; a calibration needs two or more")
    count, found = len(vis.inputs), {}
    for p, first in enumerate(hands):
        for q, second in enumerate(hands):
            if p != q and not crosses:
                continue
            i, j = (np.array([number.get((antenna, hand), -1) for antenna in ends])
                    for ends, hand in zip(pairs.T, (first, second)))
            low, high = np.minimum(i, j), np.maximum(i, j)
            found[p, q] = np.where(low < 0, -1, product(low, high, count)), i > j
    return pairs, found


def _arrays(vis, dumps, use, places):
    """Data and weights by correlation, and whether weights are 1 / variance."""
    ready = _with_noise(vis, use)
    shape = len(dumps), len(use), len(next(iter(places.values()))[0])
    made = [{key: np.zeros(shape, kind) for key in places} for kind in (complex, float)]
    for key, (columns, back) in places.items():
        for row, dump in enumerate(dumps):
            at = np.ix_(use, columns)
            if ready is None:
                data = vis.data[dump][at].astype(complex)
                weights = np.where(vis.flags[dump][at], 0, vis.weights[dump][at])
            else:
                data, weights = ready.dump(dump, columns)
            made[0][key][row] = np.where(back, data.conj(), data)
            made[1][key][row] = np.where(columns < 0, 0, weights)
    return *made, ready is not None


def _of_pairs(model, dumps, use, places):
    """A model by correlation."""
    found = {}
    for key, (columns, back) in places.items():
        sky = model[np.ix_(dumps, use, columns)]
        found[key] = np.where(back, sky.conj(), sky).astype(complex)
    return found


def _with_noise(vis, use):
    """`prepared` data where autocorrelations of all inputs that have data show the noise."""
    i, j = vis.products
    own = i == j
    there = (vis.weights > 0) & ~vis.flags
    measured = there.any(axis=(0, 1))
    heard = np.unique(np.concatenate([i[measured & ~own], j[measured & ~own]]))
    if not measured[own][heard].all() or not _has_width(vis):
        return None
    if not np.isfinite(np.nanmax(vis.exposures)) or not np.nanmax(vis.exposures) > 0:
        return None
    return prepared(vis, use, False)


def _cut(vis, uvrange, dumps, use, pairs, weights):
    """Weights 0 outside of a range of projected baselines."""
    low, high, unit = uvrange
    if vis.uvw is not None:
        length = np.linalg.norm(vis.baseline_uvw(pairs)[..., :2], axis=-1)[dumps]
    elif vis.positions is not None:
        places = vis.positions[pairs[:, 0]] - vis.positions[pairs[:, 1]]
        length = np.broadcast_to(np.linalg.norm(places, axis=-1), (len(dumps), len(pairs)))
    else:
        raise ValueError(f"uvrange: {vis.path}: does not say where its antennas stand")
    length = length[:, None, :]
    if UNITS[unit]:
        length = length * (vis.frequencies[use] / SPEED_OF_LIGHT / UNITS[unit])[:, None]
    inside = (length >= low) & (length <= high)
    if not inside.any():
        raise ValueError(f"uvrange: {low:g}:{high:g}{unit}: no baseline is in it; they are "
                         f"{np.nanmin(length):.4g} to {np.nanmax(length):.4g}")
    for values in weights.values():
        values *= inside
