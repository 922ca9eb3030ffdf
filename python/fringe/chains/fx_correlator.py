#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The whole correlator in one box."""
from gnuradio import gr

from .. import fringe_python as fp
from ..observing import item_sizes
from ..observing.levels import corrections_of
from .several_gpus import channel_split, choose_split, names_of, sizes, time_split

# Short sums of the X-engine: long enough that passing them on costs nothing, short enough that
# float32 keeps its precision in one, and int32 is exact; the integrator adds them up in double or
# int64.
SUM_SPECTRA = {"f32": 4096, "i8": 65535}

# Spectra over which a mean goes that is taken out: so much as one of them, a thousandth, does the
# channel in the middle of the band lose of its signal.
MEAN_SPECTRA = 1024


class fx_correlator(gr.hier_block2):
    """Raw sample blocks to dumps: unpack, channelizer, X-engine and integrator in one block.

    Input: raw sample blocks of `block_spectra` spectra's worth of samples, as file_source sends
    them (fx_correlator.block_samples() tells how many samples that is), or voltages of a stack.
    Output 0: visibilities, complex float32 [channel][baseline]; output 1: weights, float32.
    Each stage's documentation (help(fringe.channelizer), ...) has its equation and tags.

    Message port `integration`: a new dump length, see integrator.
    Message port `corrections`: new corrections, see channelizer.
    Message port `losses`: saturated samples so far, see unpack.
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
      flag: interference is looked for in the spectra, and left out: True, or a dict of the
        parameters of kurtosis_search. The attribute `flagger` is the block that does it, with the
        counts flagged() and cells(): the channelizer, or on a GPU a kurtosis_flagger
      remove_mean: the running mean of each input, over MEAN_SPECTRA spectra, is taken out
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

      recording: a file_source of such blocks that is in no flowgraph: on the CPU all cores read
      it, and the block has no input (the attribute `reads` is True). On a GPU connect it

    Raises ValueError as the stages do, RuntimeError where "cuda" has not the memory.
    """

    @classmethod
    def of(cls, observation, format, **more):
        """The correlator of an observation: its inputs, channels, dump length and filter bank, and
        what it says of the receivers (streams of a recording, signs of the IF, corrections).

          observation: see fringe.observation
          format: of the raw blocks, or "voltages" or "real_voltages" behind a stack, whose streams
            are connected in the order of the inputs
          more: other arguments of fx_correlator; they go before what the observation says
        """
        complex_samples = item_sizes.encoding(format).complex_samples
        described = fp.observation(observation)
        described.channels = more.pop("channels", observation.channels)
        length = {"seconds": observation.integration, "spectra": observation.spectra}
        words = {
            "taps": observation.taps, "window": observation.window,
            "streams": () if format in item_sizes.VOLTAGES else observation.streams(),
            "conjugate": [bool(one) for one in observation.conjugated()],
            **({} if {"seconds", "spectra"} & more.keys() else length), **more}
        if "corrections" not in words:
            words["corrections"] = corrections_of(described, complex_samples)
        return cls(len(observation.inputs), described.channels, format,
                   **{"seconds": 0, **words} if words.get("spectra") else words)

    def __init__(self, inputs, channels, format="voltages", seconds=1.0, spectra=0, taps=4,
                 window="hann", requantize="none", gains=(), files=1, streams=(),
                 conjugate=(), corrections=(), block_spectra=0, channels_per_item=0,
                 backend="auto", tracking=None, flag=False, recording=None, remove_mean=False,
                 devices=None, split="auto"):
        self.gpus = []
        if devices is not None:
            if backend != "auto":
                raise ValueError(f"devices: {devices}: goes instead of backend, which is "
                                 f"{backend}; leave one of the two out")
            self.gpus = names_of(devices)
            backend = self.gpus[0]
        encoding, voltages = item_sizes.encoding(format), format in item_sizes.VOLTAGES
        if voltages and (files != 1 or len(streams) or remove_mean):
            raise ValueError(f"fx_correlator: files, streams, remove_mean: format {format} has no "
                             "recording; connect the streams to the stack in their order, and put "
                             "a DC Blocker in front of it")
        if voltages and len(self.gpus) > 1:
            raise ValueError(f"fx_correlator: devices: {devices}: share recordings; format "
                             f"{format} takes one")
        block_spectra = item_sizes.spectra(inputs, channels, block_spectra)
        block_samples = self.block_samples(format, channels, block_spectra)
        per_item = channels_per_item or fp.channels_per_item(inputs, channels)
        component = "f32" if requantize == "none" else "i8"

        mean_blocks = -(-MEAN_SPECTRA // block_spectra) if remove_mean else 0

        search = {} if flag is True else flag

        def unpack(backend):
            return fp.unpack(format, inputs, block_samples, "auto", files, list(streams), backend,
                             mean_blocks)

        def unpacks(backends, kept_samples):
            return fp.unpack.make_turns(format, inputs, block_samples, files, list(streams),
                                        backends, kept_samples)

        def channelizer(backend, part=(0, 0)):
            return fp.channelizer(
                inputs, channels, block_spectra, encoding.complex_samples,
                "f32" if remove_mean else encoding.component, taps, window, requantize,
                list(gains), list(conjugate), list(corrections), backend, tracking,
                fp.kurtosis_search(**search) if flag and not backend.startswith("cuda") else None,
                part)

        def xengine(backend, channels=channels, per_item=per_item):
            return fp.xengine(inputs, channels, block_spectra, component, SUM_SPECTRA[component],
                              seconds, spectra, per_item, backend)

        def integrator(backend, channels=channels, per_item=per_item):
            return fp.integrator(inputs, channels, component, seconds, spectra, per_item, backend)

        def flaggers(backends, channels):
            return fp.kurtosis_flagger.make_parts(
                inputs, channels, block_spectra, component, fp.kurtosis_search(**search),
                4 if requantize == "4" else 8, backends)

        def engines(backend):
            """What makes sums of raw blocks."""
            on_gpu = backend.startswith("cuda")
            if not on_gpu and not voltages:
                return (fp.fx_engine(
                    format, inputs, channels, block_spectra, taps, window, requantize,
                    list(gains), list(conjugate), list(corrections), files, list(streams),
                    seconds, spectra, per_item, tracking,
                    fp.kurtosis_search(**search) if flag else None, backend, recording, 0,
                    mean_blocks),)
            flagger = (self._flagger(inputs, channels, block_spectra, requantize, search,
                                     backend),) if flag and on_gpu else ()
            return (*(() if voltages else (unpack(backend),)), channelizer(backend), *flagger,
                    xengine(backend))

        def stages(backend):
            return (*engines(backend), integrator(backend))

        # What is on its way between the stages: eight raw blocks, four of each other kind.
        samples = inputs * item_sizes.samples(format, inputs, channels, block_spectra)
        memory = 100 * samples
        if flag:  # what the flagger holds: three windows, and what waits for eight raw blocks
            items = -(-self._flagger_words(inputs, search)["window"] // block_spectra)
            memory += (3 * items + 8) * samples * (8 if requantize == "none" else 2)
        self.split, self.split_why = None, ""
        if len(self.gpus) > 1:
            raw = item_sizes.raw_bytes(format, inputs, channels, block_spectra)
            longest = SUM_SPECTRA[component] if spectra else SUM_SPECTRA["f32"]
            self.split, why = choose_split(split, self.gpus, sizes(
                inputs, channels, raw,
                inputs * channels * block_spectra * (8 if component == "f32" else 2),
                min(spectra or longest, longest) / block_spectra,
                "the search for interference" if flag else "the running mean" if remove_mean
                else ""))
            make = {"unpack": unpack, "unpacks": unpacks, "channelizer": channelizer,
                    "flaggers": flaggers if flag else None, "xengine": xengine,
                    "integrator": integrator}
            several = (
                time_split(self.gpus, inputs, channels, per_item, component, make)
                if self.split == "time" else
                channel_split(self.gpus, inputs, channels, per_item, block_spectra, component, raw,
                              remove_mean, make))
            self.split_why = (f"{', '.join(self.gpus)} share the work by {self.split} ({why}): "
                              f"{several.describe()}")
            gr.logger("fringe_fx_correlator").info(self.split_why)
            self.target = fp.compute_target(self.gpus[0])
        else:
            several = None
            made = self._make(stages, backend, memory)
        # Which blocks answer for what: one engine for all, or the stages of voltages, of a GPU or
        # of several.
        self.integrator = several.integrator if several else made[-1]
        self._raw = several.raw if several else None if voltages else made[0]
        self._sums = None if several else made[-2]
        self._spectra = several.channelizers if several else [
            made[0] if voltages or len(made) == 2 else made[1]]
        self.flagger = None
        if flag:
            self.flagger = (several.flaggers[0] if several else
                            made[-3 if self.target.on_gpu else 0])

        values = item_sizes.visibilities(inputs, channels, per_item)
        self.reads = recording is not None and not self.target.on_gpu
        ports = 0 if self.reads else 1
        gr.hier_block2.__init__(
            self, "fringe_fx_correlator",
            gr.io_signature(ports, ports,
                            item_sizes.raw_bytes(format, inputs, channels, block_spectra)),
            gr.io_signature2(2, 2, values * gr.sizeof_gr_complex, values * gr.sizeof_float))
        if several:
            several.connect(self)
        else:
            self.connect(*(() if self.reads else (self,)), *made)
            self.connect((self.integrator, 0), (self, 0))
            self.connect((self.integrator, 1), (self, 1))
        self.message_port_register_hier_out("losses")
        if self._raw:
            self.msg_connect(self._raw, "losses", self, "losses")
        if not several:  # whose dumps would change their length one after the other
            self.message_port_register_hier_in("integration")
            for stage in (self._sums, self.integrator):
                self.msg_connect(self, "integration", stage, "integration")
        self.message_port_register_hier_in("corrections")
        for one in self._spectra:
            self.msg_connect(self, "corrections", one, "corrections")
        self.message_port_register_hier_out("occupancy")
        if self.flagger:
            self.msg_connect(self.flagger, "occupancy", self, "occupancy")

    def _make(self, stages, asked, memory):
        """The stages on the backend that was asked for, or what "auto" finds to be possible."""
        self.target = fp.compute_target(asked)
        try:
            if asked == "auto" and self.target.on_gpu:
                self._check_memory(memory, self.target.index)
            return stages(self.backend)
        except RuntimeError as error:
            if asked != "auto" or not self.target.on_gpu:
                raise
            gr.logger("fringe_fx_correlator").warn(f"{error}; the CPU does the work instead")
            self.target = fp.compute_target("cpu")
            return stages(self.backend)

    @property
    def backend(self):
        """What it runs on: "cpu", "generic", "cuda:0", "cuda:1", ..."""
        return str(self.target)

    @staticmethod
    def _flagger(inputs, channels, block_spectra, requantize, search, backend):
        """The block that does on a GPU what a search asks of the channelizer on the CPU."""
        return fp.kurtosis_flagger(
            inputs, channels, block_spectra, "f32" if requantize == "none" else "i8",
            bits=4 if requantize == "4" else 8, backend=backend,
            **fx_correlator._flagger_words(inputs, search))

    @staticmethod
    def _flagger_words(inputs, search):
        """The parameters of that block."""
        words = {"zero" if word == "drop" else word: value for word, value in search.items()}
        window = fp.kurtosis_search(window=words.get("window", 0)).window_of(inputs)
        return {**words, "window": window}

    @staticmethod
    def _check_memory(needed, gpu):
        """RuntimeError where a GPU does not even hold the blocks between the stages."""
        device = fp.find_devices()[0][gpu]
        if needed > device.memory_bytes:
            raise RuntimeError(f"{device.name} has {device.memory_bytes / 2**20:.0f} MB of memory; "
                               f"blocks of this size need about {needed / 2**20:.0f} MB")

    @staticmethod
    def block_samples(format, channels, block_spectra):
        """Samples of every input in a raw block that makes `block_spectra` spectra."""
        return block_spectra * item_sizes.points(format, channels)

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
        return self._raw

    def set_integration(self, seconds=0.0, spectra=0):
        """A new dump length while running: seconds, or spectra. ValueError with several GPUs."""
        if not self._sums:
            raise ValueError(f"integration: {', '.join(self.gpus)} share the work, and dumps "
                             "keep the length that they begin with; stop, and start anew")
        self._sums.set_integration(seconds, spectra)
        self.integrator.set_integration(seconds, spectra)

    def set_corrections(self, corrections, start=None):
        """New corrections [input * channels] while running, from an epoch on (None: at once); see
        channelizer."""
        for one in self._spectra:
            one.set_corrections(list(corrections), start or fp.epoch())

    def losses(self):
        """Saturated samples so far, {"saturated": [input]}; of voltages nothing is known."""
        return self._raw.losses() if self._raw else {}

    def saturated(self):
        """Components clipped by the requantiser so far, [input]."""
        if self.split == "time":  # all inputs on each GPU
            return [sum(some) for some in zip(*(one.saturated() for one in self._spectra))]
        return [clipped for one in self._spectra for clipped in one.saturated()]

    def dumps(self):
        """Dumps sent so far."""
        return self.integrator.dumps()

    def spectra_lost(self):
        """Spectra that were expected and never came (gaps)."""
        return self.integrator.spectra_lost()
