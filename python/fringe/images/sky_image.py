#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What an image is to be like, and what it is."""

from dataclasses import dataclass, field

import numpy as np

from .cleaning import clean_settings
from .frame import image_frame
from .middle import cosines_of


class nothing_seen(ValueError):
    """Every visibility is flagged."""


@dataclass
class image_settings:
    """What an image is to be like."""
    size: tuple = None         #: (columns, rows); None = chosen
    scale: float = None        #: direction cosine a pixel; None = chosen
    weight: str = 'natural'    #: natural, uniform or briggs
    robust: float = 0.0        #: of briggs
    pol: str = 'I'
    pol_frame: str = 'sky'     #: Q and U to the north of the sky; feed = of the feeds as they stand
    band: tuple = None         #: (lowest, highest) frequency in Hz that counts; None = all
    channels_out: int = 1
    epsilon: float = 1e-4
    gridder: str = 'auto'
    backend: str = 'auto'      #: of separable, wprojection, CLEAN: auto, cuda, cpu, generic
    devices: tuple = ()        #: GPUs that share the visibilities instead: 'cuda:0', 'cuda:1'
    support: int = 0           #: of W-projection's kernels, cells; 0 = chosen
    w_planes: int = 0          #: of W-projection; 0 = chosen
    conjugate: bool = False
    all_sky: bool = None       #: None = where the phase center is the zenith
    memory: int = 2**29        #: bytes of visibilities that are read at a time
    psf: bool = False          #: whether the point spread function is kept
    clean: clean_settings = None  #: None = a dirty image
    restoring: tuple = None    #: the beam of restored images; None = fitted
    primary_beam: object = None   #: of beam_of(), by which the values are divided; None = not
    beam_limit: float = 0.1    #: where it is less there are no values
    outliers: tuple = ()       #: of outlier_field

    @property
    def first_backend(self):
        """Where what one GPU does is done."""
        return self.devices[0] if self.devices else self.backend


@dataclass
class sky_image:
    """Images [plane][channel group][m][l], and what they are of."""
    values: np.ndarray
    frame: image_frame
    pixel: float               #: direction cosine
    planes: list               #: names: I, XX ...
    frequencies: np.ndarray    #: Hz, mean of each group of channels
    bandwidth: float           #: Hz, of a group; the mean, where they differ
    total_weight: np.ndarray   #: [plane][channel group]
    visibilities: int          #: that had weight
    beam: tuple                #: radians: widths at half maximum, position angle
    beam_fitted: bool          #: to the point spread function; else from the baselines' lengths
    telescope: str
    begin: tuple               #: (seconds, fraction) of the start
    middle: tuple
    duration: float            #: s
    has_times: bool
    remarks: list = field(default_factory=list)
    psf: np.ndarray = None     #: as values, where asked for
    model: np.ndarray = None   #: of CLEAN: components, per pixel
    residual: np.ndarray = None
    reports: list = field(default_factory=list)  #: what CLEAN says, [plane][channel group]
    kind: str = 'dirty image'  #: what pictures call it
    primary_beam: np.ndarray = None  #: power, as values; None = values are not corrected for it
    apparent: np.ndarray = None  #: values before they were divided by it
    unit: str = 'count'        #: of the visibilities
    frequency_frame: str = 'TOPO'  #: as `visibilities` have it
    widths: np.ndarray = None  #: Hz, of each group, where they differ
    outliers: list = field(default_factory=list)  #: a sky_image of each outlier field

    def axis(self, columns=True):
        """Direction cosines of the columns or rows."""
        l, m = cosines_of(*self.values.shape[:1:-1], self.pixel)
        return l if columns else m

    def mean(self):
        """[m][l]: the mean over the groups of channels, by weight, of the first plane."""
        return self._over_groups(self.values)

    def masked(self):
        """[m][l]: whether the mean has no value because of the primary beam; None without one."""
        if self.primary_beam is None:
            return None
        return ~np.isfinite(self.mean()) & np.isfinite(self._over_groups(self.primary_beam))

    def _over_groups(self, values):
        weights = self.total_weight[0]
        return np.average(values[0], axis=0, weights=weights if weights.any() else None)

    def plot(self, **words):
        """The picture that `fringe image` makes, as a figure of matplotlib.

        sources: (name, l, m) to be marked. unit: of the values, by default that of the
        visibilities a beam. title: a line above it. top: where the colors end. stretch: auto,
        linear, sqrt or asinh.
        """
        from .picture import image_figure
        return image_figure(self, **{'unit': f'{self.unit}/beam', **words})

    def _repr_png_(self):
        return self.plot()._repr_png_()
