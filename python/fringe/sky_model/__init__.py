#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities of a known sky: predicted from models, and peeled off."""
from .peel import peel, peel_settings  # noqa: F401
from .predict import predict  # noqa: F401
