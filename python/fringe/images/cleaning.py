#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""CLEAN of dirty images: model, residual and restored image."""

import re
from dataclasses import dataclass

import numpy as np

from .. import fringe_python as fp
from .gridders import centered_psf
from .middle import middle_of
from .side_by_side import side_by_side
from .spectra import scales_of, spectrum_functions


@dataclass
class clean_settings:
    """How sources are taken out of an image."""
    components: int            #: of the model, at most
    threshold: float = 0.0     #: in the unit of the image
    sigmas: float = 3.0        #: the same in standard deviations of the residual
    gain: float = 0.1
    major_gain: float = 0.8    #: of the highest pixel, between two passes over the files
    mask: str = None           #: a FITS file, not 0 where components may be
    minor: str = 'clark'       #: or hogbom
    auto_mask: float = 0.0     #: components are sought down to this multiple of the noise, then
                               #: down to the threshold within a beam of them; 0 = everywhere
    avoid: tuple = ()          #: (l, m) within a beam of which there are no components
    scales: object = ()        #: diameters of components, direction cosines, 0 = a point; auto
    scale_bias: float = 0.6    #: of Offringa and Smirnov 2017; less: small scales go first
    join_channels: bool = False  #: groups of channels have components at the same places
    terms: int = 0             #: ... whose fluxes are a polynomial of so many; 0 = any
    join_polarizations: bool = False  #: planes have components at the same places


def clean_level(text):
    """The threshold that a text says, as arguments of clean_settings: "3sigma", or a value such
    as "0.05". None where it says neither."""
    found = re.fullmatch(r'([\d.]+(?:[eE][-+]?\d+)?)\s*(sigma|)', str(text))
    try:
        value = float(found[1]) if found else -1.0
    except ValueError:
        value = -1.0
    if not 0 <= value < float('inf'):
        return None
    return {'sigmas': value if found[2] else 0.0, 'threshold': 0.0 if found[2] else value}


def clean_image(fields, work, settings, hidden, allowed):
    """Cleans a `sky_image` and its outlier fields in place, fields[0] being the image. Its planes
    are cleaned side by side, each by itself, and read the visibilities together, or all together;
    groups of channels are cleaned together where the settings say so, else one after the other.

    work: its `passes`; hidden: pixels [field][m][l]; allowed: of the image [m][l], None: all.
    """
    made, s = fields[0], settings
    uses = [np.where(below, np.uint8(0), np.uint8(2)) for below in hidden]
    if allowed is not None:
        uses[0] = np.where(allowed, uses[0], np.minimum(uses[0], 1))
    if s.avoid:
        uses[0] = np.where(_near(made, s.avoid), np.minimum(uses[0], 1), uses[0])
    for field in fields:
        field.model, field.residual = np.zeros_like(field.values), np.zeros_like(field.values)
        field.kind = 'restored image'
    made.reports = [[] for _ in made.planes]
    every = range(len(made.frequencies))
    for groups in [every] if s.join_channels else [[group] for group in every]:
        sets = _sets(made, groups, s.join_polarizations)
        if not sets:
            continue
        cleaned = side_by_side(
            list(sets), lambda models, sets=sets: _residuals(work, sets, models),
            lambda first, residual, sets=sets: _clean_set(fields, sets[first], uses, residual, s,
                                                         work.settings.first_backend))
        for first, (models, residuals, report) in cleaned.items():
            for field, model, residual in zip(fields, models, residuals):
                _put(field, sets[first], model, residual)
            report['name'] = ''.join(dict.fromkeys(made.planes[p] for p, _ in sets[first]))
            made.reports[first].append(report)
            made.remarks += _warnings(made, sets[first], report)


def _sets(made, groups, join_polarizations):
    """Images that are cleaned together, {first plane: [(plane, group of channels)]}: those of a
    plane, or of all planes; without images that have no visibilities."""
    sets = {plane: [(plane, g) for g in groups if made.total_weight[plane, g] > 0]
            for plane in range(len(made.planes))}
    sets = {plane: images for plane, images in sets.items() if images}
    if not join_polarizations or len(sets) < 2:
        return sets
    there = set.intersection(*({g for _, g in images} for images in sets.values()))
    return {min(sets): [image for images in sets.values() for image in images
                        if image[1] in there]} if there else {}


def _put(field, images, models, residuals):
    """Puts models and residuals [image][m][l] into a `sky_image`, and restores it."""
    for at, model, residual in zip(images, models, residuals):
        field.model[at], field.residual[at] = model, residual
        field.values[at] = fp.restore(model, residual, field.beam, field.pixel, field.pixel)


