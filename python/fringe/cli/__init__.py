#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The command `fringe`: one module a subcommand, and what they share here."""
import argparse
import os
import signal
import sys

from gnuradio import gr

from .. import fringe_python as fp
from ..correlate import interrupted
from . import correlate, info, plot, simulate

BAD_INPUT = 2  # of the user's or the recording's making
FAILED = 1  # the job could not be carried out: a full disk, say
INTERRUPTED = 130  # Ctrl-C, as shells count

DESCRIPTION = """\
Turns recorded antenna voltages into visibilities and pictures.

  fringe simulate array.yml -o sky.ci8             a simulated recording
  fringe correlate sky.ci8 --obs array.yml -o sky.ms
  fringe plot sky.ms -o sky.png                    fringes, spectra, lags, all-sky image
  fringe info sky.ms                               what is in a file, in words

exit codes: 0 done, 1 could not be carried out (a full disk, say), 2 bad input or usage,
3 (plot --check) a source is not where it should be, 130 interrupted
"""


def parser():
    top = argparse.ArgumentParser(
        prog="fringe", description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--version", action="version", version=f"gr-fringe {fp.__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in (correlate, simulate, plot, info):
        module.add_parser(commands)
    return top


def main(arguments=None):
    """Runs the command; returns its exit code."""
    options = parser().parse_args(arguments)
    # A broken pipe (fringe info x | head) is no error of ours.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    # Blocks log through GNU Radio; the command says the same in its own sentence.
    if not os.environ.get("FRINGE_LOG"):
        gr.logging().set_default_level(gr.log_levels.off)
    try:
        return options.run(options) or 0
    except (ValueError, TypeError, FileNotFoundError, IsADirectoryError, PermissionError) as error:
        print(f"fringe {options.command}: {error}", file=sys.stderr)
        return BAD_INPUT
    except (RuntimeError, OSError, MemoryError) as error:
        print(f"fringe {options.command}: {error}", file=sys.stderr)
        return FAILED
    except (interrupted, KeyboardInterrupt) as stopped:
        print(f"fringe {options.command}: interrupted; {stopped}".rstrip("; "), file=sys.stderr)
        return INTERRUPTED
