#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What a common signal has to show before it is believed, beyond that it fits."""

import numpy as np

from .quality import unsolved

#: Least correlation coefficient of inputs that hear one common signal: a noise source that is as
#: strong as the receivers' noise makes 0.5.
MIN_COHERENCE = 0.45


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
