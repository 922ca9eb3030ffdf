#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""A plan: how a recording is correlated in parts whose dumps are those of one run, bit for bit.

Everything that depends on the whole recording is decided here, once, and written down: the
observation, which samples of several files belong together, the requantiser's gains, where parts
begin and end. The rest is the same in every part, as dumps, delays and stretches of samples are
counted in absolute time.
"""
import dataclasses
import hashlib
import json
import os

from .. import fringe_python as fp
from .correlate import correlator
from ..ground.new_file import new_file
from .outputs import output_options
from ..observing.phase_centers import observations_towards, satellites_of, warnings
from ..observing.plausible import notes as notes_on
from ..observing.recording_names import absolute, size_of
from ..observing.settings import check_recordings, observation_for
from .dump_file import checksum

VERSION = 2
PART_BYTES = 4 << 30  # of the recording, in a part, unless the number of parts is given
MOST_BYTES = 1 << 30  # of a plan
LEAST_PARTS = 16  # of a recording that has so many dumps, likewise


@dataclasses.dataclass
class part:
    """Dumps first ... end - 1 of some of the phase centres, by their absolute numbers."""
    first: int
    end: int
    centers: list


@dataclasses.dataclass
class plan:
    """What every process that works on a recording has to know; see make_plan()."""
    recordings: list  #: [path, bytes] of each file
    files: list  #: [path, checksum] of what else is read: gains, earth orientation, satellites
    observations: list  #: the text of one for each phase centre
    satellites: list  #: the table that each of them follows, or ""
    encoding: str  #: of the samples, by its name
    reading: dict  #: which samples are read: file_source's start_samples, samples, ...
    backend: str
    gains_path: str  #: file of the receivers' gains, or None
    remove_mean: bool
    gains: list  #: of the requantiser, [input]
    output: dict  #: outputs.output_options
    samples: int  #: of every input
    channels_per_item: int
    parts: list  #: part
    history: str
    notes: list  #: sentences that a user should be told
    fft_wisdom: str  #: how FFTW makes its transforms: another way rounds in another way
    version: str = ""  #: of gr-fringe: another one may round in another way
    fringe_plan: int = VERSION

    def observation(self, center=0):
        """That of a phase centre."""
        return fp.observation.from_text(self.observations[center], "")

    def options(self):
        """What happens to dumps on their way into files."""
        return output_options(**{**self.output, "mask": [tuple(b) for b in self.output["mask"]]})

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
        fields = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        fields["parts"] = []
        text = json.dumps(fields, indent=1)
        parts = ",\n  ".join(json.dumps(vars(one)) for one in self.parts)
        with new_file(path, overwrite, text=True) as file:
            file.write(text.replace('"parts": []', f'"parts": [\n  {parts}\n ]') + "\n")


def read_plan(path):
    """The plan of a file; ValueError where it is none. Its `identity` tells it from others."""
    text = fp.read_text_file(path, MOST_BYTES)
    try:
        fields = json.loads(text)
        if fields.get("fringe_plan") != VERSION:
            raise ValueError(f"fringe_plan: {fields.get('fringe_plan')}: must be {VERSION}")
        found = plan(**fields)
        found.parts = [part(**one) for one in found.parts]
        found.identity = hashlib.sha256(text.encode()).hexdigest()
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: is no plan that this program knows: {error}") from None
    return found


def make_plan(recordings, obs=None, *, parts=None, by_center=False, start_sample=(0,),
              samples=None, prefer=None, allow_gaps=False, gains=None, remove_mean=False,
              tracking=None, phase_centers=(), backend="cpu", history="", output=None, **settings):
    """Plans to correlate recordings in parts.

    parts: how many; None: one for each 4 GiB, and 16 at the least. There are fewer of them where
        there are not as many dumps
    by_center: the phase centres are in parts of their own
    settings, and the others: see correlate()
    """
    recordings = [absolute(one) for one in recordings]
    backend = "cpu" if backend == "auto" else backend
    if parts is not None and parts < 1:
        raise ValueError(f"--parts: {parts}: must be at least 1")
    if settings.pop("devices", None) is not None:
        raise ValueError("--devices: parts of a recording are correlated on processors only; give "
                         "the GPUs a whole recording each, without parts and without an engine")
    given = {"start_sample": list(start_sample), "samples": samples, "prefer": prefer,
             "tracking": tracking, **settings}
    obs, encoding, times = observation_for(recordings, obs, given)
    check_recordings(recordings, obs, encoding, times, samples)
    satellites = [os.path.abspath(one) if one else ""
                  for one in satellites_of(phase_centers, tracking) or [""]]
    observations = observations_towards(obs, phase_centers)
    options = output_options(**(output or {}))
    options.check(obs)
    if options.flags_spectra:
        raise ValueError(f"--flag: {options.flag}: the search in spectra compares with all that "
                         "came before, so a recording is not cut; take --flag dumps, or "
                         "fringe correlate without an engine")
    reading = {"start_samples": list(start_sample), "samples": samples or 0,
               "prefer": prefer or "", "allow_gaps": allow_gaps}
    flowgraph = correlator(recordings, observations, encoding, times, reading, backend, gains,
                           options, satellites, remove_mean=remove_mean)
    reading["samples"] = flowgraph.source.total_samples()  # also when the file grows meanwhile
    whole = flowgraph.correlator.recorded_dumps()
    read = [one for one in (gains, *satellites, obs.earth_orientation) if one]
    unlikely = notes_on(recordings, observations, reading["samples"])
    history += "\nread " + ", ".join(recordings)
    history += "".join(f"\n{note}" for note in times.notes)
    history += "".join(f"\nnote: {sentence}" for sentence in unlikely)
    notes = dict.fromkeys(sentence for one in observations
                          for sentence in (*warnings(one, encoding.complex_samples),
                                           *options.warnings(one, encoding.complex_samples)))
    sizes = [size_of(name) for name in recordings]
    if parts is None:
        parts = max(LEAST_PARTS, sum(sizes) // PART_BYTES)
    centers = list(range(len(observations)))
    return plan(
        recordings=[list(one) for one in zip(recordings, sizes)],
        files=[[os.path.abspath(path), checksum(path)] for path in read],
        observations=[one.to_text() for one in observations], satellites=satellites,
        encoding=encoding.name, reading=reading, backend=flowgraph.correlator.backend,
        gains_path=os.path.abspath(gains) if gains else None, remove_mean=bool(remove_mean),
        gains=[float(one) for one in flowgraph.gains], output=dataclasses.asdict(options),
        samples=reading["samples"],
        channels_per_item=fp.channels_per_item(len(obs.inputs), obs.channels),
        parts=_cut(*whole, parts, [[one] for one in centers] if by_center else [centers]),
        fft_wisdom=fp._fft_wisdom(), history=history, notes=[*times.notes, *unlikely, *notes],
        version=fp.__version__)


def _cut(first, end, together, parts, groups):
    """Parts of about the same number of dumps, for each group of phase centres. They begin and
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
