#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The block Peeler, by the place where the dumps are."""
from .gpu_peeler import gpu_peeler
from .host_peeler import host_peeler


def peeler(observation, sources, channels=128, dumps=8, solution_channels=0, passes=60,
           damping=0.9, clip=5.0, taper=-1.0, complex_samples=True, channels_per_item=0,
           solve="gains", selfcal=0, backend="auto"):
    """The block that subtracts the strongest sources from dumps, with a gain of each antenna
    towards each: a host_peeler, or on a GPU a gpu_peeler.

        V_ab = sum_k g_ka conj(g_kb) exp(2 pi i (u l_k + v m_k + w (n_k - 1))) + all the rest

    The gains are solved for each dump, from it and those before it, as `fringe peel` does.
    Visibilities from which a source cannot be subtracted, as its gains do not converge, say, stay
    as they are: the stream goes on in any case, and the port `solutions` says why.

    Message port `solutions`: after each dump a dict with `seconds`, `fraction` (start of the
    dump), `solved_in` (seconds), and `sources`, a dict by their names: each a dict with `converged`
    (bool), `flux` that was removed, mean of the solutions, and `problem` (why not, or "").

      observation: places, phase center and frequencies
      sources: names such as "Sun,CasA", an observation file with a sky, or a catalogue
      dumps: of a solution: this one and so many - 1 before it
      passes, damping, clip, taper, channels of a solution: as those of fringe peel
      channels, complex_samples, channels_per_item: as visibility_sink's
      solve: gains, or offsets: a flux and an offset, which grows with the square of the wavelength,
        of each source
      selfcal: cycles of self-calibration: the other sources that CLEAN finds in the image of what
        is left go into the model, and the gains are solved again, so that they keep their flux.
        Each makes an image of the dumps of the solution, for which the flowgraph waits
      backend: "cuda", "cuda:1", ...: dumps of an integrator on this GPU stay there, for an imager
        with the same backend: at most 4 sources, and gains without self-calibration. "auto", "cpu"
        or "generic": the host computes, and dumps come there

    Both send the same visibilities with the same tags, and have peeled() and left(): of how many
    dumps all sources that are up were subtracted, and in how many at least one stayed. Raises
    ValueError for sources that are not known, and settings that cannot be, with a sentence.
    """
    shared = (observation, sources, channels, dumps, solution_channels, passes, damping, clip,
              taper, complex_samples, channels_per_item)
    if not str(backend).startswith("cuda"):
        if backend not in ("auto", "cpu", "generic"):
            raise ValueError(f"peeler: backend {backend}; it must be auto, cpu, generic, cuda, or "
                             "cuda:1 and so on")
        return host_peeler(*shared, solve, selfcal)
    for name, value, only in (("solve", solve, "gains"), ("selfcal", selfcal, 0)):
        if value != only:
            raise ValueError(f"peeler: {name} {value}; with backend {backend} it must be {only}, "
                             "since dumps stay on the GPU; backend auto takes it")
    return gpu_peeler(*shared, backend)
