#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Mosaics: images of several fields in one, weighted by their primary beams.

Where field k shows A_k = b_k I with the noise s_k, the mosaic is what fits best to all of them
(Cornwell, Holdaway and Uson 1993; a linear mosaic):

    I = sum_k b_k A_k / s_k^2 / sum_k b_k^2 / s_k^2
"""

from dataclasses import replace

import numpy as np

from ..ground.axes import axes_towards
from .frame import frame_of
from .primary_beam import by_beam
from .sky_image import nothing_seen

#: Standard deviations of a normal distribution in its median deviation.
SIGMA = 1.4826
#: Radians between phase centers that are one field.
ONE_FIELD = 1e-7


def fields_of(files):
    """Lists of those `visibilities` that have one phase center."""
    found = []
    for vis in files:
        for field in found:
            if vis.uvw is None or field[0].uvw is None or _are_one(vis, field[0]):
                field.append(vis)
                break
        else:
            found.append([vis])
    return found


def _are_one(vis, other):
    return np.linalg.norm(_towards(vis) - _towards(other)) < ONE_FIELD


def _towards(vis):
    return axes_towards(*vis.phase_center[1:])[2]


def mosaic(fields, settings, make, progress=None):
    """The `sky_image` of lists of `visibilities`, each with a phase center of its own, around the
    middle of them all. CLEAN cleans each field by itself; all are restored with the beam of the
    first. Fields without visibilities are left out.

    make: make(settings, files, progress, frame) makes the image of a field.
    """
    middle = np.sum([_towards(files[0]) for files in fields], axis=0)
    middle /= np.linalg.norm(middle)
    center = float(np.arctan2(middle[1], middle[0]) % (2 * np.pi)), float(np.arcsin(middle[2]))
    frame = replace(frame_of(fields[0][0], False), center=center, name='mosaic', rotation=None,
                    phased=False, instant=None)
    images, empty = [], []
    for k, files in enumerate(fields):
        part = None if progress is None else (
            lambda done, k=k: progress((k + done) / len(fields)))
        try:
            made = make(settings, files, part, frame)
        except nothing_seen as error:
            empty.append(error)
            continue
        # The others have the pixels and the beam of the first.
        settings = replace(settings, size=made.values.shape[:1:-1], scale=made.pixel,
                           restoring=made.beam)
        images.append(made)
    if not images:
        raise empty[0]
    made = _combined(images, settings.beam_limit)
    made.remarks += [f'left out: {error}' for error in empty]
    return made


def _combined(images, limit):
    first = images[0]
    above, below, highest = {}, np.zeros(first.values.shape), 0
    for made in images:
        noise = made.apparent if made.residual is None else made.residual
        noise = np.abs(noise - np.nanmedian(noise, axis=(2, 3), keepdims=True))
        sigma = SIGMA * np.nanmedian(noise, axis=(2, 3), keepdims=True)
        there = np.isfinite(sigma) & (sigma > 0)
        weight = np.where(there, 1 / np.where(there, sigma, 1)**2, 0)
        weighted = made.primary_beam * weight
        below += made.primary_beam * weighted
        highest = np.maximum(highest, weight)
        for name, values in (('apparent', made.apparent), ('residual', made.residual),
                             ('model', made.model)):
            if values is not None:
                above[name] = above.get(name, 0) + weighted * np.nan_to_num(values)
    # What the best field has in its middle is 1, in each image.
    highest = np.where(highest > 0, highest, 1)
    power = below / highest
    combined = {name: by_beam(values / highest, power, limit**2) for name, values in above.items()}
    model = combined.get('model')
    begin = min((made.begin for made in images), key=sum)
    end = max(sum(made.begin) + made.duration for made in images)
    remarks = [f'a mosaic of {len(images)} fields, weighted by beam^2 / noise^2']
    remarks += list(dict.fromkeys(r for made in images for r in made.remarks))
    return replace(
        first, values=combined['apparent'], apparent=None, residual=combined.get('residual'),
        model=None if model is None else np.nan_to_num(model), psf=None,
        primary_beam=np.sqrt(power).astype(np.float32), begin=begin, duration=end - sum(begin),
        visibilities=sum(made.visibilities for made in images),
        total_weight=sum(made.total_weight for made in images), remarks=remarks,
        reports=[sum((made.reports[p] for made in images if made.reports), [])
                 for p in range(len(first.planes))] if first.reports else [])
