#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""How the work of one correlator is shared out among several GPUs."""
from .. import fringe_python as fp
from .shares import blocks_ahead, raw_blocks_ahead, shares_of

SPLITS = ("auto", "channels", "time")

# From this number of inputs on the channels are shared: else every GPU would add up all products.
MANY_INPUTS = 128

# Sums cross the links to the host, which the samples need; spectra cross those between GPUs, which
# carry some ten times as much.
LINKS = 10


def names_of(devices):
    """The GPUs that `devices` means, as "cuda:0", "cuda:1": "all", or a list of numbers or of such
    words. One may be given twice. ValueError for one that is not there."""
    if devices == "all":
        found, why = fp.find_devices()
        usable = [f"cuda:{n}" for n, device in enumerate(found) if not device.refused]
        if not usable:
            raise ValueError(f"devices: all: there is no GPU that works: {why or found[0].refused}")
        return usable
    if isinstance(devices, (str, int)) or not devices:
        raise ValueError(f"devices: {devices!r}: must be \"all\", or a list: [0, 1]")
    names = [device if isinstance(device, str) else f"cuda:{device}" for device in devices]
    for name in names:
        if not fp.compute_target(name).on_gpu:
            raise ValueError(f"devices: {name}: must be GPUs, by their numbers: [0, 1]")
    return names


class sizes:
    """What there is to share out.

    raw, spectra: bytes of a block as it was recorded, and of its spectra
    sums: bytes of the sums of all products
    sum_blocks: blocks that a sum is made of
    why_not_time: what must see all blocks in their order, "" = nothing
    """

    def __init__(self, inputs, channels, raw, spectra, sum_blocks, why_not_time=""):
        self.inputs, self.channels = inputs, channels
        self.raw, self.spectra, self.sum_blocks = raw, spectra, sum_blocks
        self.sums = 8 * channels * inputs * (inputs + 1) // 2
        self.why_not_time = why_not_time


def megabytes(count):
    return f"{count / 1e6:.3g} MB"


def choose_split(split, gpus, of):
    """The way to share the work out, and a sentence that says why; of: sizes.

    "time" sends the sums of every GPU through the host; "channels" sends raw samples and spectra
    from GPU to GPU. "auto" compares the bytes of the two.
    """
    if split not in SPLITS:
        raise ValueError(f"split: {split!r}: must be auto, channels or time")
    if split == "time" and of.why_not_time:
        raise ValueError(f"split: time: {of.why_not_time} must see all blocks in their order; take "
                         "channels")
    if split != "auto":
        return split, "as asked"
    count = len(gpus)
    through_host = count * of.sums
    between = (count - 1) / count * (of.raw + of.spectra) * of.sum_blocks
    bytes_of = (f"{megabytes(through_host)} of sums through the host, or {megabytes(between)} of "
                f"samples and spectra from GPU to GPU, a sum of {of.sum_blocks:.4g} blocks")
    reach = fp.devices_reach_each_other(gpus)
    few = through_host * (LINKS if reach else 1) <= between
    if few and not of.why_not_time and (of.inputs < MANY_INPUTS or not reach):
        return "time", bytes_of
    if not reach:
        raise ValueError(f"devices: {', '.join(gpus)} do not reach each other's memory; "
                         "split=channels goes through the host, and is slower"
                         + (f"; split=time cannot be: {of.why_not_time} must see all blocks in "
                            "their order" if of.why_not_time else
                            "; split=time sends large sums through it"))
    if of.why_not_time:
        return "channels", f"{of.why_not_time} must see all blocks in their order"
    if few:
        return "channels", f"{of.inputs} inputs, {MANY_INPUTS} or more; {bytes_of}"
    return "channels", bytes_of


