#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""search(): a file of powers to dispersed pulses, or to the dispersion of a pulsar."""
import math
import os

import numpy as np

from .. import fringe_python as fp
from ..beams.open_powers import open_powers
from ..ground.new_file import check_new_file, remembers_what_it_reads
from ..ground.text_tables import ENDINGS as TABLES
from ..ground.text_tables import write_table
from ..ground.words import three_digits, with_unit
from ..observing.pulse_phases import delay, frequency
from ..observing.settings import check_outputs
from ..plots.page import ENDINGS as PICTURES
from .dispersion import channel_smearing, dm_trials
from .file_levels import file_levels
from .folded_trials import folded_trials
from .pulse_search import widths_to
from .search_picture import best_in_words, write_folded_picture, write_pulse_picture
from .single_pulses import chance, single_pulses

MAX_TRIALS = 100000
MAX_DM = 1e5  #: pc / cm^3
BINS = 128
HISTORY = 4096  #: means from which noise is measured, at least
LONGEST, TURNS = 64, 16  #: and so many times the longest pulse, or the period
PULSES = (("time", None, "string"), ("seconds", "s", "float64"), ("direction", None, "string"),
          ("dm", "pc / cm3", "float64"), ("width", "s", "float64"), ("snr", None, "float64"))
PROFILES = (("direction", None, "string"), ("dm", "pc / cm3", "float64"), ("snr", None, "float64"),
            ("width", "s", "float64"), ("phase", None, "float64"))


def _check(outputs, dm, period, predictions, smearing, widest, threshold, bins):
    for path in outputs:
        if os.path.splitext(path)[1].lower() not in (*TABLES, *PICTURES):
            raise ValueError(f"output: {path}: what is found is written to files that end with "
                             + ", ".join((*TABLES, *PICTURES)))
    if dm is None and predictions is None:
        raise ValueError("dm: give the lowest and the highest dispersion, in pc / cm^3")
    if dm is not None and not 0 <= dm[0] <= dm[1] <= MAX_DM:
        raise ValueError(f"dm: {dm[0]:g},{dm[1]:g}: must be two dispersions from 0 to {MAX_DM:g} "
                         "pc / cm^3, the lower one first")
    if period is not None and predictions is not None:
        raise ValueError("period: give either it or predictions (a polyco file)")
    folds = period is not None or predictions is not None
    if bins is not None and not folds:
        raise ValueError("bins: is for profiles; give the period too")
    if widest is not None and folds:
        raise ValueError("widest: is for single pulses; leave the period out")
    for name, value in (("smearing", smearing), ("widest", widest), ("threshold", threshold)):
        if value is not None and not 0 < value < math.inf:
            raise ValueError(f"{name}: {value:g}: must be positive")
    if bins is not None and not 4 <= bins <= 65536:
        raise ValueError(f"bins: {bins}: must be 4 to 65536")


@remembers_what_it_reads
def search(path, outputs, dm=None, *, period=None, predictions=None, bins=None, smearing=None,
           widest=None, threshold=7.0, mask=(), overwrite=False, progress=None):
    """Looks for dispersed pulses in a file of powers, or for the dispersion of a pulsar of a known
    period; returns lines of text on what was found.

    The levels of each channel, in standard deviations of its noise, are added up over the channels
    as each of many dispersions has them arrive. Without a period sums of 1, 2, 4 ... means are
    compared with the threshold; with one the powers are folded, and their profiles are.

      path: SIGPROC filterbank, PSRFITS in search mode or HDF5, see open_powers()
      outputs: x.csv, x.ecsv: a table; x.png, x.pdf, x.svg: a picture
      dm: (lowest, highest) in pc / cm^3; None: a tenth to either side of that of the predictions
      period: seconds, phase 0 being at 1970-01-01 UTC; or predictions: the path of a polyco.dat
      bins: of a turn; None: 128, or as many as the period has means
      smearing: seconds by which a pulse between two trials is longer at most, see dm_trials()
      widest: seconds, of the longest pulse; None: 64 means
      threshold: standard deviations
      mask: (from, to) in Hz, of channels that are left out; may be several
      progress(done, all): means

    Raises ValueError for bad input, RuntimeError and OSError when writing fails.
    """
    _check(outputs, dm, period, predictions, smearing, widest, threshold, bins)
    phase = None
    if predictions is not None:
        phase = fp.pulse_phase.from_polyco(predictions)
    elif period is not None:
        phase = fp.pulse_phase.from_period(period)
    if dm is None:
        dm = 0.9 * phase.dispersion, 1.1 * phase.dispersion
    check_outputs(outputs, [path, *([predictions] if predictions else [])])
    with open_powers(path) as file:
        for output in outputs:
            check_new_file(output, overwrite)
        made = _folded(file, phase, dm, bins, smearing, threshold, mask, progress) if phase else (
            _single(file, dm, smearing, widest, threshold, mask, progress))
        rows, columns, picture, lines = made
        for output in outputs:
            if os.path.splitext(output)[1].lower() in TABLES:
                write_table(output, columns, rows, (("file", os.path.basename(path)), ), overwrite)
            else:
                picture(output, overwrite)
        return [*(f"wrote {output}" for output in outputs), *lines]


