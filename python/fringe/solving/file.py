#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Terms of a calibration solved from a visibility file, of any telescope."""

from dataclasses import dataclass, replace

import numpy as np

from .. import fringe_python as fp
from ..calibration.apply_to_file import of_raw_data
from ..calibration.solutions import solutions
from ..readers.chosen import chosen_dumps, reference_number
from ..sky_model.flux_scale import standard_named
from ..sky_model.model_sky import frame_of_file, image_model, is_image, point_model
from ..sky_model.predict import check_file
from ..sky_model.standard_model import standard_model
from ..visibility_files.read_visibilities import read_visibilities
from .fit import residual
from .flux_transfer import with_flux_from
from .fluxes import fitted_model
from .of_file import positions_of, samples_of
from .quality import check_residual
from .solve import MIN_SNR, terms_solver

#: rms error of the gridder, of an image as the model.
EPSILON = 1e-5
#: Columns of a MeasurementSet that hold a model.
COLUMNS = ("MODEL_DATA",)


@dataclass
class solved_file:
    """What follows from a file."""
    found: solutions
    left: residual    #: what it leaves over
    absolute: bool    #: the noise follows from powers, exposures and the width of a channel
    dumps: int        #: that were used
    clipped: dict     #: baseline A-B: number of dumps that were left out of it

    def worst_clipped(self, count=8):
        """(baseline, dumps) of those that lost most."""
        return sorted(self.clipped.items(), key=lambda entry: -entry[1])[:count]


def calibrate_file(path, terms, model=None, sources=(), time=None, channels=None, uvrange=None,
                   reference=None, min_snr=MIN_SNR, max_misfit=None, clip=None,
                   accept_untested=False, flux_from=None, beam=None, **chosen):
    """A `solved_file` of some terms, from a visibility file; no observation is needed.

      path: .ms, .uvh5, .uvfits, .ACC ...
      terms: list of `term`, see terms_of()
      model: an image, an observation with a sky or a catalogue with fluxes, as fringe predict
          takes them, MODEL_DATA, a column of a MeasurementSet, or a source of the flux scale,
          3C286 say (see flux_scale)
      sources: list of calibration_source in place of it; a single one without a flux has 1, and of
          several those are solved for that have none, together with the gains
      beam: a primary beam of beam_of() that the fluxes of images and sources are multiplied by
      time: 'FROM,TO', as chosen_dumps() has it
      channels: slice or numbers of those to use
      uvrange: as of_uvrange() gives it
      reference: name of the antenna whose phase and delay are 0
      min_snr, max_misfit, clip: see solve_terms()
      accept_untested: also a residual far below the noise
      flux_from: `solutions` of a source of known flux, to find that of a single source without a
          flux by, see with_flux_from()
      field, spw, subarray, column: as read_visibilities() has them; of a MeasurementSet the column
          DATA, where no other is named, which apply_to_file() corrects

    Raises ValueError, and `unsolved` where no solution can be trusted.
    """
    if flux_from is not None and not (len(sources) == 1 and sources[0].flux is None):
        raise ValueError("flux_from: goes with one source without a flux")
    chosen = of_raw_data(path, chosen)
    vis = _read(path, time, chosen)
    check_file(vis)
    sky, words = model_of_file(vis, model, sources, chosen, beam)
    crosses = any(term.kind in ("D", "Kcross") for term in terms)
    data = samples_of(vis, sky, channels, uvrange, crosses)
    number = reference_number(reference, vis.antennas)
    solver = terms_solver(data, terms, number, min_snr, max_misfit, clip)
    found = solver.solve()
    if data.absolute and not accept_untested:
        check_residual(solver.left)
    made = f"gr-fringe {fp.__version__}: fringe calibrate {path}"
    found = replace(found, positions=positions_of(vis), model=words, made=made)
    if isinstance(data.model, fitted_model):
        found.flux.update(_fluxes(data, sources))
    if flux_from is not None:
        found = with_flux_from(found, flux_from, sources[0].name)
    return solved_file(found, solver.left, data.absolute, len(data.times), _clipped(data, solver))


def _fluxes(data, sources):
    """{name: (flux, error)} of those that were solved for, by polarization."""
    model, names = data.model, [source.name for source in sources]
    return {name if data.hands == 1 else f"{name} {hand}": (float(flux[0]), float(error))
            for hand, fluxes, errors in zip(data.polarizations, model.flux, model.errors)
            for name, flux, error, unknown in zip(names, fluxes, errors, model.unknown) if unknown}


def _clipped(data, solver):
    """Baselines that were left out of dumps, by name, and of how many."""
    counts = solver.clipped.sum(axis=0)
    return {f"{data.antennas[data.first[k]]}-{data.antennas[data.second[k]]}": int(counts[k])
            for k in np.flatnonzero(counts)}


def _read(path, time, chosen):
    if time is None:
        return read_visibilities(path, **chosen)
    described = read_visibilities(path, with_data=False, **chosen)
    return read_visibilities(path, dumps=chosen_dumps(described, time),
                             **described.selection.keywords())


def model_of_file(vis, model, sources, chosen, beam=None):
    """(visibilities of the model, what it is in words), as calibrate_file() takes a model; of
    sources some of whose fluxes are not known a list of each source's, of flux 1, and its flux."""
    if (model is None) == (not sources):
        both = "" if model is None else f"{model} and {', '.join(each.name for each in sources)}: "
        raise ValueError(f"model: {both}say what was observed: a model, or sources")
    if model in COLUMNS:
        dumps = range(vis.first_dump, vis.first_dump + len(vis.seconds))
        keywords = vis.selection.keywords() | {"column": model}
        sky = read_visibilities(vis.path, dumps=dumps, **keywords)
        if not all(np.array_equal(getattr(sky, name), getattr(vis, name))
                   for name in ("seconds", "fractions")):
            raise ValueError(f"model: {model}: {vis.path} is too large to be read whole; choose "
                             "some of its dumps with time")
        return sky.data, f"column {model}"
    standard = None if model is None else standard_named(model)
    if standard is not None:
        sky = standard_model(standard, vis)
    elif model is not None and is_image(model):
        sky = image_model(model, vis, EPSILON, beam)
    else:
        if len(sources) == 1 and sources[0].flux is None:
            sources = [replace(sources[0], flux=1.0)]
        if any(source.flux is None for source in sources):
            return _of_each(vis, sources, beam)
        sky = point_model(model or "the sources", vis, frame_of_file(vis), list(sources) or None,
                          beam)
    return sky.visibilities(vis), sky.words


def _of_each(vis, sources, beam):
    frame = frame_of_file(vis)
    each = [(point_model("the sources", vis, frame, [replace(source, flux=1.0)],
                         beam).visibilities(vis), source.flux) for source in sources]
    unknown = [source.name for source in sources if source.flux is None]
    return each, f"{len(sources)} sources; fluxes solved for: {', '.join(unknown)}"
