#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The command `fringe`: one module a subcommand, and what they share here."""
import argparse
import importlib
import os
import re
import signal
import sys

from gnuradio import gr

from .. import fringe_python as fp
from ..ground.home import provide_home
from ..ground.stop_signals import end_at_once, exit_code, raise_stopped, stopped
from ..ground.waiting import interrupted
from .usage import BAD_INPUT, complete, one_sentence_parser
from .words import in_command, sayer, words_of

FAILED = 1  # the job could not be carried out: a full disk, say
BAD_INPUTS = (ValueError, TypeError, FileNotFoundError, FileExistsError, IsADirectoryError,
              NotADirectoryError, PermissionError)

#: The subcommands, each a module here, in groups as --help shows them.
GROUPS = {
    "record and look": ("simulate", "record", "info", "web"),
    "correlate": ("correlate", "beam", "fold", "plot", "join", "convert", "export"),
    "calibrate": ("align", "calibrate", "apply", "selfcal", "baseline"),
    "image": ("image", "predict", "peel"),
    "many hosts": ("plan", "work", "merge"),
}
COMMANDS = sum(GROUPS.values(), ())

DESCRIPTION = """\
Turns antenna voltages into visibilities and images.

  fringe simulate array.yml -o sky.ci8                 a simulated recording
  fringe correlate sky.ci8 --obs array.yml -o sky.ms   its visibilities
  fringe plot sky.ms -o sky.png                        fringes, spectra, lags
  fringe image sky.ms -o sky.fits -o sky.png           an image
"""

EPILOG = """\
fringe COMMAND --help says more of one.
exit codes: 0 done, 1 could not be carried out (a full disk, say), 2 bad input or usage,
3 (plot, image --check) a source is not where it should be, (calibrate, baseline) nothing that
can be trusted, (align) no common signal, 130 interrupted (129 by SIGHUP, 143 by SIGTERM)
"""


def _list_of(commands):
    """The subcommands in their groups, and what each is for."""
    help_of = {action.dest: action.help for action in commands._choices_actions}
    lines = []
    for title, names in GROUPS.items():
        lines += [f"\n{title}:"]
        lines += [f"  {name:11}{help_of[name]}" for name in names if name in help_of]
    return "\n".join(lines)


def parser(names=COMMANDS):
    """The parser of the command, with some of its subcommands, whose modules are loaded for it."""
    top = one_sentence_parser(
        prog="fringe", description=DESCRIPTION, epilog=EPILOG, usage="fringe COMMAND ...",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--version", action="version", version=f"gr-fringe {fp.__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, prog="fringe",
                                  help=argparse.SUPPRESS)
    for name in names:
        importlib.import_module(f"{__name__}.{name}").add_parser(commands)
    top.description += _list_of(commands)
    return top


def _joined(words):
    """--option -1e6 as --option=-1e6: argparse takes most negative numbers for options."""
    joined = []
    for word in words:
        if re.match(r"-[\d.]|-inf|-nan", word) and joined and re.match("--[^=]+$", joined[-1]):
            joined[-1] += "=" + word
        else:
            joined.append(word)
    return joined


def _sentence(error, words):
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return in_command(str(error), words)


def main(arguments=None):
    """Runs the command; returns its exit code."""
    # A broken pipe (fringe info x | head) is no error of ours.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    words = sys.argv[1:] if arguments is None else arguments
    if arguments is None and "_ARGCOMPLETE" in os.environ:
        complete(parser())
    # Only the module of the subcommand is loaded: every part of a recording starts the program.
    top = parser(words[:1] if words[:1] and words[0] in COMMANDS else COMMANDS)
    options = top.parse_args(_joined(words))
    spoken = words_of(top.of_command(options))
    options.say = sayer(spoken)
    if options.command in ("correlate", "info", "merge", "record", "work"):
        # correlate() takes signals itself as soon as there are files.
        end_at_once(f"fringe {options.command}")
    else:
        raise_stopped()
    provide_home()
    # Blocks log through GNU Radio; the command says the same in its own sentence.
    if not os.environ.get("FRINGE_LOG"):
        gr.logging().set_default_level(gr.log_levels.off)
    try:
        with fp.reading():  # what the command reads is nothing that it replaces
            return options.run(options) or 0
    except BAD_INPUTS as error:
        print(f"fringe {options.command}: {_sentence(error, spoken)}", file=sys.stderr)
        return BAD_INPUT
    except (RuntimeError, OSError, MemoryError) as error:
        print(f"fringe {options.command}: {_sentence(error, spoken) or 'out of memory'}",
              file=sys.stderr)
        return FAILED
    except (interrupted, stopped) as stop:
        print(f"fringe {options.command}: interrupted; {stop}".rstrip("; "), file=sys.stderr)
        return exit_code(stop.number)
