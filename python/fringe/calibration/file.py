#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Calibrated inputs written into an observation file, whose text and comments stay."""

import os
import re

import yaml

from .. import fringe_python as fp
from ..ground.new_file import new_file
from .antenna_text import ROUNDED, antenna_changes

#: The fields of an input that a calibration changes: name, attribute, what it is without.
FIELDS = (("cable_delay", "cable_delay", 0.0), ("gain", "gain", 1.0), ("phase", "phase", 0.0),
          ("bad", "bad", False))
HEADER = "# Delays, phases and gains of the inputs: {}\n"


def write_calibrated(path, new, original="", stated="", overwrite=True):
    """Writes the observation `new` to `path`, whole or not at all.

    original: path of the observation file that `new` is, but for the antennas' positions and the
    inputs' delays, gains, phases and bad ones. Its text and comments are kept, and only those
    fields changed or added; where that cannot be done (flow style at the top, anchors), and without
    an original, the observation is written anew. stated: for a comment on the first line of what is
    written anew.
    overwrite: as for new_file, which raises what this does, ValueError, OSError or RuntimeError.
    """
    new, text = _rounded(new), None
    if original:
        folders = [os.path.dirname(os.path.abspath(name)) for name in (original, path)]
        text = edited(fp.read_text_file(original), new, *folders)
    if text is None:
        text = (HEADER.format(stated) if stated else "") + new.to_text()
    with new_file(path, overwrite, text=True) as file:
        file.write(text)


def edited(text, new, folder=".", new_folder="."):
    """The text of an observation file with the inputs of `new`; None where that cannot be."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        changes = _moved_file(root, folder, new_folder) + _changes(text, root, new)
    except (yaml.YAMLError, _Unusual):
        return None
    for start, end, value in sorted(changes, reverse=True):
        text = text[:start] + value + text[end:]
    # Its parts come back as they went in, or it is not used.
    try:
        same = fp.observation.from_text(re.sub(r"(?m)^earth_orientation:.*$", "", text))
    except ValueError:
        return None
    return text if _inputs(same) == _inputs(new) and _alike(same, new) else None


def _alike(observation, other):
    """Whether antennas are at the same places, and have the same mounts and feeds."""
    return all((first.mount, first.receptors, first.feed_angle)
               == (second.mount, second.receptors, second.feed_angle)
               and all(abs(a - b) < 2 * ROUNDED for a, b in zip(first.enu, second.enu))
               for first, second in zip(observation.antennas, other.antennas))


def _rounded(observation):
    """Delays to 0.1 fs, phases to 0.1 millidegrees and gains to a millionth of a part."""
    new = fp.observation(observation)
    inputs = new.inputs
    for entry in inputs:
        entry.cable_delay, entry.phase = round(entry.cable_delay, 16), round(entry.phase, 4)
        entry.gain = float(f"{entry.gain:.7g}")
    new.inputs = inputs
    return new


class _Unusual(Exception):
    """A file that is written in a way that the editing below does not know."""


def _inputs(observation):
    return [(entry.antenna, entry.polarization, entry.stream, entry.inverted,
             *(getattr(entry, name) for _, name, _ in FIELDS)) for entry in observation.inputs]


def _fields(mapping):
    """Key and value nodes of a mapping by name; names may be spelled as the British do."""
    if not isinstance(mapping, yaml.MappingNode):
        raise _Unusual
    return {key.value.replace("polaris", "polariz"): (key, value) for key, value in mapping.value}


def _changes(text, root, new):
    """(start, end, text) of every edit."""
    top = _fields(root)
    if root.flow_style:
        raise _Unusual
    changes = antenna_changes(top["antennas"][1], new.antennas) if "antennas" in top else None
    if changes is None:
        raise _Unusual
    if "inputs" not in top:
        return changes + [_new_inputs(text, top, new)]
    listed = top["inputs"][1]
    if not isinstance(listed, yaml.SequenceNode) or len(set(map(id, listed.value))) < len(
            listed.value):
        raise _Unusual
    names = {antenna.name: k for k, antenna in enumerate(new.antennas)}
    inputs = {(entry.antenna, entry.polarization): entry for entry in new.inputs}
    for node in listed.value:
        fields = _fields(node)
        hand = fields["polarization"][1].value if "polarization" in fields else "X"
        entry = inputs.get((names.get(fields["antenna"][1].value), hand))
        if entry is None:
            raise _Unusual
        changes += _input_changes(text, node, fields, entry)
    return changes


def _input_changes(text, node, fields, entry):
    changes, added = [], []
    for field, name, without in FIELDS:
        value = getattr(entry, name)
        if field in fields:
            old = fields[field][1]
            if not isinstance(old, yaml.ScalarNode):
                raise _Unusual
            if _as_number(old.value) != value:
                changes.append((old.start_mark.index, old.end_mark.index, _written(value)))
        elif value != without:
            added.append(f"{field}: {_written(value)}")
    if added and node.flow_style:
        place = node.value[-1][1].end_mark.index
        changes.append((place, place, "".join(", " + line for line in added)))
    elif added:
        key, first = node.value[0]
        place = text.find("\n", first.end_mark.index)
        place = len(text) if place < 0 else place
        changes.append((place, place,
                        "".join("\n" + " " * key.start_mark.column + line for line in added)))
    return changes


def _new_inputs(text, top, new):
    """A list of inputs where the file has none, or in place of its polarizations."""
    lines = ["inputs:"]
    for new_input in new.inputs:
        entry = f"  - {{antenna: {_text(new.antennas[new_input.antenna].name)}"
        entry += f", polarization: {new_input.polarization}, stream: {new_input.stream}"
        for field, name, without in FIELDS:
            if getattr(new_input, name) != without:
                entry += f", {field}: {_written(getattr(new_input, name))}"
        lines.append(entry + "}")
    listed = "\n".join(lines)
    if "polarizations" in top:
        key, value = top["polarizations"]
        return key.start_mark.index, _end(text, value), listed
    return len(text), len(text), ("" if text.endswith("\n") else "\n") + listed + "\n"


def _moved_file(root, folder, new_folder):
    """The earth_orientation file, named so that it is found from another folder."""
    fields = _fields(root)
    if "earth_orientation" not in fields or os.path.realpath(folder) == os.path.realpath(
            new_folder):
        return []
    value = fields["earth_orientation"][1]
    if os.path.isabs(value.value):
        return []
    return [(value.start_mark.index, value.end_mark.index,
             _text(os.path.abspath(os.path.join(folder, value.value))))]


def _end(text, node):
    """Where a node's text ends: a block's mark is at the start of what follows."""
    end = node.end_mark.index
    return len(text[:end].rstrip()) if not isinstance(node, yaml.ScalarNode) else end


def _as_number(text):
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text)
    except ValueError:
        return text


def _written(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(float(value))
    # YAML 1.1 takes 1e-08 for text.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def _text(value):
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
