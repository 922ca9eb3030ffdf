#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Streams that start at different times, brought together while a flowgraph runs."""
import collections
import threading

import numpy as np
import pmt
from gnuradio import gr

from .alignment import align

#: Fewest samples that are searched, and seconds of data until an unsuccessful search is repeated.
MIN, PAUSE = 65536, 5.0
#: Seconds after which stop() does not wait for a search any more.
TIMEOUT = 60.0
RX_TIME = pmt.intern("rx_time")


class start_aligner(gr.basic_block):
    """Finds by how much streams of one common signal are apart, and delays those that are early.

    For receivers that share a clock, but whose streams have no times and begin at other instants
    each time, like RTL-SDRs; the block comes before the Stack. All streams pass from the first
    sample on. Meanwhile a thread correlates `2 search` seconds of each with those of input 0
    (calibration.alignment.align), over all offsets up to `search`. If each input has a peak that
    noise has with a chance below 1e-8, the block delays the streams by whole samples so that the
    signal comes at the same sample of all of them: zeros take the place of what is missing, once.
    Less than a sample is left, which the calibrator finds. If there is no peak, the log says so,
    and the search is repeated, until the noise source is on. Then the block looks again only when
    it is asked to: by set_align(), or by any message at the port `align`.

    Streams with the tag rx_time pass unchanged, as the Stack aligns them by their times.

    Inputs, outputs: one stream per receiver, complex64 or float32 samples. A tag stays with its
    sample. Message port `offsets`: after each search that was successful a dictionary of
    `delays`, s64vector [input], samples by which each is delayed.

      inputs: number of streams, two or more
      sample_rate: Hz
      search: s, the largest offset that is looked for; the buffers have 4 search sample_rate
          samples of each input
      complex_samples: False for float32 streams

    Raises ValueError for sizes that are not positive.
    """

    def __init__(self, inputs=2, sample_rate=1e6, search=0.2, complex_samples=True):
        for field, value, right, wanted in (
                ("inputs", inputs, inputs >= 2, "two or more"),
                ("sample_rate", sample_rate, 0 < sample_rate < np.inf, "positive, in Hz"),
                ("search", search, 0 < search * sample_rate < 2**28, "positive, in seconds, and "
                 "less than 2^28 samples")):
            if not right:
                raise ValueError(f"start_aligner: {field}: {value}; must be {wanted}")
        kind = np.complex64 if complex_samples else np.float32
        gr.basic_block.__init__(self, name="fringe_start_aligner", in_sig=[kind] * inputs,
                                out_sig=[kind] * inputs)
        self.set_tag_propagation_policy(gr.TPP_DONT)
        self.message_port_register_in(pmt.intern("align"))
        self.set_msg_handler(pmt.intern("align"), lambda _: self.set_align(True))
        self.message_port_register_out(pmt.intern("offsets"))
        self._inputs, self._rate, self._search, self._kind = inputs, sample_rate, search, kind
        self._length = max(MIN, int(np.ceil(2 * search * sample_rate)))
        self._pressed = False
        self._begin()

    def _begin(self):
        self._lines = [_delay_line(self._kind) for _ in range(self._inputs)]
        self._wanted, self._wait, self._timed = True, 0, False
        self._collected, self._parts = 0, [[] for _ in range(self._inputs)]
        self._thread = self._answer = None
        #: samples by which each input is delayed, and whether the last search was successful
        self.delays, self.aligned = [0] * self._inputs, False

    def start(self):
        """Forgets what was found in an earlier run: streams have new starts each time."""
        self._begin()
        return True

    def stop(self):
        """Waits for a search that is under way."""
        if self._thread:
            self._thread.join(TIMEOUT)
        return True

    def set_align(self, pressed=True):
        """Begins another search, when pressed."""
        if pressed:
            self._pressed = True

    def forecast(self, noutput_items, ninputs):
        """Any sample can be passed on."""
        return [1] * ninputs

    def general_work(self, input_items, output_items):
        """Passes samples through the delays, and keeps copies of those that are searched."""
        count = min(map(len, (*input_items, *output_items)))
        self._take_answer()
        for k, line in enumerate(self._lines):
            for tag in self.get_tags_in_window(k, 0, count):
                self._timed |= pmt.eq(tag.key, RX_TIME)
                self.add_item_tag(k, tag.offset - self.nitems_read(k) + self.nitems_written(k)
                                  + line.waiting, tag.key, tag.value, tag.srcid)
            line.put(input_items[k][:count])
            line.get(output_items[k][:count])
        self._collect(input_items, count)
        for k in range(self._inputs):
            self.consume(k, count)
            self.produce(k, count)
        return int(gr.WORK_CALLED_PRODUCE)

    def _collect(self, input_items, count):
        if self._pressed:
            self._pressed, self._wanted, self._wait = False, True, 0
        if not self._wanted or self._thread:
            return
        if self._timed:
            self._wanted = False
            self.logger.info("the streams carry rx_time, by which the Stack aligns them: they "
                             "pass unchanged")
            return
        self._wait -= count
        if self._wait > 0:
            return
        for parts, items in zip(self._parts, input_items):
            parts.append(items[:count].copy())
        self._collected += count
        if self._collected >= self._length:
            streams = [np.concatenate(parts)[:self._length] for parts in self._parts]
            self._collected, self._parts = 0, [[] for _ in range(self._inputs)]
            # An answer of its own: a search that ends in a later run does not speak to that.
            self._answer = []
            self._thread = threading.Thread(target=self._look, args=(streams, self._answer),
                                            daemon=True)
            self._thread.start()

    def _look(self, streams, answer):
        try:
            answer.append([align(streams[0], stream, self._rate, self._search)
                           for stream in streams[1:]])
        except (ValueError, MemoryError) as error:
            answer.append(str(error) or "out of memory")

    def _take_answer(self):
        if not self._answer:
            return
        found, self._answer, self._thread = self._answer[0], None, None
        if isinstance(found, str):
            self._wanted = False
            self.logger.error(f"not aligned: {found}")
            return
        silent = [k for k, result in enumerate(found, 1) if not result.found]
        if silent:
            self._wait = int(PAUSE * self._rate)
            self.logger.warn(
                f"not aligned: input {', '.join(map(str, silent))} has no signal in common with "
                f"input 0 within {self._search:g} s; is the noise source on? The next search is in "
                f"{PAUSE:g} s")
            return
        later = [0] + [round(result.offset) for result in found]
        delays = [max(later) - offset for offset in later]
        for line, new, old in zip(self._lines, delays, self.delays):
            line.lengthen(new - old)
        changed, self.delays = delays != self.delays, delays
        self.aligned, self._wanted = True, False
        shifts = ", ".join(f"input {k} by {delay} samples ({1e3 * delay / self._rate:.3f} ms)"
                           for k, delay in enumerate(delays) if delay)
        if not changed:
            self.logger.info("aligned: the delays are still right")
        else:
            self.logger.info(f"aligned: delayed {shifts}" if shifts
                             else "aligned: no delay is needed")
        self.message_port_pub(pmt.intern("offsets"), pmt.dict_add(
            pmt.make_dict(), pmt.intern("delays"), pmt.init_s64vector(len(delays), delays)))


class _delay_line:
    """Samples that wait to be sent."""

    def __init__(self, kind):
        self._pieces, self._kind, self.waiting = collections.deque(), kind, 0

    def put(self, samples):
        self._pieces.append(samples.copy())
        self.waiting += len(samples)

    def get(self, out):
        """Fills an array with the oldest; there must be enough."""
        filled = 0
        while filled < len(out):
            piece = self._pieces.popleft()
            count = min(len(piece), len(out) - filled)
            out[filled:filled + count] = piece[:count]
            if count < len(piece):
                self._pieces.appendleft(piece[count:])
            filled += count
        self.waiting -= filled

    def lengthen(self, samples):
        """Zeros before what waits; or, where negative, drops that number of the oldest."""
        if samples > 0:
            self._pieces.appendleft(np.zeros(samples, self._kind))
            self.waiting += samples
        elif samples < 0:
            self.get(np.empty(-samples, self._kind))
