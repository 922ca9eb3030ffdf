#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Corrections of a running flowgraph: messages for the port `corrections` of its F-engine."""

import numpy as np
import pmt

from ..observing.item_sizes import corrections as known_corrections
from .jones import jones_of_array
from .term_in_time import MAX_GAP

CORRECTIONS = pmt.intern("corrections")


def corrections_message(factors, when=None):
    """The message that the channelizer, the F-engine and the fx_correlator take.

    factors: complex, [input][channel], of the spectra; when: an `epoch` from which they count, the
    boundary of a dump say; None: at once.
    """
    factors = np.ravel(factors).astype(np.complex64)
    message = pmt.dict_add(pmt.make_dict(), CORRECTIONS,
                           pmt.init_c32vector(factors.size, factors))
    if when is None:
        return message
    return pmt.dict_add(message, pmt.intern("time"), pmt.make_tuple(
        pmt.from_uint64(when.seconds), pmt.from_double(when.fraction())))


def solutions_message(found, observation, channels, when=None, complex_samples=True,
                      max_gap=MAX_GAP):
    """The corrections_message() that takes `solutions` out of the spectra of a running flowgraph.

    The factor of an input is 1 / g at the time `when` (an `epoch`; None: at once, with the last
    solutions), as term_in_time has it, times what the observation corrects already, with which
    the visibilities were made that were solved. Antennas go by name, inputs by polarization,
    channels by frequency. Channels that have no solution, at the band's edges say, and inputs that
    are known bad keep their factors.

      found: solutions; observation: of the flowgraph; channels, complex_samples: of its spectra

    Raises ValueError for leakage, which an F-engine, whose inputs go by themselves, cannot take
    out, and for inputs that have no solution and are not known bad.
    """
    if any(term.kind == "D" for term in found.terms) or not found.terms:
        raise ValueError("solutions_message: " + (
            "leakage (D) mixes inputs, which are corrected one by one: apply it to the "
            "visibilities" if found.terms else "there is no term"))
    names = [antenna.name for antenna in observation.antennas]
    numbers = {name: k for k, name in enumerate(found.antennas)}
    antennas = np.array([numbers.get(names[entry.antenna], -1) for entry in observation.inputs])
    hands = [found.polarizations.find(entry.polarization) for entry in observation.inputs]
    frequencies = np.array(observation.channel_frequencies(channels, complex_samples))
    known_hands = sorted({*hands})
    array = jones_of_array([found], [antennas], [known_hands], frequencies, max_gap)
    last = max(term.times[-1] for term in found.terms)
    gains, usable = array.at(last if when is None else when.seconds + when.fraction())
    place = np.arange(len(antennas)), [known_hands.index(hand) for hand in hands]
    gains, usable = gains[:, *place].T, usable[:, *place].T
    usable = usable & np.isfinite(gains) & (gains != 0)
    missing = [f"{names[entry.antenna]} {entry.polarization}"
               for entry, there in zip(observation.inputs, usable)
               if not there.any() and not entry.bad]
    if missing:
        raise ValueError(f"solutions_message: no solution for the inputs {', '.join(missing)} at "
                         "that time; inputs that are known bad (bad: true) may lack one")
    factors = np.where(usable, 1 / np.where(usable, gains, 1), 1)
    known = known_corrections(observation, channels, complex_samples)
    return corrections_message(factors * np.reshape(known, factors.shape) if len(known) else
                               factors, when)
