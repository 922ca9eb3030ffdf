#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""An observation file in words: what it means, and what is unusual in it."""
import math
import os
import time

import numpy as np

from .. import fringe_python as fp
from .feed_words import feeds_in_words
from .phase_centers import moves_over_the_array, warnings
from .plausible import below_the_horizon, nowhere
from .positions import position_in_words
from ..ground.words import lines, with_unit

SPEED_OF_LIGHT = 299792458.0
EARTH = 7.292115e-5  # rad/s, by which the earth turns among the stars
DEGREE = math.radians(1)
FEW_SPECTRA = 8  # a dump of fewer is of little use
LARGE_PRIME = 13  # a Fourier transform whose length has a larger factor is slow


def describe_observation(path):
    """An observation file in words. Throws ValueError where it is wrong, with the line."""
    return describe_parts(os.fspath(path), fp.observation.from_file(os.fspath(path)))


def describe_parts(name, obs):
    """The same for an observation that has been read already."""
    obs.check()
    facts = [("telescope", obs.telescope), ("inputs", _inputs(obs)), ("site", _site(obs)),
             ("feeds", _feeds(obs)),
             *_baselines(obs), *_band(obs), *_dumps(obs),
             ("start", f"{obs.start_time.iso(3).replace('T', ' ').rstrip('Z')} UTC"
              if obs.has_start_time else
              "not given: the recording or start_time=UTC must say it"),
             ("phase center", _center(obs))]
    if obs.has_start_time:
        facts += position_in_words(obs, obs.start_time)
    facts += [*_fringes(obs), ("corrections", _corrections(obs)),
              ("known bad", ", ".join(input_name(obs, entry) for entry in obs.inputs if entry.bad)),
              ("sky", _count(len(obs.sky), "simulated source") if obs.sky else "")]
    facts += [("unusual", note) for note in unusual(obs)]
    return lines(f"{name}: observation", facts)


def input_name(obs, entry):
    """Of one of obs.inputs: its antenna, and the polarization where there are two."""
    hand = entry.polarization if obs.dual_polarization() else ""
    return obs.antennas[entry.antenna].name + hand


def _inputs(obs):
    hands = sorted({entry.polarization for entry in obs.inputs}, key="XYRL".index)
    used = sorted({entry.antenna for entry in obs.inputs})
    names = [obs.antennas[k].name for k in used]
    if len(names) > 6:
        names = names[:3] + ["..."] + names[-1:]
    return (f"{len(obs.inputs)}: {_count(len(used), 'antenna')} ({', '.join(names)}), "
            f"{_count(len(hands), 'polarization')} ({' '.join(hands)})")


def _feeds(obs):
    hands = {entry.antenna: "RL" if entry.polarization in "RL" else "XY" for entry in obs.inputs}
    return feeds_in_words([(antenna.mount, hands[k], *antenna.feed_angle)
                           for k, antenna in enumerate(obs.antennas) if k in hands])


def _count(number, thing):
    return f"{number} {thing}" + ("" if number == 1 else "s")


def _site(obs):
    if not obs.has_site:
        return "not given: latitude 0, longitude 0 are taken"
    return (f"latitude {obs.site_latitude:+.4f}, longitude {obs.site_longitude:+.4f} degrees, "
            f"{obs.site_height:.0f} m high")


def complex_samples(obs):
    """True unless the recording's format says that the samples are real."""
    try:
        name = obs.format.partition(":")[0]
        return not name or fp.encoding_by_name(name).complex_samples
    except ValueError:  # a format whose files say it themselves
        return True


def lengths(obs):
    """Length in meters of each baseline between the antennas that have inputs, ascending."""
    used = sorted({entry.antenna for entry in obs.inputs})
    places = np.array([obs.antennas[k].itrf for k in used])
    first, second = np.triu_indices(len(used), 1)
    return np.sort(np.linalg.norm(places[first] - places[second], axis=1))


def _wavelength(obs):
    return SPEED_OF_LIGHT / obs.center_frequency if obs.center_frequency > 0 else math.nan


