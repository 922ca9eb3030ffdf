#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A file against its certificate."""
from ..certificates.sums import row_sums
from .finding import FITS, UNKNOWN, WRONG, finding

#: What columns hold, by their names in the kinds of files.
MEANS = {'DATA': 'visibilities', 'visdata': 'visibilities', 'spectra': 'spectra',
         'ACC': 'visibilities', 'LCCSPC': 'cross-correlations', 'LACSPC': 'autocorrelations',
         'CORRECTED_DATA': 'corrected visibilities', 'MODEL_DATA': 'visibilities of the model',
         'FLAG': 'flags', 'flags': 'flags', 'WEIGHT_SPECTRUM': 'weights', 'nsamples': 'weights',
         'UVW': 'u, v, w', 'uvw_array': 'u, v, w', 'lost': 'lost packets',
         'TIME': 'times or antennas of rows', 'time_array': 'times or antennas of rows',
         'DATE': 'times or antennas of rows', 'time': 'times', 'PRIMARY': 'pixels',
         'SUBINT': 'rows', 'CPARAM': 'solutions', 'FPARAM': 'solutions'}
#: WEIGHT is the mean of a row in a MeasurementSet, and flags, too, in a UVFITS file.
WEIGHT = {True: 'weights of rows', False: 'weights or flags'}
#: Columns that programs put beside the data.
ADDED = ('CORRECTED_DATA', 'MODEL_DATA', 'FLOAT_DATA', 'WEIGHT_SPECTRUM')


class certificate_check:
    """Compares a file with its certificate while it is read: add() for each of its pieces."""

    def __init__(self, certified, partial=False):
        self._certified, self._partial, self._sums = certified, partial, row_sums()

    def add(self, piece):
        if self._certified:
            for name, values in piece.columns.items():
                self._sums.add(name, piece.rows, values)

    def findings(self, tables):
        """tables: () -> CRC-32C of the tables of the file."""
        certified = self._certified
        if certified is None:
            return [finding('certificate', UNKNOWN, 'the file was never finished: its writer was '
                            'stopped before it could certify it' if self._partial else 'there is '
                            'none: another program wrote the file, or it was not finished')]
        changed = self._changed(tables())
        by = f'{certified.software}: {certified.command}' if certified.command else \
            certified.software
        found = [finding('certificate', WRONG, f'{what} not those that were certified'
                         + (f' ({by})' if what == changed[0] else '')) for what in changed]
        added = sorted(set(self._sums.sums) - set(certified.sums))
        found += [finding('certificate', UNKNOWN, f'{name} was added later: nothing certifies it')
                  for name in added if name in ADDED]
        if not changed:
            found.insert(0, finding('certificate', FITS, f'data and tables are what was written '
                                    f'({by})'))
            found += _losses(certified)
        return found

    def _changed(self, tables):
        """In words, each with its verb."""
        certified, sums = self._certified, self._sums.sums
        if certified.rows and self._sums.rows != certified.rows:
            return [f'{self._sums.rows} rows instead of {certified.rows}: the rows are']
        whole = {name: MEANS.get(name, 'values') for name in certified.sums}
        if 'WEIGHT' in whole:
            whole['WEIGHT'] = WEIGHT['FLAG' in whole]
        words = [f'{whole[name]} ({name}) are' for name, number in certified.sums.items()
                 if sums.get(name) != number]
        return words + [f'the table {name} is' if '.' not in name else f'values of {name} are'
                        for name, number in certified.tables.items()
                        if tables.get(name) != number]


def _losses(certified):
    """What the writer found, in words."""
    about, found = certified.others, []
    total = about.get('visibilities', 0)
    if total:
        words = [f'{100 * about.get(name, 0) / total:.3g} % of the visibilities {what}'
                 for name, what in (('flagged', 'are flagged'), ('lost', 'have no weight'))]
        if 'valid' in about:
            words.append(f'{100 * about["valid"]:.4g} % of the samples were valid')
        found.append(finding('losses', FITS, ', '.join(words)))
    if 'signal_to_noise' in about:
        found.append(finding(f'phases of {about["source"]}', FITS if about['signal_to_noise'] > 5
                             else UNKNOWN, f'{about["signal_to_noise"]:.1f} times the noise when '
                             f'it was written, at {about["degrees"]:.1f} degrees'))
    return found
