#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""11: losses: they are weights, and nothing else."""
import numpy as np

from .. import fringe_python as fp
from ..runs.correlate import correlate
from .requirement import at_most, curve, exactly, group, measured, near, plot
from .vdif import write_vdif

GROUP = group(11, "Losses and weights")
LOSSES = (0.0, 0.3, 0.6, 0.9)  # of the inputs
CHANNELS, FRAME, RATE, SPECTRA, DUMPS = 16, 32, 1_600_000, 500, 150
PAIRS = [(i, j) for i in range(4) for j in range(i, 4)]


class lossy:
    """A VDIF recording of four inputs, half of whose power is common, of which frames, each of one
    spectrum, are missing; and its visibilities in a MeasurementSet."""

    def __init__(self, work):
        from casacore.tables import table
        frames, rng = SPECTRA * DUMPS, work.rng
        x = np.sqrt(0.5) * (rng.standard_normal((4, frames * FRAME), np.float32)
                            + rng.standard_normal(frames * FRAME, np.float32))
        codes = np.clip(np.rint(20 * x), -127, 127).astype(int) + 128
        self.there = np.array([rng.random(frames) >= loss for loss in LOSSES]).astype(int)
        self.there[:, [0, -1]] = 1
        self.there[2, SPECTRA:2 * SPECTRA] = 0  # a dump without one input
        write_vdif(work.path("x.vdif"), codes, 8, RATE, FRAME, self.there)
        obs = fp.observation.from_text(repr({
            "site": {"latitude": 50.0, "longitude": 8.0, "height": 300.0},
            "antennas": [[0, 0, 0], [20, 0, 0], [0, 30, 0], [50, 10, 0]],
            "sample_rate": RATE, "center_frequency": 1e6, "phase_center": "zenith"}))
        obs.sky = []
        self.totals = correlate(
            work.path("x.vdif"), [work.path("x.ms"), work.path("x.ACC")], obs, channels=CHANNELS,
            taps=1, window="rectangular", spectra=SPECTRA, overwrite=True, allow_gaps=True,
            backend=work.backend)
        self.data = np.fromfile(work.path("x.ACC"), np.complex64).reshape(
            -1, len(PAIRS), CHANNELS)[:, :, 1:]  # not the channel at 0 Hz
        with table(work.path("x.ms"), ack=False) as ms:
            order = ms.getcol("ANTENNA1") * 4 + ms.getcol("ANTENNA2")
            rows = np.lexsort((order, ms.getcol("TIME")))
            self.weights, self.flags, self.in_file = (
                ms.getcol(name)[rows, :, 0].reshape(DUMPS, len(PAIRS), CHANNELS)
                for name in ("WEIGHT_SPECTRUM", "FLAG", "DATA"))
        valid = self.there.reshape(4, DUMPS, SPECTRA)
        self.valid = np.stack([(valid[i] & valid[j]).mean(axis=1) for i, j in PAIRS], 1)
        autos = [PAIRS.index((i, i)) for i in range(4)]
        self.power = [np.average(self.data[:, k].real.mean(axis=1), weights=self.valid[:, k])
                      for k in autos]

    def crosses(self):
        """(product, geometric mean of the powers, dumps that are not empty) of each pair."""
        return [(k, np.sqrt(self.power[i] * self.power[j]), self.valid[:, k] > 0)
                for k, (i, j) in enumerate(PAIRS) if i != j]


METHOD = ("A recording (VDIF, written here) of which 0, 30, 60 and 90 % of the frames of four "
          "inputs are missing; ")


@GROUP.requires("A weight is the part of the samples that both inputs have.", at_most(1e-6),
                METHOD + "WEIGHT_SPECTRUM of 150 dumps over its largest, against what was written.")
def weights(work):
    made = work.once(lossy)
    got = made.weights[:, :, 1:] / made.weights.max()
    off = np.abs(got - (made.valid / made.valid.max())[..., None])
    return measured(off.max(), plot=plot("part that is there", "weight", (
        curve("150 dumps", made.valid.ravel(), got[..., 0].ravel(), "o"),)))


@GROUP.requires("Losses do not change the mean.", near(0.5, 0.01),
                METHOD + "mean correlation of the pair of the largest deviation, in sigma; half of "
                "the power is common.")
def unbiased(work):
    made, found = work.once(lossy), []
    for k, power, full in made.crosses():
        means = made.data[full, k].real.mean(axis=1) / power
        mean = np.average(means, weights=made.valid[full, k])
        # Noise of the cross product, and of the powers that it is divided by.
        found.append((mean, np.sqrt(1.25 / (
            made.valid[:, k].sum() * SPECTRA * (CHANNELS - 1)))))
    value, error = max(found, key=lambda pair: abs(pair[0] - 0.5) / pair[1])
    return measured(value, error)


@GROUP.requires("Weights are those of the noise.", near(1.0, 0.02),
                METHOD + "variance of the cross products around their mean times the file's "
                "weight, bandwidth and time, over the power; mean over all pairs and dumps.")
def inverse_variance(work):
    made, ratios, sigma = work.once(lossy), [], []
    for k, power, full in made.crosses():
        left = np.abs(made.data[full, k] - 0.5 * power) ** 2
        there = made.weights[full, k, 1:] * made.valid.max() / made.weights.max()
        ratios.append((left * there).mean() * SPECTRA / power ** 2)
        sigma.append(1 / np.sqrt(full.sum() * (CHANNELS - 1)))
    return measured(np.mean(ratios), 1.3 * np.mean(sigma) / np.sqrt(len(sigma)), plot=plot(
        "pair", "variance over prediction", (
            curve("measured", np.arange(len(ratios)), ratios, "o", tuple(sigma)),)))


@GROUP.requires("What was not measured has weight 0, value 0 and a flag, and is no NaN.",
                exactly(0, "visibilities"),
                METHOD + "one input is absent for a whole dump: visibilities of it, and of no "
                "other, that are not so.")
def nothing_valid(work):
    made = work.once(lossy)
    none = np.broadcast_to((made.valid == 0)[..., None], made.flags.shape)[:, :, 1:]
    data, flags, got = (a[:, :, 1:] for a in (made.in_file, made.flags, made.weights))
    wrong = np.where(none, (got != 0) | ~flags | (data != 0), (got <= 0) | flags)
    return measured(int((wrong | ~np.isfinite(data)).sum()), note=f"{int(none.sum())} are empty")


@GROUP.requires("Each lost sample is counted.", exactly(0, "samples"),
                METHOD + "samples that correlate() reports as missing, minus those that are.")
def counted(work):
    made = work.once(lossy)
    want = (made.there == 0).sum(axis=1) * FRAME
    got = np.array(made.totals.losses.get("missing", [0] * 4))
    return measured(int(np.abs(got - want).sum()), note=f"{got.tolist()} counted")
