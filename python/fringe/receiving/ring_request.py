#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What a message asks of a voltage ring."""
import dataclasses
import re

import pmt

from .. import fringe_python as fp

KEYS = ("from", "to", "time", "before", "after", "name", "why")
NAME = re.compile(r"[\w.+-]+", re.ASCII)
EXAMPLE = "as in 2026-06-12T11:20:40.25"


@dataclasses.dataclass
class ring_request:
    """A dump that is wanted: [start, end), a name for the file ("" = its time), and why."""
    start: fp.epoch
    end: fp.epoch
    name: str = ""
    why: object = None

    @classmethod
    def of(cls, words, oldest, newest):
        """Of what a message says, {key: value}, where the ring has [oldest, newest) now. ValueError
        for what cannot be."""
        for key in words:
            if key not in KEYS:
                raise ValueError(f"dump: '{key}' is no word of a dump; there are {', '.join(KEYS)}")
        name = words.get("name", "")
        if not isinstance(name, str) or name and not NAME.fullmatch(name):
            raise ValueError(f"dump: name: '{name}': must be of letters, digits and . _ + -")
        if "from" in words or "to" in words:
            for key in ("time", "before", "after"):
                if key in words:
                    raise ValueError(f"dump: {key}: is not for a dump with from or to")
            start = _instant(words, "from", oldest, newest)
            end = _instant(words, "to", newest, newest)
        else:
            middle = _instant(words, "time", newest, newest)
            start, end = oldest, middle
            if "before" in words:
                start = before(middle, _seconds(words, "before"))
            if "after" in words:
                end = middle.plus_seconds(_seconds(words, "after"))
        if not oldest < end:
            raise ValueError(f"dump: ends at {end.iso(6)}, and the oldest sample that is left is "
                             f"of {oldest.iso(6)}")
        if not start < end:
            raise ValueError(f"dump: ends at {end.iso(6)}, not after its beginning, {start.iso(6)}")
        return cls(start, end, name, words.get("why"))


def before(instant, seconds):
    """So many seconds before an instant; the earliest instant is the begin of 1970, where
    the clocks of receivers begin that nobody has set."""
    return instant.plus_seconds(-min(seconds, instant.seconds_since(fp.epoch(0, 0.0))))


def _seconds(words, key):
    value = words[key]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e9:
        raise ValueError(f"dump: {key}: {value}: must be seconds, 0 or more")
    return float(value)


def _instant(words, key, default, newest):
    """An instant: text in ISO 8601, seconds since 1970, a tuple as in rx_time, or "now"."""
    value = words.get(key)
    if value is None:
        return default
    if value == "now":
        return newest
    try:
        if isinstance(value, str):
            return fp.epoch.from_iso(value)
        if isinstance(value, fp.epoch):
            return value
        if isinstance(value, tuple):
            second, fraction = value
            return fp.epoch(int(second), float(fraction))
        return fp.epoch(int(value // 1), float(value % 1))
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"dump: {key}: {value}: must be a time in UTC, {EXAMPLE}, seconds since "
                         "1970, a pair of whole seconds and their fraction, or now") from None


def words_of(message):
    """{key: value} of a message: a dictionary; a pair, which is a dictionary of a single word, as
    buttons send it; anything else, "now" for example, has no words."""
    if pmt.is_dict(message) and not pmt.is_null(message):
        found = pmt.to_python(message)
    elif pmt.is_pair(message):
        found = {pmt.to_python(pmt.car(message)): pmt.to_python(pmt.cdr(message))}
    else:
        word = pmt.to_python(message)
        if word not in (None, True, "now"):
            raise ValueError(f"dump: {word}: must be now, or a dictionary of {', '.join(KEYS)}")
        found = {}
    return {str(key): value for key, value in found.items()}
