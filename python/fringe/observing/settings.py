#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""An observation made of a file, a recording and the options that override both."""
import numbers
import os
import re

from .. import fringe_python as fp
from . import item_sizes
from .inputs_in_turn import refuse_one_receiver
from .recognize import format_for

MAX_SAMPLES = 10 ** 15  # a number of samples, say; more would be a slip of the keyboard
RATES = (1e-3, 1e12)  # Hz: times stay within what a counter of seconds holds


def without_array(count):
    """An observation of antennas whose places are not known: all are at one place."""
    obs = fp.observation()
    inputs = []
    for k in range(count):
        obs.add_antenna(f"ant{k}", [0, 0, 0])
        entry = fp.input()
        entry.antenna = entry.stream = k
        inputs.append(entry)
    obs.inputs = inputs
    return obs


def positive(name, value, what, limit=MAX_SAMPLES):
    """Refuses a number that is not positive, not finite or larger than `limit`."""
    if value is None:
        return
    if not isinstance(value, numbers.Real):
        raise ValueError(f"{name}: {value!r}: must be a positive {what}")
    if not 0 < value <= limit:
        raise ValueError(f"{name}: {value:g}: must be a positive {what}"
                         + (f", at most {limit:g}" if value > 0 else ""))


def given_observation(obs):
    """The observation of a file, a copy of one that is no path, or None where there is none."""
    if isinstance(obs, str):
        return fp.observation.from_file(obs)
    return None if obs is None else fp.observation(obs)


