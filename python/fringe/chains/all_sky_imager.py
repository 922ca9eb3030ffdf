#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""From raw samples to images in one box."""

from gnuradio import gr

from .. import fringe_python as fp
from ..observing import item_sizes
from .fx_correlator import fx_correlator
from ..observing.levels import corrections_of
from ..observing.phase_centers import tracking_of
from ..image_blocks.imager import imager


class all_sky_imager(gr.hier_block2):
    """Raw samples of all antennas to images of the sky: an fx_correlator and an imager in one box.

    Input: raw sample blocks, as file_source sends them, of the sizes that fx_correlator has.
    Output: images, float32 [polarization][channel group][m][l]. See fx_correlator and imager for
    equations, tags and units.

    What the observation says of its inputs (gains, phases, cable delays, signs of the IF, streams)
    is taken out, and delays where it is tracked.

      observation: antennas, inputs, phase center, sample rate, frequency
      format: of the samples, "ci8" say
      channels, seconds: of the correlator: seconds is the length of a dump
      every: seconds in an image; 0 = an image of each dump
      size, scale, pol, weight, channels_out, gridder, eps, drop: see imager
      taps, window, backend, block_spectra: see fx_correlator

    The attributes `correlator` and `imager` are the two blocks. Raises ValueError as they do.
    """

    def __init__(self, observation, format="ci8", channels=64, seconds=0.1, size=256, scale=0.0,
                 pol="I", weight="natural", channels_out=1, every=0.0, gridder="auto", eps=1e-3,
                 drop=False, taps=4, window="hann", backend="auto", block_spectra=0):
        encoding = fp.encoding_by_name(format)
        obs, inputs = observation, len(observation.inputs)
        self.imager = imager(obs, channels, size, scale, pol, weight, channels_out, every, gridder,
                             eps, drop, encoding.complex_samples)
        self.correlator = fx_correlator.of(
            obs, format, channels=channels, seconds=seconds, taps=taps, window=window,
            block_spectra=block_spectra, backend=backend, tracking=tracking_of(obs))
        frame = item_sizes.image(size, pol, channels_out) * gr.sizeof_float
        gr.hier_block2.__init__(
            self, "fringe_all_sky_imager",
            gr.io_signature(1, 1, item_sizes.raw_bytes(format, inputs, channels, block_spectra)),
            gr.io_signature(1, 1, frame))
        self.connect(self, self.correlator, (self.imager, 0), (self, 0))
        self.connect((self.correlator, 1), (self.imager, 1))
