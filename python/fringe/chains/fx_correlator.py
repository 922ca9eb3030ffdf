#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The whole correlator in one box."""
from gnuradio import gr

from .. import fringe_python as fp
from ..ground.message_wires import message_wires
from ..observing.levels import corrections_of
from ..observing.sizes import VOLTAGES, block_sizes, encoding_of, points
from .several_gpus import names_of
from .stage_chains import on_one, on_several
from .stage_maker import stage_maker


class fx_correlator(message_wires, gr.hier_block2):
    """Raw sample blocks to dumps: unpack, channelizer, X-engine and integrator in one block.

    Input: raw sample blocks of `block_spectra` spectra's worth of samples, as file_source sends
    them (fx_correlator.block_samples() tells how many samples that is), or voltages of a stack.
    Output 0: visibilities, complex float32 [channel][baseline]; output 1: weights, float32.
    Each stage's documentation (help(fringe.channelizer), ...) has its equation and tags.

    Message port `integration`: a new dump length, see integrator.
    Message port `corrections`: new corrections, see channelizer.
    Message port `losses`: saturated samples so far, see unpack, and with `pulses` blanked ones.
    Message port `occupancy`: what share of the spectra was flagged, see kurtosis_flagger.

      inputs, channels: how many of each
      format: recording format of the raw blocks; "voltages" or "real_voltages" for what a stack
        sends: voltages [input][time], complex or real float32. Then files and streams are the
        stack's, a mean is not taken out, and losses() are the stack's
      seconds, spectra: dump length, one of the two
      taps, window: of the polyphase filter bank
      requantize, gains: "none", "8" or "4" and the factors in front of it, [input] or one
      files, streams: as unpack's;  conjugate, corrections: as the channelizer's
      block_spectra, channels_per_item: 0 = chosen for you
      item_spectra: raw blocks come in items of so many spectra's worth of samples, as a file_source
        sends them that has `item_samples`; a GPU gathers them. For one GPU, or several with
        split="time"; gpu_item_spectra() says how many suit a recording. 0 = block_spectra
      flag: interference is looked for in the spectra, and left out: True, or a dict of the
        parameters of kurtosis_search. The attribute `flagger` is the block that does it, with the
        counts flagged() and cells(): a kurtosis_flagger, or on a CPU the fx_engine
      pulses: pulses are blanked in the samples: True, or a dict of the parameters of pulse_search.
        losses() count them, as "blanked"; not with several GPUs
      remove_mean: the running mean of each input, over 1024 spectra, is taken out
      tracking: delays to be taken out (fringe.tracking), None = none
      backend: "auto" is the first GPU that works, if it has the memory (else the CPU, and the log
      says why); "cuda" that GPU, "cuda:1" GPU number 1, "cpu" or "generic". On a GPU the data stay
      there from stage to stage; only raw blocks go in and dumps come out. The attribute `backend`
      tells what it became: "cpu", "generic", "cuda:0", ...

      devices: several GPUs share the work: "all", or a list of their numbers, [0, 1]; instead of
        backend. One of them alone is as backend="cuda:1"
      split: how they share it. "channels": each makes the spectra of some inputs and multiplies
        some channels, and spectra go from GPU to GPU. "time": they take whole blocks in turn, and
        their sums are added up; not with flag or remove_mean. "auto" compares the bytes that
        would be sent (several_gpus.choose_split). The log says how, and so do the attributes
        `split` and `split_why`

      gates: pulse_gates: spectra of each of G gates become dumps of their own, on a CPU. Outputs g
        and G + g are the visibilities and weights of gate g; the weights of gates that make up a
        turn add up to those without

      recording: a file_source of such blocks that is in no flowgraph: on the CPU all cores read
      it, and the block has no input (the attribute `reads` is True). On a GPU connect it

    On GPUs the memory is planned before any of it is taken: the log says how much, and so does the
    attribute `memory` (None on a CPU), whose in_words() are the lines of a table.

    Raises ValueError as the stages do, RuntimeError where "cuda" or a GPU of `devices` has not the
    memory.
    """

    @classmethod
    def of(cls, observation, format, **more):
        """The correlator of an observation: its inputs, channels, dump length and filter bank, and
        what it says of the receivers (streams of a recording, signs of the IF, corrections).

          observation: see fringe.observation
          format: of the raw blocks, or "voltages" or "real_voltages" behind a stack, whose streams
            are connected in the order of the inputs
          more: other arguments of fx_correlator; they override the observation
        """
        complex_samples = encoding_of(format).complex_samples
        described = fp.observation(observation)
        described.channels = more.pop("channels", observation.channels)
        length = {"seconds": observation.integration, "spectra": observation.spectra}
        words = {
            "taps": observation.taps, "window": observation.window,
            "streams": () if format in VOLTAGES else observation.streams(),
            "conjugate": [bool(conjugated) for conjugated in observation.conjugated()],
            **({} if {"seconds", "spectra"} & more.keys() else length), **more}
        if "corrections" not in words:
            words["corrections"] = corrections_of(described, complex_samples)
        return cls(len(observation.inputs), described.channels, format,
                   **{"seconds": 0, **words} if words.get("spectra") else words)

    def __init__(self, inputs, channels, format="voltages", seconds=1.0, spectra=0, taps=4,
                 window="hann", requantize="none", gains=(), files=1, streams=(),
                 conjugate=(), corrections=(), block_spectra=0, channels_per_item=0,
                 backend="auto", tracking=None, flag=False, recording=None, remove_mean=False,
                 devices=None, split="auto", pulses=False, gates=None, item_spectra=0):
        self.gpus = []
        if devices is not None:
            if backend != "auto":
                raise ValueError(f"devices: {devices}: goes instead of backend, which is "
                                 f"{backend}; leave one of the two out")
            self.gpus = names_of(devices)
            backend = self.gpus[0]
        make = stage_maker(
            sizes=block_sizes(format, inputs, channels, block_spectra, channels_per_item,
                              item_spectra=item_spectra),
            taps=taps, window=window, requantize=requantize, gains=list(gains), files=files,
            streams=list(streams), conjugate=list(conjugate), corrections=list(corrections),
            tracking=tracking, remove_mean=remove_mean, seconds=seconds, spectra=spectra,
            search={} if flag is True else flag or None, recording=recording,
            pulses={} if pulses is True else pulses or None, gates=gates)
        if make.voltages and (files != 1 or len(streams) or remove_mean):
            raise ValueError(f"fx_correlator: files, streams, remove_mean: format {format} has no "
                             "recording; connect the streams to the stack in their order, and put "
                             "a DC Blocker in front of it")
        if make.voltages and len(self.gpus) > 1:
            raise ValueError(f"fx_correlator: devices: {devices}: share recordings; format "
                             f"{format} takes one")
        if make.pulses is not None and len(self.gpus) > 1:
            raise ValueError(f"fx_correlator: devices: {devices}: pulses are blanked on one GPU, "
                             "or on a CPU; name one, or take pulses=False")
        if gates is not None:
            if self.gpus or fp.compute_target(backend if backend != "auto" else "cpu").on_gpu:
                raise ValueError(f"fx_correlator: gates: are for a CPU, not for "
                                 f"{', '.join(self.gpus) or backend}; take backend=cpu")
            backend = "cpu" if backend == "auto" else backend
        self.split, self.split_why = None, ""
        if len(self.gpus) > 1:
            self._chain, self.split, self.split_why = on_several(make, self.gpus, split)
            gr.logger("fringe_fx_correlator").info(self.split_why)
            self.target = fp.compute_target(self.gpus[0])
        else:
            self._chain = self._on_one(make, backend)
        self.integrator, self.flagger = self._chain.integrator, self._chain.flagger
        self.memory = self._chain.memory
        self.reads = recording is not None and gates is None and not self.target.on_gpu
        if item_spectra not in (0, make.sizes.block_spectra) and not self.reads and (
                make.voltages or remove_mean or not self.target.on_gpu
                or self.split == "channels"):
            raise ValueError(f"fx_correlator: item_spectra: {item_spectra}: blocks are gathered "
                             "from raw items by one GPU, or by several with split=\"time\"; take "
                             "0, and let the source send whole blocks")
        ports, values = 0 if self.reads else 1, make.sizes.visibilities
        made = [values * size for size in (gr.sizeof_gr_complex, gr.sizeof_float)
                for _ in range(1 if gates is None else len(gates))]
        gr.hier_block2.__init__(
            self, "fringe_fx_correlator",
            gr.io_signature(ports, ports, make.sizes.item_bytes),
            gr.io_signature.makev(len(made), len(made), made))
        self._chain.connect(self, self.reads)
        self._connect_messages()

    def _connect_messages(self):
        chain = self._chain
        self.message_port_register_hier_out("losses")
        for stage in filter(None, (chain.raw, chain.blanker)):
            self.connect_messages(stage, "losses", self, "losses")
        if chain.sums:
            self.message_port_register_hier_in("integration")
            for stage in (*chain.sums, chain.integrator):
                self.connect_messages(self, "integration", stage, "integration")
        self.message_port_register_hier_in("corrections")
        for stage in chain.spectra:
            self.connect_messages(self, "corrections", stage, "corrections")
        self.message_port_register_hier_out("occupancy")
        if chain.flagger:
            self.connect_messages(chain.flagger, "occupancy", self, "occupancy")

    def _on_one(self, make, asked):
        """The chain on the backend that was asked for, or on what "auto" finds to be possible."""
        self.target = fp.compute_target(asked)
        try:
            return on_one(make, self.target)
        except RuntimeError as error:
            if asked != "auto" or not self.target.on_gpu:
                raise
            gr.logger("fringe_fx_correlator").warn(f"{error}; the CPU does the work instead")
            self.target = fp.compute_target("cpu")
            return on_one(make, self.target)

    @property
    def backend(self):
        """What it runs on: "cpu", "generic", "cuda:0", "cuda:1", ..."""
        return str(self.target)

    @staticmethod
    def block_samples(format, channels, block_spectra):
        """Samples of every input in a raw block that makes `block_spectra` spectra."""
        return block_spectra * points(format, channels)

    def select_dumps(self, first, end):
        """Makes the dumps first ... end - 1 of a recording only, see fx_engine.select_dumps."""
        self._engine().select_dumps(first, end)

    def recorded_dumps(self):
        """Numbers of the first dump of a recording, of the one behind the last, and the number
        of dumps that are made together, see fx_engine."""
        engine = self._engine()
        return (*engine.recorded_dumps(), engine.dumps_together())

    def _engine(self):
        if not self.reads:
            raise ValueError(f"dumps: backend {self.backend}: single dumps of a recording are "
                             "made on a CPU only; take backend cpu")
        return self._chain.raw

    def set_integration(self, seconds=0.0, spectra=0):
        """A new dump length while running: seconds, or spectra. ValueError with several GPUs."""
        if not self._chain.sums:
            raise ValueError(f"integration: {', '.join(self.gpus)} share the work, and dumps "
                             "keep the length that they begin with; stop, and start anew")
        for stage in self._chain.sums:
            stage.set_integration(seconds, spectra)
        self.integrator.set_integration(seconds, spectra)

    def set_corrections(self, corrections, start=None):
        """New corrections [input * channels] while running, from an epoch on (None: at once); see
        channelizer."""
        for stage in self._chain.spectra:
            stage.set_corrections(list(corrections), start or fp.epoch())

    def losses(self):
        """Samples so far, {"saturated": [input]}, which is not known of voltages; with `pulses`
        "blanked", too."""
        return {cause: counts for block in (self._chain.raw, self._chain.blanker) if block
                for cause, counts in block.losses().items()}

    def saturated(self):
        """Components clipped by the requantizer so far, [input]."""
        if self.split == "time":  # all inputs on each GPU
            counts = [stage.saturated() for stage in self._chain.spectra]
            return [sum(some) for some in zip(*counts)]
        return [count for stage in self._chain.spectra for count in stage.saturated()]

    def dumps(self):
        """Dumps sent so far."""
        return self.integrator.dumps()

    def spectra_lost(self):
        """Spectra that were expected and never came (gaps)."""
        return self.integrator.spectra_lost()