class channel_split:
    """The stages on several GPUs: each makes the spectra of some inputs, gets those of some
    channels from the others (corner_turn), and multiplies them; dump_join makes one dump of what
    they have.

    Unpack decodes all inputs on every GPU, because a raw block holds their samples side by side.
    Blocks cross the host links once in all where the GPUs reach each other (raw_broadcast).

    make: a stage_maker
    """

    #: Dumps keep the length that they begin with: the stages would change it one by one.
    sums = ()

    def __init__(self, make, gpus):
        inputs, per_item = make.sizes.inputs, make.sizes.channels_per_item
        one_unpack = make.remove_mean
        count = len(gpus)
        parts, ranges, item = shares_of(make.sizes, count)
        self.parts, self.ranges = parts, ranges
        first = [sum(parts[:k]) for k in range(count)]
        reach = fp.devices_reach_each_other(gpus)
        self.reach = reach
        self.broadcast = (fp.raw_broadcast(make.sizes.raw_bytes, gpus)
                          if reach and not one_unpack else None)
        self.unpacks = [make.unpack(gpu) for gpu in gpus[:1 if one_unpack else count]]
        self.spectra = [make.channelizer(gpu, (start, some))
                        for gpu, start, some in zip(gpus, first, parts)]
        self.corner_turn = fp.corner_turn(parts, ranges, make.sizes.block_spectra, make.component,
                                          gpus)
        self.flaggers = [] if make.search is None else make.flaggers(gpus, ranges)
        self.flagger = self.flaggers[0] if self.flaggers else None
        self.xengines = [make.xengine(gpu, some, item) for gpu, some in zip(gpus, ranges)]
        self.integrators = [make.integrator(gpu, some, item)
                            for gpu, some in zip(gpus, ranges)]
        self.join = fp.dump_join(inputs, ranges, per_item)
        self.raw, self.integrator, self.blanker = self.unpacks[0], self.integrators[0], None
        for stage in (*self.spectra, self.corner_turn, *(self.unpacks if self.broadcast else ())):
            self._lengthen_rings(stage)
        if self.broadcast:
            self._lengthen_rings(self.broadcast,
                                 raw_blocks_ahead(make.sizes, max(ranges), make.component))

    @staticmethod
    def _lengthen_rings(stage, blocks=0):
        """What a stage writes has room for some blocks: blocks_ahead(), or a number."""
        out = stage.output_signature()
        for port in range(out.min_streams()):
            item = out.sizeof_stream_item(port)
            stage.set_min_output_buffer(port, fp._ring_items(item, blocks or blocks_ahead(item)))

    def connect(self, box, _):
        """Wires the stages between the ports of a hierarchical block."""
        if self.broadcast:
            box.connect(box, self.broadcast)
        count = len(self.spectra)
        for k, unpack in enumerate(self.unpacks):
            box.connect((self.broadcast, k) if self.broadcast else box, unpack)
        for k in range(count):
            box.connect(self.unpacks[k % len(self.unpacks)], self.spectra[k],
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


class time_split:
    """The stages on several GPUs that take whole blocks in turn: each makes the spectra of its
    blocks and multiplies all of their channels; sum_join adds up what they have.

    Every GPU plans all blocks, so the times, gaps, delays and ends of dumps are those of one.

    make: a stage_maker
    """

    flagger, sums = None, ()

    def __init__(self, make, gpus):
        self.spectra = [make.channelizer(gpu) for gpu in gpus]
        self.unpacks = make.unpacks(gpus, self.spectra[0].kept_samples())
        self.xengines = [make.xengine(gpu) for gpu in gpus]
        self.join = fp.sum_join(len(gpus), make.sizes.inputs, make.sizes.channels, make.component,
                                make.sizes.channels_per_item)
        self.integrator = make.integrator(gpus[0])
        self.raw, self.blanker = self.unpacks[0], None

    def connect(self, box, _):
        """Wires the stages between the ports of a hierarchical block."""
        for k, stages in enumerate(zip(self.unpacks, self.spectra, self.xengines)):
            box.connect(box, *stages, (self.join, k))
        box.connect(self.join, self.integrator)
        box.connect((self.integrator, 0), (box, 0))
        box.connect((self.integrator, 1), (box, 1))

    def describe(self):
        """A sentence on who does what."""
        return ("each takes every " + {2: "second", 3: "third"}.get(
            len(self.unpacks), f"{len(self.unpacks)}th") + " block; their sums are added up")
