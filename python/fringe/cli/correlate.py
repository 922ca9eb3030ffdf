#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe correlate: recordings, or packets as they come, to visibility files."""
import argparse
import contextlib
import re
import shlex
import sys
import time

from tqdm import tqdm

from .. import fringe_python as fp
from ..runs.correlate import correlate
from ..images.outputs import ENDINGS
from ..ground.losses import sentences
from ..runs.outputs import FLAGGING
from ..runs.engines import ENGINES, run_dask, submit_slurm
from ..runs.merge import merge
from ..runs.plan import make_plan
from ..runs.resume import begin_or_resume, plan_beside, remove_parts
from ..ground.stop_signals import raise_stopped
from ..web.addresses import HOST, PORT
from .numbers import backend, duration, gpus, number, seconds, whole
from .usage import show_often

SILENCE = 5  # seconds without data after which that is said
WINDOWS = fp.window_names()

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
        "correlate", help="recorded voltages to visibilities", description=DESCRIPTION,
        epilog=f"{EXAMPLES}{formats}\n\noutputs, by their ending:\n{outputs}\n",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    p.set_defaults(run=run)
    p.add_argument("recordings", nargs="*", metavar="INPUT", help="recorded files, one per "
                   "receiver; their inputs are numbered file after file")
    p.add_argument("-o", "--output", action="append", required=True, metavar="OUT",
                   help="visibility file, its format by its ending (see below), or images: x.fits "
                   "(a cube), x_%%04d.png, x.png (the newest), x.mp4; may be repeated")
    p.add_argument("--live", metavar="URL", help="packets from the network instead of INPUT: "
                   "udp://HOST:PORT?preset=NAME&inputs=N (docs/packets.md); Ctrl-C ends it")
    p.add_argument("--seconds", type=seconds, metavar="S", help="with --live: how long")
    p.add_argument("--obs", metavar="OBS.yml", help="observation file")
    p.add_argument("--web", nargs="?", const=f"{HOST}:{PORT}", default="", metavar="HOST:PORT",
                   help=f"show the dumps on a web page, too (docs/web.md; default {HOST}:{PORT})")
    p.add_argument("--overwrite", action="store_true", help="replace an OUT that is there")
    p.add_argument("--resume", action="store_true", help="with an engine: go on with the parts "
                   "that are not done")
    p.add_argument("--quiet", action="store_true", help="no progress bar")
    add_engine_options(p.add_argument_group("many processes or hosts (docs/hosts.md)"))
    add_recording_options(p.add_argument_group("the recording"))
    add_correlator_options(p.add_argument_group("the correlator"))
    add_output_options(p.add_argument_group("what is written"))
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


def add_parts_options(p):
    p.add_argument("--parts", type=whole, metavar="N", help="how many; by default one for each "
                   "4 GiB of INPUT, and 16 at the least")
    p.add_argument("--by-center", action="store_true", help="every phase centre in parts of its "
                   "own")


def add_recording_options(p):
    p.add_argument("--format", metavar="NAME", help="recording format, see below; "
                   "by default what the file contains, else what the observation or its ending "
                   "says")
    p.add_argument("--coarse-channel", type=whole, metavar="K", help="of recordings whose band "
                   "was split before (DADA, GUPPI): the channel to correlate, from 0")
    p.add_argument("--inputs", type=whole, metavar="N", help="inputs of all files together")
    p.add_argument("--sample-rate", type=number, metavar="HZ")
    p.add_argument("--center-frequency", type=number, metavar="HZ",
                   help="sky frequency of the middle of the band")
    p.add_argument("--start-time", metavar="UTC", help="of sample 0, as 2026-06-12T11:20:40.5")
    p.add_argument("--start-sample", type=_samples, default=[0], metavar="S[,S...]",
                   help="first sample to read: one, counted from where the first file begins, or "
                   "one per file, counted in it: these are taken as simultaneous")
    p.add_argument("--samples", type=whole, metavar="K", help="number of samples to read")
    p.add_argument("--prefer", choices=["header", "settings"], help="which goes before the other "
                   "where the sample rate, start time or start samples contradict the headers of "
                   "INPUTs")
    p.add_argument("--allow-gaps", action="store_true",
                   help="read an INPUT of which more than 90 %% are missing")


