#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The flowgraph of a run: recordings or packets to dumps, and dumps to files."""
import dataclasses

from gnuradio import gr

from ..chains.fx_correlator import fx_correlator
from ..chains.spectra_correlator import spectra_correlator
from ..ground.losses import of_inputs, sentences
from ..observing.phase_centers import tracking_of
from .outputs import flagged_sentence, flagged_spectra_sentence, write_dumps


class dumps_to_files(gr.top_block):
    """A flowgraph that makes dumps and writes them. A derived class has the attributes

    source: something like a file_source
    correlators: the blocks whose outputs are the dumps, one for each phase center, and
        correlator, the first of them
    encoding, settings, satellites: of the samples, see output_settings, of each center

    and losses(obs), unusable samples, cause -> [input]."""

    rate = None  #: samples, or spectra, a second; None: the observation's
    values = 1  #: of every input, in a sample: the channels, where spectra come in
    gates = None  #: pulse_gates, each of which has dumps of its own
    real_time = False  #: the data do not wait for what is made of them

    def write_to(self, outputs, observations, overwrite=False, history="", images=None):
        """Adds the files of visibilities and of images, [observation][path]; ValueError where one
        cannot be made."""
        for dumps, paths, pictures, obs, satellite, gated in self._dumps(
                outputs, images or [()] * len(outputs), observations):
            sinks, imaging, flagger = write_dumps(
                self, dumps, obs, self.encoding, paths, self.settings, overwrite, history + gated,
                satellite, pictures, self.real_time)
            self.settings = dataclasses.replace(self.settings, web="")  # the first center has it
            self.imaging += imaging
            for sink in sinks:
                sink.set_last_words(lambda obs=obs: last_words(self, obs))
            self.sinks += sinks
            self.flaggers.append(flagger)

    def _dumps(self, outputs, images, observations):
        """What makes dumps, with its files, observation, satellite, and words for the history."""
        for made, paths, pictures, obs, satellite in zip(
                self.correlators, outputs, images, observations, self.satellites):
            if self.gates is None:
                yield made, paths, pictures, obs, satellite, ""
                continue
            for gate, some in enumerate(zip(*map(self.settings.gated_paths, (paths, pictures)))):
                yield ((made, gate, len(self.gates)), *some, obs, satellite,
                       f"\n{self.gates.sentence(gate)}")

    @property
    def image_sinks(self):
        """The blocks that write images."""
        return [sink for _, sink in self.imaging]

    def flagged(self):
        """Sentences on what was taken for RFI; none where nothing looked for it."""
        looked = [made.flagger for made in self.correlators if made.flagger]
        lines = [flagged_spectra_sentence(looked), *map(flagged_sentence, self.flaggers)]
        return [sentence for sentence in lines if sentence]


class correlator(dumps_to_files):
    """The flowgraph of a described_run: its source, a correlator for each of its observations
    (they differ in their phase centers), and by write_to() a visibility_sink for each output.

    cores_read: on a CPU all cores read the recordings, and the source is in no flowgraph"""

    def __init__(self, described, cores_read=True):
        gr.top_block.__init__(self, "fringe correlate", catch_exceptions=True)
        settings, sizes, obs, live = (described.settings, described.sizes, described.obs,
                                      described.live)
        self.encoding, self.settings = described.encoding, settings
        self.satellites = described.satellites
        self.gates = described.gates
        self.levels = ""  # a sentence on gains that were measured
        gains = described.gains
        if gains is None:
            gains, self.levels = live.requantize_gains(obs, self.encoding,
                                                        described.corrections)
        # The addresses of live packets were those of the measurement until now.
        self.source = described.source()
        search = settings.spectra_search()
        if described.spectra:
            self.correlators = [
                spectra_correlator(sizes.inputs, sizes.channels, obs.integration, obs.spectra,
                                   sizes.block_spectra, bits=live.bits, flag=search,
                                   backend=settings.backend)
                for _ in described.observations]
        else:
            self.correlators = [
                fx_correlator.of(
                    obs, self.encoding.name, requantize=obs.requantize, gains=gains,
                    files=self.source.parts(), corrections=described.corrections,
                    block_spectra=sizes.block_spectra, item_spectra=sizes.item_spectra,
                    backend=settings.backend, tracking=tracking_of(towards, satellite), flag=search,
                    recording=self.source if cores_read and not live else None,
                    remove_mean=settings.remove_mean, devices=settings.devices,
                    split=settings.split, pulses=settings.blanks_pulses(self.encoding),
                    gates=described.gates)
                for towards, satellite in zip(described.observations, self.satellites)]
        self.correlator = self.correlators[0]
        self.rate = live.layout.sample_rate if described.spectra else obs.sample_rate
        self.values = sizes.channels if described.spectra else 1
        for made in self.correlators:
            if not made.reads:
                self.connect(self.source, made)
        self.real_time = live is not None and live.real_time
        self.sinks, self.imaging, self.flaggers = [], [], []

    def release(self):
        """Frees, after the run, what would stay until the process ends."""
        for made in self.correlators:
            made.release()

    def losses(self, obs):
        """Unusable samples, cause -> [input]."""
        return {**of_inputs(self.source, obs), **self.correlator.losses(),
                "clipped": self.correlator.saturated()}


def last_words(flowgraph, obs):
    """What became of the samples, for the end of a file's history."""
    samples = flowgraph.source.samples_read()
    lines = sentences(flowgraph.losses(obs), samples * flowgraph.values) or ["no samples lost"]
    return "\n".join([f"{samples} {what_is_read(flowgraph.values)} of every input read", *lines,
                      *flowgraph.flagged()])


def what_is_read(values):
    """The noun for what comes in: samples, or spectra of several values."""
    return "samples" if values == 1 else f"spectra of {values} channels"
