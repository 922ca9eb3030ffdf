#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What is in a recording, a visibility file or an observation file, in words."""

import os

import numpy as np

from .. import fringe_python as fp
from ..observing.feed_words import feeds_in_words
from ..observing.observation_words import describe_observation
from ..solution_tables.tables import is_solution_table, read_solutions
from ..solving.report import solutions_in_words
from ..visibility_files.flagged import flagged_in_words
from ..readers.polarizations import in_order
from ..visibility_files.read_visibilities import read_parts
from ..readers.times_in_words import span_in_words, when_in_words
from ..observing.recognize import recognize
from ..readers.spectra_file import is_spectra_file
from ..visibility_files.visibility_kinds import kind_of, required_kind
from ..ground.words import lines, with_unit


def describe(path, format=None, inputs=None, sample_rate=None, channels=None, **chosen):
    """What is in a visibility file, an observation file (.yml), a table of solutions or a
    recording, as lines of text.

    format: name of the recording format (default: by the file's content, else its
    ending).
    inputs, sample_rate: of a recording that does not tell. inputs, channels: of raw
    visibilities without a side file. field, spw, subarray, column: of visibility files, as
    read_visibilities() has them. Throws ValueError (a wrong file or use) or RuntimeError
    (a damaged recording) with a sentence.
    """
    path = os.path.normpath(os.fspath(path))
    files = fp.files_of_recording(path)
    if len(files) > 1:
        return _describe_recording(path, format, inputs, sample_rate)
    path = files[0]
    if not os.path.exists(path) and not os.path.exists(path + '.sigmf-meta'):
        raise ValueError(f'{path}: there is no such file')
    if format is None and is_observation(path):
        return describe_observation(path)
    if format is None and is_spectra_file(path):
        return _describe_spectra(path)
    if format is None and is_solution_table(path):
        return '\n'.join([f'{path}: calibration solutions',
                          *('  ' + line for line in solutions_in_words(read_solutions(path)))])
    if format is None and kind_of(path):
        parts = read_parts(path, inputs, channels, **chosen)
        return '\n'.join(_describe_visibilities(vis, inputs, channels, len(parts) > 1)
                         for vis in parts)
    return _describe_recording(path, format, inputs, sample_rate)


def is_observation(path):
    """True for the name of an observation file."""
    return os.path.splitext(path)[1].lower() in ('.yml', '.yaml')


def describe_together(paths, format=None, inputs=None, sample_rate=None):
    """How recordings of one format lie in time, as lines of text; "" for visibility files
    and observation files.

    inputs: of each of them, where they do not tell. Throws as describe() does."""
    if format is None and any(kind_of(path) or is_observation(path) or is_spectra_file(path)
                              for path in paths):
        return ''
    format = format or recognize(paths[0])[0]
    times = fp.recording_times(paths, format, (inputs or 0) * len(paths),
                                   sample_rate=sample_rate or 0, prefer='header')
    rate = times.sample_rate
    return lines(f'{len(paths)} recordings together',
                  [('start', _start(times.recording_start) if times.has_start_time
                    else 'not recorded'),
                   ('samples', f'{times.samples} of each input'),
                   ('duration', with_unit(times.samples / rate, 's') if rate else ''),
                   *(('remark', note) for note in times.notes)])


def _start(instant):
    """An instant in UTC, to the millisecond, or with the decimals that it has."""
    text = instant.iso(9).replace("T", " ").rstrip("Z")
    return f'{text[:-6] + text[-6:].rstrip("0")} UTC'


def _missing(recording):
    if not recording.missing:
        return ''
    share = 100 * recording.missing / recording.samples
    text = f'{share:.3g} % of them' if share < 99.9 else f'all but {100 - share:.3g} % of them'
    return text + (', so that they are read only with allow_gaps=True' if share > 90 else '')


# -------------------------------------------------------------- visibility files


def _describe_visibilities(vis, inputs, channels, one_of_several):
    return describe_content(vis, required_kind(vis.path).name + ' of visibilities',
                            flagged_in_words(vis, inputs, channels), one_of_several)


