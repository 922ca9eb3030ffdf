#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""12: flaggers: how often they are wrong, and what they find."""
import numpy as np
from gnuradio import blocks, gr

from .. import fringe_python as fp
from .bench import in_items, run, through
from .requirement import at_least, exactly, group, measured, near

GROUP = group(12, "Interference")
CHANNELS, INPUTS = 64, 6


def flagged(work, data, rate):
    """Flags [dump][channel][product] of rfi_flagger."""
    data.astype(np.complex64).tofile(work.path("dumps"))
    np.ones(data.shape, np.float32).tofile(work.path("weights"))
    values = data[0].size
    obs = fp.observation.from_text(repr({
        "antennas": [[10.0 * k, 3.0 * k * k, 0] for k in range(INPUTS)],
        "sample_rate": 1e6, "center_frequency": 1e8}))
    flagger = fp.rfi_flagger(obs, CHANNELS, channels_per_item=CHANNELS, false_alarm_rate=rate)
    top, sink = gr.top_block(), blocks.file_sink(values, work.path("flags"))
    top.connect(blocks.file_source(8 * values, work.path("dumps")), flagger)
    top.connect(blocks.file_source(4 * values, work.path("weights")), (flagger, 1))
    top.connect((flagger, 2), sink)
    for port, size in ((0, 8), (1, 4)):
        top.connect((flagger, port), blocks.null_sink(size * values))
    run(top, flagger)
    return np.fromfile(work.path("flags"), np.uint8).reshape(data.shape) != 0


def noisy_dumps(work, dumps=256):
    """Of independent inputs of power 1; the noise of a visibility is 0.01."""
    i, j = np.triu_indices(INPUTS)
    data = 0.01 * work.noise(dumps, CHANNELS, len(i))
    data[..., i == j] = 1 + np.sqrt(2) * data[..., i == j].real
    return data


def false_alarms(work, rate):
    found = flagged(work, noisy_dumps(work), rate)
    some = without_extremes(without_extremes(found), axis=1)
    # Flags come in groups: the thresholds look at runs of visibilities.
    error = np.sqrt(4 / (rate * some.size))
    return measured(some.mean() / rate, error, note=f"{int(found.sum())} of {found.size} flagged")


def without_extremes(found, axis=0, count=2):
    """Flags without the parts along an axis that have most and fewest of them."""
    parts = np.moveaxis(found, axis, 0)
    order = np.argsort(parts.reshape(len(parts), -1).sum(axis=1), kind="stable")
    return np.moveaxis(parts[np.sort(order[count:-count])], 0, axis)


NOISE = ("Dumps of noise of 6 inputs, 64 channels, 256 dumps; flagged part over the rate asked "
         "for, without the two dumps and two channels that have most flags, and fewest: a false "
         "alarm on a whole dump or channel is one event of hundreds of flags.")


@GROUP.requires("The flagger of dumps is wrong as often as it was asked, at 0.1 %.",
                near(1.0, 0.15, allowance=0.3), NOISE)
def dumps_at_a_thousandth(work):
    return false_alarms(work, 1e-3)


@GROUP.requires("The flagger of dumps is wrong as often as it was asked, at 1 %.",
                near(1.0, 0.05, allowance=0.2), NOISE)
def dumps_at_a_hundredth(work):
    return false_alarms(work, 1e-2)


@GROUP.requires("A carrier in dumps is found.", at_least(0.99),
                "The same noise; a carrier of 8 times the noise of a visibility in one channel "
                "from the 60th to the 120th dump. The part of its visibilities that is flagged.")
def carrier_in_dumps(work):
    data = noisy_dumps(work)
    data[60:120, 20] += 0.08
    return measured(flagged(work, data, 1e-3)[60:120, 20].mean())


@GROUP.requires("Clean visibilities beside a carrier are kept.", at_least(0.99),
                "The same; the part of all others that is not flagged.")
def beside_a_carrier(work):
    data = noisy_dumps(work)
    data[60:120, 20] += 0.08
    found = flagged(work, data, 1e-3)
    found[60:120, 20] = False
    return measured(1 - found.mean())


