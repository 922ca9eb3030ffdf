#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Where the files of the examples are, so that their flowgraphs run from any folder."""

import pathlib


def example_file(name):
    """Returns the path of a file of the examples, "two_antennas.yml" for instance.

    It is the file in share/gr-fringe/examples of the installation that this module is part of,
    or in examples/ of the repository. Raises FileNotFoundError for an unknown name.
    """
    here = pathlib.Path(__file__).resolve()
    folders = [above / "share" / "gr-fringe" / "examples" for above in here.parents]
    folders.insert(0, here.parents[3] / "examples")  # of the repository
    for folder in folders:
        if (folder / name).is_file():
            return str(folder / name)
    raise FileNotFoundError(f"no example file {name!r}: gr-fringe was installed without its "
                            f"examples, or it has another name (see docs/examples.md)")
