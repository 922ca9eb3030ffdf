#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Sizes of the items between the blocks, for GNU Radio Companion and scripts.

Wherever `block_spectra` or `channels_per_item` is 0, they are chosen as the blocks choose them.
"""
import re
from types import SimpleNamespace

import numpy as np

from .. import fringe_python as fp
from ..ground.example_files import example_file
from .sizes import VOLTAGES, block_sizes, encoding_of as encoding, points  # noqa: F401
from .stokes import planes_of


#: Cells of a grid for each pixel of its image, along u and along v.
PADDING = 2

#: Parameters of blocks in Companion, and the code of what an observation {0} has for each of them.
OBSERVED = {
    "inputs": "len({0}.inputs)",
    "channels": "{0}.channels",
    "taps": "{0}.taps",
    "window": "{0}.window",
    "sample_rate": "{0}.sample_rate",
    "center_frequency": "{0}.center_frequency",
    "streams": "{0}.streams()",
    "conjugate": "{0}.conjugated()",
    "corrections": "fringe.item_sizes.corrections({0}, {0}.channels, {complex_samples})",
    "frequencies": "()",  # a display knows them from the dumps and the observation
}


def formats():
    """Names of the recording formats."""
    return [form.name for form in fp.recording_formats()]


def velocities(axis):
    """Values of the axis of a line_spectrometer, (lowest, highest, step)."""
    low, high, step = axis
    return len(np.arange(low, high + step / 2, step))


def endings():
    """Endings of the visibility files that can be written, a tuple."""
    return tuple(ending for ending, _ in fp.visibility_formats())


def components_that_hold(format):
    """Component types ("i8", "i16", "f32") that hold every value of a recording format."""
    types = ["i8", "i16", "f32"]
    return types[types.index(fp.encoding_by_name(format).component):]


def of(observation, inputs, channels):
    """(inputs, channels): those of an observation, where there is one."""
    return (len(observation.inputs), observation.channels) if observation else (inputs, channels)


def observed(observation, *typed):
    """For the templates of blocks in Companion: the code of their parameters, as attributes with
    their names. With an observation it is the observation's value; without one what is typed,
    and so it is where 0 would stand for the observation's value and another number is typed."""
    name = str(observation)
    code = name if re.fullmatch(r"[\w.]+", name) else f"({name})"
    texts = {value._param.key: str(value) for value in typed}
    for value in typed:
        key = value._param.key
        replaced = texts[key] == "0" if "0" in value._param.options else name not in ("", "None")
        if key in OBSERVED and replaced:
            texts[key] = OBSERVED[key].format(code, **texts)
    return SimpleNamespace(**texts)


def in_band(channels, first, last):
    """Whether two numbers are of channels; negative ones count from the end."""
    return all(-channels <= number < channels for number in (first, last))


def spectra(inputs, channels, block_spectra=0):
    """Spectra in one time block."""
    return block_spectra or fp.block_spectra(inputs, channels)


def samples(format, inputs, channels, block_spectra=0):
    """Samples of every input in one raw block."""
    return block_sizes(format, inputs, channels, block_spectra).block_samples


def raw_bytes(format, inputs, channels, block_spectra=0):
    """Bytes of one raw block."""
    return block_sizes(format, inputs, channels, block_spectra).raw_bytes


def packet_samples(preset, settings, inputs, channels, block_spectra=0):
    """Samples of every input in one item of a udp_source, or spectra where its packets have such;
    those have the channels that the settings say."""
    layout = fp.packet_layout(preset, settings)
    if layout.spectra:
        return spectra(inputs, layout.all_channels, block_spectra)
    return samples(layout.encoding, inputs, channels, block_spectra)


def packet_bytes(preset, settings, inputs, channels, block_spectra=0):
    """Bytes of one item of a udp_source."""
    layout = fp.packet_layout(preset, settings)
    if layout.spectra:
        return components(inputs, layout.all_channels, block_spectra)
    return raw_bytes(layout.encoding, inputs, channels, block_spectra)


def components(inputs, channels, block_spectra=0):
    """Numbers in one item of voltages; in one item of spectra there are as many."""
    return block_sizes("cf32", inputs, channels, block_spectra).components


def ring(kind, format, inputs, channels, block_spectra=0):
    """Bytes of a raw block, or numbers in an item of voltages or spectra."""
    if kind == "raw":
        return raw_bytes(format, inputs, channels, block_spectra)
    return components(inputs, channels, block_spectra)


def visibilities(inputs, channels, channels_per_item=0):
    """Visibilities in one item."""
    return block_sizes("cf32", inputs, channels, 1, channels_per_item).visibilities


def observed_visibilities(observation, channels=0, channels_per_item=0, products="all"):
    """Visibilities in one item of dumps of an observation, of all products, of autos or of
    crosses. channels: 0 = the observation's."""
    channels = channels or observation.channels
    if products == "all":
        return visibilities(len(observation.inputs), channels, channels_per_item)
    axes = fp.dump_axes(observation, channels, products=products)
    return axes.item_values(channels_per_item)


def beams(observation, directions, products="power", average=1, channels=0, block_spectra=0):
    """Numbers in one item of a beamformer: [channel][beam][time] of voltages, [beam][channel] of
    powers. channels: 0 = the observation's."""
    inputs, channels = len(observation.inputs), channels or observation.channels
    beams = len(directions) * len({entry.polarization for entry in observation.inputs})
    if products == "voltages":
        return channels * beams * spectra(inputs, channels, block_spectra)
    return channels // average * beams * (2 if products == "stokes" else 1)


def image(size, pol="I", channels_out=1):
    """Numbers in one item of images: [polarization][channel group][m][l]."""
    return len(planes_of(pol)) * channels_out * size * size


def grid(size, pol="I", channels_out=1):
    """Complex numbers in one item of grids: [polarization][channel group][v][u]."""
    return PADDING**2 * image(size, pol, channels_out)


def corrections(observation, channels, complex_samples=True):
    """Factors [input * channel] that take the receivers' delays, gains and phases out of the
    spectra, as the channelizer takes them: empty when there is nothing to take out."""
    factors = observation.corrections(channels, complex_samples)
    return [] if factors is None else np.ravel(factors)


def observation_from(file="", text="", antennas=2, spacing=10.0, sample_rate=0.0,
                     center_frequency=0.0, channels=0, integration=0.0):
    """An observation from a YAML file, else from YAML text, else an example (see
    observation.example). A file "example:NAME" is one of the examples of gr-fringe. The other
    values, in Hz and seconds, override those of the file; 0 = as they are."""
    if file.startswith("example:"):
        found = fp.observation.from_file(example_file(file[len("example:"):]))
    elif file:
        found = fp.observation.from_file(file)
    elif text:
        found = fp.observation.from_text(text)
    else:
        found = fp.observation.example(antennas, spacing)
    for name, value in (("sample_rate", sample_rate), ("center_frequency", center_frequency),
                        ("channels", channels), ("integration", integration)):
        if value:
            setattr(found, name, value)
    if integration:
        found.spectra = 0
    return found


def phase_from(polyco="", pulsar="", period=1.0, zero="1970-01-01T00:00:00", derivative=0.0,
               phase=0.0):
    """A pulse_phase from a polyco file where one is named, else from a period."""
    if polyco:
        return fp.pulse_phase.from_polyco(polyco, pulsar)
    return fp.pulse_phase.from_period(period, fp.epoch.from_iso(zero), derivative, phase)
