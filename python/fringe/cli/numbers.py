#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Numbers on the command line, for argparse's `type`."""
import argparse


def number(text):
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None


def whole(text):
    """A whole number; 1e6 is one, too."""
    try:
        return int(text)
    except ValueError:
        pass
    value = number(text)
    if not value.is_integer():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return int(value)
