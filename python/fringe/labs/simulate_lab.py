#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""simulate_lab(): the data set of an exercise."""
import importlib
import os

from .. import fringe_python as fp
from ..ground.staged_files import staged_files

#: Names of the labs: each is a module here, with TITLE, TASK, START and make().
LABS = ("sun", "cas-a", "hydrogen", "closure", "y-factor")
SITE = (50.0, 8.0, 100.0)


def simulate_lab(name, folder, seed=1, start_time=None, site=None, overwrite=False):
    """Writes recordings with flaws for an exercise of a course, and what they are to be correlated
    with; returns the names of the files.

    name: sun (two dishes: fringes, the baseline), cas-a (drift scan: the beam), hydrogen (21 cm at
    nine galactic longitudes: the rotation curve), closure (three antennas), y-factor (hot and
    cold). folder: made new; README.md is the task, answers.yml the truth with all flaws, for
    instructors. seed: of the noise and of the numbers that are to be found, so that groups may get
    different ones. start_time: ISO 8601, UTC; None: a time at which the source is up at the usual
    site. site: (latitude, longitude, height) in degrees and m; None: 50 N, 8 E. The same arguments
    give the same bytes. Raises ValueError for what cannot be, with what would be right.
    """
    if name not in LABS:
        raise ValueError(f"lab: '{name}': there is no such lab; there are {', '.join(LABS)}")
    if int(seed) != seed or seed < 0:
        raise ValueError(f"seed: {seed}: must be a whole number, not negative")
    site = SITE if site is None else (*site, 0.0)[:3]
    if len(site) < 3 or not (abs(site[0]) <= 90 and abs(site[1]) <= 360 and abs(site[2]) < 1e5):
        raise ValueError(f"site: {', '.join(f'{x:g}' for x in site)}: must be latitude (-90 to 90) "
                         "and longitude (-360 to 360) in degrees, and height in m")
    folder = os.fspath(folder)
    if os.path.lexists(folder) and not (overwrite and os.path.exists(
            os.path.join(folder, "answers.yml"))):
        raise ValueError(f"{folder}: exists; choose another name" + (
            ": what is replaced must be the folder of a lab, with its answers.yml" if overwrite
            else ", remove it or allow overwriting (overwrite=True)"))
    parent = os.path.dirname(os.path.abspath(folder))
    if not os.path.isdir(parent):
        raise ValueError(f"{folder}: the folder {parent} does not exist; make it first")
    # Modules are loaded here, so that nobody else waits for them.
    module, folders = (importlib.import_module(f"{__package__}.{room}")
                       for room in (name.replace("-", "_"), "lab_folder"))
    try:
        start = fp.epoch.from_iso(start_time or module.START)
    except ValueError as error:
        raise ValueError(f"start_time: {error}") from None
    with staged_files([os.path.abspath(folder)]) as (scratch,):
        os.mkdir(scratch)
        lab = folders.lab_folder(scratch, int(seed), start, site)
        lab.answers["lab"] = name
        module.make(lab)
        lab.finish(module.TITLE, module.TASK)
        return sorted(os.listdir(scratch))
