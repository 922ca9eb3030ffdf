#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Options that are described once, as the fields of a dataclass: for functions of Python, and for
the command (cli/options.py)."""
import dataclasses
import inspect
import textwrap


def option(help, default=None, *, kind=None, name=None, metavar=None, choices=None):
    """A field of a dataclass that is an option.

      help: what it is for, for help() and for --help
      default: its value where it is not given
      kind: how the command reads it, see cli/options.py; None: as it stands, or, where the
        default is False, as a switch
      name: that of the command, "--track"; None: the field's own
      metavar, choices: as argparse has them
    """
    words = {"help": help, "kind": kind or ("switch" if default is False else "text"),
             "name": name, "metavar": metavar, "choices": choices}
    return dataclasses.field(default=default, metadata=words)


def option_name(field):
    """What the command calls a field, "--sample-rate"."""
    return field.metadata.get("name") or "--" + field.name.replace("_", "-")


def with_options(function, options):
    """Puts the fields of a dataclass in the place of a function's **arguments in help()."""
    fields = inspect.signature(options).parameters.values()
    own = [parameter for parameter in inspect.signature(function).parameters.values()
           if parameter.kind is not inspect.Parameter.VAR_KEYWORD]
    names = {parameter.name for parameter in own}
    function.__signature__ = inspect.Signature(
        own + [field.replace(kind=inspect.Parameter.KEYWORD_ONLY) for field in fields
               if field.name not in names])
    helps = [textwrap.fill(f"{field.name}: {field.metadata['help']}", 96, initial_indent="    ",
                           subsequent_indent=" " * 8)
             for field in dataclasses.fields(options) if "help" in field.metadata]
    if helps:
        function.__doc__ += "\n    Options:\n\n" + "\n".join(helps) + "\n"
    return function
