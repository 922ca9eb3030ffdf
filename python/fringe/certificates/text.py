#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A certificate as text: a line of the history of a file."""
import json
from dataclasses import dataclass, field

from .. import fringe_python as fp

MARK = 'gr-fringe certificate '
#: Letters of a command.
COMMAND = 500


@dataclass
class certificate:
    """What a file was when it was finished."""
    sums: dict               #: of columns, numbers of 64 bits
    tables: dict             #: CRC-32C of tables
    rows: int                #: rows of the columns
    command: str = ''        #: what made the file
    software: str = field(default_factory=fp.software)
    others: dict = field(default_factory=dict)  #: what else it says: counts, a source

    def to_json(self):
        values = {'certificate': 1, 'software': self.software,
                  'command': self.command[:COMMAND], 'rows': int(self.rows),
                  'sums': {name: f'{number:016x}' for name, number in sorted(self.sums.items())},
                  'tables': {name: f'{number:08x}' for name, number in sorted(self.tables.items())},
                  **self.others}
        return json.dumps(values)

    def to_line(self):
        """"gr-fringe certificate {...}"."""
        return MARK + self.to_json()


def certificate_in(history):
    """The last certificate in a text; None where there is none that is whole."""
    at = history.rfind(MARK + '{')
    if at < 0:
        return None
    try:
        values, _ = json.JSONDecoder().raw_decode(history, at + len(MARK))
    except ValueError:
        return None
    return certificate_of(values)


def certificate_of(values):
    """From what its JSON says; None where that is no certificate that can be read here."""
    if not isinstance(values, dict) or values.get('certificate') != 1:
        return None
    values = dict(values)
    values.pop('certificate')
    try:
        sums, tables = ({str(name): int(number, 16) for name, number in values.pop(key).items()}
                        for key in ('sums', 'tables'))
        return certificate(sums, tables, int(values.pop('rows')), str(values.pop('command')),
                           str(values.pop('software')), values)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
