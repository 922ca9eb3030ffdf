#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What is wrong with a flowgraph that runs, in sentences: from its metrics of the last minute."""
import collections
import dataclasses
import time

from .metrics import values_of
from .table import FULL, in_words, waited_for

PERIOD = 60.0  #: seconds over which counts are compared
#: Causes of lost packets, in words. What the kernel drops is often missing afterwards, too.
LOST = {"missing": "missing", "late": "late", "garbled": "garbled", "dropped": "dropped",
        "kernel_dropped": "dropped by the kernel"}


@dataclasses.dataclass
class alert_limits:
    """From where on something is an alert."""
    lost: float = 0.1  #: per cent of the packets of the last minute
    saturated: float = 1.0  #: per cent of the samples of an input in the last minute
    silence: float = 30.0  #: seconds without a dump
    disk: float = 5.0  #: per cent of the disk that are free
    dead: float = 20.0  #: decibels below the median power of all inputs

    @classmethod
    def of(cls, text):
        """Those of a text, "silence=60,disk=2"; "" has the usual ones. ValueError."""
        limits = cls()
        names = [field.name for field in dataclasses.fields(cls)]
        for item in text.split(",") if text else ():
            name, equals, value = item.partition("=")
            try:
                number = float(value)
            except ValueError:
                number = -1.0
            if name not in names or not equals or not 0 < number < float("inf"):
                raise ValueError(f"alerts: {item}: must be NAME=NUMBER with a positive number and "
                                 f"one of the names {', '.join(names)}, as in silence=60")
            setattr(limits, name, number)
        return limits


class alerts:
    """Looks at samples, (name, labels, value), a few times a minute."""

    #: The alerts that there are, by name.
    NAMES = ("lost", "saturated", "silence", "disk", "dead", "buffer", "stopped", "calibration")

    def __init__(self, limits, clock=time.monotonic):
        self._limits, self._clock, self._began = limits, clock, clock()
        self._before = collections.deque()  # (time, {(name, labels): count})

    def look(self, samples):
        """{name: sentence} of what is wrong now."""
        grown = self._grown(samples)
        found = {}
        for name in self.NAMES:
            sentence = getattr(self, f"_{name}")(samples, grown)
            if sentence:
                found[name] = sentence
        return found

    def _grown(self, samples):
        """{(name, labels): by how much a count has grown in the last minute}."""
        counts = {(name, *sorted(labels.items())): value for name, labels, value in samples
                  if name.endswith("_total")}
        now = self._clock()
        self._before.append((now, counts))
        while len(self._before) > 2 and now - self._before[1][0] >= PERIOD:
            self._before.popleft()
        first = {}
        for _, earlier in reversed(self._before):  # a look may have had no answer
            first.update(earlier)
        return {key: value - first[key] if value >= first[key] else value
                for key, value in counts.items()}

    @staticmethod
    def _of(grown, name):
        """[(labels, growth)] of one metric."""
        return [(dict(key[1:]), value) for key, value in grown.items() if key[0] == name]

    def _lost(self, _, grown):
        packets = self._of(grown, "fringe_packets_total")
        good = sum(count for labels, count in packets if labels["cause"] == "good")
        lost = {cause: sum(count for labels, count in packets if labels["cause"] == cause)
                for cause in LOST}
        total = sum(lost.values()) - min(lost["missing"], lost["kernel_dropped"])
        share = 100 * total / max(good + total, 1)
        if share <= self._limits.lost:
            return ""
        causes = ", ".join(f"{count:.0f} {LOST[cause]}" for cause, count in lost.items() if count)
        return f"{share:.2g} % of the packets of the last minute are lost: {causes}"

    def _saturated(self, _, grown):
        read = max((count for _, count in self._of(grown, "fringe_samples_total")), default=0)
        worst, number = max(
            ((count, labels["input"])
             for labels, count in self._of(grown, "fringe_sample_faults_total")
             if labels["cause"] in ("saturated", "overdriven")), default=(0, ""))
        share = 100 * worst / read if read else 0  # of some sources nobody counts the samples
        return (f"{share:.2g} % of the samples of input {number} in the last minute are saturated"
                if share > self._limits.saturated else "")

    def _silence(self, samples, _):
        ages = [age for name in ("fringe_dump_age_seconds", "fringe_page_dump_age_seconds")
                for _, age in values_of(samples, name)]
        read = [count for _, count in values_of(samples, "fringe_samples_total")]
        waited = self._clock() - self._began
        if read and not ages and not any(read) and waited > self._limits.silence:
            return f"no samples have come yet, for {waited:.0f} s"
        age = min(ages, default=0)
        lengths = [length for _, length in values_of(samples, "fringe_dump_interval_seconds")]
        limit = max([self._limits.silence, *(3 * length for length in lengths)])
        return f"no dump for {age:.0f} s" if age > limit else ""

    def _disk(self, samples, grown):
        sizes = {labels["folder"]: size for labels, size in
                 values_of(samples, "fringe_disk_size_bytes")}
        for labels, free in values_of(samples, "fringe_disk_free_bytes"):
            folder = labels["folder"]
            share = 100 * free / max(sizes.get(folder, 0), 1)
            if share < self._limits.disk:
                return f"the disk of {folder} is nearly full: {in_words(free, 'bytes')} are left"
        return ""

    def _dead(self, samples, _):
        powers = {labels["input"]: power for labels, power in
                  values_of(samples, "fringe_input_power")}
        weights = {labels["input"]: weight for labels, weight in
                   values_of(samples, "fringe_input_weight_ratio")}
        heard = sorted(power for name, power in powers.items() if weights.get(name, 1) > 0)
        least = heard[len(heard) // 2] / 10 ** (self._limits.dead / 10) if heard else 0
        silent = [name for name in weights if weights[name] == 0]
        dead = [name for name in powers if weights.get(name, 1) > 0 and powers[name] <= least]
        sentences = []
        for names, what in ((silent, "no samples of"), (dead, "no signal on")):
            if names:
                more = f" and {len(names) - 4} more" if len(names) > 4 else ""
                sentences.append(f"{what} {', '.join(names[:4])}{more}")
        return "; ".join(sentences)

    @staticmethod
    def _buffer(samples, _):
        ring = [value for labels, value in values_of(samples, "fringe_buffer_fill_ratio")
                if labels["from"] == "network"]
        return waited_for(samples) if max(ring, default=0) >= FULL else ""

    @staticmethod
    def _stopped(samples, _):
        writing = [value for _, value in values_of(samples, "fringe_writing")]
        return "" if all(writing) else "dumps are not written: a message has stopped that"

    def _calibration(self, _, grown):
        counts = {}
        for labels, count in self._of(grown, "fringe_calibrations_total"):
            counts[labels["result"]] = counts.get(labels["result"], 0) + count
        return ("the Live Calibrator has refused all solutions of the last minute"
                if counts.get("refused") and not counts.get("used") else "")
