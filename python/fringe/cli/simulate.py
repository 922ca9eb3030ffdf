#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe simulate: a sky of point sources over an array, or a lab of a course, as recordings."""
import os

from tqdm import tqdm

from .. import fringe_python as fp
from ..ground.new_file import check_new_file
from ..labs.simulate_lab import LABS, simulate_lab
from ..observing.settings import MAX_SAMPLES, positive
from ..primary_beams import beam_of
from ..simulating.simulator import simulate
from .numbers import number, place, whole

DESCRIPTION = """\
Simulates the array and the sky of an observation file (its section `sky`, see
docs/observation.md) with exact broadband delays, and writes a raw recording; beside it,
RECORDING.yml, the observation it is to be correlated with.

With --lab NAME it makes the data set of an exercise, a folder: recordings with flaws, observation
files, README.md with the task, and answers.yml, which is for instructors: take it out before
students get the folder (docs/labs.md).

  sun        two dishes on the Sun: fringes, the length of the baseline
  cas-a      a drift scan of Cas A: the width of the beam
  hydrogen   21 cm along the Milky Way: the rotation curve
  closure    three antennas: the closure phase
  y-factor   hot and cold: the noise temperature of a receiver
"""

EXAMPLES = """\
examples:
  fringe simulate examples/images/simulated_sky.yml -o sky.ci8
  fringe simulate two_antennas.yml -o two.cu8 --format cu8 --seconds 2 --seed 5
  fringe simulate dipoles.yml -o dipoles.ci8 --beam dipole:0.3m
  fringe simulate --lab sun -o sun_lab
  fringe simulate --lab hydrogen -o group7 --seed 7 --site 40,-105,1600 \\
         --start-time 2026-06-21T08:00:00Z
"""


def add_parser(commands):
    p = commands.add_parser("simulate", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("obs", nargs="?", metavar="OBS.yml", help="observation file with a sky")
    p.add_argument("-o", "--output", required=True, metavar="RECORDING",
                   help="the recording; of a lab, the folder")
    p.add_argument("--lab", metavar="NAME", help="instead of OBS.yml: the data set of an exercise, "
                   "see above")
    p.add_argument("--start-time", metavar="UTC", help="of a lab; default: when its source is up")
    p.add_argument("--site", type=place, metavar="LAT,LON[,H]", help="of a lab, degrees and m; "
                   "default 50,8,100")
    p.add_argument("--format", metavar="NAME", help="recording format; default: OBS.yml's, "
                   "else the ending of the output")
    length = p.add_mutually_exclusive_group()
    length.add_argument("--samples", type=whole, metavar="K", help="default 1048576")
    length.add_argument("--seconds", type=number, metavar="T")
    p.add_argument("--seed", type=whole, default=1, help="the same seed gives the same recording; "
                   "of a lab, another one has other answers")
    p.add_argument("--level", type=number, help="factor from voltages to the format's numbers")
    p.add_argument("--beam", metavar="NAME", help="multiply the fluxes by a primary beam, as "
                   "fringe image has it: dipole:0.3m for example")
    p.add_argument("--overwrite", action="store_true", help="replace files that are there")
    p.add_argument("--quiet", action="store_true", help="no progress bar")


def run(options):
    if options.lab:
        _run_lab(options)
        return
    if not options.obs:
        raise ValueError("OBS.yml: not given; give an observation file with a sky, or --lab NAME, "
                         f"one of {', '.join(LABS)}")
    _refuse(options, "start_time", "site", why="is for --lab; write it into the observation file")
    obs = fp.observation.from_file(options.obs)
    positive("seconds", options.seconds, "number of seconds")
    positive("samples", options.samples, "number of samples")
    _check_output(options)
    samples = options.samples or 1 << 20
    if options.seconds and obs.sample_rate:
        samples = round(options.seconds * obs.sample_rate)
        if not 0 < samples <= MAX_SAMPLES:
            raise ValueError(f"--seconds: {options.seconds:g}: makes {samples} samples at "
                             f"{obs.sample_rate:g} Hz; it must be 1 to {MAX_SAMPLES:g}")
    with tqdm(total=samples, unit="S", unit_scale=True, disable=options.quiet or None,
              desc="simulating", leave=False) as bar:
        try:
            made = simulate(obs, options.output, samples, options.format, options.seed,
                            options.level, options.overwrite,
                            lambda done: bar.update(done - bar.n),
                            beam_of(options.beam) if options.beam else None)
        except OSError as error:  # a full disk does not say which file
            raise OSError(error.errno, error.strerror, options.output) from None
    print(f"wrote {made.path}: {made.samples} samples of {_count(len(obs.inputs), 'input')}, "
          f"{made.samples / obs.sample_rate:.6g} s of {_count(len(obs.sky), 'source')}, "
          f"{_count(made.clipped, 'value')} clipped")
    print(f"correlate it with: fringe correlate {made.path} --obs {made.path}.yml -o OUT.ms")


def _run_lab(options):
    _refuse(options, "obs", "format", "samples", "seconds", "level", "beam",
            why=f"--lab {options.lab} has its own; leave it out")
    names = simulate_lab(options.lab, options.output, options.seed, options.start_time,
                         options.site, options.overwrite)
    for name in names:
        path = os.path.join(options.output, name)
        print(f"wrote {path}: {os.path.getsize(path)} bytes")
    print(f"the task is in {os.path.join(options.output, 'README.md')}; "
          f"{os.path.join(options.output, 'answers.yml')} is for instructors: take it out before "
          "students get the folder")


def _refuse(options, *names, why):
    for name in names:
        value = getattr(options, name)
        if value is not None:
            word = "OBS.yml" if name == "obs" else "--" + name.replace("_", "-")
            raise ValueError(f"{word}: {value}: {why}")


def _check_output(options):
    folder = os.path.dirname(options.output) or "."
    if not os.path.isdir(folder):
        raise ValueError(f"{options.output}: the folder {folder} does not exist; make it first")
    for name in (options.output, options.output + ".yml"):
        if os.path.isdir(name):
            raise ValueError(f"{name}: is a folder; choose another name")
        if os.path.lexists(name) and not options.overwrite:
            raise ValueError(f"{name}: exists; choose another name, remove it or allow "
                             "overwriting (--overwrite)")
        read = fp.read_in_place_of(name)
        if read:
            raise ValueError(f"--output: {name} would replace {read}, the observation file or "
                             "one that it names; choose another name")
        check_new_file(name, options.overwrite)


def _count(n, thing):
    return f"{n} {thing}{'' if n == 1 else 's'}"
