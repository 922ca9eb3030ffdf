#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Which color a value of an image has: linear, or so that faint parts show beside bright ones."""

import numpy as np

from ..ground.words import three_digits

#: What --stretch takes.
STRETCHES = ('auto', 'linear', 'sqrt', 'asinh')
#: What auto chooses where asinh is not needed: linear, or a power for the whole sky.
PLAIN = 'plain'
#: With auto, an image whose peak is so many times its noise is drawn with asinh.
HIGH = 100
#: Colors of asinh are linear up to so many times the noise, or this part of the peak.
BEND, MIN_BEND = 2, 3e-5
#: With auto, colors of the whole sky follow the values to this power.
POWER = 0.6
#: An image whose lowest pixel is more than this part of its highest has no colors for 0.
OFFSET = 0.3
#: Width of a letter at the ticks in points, and letters between two ticks.
LETTER, BETWEEN = 6.4, 1.5


def chosen_stretch(values, stretch='auto'):
    """'asinh' or 'plain' for 'auto', by the peak over the noise (of the median deviation)."""
    if stretch not in (*STRETCHES, PLAIN):
        raise ValueError(f'stretch: {stretch}: must be one of {", ".join(STRETCHES)}')
    if stretch != 'auto':
        return stretch
    finite, noise = _with_noise(values)
    return 'asinh' if finite.max() > max(HIGH * noise, 0) else PLAIN


class color_scale:
    """The colors of an image: `norm` for matplotlib, `extend` and `words` for its color bar.

    top: where colors end; None: chosen, and never below half the highest pixel.
    """

    def __init__(self, values, stretch='auto', top=None, whole_sky=False):
        from matplotlib.colors import FuncNorm, Normalize
        self.stretch = chosen_stretch(values, stretch)
        finite, noise = _with_noise(values)
        low, high = finite.min(), top or finite.max()
        self.words = ''
        if self.stretch == 'asinh':
            high = max(high, 1e-30)
            bend = max(BEND * noise, MIN_BEND * high)
            start = min(0, max(low, -2 * bend))
            self.norm = FuncNorm((lambda x: np.arcsinh(np.asarray(x) / bend),
                                  lambda y: bend * np.sinh(y)), start, high)
            self.words = ('colors follow asinh, which is linear up to about '
                          f'{three_digits(float(f"{bend:.2g}"))}')
        elif self.stretch == 'sqrt' or (self.stretch == PLAIN and whole_sky):
            power = 0.5 if self.stretch == 'sqrt' else POWER
            self.norm = FuncNorm((lambda x: np.sign(x) * np.abs(x)**power,
                                  lambda y: np.sign(y) * np.abs(y)**(1 / power)),
                                 0, max(high, 1e-30))
            self.words = ('colors follow its square root' if power == 0.5
                          else f'colors follow its power of {power}')
        else:
            if top is None:
                high = max(np.percentile(finite, 99.9), high / 2)
            # Colors begin at 0 or below, unless all of the image is far from that.
            start = low if low > OFFSET * high else min(0, max(low, 2 * np.percentile(finite, 1)))
            self.norm = Normalize(start, high if high > start else start + 1e-30)
        below, above = low < self.norm.vmin, finite.max() > self.norm.vmax
        self.extend = {(0, 0): 'neither', (1, 0): 'min', (0, 1): 'max', (1, 1): 'both'}[
            bool(below), bool(above)]

    def bar(self, figure, drawn, axes, unit):
        """The color bar, with the values of the image at its ticks."""
        bar = figure.colorbar(drawn, cax=axes, orientation='horizontal', extend=self.extend)
        if self.words:
            drawn.axes.apply_aspect()
            ticks = self.ticks(drawn.axes.bbox.width / figure.dpi * 72)
            bar.set_ticks(ticks, labels=[f'{tick:g}' for tick in ticks])
            bar.minorticks_off()
        bar.set_label('; '.join(filter(None, (unit, self.words))), labelpad=2)
        return bar

    def ticks(self, width):
        """Round values for a bar of a width in points: 0 and powers of ten first."""
        low, high = self.norm.vmin, self.norm.vmax
        last = int(np.floor(np.log10(max(high, -low))))
        round_values = [0.0] + [sign * digit * 10.0**k for digit in (1, 5, 2, 3)
                                for k in range(last, last - 7, -1) for sign in (1, -1)]
        ticks = []
        for value in round_values:
            if low <= value <= high:
                at = self.norm([value] + ticks)
                letters = np.array([len(f'{tick:g}') for tick in [value] + ticks])
                apart = LETTER * ((letters[1:] + letters[0]) / 2 + BETWEEN) / width
                if (np.abs(at[1:] - at[0]) >= apart).all():
                    ticks.append(value)
        return sorted(ticks)


def _with_noise(values):
    """The pixels that are numbers, and their noise: the median deviation from the median."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        finite = np.zeros(1)
    return finite, 1.4826 * np.median(np.abs(finite - np.median(finite)))
