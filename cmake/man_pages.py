#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the manual pages of `fringe` and its subcommands of what `--help` says.

usage: man_pages.py FOLDER

fringe.1 and fringe-COMMAND.1 are written to FOLDER. help2man fills the examples and tables of
these texts into paragraphs, and does not know the options of subcommands; so the pages are made of
the parsers themselves.
"""
# pylint: disable=protected-access
import argparse
import os
import re
import sys

from gnuradio import fringe
from gnuradio.fringe.cli import parser
from gnuradio.fringe.cli.usage import show_all


def plain(text):
    """Text as troff takes it for itself: no escapes, no requests, no typographer's dashes."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    text = text.replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"^\.", r"\\&.", text, flags=re.M)


def paragraphs(text):
    """Blocks between empty lines: those with an indented line or a table stay as they are."""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if re.search(r"^  ", block, re.M):
            yield f".PP\n.nf\n{plain(block)}\n.fi"
        else:
            yield f".PP\n{plain(block)}"


def invocation(action):
    """-o OUT, --output OUT with the words in bold and italics."""
    value = ""
    if action.nargs != 0:
        value = action.metavar or "{" + ",".join(map(str, action.choices or ())) + "}"
        if value == "{}":
            value = action.dest.upper()
        value = plain(value)
    if not action.option_strings:
        return f"\\fI{value}\\fR"
    names = [f"\\fB{plain(name)}\\fR" for name in action.option_strings]
    return ", ".join(f"{name} \\fI{value}\\fR" if value else name for name in names)


def entries(group, formatter):
    """What a group of options, or a list of subcommands, has."""
    for action in group._group_actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action._choices_actions:
                yield f".TP\n\\fBfringe {plain(choice.dest)}\\fR\n{plain(choice.help)}"
        elif action.help is not argparse.SUPPRESS:
            text = formatter._expand_help(action) if action.help else ""
            yield f".TP\n{invocation(action)}\n{plain(text)}"


def usage(command):
    """The line that shows how the command is called, without its line breaks."""
    words = re.sub(r"\s+", " ", command.format_usage()).removeprefix("usage: ").strip()
    return re.sub(rf"^{command.prog}", rf"\\fB{command.prog}\\fR", plain(words))


def page(name, summary, command, others):
    """The text of a page."""
    formatter = command.formatter_class(command.prog)
    lines = [f'.TH "{plain(name.upper())}" 1 "" "gr-fringe {fringe.__version__}" "gr-fringe"',
             ".nh", ".SH NAME", f"{plain(name)} \\- {plain(summary)}", ".SH SYNOPSIS", ".ad l",
             usage(command), ".ad", ".SH DESCRIPTION", *paragraphs(command.description)]
    for group in command._action_groups:
        titles = {"positional arguments": ".SH ARGUMENTS", "options": ".SH OPTIONS"}
        found = list(entries(group, formatter))
        if found:
            lines += [titles.get(group.title, f".SS {plain(group.title)}"), *found]
    if command.epilog:
        lines += [".SH NOTES", *paragraphs(command.epilog)]
    lines += [".SH SEE ALSO", ",\n".join(f".BR {plain(other)} (1)" for other in others)]
    return "\n".join(line for line in "\n".join(lines).split("\n") if line) + "\n"


def main():
    folder, = sys.argv[1:]
    top = parser()
    commands = next(action for action in top._actions
                    if isinstance(action, argparse._SubParsersAction))
    names = [f"fringe-{name}" for name in commands.choices]
    pages = {"fringe": ("FX correlator for radio astronomy: voltages to visibilities and images",
                        top)}
    for choice in commands._choices_actions:
        pages[f"fringe-{choice.dest}"] = (choice.help, commands.choices[choice.dest])
    os.makedirs(folder, exist_ok=True)
    for name, (summary, command) in pages.items():
        show_all(command)
        others = names if name == "fringe" else ["fringe"]
        with open(os.path.join(folder, f"{name}.1"), "w", encoding="utf-8") as file:
            file.write(page(name, summary, command, others))


if __name__ == "__main__":
    main()
