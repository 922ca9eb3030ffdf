#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities of a model of the sky, dump by dump."""

import numpy as np

from ..images.dump_images import dump_sky
from ..images.known import read_known
from ..readers.visibilities import require_plain_file
from ..sky_model.model_sky import frame_of_file, image_model, is_image, point_model
from .dump_changer import dump_changer

MODES = ("replace", "add", "subtract")


class degridder(dump_changer):
    """Makes visibilities of a model of the sky, for the times and baselines of the dumps that
    come in.

        V_ij = sum_(l, m) I(l, m) exp(+2 pi i (u l + v m + w (n - 1)))

    The model is an image whose pixels are fluxes, as fringe image --clean writes x-model.fits, the
    sky of an observation file, or a catalogue with fluxes: what `fringe predict` takes. The
    phases are those of the stream: where the dumps are not tracked the fringes are in them.

    Input 0: visibilities, complex64 [channel][baseline], `channels_per_item` channels an item;
    input 1 (optional): weights, float32; input 2 (optional): flags, uint8; same shape.
    Outputs: the same; where no weights (flags) come in, the outputs have 1 (0). All tags are kept.

      observation: places, phase center and frequencies
      model: path of x.fits or x.yml
      mode: "replace" sends the model alone, "add" adds it to the dumps (a source in a stream of
        noise), "subtract" takes it out of them
      channels, complex_samples, channels_per_item: as visibility_sink's
      eps: rms error of the visibilities of an image

    Raises ValueError for files that are no model, and settings that cannot be. Where the model and
    the stream do not fit together the flowgraph ends with a sentence in the log.
    """

    def __init__(self, observation, model, channels=128, mode="replace", eps=1e-4,
                 complex_samples=True, channels_per_item=0):
        if mode not in MODES:
            raise ValueError(f"degridder: mode {mode}; there are {', '.join(MODES)}")
        if not 2e-6 <= eps <= 0.1:
            raise ValueError(f"degridder: eps {eps}; it must be 2e-6 to 0.1")
        dump_changer.__init__(self, "degridder", observation, channels, complex_samples,
                              channels_per_item)
        self._sky = dump_sky(observation, channels, complex_samples)
        self._path, self._mode, self._eps = model, mode, eps
        self._image = self._known = None
        if is_image(model):
            require_plain_file(model)
            open(model, "rb").close()
        else:
            self._known = read_known(model)

    def change(self, dump):
        """The dump with the model, or the model alone."""
        vis = self._sky.visibilities([dump])
        if self._known is None:
            self._image = self._image or image_model(self._path, vis, self._eps)
            model = self._image
        else:
            model = point_model(self._path, vis, frame_of_file(vis), self._known)
        made = self._sky.unphased(model.visibilities(vis), [dump])[0]
        if self._mode == "replace":
            return made
        return (dump.values + made if self._mode == "add"
                else dump.values - made).astype(np.complex64)
