#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The end of the process of `fringe`."""
import atexit
import os
import sys
import threading

#: Commands that run flowgraphs: their blocks are taken down one by one.
WITH_BLOCKS = ("align", "beam", "correlate", "fold", "merge", "qualify", "record", "simulate",
               "web", "work")


def end(code, command):
    """Ends the process with a code, at once where a command has closed all its files: to take
    Python, numpy and GNU Radio down piece by piece takes a third as long as a small image."""
    others = [thread for thread in threading.enumerate()
              if thread is not threading.main_thread() and not thread.daemon]
    # After a failure threads of a flowgraph that could not be started whole may wait for ever.
    if code != 1 and (others or command in WITH_BLOCKS):
        sys.exit(code)
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # the shell closed it: fringe ... >&-
                stream.flush()
    except OSError:
        sys.exit(code)  # Python says it
    if code != 1:
        atexit._run_exitfuncs()  # pylint: disable=protected-access
    os._exit(code)
