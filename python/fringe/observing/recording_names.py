#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Names of recordings, which may lie in several files of one receiver, one after the other."""
import itertools
import json
import os

from .. import fringe_python as fp


def absolute(name):
    """The name that stands for the same files in every folder; a pattern becomes its files."""
    return "+".join(os.path.abspath(path) for path in fp.files_of_recording(name))


def size_of(name):
    """Bytes of all samples of a recording; None where one of its files is not there."""
    try:
        return sum(map(os.path.getsize, _samples_of(name)))
    except (OSError, ValueError):
        return None


def modified(name):
    """When the last of a recording's files was written, in seconds since 1970."""
    return max(map(os.path.getmtime, _samples_of(name)))


def _samples_of(name):
    """The files with the samples of a recording."""
    return list(itertools.chain(*map(_samples, fp.files_of_recording(name))))


def _samples(path):
    """A recording may be named by the file that describes its samples, or, of SigMF, by the name
    that both files have."""
    folder, (base, ending) = os.path.dirname(path), os.path.splitext(path)
    if ending == ".sigmf-collection":
        names = [stream.get("name", "") for stream in _words(path, "collection", "core:streams")]
        return list(itertools.chain(*(_samples(os.path.join(folder, name + ".sigmf-meta"))
                                      for name in names)))
    if ending == ".sigmf-meta":
        dataset = _words(path, "global", "core:dataset")
        return [os.path.join(folder, dataset) if dataset else base + ".sigmf-data"]
    if ending == ".hdr" and os.path.exists(base):
        return [base]
    data = path + ".sigmf-data"
    return [data if not os.path.exists(path) and os.path.exists(data) else path]


def _words(path, name, key):
    """The value of a key in an object of a file of JSON; () where there is none. What is not as it
    must be has been refused by what reads the recording."""
    with open(path, encoding="utf-8") as file:
        try:
            return json.load(file)[name].get(key, ())
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"{path}: has no '{name}' object") from error
