#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Positions of antennas changed in the text of an observation file."""

import yaml

#: Meters by which what is written may differ from what is meant.
ROUNDED = 1e-5


def antenna_changes(listed, antennas):
    """(start, end, text) of the edits that give antennas their positions; None where the list is
    written in a way that is not known here. listed: the node of `antennas`."""
    if not isinstance(listed, yaml.SequenceNode) or len(listed.value) != len(antennas):
        return None
    changes = []
    for node, antenna in zip(listed.value, antennas):
        place, wanted = node, antenna.enu
        if isinstance(node, yaml.MappingNode):
            fields = {key.value: value for key, value in node.value}
            place = fields.get("enu") or fields.get("itrf")
            wanted = antenna.enu if "enu" in fields else antenna.itrf
        if not isinstance(place, yaml.SequenceNode) or len(place.value) != 3:
            return None
        for old, new in zip(place.value, wanted):
            if not isinstance(old, yaml.ScalarNode):
                return None
            if abs(float(old.value) - new) > ROUNDED:
                changes.append((old.start_mark.index, old.end_mark.index, f"{new:.5f}"))
    return changes