def _residuals(work, sets, models):
    """{first plane: residuals [field][image][m][l]} of {first plane: models}; sets: of _sets()."""
    made = {first: [np.empty_like(model) for model in fields] for first, fields in models.items()}
    for group in sorted({group for first in models for _, group in sets[first]}):
        place = {plane: (first, k) for first in models
                 for k, (plane, of) in enumerate(sets[first]) if of == group}
        for plane, residuals in work.residuals(
                group, {plane: [model[k] for model in models[first]]
                        for plane, (first, k) in place.items()}).items():
            first, k = place[plane]
            for to, residual in zip(made[first], residuals):
                to[k] = residual
    return made


def _clean_set(fields, images, uses, residual, s, backend):
    """(models, residuals, report) of images that are cleaned together, [field][image][m][l]."""
    made, (planes, groups) = fields[0], np.array(images).T
    count = len(set(planes))

    def clean(dirty, pixels, make_residual, components, sigmas):
        return fp.clean_together(
            dirty, psf, pixels, make_residual, made.total_weight[planes, groups], count, functions,
            scales, s.scale_bias, s.minor, s.gain, s.major_gain, components, s.threshold, sigmas,
            backend)
    dirty = [field.values[planes, groups] for field in fields]
    psf = [centered_psf(field.psf[planes, groups]) for field in fields]
    functions = np.zeros((0, 0))
    if s.terms:
        of_plane = groups[:len(groups) // count]
        functions = np.kron(np.eye(count), spectrum_functions(made, of_plane, s.terms))
    scales = scales_of(made, s.scales)
    if not s.auto_mask > s.sigmas:
        return clean(dirty, uses, residual, s.components, s.sigmas)
    models, left, report = clean(dirty, uses, residual, s.components, s.auto_mask)
    if report['end'] != 'threshold' or not any(model.any() for model in models):
        return models, left, report
    near = [np.where(_spread(field, (model != 0).any(axis=0)), use, np.minimum(use, 1))
            for field, model, use in zip(fields, models, uses)]
    more, left, deeper = clean(
        left, near, lambda parts: residual([a + b for a, b in zip(models, parts)]),
        s.components - report['iterations'], s.sigmas)
    for name in ('iterations', 'major_cycles', 'flux'):
        deeper[name] += report[name]
    return [a + b for a, b in zip(models, more)], left, deeper


def _near(made, directions):
    """True for pixels [m][l] within half a beam of directions (l, m)."""
    rows, columns = made.values.shape[2:]
    marks, middle = np.zeros((rows, columns), bool), middle_of(columns, rows)
    for l, m in directions:
        column, row = (int(round(x / made.pixel)) for x in (l, m))
        row, column = row + middle[1], column + middle[0]
        if 0 <= row < rows and 0 <= column < columns:
            marks[row, column] = True
    return _spread(made, marks)


def _spread(made, marks):
    """True for pixels within the half-power width of the beam of those that are marked."""
    marks = np.ascontiguousarray(marks, np.float32)
    return fp.restore(marks, np.zeros_like(marks), made.beam, made.pixel, made.pixel) > 0.5


def _warnings(made, images, report):
    name, groups = report['name'], {group for _, group in images}
    if len(made.frequencies) > 1 and len(groups) == 1:
        name += f' at {made.frequencies[min(groups)]:.6g} Hz'
    if report['end'] == 'diverged':
        return [f'CLEAN of {name} diverged: the residual grew from one pass over the visibilities '
                f'to the next; kept is its best state, whose highest pixel is {report["peak"]:.3g} '
                '(try a smaller gain=G or major_gain=G, a mask=FILE, or a higher threshold=S)']
    if report['end'] == 'stalled':
        return [f'CLEAN of {name} ended above its threshold: the highest pixel stays at '
                f'{report["peak"]:.3g}, however often it is cleaned']
    return []


#: Why CLEAN ended, in words.
ENDS = {'threshold': 'down to the threshold', 'iterations': 'the number that was asked for',
        'stalled': 'no further progress', 'diverged': 'it diverged'}


def describe_clean(made, unit):
    """Sentences about what CLEAN did, one for the images that were cleaned together."""
    for reports in made.reports:
        for report in reports:
            yield (f'CLEAN {report["name"]}: {report["iterations"]} components in '
                   f'{report["major_cycles"]} major cycles ({ENDS[report["end"]]}), '
                   f'{report["flux"]:.5g} {unit.split("/")[0]} in the model; residual: highest '
                   f'{report["peak"]:.3g}, rms {report["sigma"]:.3g}, threshold '
                   f'{report["threshold"]:.3g}')
