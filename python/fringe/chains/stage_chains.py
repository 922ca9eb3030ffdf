#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""From raw blocks to dumps: the chains of stages that an fx_correlator can be.

Each has the attributes

  raw: the block that takes raw blocks, and counts saturated samples; None: voltages come in
  spectra: the blocks that make spectra, which take corrections
  sums: the blocks that follow a new dump length before the integrator; [] where none can be set
  integrator: the block that makes dumps
  flagger: the block that leaves interference out; None = none
  blanker: a block of its own that blanks pulses; None = none
  memory: the memory_plan on GPUs; None: on a CPU

and connect(box, reads), which wires them between the ports of a hierarchical block; `reads` is
True where the first stage reads a recording itself.
"""
from .memory_plan import checked_plan
from .several_gpus import channel_split, choose_split, sizes, time_split
from .spectra_gate import spectra_gate
from .stage_maker import SUM_SPECTRA


class row:
    """Stages one behind the other."""

    blanker = None

    def __init__(self, *stages):
        self._stages = stages
        self.integrator = stages[-1]
        self.sums = [stages[-2]]

    def connect(self, box, reads):
        """Wires the stages between the ports of a hierarchical block."""
        box.connect(*(() if reads else (box,)), *self._stages)
        box.connect((self.integrator, 0), (box, 0))
        box.connect((self.integrator, 1), (box, 1))


class cores(row):
    """One engine on all cores of a CPU, which does it all but the last sum."""

    def __init__(self, make, backend):
        engine = make.fx_engine(backend)
        super().__init__(engine, make.integrator(backend))
        self.raw, self.spectra = engine, [engine]
        self.flagger = None if make.search is None else engine


class stages(row):
    """A block for each stage: on a GPU, or of voltages."""

    def __init__(self, make, backend):
        self.raw = None if make.voltages else make.unpack(backend)
        self.blanker = None if make.pulses is None else make.blanker(backend)
        self.spectra = [make.channelizer(backend)]
        self.flagger = None if make.search is None else make.flaggers(
            [backend], [make.sizes.channels])[0]
        before = [block for block in (self.raw, self.blanker, *self.spectra, self.flagger) if block]
        super().__init__(*before, make.xengine(backend), make.integrator(backend))


class gated(stages):
    """A block for each stage, and an X-engine and an integrator for each of G gates: the
    visibilities and weights of gate g are the ports g and G + g."""

    def __init__(self, make, backend):
        super().__init__(make, backend)
        *self._before, sums, _ = self._stages
        sizes_ = make.sizes
        self._gate = spectra_gate(sizes_.inputs, sizes_.channels, sizes_.block_spectra,
                                  make.component, make.gates)
        self._ends = [(sums, self.integrator)] + [
            (make.xengine(backend), make.integrator(backend)) for _ in range(len(make.gates) - 1)]
        self.sums = [stage for pair in self._ends for stage in pair
                     if stage is not self.integrator]

    def connect(self, box, reads):
        box.connect(box, *self._before, self._gate)
        for number, (sums, integrator) in enumerate(self._ends):
            box.connect((self._gate, number), sums, integrator)
            for port in (0, 1):
                box.connect((integrator, port), (box, number + port * len(self._ends)))


#: The chain on one compute target: by what comes in, and by whether that is a GPU.
ON_ONE = {("recordings", False): cores, ("recordings", True): stages,
          ("voltages", False): stages, ("voltages", True): stages}
#: The chain on several GPUs, by the way they share the work.
ON_SEVERAL = {"channels": channel_split, "time": time_split}


def on_one(make, target):
    """The chain on one compute target. RuntimeError where a GPU has not the memory."""
    plan = checked_plan(make, [str(target)]) if target.on_gpu else None
    chain = (gated if make.gates is not None else
             ON_ONE["voltages" if make.voltages else "recordings", target.on_gpu])
    made = chain(make, str(target))
    made.memory = plan
    return made


def way_on_several(make, gpus, split):
    """(way, why) in which several GPUs share the work: see choose_split."""
    component = make.component
    longest = SUM_SPECTRA[component] if make.spectra else SUM_SPECTRA["f32"]
    why_not_time = ("the search for interference" if make.search is not None else
                    "the running mean" if make.remove_mean else "")
    return choose_split(split, gpus, sizes(
        make.sizes.inputs, make.sizes.channels, make.sizes.raw_bytes, make.spectra_bytes,
        min(make.spectra or longest, longest) / make.sizes.block_spectra, why_not_time))


def on_several(make, gpus, split):
    """(chain, way to share the work, sentence on it) on several GPUs; split: "channels", "time"
    or "auto". RuntimeError where one of them has not the memory."""
    way, why = way_on_several(make, gpus, split)
    plan = checked_plan(make, gpus, way)
    made = ON_SEVERAL[way](make, gpus)
    made.memory = plan
    return made, way, (f"{', '.join(gpus)} share the work by {way} ({why}): {made.describe()}")
