#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Images on the wires of a flowgraph: float32 items, and a tag that says what they are."""

import json
from dataclasses import asdict, fields

import numpy as np
import pmt

from .frame import image_frame
from .sky_image import sky_image

#: The tag of each item.
TAG = "image"
#: What is not in it: the numbers of the image itself, and of CLEAN.
ELSEWHERE = ("values", "psf", "model", "residual", "reports")


def text_of(made, shape):
    """A `sky_image` or `uv_grid` without its values, whose shape is given, as text."""
    described = {field.name: getattr(made, field.name) for field in fields(made)
                 if field.name not in ELSEWHERE}
    described["frame"] = asdict(made.frame)
    described["shape"] = shape
    return json.dumps(described, default=_plain)


def tag_of(made):
    """A `sky_image` or `uv_grid` without its values, as the value of a tag."""
    # Symbols would stay in memory for good.
    raw = text_of(made, made.values.shape).encode()
    return pmt.init_u8vector(len(raw), list(raw))


def image_of(values, tag):
    """The `sky_image` of an item [value] and its tag."""
    d = json.loads(bytes(pmt.u8vector_elements(tag)))
    frame = d.pop("frame")
    frame["center"] = None if frame["center"] is None else tuple(frame["center"])
    frame["instant"] = None if frame["instant"] is None else tuple(frame["instant"])
    if frame["rotation"] is not None:
        frame["rotation"] = np.array(frame["rotation"])
    shape = d.pop("shape")
    for name in ("beam", "begin", "middle"):
        d[name] = tuple(d[name])
    for name in ("frequencies", "total_weight"):
        d[name] = np.array(d[name])
    return sky_image(values=np.array(values, np.float32).reshape(shape),
                     frame=image_frame(**frame), **d)


def _plain(value):
    """Numpy's numbers and arrays as JSON has them."""
    return value.tolist()
