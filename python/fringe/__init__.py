#
# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""gr-fringe: antenna voltages to visibilities and images, as GNU Radio blocks.

The stages of the correlator are blocks (file_source, unpack, channelizer, xengine, integrator,
visibility_sink; fx_correlator is all between the first and the last in one box). An
`observation` describes array, inputs and receiver once. `correlate()` builds and runs the whole
flowgraph; the command `fringe` does the same from a shell.
"""
from .fringe_python import *  # noqa: F401,F403
from .fringe_python import __version__  # noqa: F401
from .images import imaging  # noqa: F401
from .observing import item_sizes  # noqa: F401
from .calibration.apply import apply_gains, gains_of  # noqa: F401
from .calibration.baselines import solve_baselines  # noqa: F401
from .calibration.calibrator import calibrator  # noqa: F401
from .calibration.common_signal import calibrated, solve_common_signal  # noqa: F401
from .calibration.gains import solve_gains, unsolved  # noqa: F401
from .calibration.solve import (calibrate_by_common_signal,  # noqa: F401
                                calibrate_by_sources)
from .calibration.sources import calibration_source, read_catalogue  # noqa: F401
from .runs.correlate import correlate  # noqa: F401
from .runs.run import totals  # noqa: F401
from .receiving.kraken_source import kraken_source  # noqa: F401
from .publishing.dump_publisher import dump_publisher  # noqa: F401
from .ground.example_files import example_file  # noqa: F401
from .chains.fx_correlator import fx_correlator  # noqa: F401
from .chains.all_sky_imager import all_sky_imager  # noqa: F401
from .image_blocks.deconvolver import deconvolver  # noqa: F401
from .image_blocks.degridder import degridder  # noqa: F401
from .image_blocks.image_sink import image_sink  # noqa: F401
from .image_blocks.imager import imager  # noqa: F401
from .image_blocks.peeler import peeler  # noqa: F401
from .image_blocks.visibility_gridder import visibility_gridder  # noqa: F401
from .plots.live_plot import live_plot  # noqa: F401
from .radio_astronomy.line_spectrometer import line_spectrometer  # noqa: F401
from .radio_astronomy.radiometer import radiometer  # noqa: F401
from .visibility_files.join import join  # noqa: F401
from .ground.new_file import new_file  # noqa: F401
from .publishing.dump_reader import dump_reader  # noqa: F401
from .describing.visibilities import read_visibilities  # noqa: F401
from .labs.simulate_lab import simulate_lab  # noqa: F401
from .simulating.simulator import simulator, simulate  # noqa: F401
from .simulating.sky_source import raw_sky_source, sky_source  # noqa: F401
from .chains.spectra_correlator import spectra_correlator  # noqa: F401
from .calibration.start_aligner import start_aligner  # noqa: F401
from .ground.streams import failure  # noqa: F401
from .web.web_page import web_page  # noqa: F401

#: What programs use; all else may change without notice.
__all__ = [
    "all_sky_imager", "antenna", "antenna_uvw", "apply_gains", "axes_of_azel", "axes_of_radec",
    "baseline_select", "beamformer", "block_spectra", "calibrate_by_common_signal",
    "calibrate_by_sources",
    "calibrated", "calibration_source", "calibrator", "channelizer", "channels_per_item", "clean",
    "compute_target", "corner_turn", "correlate", "deconvolver", "degridder", "delay_model",
    "delay_polynomial", "delays", "device_error", "device_info", "devices_reach_each_other",
    "dump_axes", "dump_binner", "dump_join", "dump_publisher", "dump_reader", "encoding_by_name",
    "enu_from_itrf", "epoch", "example_file", "failure", "file_source", "files_of_recording",
    "find_devices", "fit_beam", "format_by_content", "format_by_ending", "fx_correlator",
    "fx_engine", "gains_of", "gpu_block_spectra", "gridder", "image_sink", "imager", "imaging",
    "imaging_weights", "input", "integrator", "item_sizes", "itrf_from_enu", "itrf_from_wgs84",
    "join", "kraken_source", "kurtosis_flagger", "kurtosis_search", "line_spectrometer",
    "link_rates", "live_plot", "local_sidereal_time", "new_file", "observation", "packet_layout",
    "packet_presets", "packet_sink", "peeler", "phase_center", "phase_center_direction",
    "phase_center_radec", "point_source", "pulse_phase", "radec_of_azel", "radiometer",
    "raw_broadcast", "raw_sky_source", "read_catalogue", "read_visibilities",
    "readable_visibility_formats", "recording_format", "recording_format_by_name",
    "recording_formats", "recording_info", "recording_info_fields", "recording_power",
    "recording_times", "recording_times_found", "restore", "rfi_flagger", "sample_encoding",
    "satellite_track", "set_threads", "simulate", "simulate_lab", "simulator", "site_velocity",
    "sky_source", "solve_baselines", "solve_common_signal", "solve_gains", "source_direction",
    "source_names", "spectra_correlator", "stack", "start_aligner", "sum_join", "tcp_source",
    "threads", "totals", "tracking", "udp_source", "unpack", "unsolved", "upload_rate", "van_vleck",
    "visibility_formats", "visibility_gridder", "visibility_reducer", "visibility_sink", "web_page",
    "window_names", "xengine"
]
