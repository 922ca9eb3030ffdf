#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Everything that can be set of a run, in one place.

A field here is an option of `fringe correlate` and `fringe plan`, a keyword of correlate() and of
make_plan(), and a field of a plan's file. A new one needs its line here, and its test.
"""
import dataclasses

from .. import fringe_python as fp
from ..chains.several_gpus import SPLITS
from ..ground.options import option
from ..observing.settings import MAX_SAMPLES, RATES, positive
from .output_settings import output_settings
from .pulse_settings import pulse_settings


@dataclasses.dataclass
class recording_settings:
    """Which samples are read, and what they are."""
    format: str = option(
        "recording format, see below; by default what the file contains, else what the "
        "observation or its ending says", metavar="NAME")
    coarse_channel: int = option(
        "of recordings whose band was split before (DADA, GUPPI): the channel to correlate, "
        "from 0", kind="whole", metavar="K")
    inputs: int = option("inputs of all files together", kind="whole", metavar="N")
    sample_rate: float = option("samples a second", kind="number", metavar="HZ")
    center_frequency: float = option("sky frequency of the middle of the band", kind="number",
                                     metavar="HZ")
    start_time: str = option("time of sample 0, as 2026-06-12T11:20:40.5", metavar="UTC")
    start_sample: tuple = option(
        "first sample to read: one, counted from where the first file begins, or one per file, "
        "counted in it: these are taken as simultaneous", (0,), kind="wholes",
        metavar="S[,S...]")
    samples: int = option("number of samples to read", kind="whole", metavar="K")
    prefer: str = option(
        "which overrides the other where the sample rate, start time or start samples contradict "
        "the headers of recordings; by default that is an error",
        choices=("header", "settings"))
    allow_gaps: bool = option("read files of which more than 90 % are missing", False)


@dataclasses.dataclass
class correlator_settings:
    """What is made of the samples."""
    channels: int = option("channels of the band", kind="whole", metavar="C")
    taps: int = option("taps of the filter bank, 1 to 32", kind="whole", metavar="T")
    window: str = option(", ".join(fp.window_names()), choices=tuple(fp.window_names()),
                         metavar="NAME")
    integration: float = option("length of a dump", kind="seconds", metavar="SECONDS")
    spectra: int = option("length of a dump in spectra", kind="whole", metavar="M")
    requantize: str = option(
        "bits of the spectra before the X-engine (then exact in integers)",
        choices=("none", "8", "4"))
    gains: str = option(
        "gains of the inputs, channel by channel, to be divided out: a numpy file "
        "[input][channel], or lines of INPUT CHANNEL GAIN PHASE", metavar="FILE")
    remove_mean: bool = option(
        "take the running mean of each input out of its samples: a converter's zero, a local "
        "oscillator that leaks", False)
    tracking: bool = option(
        "take delays and fringes out in the F-engine, towards the phase center; by default as the "
        "observation says", kind="yes or no", name="--track")
    phase_centers: tuple = option(
        "where to look, in degrees or as 12h30m49.4s,+12d23m28s; a name: Sun, Moon, Jupiter, Cas A "
        "...; az=AZ,el=EL; zenith; satellite=TABLE, lines of UTC and x y z in ITRF meters (into "
        ".uvh5, .ACC and .LCCSPC). Repeated, all are made in one pass: x.ms becomes x_1.ms, x_2.ms "
        "... or, for RA,DEC,NAME, x_NAME.ms", (), kind="texts", name="--phase-center",
        metavar="RA,DEC")
    threads: int = option(
        "threads that F-engine and X-engine may keep busy; one per core by default", kind="whole",
        metavar="N")
    backend: str = option(
        "auto: the first GPU that works (fringe info --devices), else the CPU; cuda:1: GPU "
        "number 1", "auto", kind="backend", metavar="{auto,cuda,cuda:1,cpu,generic}")
    devices: list = option(
        "GPUs that share the work, by their numbers, instead of the backend: 0,1, or all",
        kind="gpus", metavar="{all,0,1,...}")
    split: str = option(
        "how they share it: channels: each makes the spectra of some inputs and multiplies some "
        "channels; time: they take blocks in turn; auto: the one that sends fewer bytes", "auto",
        choices=SPLITS)


#: Those of correlator_settings that are settings of its F-engine, and of beams behind it.
F_ENGINE = ("channels", "taps", "window", "requantize", "gains", "remove_mean", "tracking",
            "threads", "backend")


@dataclasses.dataclass
class run_settings(pulse_settings, output_settings, correlator_settings, recording_settings):
    """Everything about a run but the files that it writes."""
    recordings: list = ()  #: paths, one for each receiver; none with `live`
    obs: object = None  #: an observation, the path of its file, or None
    live: str = option(
        "live data instead of recordings: udp://HOST:PORT?preset=NAME&inputs=N, kraken://HOST "
        "(docs/packets.md); Ctrl-C ends it", metavar="URL")
    seconds: float = option("of live data: how long", kind="seconds", metavar="S")

    @property
    def files_read(self):
        """Paths of the files that say what the run is made of."""
        return [path for path in (*self.recordings, self.obs, self.gains, self.polyco)
                if isinstance(path, str)]

    def check(self):
        """Raises ValueError for a number that cannot be right, whatever the recording."""
        if bool(self.live) == bool(self.recordings):
            raise ValueError("recordings: none given" if not self.live else
                             f"recordings: {self.recordings[0]}: live packets take their place; "
                             "give one of the two")
        if self.seconds is not None and not self.live:
            raise ValueError(f"seconds: {self.seconds:g}: is for live packets; samples=K limits "
                             "what is read of recordings")
        self.check_pulsar()
        if self.split != "auto" and self.devices is None:
            raise ValueError(f"split: {self.split}: is for several GPUs that share the work, "
                             "devices=0,1")
        numbers = (("inputs", "number of inputs", MAX_SAMPLES),
                   ("sample_rate", "number of samples a second (Hz)", RATES[1]),
                   ("channels", "number of channels", MAX_SAMPLES), ("taps", "number of taps", 32),
                   ("integration", "number of seconds per dump", 1e9),
                   ("spectra", "number of spectra per dump", MAX_SAMPLES),
                   ("samples", "number of samples", MAX_SAMPLES))
        for name, what, limit in numbers:
            positive(name, getattr(self, name), what, limit)
        if self.integration and self.spectra:
            raise ValueError("integration and spectra: give one of the two, a dump is as long as "
                             "one says")
        for start in self.start_sample or ():
            if not 0 <= start <= MAX_SAMPLES:
                raise ValueError(f"start_sample: {start}: samples are counted from 0")
