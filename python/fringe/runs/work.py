#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""One part of a plan: its dumps to files, which are there whole or not at all."""
import contextlib
import json
import os
import socket

from .. import fringe_python as fp
from ..ground.losses import CAUSES
from ..ground.new_file import check_new_file, new_file
from ..ground.stop_signals import count_stops
from ..ground.waiting import interrupted, wait
from ..web.metrics_server import serve_metrics
from .dump_file import checksum, dump_recorder
from .flowgraph import correlator
from .plan import folder_of, read_plan


def work(plan_path, number, threads=None, progress=None, again=False, metrics=""):
    """Correlates a part of a plan, unless it is done already; returns its report.

    threads: as for set_threads;  progress: called with (samples read, samples in all) a few times
    a second;  again: also a part that is done;  metrics: HOST:PORT, where counts are served for
    Prometheus meanwhile, see serve_metrics()

    Its files are written under other names, and get theirs when they are whole. Two processes may
    work on the same part: they write the same bytes.
    """
    plan = read_plan(plan_path)
    if not 0 <= number < len(plan.parts):
        raise ValueError(f"{number}: there is no such part; {plan_path} has parts 0 to "
                         f"{len(plan.parts) - 1}")
    folder = folder_of(plan_path)
    done = None if again else report_of(plan, folder, number)
    if done:
        return done
    plan.check_inputs()
    os.makedirs(folder, exist_ok=True)
    if threads is not None:
        fp.set_threads(threads)
    part = plan.parts[number]
    flowgraph = _flowgraph(plan, part)
    host = f".{socket.gethostname()}-"
    own = f"{host}{os.getpid()}"
    names = [_name(folder, number, center) for center in part.centers]
    _remove_left(folder, [os.path.basename(name) + host for name in names])
    with contextlib.ExitStack() as files:
        for correlator_, name in zip(flowgraph.correlators, names):
            file = files.enter_context(_written_aside(name, own))
            _record(flowgraph, correlator_, plan, file)
        try:
            with serve_metrics(flowgraph, metrics):
                _run(flowgraph, progress)
        finally:
            flowgraph.release()
    report = {"plan": plan.identity, "part": number, "first": part.first, "end": part.end,
              "samples": plan.samples, "dumps": flowgraph.sinks[0].dumps(),
              "files": [[os.path.basename(name), os.path.getsize(name), sink.checksum()]
                        for name, sink in zip(names, flowgraph.sinks)],
              "losses": {cause: [int(n) for n in counts] for cause, counts in
                         flowgraph.losses(plan.observation(part.centers[0])).items()},
              "damaged": flowgraph.source.error(), "processor": _processor()}
    with _written_aside(report_file(folder, number), own, text=True) as file:
        json.dump(report, file, indent=1)
    return report


def _flowgraph(plan, part):
    fp._prefer_fft_wisdom(plan.fft_wisdom)
    flowgraph = correlator(plan.described(part.centers))
    for made in flowgraph.correlators:
        made.select_dumps(part.first, part.end)
    return flowgraph


def _processor():
    """The model of this machine's processor: another one may round in another way."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return os.uname().machine


def _record(flowgraph, correlator_, plan, file):
    sizes = plan.block_sizes()
    recorder = dump_recorder(file, sizes.baselines, sizes.channels, sizes.channels_per_item)
    for port in (0, 1):
        flowgraph.connect((correlator_, port), (recorder, port))
    flowgraph.sinks.append(recorder)


def _run(flowgraph, progress):
    with count_stops() as stops:
        try:
            stopped = wait(flowgraph, progress, stops)
        finally:
            for sink in flowgraph.sinks:
                sink.close()
    for sink in flowgraph.sinks:
        if sink.error():
            raise sink.error()
    if stopped:
        raise interrupted("nothing of the part was kept", stops.number)


@contextlib.contextmanager
def _written_aside(name, own, text=False):
    """A file that gets its name when it is whole. Others may do the same at the same time."""
    try:
        with new_file(name + own, overwrite=True, text=text) as file:
            yield file
    except OSError as error:
        if not error.filename:  # while it is written it has no name that anybody knows
            error.filename = os.path.dirname(name)
        raise
    os.replace(name + own, name)


def _remove_left(folder, begins):
    """Removes what dead processes of this host have left of files that begin so; what a living
    one writes is locked."""
    for left in os.listdir(folder):
        if left.endswith(".writing") and left.startswith(tuple("." + begin for begin in begins)):
            with contextlib.suppress(OSError, RuntimeError, ValueError):
                check_new_file(os.path.join(folder, left[1:-len(".writing")]), overwrite=True)


def _name(folder, number, center):
    return os.path.join(folder, f"part-{number:05d}-{center}.dumps")


def report_file(folder, number):
    """Path of the report of a part."""
    return os.path.join(folder, f"part-{number:05d}.json")


def files_of(folder, report):
    """The files of dumps that a report names, one for each of its phase centers: (path,
    checksum) of each."""
    return [(os.path.join(folder, name), sha256) for name, _, sha256 in report["files"]]


def report_of(plan, folder, number, check=True):
    """The report of a part that is done; None of one that is not, that was done for another plan,
    or whose files are not what they were (with `check` every byte is looked at, else their
    sizes)."""
    try:
        report = json.loads(fp.read_text_file(report_file(folder, number)))
        if report["plan"] != plan.identity or not _is_report(report, plan, number):
            return None
        for name, size, sha256 in report["files"]:
            path = os.path.join(folder, name)
            if os.path.getsize(path) != size or (check and checksum(path) != sha256):
                return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return report


def _is_report(report, plan, number):
    """Whether all that a report says of a part is there, and of its type."""
    inputs, files = plan.sizes["inputs"], report["files"]
    return (report["part"] == number and len(files) == len(plan.parts[number].centers)
            and all(list(map(type, file)) == [str, int, str] for file in files)
            and all(type(report[name]) is int for name in ("samples", "dumps"))
            and all(type(report[name]) is str for name in ("damaged", "processor"))
            and set(report["losses"]) <= set(CAUSES)
            and all(len(counts) == inputs and all(type(count) is int and 0 <= count < 2**62
                                                  for count in counts)
                    for counts in report["losses"].values()))


def missing_parts(plan, folder, check=True):
    """Numbers of the parts that are not done."""
    return [number for number in range(len(plan.parts))
            if report_of(plan, folder, number, check) is None]
