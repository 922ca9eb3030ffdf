#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Images of visibility files, read in parts that fit into memory."""

import os
from dataclasses import replace

import numpy as np

from .. import fringe_python as fp
from ..ground.options import with_options
from ..visibility_files.read_visibilities import describe_files
from ..readers.selection import selection
from ..observing.stokes import planes_of
from .angles import unit_of
from .cleaning import clean_image, clean_settings
from .extent import hidden_pixels, size_of
from .frame import frame_of
from .gridders import centered_psf
from .outliers import outlier_images
from .passes import passes
from .sky_image import image_settings, nothing_seen, sky_image
from .turned_planes import remarks_of_frame

#: Pixels a side of a point spread function that only the beam is taken from.
NEAR = 128
#: Pixels that the noise in words is taken from.
SOME_PIXELS = 2**20
#: Part by which the moments of the baselines may change until the beam is fitted anew.
SAME_BEAM = 1e-3
#: Widths of a channel that are a gap.
GAP = 1.5
#: Width at half maximum over the standard deviation of a Gaussian.
FWHM = 2.3548


def make_image(paths, settings=None, progress=None, **chosen):
    """The `sky_image` of visibility files with `image_settings`.

    progress: is called with the part of the work that is done. Throws ValueError with a
    sentence where there can be no image. field, spw, subarray, column: as read_visibilities() has
    them.
    """
    files = describe_files(paths, **chosen)
    settings = settings or image_settings()
    if len(files) == 1:
        return image_maker(settings).make(files, progress)
    from .mosaic import fields_of, mosaic  # few images are of several
    fields = fields_of(files)
    if len(fields) > 1 and settings.primary_beam is not None:
        check_channels(files, settings)
        if settings.outliers:
            raise ValueError('outlier: the files have several phase centers, and become a mosaic; '
                             'outlier fields go with an image of one')
        return mosaic(fields, settings, lambda s, *of: image_maker(s).make(*of), progress)
    made = image_maker(settings).make(files, progress)
    if len(fields) > 1:
        made.remarks.append(f'{len(fields)} phase centers are gridded together, so a source has '
                            'the mean flux that the fields see; with a primary beam (beam) they '
                            'become a mosaic')
    return made


with_options(make_image, selection)


