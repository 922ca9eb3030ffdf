#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""ACC files and pairs of L-files joined along frequency, with the file that describes them."""
import os

import numpy as np

from .. import fringe_python as fp
from ..certificates.raw import column_of
from ..certificates.sums import row_sums
from ..readers.acc_file import describe_raw
from ..readers.lfile import pair_of
from ..ground.yaml_text import load_yaml
from .rows import MEMORY

#: Fields of a description before its frequencies, in order.
FIELDS = ('format', 'version', 'software', 'inputs', 'products', 'channels', 'complex_samples',
          'byte_order')


def _is_acc(path):
    return path.lower().endswith('.acc')


def _side(path):
    return (path if _is_acc(path) else pair_of(path)[0]) + '.yml'


def _description(path):
    text = fp.read_text_file(_side(path), 2**30)
    comments = [line for line in text.splitlines() if line.startswith('#')]
    return load_yaml(text[:text.rfind('\n') + 1]), comments


def width_of_raw(vis):
    """Width of a channel in Hz."""
    if vis.frequencies is not None and len(vis.frequencies) > 1:
        return float(abs(vis.frequencies[-1] - vis.frequencies[0]) / (len(vis.frequencies) - 1))
    if vis.frequencies is None:
        raise ValueError(f'{vis.path}: the file that describes it, {_side(vis.path)}, is missing')
    about, _ = _description(vis.path)
    rate = fp.observation.from_text(about['observation']).sample_rate
    return rate / (1 if about['complex_samples'] else 2)


def join_raw(copies, plan):
    """Writes the ACC file, or the pair of L-files, and the description, `copies` in this order;
    row_sums of the data."""
    sums = row_sums()
    i, j = plan.files[0].products
    count = len(i)
    kinds = [(slice(None), 'c8', count)] if _is_acc(plan.paths[0]) else [
        (0, 'c8', np.count_nonzero(i != j)), (1, 'f4', np.count_nonzero(i == j))]
    orders = [describe_raw(path, _side(path), None, None)[1] for path in plan.paths]
    for copy, (which, kind, products) in zip(copies, kinds):
        names = [path if _is_acc(path) else pair_of(path)[which] for path in plan.paths]
        with open(copy, 'wb') as file:
            if products:
                _join_data(file, names, [order + kind for order in orders], products, plan,
                           lambda *rows, column=column_of(copy): sums.add(column, *rows))
    abouts = [_description(path) for path in plan.paths]
    with open(copies[-1], 'w', encoding='utf-8') as file:
        file.write(_describe(abouts, plan))
    return sums


def _join_data(file, names, kinds, products, plan, add):
    files = [np.memmap(name, np.dtype(kind), 'r').reshape(-1, products, len(vis.frequencies))
             for name, kind, vis in zip(names, kinds, plan.files)]
    like = np.dtype(kinds[0])
    step = max(1, MEMORY // (2 * products * plan.channels * like.itemsize))
    for start in range(0, len(plan.dumps[0]), step):
        parts = [raw[dumps[start:start + step]].astype(like)
                 for raw, dumps in zip(files, plan.dumps)]
        joined = plan.spread(parts, 2, 0)
        joined.tofile(file)
        add(start, joined)


def _indented(text):
    return ''.join(f'  {line}\n' for line in text.splitlines())


def _describe(abouts, plan):
    """The description, as the writer of such files makes it."""
    first, comments = abouts[0]
    history = str(first.get('history') or '')
    for path, (about, _) in zip(plan.paths[1:], abouts[1:]):
        history = history.rstrip('\n') + '\n' + ''.join(
            f'{os.path.basename(path)}: {line}\n'
            for line in str(about.get('history') or '').splitlines())
    history = history.rstrip('\n') + '\n' + plan.history + '\n'
    values = {**first, 'channels': plan.channels,
              'complex_samples': 'true' if first.get('complex_samples') else 'false'}
    lines = [*comments, *(f'{name}: {values[name]}' for name in FIELDS if name in values)]
    text = '\n'.join(lines) + '\nhistory: |2\n' + _indented(history)
    text += f'frequencies: [{", ".join(f"{f:.17g}" for f in plan.band.frequencies)}]\n'
    text += 'observation: |2\n' + _indented(plan.observation(first['observation'])) + 'dumps:\n'
    exposures = np.max([vis.exposures[here] for vis, here in zip(plan.files, plan.dumps)], axis=0)
    for k, dump in enumerate(plan.dumps[0]):
        header = first['dumps'][int(dump)]
        start = str(header['start'])
        text += (f'- {{start: "{start}", interval: {header["interval"]:.17g}, '
                 f'exposure: {exposures[k]:.17g}}}\n')
    notes = [line for about, _ in abouts for line in str(about.get('notes') or '').splitlines()]
    return text + ('notes: |2\n' + _indented('\n'.join(notes)) if notes else '')
