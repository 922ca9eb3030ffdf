#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The memory of a correlator on GPUs, before any of it is taken."""
import dataclasses
import math

from gnuradio import gr

from .. import fringe_python as fp
from .shares import blocks_ahead, raw_blocks_ahead, shares_of

HOST = "host"

# Numbers of channels whose transforms need no cuFFT, see fused_plan.cuh and split.cu.
OWN_TRANSFORMS = (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768)


def amount(count):
    """Bytes in words."""
    return f"{count / 1e9:.3g} GB" if count >= 1e9 else f"{count / 1e6:.3g} MB"


def blocks_in_words(sizes, sample_rate=0):
    """How long the blocks of block_sizes are, for which the first sample of each waits."""
    length = (f"{sizes.block_samples / sample_rate:.3g} s" if sample_rate else
              f"{sizes.block_samples} samples of every input")
    return f"blocks of {sizes.block_spectra} spectra, {length}"


@dataclasses.dataclass(frozen=True)
class row:
    """Some memory: what it is for, where it is ("host", "cuda:0"), bytes, and what makes it less:
    "sums" (fewer baselines or channels on the GPU) or "blocks" (shorter blocks)."""
    what: str
    where: str
    bytes: int
    kind: str


class memory_plan:
    """The memory of one correlator: rows, in the order of the stages."""

    def __init__(self, rows):
        self.rows = [entry for entry in rows if entry.bytes]

    def places(self):
        """The GPUs, and the host."""
        return list(dict.fromkeys(entry.where for entry in self.rows))

    def bytes(self, where, kind=None):
        """Bytes in a place, of one kind or of all."""
        return sum(entry.bytes for entry in self.rows
                   if entry.where == where and kind in (None, entry.kind))

    def __str__(self):
        """A sentence: how much where."""
        return "memory: " + ", ".join(
            f"{amount(self.bytes(where))} on {'the host' if where == HOST else where}"
            for where in self.places())

    def in_words(self):
        """Lines of a table."""
        lines = []
        for where in self.places():
            lines.append(f"{where}: {amount(self.bytes(where))}")
            lines += [f"  {amount(entry.bytes):>8}  {entry.what}" for entry in self.rows
                      if entry.where == where]
        return lines

    def check(self, free):
        """RuntimeError where a place has too little; free: its name -> bytes that are free, and
        places that are not named have enough."""
        for where in self.places():
            needed, there = self.bytes(where), free.get(where)
            if there is not None and needed > there:
                raise RuntimeError(f"{where} has {amount(there)} of memory left, and "
                                   f"{amount(needed)} are needed: {self._parts(where)}. "
                                   f"{self._remedy(where, there)}")

    def _parts(self, where):
        sums, blocks = (self.bytes(where, kind) for kind in ("sums", "blocks"))
        return f"{amount(sums)} for sums of baselines, {amount(blocks)} for blocks of samples"

    def _remedy(self, where, there):
        sums, blocks = (self.bytes(where, kind) for kind in ("sums", "blocks"))
        if sums > max(there / 2, blocks):
            left = max(there - blocks, there / 4)
            parts = math.ceil(sums / left)
            return (f"Take fewer channels at a time (1/{parts} of them), or {parts} times as many "
                    "GPUs (devices)")
        return "Take shorter blocks (block_spectra), fewer channels, or more GPUs (devices)"


