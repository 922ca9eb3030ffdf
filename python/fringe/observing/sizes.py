#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sizes of what goes from block to block in a correlator: one value, made once a run."""
import dataclasses

from .. import fringe_python as fp

#: What an fx_correlator takes beside recordings: voltages of a stack, by their numbers.
VOLTAGES = {"voltages": "cf32", "real_voltages": "f32"}


def encoding_of(format):
    """How the samples of a recording format, or of voltages, are packed."""
    return fp.encoding_by_name(VOLTAGES.get(format, format))


def bits_of(encoding):
    """Bits of a real sample, or of each part of a complex one."""
    return encoding.bits // 2 if encoding.complex_samples else encoding.bits


def points(format, channels):
    """Length of the Fourier transform that makes so many channels, in samples."""
    return channels if encoding_of(format).complex_samples else 2 * channels


#: Samples of all inputs in a block that several GPUs share, at most: the threads of the host, which
#: hand every block to each GPU, are no limit then.
SHARED_SAMPLES = 1 << 25


def spectra_of_blocks(inputs, channels, backend, gpus=1):
    """Spectra in a block, as many as suit a backend; gpus: how many share the work."""
    if not backend.startswith("cuda"):
        return fp.block_spectra(inputs, channels)
    usual = fp.gpu_block_spectra(inputs, channels)
    longer = SHARED_SAMPLES // (inputs * channels) // usual if gpus > 1 else 1
    return usual * min(max(longer, 1), 4)


@dataclasses.dataclass(frozen=True)
class block_sizes:
    """Inputs, channels, and how many spectra and channels an item has.

      format: of the raw blocks, or one of VOLTAGES
      block_spectra: spectra in a block, which is an item of samples or of spectra; 0 = as many as
        suit the backend
      channels_per_item: channels in an item of dumps; 0 = chosen
      item_spectra: spectra's worth of samples in an item of a raw block, of which block_spectra
        is a multiple; 0 = block_spectra: an item is a block
      gpus: how many share the work
    """
    format: str
    inputs: int
    channels: int
    block_spectra: int = 0
    channels_per_item: int = 0
    backend: str = "cpu"
    item_spectra: int = 0
    gpus: int = 1

    def __post_init__(self):
        if not self.block_spectra:
            object.__setattr__(self, "block_spectra", spectra_of_blocks(
                self.inputs, self.channels, self.backend, self.gpus))
        if not self.channels_per_item:
            object.__setattr__(self, "channels_per_item",
                               fp.channels_per_item(self.inputs, self.channels))
        if not self.item_spectra:
            object.__setattr__(self, "item_spectra", self.block_spectra)
        if self.item_spectra < 0 or self.block_spectra % self.item_spectra:
            raise ValueError(f"item_spectra: {self.item_spectra}: must divide the "
                             f"{self.block_spectra} spectra of a block")

    @property
    def on_gpu(self):
        """True where the backend is a GPU."""
        return self.backend.startswith("cuda")

    @property
    def encoding(self):
        """Of the samples."""
        return encoding_of(self.format)

    @property
    def points(self):
        """Length of the Fourier transform that makes the channels, in samples."""
        return points(self.format, self.channels)

    @property
    def block_samples(self):
        """Samples of every input in a raw block."""
        return self.points * self.block_spectra

    @property
    def raw_bytes(self):
        """Bytes of a raw block."""
        return self.inputs * self.block_samples * self.encoding.bits // 8

    @property
    def item_samples(self):
        """Samples of every input in an item of a raw block."""
        return self.points * self.item_spectra

    @property
    def item_bytes(self):
        """Bytes of such an item."""
        return self.raw_bytes // (self.block_spectra // self.item_spectra)

    def in_gpu_items(self):
        """The same with items that suit a recording whose blocks are gathered on a GPU."""
        return dataclasses.replace(self, item_spectra=fp.gpu_item_spectra(
            self.format, self.inputs, self.points, self.block_spectra))

    @property
    def components(self):
        """Numbers in an item of voltages; an item of spectra has as many, since a complex
        spectrum of C channels is made of C complex or of 2 C real samples."""
        return 2 * self.inputs * self.channels * self.block_spectra

    @property
    def baselines(self):
        """Products of the inputs, autos among them."""
        return self.inputs * (self.inputs + 1) // 2

    @property
    def visibilities(self):
        """Visibilities in an item of dumps."""
        return self.channels_per_item * self.baselines
