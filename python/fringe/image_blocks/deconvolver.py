#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Cleaned images of dumps, while a flowgraph runs."""

from dataclasses import replace

from ..images.cleaning import clean_level, clean_settings
from .host_imager import host_imager

MINOR_CYCLES = ("clark", "hogbom")


class deconvolver(host_imager):
    """Makes images of dumps and takes the response of the array out of them (CLEAN).

        I_restored = M * B + R,   R = image of (V - visibilities of M)

    M are the components of the model, B the Gaussian beam, and R the residual. It is the CLEAN of
    `fringe image`: minor cycles find components in the image (Clark 1980, Hoegbom 1974), and major
    cycles make visibilities of them, subtract those from the visibilities of the dumps, and image
    the rest anew. The block takes visibilities, not images, for two reasons. A point spread
    function as large as the image reaches over half of its width only, so sidelobes of a source
    at one edge stay at the other. And in a wide field the response is not the same everywhere.
    Major cycles have neither problem.

    Inputs, and the parameters that are not below: those of an imager.
    Output 0: restored images, float32 [polarization][channel group][m][l], as an imager sends
    images. Output 1 (optional): residuals, of the same shape and unit. Output 2 (optional): models,
    in the unit of the visibilities, for a pixel.

    Tags read and written: those of an imager.

      iterations: components of the model of each image, polarization and group, at most. They
        bound the time that an image takes
      threshold: CLEAN ends where no pixel is higher: "3sigma", three standard deviations of the
        residual, or a value in the unit of the image, "0.05"
      gain: part of a peak that a component has
      major_gain: of the highest pixel, this part is taken out between two major cycles
      minor: clark (quick) or hogbom
      drop: as an imager's

    Raises ValueError for settings that cannot be, with a sentence.
    """

    NAME, OUTPUTS = "deconvolver", 3

    def __init__(self, observation, channels=128, size=256, scale=0.0, pol="I", weight="natural",
                 channels_out=1, every=0.0, gridder="auto", eps=1e-3, iterations=1000,
                 threshold="3sigma", gain=0.1, major_gain=0.8, minor="clark", drop=False,
                 complex_samples=True, channels_per_item=0, band=None):
        level = clean_level(threshold)
        for field, value, right, what in (
                ("iterations", iterations, int(iterations) == iterations and iterations >= 1,
                 "it must be a number of components, 1 or more"),
                ("threshold", threshold, level is not None,
                 "it must be 3sigma, or a value such as 0.05"),
                ("gain", gain, 0 < gain <= 1, "it must be more than 0 and at most 1"),
                ("major_gain", major_gain, 0 < major_gain <= 1,
                 "it must be more than 0 and at most 1"),
                ("minor", minor, minor in MINOR_CYCLES, f"there are {', '.join(MINOR_CYCLES)}")):
            if not right:
                raise ValueError(f"deconvolver: {field} {value}; {what}")
        self._clean = clean_settings(int(iterations), **level, gain=gain, major_gain=major_gain,
                                     minor=minor)
        self._unfinished = 0
        host_imager.__init__(self, observation, channels, size, scale, pol, weight, channels_out,
                             every, gridder, eps, drop, complex_samples, channels_per_item, band)

    def unfinished(self):
        """Images so far of which CLEAN ended above its threshold: after all its components, or
        as it had no effect any more."""
        return self._unfinished

    def start(self):
        """Forgets what is left of an earlier run."""
        self._unfinished = 0
        return host_imager.start(self)

    def _prepare(self, settings):
        settings.clean = self._clean

    def _ports(self, made):
        yield made
        yield replace(made, values=made.residual, kind="residual image")
        yield replace(made, values=made.model, kind="model")

    def _send(self, output_items):
        self._unfinished += any(report["end"] != "threshold"
                                for reports in self._ready[0].reports for report in reports)
        return host_imager._send(self, output_items)
