#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The machine, the software and the settings that a report is about."""
import datetime
import functools
import hashlib
import importlib
import os
import platform
import subprocess

from gnuradio import gr

from .. import fringe_python as fp

MODULES = ("numpy", "matplotlib", "h5py", "casacore", "astropy", "erfa")


def _lines_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()
    except OSError:
        return []


def processor():
    """Its model, as the kernel names it."""
    return next((line.split(":", 1)[1].strip() for line in _lines_of("/proc/cpuinfo")
                 if line.startswith("model name")), platform.processor() or platform.machine())


def memory():
    """GiB; None where the kernel does not say."""
    found = next((line for line in _lines_of("/proc/meminfo") if line.startswith("MemTotal")), None)
    return round(int(found.split()[1]) / 2 ** 20, 1) if found else None


@functools.lru_cache
def commit():
    """Of the source tree that the Python files lie in, with "changed" where files of it differ; ""
    where they lie in none (an installed package)."""
    this = os.path.realpath(__file__)

    def git(*words):
        return subprocess.run(["git", "-C", os.path.dirname(this), *words], capture_output=True,
                              text=True, check=True, timeout=30).stdout.strip()
    try:
        git("ls-files", "--error-unmatch", this)
        changed = git("status", "--porcelain", "--untracked-files=no")
        return git("rev-parse", "HEAD") + (", changed" if changed else "")
    except (OSError, subprocess.SubprocessError):
        return ""


@functools.lru_cache
def sha256_of_code():
    """name -> sha256 of the libraries of gr-fringe that are loaded, and of all Python files."""
    words = [line.split()[-1] for line in _lines_of("/proc/self/maps") if line.strip()]
    libraries = {word for word in words
                 if "fringe" in os.path.basename(word) and ".so" in word and os.path.isfile(word)}
    found = {}
    for path in sorted(libraries):
        with open(path, "rb") as file:
            found[os.path.basename(path)] = hashlib.sha256(file.read()).hexdigest()
    top, digest = os.path.dirname(os.path.dirname(os.path.abspath(__file__))), hashlib.sha256()
    for folder, _, names in sorted(os.walk(top)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(".py") and not name.startswith("qa_") and os.path.isfile(path):
                digest.update(os.path.relpath(path, top).encode())
                with open(path, "rb") as file:
                    digest.update(file.read())
    return {**found, "Python files": digest.hexdigest()}


def versions():
    """name -> version of what takes part; "absent" where a module is not there."""
    found = {"gr-fringe": fp.__version__, "commit": commit() or "not known: an installed package",
             "GNU Radio": gr.version(), "Python": platform.python_version()}
    for name in MODULES:
        try:
            found[name] = getattr(importlib.import_module(name), "__version__", "present")
        except ImportError:
            found[name] = "absent"
    return found


def describe_machine():
    """What a report says of the machine, as words and numbers."""
    gpus, why = fp.find_devices()
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "processor": processor(), "cores": len(os.sched_getaffinity(0)), "memory_GiB": memory(),
        "system": platform.platform(), "load": round(os.getloadavg()[0], 2),
        "gpus": [f"{gpu.name}{': ' + gpu.refused if gpu.refused else ''}" for gpu in gpus]
        or [f"none: {why}"],
        "versions": versions(), "sha256": sha256_of_code()}


def backends_here():
    """The CPU, and each GPU that works."""
    gpus, _ = fp.find_devices()
    return ["cpu", *(f"cuda:{k}" for k, gpu in enumerate(gpus) if not gpu.refused)]
