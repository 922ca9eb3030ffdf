#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""YAML of unknown origin."""
import yaml

#: Values that a text may come to that are not written in it but named by an alias.
MAX_UNFOLDED = 1_000_000
#: Lists and fields inside of each other; PyYAML, which calls itself for each, dies of many.
DEEPEST = 500


def load_yaml(text):
    """What a YAML text says. Raises yaml.YAMLError where it is none, and where its aliases would
    unfold to much more than is written: a few lines can name gigabytes, or themselves."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    _check_depth(loader(text))
    try:
        value = yaml.load(text, loader)
        if "*" in text and _unfolded(value, {}) > MAX_UNFOLDED + len(text):
            raise yaml.YAMLError("its aliases (*name) unfold to more than "
                                 f"{MAX_UNFOLDED} values")
    except RecursionError:
        raise yaml.YAMLError("it is nested too deeply") from None
    except (ValueError, TypeError, ArithmeticError) as error:  # a date that there is not, say
        raise yaml.YAMLError(str(error)) from None
    return value


def _check_depth(events):
    depth = 0
    while events.check_event():
        event = events.get_event()
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            raise yaml.YAMLError("it is nested too deeply")


def _unfolded(node, known):
    """Values in a node, those of an alias as often as it is used."""
    if not isinstance(node, (dict, list, set, tuple)):
        return 1
    if id(node) in known:
        if known[id(node)] is None:
            raise yaml.YAMLError("an alias (*name) stands inside of what it names")
        return known[id(node)]
    known[id(node)] = None
    inside = [*node, *node.values()] if isinstance(node, dict) else node
    known[id(node)] = 1 + sum(_unfolded(child, known) for child in inside)
    return known[id(node)]
