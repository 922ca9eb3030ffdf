#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Stokes parameters of feeds that turn against the sky, of all products of two antennas."""

from dataclasses import replace

import numpy as np

from .feed_turn import kind_of, position_angles, to_sky, trouble_of
from .planes import CIRCULAR, LINEAR, plane_maker

#: Feeds of two antennas whose angles (rad) differ by less leave I and V as they are.
ALIKE = 1e-3
#: A product that has less than this part in a plane may be missing.
SMALL = 0.01
#: Dumps through a run that show how feeds turn.
SOME_DUMPS = 9


def maker_of(vis, name, frame='sky'):
    """What makes the plane `name` of `visibilities`: of the sky, where the file says how feeds
    stand; of the feeds as they are where it does not, and with frame='feed'.

    Raises ValueError with a sentence where feeds cannot be turned, and the plane needs it.
    """
    if frame == 'feed' or name not in LINEAR or not is_turnable(vis):
        return plane_maker(vis, name)
    trouble = trouble_of(vis)
    if name in 'IV' and (trouble or not _has_four(vis) or _are_alike(vis)):
        # Feeds that stand alike measure I and V however they turn.
        return plane_maker(vis, name)
    if trouble:
        raise ValueError(f'pol: {name}: {trouble} (pol_frame=feed leaves feeds as they are)')
    return turned_maker(vis, name)


def is_turnable(vis):
    """Whether a file says enough of feeds, and has two polarizations."""
    return bool(vis.feeds is not None and vis.feeds.known and vis.uvw is not None and vis.has_times
                and kind_of(vis) and len({hand for _, hand in vis.inputs}) == 2)


def remarks_of_frame(vis, names, frame):
    """What is to be known of Q and U in an image."""
    if not {'Q', 'U'} & set(names):
        return []
    if frame == 'feed':
        return ['Q and U are those of the feeds as they stood (pol_frame=feed)']
    if not is_turnable(vis):
        return [f'{vis.path}: does not say how its antennas are mounted: Q and U are those of the '
                'feeds']
    mounts = dict.fromkeys(vis.feeds.mounts[a].lower() for a, _ in vis.inputs)
    remarks = [f'feeds are turned to the sky; mounts: {", ".join(mounts)}']
    if 'x-y' in mounts:
        remarks.append('the first axis of X-Y mounts is taken to lie east-west; dipoles that do '
                       'not move, and are called so in some files, need pol_frame=feed')
    return remarks


class turned_maker(plane_maker):
    """As plane_maker, of all four products, turned by the angles of the two feeds."""

    def __init__(self, vis, name):
        kind = kind_of(vis)
        # The plane is half the sum of these parts of the products in the sky.
        self._wanted = np.zeros((2, 2), complex)
        for two, factor in (LINEAR if kind == 'XY' else CIRCULAR)[name]:
            self._wanted[kind.index(two[0]), kind.index(two[1])] = factor / 2
        self._two = [first + second for first in kind for second in kind]
        super().__init__(vis, name)
        self.mean = False

    def _parts(self, vis, name, hands):
        return tuple((two, 1) for two in self._two)

    def _check_correlations(self, vis, name):
        there = vis.correlations
        if there is None:
            return
        antennas = sorted({antenna for antenna, _ in vis.inputs})
        pairs = np.array([(a, b) for a in antennas for b in antennas if a < b]).reshape(-1, 2)
        sizes = np.abs(self._factors(_some(vis), pairs)).max(axis=(1, 2), initial=0)
        needed = [two for two, size in zip(self._two, sizes) if size > SMALL]
        if any(not {two, two[::-1]} & there for two in needed):
            raise ValueError(
                f'pol: {name}: feeds that turn against the sky need {", ".join(needed)} for it; '
                f'{vis.path} has {", ".join(sorted(there))} (pol_frame=feed leaves feeds as they '
                'are)')

    def _factors(self, vis, pairs):
        """Of each product in the plane, [product][dump][pair]."""
        turn = to_sky(vis)
        first, second = np.asarray(pairs).T
        return np.einsum('pq,dnpk,dnql->kldn', self._wanted, turn[:, first],
                         turn[:, second].conj()).reshape(4, len(turn), -1)

    def take(self, vis, channels):
        """(data, weights), both [dump][pair][channel]."""
        data, variance, lost = 0, 0, False
        for part, factor in enumerate(self._factors(vis, self.pairs)):
            values, weights = self._product(vis, part, channels)
            factor = factor[..., None].astype(np.complex64)
            there = weights > 0
            data = data + np.where(there, factor * values, 0)
            variance = variance + np.abs(factor)**2 / np.where(there, weights, 1) * there
            lost = lost | (~there & (np.abs(factor) > SMALL))
        usable = ~lost & (variance > 0)
        weights = np.where(usable, 1 / np.where(usable, variance, 1), 0).astype(np.float32)
        return data.astype(np.complex64), weights


def _some(vis):
    """The description of some dumps through a run."""
    some = np.unique(np.linspace(0, len(vis.seconds) - 1, SOME_DUMPS).astype(int))
    return replace(vis, seconds=vis.seconds[some], fractions=vis.fractions[some])


def _has_four(vis):
    return vis.correlations is None or len(vis.correlations) == 4


def _are_alike(vis):
    """Whether the feeds of all antennas have the same angles at any time."""
    used = sorted({antenna for antenna, _ in vis.inputs})
    psi = position_angles(_some(vis))[:, used]
    return bool((np.abs(np.exp(1j * (psi - psi[:, :1])) - 1) < ALIKE).all())
