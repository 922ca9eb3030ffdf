#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""Options of CLEAN on the command line."""
from ..images import clean_settings
from ..images.cleaning import clean_level
from ..observing.settings import positive
from ..observing.stokes import planes_of
from .numbers import number, whole
from .pixels import angle


def add_clean(p):
    """Adds the options to a parser."""
    clean = p.add_argument_group("CLEAN")
    clean.add_argument("--clean", type=whole, metavar="N", help="take out up to N components")
    clean.add_argument("--threshold", metavar="T", help="down to 3sigma (default) of the "
                       "residual, or to an absolute value")
    clean.add_argument("--gain", type=number, metavar="G",
                       help="part of a peak that a component has (default 0.1)")
    clean.add_argument("--major-gain", type=number, metavar="G",
                       help="part of the highest peak that is taken out before the visibilities "
                            "are read again (default 0.8)")
    clean.add_argument("--mask", metavar="M.fits", help="components only where this image is not "
                       "0, at the places that its header says")
    clean.add_argument("--auto-mask", type=number, metavar="S", help="look for components down to "
                       "S standard deviations of the residual, for example 5, and then go down "
                       "to the threshold, for example 1sigma, within a beam of these only")
    clean.add_argument("--minor", choices=("clark", "hogbom"), help="how peaks are taken out: "
                       "clark (default, quick), or hogbom")
    clean.add_argument("--scales", metavar="LIST", help="multi-scale CLEAN: diameters of the "
                       "components, such as 0,30arcsec,1arcmin, where 0 is a point; auto: a point, "
                       "4 beams, and twice as much again, up to a quarter of the image")
    clean.add_argument("--scale-bias", type=number, metavar="B", help="0 to 1 (default 0.6); less: "
                       "large scales are taken more readily")
    clean.add_argument("--join-channels", action="store_true", help="the images of --channels-out "
                       "have components at the same places, which their mean shows")
    clean.add_argument("--join-polarizations", action="store_true", help="the images of --pol "
                       "have components at the same places, where the sum of their squares is "
                       "highest")
    clean.add_argument("--spectral-terms", type=whole, default=0, metavar="T", help="as "
                       "--join-channels, and the fluxes of a component are a polynomial of T terms "
                       "in frequency; x-term0.fits and so on have its coefficients")


#: Of clean_settings, and what the command line calls them.
EXTRA = ("gain", "major_gain", "mask", "auto_mask", "minor", "scale_bias")


def clean_of(options):
    """clean_settings of the options; None = a dirty image. Raises ValueError."""
    extra = {name: getattr(options, name) for name in EXTRA if getattr(options, name) is not None}
    if options.clean is None:
        if (extra or options.threshold is not None or options.scales or options.join_channels
                or options.spectral_terms or options.join_polarizations):
            raise ValueError("--threshold, --gain, --major-gain, --mask, --auto-mask, --minor, "
                             "--scales, --scale-bias, --join-channels, --join-polarizations and "
                             "--spectral-terms: go with --clean N")
        return None
    positive("--clean", options.clean, "number of components")
    for name in ("gain", "major_gain", "scale_bias"):
        if name in extra and not 0 < extra[name] <= 1:
            raise ValueError(f"--{name.replace('_', '-')}: {extra[name]:g}: must be more than 0 "
                             "and at most 1")
    if not 0 < extra.get("auto_mask", 1) < float("inf"):
        raise ValueError(f"--auto-mask: {options.auto_mask:g}: must be a number of standard "
                         "deviations, for example 5")
    level = clean_level(options.threshold or "3sigma")
    if level is None:
        raise ValueError(f"--threshold: {options.threshold}: must be 3sigma, or a value such as "
                         "0.05")
    return clean_settings(options.clean, **level, **extra, **_several(options))


def _several(options):
    """Of several scales and several channels."""
    terms, joined = options.spectral_terms, options.join_channels or options.spectral_terms > 0
    if terms < 0 or terms > options.channels_out:
        raise ValueError(f"--spectral-terms: {terms}: must be 1 to {options.channels_out}, the "
                         "images of --channels-out")
    if joined and options.channels_out < 2:
        raise ValueError("--join-channels, --spectral-terms: join the images of --channels-out N, "
                         "2 or more")
    scales = options.scales or ()
    if scales and scales != "auto":
        scales = tuple(0.0 if text.strip() == "0" else angle(text.strip(), "--scales")
                       for text in scales.split(","))
    if options.scale_bias is not None and not scales:
        raise ValueError("--scale-bias: goes with --scales")
    planes = options.join_polarizations
    if planes and len(planes_of(options.pol)) < 2:
        raise ValueError(f"--join-polarizations: --pol {options.pol} is one image; take IQUV, or "
                         "XX,YY")
    if options.minor == "hogbom" and (joined or scales or planes):
        raise ValueError("--minor: hogbom: several scales, channels or polarizations are searched "
                         "with clark")
    return {"scales": scales, "join_channels": joined, "terms": terms,
            "join_polarizations": planes}
