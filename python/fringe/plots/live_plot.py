#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The fringes of a running flowgraph as a picture of matplotlib, in a notebook or a window."""
import threading
import time

import numpy as np
from gnuradio import gr

from .. import fringe_python as fp
from ..ground.dump_tap import dump_stream, dump_tap
from ..ground.dump_values import coefficients, frequencies_of, mean_over_channels, pair_columns
from ..ground.history import history
from ..ground.streams import failure
from ..observing.observation_words import input_name
from .live_panels import draw_fringes, draw_waterfall
from .screen import screen

KINDS = ("fringes", "waterfall")
#: Most dumps that are kept: numbers of them, and of bytes of a waterfall.
DUMPS, BYTES = 20000, 2**28


class live_plot(gr.hier_block2):
    """Amplitude and phase of one baseline, drawn again and again while the flowgraph runs.

        fringes: V(t) = mean_c V_c,ij(t);    waterfall: V_c,ij(t)
        normalized: V_c,ij / sqrt(V_c,ii V_c,jj) in the place of V_c,ij

    It needs no window: in a notebook the picture changes in its cell; elsewhere it is a window of
    matplotlib where there is a screen. Unlike a display it passes no dump over.

    Input: visibilities [channel][baseline], `channels_per_item` channels an item, as a correlator
    sends them. Connect it before the start, or, while the flowgraph runs, between lock() and
    unlock().

      observation: names the inputs, and says how many there are
      channels: 0 = as the observation has them
      i, j: the baseline; i = j is the power of an input; conj(V_ji) is shown for i > j
      kind: "fringes", or "waterfall": sky frequency and time
      normalize: correlation coefficient instead of power; an input with itself is a power
      seconds: length of the axis of time
      channels_per_item: as in the block before; 0 = chosen as there

    Raises ValueError for an input that there is not, channels that do not fit, a kind that is not
    known, no seconds.
    """

    def __init__(self, observation, channels=0, i=0, j=1, kind="fringes", normalize=True,
                 seconds=60.0, channels_per_item=0):
        inputs, channels = len(observation.inputs), channels or observation.channels
        per_item = channels_per_item or fp.channels_per_item(inputs, channels)
        if channels % per_item:
            raise ValueError(f"live_plot: channels_per_item {channels_per_item}; it must divide "
                             f"the {channels} channels")
        for number in (i, j):
            if int(number) != number or not 0 <= number < inputs:
                raise ValueError(f"live_plot: input {number}; the observation has inputs "
                                 f"0 ... {inputs - 1}")
        if kind not in KINDS:
            raise ValueError(f"live_plot: kind {kind}; it must be " + " or ".join(KINDS))
        if not seconds > 0:
            raise ValueError(f"live_plot: seconds {seconds}; the axis must be longer than 0 s")
        self.channels, self.kind, self.seconds = channels, kind, float(seconds)
        self.normalized = bool(normalize) and i != j
        names = [input_name(observation, observation.inputs[k]) for k in (i, j)]
        self.title = names[0] if i == j else "\u2013".join(names)
        self._pair, self._columns = (i, j), pair_columns([(i, j)], inputs)
        self._observation, self._figure, self._lock = observation, None, threading.Lock()
        kept = DUMPS if kind == "fringes" else max(2, min(DUMPS, BYTES // (8 * channels)))
        self.history, self.axis = history(kept), None
        stream = dump_stream.of_visibilities(inputs, channels, per_item)
        gr.hier_block2.__init__(self, "fringe_live_plot",
                                gr.io_signature(1, 1, stream.item_bytes(per_item)),
                                gr.io_signature(0, 0, 0))
        self.tap = dump_tap(stream, channels, per_item, lambda dump: None,
                            lambda: (self._pair, self._columns), keep=self._keep)
        self.connect(self, self.tap)

    def _keep(self, dump):
        values = coefficients(dump.values, [self._pair], self.normalized)[:, 0]
        with self._lock:
            self.axis = dump.middle, dump.width, dump.complex_samples is not False
            self.history.add(dump, values if self.kind == "waterfall"
                             else mean_over_channels(values))

    @property
    def values(self):
        """Of all dumps so far, complex, [dump] or of a waterfall [dump][channel]; the newest
        last. A channel that holds both edges of the band is nan, and is in no mean."""
        with self._lock:
            return self.history.values()

    def frequencies(self):
        """Hz of the channels, as the newest dump or else the observation says; None = not known."""
        middle, width, complex_samples = self.axis or (0, 0, True)
        if middle and width:
            return frequencies_of(middle, width, complex_samples, self.channels)
        obs = self._observation
        if not (obs.sample_rate > 0 and obs.center_frequency > 0):
            return None
        return np.array(obs.channel_frequencies(self.channels, complex_samples))

    @property
    def figure(self):
        """The figure of matplotlib, drawn with the dumps that there are now."""
        return self._draw(None)

    def show(self, seconds=None, every=0.5):
        """Draws anew after every so many seconds, until the flowgraph ends, `seconds` have passed,
        or it is interrupted (Ctrl-C; in a notebook: Interrupt); the flowgraph goes on.

        Raises RuntimeError where the flowgraph was not started, and with the sentence on what ended
        its data early.
        """
        if self.tap.running is None:
            raise RuntimeError("live_plot: the flowgraph does not run; start() it before show()")
        shown, end = screen(), time.monotonic() + (np.inf if seconds is None else seconds)
        try:
            while True:
                running = self.tap.running
                shown.update(self._draw(shown))
                if not running or time.monotonic() >= end:
                    break
                shown.wait(min(every, max(0, end - time.monotonic())))
        except KeyboardInterrupt:
            return
        if not running and failure(self.tap):
            raise RuntimeError(failure(self.tap))

    def _draw(self, shown):
        if self._figure is None or shown is not None:
            self._figure = (shown or screen(hidden=True)).figure
        with self._lock:
            self._figure.clear()
            (draw_fringes if self.kind == "fringes" else draw_waterfall)(self, self._figure)
        return self._figure
