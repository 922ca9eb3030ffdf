#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Images of dumps on the host, while a flowgraph runs."""

from dataclasses import replace

import numpy as np
import pmt
from gnuradio import gr

from .. import fringe_python as fp
from ..observing import item_sizes
from ..ground.dump_items import dump_items, dump_times, edge_channel
from ..images.dump_images import dump_images, timed_dump
from ..images.items import TAG, tag_of
from ..ground.streams import (describe, dump_fields, expected_streams, observed_frequencies,
                              tags_of, time_value)
from .checked_settings import checked_settings
from .image_thread import image_thread
from .read_ahead import read_ahead

DTYPES = ("<c8", "<f4", "u1")
#: Seconds to wait for an image where new items may come soon, and where they did not.
QUICK, SLOW = 0.001, 0.02


class host_imager(gr.basic_block):
    """The imager of dumps that are on the host: the Fourier sum over baselines and channels.

        I(l, m) = sum_k W_k Re{V_k exp(-2 pi i (u_k l + v_k m + w_k (n - 1)))} / sum_k W_k

    It is done by the gridders of `fringe image`, and the images are the same as that command makes
    of the files of a visibility_sink: around the phase center of the observation, or of the whole
    sky above the horizon where that is the zenith. Without a site, or without times, it is the
    sky over the array, in direction cosines to the east and to the north.

    Input 0: visibilities, complex64 [channel][baseline], `channels_per_item` channels an item, as
    the integrator sends them; input 1 (optional): weights, float32, same shape; input 2
    (optional): flags, uint8, same shape, as the rfi_flagger sends them.
    Output 0: images, float32 [polarization][channel group][m][l], `size` pixels a side; l = 0 is
    in column (size - 1) // 2 and m = 0 in row size // 2, and pixels below the horizon are not
    numbers. Unit: that of the visibilities, for a beam. Output 1 (optional): point spread
    functions, of the same shape, 1 at their centers.

    Tags read: rx_time, interval of each dump; without them a dump counts as one second. Tags
    written on each image: rx_time and interval of its dumps, and `image`, bytes of JSON text that
    say all that an image_sink writes into a FITS file (see images/items.py).

    The arguments are those of imager(); backend: of the gridder.

    Where all visibilities of an image are flagged none is sent. Dumps of other sizes or
    frequencies than the observation has end the flowgraph with a sentence in the log.

    Raises ValueError for settings that cannot be, with a sentence.
    """

    NAME, OUTPUTS = "imager", 2
    KIND, VALUE, TAG = "images", np.float32, TAG  # of the items of the outputs

    def __init__(self, observation, channels=128, size=256, scale=0.0, pol="I", weight="natural",
                 channels_out=1, every=0.0, gridder="auto", eps=1e-3, drop=False,
                 complex_samples=True, channels_per_item=0, band=None, backend="auto"):
        inputs = len(observation.inputs)
        per_item = channels_per_item or fp.channels_per_item(max(inputs, 1), channels)
        settings = checked_settings(self.NAME, size, scale, pol, weight, channels_out, gridder, eps)
        settings.backend = backend
        frequencies = np.asarray(observation.channel_frequencies(channels, complex_samples))
        if band is not None:
            settings.band = tuple(band)
            used = np.count_nonzero((frequencies >= band[0]) & (frequencies <= band[1]))
            if used < max(1, channels_out):
                raise ValueError(f"{self.NAME}: band {band[0]:g}, {band[1]:g}; {used} channels are "
                                 f"in it, of those from {frequencies.min():.10g} to "
                                 f"{frequencies.max():.10g} Hz")
        for field, value, right, what in (
                ("inputs", inputs, inputs >= 2, "there must be two or more"),
                ("channels_per_item", channels_per_item, channels % per_item == 0,
                 f"it must divide the {channels} channels (0 = chosen for you)"),
                ("channels_out", channels_out, 1 <= channels_out <= channels,
                 f"it must be 1 to {channels}, the number of channels"),
                ("every", every, 0 <= every < float("inf"), "it must be 0 s or more")):
            if not right:
                raise ValueError(f"{self.NAME}: {field} {value}; {what}")
        self._prepare(settings)
        try:
            self._images = dump_images(observation, channels, complex_samples, settings, every,
                                       self._maker(settings))
        except ValueError as error:
            raise ValueError(f"{self.NAME}: {error}") from None
        row = inputs * (inputs + 1) // 2
        values = per_item * row
        self._frame = self._item_values(size, pol, channels_out)
        gr.basic_block.__init__(
            self, name=f"fringe_{self.NAME}",
            in_sig=gr.py_io_signature(1, 3, [(np.dtype(dtype), values) for dtype in DTYPES]),
            out_sig=gr.py_io_signature(1, self.OUTPUTS, [(self.VALUE, self._frame)]))
        self.set_tag_propagation_policy(gr.TPP_DONT)
        fields = dump_fields(inputs, channels, per_item, complex_samples=bool(complex_samples))
        self._streams = expected_streams(
            *((kind, size * values, fields) for kind, size in
              (("visibilities", 8), ("weights", 4), ("flags", 1))))
        self._axis = observed_frequencies(observation, channels, complex_samples)
        self._layout = row, channels, per_item
        self._dump, self._drop, self._thread = None, bool(drop), None
        self._dropped, self._counted, self._input = 0, 0, read_ahead(self)
        self._settings, self._ready = settings, []

    def images(self):
        """Images made so far."""
        return self._images.made

    def dropped(self):
        """Dumps that were not imaged, as others waited."""
        return self._dropped

    def empty(self):
        """Images that were not made, as all their visibilities were flagged."""
        return self._images.empty

    def rest(self):
        """The image of the dumps since the last whole interval, a list of none or one
        `sky_image`: for after the end of the data."""
        return self._images.rest()

    def forecast(self, noutput_items, ninputs):
        """One item is enough to be called."""
        return [1] * ninputs

    def start(self):
        """Forgets what is left of an earlier run."""
        self._streams.restart(self)
        self._images.restart()
        self._dump, self._ready, self._counted = None, [], 0
        self._input.restart()
        self._thread = image_thread(self._images) if self._drop else None
        return True

    def stop(self):
        """Ends the thread that makes images."""
        if self._thread:
            self._thread.end()
        return True

    def general_work(self, input_items, output_items):
        """Collects the items of a dump; sends an image when there is one."""
        if self._streams.refused(self, map(len, input_items)):
            return -1
        if self._dump is None:
            self._dump = dump_items(*self._layout, DTYPES[:len(input_items)])
            self._settings.psf = self._settings.psf or len(output_items) > 1
        waiting = min(map(len, input_items))
        at = self._input.begin(waiting)
        wait = QUICK if at < waiting else SLOW
        try:
            while at < waiting and (self._thread or not self._ready):
                if self._dump.begins and not self._begin(self.nitems_read(0) + at):
                    return -1
                at += self._dump.add(*(items[at:waiting] for items in input_items))
                if self._dump.whole:
                    self._end()
            more = False
            if self._thread:
                made, more = self._thread.take(wait)
                self._ready += made
        except ValueError as error:
            expected_streams.refuse(self, f"{self.NAME}: {error}")
            return -1
        self._input.end(len(input_items), at, hold=more or len(self._ready) > 1)
        return self._send(output_items) if self._ready else 0

    def _begin(self, item):
        found = tags_of(self, 0, item)
        self._times = dump_times.of(found)
        self._dump.begin()
        return not self._axis.refused(self, found)

    def _end(self):
        ports = self._dump.end()
        times, number = self._times, self._counted
        self._counted += 1
        if times.interval == 0:
            return  # only its tags were sent
        channels = self._layout[1]
        seconds, fraction = ((number, 0.0) if times.seconds is None
                             else (times.seconds, times.fraction))
        dump = timed_dump(*ports, *(None,) * (3 - len(ports)), seconds, fraction,
                          times.interval or 1.0, edge_channel(self._streams.received, channels))
        if self._thread:
            self._dropped += not self._thread.offer(dump)
        else:
            self._ready += self._images.add(dump)

    def _prepare(self, settings):
        """Adds to the `image_settings` what a subclass has beside them."""

    def _maker(self, settings):
        """What makes the items of dumps; None = the maker of images."""

    def _item_values(self, size, pol, channels_out):
        """Numbers in an item."""
        return item_sizes.image(size, pol, channels_out)

    def _ports(self, made):
        """The `sky_image` of each output port, from one that was made."""
        yield made
        yield replace(made, values=made.psf, kind="point spread function")

    def _send(self, output_items):
        made, item = self._ready.pop(0), self.nitems_written(0)
        for port, (out, image) in enumerate(zip(output_items, self._ports(made))):
            out[0] = image.values.ravel()
            planes, groups, rows, columns = image.values.shape
            if item == 0:
                describe(self, port, self.KIND, image.values.nbytes, planes=planes, groups=groups,
                         rows=rows, columns=columns)
            for name, value in (
                    ("rx_time", time_value(*made.begin)),
                    ("interval", pmt.from_double(made.duration)), (self.TAG, tag_of(image))):
                self.add_item_tag(port, item, pmt.intern(name), value)
        return 1
