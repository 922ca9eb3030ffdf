#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""17: beams: gain, noise, shape, nulls, and that they follow their source."""
import numpy as np
import pmt

from .. import fringe_python as fp
from .bench import sums, through
from .requirement import at_least, at_most, curve, group, measured, near, plot

GROUP = group(17, "Beams")
C, NOON = 299792458.0, "2026-06-12T12:00:00"
ENU = np.array([[0, 0, 0], [31, 4, 1], [-12, 77, -2], [140, -60, 3], [-95, -33, 0], [60, 60, 0],
                [-70, 20, 1], [15, -80, 0]], float)
CHANNELS, BLOCK, RATE, FREQUENCY, N = 8, 32, 8e4, 150e6, len(ENU)
FREQUENCIES = FREQUENCY + (np.arange(CHANNELS) - CHANNELS // 2) * RATE / CHANNELS


def hill():
    return fp.observation.from_text(repr({
        "site": {"latitude": 50.0, "longitude": 8.0, "height": 300.0}, "antennas": ENU.tolist(),
        "sample_rate": RATE, "center_frequency": FREQUENCY, "channels": CHANNELS}))


def towards(az, el):
    """Voltages of a signal from a direction, [channel][input], by a flat map."""
    az, el = np.radians(az), np.radians(el)
    s = [np.sin(az) * np.cos(el), np.cos(az) * np.cos(el), np.sin(el)]
    return np.exp(2j * np.pi * FREQUENCIES[:, None] * ((ENU - ENU[0]) @ s) / C)


def voltages(work, items, seen=None, signal=0.0, noise=0.0):
    """Spectra [item][channel][input][time], complex64."""
    x = np.sqrt(noise) * work.noise(items, CHANNELS, N, BLOCK)
    if seen is not None:
        x = x + seen[:, :, None] * np.sqrt(signal) * work.noise(items, CHANNELS, 1, BLOCK)
    return x.astype(np.complex64)


def alone(x):
    """Power of the first antenna, [channel]."""
    return (np.abs(x[:, :, 0]) ** 2).mean(axis=(0, 2))


def power(work, x, directions, at=NOON, products="power", **more):
    """Mean powers [beam][channel] of a beamformer."""
    start = fp.epoch.from_iso(at)
    tags = (("rx_time", pmt.make_tuple(pmt.from_uint64(start.seconds),
                                       pmt.from_double(start.fraction()))),
            ("rx_rate", pmt.from_double(RATE / CHANNELS)),
            ("rx_freq", pmt.from_double(FREQUENCY)))
    former = fp.beamformer(hill(), directions, products, 0, x.shape[0] * BLOCK,
                           block_spectra=BLOCK, **more)
    out, = through(work, x, [former], tags=tags).out
    return out.view(np.float32).reshape(-1, former.beams(), CHANNELS)[0]


@GROUP.requires("A beam adds the voltages of its source: N^2 times the power.", at_most(1e-4),
                "A signal from az 70, el 40 in eight antennas of a flat map; power of the beam "
                "over that of one antenna, over 64, minus 1.")
def gain(work):
    x = voltages(work, 20, towards(70, 40), 1.0)
    return measured(np.abs(power(work, x, ["az=70,el=40"])[0] / alone(x) / N ** 2 - 1).max())


@GROUP.requires("A beam adds the powers of independent noise: N times.", near(1.0, 0.01),
                "Independent noise in eight antennas; power of the beam over 8.")
def noise(work):
    x = voltages(work, 200, noise=1.0)
    found = power(work, x, ["az=70,el=40"]).mean() / N
    return measured(found, 1 / np.sqrt(200 * BLOCK * CHANNELS))


@GROUP.requires("The shape of a beam is that of the array.", at_most(5e-4, "of the peak"),
                "Beams towards 41 azimuths around that of the signal; largest difference from "
                "|sum w x|^2 of the flat map.")
def shape(work):
    x, azimuths = voltages(work, 4, towards(70, 40), 1.0), np.linspace(66, 74, 41)
    found = power(work, x, [f"az={az},el=40" for az in azimuths]) / alone(x)
    want = np.array([np.abs((towards(70, 40) * towards(az, 40).conj()).sum(axis=1)) ** 2
                     for az in azimuths])
    return measured(np.abs(found - want).max() / N ** 2, plot=plot("azimuth", "power", (
        curve("measured", azimuths, found[:, 4], "o"), curve("flat map", azimuths, want[:, 4]))))


@GROUP.requires("The power of a beam is that of the phased visibilities.", at_most(1e-5),
                "Noise with a source, through the beamformer and through the X-engine: w V w^H "
                "with the weights that the block reports; largest relative difference.")
def of_visibilities(work):
    x = voltages(work, 6, towards(70, 40), 1.0, 0.5)
    beams = ["az=70,el=40", "az=120,el=70"]
    weights = fp.beamformer(hill(), beams).weights(fp.epoch.from_iso(NOON))
    spectra = np.moveaxis(x, (2, 0, 3, 1), (0, 1, 2, 3)).reshape(N, -1, CHANNELS)
    vis, _ = sums(work, spectra)
    i, j = np.triu_indices(N)
    v = np.zeros((CHANNELS, N, N), complex)
    v[:, i, j], v[:, j, i] = vis[0], vis[0].conj()
    want = np.einsum("bci,cij,bcj->bc", weights, v, weights.conj()).real
    return measured(np.abs(power(work, x, beams) / want - 1).max())


@GROUP.requires("A beam follows a star for an hour.", at_most(1e-3, "of the power"),
                "A signal whose delays are those of uvw at each of 7 moments of an hour; what the "
                "beam towards its right ascension and declination lacks of N^2 times the power.")
def follows(work):
    obs, start = hill(), fp.epoch.from_iso(NOON)
    ra, dec = fp.radec_of_azel(obs, np.radians(200), np.radians(50), start)
    lost, minutes = [], np.arange(0, 61, 10)
    for minute in minutes:
        at = start.plus_seconds(60.0 * float(minute))
        w = np.array(fp.antenna_uvw(obs, fp.axes_of_radec(ra, dec, at, 0.0)))[:, 2]
        seen = np.exp(2j * np.pi * FREQUENCIES[:, None] * (w - w[0]) / C)
        x = voltages(work, 1, seen, 1.0)
        found = power(work, x, [f"{float(np.degrees(ra))!r},{float(np.degrees(dec))!r}"], at.iso(9))
        lost.append(np.abs(1 - found[0] / alone(x) / N ** 2).max())
    return measured(max(lost), plot=plot("minutes", "lost part", (
        curve("measured", minutes, lost, "o"),)))


@GROUP.requires("A null is 40 dB deep.", at_least(40, "dB"),
                "A signal 40 dB above one, from az 110, el 20; the beam towards az 70, el 40 "
                "without a null there over that with it.")
def null(work):
    x = voltages(work, 4, towards(110, 20), 1e4)
    plain = power(work, x, ["az=70,el=40"]).mean()
    deaf = power(work, x, ["az=70,el=40"], nulls=["az=110,el=20"]).mean()
    return measured(10 * np.log10(plain / max(deaf, 1e-30)))


@GROUP.requires("A null takes little of the beam's own source.", at_least(0.5),
                "A signal from az 70, el 40; power of the beam with a null at az 110, el 20 over "
                "N^2.")
def beside_a_null(work):
    x = voltages(work, 4, towards(70, 40), 1.0)
    found = power(work, x, ["az=70,el=40"], nulls=["az=110,el=20"])
    return measured((found / alone(x)).mean() / N ** 2)