def cells(work, spectra, block=64, **detectors):
    """Flagged cells [window][channel][input] of kurtosis_flagger; spectra [input][spectrum][
    channel], windows of four items. Flagged cells are zeros behind it."""
    inputs, count, channels = spectra.shape
    items = np.moveaxis(spectra.reshape(inputs, -1, block, channels), (1, 3, 0, 2), (0, 1, 2, 3))
    flagger = fp.kurtosis_flagger(inputs, channels, block, window=4 * block,
                                  backend=work.backend, **detectors)
    out, = through(work, items.astype(np.complex64), [flagger]).out
    out = out.view(np.complex64).reshape(items.shape)
    return (out == 0).all(axis=3)[::4]


@GROUP.requires("The kurtosis of spectra is wrong as often as it was asked.",
                near(1.0, 0.1, allowance=0.1),
                "Noise in 64 channels of 4 inputs, 256 windows of 256 spectra; flagged cells over "
                "0.5 %.", devices=True)
def kurtosis(work):
    found = cells(work, work.noise(4, 256 * 256, CHANNELS), false_alarm=5e-3, combined=False,
                  power=False)
    return measured(found.mean() / 5e-3, 1 / np.sqrt(5e-3 * found.size),
                    note=f"{int(found.sum())} of {found.size} cells")


@GROUP.requires("A carrier in spectra is found.", at_least(0.99),
                "The same with a carrier four times as strong as the noise in a channel of one "
                "input; the part of its windows that is flagged.", devices=True)
def carrier_in_spectra(work):
    x = work.noise(4, 64 * 256, CHANNELS)
    x[1, :, 20] += 2
    return measured(cells(work, x, combined=False, power=False)[:, 20, 1].mean())


def blanked(work, x, rate):
    """Zeros [input][time] behind pulse_blanker without guard samples."""
    blanker = fp.pulse_blanker(len(x), 16384, "f32", True, rate, 0, backend=work.backend)
    items = in_items(x, 16384)
    out, = through(work, items.astype(np.complex64), [blanker]).out
    return (out.view(np.complex64).reshape(items.shape) == 0).swapaxes(0, 1).reshape(len(x), -1)


@GROUP.requires("The pulse blanker is wrong as often as it was asked.",
                near(1.0, 0.07, allowance=0.25),
                "Noise of 4 inputs, 2^21 samples; blanked samples over 10^-4, without the two of "
                "16 parts that have most, and fewest: a false burst is one event of hundreds of "
                "samples. The test of all inputs together blanks four samples at once.",
                devices=True)
def false_pulses(work):
    found = blanked(work, work.noise(4, 1 << 21), 1e-4)
    some = without_extremes(found.reshape(4, 16, -1), axis=1)
    return measured(some.mean() / 1e-4, np.sqrt(3 / (1e-4 * some.size)),
                    note=f"{int(found.sum())} of {found.size} samples")


@GROUP.requires("Pulses are found.", at_least(0.999),
                "The same noise with 500 samples 6 times as strong as its rms in all inputs; the "
                "part of them that is blanked.", devices=True)
def pulses(work):
    x = work.noise(4, 1 << 19)
    places = work.rng.choice(x.shape[1], 500, replace=False)
    x[:, places] += 6
    return measured(blanked(work, x, 1e-4)[:, places].mean())


@GROUP.requires("What is not blanked stays as it was.", exactly(0, "samples"),
                "The same; samples that are neither zeros nor those that went in.", devices=True)
def the_others_stay(work):
    x = work.noise(4, 1 << 18)
    x[:, work.rng.choice(x.shape[1], 500, replace=False)] += 6
    blanker = fp.pulse_blanker(4, 16384, "f32", True, 1e-4, 0, backend=work.backend)
    items = in_items(x, 16384)
    out = through(work, items, [blanker]).out[0].view(np.complex64).reshape(items.shape)
    return measured(int(((out != 0) & (out != items)).sum()),
                    note=f"{int((out == 0).sum())} are zeros")
