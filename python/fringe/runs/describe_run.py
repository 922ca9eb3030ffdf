#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""From what a user sets to a run that can be done: all that is decided before it, and all that is
refused. Nothing is opened for writing here."""
import dataclasses
import functools

from .. import fringe_python as fp
from ..chains.several_gpus import names_of
from ..observing.inputs_in_turn import what_was_assumed
from ..observing.levels import corrections_of, requantize_gains
from ..observing.phase_centers import observations_towards, satellites_of, warnings
from ..observing.plausible import notes as notes_on
from ..observing.recording_names import absolute
from ..observing.settings import check_recordings, observation_for
from ..observing.sizes import block_sizes
from ..receiving.receivers import receivers_of
from ..receiving.recorded_spectra import recorded_spectra
from .settings import run_settings


@dataclasses.dataclass
class described_run:
    """A run that can be done; see describe_run()."""
    settings: run_settings
    observations: list  #: one for each phase center
    satellites: list  #: the table that each of them follows, or "" for its phase center
    sizes: block_sizes
    gains: list  #: of the requantizer, [input]; None: to be measured of live packets
    samples: int = 0  #: of every input, in recordings
    live: object = None  #: live_packets or recorded_spectra in the place of recordings
    header_notes: list = ()  #: sentences on what headers of recordings say
    unlikely: list = ()  #: sentences on settings that are hardly meant
    warnings: list = ()  #: sentences on what will be lost
    gates: object = None  #: pulse_gates; None = all spectra

    @property
    def obs(self):
        """The observation of the first phase center."""
        return self.observations[0]

    @property
    def spectra(self):
        """True where spectra come in, and not samples."""
        return self.live is not None and self.live.spectra

    @property
    def encoding(self):
        """Of the samples, a sample_encoding."""
        return self.sizes.encoding

    @functools.cached_property
    def corrections(self):
        """Factors [input * channel] that take the receivers out."""
        return corrections_of(self.obs, self.encoding.complex_samples, self.settings.gains)

    def source(self):
        """The block that reads the recordings."""
        if self.live:
            return self.live.source(self.obs, self.block_samples)
        obs, settings = self.obs, self.settings
        return fp.file_source(
            list(settings.recordings), obs.format, self.sizes.inputs, self.block_samples,
            obs.sample_rate, obs.center_frequency,
            obs.start_time.iso(18) if obs.has_start_time else "",
            start_samples=list(settings.start_sample or [0]), samples=settings.samples or 0,
            prefer=settings.prefer or "", allow_gaps=settings.allow_gaps,
            item_samples=self.sizes.item_samples)

    @property
    def block_samples(self):
        """Samples of every input, or spectra, in an item of the source."""
        return self.sizes.block_spectra if self.spectra else self.sizes.block_samples

    def history(self):
        """Lines for the files' history: what is read, and what to know of it."""
        lines = [f"received {self.live}" if not self.settings.recordings else
                 "read " + ", ".join(map(absolute, self.settings.recordings)),
                 *self.header_notes, *(f"note: {sentence}" for sentence in self.unlikely)]
        return "".join(f"\n{line}" for line in lines)


def describe_run(settings):
    """Checks run_settings against the recordings, or what an address says of packets, and decides
    what one run has to know: a described_run. Raises ValueError for bad input and for a damaged
    recording."""
    settings.check()
    live, header_notes = None, []
    try:
        if settings.live or recorded_spectra.is_one_of(settings.recordings):
            live = (receivers_of(settings.live, settings.seconds) if settings.live else
                    recorded_spectra(settings.recordings))
            obs, encoding, times = live.observation(settings)
        else:
            obs, encoding, times = observation_for(settings)
            check_recordings(settings.recordings, obs, encoding, times, settings.samples)
            header_notes = [*times.notes, *what_was_assumed(settings, obs)]
        satellites = satellites_of(settings.phase_centers, settings.tracking) or [""]
        observations = observations_towards(obs, settings.phase_centers)
        settings.check_output_settings(obs)
        complex_samples = encoding.complex_samples
        lost = dict.fromkeys(sentence for towards in observations
                             for sentence in (*warnings(towards, complex_samples),
                                              *settings.warnings(towards, complex_samples)))
        described = described_run(
            settings, observations, satellites, _sizes(settings, obs, encoding, live), gains=None,
            live=live, header_notes=header_notes, warnings=list(lost))
        settings.check_samples(obs, encoding, described.corrections, settings.remove_mean)
        if described.spectra:
            live.check_spectra_options(settings)
        elif settings.blanks_pulses(encoding) and len(_gpus(settings)) > 1:
            raise ValueError(f"flag: {settings.flag}: pulses are blanked on one GPU or on a CPU, "
                             f"not on devices={','.join(_gpus(settings))}; name one, or take "
                             "flag=spectra or flag=dumps")
        if live:
            if settings.is_gated:
                raise ValueError(f"{'gate' if settings.gate else 'bins'}: gates are for recorded "
                                 "samples; record first")
            return described
        described.samples = settings.samples or times.samples
        described.gates = settings.pulse_gates(obs, complex_samples, described.samples)
        if described.sizes.on_gpu and described.gates is None and not (
                settings.remove_mean or len(_gpus(settings)) > 1):
            described.sizes = described.sizes.in_gpu_items()
        described.unlikely = notes_on(settings.recordings, observations, described.samples)
        described.gains = requantize_gains(settings.recordings, obs, times,
                                           described.corrections)
        return described
    except fp.device_error:
        raise
    except RuntimeError as error:  # damaged_recording
        raise ValueError(str(error)) from None


def _gpus(settings):
    return [] if settings.devices is None else names_of(settings.devices)


def _sizes(settings, obs, encoding, live):
    gpus = _gpus(settings)
    block_spectra = live.block_spectra if live else 0
    return block_sizes(encoding.name, len(obs.inputs), obs.channels, block_spectra,
                       backend=gpus[0] if gpus else str(fp.compute_target(settings.backend)),
                       gpus=len(gpus) or 1)