def _baselines(obs):
    found = lengths(obs)
    if not len(found):
        return [("baselines", "none, a single antenna")]
    text = (f"{len(found)}, {with_unit(found[0], 'm')} to {with_unit(found[-1], 'm')} long"
            if len(found) > 1 else f"1, {with_unit(found[0], 'm')} long")
    if not (found[-1] > 0 and obs.center_frequency > 0):
        return [("baselines", text)]
    waves = found[-1] / _wavelength(obs)
    return [("baselines", text),
            ("resolution", f"{_angle(1 / waves)}: the longest baseline is {waves:.4g} wavelengths "
                           f"of {with_unit(_wavelength(obs), 'm')}")]


def _angle(radians):
    degrees = math.degrees(radians)
    for size, name in ((1, "degrees"), (1 / 60, "arcmin"), (1 / 3600, "arcsec")):
        if degrees >= size:
            return f"{degrees / size:.3g} {name}"
    return f"{degrees * 3.6e6:.3g} mas"


def _width(obs):
    return obs.sample_rate / (1 if complex_samples(obs) else 2) / obs.channels


def _band(obs):
    if not obs.sample_rate:
        return [("band", "sample_rate is not given: the recording must say it")]
    band = _width(obs) * obs.channels
    low, high = (obs.center_frequency + side * band / 2 for side in (-1, 1))
    kind = "complex" if complex_samples(obs) else "real"
    text = (f"{with_unit(low, 'Hz')} to {with_unit(high, 'Hz')}, "
            f"{with_unit(obs.sample_rate, 'S/s')} of {kind} samples")
    if obs.lower_sideband:
        text += ", recorded as the mirror image (sideband: lower)"
    filter_ = (f"{obs.taps} taps, {obs.window} window" if obs.taps > 1
               else f"1 tap: plain Fourier transforms, {obs.window} window")
    return [("band", text),
            ("channels", f"{obs.channels} of {with_unit(_width(obs), 'Hz')} ({filter_})")]


def _seconds(obs):
    """Length of a dump, None where it is not known."""
    if obs.integration:
        return obs.integration
    return obs.spectra / _width(obs) if obs.sample_rate else None


def _dumps(obs):
    seconds = _seconds(obs)
    if not seconds or not obs.sample_rate:
        return [("dumps", f"{obs.spectra} spectra each" if obs.spectra else "")]
    products = len(obs.inputs) * (len(obs.inputs) + 1) // 2
    rate = 13 * products * obs.channels / seconds  # visibility, weight and flag
    noise = 1 / math.sqrt(_width(obs) * seconds)
    return [("dumps", f"{with_unit(seconds, 's')} each, {_width(obs) * seconds:.6g} spectra; the "
                      f"files grow by {with_unit(float(f'{rate * 3600:.3g}'), 'B')} an hour"),
            ("noise", f"{noise:.2g} of the system's own, in one channel of one dump; "
                      f"{noise / math.sqrt(obs.channels):.2g} in the mean over the band")]


def _center(obs):
    kind, center = fp.phase_center.kind, obs.phase_center
    name = f"{center.name}: " if center.name else ""
    if center.frame == kind.zenith:
        text = "the zenith, fixed to the ground"
    elif center.frame == kind.body:
        text = f"{center.name}, which moves among the stars"
    elif center.frame == kind.azel:
        text = (f"{name}azimuth {math.degrees(center.longitude):.3f}, elevation "
                f"{math.degrees(center.latitude):.3f} degrees, fixed to the ground")
    else:
        text = (f"{name}right ascension {math.degrees(center.longitude):.4f}, declination "
                f"{math.degrees(center.latitude):+.4f} degrees (ICRS)")
    how = "tracked" if obs.tracking else "not tracked in the F-engine"
    if obs.tracking and not obs.fringe_stopping:
        how = "delays tracked, fringes not stopped"
    return f"{text}; {how}"


def _moves(obs):
    return moves_over_the_array(obs)


