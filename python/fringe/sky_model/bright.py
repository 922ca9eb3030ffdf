#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The strongest radio sources by name."""

from ..calibration.sources import source_at

#: ICRS.
PLACES = {'CasA': '23h23m24.0s,+58d48m54s', 'CygA': '19h59m28.36s,+40d44m02.1s',
          'TauA': '05h34m31.94s,+22d00m52.2s', 'VirA': '12h30m49.42s,+12d23m28.0s',
          'HerA': '16h51m08.2s,+04d59m33s', 'HydA': '09h18m05.65s,-12d05m44s',
          'PicA': '05h19m49.7s,-45d46m44s', 'CenA': '13h25m27.6s,-43d01m09s'}


def bright_sources(names):
    """Sources of names with commas between them. Raises ValueError."""
    known = {name.lower(): name for name in PLACES}
    found = []
    for text in names.split(','):
        name = known.get(text.strip().lower().replace(' ', ''))
        if name is None:
            raise ValueError(f'sources: {text}: is no file, and no source that has a name here: '
                             + ', '.join(PLACES))
        found.append(source_at(PLACES[name], False, name))
    return found
