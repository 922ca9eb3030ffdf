#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Visibilities of a model of the sky, in a copy of a visibility file."""

import os

import numpy as np

from ..ground.options import with_options
from ..visibility_files.in_parts import read_in_parts
from ..visibility_files.read_visibilities import read_visibilities
from ..readers.selection import selection
from .model_sky import frame_of_file, image_model, is_image, point_model
from ..visibility_files.replaced_data import replaced_data


def predict(model, path, output, add=False, overwrite=False, epsilon=1e-5, beam=None,
            **chosen):
    """Writes a copy of a visibility file with the visibilities of a model; says in words what.

    In a copy of a MeasurementSet they are the column MODEL_DATA (CORRECTED_DATA with `add`), and
    DATA stays. output=None: in the MeasurementSet itself; `overwrite` allows to replace a column
    that it has.

    model: the path of a FITS image, as fringe image --clean writes them, of an observation with a
    sky, or of a catalogue. The autocorrelations become the sum of the fluxes. add: what
    is in the file stays, and the model is added. beam: a primary beam of beam_of()
    that the fluxes are multiplied by. field, spw, subarray, column: as
    read_visibilities() has them; all else stays as it is. Raises ValueError.
    """
    described = read_visibilities(path, with_data=False, **chosen)
    check_file(described)
    if is_image(model):
        sky = image_model(model, described, epsilon, beam)
    else:
        frame = frame_of_file(described)
        sky = point_model(model, described, frame, beam=beam)
    column = column_of(add)
    words = sky.words + ('' if beam is None else f', times the primary beam, {beam.words}')
    history = f'fringe predict: {column} = ' + f'{described.selection.column} + ' * add + words
    with replaced_data(described, output, column, history, overwrite) as file:
        for first, vis in read_in_parts(described):
            made = sky.visibilities(vis)
            file.write(first, np.where(vis.lost(), 0, vis.data + made if add else made))
    return f'{os.path.basename(output or described.path)}: {words}'


with_options(predict, selection)


def column_of(add):
    """The column of a MeasurementSet that predict() writes."""
    return 'CORRECTED_DATA' if add else 'MODEL_DATA'


def check_file(vis):
    """Raises ValueError for a file that does not determine the phases."""
    if vis.frequencies is None or vis.frequencies.min() < 0:
        raise ValueError(f'{vis.path}: does not say at which frequencies it was made')
    if vis.uvw is None and vis.positions is None:
        raise ValueError(f'{vis.path}: does not say where its antennas stand')
