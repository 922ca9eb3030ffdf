#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What stands around the plots of a display: its title, and a bar to measure and save with."""

from PyQt5 import QtCore, QtGui, QtWidgets

from ..ground.new_file import new_file
from .held_changes import held_changes
from .plot_view import plot_view
from .shown_numbers import write_csv

HINT = "Point at a plot to read its values"


class display_window(QtWidgets.QWidget):
    """A widget with a line of text above it (title, "" = none), and below it a line that says what
    is under the pointer, and buttons: all of the axes, freeze, save.

    Keys, where a plot has been clicked at: Home shows all, F freezes, S saves. name: of the
    display, for the names of files that are suggested.
    """

    def __init__(self, title, inside, name):
        super().__init__()
        self._inside, self._name = inside, name
        found = [inside, *inside.findChildren(QtWidgets.QWidget)]
        self._plots = [entry for entry in found if isinstance(entry, plot_view)]
        self._parts = [entry for entry in found if isinstance(entry, held_changes)]
        #: says what is under the pointer, and what a button has done
        self._hint = HINT if self._plots else ""
        self.line = self._text(self._hint)
        self.line.setContentsMargins(10, 0, 4, 0)
        self._pointed = None
        self.frozen = self._button("Freeze", "Keep what is shown; data come on behind it (F)", "F")
        self.frozen.setCheckable(True)
        self.frozen.toggled.connect(self.set_frozen)
        self.whole = self._button("Whole", "Show all of the axes: zoom with the wheel or by "
                                  "dragging (Home, double click)", "Home")
        self.whole.clicked.connect(self.zoom_out)
        self.whole.setVisible(bool(self._plots))
        self.save = self._button("Save", "Save a picture (PNG) or numbers (CSV) (S)", "S")
        self.save.setPopupMode(QtWidgets.QToolButton.InstantPopup)
        self.save.setMenu(QtWidgets.QMenu(self.save))
        for words, ending, save in (("Picture (PNG) ...", "png", self.save_picture),
                                    ("Numbers (CSV) ...", "csv", self.save_csv)):
            self.save.menu().addAction(
                words, lambda ending=ending, save=save: self._ask(ending, save))
        column, bar = QtWidgets.QVBoxLayout(self), QtWidgets.QHBoxLayout()
        for layout in (column, bar):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(0)
        if title:
            column.addWidget(self._title(title))
        column.addWidget(inside, 1)
        column.addLayout(bar)
        for part in (self.line, self.whole, self.frozen, self.save):
            bar.addWidget(part, 1 if part is self.line else 0)
        for plot in self._plots:
            plot.news.connect(lambda plot=plot: self._point(plot))
            plot.zoomed.connect(lambda which, ends, plot=plot: self._zoom(plot, which, ends))

    @staticmethod
    def _text(words):
        """A line that does not make the window wider, however long it is."""
        line = QtWidgets.QLabel(words)
        line.setTextFormat(QtCore.Qt.PlainText)
        line.setTextInteractionFlags(QtCore.Qt.TextSelectableByMouse)
        line.setSizePolicy(QtWidgets.QSizePolicy.Ignored, QtWidgets.QSizePolicy.Fixed)
        return line

    def _title(self, title):
        line = self._text(title)
        line.setAlignment(QtCore.Qt.AlignCenter)
        line.setStyleSheet("font-weight: bold; padding-top: 4px")
        line.setToolTip(title)
        return line

    def _button(self, words, tip, key):
        button = QtWidgets.QToolButton()
        button.setText(words)
        button.setToolTip(tip)
        button.setAutoRaise(True)
        shortcut = QtWidgets.QShortcut(QtGui.QKeySequence(key), self)
        shortcut.setContext(QtCore.Qt.WidgetWithChildrenShortcut)
        shortcut.activated.connect(button.click)
        return button

    def set_frozen(self, frozen):
        """Keeps what is shown, or shows what has come meanwhile."""
        self.frozen.setChecked(bool(frozen))
        self.frozen.setText("Frozen" if frozen else "Freeze")
        for part in self._parts:
            part.freeze(bool(frozen))

    def zoom_out(self):
        """Shows all of the axes."""
        for plot in self._plots:
            plot.zoom_out()

    def save_picture(self, path, overwrite=False):
        """Writes a PNG of title and plots."""
        picture, buffer = self.grab(), QtCore.QBuffer()
        height = round(picture.devicePixelRatio() * (self._inside.geometry().bottom() + 1))
        picture = picture.copy(0, 0, picture.width(), height)
        buffer.open(QtCore.QIODevice.WriteOnly)
        picture.save(buffer, "PNG")
        with new_file(path, overwrite) as file:
            file.write(bytes(buffer.data()))

    def save_csv(self, path, overwrite=False):
        """Writes the numbers of what is shown."""
        write_csv(path, [part.columns() for part in self._parts if not part.isHidden()], overwrite)

    def _ask(self, ending, save):
        """Saves under a name that the user chooses; the dialog has asked before it replaces."""
        path, _ = QtWidgets.QFileDialog.getSaveFileName(
            self, "Save", f"{self._name}.{ending}", f"*.{ending}")
        if not path:
            return
        path += "" if path.lower().endswith(f".{ending}") else f".{ending}"
        try:
            save(path, overwrite=True)
            self.line.setText(f"saved: {path}")
        except (ValueError, OSError, RuntimeError) as error:
            self.line.setText(str(error))

    def _point(self, plot):
        """Says what is under the pointer, also when other data are there."""
        if plot.pointer is None:
            if self._pointed is plot:
                self._pointed = None
                self.line.setText(self._hint)
            return
        self._pointed = plot
        found = plot.reading(*plot.pointer)
        self.line.setText(self._hint if found is None else found[1])
        self.line.setToolTip(self.line.text())  # where there is no room for all of it

    def _zoom(self, plot, which, ends):
        """Plots with the same axis show the same part of it."""
        for other in self._plots:
            if other is not plot and other.axis(which) == plot.axis(which):
                other.zoom(which, ends)
