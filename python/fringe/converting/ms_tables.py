#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The subtables of a MeasurementSet of converted visibilities."""

import contextlib
import os
import time

import numpy as np

from ..ground.dates import MJD_SECONDS_OF_1970
from ..readers.ms_measures import CODES as REFERENCES
from ..readers.polarizations import CODES
from ..certificates.ms_history import add_history
from .correlations import TYPES

#: An interval (s) that holds for the whole set.
ALWAYS = 1e30
#: Inputs of a correlation, by the place of their polarizations.
PLACES = {'X': 0, 'Y': 1, 'R': 0, 'L': 1}


def fill_tables(path, content, centers, setups):
    """Fills the subtables of an empty set.

    centers: of the rows of FIELD. setups: (window, numbers of AIPS) of those of DATA_DESCRIPTION.
    """
    middles = [part.seconds + part.fractions + MJD_SECONDS_OF_1970 for part in content.parts]
    began = min(middle.min() - part.intervals.max() / 2
                for middle, part in zip(middles, content.parts))
    ended = max(middle.max() + part.intervals.max() / 2
                for middle, part in zip(middles, content.parts))
    feeds, count = content.feeds, len(content.antennas)
    _put(path, 'ANTENNA', count, NAME=content.antennas, STATION=content.antennas,
         TYPE=['GROUND-BASED'] * count, MOUNT=feeds.mounts, POSITION=content.itrf,
         OFFSET=np.zeros((count, 3)), DISH_DIAMETER=content.diameters)
    _put_feeds(path, feeds)
    _put(path, 'FIELD', len(centers), NAME=[name for name, _, _ in centers],
         CODE=[''] * len(centers), NUM_POLY=np.zeros(len(centers), np.int32),
         TIME=np.full(len(centers), began), SOURCE_ID=np.full(len(centers), -1),
         **{name: np.array([[place] for _, *place in centers]) for name in
            ('PHASE_DIR', 'DELAY_DIR', 'REFERENCE_DIR')})
    _put_windows(path, setups)
    _put(path, 'OBSERVATION', 1, TELESCOPE_NAME=[content.telescope], OBSERVER=[content.observer],
         PROJECT=[''], TIME_RANGE=np.array([[began, ended]]), RELEASE_DATE=[0.0])
    add_history(path, content.history, time.time() + MJD_SECONDS_OF_1970)


def _put(path, name, rows, **columns):
    from casacore import tables
    with contextlib.closing(tables.table(os.path.join(path, name), readonly=False,
                                         ack=False)) as table:
        table.addrows(rows)
        for column, values in columns.items():
            for row, value in enumerate(values):
                table.putcell(column, row, value)


def _put_feeds(path, feeds):
    known = [a for a, hands in enumerate(feeds.types) if hands]
    zeros = np.zeros(len(known), np.int32)
    _put(path, 'FEED', len(known), ANTENNA_ID=known, FEED_ID=zeros, BEAM_ID=zeros - 1,
         SPECTRAL_WINDOW_ID=zeros - 1, NUM_RECEPTORS=zeros + 2, TIME=zeros * 0.0,
         INTERVAL=np.full(len(known), ALWAYS), BEAM_OFFSET=[np.zeros((2, 2))] * len(known),
         POLARIZATION_TYPE=[list(feeds.types[a]) for a in known],
         POL_RESPONSE=[np.eye(2, dtype=np.complex64)] * len(known),
         POSITION=np.zeros((len(known), 3)), RECEPTOR_ANGLE=feeds.angles[known])


def _put_windows(path, setups):
    windows, kinds = [], []
    for window, codes in setups:
        if not any(window is known or window.is_like(known) for known in windows):
            windows.append(window)
        if codes not in kinds:
            kinds.append(codes)
    count = len(windows)
    widths = [np.abs(window.widths) for window in windows]
    frames = REFERENCES['frequency']
    _put(path, 'SPECTRAL_WINDOW', count, NAME=[window.name for window in windows],
         NUM_CHAN=[len(window.frequencies) for window in windows],
         CHAN_FREQ=[window.frequencies for window in windows], CHAN_WIDTH=widths,
         EFFECTIVE_BW=widths, RESOLUTION=widths, TOTAL_BANDWIDTH=[some.sum() for some in widths],
         REF_FREQUENCY=[float(window.frequencies[len(window.frequencies) // 2])
                        for window in windows],
         MEAS_FREQ_REF=[frames.index(window.frame) for window in windows], NET_SIDEBAND=[1] * count)
    _put(path, 'POLARIZATION', len(kinds), NUM_CORR=[len(codes) for codes in kinds],
         CORR_TYPE=[np.int32([TYPES[code] for code in codes]) for codes in kinds],
         CORR_PRODUCT=[np.int32([[PLACES.get(hand, 0) for hand in (CODES[code] * 2)[:2]]
                                 for code in codes]) for codes in kinds])
    _put(path, 'DATA_DESCRIPTION', len(setups), POLARIZATION_ID=[
        kinds.index(codes) for _, codes in setups], SPECTRAL_WINDOW_ID=[
        next(k for k, known in enumerate(windows) if known.is_like(window))
        for window, _ in setups])
