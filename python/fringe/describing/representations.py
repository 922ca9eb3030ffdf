#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What an observation and visibilities say of themselves, also in a notebook."""
import difflib
import html

from .. import fringe_python as fp
from ..observing.observation_words import describe_parts
from ..readers.visibilities import visibilities
from ..ground.words import with_unit


def _observation_html(obs):
    """The observation in words, as `fringe info OBS.yml` says it."""
    return f"<pre>{html.escape(describe_parts('observation', obs))}</pre>"


def _set(obs, name, value):
    """Sets a field of an observation, and names the nearest to one that does not exist."""
    if not hasattr(type(obs), name):
        known = [name for name in dir(obs) if not name.startswith("_")]
        near = difflib.get_close_matches(name, known, 1)
        raise AttributeError(f"observation: {name}: there is no such field" +
                             (f"; the nearest is {near[0]}" if near else ""))
    object.__setattr__(obs, name, value)


def _visibilities_text(vis):
    """File, numbers of dumps, channels and products, band and time."""
    dumps, channels = len(vis.seconds), len(vis.frequencies if vis.frequencies is not None else ())
    facts = [f"{dumps} dump{'' if dumps == 1 else 's'}", f"{channels} channels",
             f"{len(vis.inputs)} inputs"]
    if channels:
        facts.append(f"{with_unit(vis.frequencies[0], 'Hz')} to "
                     f"{with_unit(vis.frequencies[-1], 'Hz')}")
    if dumps and vis.has_times:
        facts.append(f"from {str(vis.times[0])[:19]}")
    return f"<visibilities {vis.path}: {', '.join(facts)}>"


def represent():
    """Gives the classes their texts."""
    fp.observation._repr_html_ = _observation_html
    fp.observation.__setattr__ = _set
    visibilities.__repr__ = _visibilities_text
