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
from ..readers.selection import wrong_part
from ..ground.stop_signals import end_at_once, exit_code, raise_stopped, stopped
from ..ground.waiting import interrupted
from .usage import BAD_INPUT, complete, one_sentence_parser

FAILED = 1  # the job could not be carried out: a full disk, say
BAD_INPUTS = (ValueError, TypeError, FileNotFoundError, FileExistsError, IsADirectoryError,
              NotADirectoryError, PermissionError)

#: The subcommands, each a module here, in the order in which --help shows them.
COMMANDS = ("correlate", "simulate", "plot", "image", "calibrate", "predict", "peel", "align",
            "export", "join", "record", "info", "web", "plan", "work", "merge")

DESCRIPTION = """\
Turns recorded antenna voltages into visibilities and pictures.

  fringe simulate array.yml -o sky.ci8             a simulated recording
  fringe correlate sky.ci8 --obs array.yml -o sky.ms
  fringe plot sky.ms -o sky.png                    fringes, spectra, lags, all-sky image
  fringe image sky.ms -o sky.fits -o sky.png       a dirty image, as FITS file and picture
  fringe calibrate sky.ms --obs array.yml --azel 120,45   phases and gains of the inputs
  fringe predict sky-model.fits sky.ms -o model.ms  visibilities of a model of the sky
  fringe peel sky.ms -o rest.ms --sources CasA,CygA  without the strongest sources
  fringe align west.cu8 east.cu8                   how far two recordings are apart
  fringe export sky.ms -o sky.csv                  the numbers as a table
  fringe join low.ms high.ms -o sky.ms             bands of one observation to one file
  fringe record --live udp://HOST:PORT?preset=NAME -o sky.vdif   packets to a recording
  fringe web                                       a web page of the live fringes
  fringe info sky.ms                               what is in a file, in words
  fringe plan long.ci8 --obs array.yml -o plan.json   one recording in parts, on many hosts:
  fringe work plan.json 7                             a part, and
  fringe merge plan.json -o sky.ms                    all parts to one file

exit codes: 0 done, 1 could not be carried out (a full disk, say), 2 bad input or usage,
3 (plot, image --check) a source is not where it should be, (calibrate) no gains that can be
trusted, (align) no common signal, 130 interrupted (129 by SIGHUP, 143 by SIGTERM)
"""


def parser(names=COMMANDS):
    """The parser of the command, with some of its subcommands, whose modules are loaded for it."""
    top = one_sentence_parser(
        prog="fringe", description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--version", action="version", version=f"gr-fringe {fp.__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in names:
        importlib.import_module(f"{__name__}.{name}").add_parser(commands)
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


def _sentence(error):
    if isinstance(error, wrong_part):
        return error.in_command()
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def main(arguments=None):
    """Runs the command; returns its exit code."""
    # A broken pipe (fringe info x | head) is no error of ours.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    words = sys.argv[1:] if arguments is None else arguments
    if arguments is None and "_ARGCOMPLETE" in os.environ:
        complete(parser())
    # Only the module of the subcommand is loaded: every part of a recording starts the program.
    options = parser(words[:1] if words[:1] and words[0] in COMMANDS else COMMANDS).parse_args(
        _joined(words))
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
        print(f"fringe {options.command}: {_sentence(error)}", file=sys.stderr)
        return BAD_INPUT
    except (RuntimeError, OSError, MemoryError) as error:
        print(f"fringe {options.command}: {_sentence(error) or 'out of memory'}",
              file=sys.stderr)
        return FAILED
    except (interrupted, stopped) as stop:
        print(f"fringe {options.command}: interrupted; {stop}".rstrip("; "), file=sys.stderr)
        return exit_code(stop.number)
