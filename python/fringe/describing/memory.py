#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""The memory that a correlator would take on the GPUs of this machine, in words."""
import os

from .. import fringe_python as fp
from ..chains.memory_plan import amount, blocks_in_words, plan_of
from ..chains.stage_chains import way_on_several
from ..chains.stage_maker import stage_maker
from ..observing.levels import corrections_of
from ..observing.settings import observation_for
from ..observing.sizes import block_sizes
from ..runs.settings import run_settings
from .info import is_observation


def _observed(path, given):
    """The observation of a file, and how its samples are packed. Where only the header of a
    recording says so, an observation file means 8 bits here."""
    if is_observation(path):
        obs = fp.observation.from_file(path)
        try:
            return obs, fp.encoding_by_name(obs.format).name
        except ValueError:
            return obs, "ci8"
    obs, encoding, _ = observation_for(run_settings(recordings=[path], **given))
    return obs, encoding.name


def _maker(obs, format, gpus=1):
    sizes = block_sizes(format, len(obs.inputs), obs.channels, backend="cuda", gpus=gpus)
    return stage_maker(
        sizes=sizes, taps=obs.taps, window=obs.window, requantize=obs.requantize, gains=[],
        files=1, streams=[], conjugate=[], tracking=None, remove_mean=False,
        corrections=list(corrections_of(obs, sizes.encoding.complex_samples)),
        seconds=obs.integration, spectra=obs.spectra)


def _fits(plan, gpus, found):
    """A sentence on each GPU: whether it has the memory."""
    for gpu, device in zip(gpus, found):
        try:
            free = fp._free_memory(fp.compute_target(gpu).index)
            plan.check({gpu: free})
            yield f"{gpu}, {device.name}: {amount(free)} are free, so it fits"
        except RuntimeError as error:
            yield f"{device.name} cannot: {error}"


def describe_memory(path, **given):
    """Lines on the memory that `fringe correlate` of a recording or of an observation file takes:
    on one GPU, and on all of this machine where there are several.

      given: format, inputs, sample_rate, channels, as `fringe info` takes them; None = not given
    """
    obs, name = _observed(path, {key: value for key, value in given.items()
                                 if value is not None})
    make = _maker(obs, name)
    sizes = make.sizes
    found, why = fp.find_devices()
    found = [device for device in found if not device.refused]
    gpus = [f"cuda:{number}" for number in range(len(found))]
    lines = [f"{os.fspath(path)}: {sizes.inputs} inputs, {sizes.channels} channels, "
             f"samples as {name}",
             f"on one GPU, {blocks_in_words(sizes, obs.sample_rate)}"]
    plan = plan_of(make, gpus[:1] or ["cuda:0"])
    lines += [*plan.in_words(), *_fits(plan, gpus[:1], found)]
    if not found:
        lines.append(f"there is no GPU that works here{': ' if why else ''}{why}")
    if len(gpus) > 1:
        make = _maker(obs, name, len(gpus))
        way, reason = way_on_several(make, gpus, "auto")
        plan = plan_of(make, gpus, way)
        lines += [f"on {len(gpus)} GPUs, that share the work by {way} ({reason}), "
                  f"{blocks_in_words(make.sizes, obs.sample_rate)}",
                  *plan.in_words(), *_fits(plan, gpus, found)]
    return "\n".join(lines)
