#!/usr/bin/python3
#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The TART's receivers calibrated from raw bits: tart_calibration.py mg-tana-raw.hdf [FOLDER].

Nothing is known but where the antennas stand and where the GPS satellites are. Most of what
the antennas have in common is not GPS, so the satellites are told from it by their codes, which
repeat every millisecond: their spectra are lines 1 kHz apart, each satellite's moved by its own
Doppler shift. docs/calibration.md has the story.
"""
import os
import sys
from dataclasses import replace

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.calibration import calibrated, write_calibrated
from gnuradio.fringe.calibration.report import quality, table
from gnuradio.fringe.images.imaging import check_sources, dirty_image, peaks

HERE = os.path.dirname(os.path.abspath(__file__))
CARRIER, KHZ = 1575.42e6, 8  # Hz; channels to the kilohertz
LINES = 770                  # on either side of the carrier: the main lobe, where it is strong
TOLERANCE = 0.75             # degrees


def uncalibrated():
    """The observation without the phases that tart.yml has."""
    obs = fringe.observation.from_file(os.path.join(HERE, "tart.yml"))
    inputs = obs.inputs
    for each in inputs:
        each.phase = 0.0
    obs.inputs = inputs
    return obs


def folded(vis):
    """Lines 1 kHz apart added up: eight channels by their place between the lines."""
    middle = int(np.argmin(np.abs(vis.frequencies - CARRIER)))
    band = vis.data[0, middle - LINES * KHZ:middle + LINES * KHZ]
    return replace(
        vis, data=band.reshape(2 * LINES, KHZ, -1).mean(axis=0)[None],
        weights=np.ones((1, KHZ, band.shape[1]), np.float32),
        flags=np.zeros((1, KHZ, band.shape[1]), bool), exposures=vis.exposures * 2 * LINES,
        frequencies=CARRIER + 1e3 / KHZ * np.arange(KHZ))


def satellites_alone(vis):
    """The channels without what is in the two quietest: there is no satellite in these."""
    i, j = vis.products
    strength = np.abs(vis.data[0][:, i != j]).mean(axis=1)
    quiet = np.argsort(strength)[:2]
    data = vis.data.copy()
    data[:, :, i != j] -= vis.data[:, quiet][:, :, i != j].mean(axis=1, keepdims=True)
    return replace(vis, data=data, flags=vis.flags | np.isin(np.arange(KHZ), quiet)[:, None])


def picture(recording, obs, path):
    """All-sky image of the recording, of the channels with the satellites."""
    fringe.correlate(recording, path, obs, channels=512, taps=4, window="hann", spectra=10 ** 6,
                     overwrite=True)
    vis = fringe.read_visibilities(path)
    return dirty_image(vis, channels=np.flatnonzero(np.abs(vis.frequencies - CARRIER) < 0.77e6))


def in_image(sources):
    """(name, l, m) of satellites, the zenith being 0, 0."""
    where = ((source.name, source.direction.longitude, source.direction.latitude)
             for source in sources)
    return [(name, np.sin(az) * np.cos(el), np.cos(az) * np.cos(el)) for name, az, el in where]


def draw(images, sources, found, vis, path):
    """Before and after, and the phases."""
    import matplotlib
    matplotlib.use("agg")
    from matplotlib import pyplot
    figure, (left, right, phases) = pyplot.subplots(1, 3, figsize=(15, 4.6))
    for axes, image, title in zip((left, right), images, ("before", "after")):
        edge = [-1, 1, -1, 1]
        axes.imshow(image.values, origin="lower", extent=edge, cmap="inferno")
        for name, l, m in in_image(sources):
            axes.plot(l, m, "o", mec="c", mfc="none", ms=11)
            axes.annotate(name[4:], (l, m), (6, 6), textcoords="offset points", color="c")
        axes.set(title=title, xlabel="l (east)", ylabel="m (north)", xlim=(1, -1))
    count = np.arange(len(vis.inputs))
    phases.errorbar(count, found.receivers.band_phase, found.receivers.phase_error, fmt=".")
    phases.set(title="phases found, degrees", xlabel="input", ylim=(-185, 185),
               yticks=range(-180, 181, 90))
    figure.tight_layout()
    figure.savefig(path, dpi=80)


def main(recording, folder="."):
    """Returns the number of satellites that are where they should be."""
    obs = uncalibrated()
    path = os.path.join(folder, "tart_lines.ACC")
    fringe.correlate(recording, path, obs, channels=8184 * KHZ, taps=1, window="rectangular",
                     spectra=64 // KHZ, overwrite=True)
    vis = satellites_alone(folded(fringe.read_visibilities(path)))
    os.remove(path)
    sources = fringe.read_catalogue(os.path.join(HERE, "tart_satellites.yml"))
    found = fringe.calibrate_by_sources(vis, obs, sources, reference=0, phases_only=True,
                                        free_spectra=True, max_unexplained=0.7)
    print("\n".join(table(found) + [quality(found)]))
    new = calibrated(obs, found.receivers)
    write_calibrated(os.path.join(folder, "tart_calibrated.yml"), new,
                     os.path.join(HERE, "tart.yml"))
    images = [picture(recording, observation, os.path.join(folder, "tart.ACC"))
              for observation in (obs, new)]
    # The seven high ones; the eighth and lower ones do not stand out.
    reports = check_sources(images[1], in_image(sources[:7]), np.radians(TOLERANCE),
                            peaks(images[1]))
    for report in reports:
        print(report)
    draw(images, sources, found, vis, os.path.join(folder, "tart_calibration.png"))
    return sum(report.ok for report in reports)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.splitlines()[0])
    print(main(*sys.argv[1:3]), "of 7 satellites are where they should be")