def _trials(levels, interval, dm, width, smearing):
    """The dispersions that are tried, and what to say of them."""
    f = levels.frequencies
    dms = dm_trials(f, interval, *dm, width, smearing)
    if len(dms) > MAX_TRIALS:
        raise ValueError(f"dm: {dm[0]:g},{dm[1]:g}: would be {len(dms)} trials; the limit is "
                         f"{MAX_TRIALS}: allow more smearing, or take fewer dispersions")
    band = float(delay(1.0, f.min()) - delay(1.0, f.max()))
    within = channel_smearing(dm[1], f.mean(), width)
    steps = (f"{len(dms)} dispersion{'' if len(dms) == 1 else 's'} from {dm[0]:g} to {dm[1]:g} "
             "pc/cm^3")
    if len(dms) > 1:
        apart = np.diff(dms)
        steps += f" in steps of {apart.min():.3g}"
        if apart.max() > 1.01 * apart.min():
            steps += f" to {apart.max():.3g}"
        steps += f", which make a pulse at most {_seconds(apart.max() * band / 2)} longer"
    if within > 0:
        steps += (f"; the width of a channel makes one of {dm[1]:g} pc/cm^3 {_seconds(within)} "
                  "longer")
    return dms, steps


def _seconds(value):
    """With three digits."""
    return with_unit(float(f"{value:.3g}"), "s")


def _single(file, dm, smearing, widest, threshold, mask, progress):
    means = 64 if widest is None else max(1, round(widest / file.interval))
    widths = [width for width in widths_to(means) if width <= max(1, file.length // 16)]
    levels = file_levels(file, mask, max(HISTORY, LONGEST * widths[-1]))
    dms, steps = _trials(levels, file.interval, dm, file.width, smearing)
    # Interference is undispersed: it is strongest at 0.
    searched = single_pulses(levels, dms if dms[0] == 0 else [0.0, *dms], widths, threshold)
    found = searched.run(progress)
    wanted = found[found["dm"] >= dm[0]]
    rows = [(file.start.plus_seconds(float(hit["time"] * file.interval)).iso(6) + "Z",
             f"{hit['time'] * file.interval:.9g}", file.directions[hit["direction"]],
             f"{hit['dm']:.6g}", f"{hit['width'] * file.interval:.6g}", f"{hit['snr']:.4g}")
            for hit in wanted]
    by_chance = chance(threshold, searched.sums)
    lines = [steps, f"{len(wanted)} pulse{'' if len(wanted) == 1 else 's'} of "
             f"{_seconds(file.interval)} to "
             f"{_seconds(widths[-1] * file.interval)} above {threshold:g} standard "
             f"deviations, in {_seconds(file.length * file.interval)}; of Gaussian noise at "
             f"most {by_chance:.2g} are expected"]
    if len(wanted):
        top = wanted[np.argmax(wanted["snr"])]
        at = rows[int(np.argmax(wanted["snr"]))]
        lines.append(f"the strongest: {top['snr']:.1f} standard deviations at {at[3]} pc/cm^3, "
                     f"{_seconds(top['width'] * file.interval)} long, in the highest channel "
                     f"at {at[0]}, {at[1]} s after the begin")
    if len(wanted) < len(found):
        lines.append(f"note: left out what is strongest below {dm[0]:g} pc/cm^3, as interference "
                     f"is: {len(found) - len(wanted)} more")

    def picture(output, overwrite):
        write_pulse_picture(output, file, searched.map, wanted, threshold, overwrite)

    return rows, PULSES, picture, lines


def _folded(file, phase, dm, bins, smearing, threshold, mask, progress):
    try:
        period = 1 / frequency(phase, file.start.plus_seconds(file.length * file.interval / 2))
    except RuntimeError as error:  # predictions for another time
        raise ValueError(str(error)) from None
    in_turn = int(period / file.interval)
    if in_turn < 4 or (bins or 0) > in_turn:
        raise ValueError(f"{'bins' if bins else 'period'}: {bins or period:g}: the period, "
                         f"{period:g} s, has {in_turn} means of {file.path}; there must be 4 bins "
                         "at least, of a mean or more")
    if file.length * file.interval < period:
        raise ValueError(f"period: {period:g} s: {file.path} has {file.length * file.interval:g} s")
    bins = bins or min(BINS, in_turn)
    # A block of levels that is not much longer than the period would follow the pulse.
    levels = file_levels(file, mask, max(HISTORY, TURNS * in_turn), math.inf)
    dms, steps = _trials(levels, max(file.interval, period / bins), dm, file.width, smearing)
    found, rows, lines = [], [], [steps]
    for direction, name in enumerate(file.directions):
        result = folded_trials(levels, direction, phase, bins, dms).run(progress)
        found.append(result)
        rows += [(name, f"{value:.8g}", f"{snr:.4g}",
                  f"{width * period / bins:.6g}", f"{turns:.5f}")
                 for value, snr, width, turns in zip(dms, result.snr, result.widths, result.phases)]
        lines += _folded_in_words(name if len(file.directions) > 1 else "", result, bins, threshold)

    def picture(output, overwrite):
        write_folded_picture(output, file, levels, found, overwrite)

    return rows, PROFILES, picture, lines


def _folded_in_words(name, found, bins, threshold):
    start = f"{name}: " if name else ""
    if found.strongest < threshold:
        return [f"{start}no profile is above {threshold:g} standard deviations; the strongest has "
                f"{found.strongest:.3g}, at {found.best:.6g} pc/cm^3"]
    lines = [f"{start}folded at {found.period:.9g} s the profile is strongest at "
             f"{best_in_words(found)} pc/cm^3: {three_digits(found.strongest)} standard "
             f"deviations, in a pulse of {_seconds(found.width * found.period / bins)}, "
             f"{100 * found.width / bins:.3g} % of a turn"]
    if not found.inside:
        lines.append(f"note: {start}the strongest is at an end of the dispersions, or too wide for "
                     "them to tell; try others")
    return lines