def add_correlator_options(p):
    p.add_argument("--channels", type=whole, metavar="C")
    p.add_argument("--taps", type=whole, metavar="T", help="taps of the filter bank, 1 to 32")
    p.add_argument("--window", choices=WINDOWS, metavar="NAME", help=", ".join(WINDOWS))
    p.add_argument("--integration", type=seconds, metavar="SECONDS", help="length of a dump")
    p.add_argument("--spectra", type=whole, metavar="M", help="length of a dump in spectra")
    p.add_argument("--requantize", choices=["none", "8", "4"],
                   help="bits of the spectra before the X-engine (then exact in integers)")
    p.add_argument("--gains", metavar="FILE", help="gains of the inputs, channel by channel, to be "
                   "divided out: a numpy file [input][channel], or lines of "
                   "INPUT CHANNEL GAIN PHASE")
    p.add_argument("--remove-mean", action="store_true", help="take the running mean of each input "
                   "out of its samples: a converter's zero, a local oscillator that leaks")
    p.add_argument("--track", action=argparse.BooleanOptionalAction, default=None,
                   help="take delays and fringes out in the F-engine, towards the phase centre")
    p.add_argument("--phase-center", action="append", metavar="RA,DEC", help="where to look, in "
                   "degrees or as 12h30m49.4s,+12d23m28s; a name: Sun, Moon, Jupiter, Cas A ...; "
                   "az=AZ,el=EL; zenith; satellite=TABLE, lines of UTC and x y z in ITRF "
                   "metres (into .uvh5, .ACC and .LCCSPC). Repeated, all are made in one pass: "
                   "x.ms becomes x_1.ms, x_2.ms ... or, for RA,DEC,NAME, x_NAME.ms")
    p.add_argument("--threads", type=whole, metavar="N",
                   help="threads that F-engine and X-engine may keep busy; one per core by "
                        "default")
    p.add_argument("--backend", type=backend, metavar="{auto,cuda,cuda:1,cpu,generic}",
                   default="auto",
                   help="auto: the first GPU that works (fringe info --devices), else the CPU; "
                        "cuda:1: GPU number 1")
    p.add_argument("--devices", type=gpus, metavar="{all,0,1,...}",
                   help="GPUs that share the work, by their numbers, instead of --backend: 0,1, or "
                        "all")
    p.add_argument("--split", choices=("auto", "channels", "time"), default="auto",
                   help="how they share it: channels: each makes the spectra of some inputs and "
                        "multiplies some channels; time: they take blocks in turn; auto: the one "
                        "that sends fewer bytes")


def add_output_options(p):
    p.add_argument("--van-vleck", action="store_true", help="make dumps of 1- or 2-bit samples "
                   "those of the signals before quantising")
    p.add_argument("--flag", choices=FLAGGING, default="none", help="look for RFI: in the spectra "
                   "before the X-engine (kurtosis and power, left out and weighted), in the dumps "
                   "(flagged), or in both: all")
    p.add_argument("--mask", type=_band, action="append", metavar="HZ,HZ", help="band that is "
                   "always flagged, with --flag dumps or all; may be repeated")
    p.add_argument("--keep-edge", action="store_true", help="do not flag the first channel of "
                   "complex samples, which holds both edges of the band (0 in .ACC and .LCCSPC)")
    p.add_argument("--flag-dc", action="store_true", help="flag the channel of what is constant in "
                   "the samples: the middle one, of real samples the first")
    p.add_argument("--every", metavar="TIME", help="with images: one for each 1s, 500ms, 10min; by "
                   "default one for each dump")
    p.add_argument("--image-size", type=whole, default=256, metavar="N",
                   help="with images: pixels a side (default 256)")
    p.add_argument("--image-band", type=_band, metavar="HZ,HZ",
                   help="with images: channels from one frequency to another; by default all")
    p.add_argument("--image-clean", type=whole, default=0, metavar="N",
                   help="with images: CLEAN takes up to N components out of each, down to 3 sigma; "
                   "by default images are dirty ones")
    p.add_argument("--average-channels", type=whole, default=1, metavar="N",
                   help="channels that become one in the files")
    p.add_argument("--products", choices=["all", "autos", "crosses"], default="all",
                   help="which are written")
    p.add_argument("--smearing-loss", type=number, default=0.0, metavar="PART", help="average each "
                   "baseline in time for as long as no more than this part of a source's amplitude "
                   "is lost (0.01, say) within --field-radius")
    p.add_argument("--field-radius", type=number, default=0.0, metavar="DEGREES",
                   help="from the phase centre")
    p.add_argument("--longest-average", type=seconds, default=60.0, metavar="SECONDS")
    p.add_argument("--new-file-every", type=whole, metavar="SECONDS", default=0,
                   help="begin a new OUT with every so many seconds: x_20260612_220000.ms")


def _band(text):
    try:
        low, high = (number(word) for word in text.split(","))
        return low, high
    except (ValueError, argparse.ArgumentTypeError):
        raise argparse.ArgumentTypeError(
            f"'{text}': give two frequencies in Hz, as in 137e6,138e6") from None


def _samples(text):
    try:
        return [whole(part) for part in text.split(",")]
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"'{text}': give whole numbers separated by commas") from None


