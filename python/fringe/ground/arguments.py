#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What Python says about arguments: by their names in Python, with the nearest to a misspelt one.

The command `fringe` and C++ share their sentences with Python. The functions and classes of the
package are wrapped here, once, so that a user of Python reads `start_sample` for --start-sample,
sees every argument in help(), and gets a sentence for one that does not exist. Modules of the
package call each other without this.
"""
import ast
import difflib
import functools
import inspect
import re
import weakref

#: What newer pybind11 calls numbers.
NUMBERS = {"SupportsInt": "int", "SupportsIndex": "int", "SupportsFloat": "float"}
SHORT = 60  # characters of an argument in what an object says of itself

_given = weakref.WeakKeyDictionary()  # object -> how it was made


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


def _check(name, signature, arguments, keywords):
    """Raises TypeError, a sentence, where the arguments are not those of the signature."""
    known = [key for key in signature.parameters if key != "self"]
    if not any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values()):
        for key in keywords:
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                raise TypeError(f"{name}: {key}: there is no such argument" + (
                    f"; the nearest is {near[0]}" if near else f"; there are {', '.join(known)}"))
    try:
        return signature.bind(*arguments, **keywords).arguments
    except TypeError as error:
        text = re.sub(r"^missing a required.*argument: '(\w+)'$", r"\1: is missing", str(error))
        raise TypeError(f"{name}: {text}") from None


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


def _explained(function, name):
    """A function that speaks of its arguments as Python names them."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*arguments, **keywords):
        _check(name, signature, arguments, keywords)
        return function(*arguments, **keywords)

    return call


def _explain_class(cls):
    """The same for the constructor of a class, which keeps what an object was made of."""
    if not any("__repr__" in one.__dict__ for one in cls.__mro__
               if one.__module__.startswith("gnuradio.fringe")):
        cls.__repr__ = _represent
    made, name = cls.__init__, cls.__name__
    signature = inspect.signature(made) if inspect.isfunction(made) else signature_of(made)
    if signature is None:
        return

    @functools.wraps(made)
    def init(self, *arguments, **keywords):
        given = _check(name, signature, (self, *arguments), keywords)
        try:
            made(self, *arguments, **keywords)
        except TypeError as error:
            sentence = _wrong_kind(signature, given)
            if sentence is None or "incompatible constructor" not in str(error):
                raise
            raise TypeError(f"{name}: {sentence}") from None
        if cls.__repr__ is _represent:
            _given[self] = _short(given)

    init.__signature__ = signature
    cls.__init__ = init


def _short(given):
    """inputs=2, channels=128: the arguments, each cut to one short line."""
    found = []
    for key, value in given.items():
        if key != "self":
            text = " ".join(repr(value).split())
            found.append(f"{key}={text if len(text) <= SHORT else text[:SHORT - 3] + '...'}")
    return ", ".join(found)


def _represent(self):
    """How it was made; of what was not made in Python, its plain values."""
    given = _given.get(self)
    if given is None:
        given = _short({key: getattr(self, key) for key, one in sorted(vars(type(self)).items())
                        if isinstance(one, property) and
                        isinstance(getattr(self, key), (bool, int, float, str))})
    return f"<{type(self).__name__} {given}>".replace(" >", ">")


def explain(names):
    """Wraps all public functions and classes of the package, {name: object}."""
    for name, one in list(names.items()):
        if name.startswith("_") or not getattr(one, "__module__", "").startswith(
                "gnuradio.fringe"):
            continue
        if inspect.isclass(one):
            if not issubclass(one, BaseException):
                _explain_class(one)
        elif inspect.isfunction(one):
            names[name] = _explained(one, name)
