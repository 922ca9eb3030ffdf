#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""What a course in radio astronomy measures, from visibilities: one function for each equation.

Numbers of a file come from total_power(), band_mean() and coefficient(); all other functions take
plain numbers and arrays, whatever measured them. Units are SI, angles radians. docs/course.md has
an experiment for each.
"""
from .beam import beam_fit, drift_angle, fit_beam  # noqa: F401
from .disk import disk_visibility, fit_disk  # noqa: F401
from .fringes import (closure_phase, east_west_baseline, fringe_rate,  # noqa: F401
                      uv_distance)
from .means import band_mean, coefficient, total_power  # noqa: F401
from .line_spectrometer import line_spectrometer  # noqa: F401
from .noise import noise_against_time, radiometer_noise  # noqa: F401
from .radiometer import radiometer  # noqa: F401
from .spectral_line import (HYDROGEN_LINE, band_outside_line, doppler_velocity,  # noqa: F401
                            frequency_switched, line_alone, lsr_correction, lsr_velocity)
from .temperature import (decibels, kelvin_per_unit, receiver_temperature,  # noqa: F401
                          y_factor)
