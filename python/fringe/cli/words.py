#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sentences of the library, which name arguments of Python, in the words of the command.

The library begins a sentence with the argument that it is about (sample_rate: 0: ...), and inside
of a sentence gives an argument with a value (take tracking=False). Here these become --sample-rate
and --no-track; all other words stay.
"""
import dataclasses
import re

from ..ground.options import option_name
from ..runs.settings import run_settings

#: Kinds of options that stand alone, without a value.
SWITCHES = ("switch", "yes or no")


def words_of(parser):
    """{argument of Python: (option, True where a value follows it)} of a subcommand, and of
    fringe correlate, which others speak of."""
    words = {field.name: (option_name(field), field.metadata["kind"] not in SWITCHES)
             for field in dataclasses.fields(run_settings) if "help" in field.metadata}
    for action in parser._actions:  # pylint: disable=protected-access
        if action.option_strings:
            longest = next((option for option in action.option_strings
                            if option.startswith("--")), action.option_strings[0])
            switch = action.nargs == 0
            words[action.dest] = (longest, not switch)
    return words


def sayer(words):
    """print(), for sentences of the library. words: see words_of()."""
    return lambda text, **more: print(in_command(str(text), words), **more)


def in_command(sentence, words):
    """A sentence with the names of options. words: see words_of()."""
    def find(argument):
        return words.get(argument) or words.get(argument.removesuffix("s"))

    def first(found):
        options = [find(argument) for argument in (found[1], found[3]) if argument]
        return found[0] if None in options else " and ".join(name for name, _ in options) + ":"

    def inside(found):
        option, has_value = find(found[1]) or (None, True)
        if option is None:
            return found[0]
        if has_value:
            return f"{option} {found[2]}"
        value = found[2].removesuffix(".")
        return (option if value != "False" else "--no-" + option[2:]) + found[2][len(value):]

    sentence = re.sub(r"^(\w+)( and (\w+))?:", first, sentence)
    return re.sub(r"(?<![^\s(])(\w+)=((?:[^\s,;:()]|[,;:](?=\S))+)", inside, sentence)