class image_maker:
    """Makes images, one after the other, of one array. What they have in common is made once:
    gridders, the products of a polarization, and the beam while the baselines stay the same."""

    def __init__(self, settings=None):
        self.settings = settings or image_settings()
        self._known = {}  #: of passes: gridders and makers of planes
        self._beam = None  #: (moments of the baselines, beam, whether it was fitted)
        self._mask = None

    def make(self, files, progress=None, frame=None):
        """The `sky_image` of some `visibilities`, with data or of files that are read in parts.

        frame: an `image_frame` instead of that of the first. Throws ValueError with a sentence
        where there can be no image, nothing_seen where all visibilities are flagged.
        """
        s = self.settings
        for vis in files:
            check_files(vis, files[0])
        first, elsewhere = files[0], check_channels(files, s)
        names = planes_of(s.pol)
        if s.pol_frame not in ('sky', 'feed'):
            raise ValueError(f'pol_frame: {s.pol_frame}: must be sky or feed')
        frame = frame or frame_of(first, s.all_sky)
        channels = channels_of(first, s.band)
        if not 1 <= s.channels_out <= len(channels):
            raise ValueError(f'channels_out: {s.channels_out}: must be 1 to {len(channels)}, the '
                             'number of channels')
        groups = groups_of(first.frequencies, channels, s.channels_out)
        if s.primary_beam is not None:
            from .primary_beam import check_beam, correct
            check_beam(s.primary_beam, names, frame, files, groups)
        columns, rows, pixel, remarks = size_of(s, frame, files)
        work = passes(files, frame, names, groups, s, columns, rows, pixel, progress, self._known)
        hidden = hidden_pixels(frame, columns, rows, pixel)
        near = min(NEAR, columns), min(NEAR, rows)
        response = ((columns, rows) if s.psf or s.clean else near if self._beam is None else None)
        values, total, moments, used, psf = work.dirty(response)
        if not total.any():
            raise nothing_seen(f'{first.path}: no image: every visibility between two antennas '
                               'is flagged or has no weight')
        beam, fitted = ((s.restoring, True) if s.restoring else
                        self._beam_of(psf, lambda: work.psf(*near), moments, total, pixel))
        remarks += elsewhere
        remarks += [f'{name}: every visibility is flagged or has no weight; its image is 0'
                    for name, weights in zip(names, total) if not weights.any()]
        begin, middle, duration = times_of(files)
        widths = np.array([widths_of(first.frequencies)[g].sum() for g in groups])
        made = sky_image(
            values, frame, pixel, names, np.array([first.frequencies[g].mean() for g in groups]),
            float(widths.mean()), total,
            used, beam, fitted, first.telescope, begin, middle,
            duration, all(v.has_times for v in files),
            remarks + sorted({r for v in files for r in
                              v.remarks + remarks_of_frame(v, names, s.pol_frame)}),
            psf if s.psf or s.clean else None)
        made.unit, made.frequency_frame = first.unit, first.frequency_frame
        made.widths = widths
        made.outliers = outlier_images(made, work.outliers)
        fields = [made, *made.outliers]
        hidden = [hidden] + [hidden_pixels(field.frame, *field.values.shape[:1:-1], pixel)
                             for field in made.outliers]
        if s.clean:
            clean_image(fields, work, s.clean, hidden, self._allowed(frame, columns, rows, pixel))
        for field, below in zip(fields, hidden):
            for image in (field.values, field.residual):
                if image is not None and below.any():
                    image[:, :, below] = np.nan
        if s.primary_beam is not None:
            correct(made, s.primary_beam, s.beam_limit, files, groups)
            if made.outliers:
                made.remarks.append('outlier fields are not divided by the primary beam')
        return made

    def keep_pixels(self, made):
        """Makes all images from now on of the same pixels as this one."""
        self.settings = replace(self.settings, scale=made.pixel, size=made.values.shape[:1:-1],
                                all_sky=made.frame.all_sky)

    def _allowed(self, *grid):
        if self.settings.clean.mask is None:
            return None
        key = grid[0].center, *grid[1:]
        if self._mask is None or self._mask[0] != key:
            from .mask import read_mask  # few images have one
            self._mask = key, read_mask(self.settings.clean.mask, *grid)
        return self._mask[1]

    def _beam_of(self, psf, make_psf, moments, total, pixel):
        """(beam, whether it was fitted)."""
        key = np.append(moments, pixel)
        near = SAME_BEAM * np.append(np.full(4, np.trace(moments)), pixel)
        if self._beam is None or (np.abs(key - self._beam[0]) > near).any():
            psf = make_psf() if psf is None else psf
            plane = np.argmax(total.any(axis=1))  # the first that has visibilities
            mean = np.average(psf[plane], axis=0, weights=total[plane])
            fitted = fp.fit_beam(centered_psf(mean), pixel, pixel)
            self._beam = key, fitted or gaussian_beam(moments), fitted is not None
        return self._beam[1:]


def check_files(vis, first):
    if vis.frequencies is None or vis.frequencies.min() < 0:
        raise ValueError(f'{vis.path}: no image: the file does not say at which frequencies it '
                         'was made')
    if vis.uvw is None and vis.positions is None:
        raise ValueError(f'{vis.path}: no image: the file does not say where the antennas stand')
    if (vis.uvw is None) != (first.uvw is None):
        raise ValueError(f'{vis.path}: has {"no" if vis.uvw is None else "a"} phase center and '
                         f'{first.path} the opposite; make an image of each')
    if len(vis.frequencies) != len(first.frequencies):
        raise ValueError(f'{vis.path}: has {len(vis.frequencies)} channels and {first.path} '
                         f'{len(first.frequencies)}; make an image of each')


def check_channels(files, settings):
    """Raises ValueError where files have other channels than the first, and images are of parts of
    them. Returns remarks where that is not so, since the image has the frequency of the first."""
    first, remarks = files[0], []
    for vis in files[1:]:
        f, its = first.frequencies, vis.frequencies
        if f is None or its is None:
            continue  # which is refused elsewhere
        if len(f) != len(its):
            where = f'{vis.path}: has {len(its)} channels, and {first.path} {len(f)}'
        else:
            off = np.abs(its - f) > widths_of(f) / 2
            if not off.any():
                continue
            k = int(np.argmax(off))
            where = (f'{vis.path}: has channel {k} at {its[k]:.10g} Hz, and {first.path} at '
                     f'{f[k]:.10g} Hz')
        if settings.band is not None or settings.channels_out > 1:
            raise ValueError(f'{where}; images of parts of the band (band, channels_out) need '
                             'the same channels in all; make an image of each')
        remarks.append(f'{where}; the frequency of the image is that of the latter')
    return remarks[:1]


