#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Options of the command that the library describes (ground/options.py)."""
import argparse
import dataclasses

from ..ground.options import option_name
from ..web.addresses import HOST, PORT
from .numbers import backend, band, duration, gate, gpus, number, seconds, whole, wholes

#: How a word on the command line is read, by the kind of an option.
KINDS = {
    "text": {}, "number": {"type": number}, "whole": {"type": whole}, "wholes": {"type": wholes},
    "seconds": {"type": seconds}, "duration": {"type": duration}, "band": {"type": band},
    "backend": {"type": backend}, "gpus": {"type": gpus},
    "texts": {"action": "append"}, "bands": {"action": "append", "type": band},
    "gates": {"action": "append", "type": gate},
    "switch": {"action": "store_true"}, "yes or no": {"action": argparse.BooleanOptionalAction},
    "address": {"nargs": "?", "const": f"{HOST}:{PORT}"},
}


def add_options(parser, described, names=None):
    """Adds the options that are fields of a dataclass, all or those of some names, to a parser or
    a group of one."""
    for field in dataclasses.fields(described):
        if "help" not in field.metadata or (names and field.name not in names):
            continue
        facts = {key: field.metadata[key] for key in ("metavar", "choices")
                 if field.metadata[key] is not None}
        parser.add_argument(option_name(field), dest=field.name, default=argparse.SUPPRESS,
                            help=field.metadata["help"].replace("%", "%%"),
                            **KINDS[field.metadata["kind"]], **facts)


def given_options(namespace, described):
    """{name: value} of the options of a dataclass that a user has given."""
    return {field.name: getattr(namespace, field.name) for field in dataclasses.fields(described)
            if "help" in field.metadata and hasattr(namespace, field.name)}
