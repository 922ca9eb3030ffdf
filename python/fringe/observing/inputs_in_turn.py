#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A file without a header, alone, for an observation of several inputs: it is read as the samples
of all inputs in turn, and the samples of one receiver would give visibilities that look clean."""
import os
import re

from .. import fringe_python as fp


def _is_assumed(settings, obs):
    """Whether only an observation that is not the file's own, x.ci8.yml, says that the file has
    several inputs."""
    paths, given = settings.recordings, settings.obs
    if given is None or settings.inputs or len(paths) > 1 or len(obs.inputs) < 2:
        return False
    own = isinstance(given, str) and os.path.abspath(given) == os.path.abspath(f"{paths[0]}.yml")
    return not own and not fp.recording_format_by_name(obs.format).self_describing


def refuse_one_receiver(settings, obs):
    """Raises ValueError for a file that has the name of one of several antennas."""
    if not _is_assumed(settings, obs):
        return
    path = settings.recordings[0]
    words = set(re.split(r"[\W_]+", os.path.basename(path).lower()))
    names = [antenna.name for antenna in obs.antennas]
    named = [name for name in names if len(name) > 1 and name.lower() in words]
    if len(names) > 1 and len(named) == 1:
        raise ValueError(f"{path}: has the name of antenna {named[0]}, but the observation "
                         f"describes {len(obs.inputs)} inputs, of {', '.join(names)}. Give a file "
                         f"for each input, or inputs={len(obs.inputs)} where this one has the "
                         "samples of all inputs in turn")


def what_was_assumed(settings, obs):
    """A sentence on it, in a list, or nothing."""
    if not _is_assumed(settings, obs):
        return []
    return [f"{settings.recordings[0]} has no header: it was read as the samples of "
            f"{len(obs.inputs)} inputs in turn, those of the observation. If it has those of one "
            "receiver, give the files of all"]
