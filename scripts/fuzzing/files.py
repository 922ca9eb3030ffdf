# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
"""Good files of every kind, made by gr-fringe, and how programs read them."""
import os

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.describing.info import describe
from gnuradio.fringe.images.known import read_known as known_of_file
from gnuradio.fringe.images.frame import image_frame
from gnuradio.fringe.images.fits_file import fits_bytes
from gnuradio.fringe.images.make import image_settings, make_image
from gnuradio.fringe.images.mask import read_mask as mask_of_file
from gnuradio.fringe.observing import gains
from gnuradio.fringe.primary_beams.table import table
from gnuradio.fringe.runs.merge import merge
from gnuradio.fringe.runs.plan import make_plan, read_plan as plan_of_file
from gnuradio.fringe.runs.plan_in_words import describe_plan, is_plan
from gnuradio.fringe.runs.work import work
from gnuradio.fringe.sky_model.fits_model import read_model as model_of_file
from qa_solution_tables import night

OBSERVATION = """
telescope: three
site: {latitude: -30, longitude: 21, height: 1000}
antennas: [[0, 0, 0], [11, 2, 0], [-7, 9, 0]]
polarizations: [X, Y]
sample_rate: 1e6
center_frequency: 150e6
start_time: 2026-06-12T11:20:40
phase_center: {ra: 5h00m00s, dec: -30d00m00s}
format: ci8
channels: 8
spectra: 50
"""
CATALOG = """- {name: A, ra: 12h30m49.4s, dec: +12d23m28s, flux: 212}
- {name: B, ra: 5h00m00s, dec: -30d00m00s}
- {name: up, az: 10, el: 89.5, flux: 3}
"""
KNOWN = OBSERVATION + """sky:
  receiver_noise: 0.5
  sources:
    - {name: A, l: 0.3, m: 0.1, flux: 1}
    - {name: B, az: 10, el: 40, flux: 2}
"""
BEAM = """# frequency angle power
100e6 0 1
100e6 1 0.5
100e6 3 0.1
2e8, 0, 1, 1
2e8, 2, .2, .3
"""
GAINS = "0 * 1.5 20\n1 3 0.7 -170 # a comment\n1 4 1e-3 0\n"
PARTS = 2
REPORTS = tuple(f"plan.parts/part-{number:05}.json" for number in range(PARTS))
DUMPS = tuple(f"plan.parts/part-{number:05}-0.dumps" for number in range(PARTS))


def text(name, content):
    """Makes a text file."""
    def make(folder):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(content)
    return make


def _recording(folder, dumps=3):
    raw = os.path.join(folder, "raw")
    samples = np.random.default_rng(5).integers(-50, 50, (8 * 50 * dumps, 6, 2))
    samples.astype(np.int8).tofile(raw)
    return raw


def visibilities(name):
    """Makes a visibility file of three dumps."""
    def make(folder):
        raw = _recording(folder)
        fringe.correlate(raw, os.path.join(folder, name),
                         fringe.observation.from_text(OBSERVATION))
        os.remove(raw)
    return make


def read_visibilities(name):
    """Reads all of a visibility file, and describes it."""
    def take(folder):
        path = os.path.join(folder, name)
        describe(path)
        vis = fringe.read_visibilities(path)
        if vis.data.shape != vis.weights.shape or np.isnan(vis.data[vis.weights > 0]).any():
            raise AssertionError("data of one shape, or without a number, were read")
    return take


def solutions(name, kinds=("Pcross", "Kcross", "D", "G", "K", "B")):
    """Makes a table of solutions."""
    def make(folder):
        fringe.write_solutions(os.path.join(folder, name), night(np.random.default_rng(3), kinds))
    return make


def read_solutions(name):
    """Reads and describes a table of solutions."""
    def take(folder):
        path = os.path.join(folder, name)
        fringe.read_solutions(path)
        describe(path)
    return take


def model(name):
    """Makes an image of FITS."""
    def make(folder):
        raw = _recording(folder)
        obs = fringe.observation.from_text(OBSERVATION)
        path = os.path.join(folder, "x.uvh5")
        fringe.correlate(raw, path, obs)
        made = make_image([path], image_settings(size=(32, 32)))
        with open(os.path.join(folder, name), "wb") as file:
            file.write(fits_bytes(made, unit="Jy/pixel"))
        os.remove(raw)
        os.remove(path)
    return make


def read_model(folder):
    """As a model of the sky."""
    model_of_file(os.path.join(folder, "x.fits"))


def read_mask(folder):
    """As a mask of an image in the same direction."""
    frame = image_frame((np.radians(75), np.radians(-30)), "B", None, False, True)
    mask_of_file(os.path.join(folder, "x.fits"), frame, 32, 32, 0.01)


def read_catalog(folder):
    """As sources to calibrate by."""
    fringe.read_catalogue(os.path.join(folder, "x.yml"))


def read_known(folder):
    """As sources to be marked in an image."""
    known_of_file(os.path.join(folder, "x.yml"))


def read_beam(folder):
    """A primary beam, and its power in some direction."""
    table(os.path.join(folder, "x.txt")).power(np.array([[0.01, 0, 0.99995]]), 1.5e8)


def numpy_gains(folder):
    """Gains of two inputs in 8 channels."""
    np.save(os.path.join(folder, "x.npy"), np.arange(1, 17).reshape(2, 8) * (1 + 0.5j))


def read_gains(name):
    """Reads gains."""
    def take(folder):
        found = gains.read_gains(os.path.join(folder, name), 2, 8)
        if not np.isfinite(found).all() or not found.all():
            raise AssertionError("gains that cannot be")
    return take


def plan(folder):
    """A plan of two parts."""
    make_plan([_recording(folder, 200)], fringe.observation.from_text(OBSERVATION), parts=PARTS,
              format="ci8").write(os.path.join(folder, "plan.json"))


def read_plan(folder):
    """Reads and describes a plan."""
    path = os.path.join(folder, "plan.json")
    plan_of_file(path).samples
    if is_plan(path):
        describe_plan(path)


def done_plan(folder):
    """A plan whose parts are done, and the file that comes of them."""
    plan(folder)
    for number in range(PARTS):
        work(os.path.join(folder, "plan.json"), number)
    merge_parts(folder)
    os.rename(os.path.join(folder, "x.ACC"), os.path.join(folder, "right"))


def merge_parts(folder):
    """Merges; what is accepted has the same data as ever, since every part has a checksum."""
    path = os.path.join(folder, "x.ACC")
    merge(os.path.join(folder, "plan.json"), [path], overwrite=True)
    right = os.path.join(folder, "right")
    if os.path.exists(right):
        with open(path, "rb") as made, open(right, "rb") as file:
            if made.read() != file.read():
                raise AssertionError("changed parts were merged without a word")
