#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""How the work of one correlator is shared out among several GPUs."""
from . import fringe_python as fp

SPLITS = ("auto", "channels")


def names_of(devices):
    """The GPUs that `devices` means, as "cuda:0", "cuda:1": "all", or a list of numbers or of such
    words. One may be given twice. ValueError for one that is not there."""
    if devices == "all":
        found, why = fp.find_devices()
        usable = [f"cuda:{n}" for n, one in enumerate(found) if not one.refused]
        if not usable:
            raise ValueError(f"devices: all: there is no GPU that works: {why or found[0].refused}")
        return usable
    if isinstance(devices, (str, int)) or not devices:
        raise ValueError(f"devices: {devices!r}: must be \"all\", or a list: [0, 1]")
    names = [one if isinstance(one, str) else f"cuda:{one}" for one in devices]
    for name in names:
        if not fp.compute_target(name).on_gpu:
            raise ValueError(f"devices: {name}: must be GPUs, by their numbers: [0, 1]")
    return names


def parts_of(count, parts, unit=1):
    """`count` things in so many parts that differ by one `unit` at most, the larger ones first."""
    units = -(-count // unit)
    sizes = []
    for k in range(parts):
        some = (units // parts + (k < units % parts)) * unit
        sizes.append(min(some, count - sum(sizes)))
    return sizes


def choose_split(split, gpus, inputs, channels):
    """The way to share the work out, and a sentence that says why."""
    if split not in SPLITS:
        raise ValueError(f"split: {split!r}: must be auto or channels")
    if split != "auto":
        return split, "as asked"
    if not fp.devices_reach_each_other(gpus):
        raise ValueError(f"devices: {', '.join(gpus)} do not reach each other's memory; "
                         "split=\"channels\" goes through the host, and is slower")
    return "channels", f"{inputs} inputs and {channels} channels"


class channel_split:
    """The stages on several GPUs: each makes the spectra of some inputs, gets those of some
    channels from the others (corner_turn), and multiplies them; dump_join makes one dump of what
    they have.

    Unpack decodes all inputs on every GPU, because a raw block holds their samples side by side.
    Blocks cross the host links once in all where the GPUs reach each other (raw_broadcast).

    make: the functions that make stages: unpack(gpu), channelizer(gpu, part),
        flaggers(gpus, channels), xengine(gpu, channels, per_item), integrator(gpu, channels,
        per_item); flaggers may be None.
    """

    def __init__(self, gpus, inputs, channels, per_item, block_spectra, component, raw_bytes,
                 one_unpack, make):
        count = len(gpus)
        for what, number in (("inputs", inputs), ("channels", channels)):
            if number < count:
                raise ValueError(f"devices: {count} GPUs for {number} {what}: name {number} at "
                                 "the most")
        # Whole groups of 8 inputs, as tensor cores read them, and whole items of dumps.
        parts = parts_of(inputs, count, 8 if inputs >= 8 * count else 1)
        ranges = parts_of(channels, count, per_item if channels >= per_item * count else 1)
        self.parts, self.ranges = parts, ranges
        item = fp.dump_join.joined_channels(ranges, per_item)
        first = [sum(parts[:k]) for k in range(count)]
        reach = fp.devices_reach_each_other(gpus)
        self.reach = reach
        self.broadcast = fp.raw_broadcast(raw_bytes, gpus) if reach and not one_unpack else None
        self.unpacks = [make["unpack"](gpu) for gpu in gpus[:1 if one_unpack else count]]
        self.channelizers = [make["channelizer"](gpu, (start, some))
                             for gpu, start, some in zip(gpus, first, parts)]
        self.corner_turn = fp.corner_turn(parts, ranges, block_spectra, component, gpus)
        self.flaggers = make["flaggers"](gpus, ranges) if make["flaggers"] else []
        self.xengines = [make["xengine"](gpu, some, item) for gpu, some in zip(gpus, ranges)]
        self.integrators = [make["integrator"](gpu, some, item)
                            for gpu, some in zip(gpus, ranges)]
        self.join = fp.dump_join(inputs, ranges, per_item)

    def connect(self, box):
        """Wires the stages between the ports of a hierarchical block."""
        if self.broadcast:
            box.connect(box, self.broadcast)
        count = len(self.channelizers)
        for k, unpack in enumerate(self.unpacks):
            box.connect((self.broadcast, k) if self.broadcast else box, unpack)
        for k in range(count):
            box.connect(self.unpacks[k % len(self.unpacks)], self.channelizers[k],
                        (self.corner_turn, k))
            flagger = (self.flaggers[k],) if self.flaggers else ()
            turned = (self.corner_turn, k)
            for stage in (*flagger, self.xengines[k]):
                box.connect(turned, stage)
                turned = stage
            box.connect(self.xengines[k], self.integrators[k], (self.join, k))
            box.connect((self.integrators[k], 1), (self.join, count + k))
        box.connect((self.join, 0), (box, 0))
        box.connect((self.join, 1), (box, 1))

    def describe(self):
        """A sentence on who does what."""
        way = "by links between the GPUs" if self.reach else \
            "through the host, as the GPUs do not reach each other's memory"
        return (f"inputs in parts of {', '.join(map(str, self.parts))}, channels in parts of "
                f"{', '.join(map(str, self.ranges))}; spectra go from one to the other {way}")