def run(options):
    if not options.recordings and not options.live:
        raise ValueError("INPUT: none given, nor --live (fringe correlate --help shows examples)")
    history = "fringe " + " ".join(shlex.quote(word) for word in sys.argv[1:])
    check_engine_options(options)
    if options.split != "auto" and options.devices is None:
        raise ValueError("--split: is for --devices, several GPUs that share the work")
    if options.engine:
        run_in_parts(options, history)
        return
    try:
        run_here(options, history)
    except ValueError as error:
        if not re.match("(devices|split): ", str(error)):
            raise
        raise ValueError("--" + re.sub(r'split="(\w+)"', r"--split \1", str(error))) from None


def run_here(options, history):
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
            tqdm.write(f"note: {sentence}", file=sys.stderr)

        result = correlate(
            options.recordings, options.output, options.obs, live=options.live,
            seconds=options.seconds, threads=options.threads, overwrite=options.overwrite,
            history=history, progress=progress, tell=tell, **settings_of(options),
            web=options.web, **output_of(options))
    show(result)


def check_engine_options(options):
    """Refuses options of engines without theirs."""
    given = {"--scheduler": (options.scheduler, "dask"), "--workers": (options.workers, "dask"),
             "--slurm": (options.slurm, "slurm"), "--resume": (options.resume, options.engine),
             "--parts": (options.parts, options.engine),
             "--by-center": (options.by_center, options.engine)}
    for name, (value, engine) in given.items():
        if value and (not engine or options.engine != engine):
            raise ValueError(f"{name}: is for --engine {engine or '|'.join(ENGINES)}")
    if options.engine and options.web:
        raise ValueError(f"--web: shows dumps while they are made; --engine {options.engine} makes "
                         "them elsewhere")
    images = [path for path in options.output if path.lower().endswith(ENDINGS)]
    if options.engine and images:
        raise ValueError(f"--engine {options.engine}: makes visibilities, not {images[0]}; fringe "
                         "image makes images of them")
    if options.engine and options.live:
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


def run_in_parts(options, history):
    """Plans, has the parts done, merges them, and removes them."""
    raise_stopped()
    began = time.monotonic()
    path = plan_beside(options.output[0])
    with bar_of("correlating", "part", options.quiet) as progress:
        begin_or_resume(path, lambda: plan_of(options, history), options.resume,
                        options.output, options.overwrite)
        if options.engine == "slurm":
            jobs = submit_slurm(path, options.output, options.overwrite, options.slurm,
                                options.threads)
            print(f"submitted job {jobs[0]}, and job {jobs[1]}, which merges its parts to "
                  f"{', '.join(options.output)}; {path} and its parts stay")
            return
        run_dask(path, options.scheduler, options.workers, options.threads, progress)
    with bar_of("merging", "S", options.quiet) as merging:
        result = merge(path, options.output, options.overwrite, progress=merging)
    result.elapsed = time.monotonic() - began
    remove_parts(path)
    show(result)


def plan_of(options, history):
    """The plan that the options ask for."""
    return make_plan(options.recordings, options.obs, parts=options.parts,
                     by_center=options.by_center, history=history, output=output_of(options),
                     **settings_of(options))


def show(result):
    """Says what became of a run."""
    for line in [f"wrote {path}" for path in result.files] + list(result.images):
        print(line)
    print(result)
    for line in result.notes:
        print(f"note: {line}")
    for line in sentences(result.losses, result.samples * result.values):
        print(line)


def settings_of(options):
    """What a recording is and how it is correlated, by the names that correlate() has."""
    return {
        "format": options.format, "coarse_channel": options.coarse_channel,
        "inputs": options.inputs, "sample_rate": options.sample_rate,
        "center_frequency": options.center_frequency, "channels": options.channels,
        "taps": options.taps, "window": options.window, "integration": options.integration,
        "spectra": options.spectra, "requantize": options.requantize,
        "start_sample": options.start_sample, "samples": options.samples,
        "start_time": options.start_time, "prefer": options.prefer,
        "allow_gaps": options.allow_gaps, "gains": options.gains,
        "remove_mean": options.remove_mean, "tracking": options.track,
        "phase_centers": options.phase_center or (), "backend": options.backend,
        "devices": options.devices, "split": options.split}


def output_of(options):
    """What happens to dumps on their way into files, by the names of outputs.output_options."""
    return {
        "new_file_every": options.new_file_every, "van_vleck": options.van_vleck,
        "flag": options.flag, "mask": options.mask or (), "keep_edge": options.keep_edge,
        "flag_dc": options.flag_dc, "average_channels": options.average_channels,
        "products": options.products, "smearing_loss": options.smearing_loss,
        "field_radius": options.field_radius, "longest_average": options.longest_average,
        "image_size": options.image_size, "image_band": options.image_band,
        "image_clean": options.image_clean,
        "every": duration("--every", options.every) if options.every else 0.0}
