#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A home folder for GNU Radio, which keeps settings there and fails where it cannot."""
import atexit
import os


def provide_home():
    """Gives this process a home for its time where the user has none that can be written to:
    service accounts, containers with any user. Others keep theirs."""
    home = os.environ.get("HOME") or os.path.expanduser("~")
    for folder in (os.path.join(home, ".gnuradio"), home):
        if os.path.isdir(folder):
            if os.access(folder, os.W_OK | os.X_OK):
                return
            break
    import shutil  # pylint: disable=import-outside-toplevel
    import tempfile  # pylint: disable=import-outside-toplevel
    os.environ["HOME"] = tempfile.mkdtemp(prefix="fringe-home-")
    atexit.register(shutil.rmtree, os.environ["HOME"], ignore_errors=True)
