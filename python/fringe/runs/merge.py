#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The parts of a plan become visibility files, as if one run had made them."""
import os
import shutil

from gnuradio import gr

from ..ground.new_file import remembers_what_it_reads
from ..observing.phase_centers import paths_towards
from ..observing.settings import check_outputs
from ..ground.stop_signals import count_stops
from ..visibility_files.visibility_kinds import kind_by_name
from ..ground.words import numbers_in_words
from .dump_file import dump_player
from .flowgraph import dumps_to_files
from .plan import folder_of, read_plan
from .run import run_to_end
from .work import files_of, report_file, report_of


class merger(dumps_to_files):
    """The flowgraph: the dumps of the parts, and by write_to() what becomes of them."""

    def __init__(self, plan, folder, reports, check=True):
        gr.top_block.__init__(self, "fringe merge", catch_exceptions=True)
        self.settings, self.satellites = plan.run_settings(), plan.satellites
        sizes = plan.block_sizes()
        self.encoding = sizes.encoding
        files = [[] for _ in plan.observations]  # [phase center](path, checksum)
        for report in reports:
            for center, file in zip(plan.parts[report["part"]].centers,
                                    files_of(folder, report)):
                files[center].append(file)
        self.source = parts_read(plan, reports, folder)
        self.correlators = [
            dump_player([path for path, _ in some], sizes.baselines, sizes.channels,
                        sizes.channels_per_item, self.source.sent if center == 0 else None,
                        [checksum for _, checksum in some] if check else None, self._fail)
            for center, some in enumerate(files)]
        self.correlator = self.correlators[0]
        self.source.players = self.correlators
        self.sinks, self.imaging, self.flaggers = [], [], []

    def losses(self, _):
        """Unusable samples, cause -> [input]."""
        return self.source.losses()

    def _fail(self, why):
        for sink in self.sinks:
            sink.fail(why)


class parts_read:
    """What a file_source says, of all parts together."""

    def __init__(self, plan, reports, folder):
        self.players = ()
        self._total, self._parts, self._sent = plan.samples, len(reports), 0
        self._damaged = next((f"{report_file(folder, report['part'])}: {report['damaged']}"
                              for report in reports if report["damaged"]), "")
        # With phase centers in parts of their own every sample was looked at several times.
        self._reports = [report for report in reports if 0 in plan.parts[report["part"]].centers]

    def sent(self, number):
        """That file has been sent."""
        self._sent = number + 1

    def samples_read(self):
        """Of every input."""
        return self._total * self._sent // max(len(self._reports), 1)

    def total_samples(self):
        """Of every input."""
        return self._total

    def losses(self):
        """Cause -> [input]."""
        found = {}
        for report in self._reports:
            for cause, counts in report["losses"].items():
                before = found.get(cause, [0] * len(counts))
                found[cause] = [a + b for a, b in zip(before, counts)]
        return found

    def error(self):
        """Why the data end early, "" if they do not."""
        errors = filter(None, (player.error() for player in self.players))
        return self._damaged or next(errors, "")

    def finish(self):
        """Ends the data."""
        for player in self.players:
            player.finish()


@remembers_what_it_reads
def merge(plan_path, outputs, overwrite=False, history="", progress=None):
    """Writes the dumps of all parts of a plan to visibility files; returns the totals.

    It does what correlate() does with dumps: flagging, averaging, the files, in the order of time.
    ValueError where a part is missing, or is not what was written. The parts stay.
    """
    plan = read_plan(plan_path)
    folder = folder_of(plan_path)
    # Every byte of the parts is looked at while it is merged, and no file gets its name before
    # that; but of several files, one after the other, the first ones have theirs by then.
    rolls = plan.run_settings().new_file_every
    reports = _reports(plan_path, plan, folder, check=bool(rolls))
    observations = [plan.observation(k) for k in range(len(plan.observations))]
    outputs = paths_towards([os.fspath(path) for path in outputs], observations)
    read = [plan_path] + [path for path, _ in plan.recordings + plan.files]
    read += [path for report in reports for path, _ in files_of(folder, report)]
    check_outputs([path for some in outputs for path in some], read, rolls)
    flowgraph = merger(plan, folder, reports, check=not rolls)
    with count_stops() as stops:
        flowgraph.write_to(outputs, observations, overwrite, history + plan.history)
        try:
            result = run_to_end(flowgraph, observations[0], progress, stops)
        except ValueError:
            left = [path for sink in flowgraph.sinks for path in sink.files()]
            _reports(plan_path, plan, folder, check=True, left=left)
            raise
    processors = sorted({report["processor"] for report in reports})
    different = [f"the parts were made by different processors ({', '.join(processors)}), whose "
                 "last bits may differ"] if len(processors) > 1 else []
    result.notes = [*plan.notes, *different, *flowgraph.flagged()]
    return result


def _reports(plan_path, plan, folder, check, left=()):
    """Those of all parts; up to where the recording is damaged, if it is, as behind that place
    one run has no dumps either. Where a part is not done, all that are not are named; without
    `check`, as for report_of(), those whose files have other bytes may pass. left: files that
    were made of parts, which are removed then."""
    reports, missing = [], []
    damaged = set()  # phase centers, as text, whose data have ended
    for number, part in enumerate(plan.parts):
        if str(part.centers) in damaged:
            continue
        report = report_of(plan, folder, number, check)
        if report is None:
            missing.append(number)
            continue
        reports.append(report)
        if report["damaged"]:
            damaged.add(str(part.centers))
    if missing and not check:
        return _reports(plan_path, plan, folder, check=True)
    if missing:
        for path in left:
            _remove(path)
        raise ValueError(f"{plan_path}: part{'s' if len(missing) > 1 else ''} "
                         f"{numbers_in_words(missing)} of {len(plan.parts)} not done, or not what "
                         f"was written; fringe work {plan_path} {missing[0]} does that one")
    return reports


def _remove(path):
    """A visibility file, or what there is of it."""
    for name in kind_by_name(path).files(path):
        if os.path.isdir(name):
            shutil.rmtree(name)
        elif os.path.lexists(name):
            os.unlink(name)
