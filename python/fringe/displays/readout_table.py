#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A table of numbers with their errors."""

import numpy as np
from PyQt5 import QtCore, QtWidgets

from .held_changes import held_changes


#: degrees, the scatter of phases at random: with a larger one a phase is not known.
AT_RANDOM = 180 / np.sqrt(3)


class readout_table(held_changes, QtWidgets.QTableWidget):
    """A row for each baseline: `names`, and `rows` of (fringe_scatter, (delay, error) in s).

    factor, unit: of delays. dumps: how many were averaged.
    """
    _rewrite = QtCore.pyqtSignal()

    def __init__(self, amplitude):
        QtWidgets.QTableWidget.__init__(self)
        held_changes.__init__(self)
        self.names, self.rows, self.factor, self.unit, self.dumps = [], [], 1.0, "s", 0
        self._amplitude = amplitude
        self.setEditTriggers(QtWidgets.QAbstractItemView.NoEditTriggers)
        self.setMinimumSize(300, 120)
        self.verticalHeader().hide()
        self._rewrite.connect(self._write)

    def changed(self):
        """held_changes'."""
        self._rewrite.emit()

    def sizeHint(self):
        """Qt's."""
        return QtCore.QSize(820, min(60 + 24 * len(self.names), 380))

    def _write(self):
        names, rows = self.names, self.rows
        heads = [f"{self.dumps} dump{'s' * (self.dumps != 1)}", self._amplitude, "Scatter",
                 "Phase (\N{DEGREE SIGN})", "Scatter (\N{DEGREE SIGN})", f"Delay ({self.unit})",
                 "S/N"]
        self.setColumnCount(len(heads))
        self.setHorizontalHeaderLabels(heads)
        self.setRowCount(len(names))
        for row, name in enumerate(names):
            words = [name] + (self._words(*rows[row]) if row < len(rows) else [])
            for column in range(len(heads)):
                self._set(row, column, words[column] if column < len(words) else "")
        self.resizeColumnsToContents()

    def _set(self, row, column, text):
        item = self.item(row, column)
        if item is None:
            item = QtWidgets.QTableWidgetItem()
            if column:
                item.setTextAlignment(QtCore.Qt.AlignRight | QtCore.Qt.AlignVCenter)
            self.setItem(row, column, item)
        item.setText(text)

    def _words(self, found, delay):
        phase, error, scatter = np.degrees((found.phase, found.phase_error, found.phase_scatter))
        return [with_error(found.amplitude, found.amplitude_error),
                rounded(found.amplitude_scatter, 2),
                "-" if error > AT_RANDOM else with_error(phase, error),
                "-" if scatter > AT_RANDOM else rounded(scatter, 2),
                with_error(*(self.factor * part for part in delay)), rounded(found.snr, 3)]

    def columns(self):
        """What is shown, with all digits: (axes, values) as a plot has them."""
        count = len(self.rows)
        parts = [(found.amplitude, found.amplitude_error, found.amplitude_scatter,
                  *np.degrees((found.phase, found.phase_error, found.phase_scatter)),
                  self.factor * delay, self.factor * error, found.snr)
                 for found, (delay, error) in self.rows]
        names = [self._amplitude, "Error of it", "Scatter of it", "Phase (degrees)",
                 "Error of the phase (degrees)", "Scatter of the phase (degrees)",
                 f"Delay ({self.unit})", f"Error of the delay ({self.unit})", "S/N"]
        values = np.array(parts).reshape(count, len(names))
        *axes, last = zip(names, values.T)
        return [("Baseline", np.array(self.names[:count])), *axes], last


def rounded(value, digits):
    """A value to some digits; none is "-"."""
    return f"{value:.{digits}g}" if np.isfinite(value) else "-"


def with_error(value, error):
    """A value with as many digits as its error, of which two are said: "12.34 ± 0.56"."""
    if not np.isfinite(value):
        return "-"
    if not (np.isfinite(error) and error > 0):
        return f"{value:.4g}"
    decimals = int(max(0, 1 - np.floor(np.log10(error))))
    return f"{value:.{min(decimals, 12)}f} \N{PLUS-MINUS SIGN} {error:.{min(decimals, 12)}f}"
