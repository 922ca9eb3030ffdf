#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe correlate: recordings, or packets as they come, to visibility files."""
import contextlib
import re
import shlex
import sys
import time

from tqdm import tqdm

from .. import fringe_python as fp
from ..runs.describe_run import describe_run
from ..images.texts import ENDINGS
from ..runs.engines import ENGINES, run_dask, submit_slurm
from ..runs.merge import merge
from ..runs.plan import plan_run
from ..runs.resume import begin_or_resume, plan_beside, remove_parts
from ..runs.output_settings import output_settings
from ..runs.pulse_settings import pulse_settings
from ..runs.run import run as do_run
from ..runs.settings import correlator_settings, recording_settings, run_settings
from ..ground.stop_signals import raise_stopped
from .numbers import whole
from .options import add_options, given_options
from .usage import show_often
from .words import in_command, words_of

SILENCE = 5  # seconds without data after which a note is printed

DESCRIPTION = """\
Correlates recorded voltages: source, unpack, channelizer, X-engine, integrator and sink in one
GNU Radio flowgraph. Options override the observation file.
"""

EXAMPLES = """\
examples:
  fringe correlate sky.ci8 --obs array.yml -o sky.ms
  fringe correlate two_sdrs.cu8 --format cu8 --inputs 2 --sample-rate 2e6 \\
         --center-frequency 1419.8e6 --channels 1024 --integration 0.5 --remove-mean -o hydrogen.ms
  fringe correlate rx1.dat rx2.dat --format mwa16 --inputs 32 --sample-rate 1.28e6 \\
         --channels 128 --spectra 1000 -o test.ACC -o test.ms
  fringe correlate --live "udp://239.255.90.1:7148?preset=mwa&inputs=4&interface=eth0" \\
         --center-frequency 139.52e6 --channels 128 --seconds 60 -o sky.ms
  fringe correlate night.ci8 --obs array.yml -o night.ms --engine dask --scheduler tcp://head:8786
  fringe correlate sky.ci8 --obs array.yml -o sky.fits -o sky.mp4 --every 1s
  fringe correlate sky.ci8 --obs array.yml --polyco polyco.dat --gate 0.95,1.05 -o pulse.ms

formats:
"""

#: What most runs need; --help-all shows the rest.
OFTEN = ("--output", "--obs", "--live", "--seconds", "--overwrite", "--format", "--inputs",
         "--sample-rate", "--center-frequency", "--channels", "--integration", "--phase-center",
         "--track", "--flag", "--backend")
SHORT_EPILOG = EXAMPLES.partition("  fringe correlate night")[0] + """\

--help-all shows all options, and the formats of recordings and outputs.
"""


def add_parser(commands):
    formats = "\n".join(f"  {f.name:7} {f.summary}" for f in fp.recording_formats())
    outputs = "\n".join(f"  {end:7} {what}" for end, what in fp.visibility_formats())
    p = commands.add_parser(
        "correlate", description=DESCRIPTION,
        epilog=f"{EXAMPLES}{formats}\n\noutputs, by their ending:\n{outputs}\n")
    p.set_defaults(run=run)
    p.add_argument("recordings", nargs="*", metavar="INPUT", help="recorded files, one per "
                   "receiver; their inputs are numbered file after file")
    p.add_argument("-o", "--output", dest="outputs", action="append", required=True, metavar="OUT",
                   help="visibility file, its format by its ending (see below), or images: x.fits "
                   "(a cube), x_%%04d.png, x.png (the newest), x.mp4; may be repeated")
    add_options(p, run_settings, ("live", "seconds"))
    p.add_argument("--obs", metavar="OBS.yml", help="observation file")
    p.add_argument("--overwrite", action="store_true", help="replace an OUT that is there")
    p.add_argument("--resume", action="store_true", help="with an engine: go on with the parts "
                   "that are not done")
    p.add_argument("--verbose", action="store_true", help="at the end, the memory taken on GPUs, "
                   "and a table of all metrics: "
                   "packets, samples, flags, fill of buffers, time of threads "
                   "(docs/station_for_months.md)")
    p.add_argument("--quiet", action="store_true", help="no progress bar")
    add_engine_options(p.add_argument_group("many processes or hosts (docs/hosts.md)"))
    add_run_options(p, "what is written")
    show_often(p, OFTEN, SHORT_EPILOG)


def add_engine_options(p):
    p.add_argument("--engine", choices=ENGINES, help="correlate in parts, on the workers of Dask "
                   "(this computer's cores, or --scheduler), or as an array job of Slurm; the "
                   "same bits as without")
    p.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="of a site's Dask workers")
    p.add_argument("--workers", type=whole, metavar="N", help="of Dask on this computer; by "
                   "default one for each core")
    p.add_argument("--slurm", type=shlex.split, metavar="OPTIONS", default=[], help="for sbatch, "
                   "as in --slurm '--partition=radio --time=2:00:00'")
    add_parts_options(p)


