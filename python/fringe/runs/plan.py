#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A plan: how a recording is correlated in parts whose dumps are those of one run, bit for bit.

Everything that depends on the whole recording is decided here, once, and written down: the
observation, which samples of several files belong together, the requantizer's gains, where parts
begin and end. The rest is the same in every part, as dumps, delays and stretches of samples are
counted in absolute time.
"""
import dataclasses
import hashlib
import json
import os

from .. import fringe_python as fp
from ..ground.new_file import new_file
from ..ground.options import with_options
from ..observing.recording_names import absolute, size_of
from ..observing.sizes import block_sizes
from .describe_run import describe_run, described_run
from .dump_file import checksum
from .flowgraph import correlator
from .settings import run_settings

VERSION = 3
PART_BYTES = 4 << 30  # of the recording, in a part, unless the number of parts is given
MAX_BYTES = 1 << 30  # of a plan
MIN_PARTS = 16  # likewise, of a recording that has as many dumps


@dataclasses.dataclass
class part:
    """Dumps first ... end - 1 of some of the phase centers, by their absolute numbers."""
    first: int
    end: int
    centers: list


@dataclasses.dataclass
class plan:
    """What every process that works on a recording has to know; see make_plan()."""
    settings: dict  #: run_settings, without what each process or each run says itself
    sizes: dict  #: block_sizes
    recordings: list  #: [path, bytes] of each file
    files: list  #: [path, checksum] of what else is read: gains, earth orientation, satellites
    observations: list  #: the text of one for each phase center
    satellites: list  #: the table that each of them follows, or ""
    gains: list  #: of the requantizer, [input]
    parts: list  #: part
    history: str
    notes: list  #: sentences that a user should be told
    fft_wisdom: str  #: how FFTW makes its transforms: another way rounds in another way
    version: str = ""  #: of gr-fringe: another one may round in another way
    fringe_plan: int = VERSION

    def observation(self, center=0):
        """That of a phase center."""
        return fp.observation.from_text(self.observations[center], "")

    def run_settings(self):
        """What was set of the run."""
        return run_settings(**self.settings)

    @property
    def samples(self):
        """Of every input."""
        return self.settings["samples"]

    def block_sizes(self):
        """Sizes of the items between the blocks."""
        return block_sizes(**self.sizes)

    def described(self, centers):
        """The run towards some of the phase centers."""
        return described_run(
            self.run_settings(), [self.observation(center) for center in centers],
            [self.satellites[center] for center in centers], self.block_sizes(), self.gains,
            self.samples)

    def check_inputs(self):
        """Raises ValueError where what is read is not what was planned."""
        for path, size in self.recordings:
            there = size_of(path)
            if there != size:
                is_now = "is not there" if there is None else f"has {there} bytes"
                raise ValueError(f"{path}: {is_now}; the plan was made for {size} bytes")
        for path, sha256 in self.files:
            if not os.path.isfile(path) or checksum(path) != sha256:
                raise ValueError(f"{path}: is not what it was when the plan was made; make "
                                 "the plan again")
        if self.version != fp.__version__:
            raise ValueError(f"gr-fringe {fp.__version__}: the plan is of {self.version}, which "
                             "may round in another way; use that, or make the plan again")

    def write(self, path, overwrite=False):
        """Writes it as JSON text, with a line for each part."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        fields["parts"] = []
        text = json.dumps(fields, indent=1)
        parts = ",\n  ".join(json.dumps(vars(piece)) for piece in self.parts)
        with new_file(path, overwrite, text=True) as file:
            file.write(text.replace('"parts": []', f'"parts": [\n  {parts}\n ]') + "\n")


def read_plan(path):
    """The plan of a file; ValueError where it is none. Its `identity` tells it from others."""
    text = fp.read_text_file(path, MAX_BYTES)
    try:
        fields = json.loads(text)
        if fields.get("fringe_plan") != VERSION:
            raise ValueError(f"fringe_plan: {fields.get('fringe_plan')}: must be {VERSION}")
        found = plan(**fields)
        found.parts = [part(**piece) for piece in found.parts]
        _check_types(found)
        found.run_settings()
        for center in range(len(found.observations)):
            found.observation(center)
        found.identity = hashlib.sha256(text.encode()).hexdigest()
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: is no plan that this program knows: {error}") from None
    return found


