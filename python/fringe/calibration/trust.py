#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What a solution has to show before it is believed, beyond that it fits."""

from dataclasses import replace

import numpy as np

from .quality import MAX_MISFIT, MAX_UNEXPLAINED, misfit_of, unsolved

#: Smallest residual, in units of the noise's variance, and for how many of its standard
#: deviations that has to hold.
MIN_RESIDUAL, SURE = 0.1, 6.0
#: How far baselines may differ from the model in parts of the band, rms, noise taken off.
MAX_RIPPLE = 0.05
#: Least correlation coefficient of inputs that hear one common signal: a noise source that is as
#: strong as the receivers' noise makes 0.5.
MIN_COHERENCE = 0.45


def check_residual(found, eq):
    """Raises `unsolved` where less is left than the noise that the powers, the exposures and the
    width of a channel say there is: with a wrong noise nothing was tested.

    The mean of k squared moduli of noise, 1, has the standard deviation 1 / sqrt(k).
    """
    count = float(eq.count.sum()) / 2
    if not eq.absolute or count < 1 or found.chi2 + SURE / np.sqrt(count) > 1:
        return
    if found.chi2 < MIN_RESIDUAL:
        raise unsolved(
            f"the residual is {np.sqrt(found.chi2):.2g} of the noise, and real data leave 1: the "
            "noise is not what the powers, the exposure and the width of a channel say, or there "
            "is none, so whether the model holds cannot be tested (accept_untested=True takes it)")


def check_band(found, bands, good, phases_only, max_unexplained, max_misfit):
    """Raises `unsolved` where one gain, and a delay, do not hold along the band.

    bands: `equations` of parts of the band, with the fluxes in the model.
    """
    flat = replace(found, flux=np.ones((bands[0].solutions, 1, 1)))
    ripple, sure = misfit_of(flat, bands, good, phases_only)
    limit = max(MAX_RIPPLE, max_misfit or 0,
                max_unexplained if max_unexplained != MAX_UNEXPLAINED else 0)
    if sure > limit:
        raise unsolved(
            f"along the band the baselines differ from the model by {100 * ripple:.1f} %, which "
            f"is not noise (up to {100 * limit:.3g} % is taken, max_misfit=PART takes more): one "
            "gain and one delay an input do not hold for these channels; take fewer "
            "(channels=A-B), and is a delay missing (delays=True)?")


def check_coherence(found, names, least=MIN_COHERENCE):
    """Raises `unsolved` where inputs are less coherent than a signal wired to all of them makes
    them: a source in the sky looks like one.

    found: a common_signal; names: of its inputs, or numbers.
    """
    coherence = np.asarray(found.coherence, float)
    reference = int(np.nanargmax(coherence))  # 1 by definition
    others = np.delete(np.arange(len(coherence)), reference)
    worst = int(others[np.nanargmin(coherence[others])])
    if coherence[worst] < least:
        raise unsolved(
            f"coherence {coherence[worst]:.2f} of inputs {names[reference]} and {names[worst]}, "
            f"and {least:g} is the least that is taken: is the noise source on? A source in the "
            "sky, or a transmitter, is no common signal")


def limit_of_misfit(max_unexplained, max_misfit):
    """How far baselines may differ: as given, else as far as the whole may."""
    if max_misfit is not None:
        return max_misfit
    return MAX_MISFIT if max_unexplained == MAX_UNEXPLAINED else max_unexplained