def observation_for(settings):
    """The observation that recordings are correlated with, their samples' encoding, and which
    samples of several files belong together (fringe.recording_times).

    settings: see runs.settings; its options, None where not given, override its observation. What
    neither says is taken from the recording where it describes itself.
    """
    paths, obs = settings.recordings, given_observation(settings.obs)
    name = format_for(paths, settings.format, obs.format if obs else "")
    if settings.coarse_channel is not None:
        name = f"{name.split(':')[0]}:{settings.coarse_channel}"
    recording_format = fp.recording_format_by_name(name)
    count = settings.inputs or (len(obs.inputs) if obs else 0)
    if not count and not recording_format.self_describing:
        raise ValueError(f"inputs: not given; recordings of format {name} have no header that "
                         "says how many inputs there are")
    if count and count % len(paths):
        raise ValueError(f"inputs: {count} inputs cannot be shared evenly by "
                         f"{len(paths)} files. Files of one receiver, one after the other, are "
                         f"given as one: {'+'.join(paths)}")
    first = fp.recording_info(paths[0], name, count // len(paths))
    if first.coarse_channels > 1:
        raise ValueError(f"{paths[0]}: holds {first.coarse_channels} coarse channels of "
                         f"{first.streams // first.coarse_channels} polarizations, each at a "
                         "frequency of its own; choose one with coarse_channel=K, 0 to "
                         f"{first.coarse_channels - 1}")
    if obs is None:
        obs = without_array(first.streams * len(paths))
        obs.telescope = first.telescope or obs.telescope
    if count and len(obs.inputs) != count:
        raise ValueError(f"inputs: {count}, but the observation describes "
                         f"{len(obs.inputs)} inputs")
    if len(obs.inputs) != first.streams * len(paths):
        raise ValueError(f"{paths[0]}: holds {first.streams} streams"
                         f"{f' ({len(paths)} files)' if len(paths) > 1 else ''}, but the "
                         f"observation describes {len(obs.inputs)} inputs")
    obs.format = name
    refuse_one_receiver(settings, obs)
    override(obs, settings)
    obs.sample_rate = obs.sample_rate or first.sample_rate
    if settings.center_frequency is None:
        _check_frequency(paths[0], obs, first)
    obs.center_frequency = obs.center_frequency or first.center_frequency
    obs.lower_sideband = obs.lower_sideband or first.inverted
    encoding = fp.encoding_by_name(first.encoding)
    check_rate(obs)
    times = _times_of(paths, obs, count, settings)
    obs.sample_rate = times.sample_rate
    check_receiver(obs, encoding)
    if times.has_start_time:
        obs.start_time, obs.has_start_time = times.recording_start, True
    return obs, encoding, times


def _times_of(paths, obs, count, settings):
    starts = list(settings.start_sample or [0])
    if len(starts) not in (1, len(paths)):
        raise ValueError(f"start_sample: {len(starts)} numbers for {len(paths)} "
                         f"file{'s' if len(paths) > 1 else ''}: give one for all, or one for "
                         "each")
    return fp.recording_times(paths, obs.format, count, starts, obs.sample_rate,
                              obs.start_time.iso(18) if obs.has_start_time else "",
                              settings.prefer or "")


def _check_frequency(path, obs, first):
    """Refuses one frequency, of the whole band say, for a coarse channel that has another."""
    if (":" in obs.format and obs.center_frequency and first.center_frequency
            and abs(obs.center_frequency - first.center_frequency) > 1):
        raise ValueError(f"{path}: coarse channel {obs.format.split(':')[1]} lies at "
                         f"{first.center_frequency:.12g} Hz, the observation says "
                         f"center_frequency {obs.center_frequency:.12g}; center_frequency=HZ "
                         "overrides both")


def check_rate(obs):
    """Refuses a sample rate that cannot be."""
    if not obs.sample_rate:
        raise ValueError("sample_rate: not given, and the recording does not say it")
    if not RATES[0] <= obs.sample_rate <= RATES[1]:
        raise ValueError(f"sample_rate: {obs.sample_rate:g}: must be {RATES[0]:g} to "
                         f"{RATES[1]:g} samples a second (Hz)")


def check_receiver(obs, encoding):
    """Refuses an observation whose frequency or dump length cannot be."""
    if not 0 <= obs.center_frequency <= 1e15:
        raise ValueError(f"center_frequency: {obs.center_frequency:g}: must be 0 to 1e15 Hz")
    obs.check()
    points = item_sizes.points(encoding.name, obs.channels)
    if obs.integration and obs.integration < points / obs.sample_rate:
        raise ValueError(f"integration: {obs.integration:g} s is shorter than one spectrum; "
                         f"{obs.channels} channels at {obs.sample_rate:g} Hz take "
                         f"{points / obs.sample_rate:g} s")


def check_recordings(paths, obs, encoding, times, samples):
    """Refuses recordings that do not hold what is to be read, and at least one spectrum of it."""
    needed = obs.taps * item_sizes.points(encoding.name, obs.channels)
    holds = (f"{paths[0] if len(paths) == 1 else f'the {len(paths)} recordings'} "
             f"hold{'s' if len(paths) == 1 else ''} {times.samples} samples from the first "
             "that is to be read on")
    if samples and samples > times.samples:
        raise ValueError(f"samples: {samples}: {holds}")
    if min(samples or times.samples, times.samples) < needed:
        if samples:
            holds = f"samples={samples} limits them"
        raise ValueError(f"channels: {obs.channels} channels with {obs.taps} taps need at "
                         f"least {needed} samples; {holds}")


def check_outputs(outputs, read, new_file_every=0):
    """Refuses an output given twice, and one in place of a file that is read: one of `read`, or
    that fringe.reading remembers."""
    seen = {}
    for source in read:
        fp.note_read(source)
    for path in outputs:
        # Either name of a pair of L-files means both.
        name = re.sub(r"\.LACSPC$", ".LCCSPC", os.path.realpath(path), flags=re.I)
        if name in seen:
            raise ValueError(f"outputs: {path} and {seen[name]} are the same file; "
                             "give each its own name")
        seen[name] = path
        for written in _written(path):
            source = fp.read_in_place_of(written)
            if source:
                raise ValueError(f"outputs: {path} would replace {source}, which is read; "
                                 "choose another name")
        for source in fp.files_read():
            if new_file_every and _could_be_dated(source, path):
                raise ValueError(f"new_file_every: {source}, which is read, has a name that the "
                                 f"files of {path} get; choose another name")


def _written(path):
    for name in (path.rstrip("/"), fp.partial_path(path)):
        yield name
        stem, ending = os.path.splitext(name)
        if ending.lower() == ".acc":
            yield name + ".yml"
        elif ending.lower() in (".lccspc", ".lacspc"):
            yield from (stem + ".LCCSPC", stem + ".LACSPC", stem + ".LCCSPC.yml")


def _could_be_dated(name, path):
    """True for a name such as a new file of `path` gets, x_20260612_220000.ms."""
    if os.path.realpath(os.path.dirname(name)) != os.path.realpath(os.path.dirname(path)):
        return False
    stem, ending = os.path.splitext(os.path.basename(path.rstrip("/")))
    endings = r"\.L[AC]CSPC" if ending.lower() in (".lccspc", ".lacspc") else re.escape(ending)
    return bool(re.fullmatch(rf"{re.escape(stem)}_\d{{8}}_\d{{6}}(\.partial)?{endings}(\.yml)?",
                             os.path.basename(name), re.I))


def override(obs, settings):
    """Puts the options that are given into an observation."""
    for name in ("sample_rate", "center_frequency", "channels", "taps", "window", "requantize",
                 "tracking"):
        if getattr(settings, name) is not None:
            setattr(obs, name, getattr(settings, name))
    if settings.integration:
        obs.integration, obs.spectra = settings.integration, 0
    elif settings.spectra:
        obs.integration, obs.spectra = 0.0, settings.spectra
    elif not obs.integration and not obs.spectra:
        obs.integration = 1.0
    if settings.start_time:
        try:
            start = fp.epoch.from_iso(settings.start_time)
        except ValueError as error:
            raise ValueError(f"start_time: {error}") from None
        obs.start_time, obs.has_start_time = start, True
