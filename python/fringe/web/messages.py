#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Messages to the page: a header in JSON, and arrays behind it.

A message has the length of the header in 4 bytes, little-endian; the header; the arrays. The
header's field "arrays" names them in order, with their type (f4, f8, u1) and length. Every array
begins at a multiple of 8 bytes, as browsers want it; blanks behind the header and zeros between the
arrays make it so.
"""
import json
import math
import struct

import numpy as np

ALIGNED = 8


def finite(number):
    """A number as JSON can say it: None for what is none."""
    number = float(number)
    return number if math.isfinite(number) else None


def encode(kind, header, **arrays):
    """The bytes of a message of some kind; complex arrays become NAME_re and NAME_im."""
    parts = {}
    for name, values in arrays.items():
        if np.iscomplexobj(values):
            parts[name + "_re"], parts[name + "_im"] = values.real, values.imag
        else:
            parts[name] = values
    parts = {name: np.ascontiguousarray(values).ravel() for name, values in parts.items()}
    text = json.dumps({"kind": kind, **header, "arrays": [
        [name, values.dtype.str[1:], len(values)] for name, values in parts.items()]},
                      allow_nan=False).encode()
    text += b" " * (-(len(text) + 4) % ALIGNED)
    pieces = [struct.pack("<I", len(text)), text]
    for values in parts.values():
        piece = values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
        pieces += [piece, bytes(-len(piece) % ALIGNED)]
    return b"".join(pieces)


def decode(message):
    """(header, {name: array}) of the bytes of a message, as the page reads them."""
    length, = struct.unpack_from("<I", message)
    header, at, arrays = json.loads(message[4:4 + length]), 4 + length, {}
    for name, kind, count in header["arrays"]:
        arrays[name] = np.frombuffer(message, "<" + kind, count, at)
        at += arrays[name].nbytes + -arrays[name].nbytes % ALIGNED
    return header, arrays