def describe_content(vis, what, flagged, one_of_several=False):
    """What is in `visibilities`, as lines of text. flagged: how many, in words."""
    hands = in_order(p for _, p in vis.inputs)
    antennas = sorted({a for a, _ in vis.inputs})
    names = [vis.antennas[a] for a in antennas]
    if len(names) > 6:
        names = names[:3] + ['...'] + names[-1:]
    facts = [('part', _part(vis.selection) if one_of_several else ''),
             ('telescope', vis.telescope or 'not given'),
             ('start', when_in_words(vis)),
             ('dumps', span_in_words(vis)),
             ('inputs', f'{len(vis.inputs)}: {_count(antennas, "antenna")} '
                        f'({", ".join(names)}), {_count(hands, "polarization")} '
                        f'({" ".join(hands)})'),
             ('feeds', _feeds(vis, antennas)),
             ('products', f'{len(vis.products[0])}: {len(vis.inputs)} autocorrelations and '
                          f'{len(vis.products[0]) - len(vis.inputs)} cross-correlations'),
             ('channels', _channels(vis)),
             ('baselines', _baselines(vis, antennas)),
             ('phase center', _phase_center(vis)),
             ('known bad', ', '.join(vis.input_name(k) for k in vis.bad_inputs))]
    facts.append(('flagged', flagged))
    facts += [('remark', remark) for remark in vis.remarks]
    if vis.partial:
        facts.append(('remark', 'not finished: it holds what had been written when its maker '
                                'stopped'))
    return lines(f'{vis.path}: {what}', facts)


def _feeds(vis, antennas):
    feeds = vis.feeds
    if feeds is None or feeds.trouble:
        return ''
    angles = np.degrees(feeds.angles)
    return feeds_in_words([(feeds.mounts[a].lower(), feeds.types[a], *angles[a])
                           for a in antennas])


def _part(chosen):
    """How a part of a file is chosen."""
    numbers = {name: value for name, value in chosen.keywords().items()
               if value is not None and name != 'column'}
    return (', '.join(f'{name} {value}' for name, value in numbers.items())
            + f' ({" ".join(f"--{name}" for name in numbers)})')


def _count(things, name):
    return f'{len(things)} {name}' + ('' if len(things) == 1 else 's')


def _channels(vis):
    if vis.frequencies is None:
        return 'number as given, frequencies not known'
    f = vis.frequencies
    if len(f) == 1:
        return f'1 at {with_unit(f[0], "Hz")}'
    note = '' if f.min() >= 0 else ' (no center frequency was given)'
    bands = '; '.join(map(_even_channels, _even_parts(f)))
    return (bands if len(f) == len(_even_parts(f)[0]) else f'{len(f)}: {bands}') + note


def _even_parts(f):
    """Frequencies in parts of even steps: spectral windows."""
    steps = np.diff(f)
    cuts, k = [], 1
    while k < len(steps):
        if abs(steps[k] - steps[k - 1]) > 1e-3 * abs(steps[k - 1]):
            cuts.append(k + 1)
            k += 1
        k += 1
    return np.split(f, cuts)


def _even_channels(f):
    if len(f) == 1:
        return f'1 at {with_unit(f[0], "Hz")}'
    width = (f[-1] - f[0]) / (len(f) - 1)
    first, last = (with_unit(end, "Hz", abs(width)) for end in (f[0], f[-1]))
    return f'{len(f)} of {with_unit(width, "Hz")}, centered on {first} to {last}'


def _baselines(vis, antennas):
    if vis.positions is None:
        return 'antenna positions not known'
    places = vis.positions[antennas]
    lengths = [np.linalg.norm(places[k + 1:] - places[k], axis=1) for k in range(len(places))]
    lengths = np.concatenate(lengths)
    if len(lengths) == 0:
        return 'none, a single antenna'
    return (f'{len(lengths)}, {with_unit(lengths.min(), "m")} to '
            f'{with_unit(lengths.max(), "m")} long')


def _phase_center(vis):
    if vis.uvw is None:
        return 'none: not phased'
    name, ra, dec = vis.phase_center
    return (f'{name}, right ascension {np.degrees(ra) % 360:.4f} declination '
            f'{np.degrees(dec):+.4f} degrees (ICRS)')


