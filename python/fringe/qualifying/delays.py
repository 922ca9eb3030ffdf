#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""5: delays and fringes that are taken out: how well, and from which sample on."""
import math

import numpy as np
import pmt

from .. import fringe_python as fp
from ..runs.correlate import correlate
from .bench import channelized, delayed
from .requirement import at_most, curve, exactly, group, measured, plot

GROUP = group(5, "Delays")
RATE, FREQUENCY, CHANNELS, C = 8e6, 1.4204e9, 64, 299792458.0
BEGIN = "2026-06-12T23:59:40"  # an hour from here on goes through midnight
MINUTES = (0, 0.34, 13, 31, 60)
CABLES = (-11.3, -1.0, 0.25, 0.5, 9.7)  #: samples that the second input is later
CHANGES = (0, 1, 17, 64, 65, 100, 150)  #: spectra that new phases are due at


def pair(east):
    """Two antennas `east` meters apart, with a source about 60 degrees from the zenith."""
    obs = fp.observation.example(2, east)
    obs.set_site(-26.7, 116.67, 377.0)
    obs.sample_rate, obs.center_frequency = RATE, FREQUENCY
    obs.phase_center = fp.phase_center.at_radec(1.6, -0.5)
    obs.sky, obs.tracking = [], True
    return obs


class wide_signal:
    """Many tones, so that the signal can be evaluated at any instant without interpolation."""

    def __init__(self, rng):
        # Not at the edges of the band, where a channel hears both of its ends.
        self.tones = RATE * (rng.random(150) - 0.5) * 0.9
        self.amplitudes = rng.standard_normal(150) + 1j * rng.standard_normal(150)

    def heard(self, late, t):
        """Baseband samples at the instants t of an antenna that hears it `late` seconds later."""
        x = np.zeros(len(t), complex)
        for f, a in zip(self.tones, self.amplitudes):
            x += a * np.exp(2j * np.pi * (f * t - np.remainder((f + FREQUENCY) * late, 1.0)))
        return x


def visibilities(work, obs, start, x):
    """V_00, V_01, V_11 [dump][product][channel] of samples [time][input]."""
    x.astype("<c8").tofile(work.path("raw"))
    correlate(work.path("raw"), work.path("x.ACC"), obs, format="cf32", channels=CHANNELS,
              taps=4, spectra=100, start_time=start.iso(15), overwrite=True, backend=work.backend)
    return np.fromfile(work.path("x.ACC"), np.complex64).reshape(-1, 3, CHANNELS).astype(complex)


def tracked(work, east):
    """(phase in degrees, lost part of the amplitude), the largest of the dumps that all of the
    signal reaches, at each of some minutes of an hour."""
    found = []
    for minute in MINUTES:
        start = fp.epoch.from_iso(BEGIN).plus_seconds(60 * minute + float(work.rng.random()))
        obs = pair(east)
        # A wave that antenna 0 hears at t, antenna 1 hears at t + D(t).
        x = np.linspace(-0.02, 0.025, 7)
        model = fp.delay_model(obs, obs.phase_center)
        late = np.array([model.arrival(start.plus_seconds(seconds))[0][1] for seconds in x])
        fit = np.polynomial.Polynomial.fit(x + late, late, 4)
        spectra = 350 + 2 * int(fp.tracking(obs).longest() * RATE / CHANNELS)
        t = np.arange(spectra * CHANNELS) / RATE
        signal = wide_signal(work.rng)
        x = np.stack([signal.heard(late, t) for late in (0 * t, fit(t))], 1)
        v = visibilities(work, obs, start, x)
        v = v[int(abs(late).max() * RATE / CHANNELS / 100) + 1:].sum(axis=2)
        loss = 1 - np.abs(v[:, 1]) / np.sqrt(v[:, 0].real * v[:, 2].real)
        found.append((np.abs(np.degrees(np.angle(v[:, 1]))).max(), np.abs(loss).max()))
    return np.array(MINUTES), *np.transpose(found)


def short_baseline(work):
    return tracked(work, 1e3)


def long_baseline(work):
    return tracked(work, 3e6)


HOUR = ("A signal of 150 tones whose delay is that of the arrival model at every sample, without "
        "polynomials, at five moments of an hour through midnight; 1.42 GHz, tracked; ")


@GROUP.requires("A source stays in phase for an hour on 1 km.", at_most(0.5, "degrees"),
                HOUR + "largest phase of a dump.")
def hour_on_a_kilometer(work):
    minutes, phase, _ = work.once(short_baseline)
    return measured(phase.max(), plot=plot("minutes", "degrees", (
        curve("largest phase", minutes, phase, "o"),)))


@GROUP.requires("A source stays in phase for an hour on 3,000 km.", at_most(0.5, "degrees"),
                HOUR + "largest phase of a dump.")
def hour_on_a_continent(work):
    minutes, phase, _ = work.once(long_baseline)
    return measured(phase.max(), plot=plot("minutes", "degrees", (
        curve("largest phase", minutes, phase, "o"),)))


@GROUP.requires("A tracked source keeps its amplitude on 3,000 km.", at_most(1e-3),
                HOUR + "largest lost part of |V_01| / sqrt(V_00 V_11).")
def coherence(work):
    minutes, _, loss = work.once(long_baseline)
    return measured(loss.max(), plot=plot("minutes", "lost part", (
        curve("largest loss", minutes, loss, "o"),)))


