#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""10: when a sample was taken, in dumps and in files."""
import numpy as np

from .. import fringe_python as fp
from ..runs.correlate import correlate
from ..visibility_files.read_visibilities import read_visibilities
from .correlated import RATE, correlated
from .requirement import at_most, exactly, group, measured
from .vdif import write_vdif

GROUP = group(10, "Time")
CHANNELS, SPECTRA = 16, 25


def marked(count, places):
    """Samples of ci16 that are 0 but for pulses, [time][part]."""
    raw = np.zeros((count, 2), "<i2")
    raw[places, 0] = 1000
    return raw


def two_antennas():
    obs = fp.observation.example(2)
    obs.sample_rate, obs.center_frequency = RATE, 1e8
    return obs


@GROUP.requires(
    "A marked sample is in the dump that its number says, to the sample.", exactly(0, "pulses"),
    "Pulses on the last sample of a dump, on the first of the next, and at 20 random places, one "
    "in each of 44 recordings (1 tap); pulses that another dump, or several, have.")
def to_the_sample(work):
    wrong, length = 0, CHANNELS * SPECTRA
    ends = np.arange(1, 13) * length
    places = [*(ends - 1), *ends, *work.rng.integers(0, 14 * length, 20)]
    for place in places:
        vis = correlated(work, marked(14 * length, [place]), "ci16", 1, CHANNELS, spectra=SPECTRA,
                         taps=1, window="rectangular")
        hit = np.flatnonzero(vis[:, :, 0].real.mean(axis=1))
        wrong += int(hit.tolist() != [place // length])
    return measured(wrong, note=f"{len(places)} pulses")


@GROUP.requires(
    "Dumps by seconds end where the second's part does, to the spectrum.", exactly(0, "pulses"),
    "A recording that starts 0.1234 s after a whole second, in dumps of 0.01 s; the same of pulses "
    "in the spectra on both sides of six boundaries of UTC.")
def by_seconds(work):
    start, length, wrong = 0.1234, round(0.01 * RATE), 0
    first = round((0.13 - start) * RATE)
    for k in range(6):
        for beside in (-CHANNELS, 0):
            vis = correlated(work, marked(first + 7 * length, [first + k * length + beside]),
                             "ci16", 1, CHANNELS, integration=0.01, taps=1, window="rectangular",
                             start_time=f"2026-01-01T00:00:00.{round(start * 1e4):04d}")
            hit = np.flatnonzero(vis[:, :, 0].real.mean(axis=1))
            wrong += int(hit.tolist() != [k + 1 if beside == 0 else k])
    return measured(wrong, note="12 pulses")


def noise_in_a_set(work, spectra, start):
    """(TIME, EXPOSURE) of the rows of a MeasurementSet of noise, by casacore."""
    from casacore.tables import table
    raw = work.rng.integers(-50, 50, (CHANNELS * spectra, 2, 2)).astype(np.int8)
    raw.tofile(work.path("raw"))
    correlate(work.path("raw"), work.path("x.ms"), two_antennas(), format="ci8", channels=CHANNELS,
              taps=1, window="rectangular", spectra=SPECTRA, overwrite=True, start_time=start)
    with table(work.path("x.ms"), ack=False) as ms:
        return ms.getcol("TIME"), ms.getcol("EXPOSURE")


@GROUP.requires(
    "The times in a MeasurementSet are the middles of its dumps.", at_most(2e-6, "s"),
    "Start times with fractions of a second; TIME (by casacore) minus the start, the half dump and "
    "the dumps before. A double of seconds since 1858 has 1e-6 s.")
def times_of_files(work):
    off = []
    for fraction in ("0", "5", "123456", "999999"):
        times, _ = noise_in_a_set(work, 8 * SPECTRA, f"2026-03-01T12:00:00.{fraction}")
        times = np.unique(times)
        # MJD 61100 is 2026-03-01.
        want = 61100 * 86400.0 + 43200 + float("0." + fraction) + (
            np.arange(8) + 0.5) * SPECTRA * CHANNELS / RATE
        off.append(np.abs(times - want).max() if len(times) == 8 else np.nan)
    return measured(np.max(off))


@GROUP.requires(
    "Taps do not shift the time of a dump.", at_most(0.1, "spectra"),
    "A pulse in the middle of a spectrum, in dumps of one spectrum, with 1 to 8 taps; how far the "
    "mean time of the power is from the pulse, by the times of a UVH5 file.")
def taps_and_time(work):
    off, channels = [], 32
    place = channels * 40 + channels // 2  # the middle of a spectrum of 1 tap
    raw = np.zeros((channels * 80, 2, 2), "<i2")
    raw[place, :, 0] = 20000
    raw.tofile(work.path("raw"))
    for taps in (1, 2, 3, 4, 8):
        path = work.new("x.uvh5")
        correlate(work.path("raw"), path, two_antennas(), format="ci16", channels=channels,
                  taps=taps, spectra=1, start_time="2026-03-01T12:00:00")
        vis = read_visibilities(path)
        # Of seconds since the first sample: noon is a whole second.
        seconds = vis.seconds - vis.seconds[0] + vis.fractions
        power = vis.data[:, 1:, 0].real.mean(axis=1)
        center = (power * seconds).sum() / power.sum()
        off.append((center - (place + 0.5) / RATE) * RATE / channels)
    return measured(np.abs(off).max(), note=f"{np.round(off, 4).tolist()} for 1, 2, 3, 4, 8 taps")


@GROUP.requires(
    "Lost frames do not move what follows them.", exactly(0, "dumps"),
    "A VDIF recording of 1500 pulses, of which a third of the frames is missing and some are "
    "marked bad; dumps whose spectra are not those of the pulses that are left in their own time.")
def after_a_gap(work):
    channels, rate, frame = 8, 1_000_000, 16  # real samples: a spectrum is 16 samples
    frames = 5000
    codes = np.full((1, frames * frame), 128)
    codes[0, work.rng.choice(frames * frame, 1500, replace=False)] = 228
    there = work.rng.choice([1, 0, -1], (1, frames), p=[0.6, 0.3, 0.1])
    there[0, [0, -1]] = 1
    write_vdif(work.path("x.vdif"), codes, 8, rate, frame, there)
    correlate(work.path("x.vdif"), work.path("x.ACC"), channels=channels, taps=1, spectra=50,
              window="rectangular", center_frequency=1e8, overwrite=True)
    got = np.fromfile(work.path("x.ACC"), np.complex64).reshape(-1, channels).real
    x = np.where(np.repeat(there[0] == 1, frame), codes[0] - 128.0, 0).reshape(-1, 50, frame)
    spectra = np.abs(np.fft.fft(x, axis=2)[..., :channels]) ** 2 / frame
    valid = (there[0] == 1).reshape(-1, 50).sum(axis=1)
    want = spectra.sum(axis=1) / valid[:, None]
    return measured(int((np.abs(got - want) > 1e-4 * want.max()).any(axis=1).sum()),
                    note=f"{len(want)} dumps")


@GROUP.requires(
    "The last dump, which is cut short, says how long it is.", at_most(1e-9, "s"),
    "A recording of 7.4 dumps; EXPOSURE of the last dump in the MeasurementSet (by casacore) minus "
    "the time of its samples.")
def last_dump(work):
    times, exposures = noise_in_a_set(work, 7 * SPECTRA + 10, "2026-03-01T12:00:00")
    if len(np.unique(times)) != 8:
        return measured(np.nan, note=f"{len(np.unique(times))} dumps")
    return measured(np.abs(exposures[times == times.max()] - 10 * CHANNELS / RATE).max())
