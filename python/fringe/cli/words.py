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
import functools
import re

#: Kinds of options that stand alone, without a value.
SWITCHES = ("switch", "yes or no")
#: First words of sentences that are no arguments.
PLAIN = ("note", "warning")


def words_of(parser):
    """What says for an argument of Python (option, True where a value follows it), or None: of a
    subcommand, and of fringe correlate, which others speak of."""
    own = {}
    for action in parser._actions:  # pylint: disable=protected-access
        if action.option_strings:
            longest = next((option for option in action.option_strings
                            if option.startswith("--")), action.option_strings[0])
            switch = action.nargs == 0
            own[action.dest] = (longest, not switch)
    return lambda argument: own.get(argument) or _words_of_runs().get(argument)


@functools.cache
def _words_of_runs():
    """Of fringe correlate, whose settings are loaded where another command speaks of one."""
    from ..ground.options import option_name  # pylint: disable=import-outside-toplevel
    from ..runs.settings import run_settings  # pylint: disable=import-outside-toplevel
    return {field.name: (option_name(field), field.metadata["kind"] not in SWITCHES)
            for field in dataclasses.fields(run_settings) if "help" in field.metadata}


def shown(text, line_ends=" "):
    """A text in which a file of unknown origin may be quoted, for a terminal, which obeys some of
    the characters that are not printable. line_ends: what becomes of these."""
    return "".join(c if c.isprintable() else line_ends if c == "\n" else "?" for c in text)


def sayer(words):
    """print(), for sentences of the library. words: see words_of()."""
    return lambda text, **more: print(shown(in_command(str(text), words), "\n"), **more)


def in_command(sentence, words):
    """A sentence with the names of options. words: see words_of()."""
    def find(argument):
        if argument in PLAIN:
            return None
        return words(argument) or words(argument.removesuffix("s"))

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
