#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Images of the sky from visibility files: frames, gridding, FITS files, pictures."""
import importlib

_MODULES = {"clean_settings": "cleaning", "fits_bytes": "fits_file", "draw_image": "picture",
            **dict.fromkeys(("image_maker", "image_settings", "make_image", "sky_image"), "make")}


def __getattr__(name):
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
