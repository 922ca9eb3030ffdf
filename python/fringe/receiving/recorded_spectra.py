#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A recording of spectra (fringe record, x.h5) as what correlate() receives."""
import os
import types

from .live import OF_RECORDINGS, live_packets
from .. import fringe_python as fp
from ..readers.spectra_file import is_spectra_file, spectra_source


class recorded_spectra(live_packets):
    """One file, in the place of the live packets that it was made of."""

    real_time = False
    is_other, says_inputs = "has spectra", "its header"
    not_of_it = tuple(name for name in OF_RECORDINGS if name != "samples")

    def __init__(self, paths):  # pylint: disable=super-init-not-called
        if len(paths) > 1:
            raise ValueError(f"recordings: {paths[0]}: is a recording of spectra, which has all "
                             "inputs: give one file")
        self.path = self.url = paths[0]
        facts = fp.spectra_reader(self.path).facts
        self.preset, self.seconds, self.samples = self.path, None, 0
        self.inputs, self.block_spectra = facts.inputs, facts.block
        self.layout = types.SimpleNamespace(
            spectra=True, all_channels=facts.channels, channels=facts.packet_channels,
            sample_rate=facts.rate, center_frequency=facts.frequency,
            encoding="cvdif4" if facts.bits == 4 else "ci8")

    @staticmethod
    def is_one_of(paths):
        """True when one of the paths is such a file."""
        return any(is_spectra_file(path) for path in paths)

    @property
    def described(self):
        return self.path

    def observation(self, settings):
        """As of live packets; the option samples is the number of spectra that are read."""
        if any(settings.start_sample or ()):
            raise ValueError(f"start_sample: {settings.start_sample[0]}: {self.path} is read from "
                             "its beginning")
        self.samples = settings.samples or 0
        return super().observation(settings)

    def make_layout(self, sample_rate=None, channels=None):
        if channels and channels != self.layout.all_channels:
            raise ValueError(f"channels: {channels}: {os.path.basename(self.path)} has spectra "
                             f"of {self.layout.all_channels} channels; leave it out")
        return self.layout

    def source(self, obs, block_samples, samples=0):
        return spectra_source(self.path, samples or self.samples, obs.center_frequency)