@GROUP.requires(
    "Cable delays of the observation are taken out.", at_most(1e-3, "samples"),
    "Noise, -11.3 to 9.7 samples later in the second input, delayed by its transform, and the "
    "cable delay that says so; slope of the phase of V_01 over the inner 80 % of the band.")
def cable_delays(work):
    left, f = [], (np.arange(CHANNELS) - CHANNELS // 2) / CHANNELS
    inner = np.abs(f) <= 0.4
    for late in CABLES:
        obs = pair(0.1)
        inputs = obs.inputs
        inputs[1].cable_delay = late / RATE
        obs.inputs = inputs
        obs.phase_center = fp.phase_center.from_text("zenith")
        # Three dumps, nearly all of its period. All frequencies are equally strong, so that each
        # channel has the phase of its center, although a part of a sample is taken out by one
        # phase for a whole channel.
        spectrum = np.exp(2j * np.pi * work.rng.random(310 * CHANNELS)) * 310 * CHANNELS
        x = np.stack([delayed(spectrum, late * k, -FREQUENCY * late * k / RATE)
                      for k in range(2)], 1)
        v = visibilities(work, obs, fp.epoch.from_iso(BEGIN), x)[:, 1, inner].sum(axis=0)
        slope = np.polyfit(f[inner], np.angle(v * v.sum().conj()), 1, w=np.abs(v))[0]
        left.append(slope / (2 * np.pi))
    return measured(np.abs(left).max(), plot=plot("delay, samples", "left, samples", (
        curve("measured", CABLES, left, "o"),)))


@GROUP.requires(
    "Delays are those of the geometry.", at_most(1e-13, "s"),
    "Delays of 20 directions in azimuth and elevation for 8 antennas within 300 m, against "
    "-(r_a - r_0).s / c of a flat map of the same antennas.")
def geometry(work):
    enu = work.rng.uniform(-150, 150, (8, 3)).round(2) * [1, 1, 0.02]
    obs = fp.observation.from_text(repr({
        "site": {"latitude": 50.0, "longitude": 8.0, "height": 300.0}, "antennas": enu.tolist(),
        "sample_rate": RATE, "center_frequency": FREQUENCY}))
    off, now = [], fp.epoch.from_iso(BEGIN)
    for az, el in zip(work.rng.uniform(0, 2 * np.pi, 20), work.rng.uniform(0.2, 1.5, 20)):
        s = [math.sin(az) * math.cos(el), math.cos(az) * math.cos(el), math.sin(el)]
        source = fp.point_source.at_azel(az, el)
        got = np.array(fp.delays(obs, fp.source_direction(obs, source, now)))
        off.append(np.abs(got + (enu - enu[0]) @ s / C).max())
    return measured(max(off))


@GROUP.requires(
    "Delays of stars are those of ERFA's precession, nutation and Earth rotation.",
    at_most(2e-12, "s"),
    "Geometric delays of 3,000 km at 12 times of two years, against directions that the module "
    "erfa gives (atci13, era00; UT1 = UTC, no polar motion).", needs=("erfa",))
def delays_of_stars(work):
    import erfa
    obs, off = pair(3e6), []
    xyz = np.array([antenna.itrf for antenna in obs.antennas])
    for days in work.rng.uniform(0, 180, 12):
        t = fp.epoch.from_iso(BEGIN).plus_seconds(-86400 * float(days))
        ra, dec = work.rng.uniform(0, 2 * np.pi), work.rng.uniform(-1.5, 1.5)
        utc = 2440587.5, (t.seconds + t.fraction()) / 86400
        tt = utc[0], utc[1] + (37 + 32.184) / 86400  # TAI - UTC is 37 s since 2017
        ri, di, _ = erfa.atci13(ra, dec, 0, 0, 0, 0, *tt)
        angle = erfa.era00(*utc) + erfa.sp00(*tt)
        s = erfa.s2c(ri - angle, di)
        obs.phase_center = fp.phase_center.at_radec(ra, dec)
        got = fp.delay_model(obs, obs.phase_center).geometric(t)[0][1]
        off.append(abs(got + (xyz[1] - xyz[0]) @ s / C))
    return measured(max(off))


@GROUP.requires(
    "New phases take effect at the spectrum that their time says.", exactly(0, "spectra"),
    "Corrections with times half a sample before, at and behind the middle of the window of seven "
    "spectra, 1 and 4 taps; spectra that have the old ones where the new are due, or the reverse.",
    devices=True)
def when_they_count(work):
    channels, count, wrong = 32, 192, 0
    x, start = work.noise(2, count * channels), fp.epoch.from_iso("2026-01-01T00:00:00")
    rate = 2.0 ** 20  # half a sample is a whole number of time's units
    tags = (("rx_time", pmt.make_tuple(pmt.from_uint64(start.seconds), pmt.from_double(0.0))),
            ("rx_rate", pmt.from_double(rate)))
    for taps in (1, 4):
        plain = channelized(work, x, channels, taps, tags=tags)
        for spectrum in CHANGES:
            for half in (-0.5, 0.0, 0.5):
                when = start.plus_seconds(((spectrum + taps / 2) * channels + half) / rate)
                got = channelized(
                    work, x, channels, taps, tags=tags, change=lambda block, when=when:
                    block.set_corrections([-1] * (2 * channels), when))
                new = (got * plain.conj()).real.sum(axis=(0, 2)) < 0
                due = np.arange(len(new)) >= spectrum + (half > 0)
                wrong += int((new != due).sum())
    return measured(wrong)
