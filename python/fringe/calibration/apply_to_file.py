#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Solutions taken out of visibility files: a column of a MeasurementSet, or a new file."""

from ..ground.options import with_options
from ..readers.selection import selection
from ..visibility_files.in_parts import read_in_parts
from ..visibility_files.read_visibilities import read_visibilities
from ..visibility_files.replaced_data import replaced_data
from ..visibility_files.visibility_kinds import required_kind
from .corrections import corrections
from .term_in_time import MAX_GAP

#: The column of a MeasurementSet that is written, and the one that is read for it.
COLUMN, SOURCE = "CORRECTED_DATA", "DATA"


def of_raw_data(path, chosen):
    """What is chosen of a file; of a MeasurementSet, where no column is named, the raw one, which
    solutions correct, and not what was corrected before."""
    if required_kind(path).has_columns and not chosen.get("column"):
        return chosen | {"column": SOURCE}
    return chosen


def apply_to_file(path, output, tables, max_gap=MAX_GAP, overwrite=False, **chosen):
    """Corrects a visibility file by a calibration; what was done, as `applied`.

    In a MeasurementSet, or its copy, the corrected data are the column CORRECTED_DATA, of DATA
    where no other column is named; DATA stays. output: of a copy; None: in the MeasurementSet
    itself. overwrite: an existing file, or column, is replaced.

    tables: {name: `solutions`} in the order in which they act on the sky, the last next to the
    receiver; max_gap: seconds, as term_in_time has it. What has no solution is flagged and stays
    as it is; weights stay, too, as they count samples. field, spw, subarray, column: as
    read_visibilities() has them. Raises ValueError for solutions of another array, band or epoch.
    """
    kind = required_kind(path)
    if output is None and not kind.has_columns:
        raise ValueError(f"output: {path}: a {kind.name} holds one set of visibilities, which "
                         "would be lost; name a new file")
    described = read_visibilities(path, with_data=False, **of_raw_data(path, chosen))
    work = corrections(described, tables, max_gap)
    terms = ", ".join(f"{name} ({' '.join(term.kind for term in table.terms)})"
                      for name, table in tables.items())
    history = f"fringe apply: {COLUMN} = {described.selection.column or 'the data'} without {terms}"
    with replaced_data(described, output, COLUMN, history, overwrite) as file:
        for first, vis in read_in_parts(described):
            data, flags = work.corrected(vis)
            file.write(first, data, flags & ~vis.flags)
    return work.applied


with_options(apply_to_file, selection)
