#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What the items of a voltage ring are, and their times and tags."""
import dataclasses
import threading
import types

import numpy as np
import pmt

from .. import fringe_python as fp
from ..ground.streams import TAG
from .record_forms import form_of

TAG_NAME = pmt.symbol_to_string(TAG)
NAME = "voltage_ring"
SAME_RATE = 1e-9  # of it


@dataclasses.dataclass
class ring_stream:
    """What the items of a ring are."""
    inputs: int
    block: int  #: samples, or spectra, of an item
    rate: float  #: of these, a second
    encoding: str = "ci8"
    parts: int = 1  #: sub-blocks of an item, [part][time][stream]
    channels: int = 0  #: of spectra; 0 = samples
    bits: int = 8  #: of a component of spectra

    @property
    def item_bytes(self):
        """Bytes of an item."""
        if self.channels:
            return 2 * self.channels * self.inputs * self.block
        return -(-fp.encoding_by_name(self.encoding).bits * self.inputs * self.block // 8)

    @property
    def item_seconds(self):
        """Seconds of an item."""
        return self.block / self.rate

    @property
    def _streams(self):
        return self.inputs // self.parts

    def _has_threads(self, path):
        """VDIF has 2^n inputs together: others become threads of their own."""
        return (path.lower().endswith(".vdif") and bool(self._streams & (self._streams - 1))
                and fp.encoding_by_name(self.encoding).bits % 8 == 0)

    def written(self, path, values):
        """The bytes of an item as the form of a path takes them."""
        if not self._has_threads(path):
            return values
        sample = fp.encoding_by_name(self.encoding).bits // 8
        values = values.reshape(self.parts, self.block, self._streams, sample)
        return np.ascontiguousarray(values.swapaxes(1, 2)).ravel()

    def form(self, path, granule, frequency=0.0):
        """The form in which it is recorded, see record_forms. granule: samples of which every
        place where the time begins is a multiple."""
        streams = 1 if self._has_threads(path) else self._streams
        packets = types.SimpleNamespace(inputs=self.inputs, bits=self.bits, preset=NAME, url=NAME)
        return form_of(path, packets, types.SimpleNamespace(
            encoding=self.encoding, streams=streams, stream_major=False,
            spectra=bool(self.channels), samples=granule, sample_rate=self.rate,
            has_frequency=True, center_frequency=frequency, all_channels=self.channels,
            channels=self.channels), None, None, False)


@dataclasses.dataclass(frozen=True)
class ring_run:
    """Items that follow each other without a gap."""
    first: int  #: number of the first item
    start: fp.epoch  #: of that
    frequency: float  #: Hz, 0 = not known
    axis: int  #: number of the first item of the axis of time, which goes forward only
    axis_start: fp.epoch  #: of that


@dataclasses.dataclass(frozen=True)
class ring_item:
    """When an item was taken, and its tags."""
    start: fp.epoch
    end: fp.epoch
    run: ring_run
    tags: dict  #: name -> value, with those of the begin of a run


class ring_times:
    """Times and tags of items by their numbers, while a thread adds items and others ask."""

    def __init__(self, stream):
        self.stream = stream
        self._runs, self._tags, self._described = [], {}, None
        self._lock, self._dated = threading.Lock(), False

    def restart(self):
        """The next item is the first of a run, and must have a time."""
        self._dated = False

    def add(self, number, tags):
        """Items from `number` on have come, with the tags of the first of them. ValueError where
        they do not say when they were taken, or at another rate."""
        with self._lock:
            if "rx_rate" in tags:
                self._check_rate(pmt.to_double(tags["rx_rate"]))
            self._described = tags.get(TAG_NAME, self._described)
            if "rx_time" in tags:
                self._begin(number, tags)
                self._dated = True
            elif not self._dated:
                raise ValueError(f"{NAME}: the samples carry no time (rx_time), which recordings "
                                 "need: give the source a start time")
            if tags:
                self._tags[number] = tags

    def _check_rate(self, rate):
        wanted = self.stream.rate
        if abs(rate - wanted) > SAME_RATE * wanted:
            raise ValueError(f"{NAME}: sample_rate {wanted:.12g}; the data have {rate:.12g} Hz "
                             "(rx_rate)")

    def _begin(self, number, tags):
        second, fraction = (pmt.tuple_ref(tags["rx_time"], k) for k in (0, 1))
        start = fp.epoch(pmt.to_uint64(second), pmt.to_double(fraction))
        last = self._runs[-1] if self._runs else None
        frequency = (pmt.to_double(tags["rx_freq"]) if "rx_freq" in tags
                     else last.frequency if last else 0.0)
        goes_on = (last and frequency == last.frequency
                   and start.seconds_since(self._time(last, number)) > -0.5 / self.stream.rate)
        axis = (last.axis, last.axis_start) if goes_on else (number, start)
        self._runs.append(ring_run(number, start, frequency, *axis))

    def _time(self, run, number):
        return run.start.plus_samples((number - run.first) * self.stream.block, self.stream.rate)

    def forget(self, first):
        """The items before `first` are gone."""
        with self._lock:
            while len(self._runs) > 1 and self._runs[1].first <= first:
                del self._runs[0]
            for number in [number for number in self._tags if number < first]:
                del self._tags[number]

    def item(self, number):
        """The ring_item of a number, also of one that is to come; None of what was forgotten."""
        with self._lock:
            for run in reversed(self._runs):
                if run.first <= number:
                    tags = dict(self._tags.get(number, {}))
                    if self._described is not None:
                        tags[TAG_NAME] = self._described
                    return ring_item(self._time(run, number), self._time(run, number + 1), run,
                                     tags)
        return None

    def oldest(self, number):
        """The ring_item of a number, or of the first later one that was not forgotten. Who waits
        for a disk may be overtaken by more than the times that are kept."""
        return self.item(number) or self.item(self._runs[0].first)

    def stretches(self, first, end):
        """[(start, end)] of the items first ... end - 1 that were not forgotten, without the gaps
        between them."""
        found = []
        with self._lock:
            for run, behind in zip(self._runs, [*(run.first for run in self._runs[1:]), end]):
                low, high = max(run.first, first), min(behind, end)
                if low < high:
                    found.append((self._time(run, low), self._time(run, high)))
        return found

    def find(self, instant, first):
        """The number of the item, `first` or later, that `instant` falls into, or of the next one
        behind a gap; the first of the axis of time is the earliest."""
        rate, block = self.stream.rate, self.stream.block
        with self._lock:
            axis = self._runs[-1].axis
            runs = [run for run in self._runs if run.axis == axis]
            ends = [run.first for run in runs[1:]] + [None]
            for run, end in zip(runs, ends):
                late = (instant.seconds_since(run.start) * rate + 0.5) / block
                number = max(run.first, first, run.first + int(max(late, 0)))
                if end is None or number < end:
                    return number

    def begins(self, number):
        """Epochs at which runs begin behind an item."""
        with self._lock:
            return [run.start for run in self._runs if run.first > number]
