#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What all displays have in common."""

import numpy as np
from gnuradio import gr
from PyQt5 import QtCore, QtWidgets

from .. import fringe_python as fp
from ..observing.observation_words import input_name
from .display_window import display_window
from ..ground.dump_tap import dump_stream, dump_tap
from ..ground.dump_values import frequencies_of  # noqa: F401
from .window_size import first_size


class gui_calls(QtCore.QObject):
    """Calls functions in the thread of the windows, from any thread."""
    _asked = QtCore.pyqtSignal(object)

    def __init__(self):
        super().__init__()
        self._asked.connect(self._call)

    def __call__(self, function):
        if QtCore.QThread.currentThread() is self.thread():
            function()
        else:
            self._asked.emit(function)

    @QtCore.pyqtSlot(object)
    def _call(self, function):
        function()


class display(gr.hier_block2):
    """A block with one input, visibilities [channel][baseline] or a `stream`, or with several
    `ports` of such, and a widget.

    A display gives _widget, _products() and _show(dump), see dump_tap, and _keep(dump) where it
    must not miss any, and connects what it has to self.tap. title: a line above it, "" = none.
    observation: names the inputs; None = they are numbers. Raises ValueError for invalid sizes,
    inputs and channels, RuntimeError where there is no QApplication yet.

    frequencies: of the channels, Hz; () = as the tags of the dumps say, also after a receiver has
    been tuned, else as in the observation, else channels are numbered. complex_samples: of the
    observation's frequencies, where the dumps do not say it. velocity: a velocity_axis that takes
    the place of frequencies along the axis; None = none does.
    """

    def __init__(self, name, inputs, channels, channels_per_item=0, lengths=(),
                 frequencies=(), title="", observation=None, stream=None, complex_samples=True,
                 velocity=None, ports=1):
        self.name_, self._velocity = name, velocity
        for field, value in (("inputs", inputs), ("channels", channels)):
            if int(value) != value or value < 1:
                raise ValueError(f"display {name}: {field} {value}; it must be a positive "
                                 "whole number")
        per_item = channels_per_item or fp.channels_per_item(inputs, channels)
        if channels % per_item:
            raise ValueError(f"display {name}: channels_per_item {per_item}; it must divide "
                             f"the {channels} channels")
        if QtWidgets.QApplication.instance() is None:
            raise RuntimeError(f"display {name}: there is no QApplication yet; one must be made "
                               "before the flowgraph")
        if observation is not None and len(observation.inputs) != inputs:
            raise ValueError(f"display {name}: observation with {len(observation.inputs)} inputs; "
                             f"it must have the {inputs} of the visibilities")
        self.inputs, self.channels = inputs, channels
        self.input_names = (list(map(str, range(inputs))) if observation is None else
                            [input_name(observation, entry) for entry in observation.inputs])
        self._given = len(frequencies) > 0
        self._observation, self._axis, self._complex = observation, None, complex_samples
        self.frequencies = np.asarray(frequencies if self._given else
                                      self._observed(complex_samples), float)
        if len(self.frequencies) not in (0, channels):
            raise ValueError(f"display {name}: frequencies of {len(self.frequencies)} channels; "
                             f"it must be all {channels}, or none")
        self._first, self._last = 0, channels - 1
        self._gui, self._title, self._whole = gui_calls(), title, None
        stream = stream or dump_stream.of_visibilities(inputs, channels, per_item)
        gr.hier_block2.__init__(self, f"fringe_display_{name}",
                                gr.io_signature(ports, ports, stream.item_bytes(per_item)),
                                gr.io_signature(0, 0, 0))
        self.tap = dump_tap(stream, channels, per_item, self._take, self._products, lengths,
                            self._run_ended, self._keep, ports)
        for port in range(ports):
            self.connect((self, port), (self.tap, port))

    _keep = None

    def _take(self, dump):
        """Shows a dump, at the frequencies that it has."""
        kind = self._complex if dump.complex_samples is None else dump.complex_samples
        axis = dump.middle, dump.width, kind
        if not self._given and axis != self._axis:
            self._axis = axis
            self.frequencies = (frequencies_of(*axis, self.channels) if dump.middle and dump.width
                                else self._observed(kind))
            self._frequencies_changed()
        if self._velocity is not None and dump.interval > 0 and self._velocity.follow(dump.seconds):
            self._channels_changed()
        return self._show(dump)

    def _observed(self, complex_samples):
        """The frequencies as the observation has them; none without it."""
        obs = self._observation
        if obs is None or not (obs.sample_rate > 0 and obs.center_frequency > 0):
            return np.empty(0)
        return np.array(obs.channel_frequencies(self.channels, complex_samples))

    def _frequencies_changed(self):
        """Called in the thread of the block when `frequencies` have changed."""
        self._channels_changed()

    def _run_ended(self):
        """Called when the flowgraph has stopped, before the window may be closed."""

    def widget(self):
        """The QWidget, a display_window."""
        if self._whole is None:
            self._whole = display_window(self._title, self._widget, self.name_)
            first_size(self._whole)
        return self._whole

    def set_frozen(self, frozen):
        """Keeps what is shown while data come on, or shows the newest again."""
        self._gui(lambda: self.widget().set_frozen(frozen))

    def save_picture(self, path, overwrite=False):
        """Writes what is shown as a PNG, in the thread of the windows. Raises as new_file()."""
        self.widget().save_picture(path, overwrite)

    def save_csv(self, path, overwrite=False):
        """Writes the numbers shown, in the thread of the windows: a row of names with units, and a
        row for each place on the axes; no value is an empty field. Raises as new_file()."""
        self.widget().save_csv(path, overwrite)

    def named(self, *numbers):
        """Inputs as titles have them: "A1X - A10X"; "input A1X" where it is one with itself."""
        if len(set(numbers)) == 1:
            return f"input {self.input_names[numbers[0]]}"
        return " - ".join(self.input_names[k] for k in numbers)

    def check_inputs(self, *numbers):
        """The numbers of inputs; raises ValueError for one that there is not."""
        for number in numbers:
            if int(number) != number or not 0 <= number < self.inputs:
                raise ValueError(f"display {self.name_}: input {number}; they are numbered "
                                 f"0 ... {self.inputs - 1}")
        return tuple(int(number) for number in numbers)

    def set_channels(self, first=0, last=-1):
        """Shows channels first ... last, both counted; a negative one counts from the end."""
        a, b = (k + self.channels if k < 0 else k for k in (int(first), int(last)))
        if not 0 <= a <= b < self.channels:
            raise ValueError(f"display {self.name_}: channels {first} ... {last}; they are "
                             f"numbered 0 ... {self.channels - 1}, the first before the last")
        self._first, self._last = a, b
        self._channels_changed()

    def _channels_changed(self):
        pass

    def band(self):
        """The channels that are shown, a slice."""
        return slice(self._first, self._last + 1)

    def frequency_axis(self):
        """(values of the channels, label): sky frequency in MHz or velocity in km/s, else channel
        numbers."""
        if len(self.frequencies) and self._velocity is not None:
            return self._velocity.of(self.frequencies), self._velocity.label
        if len(self.frequencies):
            return self.frequencies / 1e6, "Sky frequency (MHz)"
        return np.arange(self.channels, dtype=float), "Channel"
