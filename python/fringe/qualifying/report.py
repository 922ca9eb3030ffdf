#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A report as a page (HTML), as data (JSON) and as a PDF."""
import base64
import html
import json
import math
import os

from ..ground.new_file import check_new_file, new_file
from .runner import FAILED

ENDINGS = (".html", ".json", ".pdf")

STYLE = """
body { font: 15px/1.4 sans-serif; max-width: 84em; margin: 1em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; width: 100% } td, th { border-bottom: 1px solid #ccc;
padding: .3em .6em; text-align: left; vertical-align: top } .passed { color: #1a7f37 }
.failed { color: #b42318; font-weight: bold } .not-run { color: #666 }
img { width: 100%; min-width: 19em } small { color: #555 } code { overflow-wrap: anywhere }
@media (max-width: 60em) { .results tr, .results td { display: block; border: 0; padding: .1em 0 }
.results tr { border-bottom: 1px solid #ccc; padding: .6em 0 }
.results tr:first-child { display: none }
.results td[title]::before { content: attr(title) ": "; color: #555 } }
"""


def check_report(path, overwrite=False):
    """Raises ValueError for another ending than those of reports, or what new_file() would."""
    if os.path.splitext(path)[1] not in ENDINGS:
        raise ValueError(f"output: {path}: a report ends with {', '.join(ENDINGS)}")
    check_new_file(path, overwrite)


def write_report(report, path, overwrite=False):
    """Writes a `qualification`; the ending says as what."""
    check_report(path, overwrite)
    ending = os.path.splitext(path)[1]
    with new_file(path, overwrite, text=ending != ".pdf") as file:
        if ending == ".html":
            file.write(as_page(report))
        elif ending == ".json":
            json.dump(as_data(report), file, indent=1, allow_nan=False)
            file.write("\n")
        else:
            from .drawing import write_pdf  # matplotlib is slow to load
            write_pdf(file, report, as_lines(report))


def _number(value):
    """Numbers that JSON has no word for become text."""
    return float(value) if math.isfinite(value) else str(float(value))


def _numbers(values):
    return [_number(value) for value in values]


def _plotted(found):
    if found is None or found.plot is None:
        return None
    return {"x": found.plot.x_label, "y": found.plot.y_label, "curves": [
        {"name": curve.name, "x": _numbers(curve.x), "y": _numbers(curve.y),
         "errors": _numbers(curve.errors)} for curve in found.plot.curves]}


def as_data(report):
    """Everything as lists, dicts, words and numbers."""
    results = []
    for result in report.results:
        required, found = result.requirement, result.found
        line = {"number": required.number, "group": result.group, "text": required.text,
                "method": required.method, "limit": required.limit.in_words(found),
                "backend": result.backend, "verdict": result.verdict,
                "seconds": round(result.seconds, 3), "plot": _plotted(found)}
        if found is None:
            line["why"] = result.why
        else:
            line |= {"value": _number(found.value), "error": _number(found.error),
                     "accepted": _numbers(required.limit.bounds(found)),
                     "unit": required.limit.unit, "note": found.note}
        results.append(line)
    return {"what": "gr-fringe qualification report", "summary": report.summary(),
            "passed": report.passed, "seed": report.seed, "full": report.full,
            "machine": report.machine, "results": results}


def _facts(report):
    """(name, words) of the machine and the settings."""
    machine = dict(report.machine)
    versions, sums, gpus = (machine.pop(name) for name in ("versions", "sha256", "gpus"))
    facts = [*((name.replace("_", " "), words) for name, words in machine.items()),
             ("GPUs", "; ".join(gpus)), *versions.items(),
             *((f"sha256 of {name}", value) for name, value in sums.items()),
             ("seed", report.seed), ("length", "full" if report.full else "short")]
    return [(name, str(words)) for name, words in facts]


def as_lines(report):
    """Plain text: what a PDF begins with."""
    return ["gr-fringe qualification report", report.summary(), "",
            *(f"{name}: {words}" for name, words in _facts(report)), "",
            *(result.in_words() for result in report.results)]


def _row(result):
    from .drawing import svg_of
    required, found = result.requirement, result.found
    picture = base64.b64encode(svg_of(result)).decode()
    note = f"<br><small>{html.escape(found.note)}</small>" if found and found.note else ""
    return (f'<tr id="r{required.number}-{html.escape(result.backend)}"><td>{required.number}</td>'
            f"<td>{html.escape(required.text)}<details><summary>method</summary><small>"
            f"{html.escape(required.method)} {result.seconds:.1f} s.</small></details></td>"
            f'<td title="on">{html.escape(result.backend)}</td>'
            f'<td title="limit">{html.escape(required.limit.in_words(found))}</td>'
            f'<td title="measured">{html.escape(result.value_in_words())}{note}</td>'
            f'<td class="{result.verdict.replace(" ", "-")}">{result.verdict}</td>'
            f'<td><img alt="plot of {required.number}" '
            f'src="data:image/svg+xml;base64,{picture}"></td></tr>')


def as_page(report):
    """One HTML file that needs no other."""
    failed = [result for result in report.results if result.verdict == FAILED]
    parts = ["<!DOCTYPE html><html lang=en><meta charset=utf-8>"
             '<meta name=viewport content="width=device-width, initial-scale=1">'
             "<title>gr-fringe qualification report</title>", f"<style>{STYLE}</style>",
             "<h1>gr-fringe qualification report</h1>",
             f'<p class="{"passed" if report.passed else "failed"}">{report.summary()}</p>']
    if failed:
        parts.append("<ul>" + "".join(
            f'<li><a href="#r{result.requirement.number}-{html.escape(result.backend)}">'
            f"{html.escape(result.in_words())}</a>" for result in failed) + "</ul>")
    parts.append("<table>" + "".join(
        f"<tr><th>{html.escape(name)}<td><code>{html.escape(words)}</code>"
        for name, words in _facts(report)) + "</table>")
    for group in dict.fromkeys(result.group for result in report.results):
        parts.append(f"<h2>{html.escape(group)}</h2><table class=results><tr><th>#<th>requirement"
                     "<th>on<th>limit<th>measured<th>verdict<th>plot</tr>")
        parts += [_row(result) for result in report.results if result.group == group]
        parts.append("</table>")
    return "\n".join(parts) + "\n</html>\n"
