#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""fringe align: by how much two recordings of one signal are apart."""
import os

from ..calibration.alignment import FALSE_ALARM, align
from ..readers.visibilities import SPEED_OF_LIGHT
from ..receiving.read_samples import read_samples
from ..observing.settings import positive
from ..ground.words import lines, with_unit
from .numbers import number, seconds, whole

DESCRIPTION = """\
Finds by how much two recordings are apart that contain one signal, of a noise source wired to both
receivers, or of a strong transmitter: the offset in samples, the difference of the clocks and of
the frequencies, and the phase. If there is no common signal, it says so.
"""

EXAMPLES = """\
examples:
  fringe align west.cu8 east.cu8 --sample-rate 2.4e6
  fringe align west.cu8 east.cu8 --sample-rate 2.4e6 --search 0.2 --seconds 2
  fringe align a.ci16 b.ci16 --sample-rate 1e6 --frequency-search 500    clocks of their own
  fringe align both.ci8 both.ci8 --inputs 2 --input 0 --other-input 1 --sample-rate 2e6

exit codes: 0 found, 1 could not be carried out, 2 bad input or usage, 3 there is no peak
"""
NO_PEAK = 3
#: Radians a second by which the Earth turns.
EARTH = 7.2921e-5


def add_parser(commands):
    p = commands.add_parser("align", description=DESCRIPTION, epilog=EXAMPLES)
    p.set_defaults(run=run)
    p.add_argument("first", metavar="A", help="a recording")
    p.add_argument("second", metavar="B", help="the other one")
    p.add_argument("--format", metavar="NAME", help="recording format; by default what the file "
                   "contains, else what its ending says")
    p.add_argument("--inputs", type=whole, metavar="N", help="inputs of each, where the files do "
                   "not say it (default 1)")
    p.add_argument("--input", type=whole, default=0, metavar="K", help="input of A, from 0")
    p.add_argument("--other-input", type=whole, metavar="K", help="input of B (default: the same)")
    p.add_argument("--sample-rate", type=number, metavar="HZ", help="of recordings that do not "
                   "say it")
    p.add_argument("--search", type=seconds, default=1.0, metavar="SECONDS",
                   help="largest offset to either side (default 1)")
    p.add_argument("--frequency-search", type=number, default=0.0, metavar="HZ",
                   help="largest difference of frequency (default: as little as the clocks of "
                   "coherent receivers differ)")
    p.add_argument("--seconds", type=seconds, metavar="S", help="how much to read of each "
                   "(default: three times --search, at most 16 million samples)")


def run(options):
    for name in ("search", "seconds", "sample_rate"):
        positive("--" + name.replace("_", "-"), getattr(options, name), "number")
    if options.frequency_search < 0:
        raise ValueError(f"--frequency-search: {options.frequency_search:g}: must not be negative")
    seconds = options.seconds or 3 * options.search
    found = []
    for path, wanted in ((options.first, options.input),
                         (options.second, options.input if options.other_input is None
                          else options.other_input)):
        found.append(_samples(path, wanted, seconds, options))
    (first, rate, frequency), (second, other, _) = found
    if rate != other:
        raise ValueError(f"{options.second}: has {other:g} samples a second, {options.first} "
                         f"{rate:g}; they must be the same")
    answer = align(first, second, rate, options.search, options.frequency_search)
    options.say(in_words(answer, rate, options.first, options.second, frequency))
    return 0 if answer.found else NO_PEAK


def _samples(path, wanted, seconds, options):
    limit = 2 ** 24
    samples, rate, frequency = read_samples(path, options.format, options.inputs, wanted,
                                            options.sample_rate, limit=limit)
    return samples[:max(8192, int(seconds * rate))], rate, frequency


def _of_the_sky(frequency):
    """What a source in the sky, instead of a wired one, does to frequency and clocks."""
    rate = 100 * EARTH / SPEED_OF_LIGHT
    at = (f"up to {rate * frequency:.2g} Hz at {frequency / 1e6:.6g} MHz" if frequency
          else "up to 7.3e-5 Hz for each wavelength between them")
    return (f"a source in the sky is at another frequency at each antenna, {at} for antennas 100 m "
            f"apart, and its delay changes as if clocks differed by {1e6 * rate:.1g} ppm: so much "
            "does not say that receivers do not share a clock")


def in_words(answer, rate, first, second, frequency=0.0):
    """What align() found, as lines of text; frequency: Hz, of the receivers, where it is known."""
    a, b = (os.path.basename(path) for path in (first, second))
    reach = with_unit(answer.searched / rate, "s")
    if not answer.found:
        return (f"{first} and {second}: there is no peak. The highest correlation of all offsets "
                f"within {reach} would be as high in noise alone with a chance of "
                f"{answer.false_alarm:.2g}; a peak counts below {FALSE_ALARM:g}. Do both receive "
                "the same signal, are the frequencies equal (--frequency-search), and is the "
                "offset within --search?")
    whole_samples = round(answer.offset)
    starts = (0, whole_samples) if whole_samples >= 0 else (-whole_samples, 0)
    chance = (f"{answer.false_alarm:.1g}" if answer.false_alarm > 1e-99 else "less than 1e-99")
    ambiguous = [("ambiguous", "the two do not stay coherent with one frequency and one rate over "
                               "all of the recording: the numbers may be wrong by more than their "
                               "errors (take less with --seconds)")]
    return lines(f"{first} and {second}: one signal in both", ambiguous * answer.ambiguous + [
        ("offset", f"{answer.offset:.3f} samples (error {answer.offset_error:.2g}), "
                   f"{answer.offset / rate:.9f} s: sample n of {a} belongs to sample "
                   f"n {'+' if answer.offset >= 0 else '-'} {abs(answer.offset):.3f} of {b}"),
        ("clocks", f"that of {b} is {abs(answer.rate) * 1e6:.4g} ppm "
                   f"{'faster' if answer.rate >= 0 else 'slower'} (error "
                   f"{answer.rate_error * 1e6:.2g}), {answer.rate * rate:.3g} samples a second"),
        ("frequency", f"{b} has it {answer.frequency:+.4g} Hz higher (error "
                      f"{answer.frequency_error:.2g})"),
        ("phase", f"{b} is {answer.phase:+.1f} degrees ahead (error {answer.phase_error:.2g}) at "
                  f"sample {answer.first} of {a}, with the offset taken out"),
        ("coherence", f"{answer.coherence:.3g}"),
        ("sky", _of_the_sky(frequency)),
        ("false alarm", f"chance of such a peak in noise alone, of all offsets within {reach}: "
                        f"{chance}"),
        ("next", f"fringe correlate {first} {second} --start-sample {starts[0]},{starts[1]} ...")])
