# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Good inputs, changed: bytes of any file, words of texts, values of JSON and YAML."""
import json
import re

import yaml

#: What people and programs write where a number, a name or a list should be.
NUMBERS = ("0", "-1", "1", "2", "3", "1e9", "1e30", "-1e308", "1e999", "nan", "inf", "-inf",
           "0.5", "1e-300", "255", "65536", "4294967296", "9223372036854775807",
           "18446744073709551616", "1" * 400)
WORDS = ("", "x", "zenith", "true", "null", "~", "[]", "{}", "[[]]", "/dev/zero", "..", "\x00",
         "\u00e9", "a" * 5000, "'", "*a", "&a [*a]", "2026-01-01", "2026-13-45T99:99:99")
VALUES = (None, True, False, 0, -1, 1, 2, 1e30, -1e308, float("nan"), float("inf"), 2**31, 2**63,
          2**64, 10**40, 1e-300, 0.5, "", "x", "1", "nan", [], {}, [0], [[]], {"a": 1}, [None],
          "a" * 5000, [1] * 1000)
TOKEN = re.compile(rb"[+-]?\d[\d.eE+-]*|\w+|[^\w\s]")


def mutated(content, rng):
    """The content of a file with one to four changes."""
    for _ in range(rng.integers(1, 5)):
        change = rng.choice(CHANGES)
        content = change(content, rng) or b"\0"
    return content


def changed_tree(content, rng):
    """A JSON or YAML text whose values were exchanged; another change where it is neither."""
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        tree = yaml.load(content, loader) if content.lstrip()[:1] != b"{" else json.loads(content)
    except (ValueError, yaml.YAMLError):
        return _words(content, rng)
    places = list(_places(tree))
    if not places:
        return _words(content, rng)
    for _ in range(rng.integers(1, 3)):
        holder, key = places[rng.integers(len(places))]
        try:
            _exchange(holder, key, places, rng)
        except (KeyError, IndexError):
            continue  # it has gone with what it was in
    try:
        return json.dumps(tree, default=str).encode()
    except (ValueError, RecursionError):
        return content


def _places(tree):
    """(list or dict, key) of all values in a tree."""
    if isinstance(tree, (dict, list)):
        for key in list(tree) if isinstance(tree, dict) else range(len(tree)):
            yield tree, key
            yield from _places(tree[key])


def _exchange(holder, key, places, rng):
    how = rng.integers(6)
    if how == 0:
        del holder[key]
    elif how == 1:  # the value of another place, which is not one that it is in
        other, other_key = places[rng.integers(len(places))]
        holder[key] = json.loads(json.dumps(other[other_key], default=str))
    elif how == 2 and isinstance(holder, list):
        holder.insert(key, json.loads(json.dumps(holder[key], default=str)))
    elif how == 3 and isinstance(holder, dict):
        holder["unknown" if rng.integers(2) else f"{key}s"] = holder.pop(key)
    else:
        holder[key] = VALUES[rng.integers(len(VALUES))]


def _bytes(content, rng):
    changed = bytearray(content)
    # The beginning has the headers.
    near = min(len(changed), 4096) if rng.integers(2) else len(changed)
    for _ in range(rng.integers(1, 6)):
        changed[rng.integers(near)] = rng.integers(256)
    return bytes(changed)


def _bit(content, rng):
    changed = bytearray(content)
    changed[rng.integers(len(changed))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def _large(content, rng):
    """Lengths and counts of any width, which are made very large or 0."""
    at, width = int(rng.integers(len(content))), int(rng.choice([1, 2, 4, 8]))
    return content[:at] + rng.choice([b"\xff", b"\x00", b"\x7f"]) * width + content[at + width:]


def _cut(content, rng):
    return content[:rng.integers(len(content)) + 1]


def _piece(content, rng):
    """A piece left out, or there twice."""
    first, second = sorted(int(k) for k in rng.integers(0, len(content) + 1, 2))
    second = min(second, first + 3000)
    again = content[first:second] * 2 if rng.integers(2) else b""
    return content[:first] + again + content[second:]


def _words(content, rng):
    """A number or a word that becomes another one."""
    tokens = list(TOKEN.finditer(content[:200000]))
    if not tokens:
        return _bytes(content, rng)
    token = tokens[rng.integers(len(tokens))]
    pool = NUMBERS if token[0][:1].isdigit() or rng.integers(3) == 0 else WORDS
    if rng.integers(4) == 0:
        new = tokens[rng.integers(len(tokens))][0]
    else:
        new = pool[rng.integers(len(pool))].encode()
    if b"\0" in content:  # of a binary file, whose places stay
        new = new[:len(token[0])].ljust(len(token[0]))
    return content[:token.start()] + new + content[token.end():]


def _lines(content, rng):
    """A line left out, there twice, or elsewhere."""
    lines = content.split(b"\n")
    line = lines.pop(rng.integers(len(lines)))
    for _ in range(rng.integers(3)):
        lines.insert(rng.integers(len(lines) + 1), line)
    return b"\n".join(lines)


CHANGES = (_bytes, _bit, _large, _cut, _piece, _words, _words, _words, _lines)
