#!/usr/bin/python3
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds modules of a Python package, and folders, that import each other, and folders that a page
does not name: import_circles.py FOLDER PAGE.

Imports inside of functions count, because they are how such a circle is usually hidden. An import
of the whole package from inside of it counts, too. The modules that a package's __init__ imports
do not count for an import of another of its modules. A private name (_x) of another folder is
reported, too.
"""
import ast
import pathlib
import sys

#: Modules that are not written in Python, and import none that is.
COMPILED = {"fringe_python"}


def modules_of(folder):
    """Name of each module below the folder, without the tests, and its file."""
    for file in sorted(folder.rglob("*.py")):
        parts = file.relative_to(folder).with_suffix("").parts
        if parts[-1].startswith("qa_"):
            continue
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


def imported(name, file, names):
    """(module of the package, name that is taken from it) of each import of a file."""
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package.split(".") if package else []
            base = base[:len(base) - node.level + 1]
            base = ".".join(base + (node.module.split(".") if node.module else []))
        elif isinstance(node, ast.ImportFrom) and node.module == "gnuradio":
            if any(alias.name == "fringe" for alias in node.names):
                yield "", ""
            continue
        else:
            continue
        for alias in node.names:
            inner = f"{base}.{alias.name}" if base else alias.name
            if inner in names:
                yield inner, ""
            elif base in names and base != name and inner not in COMPILED:
                yield base, alias.name


def circle(graph):
    """Names each of which imports the next, and the last the first; or None."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done:
            return None
        path.append(name)
        for target in sorted(graph.get(name, ())):
            found = visit(target)
            if found:
                return found
        done.add(path.pop())
        return None

    for name in graph:
        found = visit(name)
        if found:
            return found
    return None


def folder_of(name, file):
    """The folder that a module stands in; "" is the package itself."""
    return name if file.name == "__init__.py" else name.rpartition(".")[0]


def faults(folder):
    """Sentences on circles and on private names that are used in another folder."""
    modules = dict(modules_of(folder))
    graph = {name: set() for name in modules}
    folders = {}
    for name, file in modules.items():
        room = folder_of(name, file)
        for target, taken in imported(name, file, modules):
            graph[name].add(target)
            other = folder_of(target, modules[target])
            if other != room and room:
                folders.setdefault(room, set()).add(other)
                if taken.startswith("_") and not taken.startswith("__"):
                    yield f"{file}: takes the private name {taken} of the folder {other}"
    for what, found in (("modules", circle(graph)), ("folders", circle(folders))):
        if found:
            yield f"{what} in a circle: " + " -> ".join(name or "the package" for name in found)


def main():
    """Prints what is wrong; the exit status says whether something is."""
    root = pathlib.Path(sys.argv[1])
    found = list(faults(root))
    text = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
    found += [f"{sys.argv[2]}: does not name {room}" for room in sorted(root.iterdir())
              if any(room.glob("*.py")) and f"`{room.name}/`" not in text]
    print("\n".join(found), end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