def channels_of(vis, band):
    """Numbers of the channels in a band, in the order of the file; where that neither rises nor
    falls, as that of windows may, by frequency."""
    channels, steps = np.arange(len(vis.frequencies)), np.diff(vis.frequencies)
    if (steps > 0).any() and (steps < 0).any():
        channels = np.argsort(vis.frequencies, kind='stable')
    if band is None:
        return channels
    f = vis.frequencies[channels]
    channels = channels[(f >= band[0]) & (f <= band[1])]
    if not len(channels):
        raise ValueError(f'band: {band[0]:g},{band[1]:g}: {vis.path} has channels from '
                         f'{vis.frequencies.min():.10g} to {vis.frequencies.max():.10g} Hz')
    return channels


def groups_of(frequencies, channels, count):
    """Channels of each of `count` images: parts of one length, or the parts between gaps, which
    windows leave, where there are as many of these."""
    steps, widths = np.abs(np.diff(frequencies[channels])), widths_of(frequencies)[channels]
    ends = np.flatnonzero(steps > GAP * np.maximum(widths[1:], widths[:-1])) + 1
    return np.split(channels, ends) if len(ends) + 1 == count else np.array_split(channels, count)


def widths_of(frequencies):
    """Of each channel, Hz: the step to the nearer of its neighbors. Channels of two windows at
    one frequency have one width."""
    there, place = np.unique(frequencies, return_inverse=True)
    if len(there) < 2:
        return np.ones(len(frequencies))
    steps = np.diff(there)
    return np.minimum(np.append(steps, np.inf), np.append(np.inf, steps))[place]


def times_of(files):
    """Begin, middle as (seconds, fraction), and the seconds between begin and end."""
    first = min(files, key=lambda v: v.seconds[0] + v.fractions[0])
    zero = int(first.seconds[0])
    begin = first.fractions[0] - first.intervals[0] / 2
    end = max((v.seconds[-1] - zero) + v.fractions[-1] + v.intervals[-1] / 2 for v in files)

    def instant(t):
        whole = int(np.floor(t))
        return zero + whole, float(t - whole)
    return instant(begin), instant((begin + end) / 2), float(end - begin)


def gaussian_beam(moments):
    """Widths at half maximum and position angle (north to east) in radians, of the Gaussian
    that bends as the response to a point does at its top."""
    values, vectors = np.linalg.eigh(4 * np.pi**2 * moments)
    values = np.maximum(values, 1e-12 * max(values.max(), 1e-30))
    major, minor = FWHM / np.sqrt(values)
    east, north = vectors[:, 0]
    return float(major), float(minor), float(np.arctan2(east, north) % np.pi)


def describe(made, paths):
    """Sentences about an image for people."""
    rows, columns = made.values.shape[2:]
    best = np.nanmax(made.values[0])
    # Of a large image a part of the pixels tells the median.
    some = made.values[0].ravel()[::max(1, made.values[0].size // SOME_PIXELS)]
    rms = 1.4826 * np.nanmedian(np.abs(some - np.nanmedian(some)))
    pixel, _, pixels = unit_of(made.pixel)
    beam, _, beams = unit_of(made.beam[1])
    return (f'{columns} x {rows} pixels of {made.pixel * pixels:.4g} {pixel}, '
            f'{made.visibilities} visibilities of {len(paths)} '
            f'file{"s" if len(paths) > 1 else ""}, beam {made.beam[0] * beams:.3g} x '
            f'{made.beam[1] * beams:.3g} {beam} at {np.degrees(made.beam[2]):.0f} degrees'
            f'{"" if made.beam_fitted else " (from the baselines: it has no Gaussian fit)"}, '
            f'peak {best:.4g}, rms {rms:.3g}')


def without_folder(paths):
    return [os.path.basename(os.path.normpath(p)) for p in paths]


__all__ = ['image_settings', 'sky_image', 'clean_settings', 'make_image', 'describe', 'replace']
