#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The command `fringe`: one module a subcommand, and what they share here."""
import argparse
import gc
import importlib
import os
import re
import signal
import sys

from ..ground.home import provide_home
from ..ground.stop_signals import end_at_once, exit_code, raise_stopped, stopped
from ..ground.waiting import interrupted
from .usage import BAD_INPUT, complete, one_sentence_parser
from .words import in_command, sayer, shown, words_of

FAILED = 1  # the job could not be carried out: a full disk, say
BAD_INPUTS = (ValueError, TypeError, FileNotFoundError, FileExistsError, IsADirectoryError,
              NotADirectoryError, PermissionError)

#: The subcommands, each a module here, in groups as --help shows them, and what each is for.
GROUPS = {
    "record and look": {
        "simulate": "a simulated recording",
        "record": "packets or radios to a recording",
        "info": "what is in a recording, visibilities, solutions, an observation file or a plan",
        "web": "a web page of the live fringes, for phones too",
        "control": "asks a flowgraph that runs: its metrics, a new file, a pause, its end",
        "qualify": "requirements measured on this machine, in a report",
    },
    "correlate": {
        "correlate": "recorded voltages to visibilities",
        "beam": "recorded voltages to the power or the voltages of beams",
        "fold": "recorded voltages to the profile of a pulsar",
        "search": "powers of a beam to dispersed pulses, or to the dispersion of a pulsar",
        "plot": "fringes, spectra, lags and an all-sky image; solutions; a pulsar",
        "join": "visibility files of different channels to one",
        "convert": "a visibility file to one of another kind",
        "export": "visibilities as a table of numbers (CSV)",
        "verify": "whether what stands in a visibility file fits together",
    },
    "calibrate": {
        "align": "offset, rate and phase of two recordings",
        "calibrate": "phases, gains and delays of the inputs",
        "apply": "calibration solutions taken out of visibilities",
        "selfcal": "gains from the image of the visibilities themselves",
        "baseline": "antenna positions and cable delays",
    },
    "image": {
        "image": "an image as FITS file and picture",
        "predict": "visibilities of a model of the sky",
        "peel": "visibilities without the strongest sources",
    },
    "many hosts": {
        "plan": "a recording in parts, for many hosts",
        "work": "one part of a plan",
        "merge": "the parts of a plan to visibility files",
    },
}
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}

DESCRIPTION = """\
Turns antenna voltages into visibilities and images, for example:
  fringe correlate sky.ci8 --obs array.yml -o sky.ms
  fringe image sky.ms -o sky.png

"""

EPILOG = """\
fringe COMMAND --help shows the options of a command, fringe --version the version. exit codes:
0 done, 1 failed (a full disk, say), 2 bad input or usage, 3 a bad result, 130 interrupted
"""


class _fringe_parser(one_sentence_parser):
    """--help of the command alone fits on one screen: the epilog names its options."""

    def format_help(self):
        return f"{self.format_usage()}\n{self.description}\n\n{self.epilog}"


class _with_help(argparse._SubParsersAction):  # pylint: disable=protected-access
    """Adds subcommands with what GROUPS says of them, whose texts are shown as they stand."""

    def add_parser(self, name, **more):
        return super().add_parser(name, help=COMMANDS[name],
                                  formatter_class=argparse.RawDescriptionHelpFormatter, **more)


def _list_of_commands():
    """The subcommands in their groups, and what each is for."""
    lines = []
    for title, group in GROUPS.items():
        lines += [f"{title}:"] + [f"  {name:11}{text}" for name, text in group.items()]
    return "\n".join(lines)


class _version(argparse.Action):
    """As argparse's own, without the library until it is asked for."""

    def __call__(self, parser, *_):
        from .. import fringe_python as fp  # pylint: disable=import-outside-toplevel
        print(f"gr-fringe {fp.__version__}")
        parser.exit()


def parser(names=tuple(COMMANDS)):
    """The parser of the command, with some of its subcommands, whose modules are loaded for it."""
    top = _fringe_parser(
        prog="fringe", description=DESCRIPTION + _list_of_commands(), epilog=EPILOG,
        usage="fringe COMMAND ...", formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--version", action=_version, nargs=0,
                     help="show program's version number and exit")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, prog="fringe",
                                  help=argparse.SUPPRESS, action=_with_help,
                                  parser_class=one_sentence_parser)
    for name in names:
        importlib.import_module(f"{__name__}.{name}").add_parser(commands)
    return top


def _needed(words):
    """The subcommands whose modules these words need: every part of a recording starts the
    program."""
    if not words or words[0] in ("-h", "--help", "--version"):
        return ()
    return words[:1] if words[0] in COMMANDS else tuple(COMMANDS)


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
    sentence = shown(in_command(str(error), words))
    if sentence.endswith("Resource temporarily unavailable"):
        sentence += ": the system gives no more threads or memory (ulimit -u, ulimit -v)"
    return sentence


def main(arguments=None):
    """Runs the command; returns its exit code."""
    # A broken pipe (fringe info x | head) is no error of ours.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    words = sys.argv[1:] if arguments is None else arguments
    if arguments is None and "_ARGCOMPLETE" in os.environ:
        complete(parser())
    top = parser(_needed(words))
    options = top.parse_args(_joined(words))
    spoken = words_of(top.of_command(options))
    options.say = sayer(spoken)
    if "tqdm" in sys.modules:  # the bars are moved often enough without a thread for that
        sys.modules["tqdm"].tqdm.monitor_interval = 0
    # What only shows help needs none of these.
    from gnuradio import gr  # pylint: disable=import-outside-toplevel
    from .. import fringe_python as fp  # pylint: disable=import-outside-toplevel
    if not gc.isenabled():  # the program turns it off while it loads
        gc.freeze()
        gc.enable()
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
