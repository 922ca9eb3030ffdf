#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Unusable samples, in words: what became of the data of a run."""

#: What spoils samples, and what that means.
CAUSES = {
    "missing": "missing in the recording: left out",
    "invalid": "marked bad by the recorder: left out",
    "dropped": "dropped, as they came too late or too fast: left out",
    "garbled": "in packets that came damaged: left out",
    "late": "dropped, as their time had been sent already",
    "reconfigured": "dropped by GNU Radio when the flowgraph was changed: left out",
    "calibrating": "while the receivers calibrated themselves: left out",
    "overdriven": "in frames in which a receiver was overdriven: they were used",
    "blanked": "in pulses: blanked",
    "saturated": "saturated, at the limit of the format: they were used",
    "clipped": "clipped by the requantizer: they were used",
}
MAX_NAMED = 8  # inputs in one line


def of_inputs(source, obs):
    """What a source lost, cause -> [input]; it counts by the streams of its recordings."""
    return {cause: [counts[number] for number in obs.streams()]
            for cause, counts in source.losses().items()}


def sentences(losses, samples):
    """One line for each cause that there is: how much, and of which inputs where they differ.

    losses: cause -> [input], of `samples` samples of every input.
    """
    causes = dict(CAUSES)
    if any(losses.get("blanked", ())):
        causes["saturated"] += ", but for those in pulses"
    return [f"{_amount(counts, samples, cause)} {causes[cause]}{_shares(counts)}"
            for cause, counts in losses.items() if any(counts)]


def _amount(counts, samples, cause):
    what = "values" if cause == "clipped" else "samples"
    if cause == "clipped" or not samples:
        return f"{sum(counts)} {what}"
    share = 100 * sum(counts) / (samples * len(counts))
    return f"{sum(counts)} {what} ({share:.3g} %)"


def _shares(counts):
    if len(set(counts)) == 1:
        return "" if len(counts) == 1 else " (the same on every input)"
    worst = sorted((k for k, n in enumerate(counts) if n), key=lambda k: (-counts[k], k))
    named = ", ".join(f"input {k}: {counts[k]}" for k in worst[:MAX_NAMED])
    others = len(worst) - MAX_NAMED
    return f" ({named}{f', {others} more with fewer' if others > 0 else ''})"
