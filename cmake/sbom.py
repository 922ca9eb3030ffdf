#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Lists the components of a Debian package of gr-fringe as CycloneDX 1.5 (JSON).

    cmake/sbom.py gr-fringe_VERSION_ARCH.deb > gr-fringe.cdx.json

Components are the packages of Debian that it depends on, in the versions of this machine, on which
it was built, with what they depend on in turn. gr-fringe has no code of others in it.
Source: https://cyclonedx.org/docs/1.5/json
"""
import json
import re
import subprocess
import sys
import urllib.parse
import uuid

SEPARATOR = "\x1f"
FIELDS = ("Package", "Version", "Architecture", "Homepage", "Depends", "Pre-Depends", "Provides")


def output_of(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def installed():
    """{name: {field: value}} of all packages that are installed."""
    form = SEPARATOR.join("${%s}" % field for field in ("db:Status-Status", *FIELDS)) + "\n"
    packages = {}
    for line in output_of("dpkg-query", "-W", "-f", form).splitlines():
        status, *values = line.split(SEPARATOR)
        if status == "installed":
            package = dict(zip(FIELDS, values))
            packages[package["Package"]] = package
    for package in list(packages.values()):
        for name in names(package["Provides"]):
            packages.setdefault(name[0], package)
    return packages


def names(field):
    """The alternatives of each dependency: [["a"], ["b", "c"]] of "a (>= 1), b | c:any"."""
    return [[re.match(r"\s*([^\s:(\[]+)", entry).group(1) for entry in group.split("|")]
            for group in field.split(",") if group.strip()]


def found(packages, groups):
    """Of each group of alternatives the first package that is installed."""
    chosen = []
    for group in groups:
        package = next((packages[name] for name in group if name in packages), None)
        if package is not None and package not in chosen:
            chosen.append(package)
    return chosen


def purl(package):
    name, version = package["Package"], urllib.parse.quote(package["Version"], safe=":~")
    kind = "generic/gr-fringe" if name == "gr-fringe" else f"deb/debian/{name}"
    return f"pkg:{kind}@{version}?arch={package['Architecture']}"


def component(package, kind="library"):
    described = {"type": kind, "bom-ref": purl(package), "name": package["Package"],
                 "version": package["Version"], "purl": purl(package)}
    if package["Homepage"]:
        described["externalReferences"] = [{"type": "website", "url": package["Homepage"]}]
    return described


def bill_of_materials(path):
    values = {field: output_of("dpkg-deb", "-f", path, field).strip() for field in FIELDS}
    packages = installed()
    direct = found(packages, names(values["Depends"]))
    missing = [group for group in names(values["Depends"])
               if not any(name in packages for name in group)]
    if missing:
        sys.exit(f"{path}: {' or '.join(missing[0])} is not installed: run this where it was built")
    dependencies, waiting, seen = {purl(values): direct}, list(direct), {}
    while waiting:
        package = waiting.pop()
        if package["Package"] in seen:
            continue
        seen[package["Package"]] = package
        needed = found(packages, names(package["Depends"]) + names(package["Pre-Depends"]))
        dependencies[purl(package)] = needed
        waiting += needed
    digest = output_of("sha256sum", path).split()[0]
    main = component(values, "application")
    main["licenses"] = [{"license": {"id": "GPL-3.0-or-later"}}]
    main["hashes"] = [{"alg": "SHA-256", "content": digest}]
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        # Of the package's bytes, so that the same package has the same list.
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, digest).urn,
        "metadata": {"component": main},
        "components": [component(seen[name]) for name in sorted(seen)],
        "dependencies": [{"ref": ref, "dependsOn": sorted(map(purl, needed))}
                         for ref, needed in sorted(dependencies.items())]}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    json.dump(bill_of_materials(sys.argv[1]), sys.stdout, indent=1)
    print()
