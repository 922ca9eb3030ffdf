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


def clean_image(made, work, settings, hidden, allowed):
    """Cleans a `sky_image` in place. Its planes are cleaned side by side, each by itself, and read
    the visibilities together; groups of channels are cleaned together where the settings say so,
    else one after the other.

    work: its `passes`; hidden, allowed: pixels [m][l]; allowed None: all.
    """
    use = np.full(hidden.shape, 2, np.uint8)
    if allowed is not None:
        use[~allowed] = 1
    if settings.avoid:
        use[_near(made, settings.avoid)] = 1
    use[hidden] = 0
    made.model = np.zeros_like(made.values)
    made.residual = np.zeros_like(made.values)
    made.kind = 'restored image'
    made.reports = [[] for _ in made.planes]
    every = range(len(made.frequencies))
    for groups in [every] if settings.join_channels else [[group] for group in every]:
        #: of each plane that has visibilities
        used = {p: [g for g in groups if made.total_weight[p, g] > 0]
                for p in range(len(made.planes))}
        planes = [p for p, there in used.items() if there]
        if not planes:
            continue
        cleaned = side_by_side(
            planes, lambda models, used=used: _residuals(work, used, models),
            lambda plane, residual, used=used: _clean_plane(made, plane, used[plane], use, residual,
                                                            settings))
        for plane, (models, residuals, report) in cleaned.items():
            for group, model, residual in zip(used[plane], models, residuals):
                made.model[plane, group], made.residual[plane, group] = model, residual
                made.values[plane, group] = fp.restore(model, residual, made.beam, made.pixel,
                                                       made.pixel)
            made.reports[plane].append(report)
            made.remarks += _warnings(made, plane, used[plane], report)


def _residuals(work, used, models):
    """{plane: residuals [group][m][l]} of {plane: models}; used: {plane: groups}."""
    made = {plane: np.empty_like(model) for plane, model in models.items()}
    for group in sorted({group for plane in models for group in used[plane]}):
        place = {plane: used[plane].index(group) for plane in models if group in used[plane]}
        for plane, residual in work.residuals(
                group, {plane: models[plane][k] for plane, k in place.items()}).items():
            made[plane][place[plane]] = residual
    return made


def _clean_plane(made, plane, groups, use, residual, s):
    """(models, residuals, report) of groups of channels of one plane, [group][m][l]."""
    def clean(dirty, pixels, make_residual, components, sigmas):
        models, residuals, report = fp.clean_together(
            [dirty], [psf], [pixels], lambda fields: [make_residual(fields[0])],
            made.total_weight[plane, groups], functions, scales, s.scale_bias, s.minor, s.gain,
            s.major_gain, components, s.threshold, sigmas)
        return models[0], residuals[0], report
    dirty, psf = made.values[plane, groups], centered_psf(made.psf[plane, groups])
    functions = (spectrum_functions(made, groups, s.terms) if s.terms
                 else np.zeros((0, 0)))
    scales = scales_of(made, s.scales)
    if not s.auto_mask > s.sigmas:
        return clean(dirty, use, residual, s.components, s.sigmas)
    model, left, report = clean(dirty, use, residual, s.components, s.auto_mask)
    if report['end'] != 'threshold' or not model.any():
        return model, left, report
    around = _spread(made, (model != 0).any(axis=0))
    more, left, deeper = clean(left, np.where(around, use, np.minimum(use, 1)),
                               lambda components: residual(model + components),
                               s.components - report['iterations'], s.sigmas)
    for name in ('iterations', 'major_cycles', 'flux'):
        deeper[name] += report[name]
    return model + more, left, deeper


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


def _warnings(made, plane, groups, report):
    name = made.planes[plane]
    if len(made.frequencies) > 1 and len(groups) == 1:
        name += f' at {made.frequencies[groups[0]]:.6g} Hz'
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
    """Sentences about what CLEAN did, one for each plane and group of channels."""
    for plane, reports in zip(made.planes, made.reports):
        for report in reports:
            yield (f'CLEAN {plane}: {report["iterations"]} components in '
                   f'{report["major_cycles"]} major cycles ({ENDS[report["end"]]}), '
                   f'{report["flux"]:.5g} {unit.split("/")[0]} in the model; residual: highest '
                   f'{report["peak"]:.3g}, rms {report["sigma"]:.3g}, threshold '
                   f'{report["threshold"]:.3g}')