def _check_types(found):
    """ValueError where a field of a plan, or of a part, is not of its type."""
    lists = {"recordings": (list,), "files": (list,), "observations": (str,), "satellites": (str,),
             "gains": (int, float), "parts": (part,), "notes": (str,)}
    for field in dataclasses.fields(plan):
        value = getattr(found, field.name)
        if not isinstance(value, field.type) or not all(
                isinstance(entry, lists.get(field.name, object)) for entry in
                (value if field.type is list else ())):
            raise ValueError(f"{field.name}: {str(value)[:80]}: is no {field.type.__name__} as "
                             "fringe plan writes it")
    samples = found.settings.get("samples")
    if type(samples) is not int or samples < 1:
        raise ValueError(f"settings: samples: {str(samples)[:80]}: must be those of every input, a "
                         "whole number above 0")
    centers = len(found.observations)
    if not centers or len(found.satellites) != centers:
        raise ValueError(f"observations: {centers}, satellites: {len(found.satellites)}: must be "
                         "as many, and at least one")
    for kind, second in (("recordings", int), ("files", str)):
        for pair in getattr(found, kind):
            if list(map(type, pair)) != [str, second]:
                raise ValueError(f"{kind}: {str(pair)[:80]}: must be a path and its "
                                 + ("size" if second is int else "checksum"))
    for number, piece in enumerate(found.parts):
        if not (type(piece.first) is type(piece.end) is int and isinstance(piece.centers, list)
                and piece.centers and all(type(center) is int and 0 <= center < centers
                                          for center in piece.centers)):
            raise ValueError(f"parts: {number}: must have dumps from `first` to `end`, and centers "
                             f"from 0 to {centers - 1}")


def make_plan(recordings, obs=None, *, parts=None, by_center=False, history="", **settings):
    """Plans to correlate recordings in parts.

      recordings, obs: as of correlate(), and so are its options
      parts: how many; None: one for each 4 GiB, and 16 at the least. There are fewer of them where
        there are not as many dumps
      by_center: the phase centers are in parts of their own
    """
    return plan_run(run_settings(recordings=list(recordings), obs=obs, **settings), parts,
                    by_center, history)


with_options(make_plan, run_settings)


def plan_run(settings, parts=None, by_center=False, history=""):
    """make_plan() of run_settings."""
    if parts is not None and parts < 1:
        raise ValueError(f"parts: {parts}: must be at least 1")
    if settings.devices is not None:
        raise ValueError("devices: parts of a recording are correlated on processors only; give "
                         "the GPUs a whole recording each, without parts and without an engine")
    if settings.flags_spectra:
        raise ValueError(f"flag: {settings.flag}: the search in spectra compares with all that "
                         "came before, so a recording is not cut; take flag=dumps, or "
                         "fringe correlate without an engine")
    if settings.is_gated:
        raise ValueError(f"{'gate' if settings.gate else 'bins'}: spectra are gated in one piece; "
                         "take fringe correlate without an engine")
    settings = dataclasses.replace(
        settings, recordings=[absolute(path) for path in settings.recordings],
        backend="cpu" if settings.backend == "auto" else settings.backend)
    return cut(describe_run(settings), parts, by_center, history)


def cut(described, parts=None, by_center=False, history=""):
    """The plan of a described_run; parts, by_center, history: see make_plan()."""
    settings = described.settings
    if described.live:
        raise ValueError(f"recordings: {described.live.described}: holds spectra, or is live; only "
                         "recordings of samples are cut into parts")
    whole = correlator(described).correlator.recorded_dumps()
    satellites = [os.path.abspath(table) if table else "" for table in described.satellites]
    gains_path = os.path.abspath(settings.gains) if settings.gains else None
    read = [path for path in (gains_path, *satellites, described.obs.earth_orientation) if path]
    sizes = [size_of(name) for name in settings.recordings]
    if parts is None:
        parts = max(MIN_PARTS, sum(sizes) // PART_BYTES)
    centers = list(range(len(described.observations)))
    # Observations and phase centers stand beside them. This many samples are read, also where a
    # recording grows meanwhile. Threads are what each process is given.
    kept = dataclasses.replace(settings, obs=None, phase_centers=(), gains=gains_path,
                               samples=described.samples, threads=None, web="")
    return plan(
        settings=dataclasses.asdict(kept), sizes=dataclasses.asdict(described.sizes),
        recordings=[list(pair) for pair in zip(settings.recordings, sizes)],
        files=[[os.path.abspath(path), checksum(path)] for path in read],
        observations=[obs.to_text() for obs in described.observations], satellites=satellites,
        gains=[float(gain) for gain in described.gains],
        parts=_cut(*whole, parts, [[center] for center in centers] if by_center else [centers]),
        fft_wisdom=fp._fft_wisdom(), history=history + described.history(),
        notes=[*described.header_notes, *described.unlikely, *described.warnings],
        version=fp.__version__)


def _cut(first, end, together, parts, groups):
    """Parts of about the same number of dumps, for each group of phase centers. They begin and
    end with multiples of `together`; the last one ends behind all dumps."""
    cuts = [(first + (end - first) * k // parts) // together * together
            for k in range(1, parts)]
    inner = sorted({cut for cut in cuts if first < cut < end})
    bounds = [first, *inner, (end // together + 1) * together]
    return [part(a, b, list(group)) for group in groups
            for a, b in zip(bounds, bounds[1:])]


def folder_of(path):
    """Where the parts of the plan of that file are: x.json has them in x.parts."""
    stem, ending = os.path.splitext(path)
    return (stem if ending == ".json" else path) + ".parts"
