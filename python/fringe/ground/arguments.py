#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What Python says about arguments of classes that C++ has made: the nearest name to a misspelled
one, and what a number must be. pybind11 lists all arguments of all constructors instead.
"""
import ast
import inspect
import re

from gnuradio import gr

#: What newer pybind11 calls numbers.
NUMBERS = {"SupportsInt": "int", "SupportsIndex": "int", "SupportsFloat": "float"}


class _shown(str):
    """A default value that cannot be written in Python: help() shows the text as it is."""
    __repr__ = str.__str__


def _split(text):
    """Parts of a text between commas that stand outside of brackets and quotes."""
    parts, depth, quote, begin = [], 0, "", 0
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "," and depth == 0:
            parts.append(text[begin:place].strip())
            begin = place + 1
        depth += (not quote) * ((letter in "([{<") - (letter in ")]}>"))
    return [*parts, text[begin:].strip()]


def _parameter(text):
    """An argument as pybind11 writes it, name: kind = default; None where it is another text."""
    found = re.fullmatch(r"(\w+): (.+?)(?: = (.+))?", text, re.S)
    if not found:
        return None
    name, kind, default = found.groups()
    value = inspect.Parameter.empty
    if default:
        try:
            value = ast.literal_eval(default)
        except (SyntaxError, ValueError):
            value = _shown(default)
    kind = kind.split(".")[-1] if re.fullmatch(r"[\w.]+", kind) else kind
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=value,
                             annotation=_shown(NUMBERS.get(kind, kind)))


def signature_of(made):
    """The signature in the first line that pybind11 writes, None where there are several, or where
    it is written in a way that is not known here."""
    line = (made.__doc__ or "").split("\n")[0]
    found = re.fullmatch(r"\w+\(self: (.*)\) -> None", line)
    if not found:
        return None
    parameters = [_parameter(part) for part in _split(found[1])[1:]]
    if None in parameters:
        return None
    try:
        return inspect.Signature([inspect.Parameter("self",
                                                    inspect.Parameter.POSITIONAL_OR_KEYWORD),
                                  *parameters])
    except ValueError:
        return None


def _mistake(name, signature, arguments, keywords):
    """A sentence on arguments that are not those of the signature; None where they are."""
    known = [key for key in signature.parameters if key != "self"]
    for key in keywords:
        if key not in known:
            import difflib
            near = difflib.get_close_matches(key, known, 1)
            return f"{name}: {key}: there is no such argument" + (
                f"; the nearest is {near[0]}" if near else f"; there are {', '.join(known)}")
    try:
        given = signature.bind(None, *arguments, **keywords).arguments
    except TypeError as error:
        text = re.sub(r"^missing a required.*argument: '(\w+)'$", r"\1: is missing", str(error))
        return f"{name}: {text}"
    wrong = _wrong_kind(signature, given)
    return wrong and f"{name}: {wrong}"


KINDS = {"int": int, "float": (int, float), "str": str, "bool": bool}


def _wrong_kind(signature, given):
    """A sentence on the first argument that is of another kind than the signature says."""
    for key, value in given.items():
        kind = str(signature.parameters[key].annotation)
        if key == "self" or kind not in KINDS:
            continue
        try:
            fits = isinstance(value, KINDS[kind]) or (
                kind in ("int", "float") and not isinstance(value, str) and
                float(value) is not None and (kind == "float" or hasattr(value, "__index__")))
        except (TypeError, ValueError):
            fits = False
        if not fits:
            return f"{key}: {value!r}: must be {'an' if kind == 'int' else 'a'} {kind}"
    return None


class explained(type(gr.basic_block)):
    """The type of the classes that C++ makes: it explains a call that they do not understand."""

    def __call__(cls, *arguments, **keywords):
        try:
            return super().__call__(*arguments, **keywords)
        except TypeError as error:
            made = signature_of(cls.__init__)
            sentence = made and _mistake(cls.__name__, made, arguments, keywords)
            if sentence is None:
                raise
            raise TypeError(sentence) from error.__cause__

    @property
    def __signature__(cls):
        """For help() and inspect.signature()."""
        init = cls.__init__
        made = inspect.signature(init) if inspect.isfunction(init) else signature_of(init)
        if made is None:
            raise AttributeError("__signature__")
        return made.replace(parameters=list(made.parameters.values())[1:])
