#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Metrics as a table for a terminal."""
import datetime

from .metrics import grouped, values_of

LINES = 12  #: of one metric; the largest values where there are more
FULL = 0.9  #: a buffer this full is waited for


def in_words(value, unit):
    """A value with its unit."""
    if unit == "time":
        return datetime.datetime.fromtimestamp(value, datetime.timezone.utc).strftime(
            "%Y-%m-%d %H:%M:%S UTC")
    if unit == "%":
        return f"{100 * value:.3g} %"
    if unit == "bytes":
        for prefix in ("", "k", "M", "G"):
            if abs(value) < 1000:
                return f"{value:.4g} {prefix}B"
            value /= 1000
        return f"{value:.4g} TB"
    text = f"{int(value)}" if value == int(value) else f"{value:.4g}"
    return f"{text} {unit}".rstrip()


def name_of(labels):
    """What a row is of."""
    if "from" in labels:
        return f"{labels['from']} -> {labels['to']}"
    return " ".join(f"{name} {value}" if name in ("input", "gpu", "port") else value
                    for name, value in labels.items())


def _share(described, labels, value, samples):
    """The percentage of what a count is a part of, or nothing."""
    for others, whole in values_of(samples, described.of):
        if others["block"] == labels["block"] and whole:
            return f" ({100 * value / whole:.2g} %)"
    return ""


def table(samples, ranges=None):
    """Lines of text. ranges: {name_of() of a buffer: (mean, highest)} of its fill."""
    lines = []
    for described, rows in grouped(samples):
        if described.name == "fringe_build_info":
            rows = [(dict(labels, version=f"gr-fringe {labels['version']}"), value)
                    for labels, value in rows]
        title = described.title
        largest = sorted(rows, key=lambda row: -row[1])[:LINES]
        shown = [row for row in rows if any(row is other for other in largest)
                 and (row[1] or "cause" not in row[0])]
        for labels, value in shown:
            name, text = name_of(labels), in_words(value, described.unit)
            text = "" if described.name == "fringe_build_info" else text
            text += _share(described, labels, value, samples)
            if ranges and name in ranges and described.name == "fringe_buffer_fill_ratio":
                text += " (mean {:.3g} %, highest {:.3g} %)".format(
                    *(100 * part for part in ranges[name]))
            lines.append(f"{title:32} {name:44} {text}".rstrip())
            title = ""
        if shown and len(rows) > LINES == len(largest):
            lines.append(f"{'':32} {len(rows) - LINES} more with less")
        if rows and not shown:
            lines.append(f"{title:32} {'':44} none")
    waited = waited_for(samples)
    return lines + ([waited] if waited else [])


def waited_for(samples):
    """A sentence on the block that the others wait for: the last one whose buffer is full."""
    full = [labels for labels, value in values_of(samples, "fringe_buffer_fill_ratio")
            if value >= FULL]
    if not full:
        return ""
    return (f"{full[-1]['to']} is waited for: its buffer from {full[-1]['from']} is full"
            + (f"; full in all: {len(full)}" if len(full) > 1 else ""))

