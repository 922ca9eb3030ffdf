#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Samples in Prometheus' text format.

https://prometheus.io/docs/instrumenting/exposition_formats/ : three kinds of lines, so no library
is needed; the tests read them back with Prometheus' own parser.
"""
from .metrics import grouped

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def _escaped(text):
    return text.replace("\\", r"\\").replace("\n", r"\n")


def _label(name, value):
    value = _escaped(value).replace('"', r"\"")
    return f'{name}="{value}"'


def exposition(samples):
    """The text of samples, (name, labels, value)."""
    lines = []
    for described, values in grouped(samples):
        lines += [f"# HELP {described.name} {_escaped(described.help)}",
                  f"# TYPE {described.name} {described.kind}"]
        for labels, value in values:
            inner = ",".join(_label(*label) for label in labels.items())
            lines.append(f"{described.name}{'{' + inner + '}' if inner else ''} "
                         f"{float(value):.17g}")
    return "\n".join(lines) + "\n"
