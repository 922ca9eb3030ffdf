#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The block Imager, by the place where the dumps are."""
from .gpu_imager import gpu_imager
from .host_imager import host_imager


def imager(observation, channels=128, size=256, scale=0.0, pol="I", weight="natural",
           channels_out=1, every=0.0, gridder="auto", eps=1e-3, drop=False, complex_samples=True,
           channels_per_item=0, band=None, backend="auto"):
    """The block that makes images of dumps: a host_imager, or on a GPU a gpu_imager.

        I(l, m) = sum_k W_k Re{V_k exp(-2 pi i (u_k l + v_k m + w_k (n - 1)))} / sum_k W_k

      observation: places, phase center, frequencies and bad inputs
      channels, complex_samples, channels_per_item: as visibility_sink's
      size: pixels a side, 8 to 8192
      scale: degrees of a pixel; 0 = from horizon to horizon, or four pixels to a wave of the
        longest baseline where the phase center is not the zenith
      pol: I, Q, U, V, XX, YY, RR, LL, IQUV, or XX,YY
      weight: natural, uniform or briggs:R
      channels_out: groups of channels with an image each
      every: seconds of dumps in an image; 0 = an image of each dump. What does not fill an
        interval at the end of the data is not sent; see rest()
      gridder, eps: as fringe image has them
      band: (lowest, highest) frequency in Hz of the channels that count; None = all
      drop: False: every dump is imaged, and the flowgraph waits; True, for live data: a thread of
        its own makes the images, and dumps that come while it has others are left out and
        counted, see dropped(), so the blocks before never wait for an image
      backend: "cuda", "cuda:1", ...: dumps of an integrator on this GPU stay there, and only images
        come to the host: one of each dump, with natural weights and the gridder separable. Else
        dumps come to the host, and the gridder computes on what is named: "auto" (the first GPU
        that works, else the CPU), "cpu" or "generic"

    Both send the same images with the same tags, and have images() and empty(): how many were
    made, and how many not, as all their visibilities were flagged. Raises ValueError for settings
    that cannot be, with a sentence.
    """
    if not str(backend).startswith("cuda"):
        return host_imager(observation, channels, size, scale, pol, weight, channels_out, every,
                           gridder, eps, drop, complex_samples, channels_per_item, band, backend)
    for name, value, only in (("weight", weight, ("natural",)), ("every", every, (0,)),
                              ("gridder", gridder, ("auto", "separable")),
                              ("drop", drop, (False,))):
        if value not in only:
            raise ValueError(f"imager: {name} {value}; with backend {backend} it must be "
                             f"{only[-1]}, since dumps stay on the GPU; backend auto takes it")
    return gpu_imager(observation, channels, size, scale, pol, channels_out, eps, band,
                      complex_samples, channels_per_item, backend)