def add_run_options(p, written):
    """The options of a run, in groups; `written`: title of the last."""
    add_options(p.add_argument_group("the recording"), recording_settings)
    add_options(p.add_argument_group("the correlator"), correlator_settings)
    add_options(p.add_argument_group("a pulsar"), pulse_settings)
    add_options(p.add_argument_group(written), output_settings)
    words = words_of(p)
    for action in p._actions:  # pylint: disable=protected-access
        action.help = in_command(action.help, words)


def add_parts_options(p):
    p.add_argument("--parts", type=whole, metavar="N", help="how many; by default one for each "
                   "4 GiB of INPUT, and 16 at the least")
    p.add_argument("--by-center", action="store_true", help="every phase center in parts of its "
                   "own")


def settings_of(options):
    """The run that the options ask for."""
    return run_settings(recordings=options.recordings, obs=options.obs,
                        **given_options(options, run_settings))


def run(options):
    settings = settings_of(options)
    if not settings.recordings and not settings.live:
        raise ValueError("INPUT: none given, nor --live (fringe correlate --help shows examples)")
    history = "fringe " + shlex.join(sys.argv[1:])
    check_engine_options(options, settings)
    if options.engine:
        run_in_parts(options, settings, history)
    else:
        run_here(options, settings, history)


def run_here(options, settings, history):
    """Correlates in this process."""
    with tqdm(total=0, unit="S", unit_scale=True, disable=options.quiet or None,
              desc="correlating", leave=False) as bar:

        came = time.monotonic()

        def progress(done, total):
            nonlocal came
            if done > bar.n or not total:
                came = time.monotonic()
            silent = time.monotonic() - came
            bar.set_postfix_str(f"no data for {silent:.0f} s" if silent >= SILENCE else "",
                                refresh=False)
            bar.total = total
            bar.update(done - bar.n)
            bar.refresh()

        def tell(sentence):
            with tqdm.external_write_mode(file=sys.stderr):
                options.say(f"note: {sentence}", file=sys.stderr)

        def show_metrics(lines):
            bar.clear()
            for line in lines:
                print(line)

        result = do_run(describe_run(settings), options.outputs, options.overwrite, history,
                        progress, tell, show_metrics if options.verbose else None)
    show(result, options.say)


def check_engine_options(options, settings):
    """Refuses options of engines without theirs."""
    given = {"--scheduler": (options.scheduler, "dask"), "--workers": (options.workers, "dask"),
             "--slurm": (options.slurm, "slurm"), "--resume": (options.resume, options.engine),
             "--parts": (options.parts, options.engine),
             "--by-center": (options.by_center, options.engine)}
    for name, (value, engine) in given.items():
        if value and (not engine or options.engine != engine):
            raise ValueError(f"{name}: is for --engine {engine or '|'.join(ENGINES)}")
    if options.engine and options.verbose:
        raise ValueError(f"--verbose: counts this process; --engine {options.engine} correlates "
                         "elsewhere")
    if options.engine and settings.web:
        raise ValueError(f"--web: shows dumps while they are made; --engine {options.engine} makes "
                         "them elsewhere")
    images = [path for path in options.outputs if path.lower().endswith(ENDINGS)]
    if options.engine and images:
        raise ValueError(f"--engine {options.engine}: makes visibilities, not {images[0]}; fringe "
                         "image makes images of them")
    if options.engine and settings.live:
        raise ValueError(f"--engine {options.engine}: is for recordings; --live has none")
    if options.scheduler and options.workers:
        raise ValueError("--workers: are those of --scheduler; leave one of the two out")


@contextlib.contextmanager
def bar_of(what, unit, quiet=False):
    """A progress bar, where there is a terminal; gives what is called with (done, total)."""
    with tqdm(total=0, unit=unit, unit_scale=True, disable=quiet or None, desc=what,
              leave=False) as bar:

        def progress(done, total):
            bar.total = total
            bar.update(done - bar.n)
            bar.refresh()

        yield progress


def run_in_parts(options, settings, history):
    """Plans, has the parts done, merges them, and removes them."""
    raise_stopped()
    began = time.monotonic()
    path = plan_beside(options.outputs[0])
    with bar_of("correlating", "part", options.quiet) as progress:
        begin_or_resume(path, lambda: plan_of(options, settings, history), options.resume,
                        options.outputs, options.overwrite)
        if options.engine == "slurm":
            jobs = submit_slurm(path, options.outputs, options.overwrite, options.slurm,
                                settings.threads)
            print(f"submitted job {jobs[0]}, and job {jobs[1]}, which merges its parts to "
                  f"{', '.join(options.outputs)}; {path} and its parts stay")
            return
        run_dask(path, options.scheduler, options.workers, settings.threads, progress)
    with bar_of("merging", "S", options.quiet) as merging:
        result = merge(path, options.outputs, options.overwrite, progress=merging)
    result.elapsed = time.monotonic() - began
    remove_parts(path)
    show(result, options.say)


def plan_of(options, settings, history):
    """The plan that the options ask for."""
    return plan_run(settings, options.parts, options.by_center, history)


def show(result, say=print):
    """Says what became of a run. say: see words.sayer()."""
    for line in result.in_words():
        say(line)
