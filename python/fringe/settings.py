#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""An observation made of a file, a recording and the options that override both."""
from . import fringe_python as fp


def _without_array(count):
    """An observation of antennas whose places are not known: all at one."""
    obs = fp.observation()
    inputs = []
    for k in range(count):
        obs.add_antenna(f"ant{k}", [0, 0, 0])
        one = fp.input()
        one.antenna = one.stream = k
        inputs.append(one)
    obs.inputs = inputs
    return obs


def _positive(name, value, what):
    if value is not None and not value > 0:
        raise ValueError(f"{name}: {value}: must be a positive {what}")


def check_options(options):
    """Refuses numbers that cannot be right, by the name of their option."""
    _positive("--inputs", options.get("inputs"), "number of inputs")
    _positive("--sample-rate", options.get("sample_rate"), "number of samples a second (Hz)")
    _positive("--channels", options.get("channels"), "number of channels")
    _positive("--taps", options.get("taps"), "number of taps (1 to 32)")
    _positive("--integration", options.get("integration"), "number of seconds per dump")
    _positive("--spectra", options.get("spectra"), "number of spectra per dump")
    _positive("--samples", options.get("samples"), "number of samples")
    if options.get("center_frequency") is not None and options["center_frequency"] < 0:
        raise ValueError(f"--center-frequency: {options['center_frequency']}: "
                         "must be 0 Hz or more")
    if options.get("integration") and options.get("spectra"):
        raise ValueError("--integration and --spectra: give one of the two, "
                         "a dump is as long as one says")
    for start in options.get("start_sample") or ():
        if start < 0:
            raise ValueError(f"--start-sample: {start}: samples are counted from 0")


def observation_for(paths, obs, options):
    """The observation that recordings are correlated with.

    `obs`: an observation, the path of an observation file, or None; `options`: a dict of the
    options of correlate(), None where not given, which go before it. What neither says is taken
    from the recording where it describes itself.
    """
    check_options(options)
    if isinstance(obs, str):
        obs = fp.observation.from_file(obs)
    elif obs is not None:
        obs = fp.observation.from_text(obs.to_text())
    name = options.get("format") or (obs.format if obs else "")
    if not name:
        names = " ".join(f.name for f in fp.recording_formats())
        raise ValueError(f"--format: not given, and no observation file says it; "
                         f"the formats are {names}")
    recording_format = fp.recording_format_by_name(name)
    count = options.get("inputs") or (len(obs.inputs) if obs else 0)
    if not count and not recording_format.self_describing:
        raise ValueError(f"--inputs: not given; recordings of format {name} have no header that "
                         "says how many inputs there are")
    if count and count % len(paths):
        raise ValueError(f"--inputs: {count} inputs cannot be shared evenly by "
                         f"{len(paths)} files")
    first = fp.recording_info(paths[0], name, count // len(paths))
    if obs is None:
        obs = _without_array(first.streams * len(paths))
        obs.telescope = first.telescope or obs.telescope
    if count and len(obs.inputs) != count:
        raise ValueError(f"--inputs: {count}, but the observation describes "
                         f"{len(obs.inputs)} inputs")
    if len(obs.inputs) != first.streams * len(paths):
        raise ValueError(f"{paths[0]}: holds {first.streams} streams"
                         f"{f' ({len(paths)} files)' if len(paths) > 1 else ''}, but the "
                         f"observation describes {len(obs.inputs)} inputs")
    obs.format = name
    _override(obs, options)
    obs.sample_rate = obs.sample_rate or first.sample_rate
    obs.center_frequency = obs.center_frequency or first.center_frequency
    if not obs.has_start_time and first.has_start_time:
        obs.start_time, obs.has_start_time = first.start_time, True
    if not obs.sample_rate:
        raise ValueError("--sample-rate: not given, and the recording does not say it")
    return obs


def _override(obs, options):
    for name in ("sample_rate", "center_frequency", "channels", "taps", "window", "requantize"):
        if options.get(name) is not None:
            setattr(obs, name, options[name])
    if options.get("integration"):
        obs.integration, obs.spectra = options["integration"], 0
    elif options.get("spectra"):
        obs.integration, obs.spectra = 0.0, options["spectra"]
    elif not obs.integration and not obs.spectra:
        obs.integration = 1.0
    if options.get("start_time"):
        obs.start_time, obs.has_start_time = fp.epoch.from_iso(options["start_time"]), True