# ------------------------------------------------------------------- recordings


def _packing(encoding):
    if encoding.complex_samples:
        return f'complex samples of {encoding.bits // 2} + {encoding.bits // 2} bits'
    return f'real samples of {encoding.bits} bit{"s" if encoding.bits > 1 else ""}'


def _describe_recording(path, format, inputs, sample_rate):
    if os.path.isdir(path):
        raise ValueError(f'{path}: is a folder, neither a recording nor a MeasurementSet')
    how = ''
    if format is None:
        format, how = recognize(path)
    form = fp.recording_format_by_name(format)
    if format == 'mark5b' and not inputs:
        return _describe_mark5b(path, how)
    if not form.self_describing and not inputs:
        raise ValueError(f'{path}: a {format} file does not tell how many inputs it holds; '
                         'say it with inputs=N')
    info = fp.recording_info(path, format, inputs or 0)
    packed = fp.encoding_by_name(info.encoding)
    rate = info.sample_rate or sample_rate
    facts = [('format', f'{format}, {form.summary}' + (f' ({how})' if how else '')),
             ('telescope', info.telescope),
             ('start', _start(info.start_time) if info.has_start_time else 'not recorded'),
             ('inputs', f'{info.streams}, {_packing(packed)}'),
             ('channels', f'{info.coarse_channels}, each at a frequency of its own'
              if info.coarse_channels > 1 else ''),
             ('samples', f'{info.samples} of each input'),
             ('missing', _missing(info)),
             ('sample rate', with_unit(rate, 'S/s') if rate else 'not recorded'),
             ('duration', with_unit(info.samples / rate, 's') if rate else ''),
             ('frequency', f'{with_unit(info.center_frequency, "Hz")} in the middle of the band'
              if info.center_frequency else 'not recorded'),
             ('remark', info.remarks)]
    return lines(f'{path}: recorded voltages', facts)


def _describe_mark5b(path, how):
    """What a Mark 5B recording tells whatever its channels are: its bits are those of one."""
    info = fp.recording_info(path, 'mark5b', 1)
    bits, rate = 2 * info.samples, 2 * info.sample_rate
    summary = fp.recording_format_by_name('mark5b').summary
    return lines(f'{path}: recorded voltages', [
        ('format', f'mark5b, {summary}' + (f' ({how})' if how else '')),
        ('start', 'the year is not recorded'),
        ('inputs', 'not recorded: say it with inputs=N, 1, 2, 4, 8 or 16; 2 bits each'),
        ('samples', f'{bits} bits of all inputs'),
        ('missing', _missing(info)),
        ('bit rate', with_unit(rate, 'bit/s') if rate else
         'not known: the recording is shorter than a second'),
        ('duration', with_unit(bits / rate, 's') if rate else ''),
        ('frequency', 'not recorded'),
        ('remark', info.remarks)])


def _describe_spectra(path):
    reader = fp.spectra_reader(path)
    facts, first, runs = reader.facts, reader.runs[0], len(reader.runs)
    spectra = sum(reader.blocks)
    lost = sum(int(reader.lost(k)[:, :, :count].sum()) for k, count in enumerate(reader.blocks))
    values = spectra * facts.inputs * facts.channels // facts.packet_channels
    return lines(f'{path}: recorded spectra', [
        ('start', _start(fp.epoch(first.second, first.fraction))),
        ('inputs', f'{facts.inputs}, {facts.bits} + {facts.bits} bits'),
        ('channels', f'{facts.channels} of {with_unit(facts.rate, "Hz")}'),
        ('spectra', f'{spectra} of each input'),
        ('missing', f'{100 * lost / values:.3g} % of them' if lost else ''),
        ('duration', with_unit(spectra / facts.rate, 's')),
        ('frequency', f'{with_unit(facts.frequency, "Hz")} in the middle of the band'
         if facts.frequency else 'not recorded'),
        ('remark', f'the time jumps {runs - 1} times' if runs > 1 else ''),
        ('remark', facts.time),
        ('remark', 'not finished: it holds what had been written when its maker stopped'
         if reader.unfinished else '')])
