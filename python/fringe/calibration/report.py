#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A calibration in words: a table of the inputs and a line on its quality."""

import numpy as np


def in_words(found):
    """Lines of text on a `calibration`: what `fringe calibrate` prints."""
    return table(found) + fluxes(found) + [quality(found)] + advice(found)


def table(found):
    """Lines of text: every input, what was found and how well."""
    r = found.receivers
    delays = bool((np.nan_to_num(r.delay) != 0).any())
    width = max(5, *map(len, found.names))
    head = f"{'input':{width}}  {'phase':>16}"
    head += f"  {'delay':>18}" if delays else ""
    lines = [f"{head}  {'gain':>7}  {'S/N':>7}"]
    for k, name in enumerate(found.names):
        name = f"{name:{width}}"
        if k in found.bad:
            lines.append(f"{name}  bad: {found.bad[k]}")
            continue
        line = f"{name}  {r.band_phase[k]:+8.2f} +-{_short(r.phase_error[k])} deg"
        if delays:
            line += f"  {1e9 * r.delay[k]:+12.3f} ns   "
        line += f"  {r.gain[k]:7.4f}  {_short(found.snr[k]):>7}"
        lines.append(line + ("  (reference)" if k in found.references else ""))
    return lines


def quality(found):
    """One line: what is left over, closure phases, bad inputs, fluxes."""
    n, bad = len(found.snr), len(found.bad)
    parts = [f"{n - bad} of {n} inputs calibrated",
             f"{100 * found.unexplained:.1f} % of the visibilities is neither model nor noise",
             f"baselines differ from the model by {100 * found.misfit:.1f} %",
             f"residual {np.sqrt(found.chi2):.2f} times the noise"]
    if np.isfinite(found.closure[0]):
        parts.append(f"closure phases {found.closure[0]:.2f} degrees rms (noise makes "
                     f"{found.closure[1]:.2f})")
    return "; ".join(parts)


def advice(found):
    """A sentence where the model does not fit down to the noise, or none."""
    if found.chi2 < 4 or found.unexplained < 0.03:
        return []
    return ["more than noise is left: cable delays (delays=True), sources that are not in the "
            "model, interference, or channels at the band's edges (channels=A-B)?"]


def fluxes(found):
    """A line with the fitted fluxes, or none."""
    if not found.flux:
        return []
    return ["fluxes: " + ", ".join(f"{name} {flux:.4g}" for name, flux in found.flux.items())]


def _short(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
