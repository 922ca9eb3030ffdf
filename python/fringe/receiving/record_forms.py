#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The forms in which what comes live is recorded: VDIF, spectra, SigMF."""
import contextlib
import os

from .. import fringe_python as fp
from ..ground.new_file import check_new_file, new_file
from ..observing import item_sizes
from .sigmf_pair import global_words
from .sigmf_recorder import sigmf_recorder
from .sigmf_set import ENDINGS, sigmf_set
from .spectra_recorder import spectra_recorder
from .vdif_frames import vdif_frames
from .vdif_recorder import vdif_recorder

BLOCK_BYTES = 1 << 20
BLOCK_SECONDS = 0.1


def form_of(path, packets, layout, minutes, author, overwrite):
    """The form of an output, by its ending; ValueError for one that cannot be.

    A form has rate (Hz), granule (samples are a multiple of it), kind and values of a
    record_result, partial (the name of what is there after a failure) and files(block), a with
    statement that gives the flowgraph's last block, and its size of block; 0 = what is good."""
    ending = os.path.splitext(path)[1].lower()
    if ending in ENDINGS:
        return sigmf_form(path, packets, layout, minutes, author, overwrite)
    if ending not in (".vdif", ".h5"):
        raise ValueError(f"output: {path}: must end in .vdif, .sigmf-collection or .sigmf-meta, or "
                         "with packets of spectra in .h5, the formats that are recorded")
    for name, value in (("minutes", minutes), ("author", author)):
        if value:
            raise ValueError(f"{name}: {value}: is for SigMF; give x.sigmf-collection instead of "
                             f"{path}")
    if layout.spectra != (ending == ".h5"):
        kind, right = ("spectra", ".h5") if layout.spectra else ("samples", ".vdif")
        raise ValueError(f"output: {path}: must end in {right}: {packets.preset} has packets of "
                         f"{kind}")
    return (spectra_form if layout.spectra else vdif_form)(path, packets, layout, overwrite)


class _one_file:
    """What is one file, x.partial.y while it grows."""

    kind, values = "samples", 1

    def __init__(self, path, packets, layout, overwrite):
        stem, ending = os.path.splitext(path)
        self.partial = f"{stem}.partial{ending}"
        self.path, self.overwrite, self.packets, self.layout = path, overwrite, packets, layout

    @contextlib.contextmanager
    def files(self, block=0):
        """Gives (sink, samples of a block)."""
        with new_file(self.path, self.overwrite, keep_partial=True) as file:
            yield self._sink(file, block)


class vdif_form(_one_file):
    """Samples as VDIF frames."""

    def __init__(self, path, packets, layout, overwrite):
        super().__init__(path, packets, layout, overwrite)
        frames = self.frames = vdif_frames.of_packets(layout, packets.preset)
        if packets.inputs % frames.streams or packets.inputs > 1024 * frames.streams:
            raise ValueError(f"live: {packets.url}: inputs={packets.inputs}: must be a multiple of "
                             f"the {frames.streams} of a packet, and at most "
                             f"{1024 * frames.streams}")
        self.rate, self.granule = frames.rate, frames.samples
        check_new_file(path, overwrite, keep_partial=True)

    def _sink(self, file, block):
        frames, inputs = self.frames, self.packets.inputs
        limit = min(BLOCK_BYTES * 8 // (inputs * frames.encoding.bits),
                   int(BLOCK_SECONDS * frames.rate))
        block = block or max(1, limit // frames.samples) * frames.samples
        return vdif_recorder(file, frames, inputs // frames.streams, block), block


class spectra_form(_one_file):
    """Spectra of F-engines."""

    kind, granule = "spectra", 1

    def __init__(self, path, packets, layout, overwrite):
        super().__init__(path, packets, layout, overwrite)
        self.rate, self.values = layout.sample_rate, layout.all_channels
        check_new_file(path, overwrite, keep_partial=True)

    def _sink(self, file, block):
        packets, layout = self.packets, self.layout
        good = item_sizes.spectra(packets.inputs, layout.all_channels)
        good *= max(1, BLOCK_BYTES // (2 * packets.inputs * layout.all_channels * good))
        block = block or min(good, max(1, int(BLOCK_SECONDS * layout.sample_rate)))
        return spectra_recorder(file, fp.spectra_facts(
            packets.inputs, layout.all_channels, block, packets.bits, layout.sample_rate,
            layout.center_frequency, layout.channels)), block


class sigmf_form:
    """Samples as SigMF recordings, of each receiver and of so many minutes."""

    kind, values, granule = "samples", 1, 1

    def __init__(self, path, packets, layout, minutes, author, overwrite):
        if layout.spectra:
            raise ValueError(f"output: {path}: must end in .h5: {packets.preset} has packets "
                             "of spectra")
        if layout.stream_major and layout.streams > 1 or packets.inputs % layout.streams:
            raise ValueError(f"live: {packets.url}: inputs={packets.inputs}, "
                             f"{layout.streams} in a packet: SigMF has all inputs of an instant "
                             "together, and whole packets")
        self.layout, self.rate = layout, layout.sample_rate
        if minutes is not None and not minutes * 60 * self.rate >= 1:
            raise ValueError(f"minutes: {minutes:g}: must be positive, and at least a sample")
        self.receivers = packets.inputs // layout.streams
        more = {"core:author": author} if author else {}
        words = [global_words(layout.encoding, self.rate, layout.streams, {
            **more, "core:hw": f"{packets.preset}, receiver {k} of {packets.url}"})
            for k in range(self.receivers)]
        self.set = sigmf_set(path, words, round((minutes or 0) * 60 * self.rate), overwrite)

    @property
    def partial(self):
        """What is there after a failure."""
        return self.set.partial

    @contextlib.contextmanager
    def files(self, block=0):
        """Gives (sink, samples of a block); what is whole at its end has its name."""
        streams = self.layout.streams
        sample_bytes = fp.encoding_by_name(self.layout.encoding).bits * streams // 8
        block = block or max(1, min(BLOCK_BYTES // (sample_bytes * self.receivers),
                                    int(BLOCK_SECONDS * self.rate)))
        frequency = self.layout.center_frequency if not self.layout.has_frequency else 0.0
        try:
            yield sigmf_recorder(self.set, self.receivers, streams, sample_bytes, self.rate,
                                 block, frequency), block
            if self.set.silent and self.set.start:
                raise RuntimeError(f"receiver {self.set.silent[0]}: no sample came of it, and a "
                                   "collection without it would have its inputs in other places; "
                                   f"what was written is in {self.partial}")
            self.set.close()
        except BaseException as error:
            self.set.leave(error)
            raise
