#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Self-calibration of a visibility file."""

from dataclasses import replace

from .. import fringe_python as fp
from ..calibration.apply_to_file import of_raw_data
from ..ground.options import with_options
from ..readers.chosen import reference_number
from ..readers.selection import selection
from ..sky_model.predict import check_file
from ..visibility_files.read_visibilities import read_visibilities
from .file import model_of_file
from .of_file import positions_of
from .selfcal import selfcal
from .solve import MIN_SNR

#: Cycles at most: mostly noise ends them earlier.
CYCLES = 10


def selfcal_file(path, terms, cycles=CYCLES, settings=None, model=None, reference=None,
                 min_snr=MIN_SNR, uvrange=None, **chosen):
    """A `selfcal_result` of a visibility file: see the class `selfcal`.

      path: .ms, .uvh5, .uvfits, .ACC ...; of a MeasurementSet the column DATA, where no other is
          named, so that what was corrected before is not corrected twice
      terms: list of `term`, of kinds K, G and B
      settings: image_settings of the images that the models come from
      model: a first model, as calibrate_file() takes it; None: what CLEAN finds in the file
      reference: name of the antenna of phase 0
      field, spw, subarray, column: as read_visibilities() has them

    Raises ValueError.
    """
    chosen = of_raw_data(path, chosen)
    vis = read_visibilities(path, **chosen)
    check_file(vis)
    start = None if model is None else (lambda vis: model_of_file(vis, model, (), chosen)[0])
    number = reference_number(reference, vis.antennas)
    result = selfcal(terms, cycles, settings, start, number, min_snr, uvrange).run(vis)
    if result.found is not None:
        kept = [cycle for cycle in result.cycles if cycle.better]
        result.found = replace(
            result.found, positions=positions_of(vis),
            model=f"CLEAN of cycle {len(kept)}, {kept[-1].flux:.6g} in all",
            made=f"gr-fringe {fp.__version__}: fringe selfcal {path}")
    return result


with_options(selfcal_file, selection)
