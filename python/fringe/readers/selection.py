#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Which part of a visibility file is read, where one file holds several fields, spectral windows
or subarrays."""

from dataclasses import dataclass, fields

#: Every spectral window, channels of all in one axis.
ALL = 'all'


@dataclass(frozen=True)
class selection:
    """The choice of a user; None = not chosen. Each is a name or a number, as the file has it; an
    int is a number only, and so are those of what was read."""
    field: str = None     #: field, source or phase center
    spw: str = None       #: spectral window, several with commas between (or a tuple), or ALL
    subarray: str = None  #: of antennas
    column: str = None    #: DATA, CORRECTED_DATA or MODEL_DATA of a MeasurementSet

    def keywords(self):
        """As keywords of read_visibilities, so that the same part is read again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def require_nothing(self, path, why):
        """Raises ValueError where something is chosen of a file that cannot have it."""
        for name, value in self.keywords().items():
            if value is not None:
                raise wrong_part(f'{path}: {name}={value}: {why}')


@dataclass(frozen=True)
class part:
    """One field, spectral window or subarray that rows of a file belong to."""
    number: int       #: as the file counts it: what its rows name
    name: str         #: '' where it has none
    words: str = ''   #: where it is, or which frequencies: for lists

    def __str__(self):
        named = f'{self.number} {self.name}'.rstrip()
        return f'{named} ({self.words})' if self.words else named


class wrong_part(ValueError):
    """A choice that a file does not have."""


class several_parts(wrong_part):
    """A file holds several, and none was chosen."""

    def __init__(self, path, option, parts):
        self.parts = parts
        noun = {'field': 'fields', 'spw': 'spectral windows', 'subarray': 'subarrays'}[option]
        listed = '; '.join(map(str, parts))
        super().__init__(f'{path}: holds {len(parts)} {noun}: {listed}; choose one with '
                                 f'{option}=NAME')


def is_all(wanted):
    """Whether a choice is ALL."""
    return str(wanted).strip().lower() == ALL


def several_words(wanted):
    """The names or numbers of a choice of several; None where it is of one, or there is none."""
    if isinstance(wanted, str) and ',' in wanted:
        wanted = tuple(word.strip() for word in wanted.split(','))
    return wanted if isinstance(wanted, tuple) else None


def in_words(choice):
    """A choice as a user writes it."""
    return ','.join(map(str, choice)) if isinstance(choice, tuple) else str(choice)


def choose_some(path, option, parts, wanted):
    """As choose(), of a choice that may be of several: a list of parts in the order of the file."""
    if is_all(wanted):
        return parts
    words = several_words(wanted)
    if words is None or any(part.name == wanted for part in parts):
        return [choose(path, option, parts, wanted)]
    numbers = {choose(path, option, parts, word).number for word in words}
    return [part for part in parts if part.number in numbers]


def choose(path, option, parts, wanted):
    """The `part` that is wanted of those that rows of a file name.

    option: 'field', 'spw' or 'subarray'. wanted: its name or number (an int is no name);
    None takes the only one.
    Raises several_parts where there are several, and ValueError where there is no such part.
    """
    if wanted is None:
        if len(parts) > 1:
            raise several_parts(path, option, parts)
        return parts[0]
    word = str(wanted).strip()
    # A name is tried before a number, since names of fields are numbers at times.
    names = [] if isinstance(wanted, int) else [part for part in parts if part.name]
    found = ([part for part in names if part.name == word]
             or [part for part in parts if str(part.number) == word]
             or [part for part in names if part.name.lower() == word.lower()])
    if len(found) == 1:
        return found[0]
    listed = '; '.join(str(part) for part in parts)
    if found:
        raise wrong_part(f'{path}: {option}={word}: there are {len(found)} of this name: '
                                 f'choose by number: {listed}')
    raise wrong_part(f'{path}: {option}={word}: is not in the file, which holds {listed}')