class planner:
    """Plans the memory of the stages that a stage_maker would make. See plan_of()."""

    def __init__(self, make):
        self._make, self._sizes, self._rows = make, make.sizes, []

    def plan(self):
        """What was added."""
        return memory_plan(self._rows)

    def _add(self, what, where, count, kind="blocks"):
        self._rows.append(row(what, where, int(count), kind))

    def _ring(self, what, where, item, slot=0, least=0, kind="blocks"):
        """A slot for each item of a ring of GNU Radio; `least`: as the next block wants it."""
        self._add(what, where, fp._ring_items(item, least) * (slot or item), kind)

    def _spectra(self, inputs, channels):
        """Bytes of a block of spectra: as GNU Radio counts them, and as they lie on a GPU."""
        values = 2 * inputs * channels * self._sizes.block_spectra
        return (values * (4 if self._make.component == "f32" else 1),
                fp._spectra_bytes(inputs, channels, self._sizes.block_spectra,
                                  self._make.component))

    def _voltages(self):
        """Bytes of a block of voltages."""
        width = {"i8": 1, "i16": 2, "f32": 4, "level": 1}[self._make.voltage_component(on_gpu=True)]
        return self._sizes.components * width

    def _window_items(self):
        """Blocks of a window of the search for interference."""
        return fp._window_spectra(fp.kurtosis_search(**self._make.search), self._sizes.inputs,
                                  self._sizes.block_spectra) // self._sizes.block_spectra

    def _before_sums(self, channels):
        """Items that the ring before an X-engine has at least."""
        return fp._ring_before(fp._rate_of_together(fp._blocks_together(
            self._sizes.inputs, channels, self._sizes.block_spectra, self._make.component)))

    def raw(self):
        """Blocks in the ring of a source that reads recordings."""
        item = self._sizes.item_bytes
        self._ring("raw blocks", HOST, item, least=fp._items_ahead(item))

    def unpack(self, gpu, broadcast=0):
        """Raw blocks to voltages; broadcast: so many raw blocks lie in a ring on each GPU, 0 =
        they come from the host."""
        make, item = self._make, self._sizes.raw_bytes
        if broadcast:
            self._ring("raw blocks", gpu, item, least=broadcast)
        else:
            gathered = self._sizes.item_spectra < self._sizes.block_spectra
            self._add("raw blocks from the host", gpu,
                      (fp._GATHERED_BLOCKS if gathered else fp._COPIES_AHEAD) * item)
        if not make.voltages:
            voltages = self._voltages()
            self._ring("voltages", gpu, voltages, least=blocks_ahead(voltages) if broadcast else 0)
        if make.pulses is not None:
            self._ring("voltages without pulses", gpu, self._voltages())

    def channelizer(self, gpu, inputs, least, ahead=False):
        """Voltages to spectra of some inputs; ahead: they go to several GPUs."""
        make, sizes = self._make, self._sizes
        self._add("filter bank", gpu, fp._channelizer_bytes(
            inputs, sizes.channels, sizes.block_spectra, sizes.encoding.complex_samples,
            make.voltage_component(on_gpu=True), make.taps, bool(len(make.corrections)),
            make.tracking))
        item, slot = self._spectra(inputs, sizes.channels)
        self._ring("spectra", gpu, item, slot, max(least, blocks_ahead(item)) if ahead else least)

    def driver(self, gpu):
        """What the driver adds when kernels and their libraries are loaded, by measurement on an
        H100."""
        self._add("kernels", gpu, 70 << 20)
        if self._make.component == "f32" or self._sizes.channels not in OWN_TRANSFORMS:
            self._add("cuFFT", gpu, 145 << 20)

    def turned(self, gpu, channels):
        """Spectra of all inputs, behind a corner turn."""
        item, slot = self._spectra(self._sizes.inputs, channels)
        self._ring("spectra of some channels", gpu, item, slot,
                   max(self.before_flagger(channels), blocks_ahead(item)))

    def flagger(self, gpu, channels):
        """Spectra that wait until their window has been decided on."""
        items = self._window_items()
        held = fp._window_ring_items(items) // items * items  # GNU Radio has whole windows
        least = max(held, self._before_sums(channels))
        self._ring("spectra of windows", gpu, *self._spectra(self._sizes.inputs, channels), least)

    def before_flagger(self, channels):
        """Items in the ring before a flagger, or before the X-engine where there is none."""
        return (self._before_sums(channels) if self._make.search is None
                else fp._ring_before(self._window_items()))

    def xengine(self, gpu, channels, per_item, to_host=False):
        """Spectra to sums of some channels."""
        sizes = self._sizes
        self._add("sums of the X-engine", gpu, fp._xengine_bytes(
            sizes.inputs, channels, sizes.block_spectra, self._make.component), "sums")
        for where in (gpu, HOST) if to_host else (gpu,):
            self._ring("sums on the way", where, 8 * per_item * sizes.baselines, kind="sums")

    def integrator(self, gpu, channels, per_item, from_host=False):
        """Sums to dumps of some channels, on their way to the host."""
        item = 8 * per_item * self._sizes.baselines
        self._add("sums of the integrator", gpu, fp._integrator_bytes(
            self._sizes.inputs, channels, self._make.search is not None), "sums")
        if from_host:
            self._add("sums from the host", gpu, fp._COPIES_AHEAD * item, "sums")
        least = fp._dump_ring_items(item, channels // per_item)
        for width in (8, 4):  # a visibility and its weight
            for where in (gpu, HOST):
                self._ring("dumps on the way", where, item * width // 8, least=least, kind="sums")


def _on_one(plan, make, gpu):
    sizes = make.sizes
    plan.driver(gpu)
    plan.unpack(gpu)
    plan.channelizer(gpu, sizes.inputs, plan.before_flagger(sizes.channels))
    if make.search is not None:
        plan.flagger(gpu, sizes.channels)
    plan.xengine(gpu, sizes.channels, sizes.channels_per_item)
    plan.integrator(gpu, sizes.channels, sizes.channels_per_item)


def _by_channels(plan, make, gpus):
    parts, ranges, item = shares_of(make.sizes, len(gpus))
    broadcast = 0
    if fp.devices_reach_each_other(gpus) and not make.remove_mean:
        broadcast = raw_blocks_ahead(make.sizes, max(ranges), make.component)
    for gpu, inputs, channels in zip(gpus, parts, ranges):
        plan.driver(gpu)
        plan.unpack(gpu, broadcast)
        plan.channelizer(gpu, inputs, 0, ahead=True)
        plan.turned(gpu, channels)
        if make.search is not None:
            plan.flagger(gpu, channels)
        plan.xengine(gpu, channels, item)
        plan.integrator(gpu, channels, item)


def _by_time(plan, make, gpus):
    sizes = make.sizes
    for gpu in gpus:
        plan.driver(gpu)
        plan.unpack(gpu)
        plan.channelizer(gpu, sizes.inputs, plan.before_flagger(sizes.channels))
        plan.xengine(gpu, sizes.channels, sizes.channels_per_item, to_host=True)
    plan.integrator(gpus[0], sizes.channels, sizes.channels_per_item, from_host=True)


def plan_of(make, gpus, way=None):
    """The memory_plan of what a stage_maker would make on GPUs; way: as several of them share the
    work, "channels" or "time"."""
    plan = planner(make)
    plan.raw()
    if way is None:
        _on_one(plan, make, gpus[0])
    else:
        {"channels": _by_channels, "time": _by_time}[way](plan, make, gpus)
    return plan.plan()


def checked_plan(make, gpus, way=None):
    """The memory_plan, which the log says. RuntimeError where it does not fit into the memory that
    is free now, on the GPUs and on the host."""
    plan = plan_of(make, gpus, way)
    plan.check({gpu: fp._free_memory(fp.compute_target(gpu).index) for gpu in gpus})
    fp._require_memory("fx_correlator", "rings of blocks and dumps", plan.bytes(HOST))
    gr.logger("fringe_fx_correlator").info(f"{plan}; {blocks_in_words(make.sizes)}")
    return plan
