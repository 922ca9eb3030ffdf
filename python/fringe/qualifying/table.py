#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""All requirements, by their groups."""
from . import (backends, beams, calibrating, delays, dynamic_range, filter_bank, imaging,
               integration, interference, linearity, losses, peeling, polarization, products,
               quantization, radiometer, throughput, time_stamps, visibility_files)

GROUPS = [module.GROUP for module in (
    filter_bank, dynamic_range, linearity, integration, delays, quantization, radiometer, products,
    visibility_files, time_stamps, losses, interference, polarization, imaging, peeling,
    calibrating, beams, backends, throughput)]
NAMES = {group.number: group.name for group in GROUPS}


def chosen(groups=(), only=()):
    """Requirements of some groups, by number or a part of the name, and of some numbers (1.1); both
    empty: all. Raises ValueError for one that is not there."""
    everything = [required for group in GROUPS for required in group.requirements]
    if not groups and not only:
        return everything
    wanted, numbers = set(), {required.number for required in everything}
    for word in groups:
        found = [group for group in GROUPS
                 if word == str(group.number)
                 or (word and not word.isdigit() and word.lower() in group.name.lower())]
        if not found:
            raise ValueError(f"group: {word}: there is no such group of requirements; there are "
                             + ", ".join(f"{group.number} {group.name}" for group in GROUPS))
        wanted |= {required.number for group in found for required in group.requirements}
    for word in only:
        if word not in numbers:
            raise ValueError(f"only: {word}: there is no requirement of that number; fringe "
                             "qualify --list shows them")
        wanted.add(word)
    return [required for required in everything if required.number in wanted]
