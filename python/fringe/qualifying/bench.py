#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What a measurement begins with: random numbers, a folder, and samples through the blocks."""
import dataclasses
import os
import zlib

import numpy as np
import pmt
from gnuradio import blocks, gr

from .. import fringe_python as fp
from ..ground.streams import failure


@dataclasses.dataclass
class bench:
    """Of one measurement. backend: of the blocks; full: `fringe qualify --full`."""
    rng: np.random.Generator
    folder: str
    backend: str = "cpu"
    full: bool = False
    seed: int = 0
    made: dict = dataclasses.field(default_factory=dict)  #: by once(), for all of a run
    given: int = 0  #: numbers of new() so far

    def path(self, name):
        return os.path.join(self.folder, name)

    def new(self, name):
        """A path that no other call gave: what was read in this process is never replaced."""
        self.given += 1
        return self.path(f"{self.given}.{name}")

    def once(self, make):
        """make(bench), the same object for all requirements of a run that share it."""
        key = make.__module__, make.__qualname__, self.backend
        if key not in self.made:
            rng = np.random.default_rng([self.seed, zlib.crc32(".".join(key[:2]).encode())])
            self.made[key] = make(dataclasses.replace(self, rng=rng))
        return self.made[key]

    def noise(self, *shape):
        """Complex Gaussian noise of unit power."""
        parts = self.rng.standard_normal((*shape, 2), np.float32)
        return parts.view(np.complex64)[..., 0] * np.float32(np.sqrt(0.5))


def delayed(spectrum, late, turns=0.0):
    """Samples of a periodic signal, by its Fourier transform, `late` samples later and turned by
    so many turns of phase."""
    f = np.fft.fftfreq(len(spectrum))
    return np.fft.ifft(spectrum * np.exp(2j * np.pi * (turns - f * late)))


def run(flowgraph, *watched):
    """Runs a flowgraph to its end; raises RuntimeError for the block that stopped it."""
    flowgraph.run()
    for block in watched:
        if failure(block):
            raise RuntimeError(failure(block))


class through:
    """Items through a chain of blocks, from a file to files: quick for any number of samples.

    items: an array [item][...]; chain: blocks with one input, of which `ports` of the last go
    to files; tags: of the first item, (key, pmt). `out`: an array of bytes for each.
    """

    def __init__(self, work, items, chain, ports=(0,), repeat=1, tags=()):
        items = np.ascontiguousarray(items)
        size = items[0].nbytes
        flowgraph = gr.top_block()
        if tags:
            tags = [gr.tag_utils.python_to_tag((0, pmt.intern(key), value, None))
                    for key, value in tags]
            source = blocks.vector_source_b(items.view(np.uint8).ravel(), False, size, tags)
        else:
            items.tofile(work.path("items"))
            source = blocks.file_source(size, work.path("items"), repeat > 1)
        head = [blocks.head(size, repeat * len(items))] if repeat > 1 else []
        flowgraph.connect(source, *head, *chain)
        signature = chain[-1].output_signature()
        paths = [work.path(f"out{port}") for port in ports]
        for port, path in zip(ports, paths):
            sink = blocks.file_sink(signature.sizeof_stream_item(port), path)
            sink.set_unbuffered(False)
            flowgraph.connect((chain[-1], port), sink)
        run(flowgraph, *chain)
        self.out = [np.fromfile(path, np.uint8) for path in paths]
        for path in paths if tags else [work.path("items"), *paths]:
            os.remove(path)


def in_items(x, samples):
    """[input][time] as items [item][input][time] of so many samples; what is left over goes."""
    x = np.atleast_2d(x)
    count = x.shape[1] // samples
    return x[:, :count * samples].reshape(len(x), count, samples).swapaxes(0, 1)


def channelized(work, x, channels, taps=4, window="hann", requantize="none", block=16, tags=(),
                change=None, **more):
    """Spectra [input][spectrum][channel] of voltages [input][time], complex or real.

    change(channelizer): called before the start; tags: (key, pmt) of the first sample."""
    x = np.atleast_2d(x)
    is_complex = np.iscomplexobj(x)
    items = in_items(x.astype(np.complex64 if is_complex else np.float32),
                     channels * block * (1 if is_complex else 2))
    chain = fp.channelizer(len(x), channels, block, is_complex, "f32", taps, window, requantize,
                           backend=work.backend, **more)
    if change:
        change(chain)
    out, = through(work, items, [chain], tags=tags).out
    if requantize == "none":
        spectra = out.view(np.complex64)
    else:
        parts = out.view(np.int8).astype(np.float32).reshape(-1, 2)
        spectra = parts[:, 0] + 1j * parts[:, 1]
    spectra = spectra.reshape(-1, channels, len(x), block)
    spectra = np.moveaxis(spectra, (2, 0, 3), (0, 1, 2)).reshape(len(x), -1, channels)
    # The first item holds fewer spectra: the filter has to fill first.
    return np.delete(spectra, np.s_[block - taps + 1:block], axis=1)


def dumps(work, x, channels, dump_spectra, taps=4, window="hann", requantize="none", block=16,
          **more):
    """(visibilities, weights), [dump][channel][product], of voltages through all stages."""
    x = np.atleast_2d(x)
    is_complex = np.iscomplexobj(x)
    items = in_items(x.astype(np.complex64 if is_complex else np.float32),
                     channels * block * (1 if is_complex else 2))
    component = "f32" if requantize == "none" else "i8"
    inputs, whole = len(x), {"backend": work.backend, "channels_per_item": channels}
    chain = [fp.channelizer(inputs, channels, block, is_complex, "f32", taps, window, requantize,
                            backend=work.backend, **more),
             fp.xengine(inputs, channels, block, component, dump_spectra=dump_spectra, **whole),
             fp.integrator(inputs, channels, component, 0, dump_spectra, **whole)]
    vis, weights = through(work, items, chain, (0, 1)).out
    shape = -1, channels, inputs * (inputs + 1) // 2
    return vis.view(np.complex64).reshape(shape), weights.view(np.float32).reshape(shape)


def sums(work, spectra, component="f32", dump_spectra=None, repeat=1, block=None):
    """(visibilities, weights) of spectra [input][spectrum][channel] through X-engine and
    integrator. component "i8": whole numbers."""
    inputs, count, channels = spectra.shape
    block = block or count
    items = spectra.reshape(inputs, count // block, block, channels)
    items = np.moveaxis(items, (1, 3, 0, 2), (0, 1, 2, 3))
    if component == "i8":
        items = np.stack([items.real, items.imag], -1).astype(np.int8)
    else:
        items = items.astype(np.complex64)
    whole = {"backend": work.backend, "channels_per_item": channels}
    dump_spectra = dump_spectra or count * repeat
    chain = [fp.xengine(inputs, channels, block, component, dump_spectra=dump_spectra, **whole),
             fp.integrator(inputs, channels, component, 0, dump_spectra, **whole)]
    vis, weights = through(work, items, chain, (0, 1), repeat).out
    shape = -1, channels, inputs * (inputs + 1) // 2
    return vis.view(np.complex64).reshape(shape), weights.view(np.float32).reshape(shape)
