#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What an observation says of itself, also in a notebook: the binding calls these."""
import difflib

from ..ground.words import as_html
from ..observing.observation_words import describe_parts


def observation_html(obs):
    """The observation in words, as `fringe info OBS.yml` says it."""
    return as_html(describe_parts('observation', obs))


def refuse_field(obs, name):
    """Raises AttributeError, with the nearest to a field that does not exist."""
    known = [field for field in dir(obs) if not field.startswith("_")]
    near = difflib.get_close_matches(name, known, 1)
    raise AttributeError(f"observation: {name}: there is no such field" +
                         (f"; the nearest is {near[0]}" if near else ""))
