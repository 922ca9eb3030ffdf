#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe simulate: a sky of point sources over an array, as a raw recording."""
import argparse

from tqdm import tqdm

from .. import fringe_python as fp
from ..simulator import simulate

DESCRIPTION = """\
Simulates the array and the sky of an observation file (its section `sky`, see
docs/observation.md) with exact broadband delays, and writes a raw recording; beside it,
RECORDING.yml, the observation it is to be correlated with.
"""

EXAMPLES = """\
examples:
  fringe simulate examples/simulated_sky.yml -o sky.ci8
  fringe simulate two_antennas.yml -o two.cu8 --format cu8 --seconds 2 --seed 5
"""


def add_parser(commands):
    p = commands.add_parser(
        "simulate", help="a simulated recording", description=DESCRIPTION, epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    p.set_defaults(run=run)
    p.add_argument("obs", metavar="OBS.yml", help="observation file with a sky")
    p.add_argument("-o", "--output", required=True, metavar="RECORDING")
    p.add_argument("--format", metavar="NAME", help="recording format; default: OBS.yml's")
    length = p.add_mutually_exclusive_group()
    length.add_argument("--samples", type=int, metavar="K", help="default 1048576")
    length.add_argument("--seconds", type=float, metavar="T")
    p.add_argument("--seed", type=int, default=1, help="the same seed gives the same recording")
    p.add_argument("--level", type=float, help="factor from voltages to the format's numbers")
    p.add_argument("--overwrite", action="store_true", help="replace files that are there")
    p.add_argument("--quiet", action="store_true", help="no progress bar")


def run(options):
    obs = fp.observation.from_file(options.obs)
    if options.seconds is not None and not options.seconds > 0:
        raise ValueError(f"--seconds: {options.seconds}: must be positive")
    samples = options.samples
    if samples is None:
        samples = round(options.seconds * obs.sample_rate) if options.seconds else 1 << 20
    with tqdm(total=samples, unit="S", unit_scale=True, disable=options.quiet or None,
              desc="simulating", leave=False) as bar:
        made = simulate(obs, options.output, samples, options.format, options.seed,
                        options.level, options.overwrite,
                        lambda done: bar.update(done - bar.n))
    print(f"wrote {made.path}: {made.samples} samples of {len(obs.inputs)} inputs, "
          f"{made.samples / obs.sample_rate:.6g} s of {len(obs.sky)} sources, "
          f"{made.clipped} components clipped")
    print(f"correlate it with: fringe correlate {made.path} --obs {made.path}.yml -o OUT.ms")
