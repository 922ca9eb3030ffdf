#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Numbers and words on the command line, for argparse's `type`."""
import argparse
import re

from .. import fringe_python as fp
from ..chains.several_gpus import names_of


def number(text):
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None


def seconds(text):
    """A time; milliseconds are fractions."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds; write 100 ms as "
                                         "0.1") from None


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
        if text != "auto":  # to look for a GPU takes long, and a plan of parts needs none
            fp.compute_target(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def gpus(text):
    """GPUs that share the work: "all", or their numbers, with commas between them."""
    try:
        devices = text if text == "all" else [int(word) for word in text.split(",")]
        names_of(devices)
    except ValueError as error:
        words = str(error)
        if "invalid literal" in words:
            words = f"'{text}': must be all, or numbers of GPUs: 0,1"
        raise argparse.ArgumentTypeError(words) from None
    return devices


#: Seconds in a unit of time.
UNITS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "h": 3600.0}


def duration(text):
    """Seconds in 1s, 500ms, 10min, or a number alone."""
    found = re.fullmatch(r"\s*([\d.]+(?:[eE][-+]?\d+)?)\s*([a-z]*)\s*", text)
    try:
        value = float(found[1]) * UNITS[found[2]]
    except (TypeError, ValueError, KeyError):
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}': must be a time such as 1s, 500ms or 10min")
    return value


def band(text):
    """Two frequencies in Hz."""
    return _pair(text, "two frequencies in Hz, as in 137e6,138e6")


def gate(text):
    """Two phases in turns."""
    return _pair(text, "two phases in turns, as in 0.95,1.05")


def dispersions(text):
    """Two dispersion measures in pc / cm^3, or one twice."""
    return _pair(text if "," in text else f"{text},{text}",
                 "dispersions in pc/cm^3, as in 0,100 or 56.7")


def _pair(text, right):
    try:
        low, high = (number(word) for word in text.split(","))
        return low, high
    except (ValueError, argparse.ArgumentTypeError):
        raise argparse.ArgumentTypeError(f"'{text}': give {right}") from None


def place(text):
    """A place on the Earth: latitude, longitude and, if given, height."""
    values = [number(word) for word in text.split(",")]
    if len(values) not in (2, 3):
        raise argparse.ArgumentTypeError(f"'{text}' must be LATITUDE,LONGITUDE in degrees, or with "
                                         ",HEIGHT in m")
    return (*values, 0.0)[:3]


def wholes(text):
    """Whole numbers with commas between them."""
    try:
        return [whole(part) for part in text.split(",")]
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"'{text}': give whole numbers separated by commas") from None


def frequency_band(text):
    """The lowest and highest frequency of --band HZ,HZ; None without it; ValueError."""
    if text is None:
        return None
    try:
        low, high = band(text)
    except argparse.ArgumentTypeError:
        low = high = float("nan")
    if not low <= high:
        raise ValueError(f"--band: {text}: must be two frequencies in Hz, the lower one first")
    return low, high
