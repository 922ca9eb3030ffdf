#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Terms of a calibration in words: a line for each, and how well they fit."""

import numpy as np

from ..ground.words import with_unit

#: Standard deviations of chi2 that are no chance.
SURE = 6


def in_words(solved):
    """Lines of text on a `solved_file`."""
    found, left = solved.found, solved.left
    lines = solutions_in_words(found)
    hands = list(zip(found.polarizations, left.chi2, left.freedom))
    if left.crosses_freedom > 0:
        hands.append(("".join(found.polarizations), left.crosses_chi2, left.crosses_freedom))
    for hand, chi2, freedom in hands:
        lines.append(f"{hand}: residual {np.sqrt(max(chi2, 0)):.3g} times the noise "
                     + ("that powers, exposure and width of a channel make" if solved.absolute
                        else "that the weights say") + f" ({freedom:.0f} degrees of freedom)")
    lines += advice(found, left, solved.absolute)
    lines += [f"flux of {name}: {flux:.5g} +-{error:.2g}"
              for name, (flux, error) in found.flux.items()]
    if solved.clipped:
        lines.append("clipped: " + ", ".join(f"{name} in {count} of {solved.dumps} dumps"
                                             for name, count in solved.worst_clipped()))
    return lines


def advice(found, left, absolute):
    """A line where the phase between two polarizations may change, and was solved for as one."""
    steady = any(term.kind == "Pcross" and len(term.flags) == 1 for term in found.terms)
    moving = any(term.kind == "G" and len(term.flags) > 1 for term in found.terms)
    noise = SURE * np.sqrt(2 / max(left.crosses_freedom, 1))
    if not (steady and moving and absolute and left.crosses_chi2 > 1 + noise):
        return []
    names = " and ".join(found.polarizations)
    return [f"note: products of {names} leave more than noise. Where the receivers of {names} of "
            f"{found.reference} drift apart, leakages take it up: try Kcross with an interval, "
            "Kcross:10min"]


def solutions_in_words(found):
    """Lines of text on `solutions`."""
    lines = [f"model of the sky: {found.model}"] if found.model else []
    lines.append(f"reference {found.reference or 'not known'}, {len(found.antennas)} antennas, "
                 "polarizations " + " ".join(found.polarizations))
    for term in found.terms:
        lines += _term(term, found)
    return lines


def _term(term, found):
    good = ~term.flags
    times, frequencies = term.flags.shape[:2]
    line = (f"{term.kind} ({term.name}): {times} x {frequencies} intervals of "
            f"{with_unit(np.median(term.intervals), 's')} x "
            f"{with_unit(np.median(term.widths), 'Hz')}, {good.sum()} of {good.size} values")
    others = good & (np.array(found.antennas) != found.reference_of(term))[:, None]
    if not others.any():
        return [line, *("  " + sentence for sentence in term.why)]
    error = np.median(term.errors[others])
    if term.is_delay:
        sizes = np.abs(term.values[others]).max()
        line += f", up to {1e9 * sizes:.4g} ns, error {1e9 * error:.2g} ns"
    else:
        line += f", amplitude {np.median(np.abs(term.values[others])):.4g} +-{error:.2g}"
        if term.phase_errors is not None:
            line += f", phase +-{np.degrees(np.median(term.phase_errors[others])):.2g} deg"
    line += f", S/N {np.median(term.snr[others]):.3g}"
    return [line, *("  " + sentence for sentence in term.why)]
