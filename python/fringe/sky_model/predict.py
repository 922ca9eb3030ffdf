#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities of a model of the sky, in a copy of a visibility file."""

import os

import numpy as np

from ..arguments import with_options
from ..readers.read_visibilities import read_visibilities
from ..readers.selection import selection
from .model_sky import frame_of_file, image_model, is_image, point_model
from .replaced_data import replaced_data

#: Bytes of visibilities that are in memory at a time.
MEMORY = 2**29


def predict(model, path, output, add=False, overwrite=False, epsilon=1e-5, **chosen):
    """Writes a copy of a visibility file with the visibilities of a model; says in words what.

    model: the path of a FITS image, as fringe image --clean writes them, of an observation with a
    sky, or of a catalogue. The autocorrelations become the sum of the fluxes. add: what
    is in the file stays, and the model is added. field, spw, subarray, column: as
    read_visibilities() has them; all else stays as it is. Raises ValueError.
    """
    described = read_visibilities(path, with_data=False, **chosen)
    check_file(described)
    if is_image(model):
        sky = image_model(model, described, epsilon)
    else:
        frame = frame_of_file(described)
        sky = point_model(model, described, frame)
    with replaced_data(described, output, overwrite) as file:
        for first, vis in parts_of(described):
            made = sky.visibilities(vis)
            keep = vis.flags & (vis.weights <= 0)
            file.write(first, np.where(keep, 0, vis.data + made if add else made))
    return f'{os.path.basename(output)}: {sky.words}'


with_options(predict, selection)


def check_file(vis):
    """Raises ValueError for a file whose phases cannot be told."""
    if vis.frequencies is None or vis.frequencies.min() < 0:
        raise ValueError(f'{vis.path}: does not say at which frequencies it was made')
    if vis.uvw is None and vis.positions is None:
        raise ValueError(f'{vis.path}: does not say where its antennas stand')


def parts_of(described, memory=MEMORY, step=None):
    """(number of the first dump, visibilities with data) of a file, a part at a time.

    step: parts are multiples of so many dumps.
    """
    dumps = len(described.seconds)
    dump_bytes = len(described.frequencies) * len(described.products[0]) * 60
    unit = step or 1
    count = max(1, int(memory // (dump_bytes * unit))) * unit
    for first in range(0, dumps, count):
        yield first, read_visibilities(described.path, dumps=range(first, first + count),
                                       **described.selection.keywords())
