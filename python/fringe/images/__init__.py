#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Images of the sky from visibility files: frames, gridding, FITS files, pictures."""
from .cleaning import clean_settings  # noqa: F401
from .fits_file import fits_bytes  # noqa: F401
from .make import image_maker, image_settings, make_image, sky_image  # noqa: F401
from .picture import draw_image  # noqa: F401
