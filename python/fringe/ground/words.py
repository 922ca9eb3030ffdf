#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Numbers and facts as text."""
import math


def with_unit(value, unit, step=0.0):
    """A number with three to six digits and an SI prefix: 1.57542 GHz, 62.6 us. More digits where
    values `step` apart would look alike."""
    digits = 4 if unit == 'm' else 6
    if step > 0 and value != 0:
        digits = max(digits, math.ceil(math.log10(abs(value) / step)) + 2)
    if unit == 's' and value >= 120:
        for size, name in ((86400, 'days'), (3600, 'h'), (60, 'min')):
            if value >= 2 * size:
                return f'{value / size:.3g} {name}'
    prefixes = ((1e9, 'G'), (1e6, 'M'), (1e3, 'k'), (1, ''), (1e-3, 'm'), (1e-6, '\u00b5'),
                (1e-9, 'n'))
    if unit == 's':
        prefixes = prefixes[3:]
    if unit == 'm':
        prefixes = prefixes[2:4]
    for size, prefix in prefixes:
        if abs(value) >= size * 0.9999999:
            return f'{value / size:.{digits}g} {prefix}{unit}'
    return f'{value:.3g} {unit}'


def three_digits(value):
    """A number with three digits, or all that it has before the point: 0.0123, 12300."""
    return f'{value:.3g}' if abs(value) < 1000 else f'{value:.0f}'


def numbers_in_words(numbers, limit=20):
    """Whole numbers, those of three and more in a row by the first and the last: 0 to 4, 7, 9.
    limit: of such groups; "and N more" stands for the other numbers."""
    groups = []
    for number in sorted(numbers):
        if groups and number == groups[-1][1] + 1:
            groups[-1][1] = number
        else:
            groups.append([number, number])
    # Two in a row are written one by one.
    groups = [group for first, last in groups
              for group in ([(first, last)] if last != first + 1 else
                            [(first, first), (last, last)])]
    named = ', '.join(f'{first} to {last}' if last > first else str(first)
                      for first, last in groups[:limit])
    more = sum(last - first + 1 for first, last in groups[limit:])
    return named + (f' and {more} more' if more else '')


def lines(heading, facts):
    """A heading, and a line for each (name, value) that has a value."""
    return '\n'.join([heading] + [f'  {name:12} {value}' for name, value in facts if value])


def as_html(text):
    """Lines of text as a notebook shows them."""
    import html  # of notebooks alone
    return f'<pre>{html.escape(text)}</pre>'
