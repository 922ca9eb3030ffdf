#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The last seconds of a stream, kept in memory until a message asks for a recording of them."""
import math
import os

from gnuradio import gr

from .. import fringe_python as fp
from ..ground.message_wires import message_wires
from .ring_port import DUMPS, ring_port
from .ring_stream import NAME, ring_stream

KINDS = {"raw": "raw samples", "voltages": "voltages", "spectra": "spectra"}
COMPONENTS = {"i8": "i8", "i16": "i16", "f32": "f32", "ci8": "i8", "ci16": "i16", "cf32": "f32"}


class voltage_ring(message_wires, gr.hier_block2):
    """Keeps the last `seconds` of a stream, and writes parts of them to recordings when a message
    asks for it.

    The stream goes on while a thread writes: it waits neither for the disk nor for Python, and what
    is written is what came, bit for bit. A part that is overwritten by newer data before it is
    written is a gap in the file, and named in the message `dumped`.

    Input: raw sample blocks [file][time][input], as file_source, udp_source, tcp_source and
    kraken_source send them; voltages [input][time], as stack and unpack do; or requantized spectra
    [channel][input][time]. Tags read: `rx_time`, which the stream must have, `rx_rate`,
    `rx_freq`, and those for what was lost (`samples`, `spectra`, `invalid`, `lost`). A new rx_time
    is a gap. Where the time goes back or the frequency changes, what came before can no
    longer be dumped.

    Message port `dump`: "now" (all of the ring), or a dictionary:

      from, to      the part that is wanted, also of the future; times: text in ISO 8601 (UTC),
                    seconds since 1970, or a pair of whole seconds and fraction, as in rx_time.
                    Without them: the oldest, and the newest sample
      before, after seconds before and after `time`, in place of them
      time          without it: the newest sample
      name          for the name of the file: ring.vdif becomes ring_NAME.vdif; without it the time
                    at which the part begins
      why           any value, which the message `dumped` repeats

    Message port `dumped`, when a file is whole, or for what cannot be: a dict of file, from, to,
    start (of the first sample in the file), samples (of each input) and seconds in it, lost
    (samples of each input that the ring lost before they were written, or before they were asked
    for), lost_times (texts of two times each), why, and problem ("" for a file that is whole).
    Times are text, in UTC. dumps() has the last hundred of these.

    A program that makes many flowgraphs calls release() of the ring when one of them has ended and
    is not run again: its memory is free once nobody has it.

    Whole items are written, so a file begins and ends up to an item outside of what was asked for.

      inputs, block_samples: of an item; of spectra, block_samples is the number of spectra in it
      sample_rate: Hz; of spectra, spectra a second
      seconds: what the ring holds
      path: x.vdif, x.sigmf-collection or x.sigmf-meta (one input) for samples, x.h5 for spectra;
        the folder must be there
      format: of the samples, a recording format
      files: sub-blocks of a raw block
      kind: "raw", "voltages" or "spectra"
      channels: of spectra; samples have none
      longest: seconds of a dump; how far in the future it may begin: `seconds`
      folder: for the memory of the ring, as a file on a fast disk (NVMe); "" = memory

    Raises ValueError for what cannot be, RuntimeError for too little memory.
    """

    def __init__(self, inputs, block_samples, sample_rate, seconds=8.0, path="ring.vdif",
                 format="ci8", files=1, kind="raw", channels=128, longest=60.0, folder=""):
        for name, value, right, what in (
                ("inputs", inputs, inputs >= 1, "it must be 1 or more"),
                ("block_samples", block_samples, block_samples >= 1, "it must be 1 or more"),
                ("sample_rate", sample_rate, sample_rate > 0, "it must be more than 0"),
                ("seconds", seconds, seconds > 0, "it must be more than 0"),
                ("longest", longest, longest > 0, "it must be more than 0"),
                ("kind", kind, kind in KINDS, f"it must be {', '.join(KINDS)}"),
                ("files", files, files >= 1 and inputs % files == 0, "it must divide the inputs"),
                ("channels", channels, channels >= 1, "it must be 1 or more"),
                ("format", format, kind != "voltages" or format in COMPONENTS,
                 f"voltages are {', '.join(COMPONENTS)}")):
            if not right:
                raise ValueError(f"{NAME}: {name} {value}; {what}")
        self._stream = stream = ring_stream(
            int(inputs), int(block_samples), float(sample_rate), format,
            int(inputs if kind == "voltages" else files),
            int(channels) if kind == "spectra" else 0)
        self._path = os.path.abspath(path)
        self._check_path(path)
        items = math.ceil(seconds / stream.item_seconds) + 1
        gr.hier_block2.__init__(self, "fringe_voltage_ring",
                                gr.io_signature(1, 1, stream.item_bytes), gr.io_signature(0, 0, 0))
        self._ring = fp._item_ring(stream.item_bytes, items, DUMPS, folder)
        times = fp._ring_times(stream.block, stream.rate)
        fields = {key: str(value) for key, value in self._fields(kind).items()}
        #: the block that takes the stream: C++, which threads of Python do not hold up
        self.sink = fp._ring_sink(self._ring, times, KINDS[kind], fields)
        self._port = ring_port(self.sink, self._ring, times, stream, self._path, float(seconds),
                               float(longest))
        self.connect(self, self.sink)
        self.message_port_register_hier_in("dump")
        self.message_port_register_hier_out("dumped")
        self.connect_messages(self, "dump", self._port, "dump")
        self.connect_messages(self.sink, "dumped", self, "dumped")

    def _check_path(self, path):
        """Says before anything runs what cannot be written."""
        ending, spectra = os.path.splitext(path)[1].lower(), bool(self._stream.channels)
        right = (".h5",) if spectra else (".vdif", ".sigmf-collection", ".sigmf-meta")
        if ending not in right:
            raise ValueError(f"{NAME}: path {path}; it must end in {' or '.join(right)}")
        stem, ending = os.path.splitext(self._path)
        self._stream.form(f"{stem}_{ending}", self._stream.block)

    def _fields(self, kind):
        stream = self._stream
        if kind == "spectra":
            return {"inputs": stream.inputs, "channels": stream.channels,
                    "block_spectra": stream.block, "component": "i8"}
        fields = {"inputs": stream.inputs, "block_samples": stream.block}
        if kind == "raw":
            return {**fields, "format": stream.encoding, "files": stream.parts}
        return {**fields, "component": COMPONENTS[stream.encoding],
                "complex_samples": stream.encoding.startswith("c")}

    def dumps(self):
        """What the messages `dumped` said so far, the last hundred."""
        return self._port.dumps()

    def held(self):
        """How much of the ring has samples, 0 to 1."""
        return min(self._ring.next() / self._ring.items, 1.0)

    def counts(self):
        """Dumps by what became of them, whole, with_gaps, failed and refused; and `overtaken`, the
        samples of each input that they lost."""
        return self._port.counts()

    def busy(self):
        """Dumps that are being written."""
        return self.sink.busy()

    def join(self):
        """Waits for the dumps that are being written."""
        self.sink.wait_for_dumps()

    def dump(self, **words):
        """Asks for a dump, as a message does: dump(before=2), dump(**{"from": "2026-06-12T11:20",
        "to": "2026-06-12T11:21"}). A thread writes it. ValueError for what cannot be."""
        self._port.dump(**words)
