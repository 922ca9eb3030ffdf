#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Numbers and words on the command line, for argparse's `type`."""
import argparse

from .. import fringe_python as fp


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


def backend(text):
    """A word for a compute target, of one that this machine has."""
    try:
        fp.compute_target(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text