def _fringes(obs):
    """Fringe rate, and what a channel and a dump lose beside the phase center."""
    found = lengths(obs)
    if not len(found) or not found[-1] > 0 or not obs.center_frequency:
        return []
    waves = found[-1] / _wavelength(obs)
    facts = []
    if _moves(obs):
        largest = float(f"{waves * EARTH:.3g}")
        text = f"at most {with_unit(largest, 'Hz')} on the longest baseline"
        if obs.has_start_time:
            model = fp.delay_model(obs, obs.phase_center)
            rates = model.geometric(obs.start_time)[1]
            used = sorted({entry.antenna for entry in obs.inputs})
            now = float(f"{np.ptp(np.take(rates, used)) * obs.center_frequency:.3g}")
            text = f"up to {with_unit(now, 'Hz')} at the start ({text})"
        facts.append(("fringe rate", text))
    seconds = _seconds(obs)
    if obs.sample_rate and seconds:
        channel = _loss(_width(obs) * found[-1] * DEGREE / SPEED_OF_LIGHT)
        dump = _loss(waves * EARTH * DEGREE * seconds)
        facts.append(("smearing", "a source 1 degree from the phase center loses at most "
                                  f"{_percent(channel)} in a channel and {_percent(dump)} in a "
                                  "dump, on the longest baseline"))
    return facts


def _loss(turns):
    """What a mean over a number of turns of phase loses, 0 to 1."""
    return 1.0 if turns >= 1 else 1 - float(np.sinc(turns))


def _percent(part):
    return "0.01 %" if part < 1e-4 else f"{100 * part:.2g} %"


def _corrections(obs):
    what = [text for text, given in (
        ("cable delays", any(entry.cable_delay for entry in obs.inputs)),
        ("phases", any(entry.phase for entry in obs.inputs)),
        ("gains", any(entry.gain != 1 for entry in obs.inputs)),
        ("inverted spectra", any(entry.inverted for entry in obs.inputs))) if given]
    return ", ".join(what) + " of the inputs" if what else "none: no cable delays, phases or gains"


def unusual(obs, now=None):
    """Sentences on what is allowed and hardly meant; often none."""
    notes = list(nowhere(obs))
    if obs.has_start_time:
        notes += below_the_horizon(obs, _seconds(obs) or 1.0)
        notes += _dates(obs, time.time() if now is None else now)
    if obs.has_start_time or not _moves(obs):
        notes += warnings(obs, complex_samples(obs))
    notes += _receiver(obs) + _places(obs)
    return list(dict.fromkeys(notes))


def _dates(obs, now):
    if obs.start_time.seconds > now + 60 and not obs.sky:
        return [f"start_time {obs.start_time.iso(0)} lies in the future: is it UTC?"]
    if obs.start_time.seconds < 946684800:
        return [f"start_time {obs.start_time.iso(0)} is before the year 2000"]
    return []


def _receiver(obs):
    notes, seconds = [], _seconds(obs)
    if not obs.center_frequency:
        notes.append("center_frequency is not given: frequencies of the files count from 0, and "
                     "delays turn no phase")
    elif obs.sample_rate and obs.center_frequency < _width(obs) * obs.channels / 2:
        notes.append("the band reaches below 0 Hz: is center_frequency in Hz?")
    if seconds and obs.sample_rate and _width(obs) * seconds < FEW_SPECTRA:
        notes.append(f"a dump has {_width(obs) * seconds:.3g} spectra only: fewer channels, or a "
                     "longer integration")
    if obs.taps == 1 and obs.window != "rectangular":
        notes.append(f"one tap with a {obs.window} window uses only part of the samples: taps: 4 "
                     "keeps all")
    factor = _largest_prime(obs.channels)
    if factor > LARGE_PRIME:
        notes.append(f"channels: {obs.channels} has the prime factor {factor}: a power of two, or "
                     "a number with small factors, is faster")
    return notes


def _places(obs):
    notes, found = [], lengths(obs)
    used = sorted({entry.antenna for entry in obs.inputs})
    if len(used) > 1 and found[0] < 0.01:
        notes.append("two antennas are at the same place: are the positions filled in?")
    if len(found) and found[-1] > 1e6:
        notes.append(f"the longest baseline is {found[-1] / 1e3:.0f} km: are the positions in "
                     "meters?")
    heights = [obs.antennas[k].enu[2] for k in used]
    if len(found) and np.ptp(heights) > 0.3 * max(found[-1], 30):
        notes.append(f"the antennas differ by {np.ptp(heights):.0f} m in height: is `up` relative "
                     "to the site?")
    return notes


def _largest_prime(number):
    factor, largest = 2, 1
    while factor * factor <= number:
        while number % factor == 0:
            number, largest = number // factor, factor
        factor += 1
    return max(largest, number)
