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
import importlib
import importlib.util

#: Where what is written in Python is: a module, and what programs use of it (nothing: the module
#: itself). It is loaded when such a name is used first: a program, and each command of `fringe`,
#: needs a few of them only.
MODULES = {
    "beams.filterbank_sink": ("filterbank_sink",),
    "calibration.apply": ("apply_gains", "apply_solutions", "gains_of"),
    "calibration.baselines": ("solve_baselines",),
    "calibration.calibrator": ("calibrator",),
    "calibration.common_signal": ("calibrated", "solve_common_signal"),
    "calibration.quality": ("unsolved",),
    "calibration.sources": ("calibration_source", "read_catalogue"),
    "calibration.start_aligner": ("start_aligner",),
    "chains.all_sky_imager": ("all_sky_imager",),
    "chains.fx_correlator": ("fx_correlator",),
    "chains.spectra_correlator": ("spectra_correlator",),
    "describing.visibilities": ("read_visibilities",),
    "ground.example_files": ("example_file",),
    "ground.new_file": ("new_file",),
    "ground.streams": ("failure",),
    "image_blocks.deconvolver": ("deconvolver",),
    "image_blocks.degridder": ("degridder",),
    "image_blocks.image_sink": ("image_sink",),
    "image_blocks.imager": ("imager",),
    "image_blocks.peeler": ("peeler",),
    "image_blocks.visibility_gridder": ("visibility_gridder",),
    "images.imaging": (),
    "labs.simulate_lab": ("simulate_lab",),
    "observing.item_sizes": (),
    "observing.pulse_gates": ("pulse_gates",),
    "plots.live_plot": ("live_plot",),
    "publishing.dump_publisher": ("dump_publisher",),
    "publishing.dump_reader": ("dump_reader",),
    "radio_astronomy.line_spectrometer": ("line_spectrometer",),
    "radio_astronomy.radiometer": ("radiometer",),
    "pulsars.power_trigger": ("power_trigger",),
    "receiving.kraken_source": ("kraken_source",),
    "receiving.voltage_ring": ("voltage_ring",),
    "runs.correlate": ("correlate",),
    "runs.run": ("totals",),
    "simulating.simulator": ("simulate", "simulator"),
    "simulating.sky_source": ("raw_sky_source", "sky_source"),
    "solution_tables.tables": ("read_solutions", "write_solutions"),
    "solving.by_common_signal": ("calibrate_by_common_signal",),
    "solving.by_sources": ("calibrate_by_sources",),
    "solving.live_calibrator": ("live_calibrator",),
    "visibility_files.convert": ("convert",),
    "visibility_files.join": ("join",),
    "web.web_page": ("web_page",),
}
_MODULE_OF = {name: module for module, names in MODULES.items()
              for name in names or [module.rpartition(".")[2]]}

#: What programs use; all else may change without notice.
__all__ = sorted([
    *_MODULE_OF,
    "antenna", "antenna_uvw", "axes_of_azel", "axes_of_radec", "baseline_select", "beamformer",
    "block_spectra", "channelizer", "channels_per_item", "clean", "compute_target",
    "corner_turn", "crc32c", "delay_model", "delay_polynomial", "delays", "device_error",
    "device_info",
    "devices_reach_each_other", "dump_axes", "dump_binner", "dump_join", "encoding_by_name",
    "enu_from_itrf", "epoch", "file_source", "files_of_recording", "find_devices", "fit_beam",
    "format_by_content", "format_by_ending", "fx_engine", "gpu_block_spectra", "gridder",
    "imaging_weights", "input", "integrator", "itrf_from_enu", "itrf_from_wgs84",
    "kurtosis_flagger", "kurtosis_search", "link_rates", "local_sidereal_time", "observation",
    "packet_layout", "packet_presets", "packet_sink", "phase_center", "phase_center_direction",
    "phase_center_radec", "point_source", "pulse_blanker", "pulse_phase", "pulse_search",
    "radec_of_azel", "raw_broadcast", "readable_visibility_formats", "recording_format",
    "recording_format_by_name", "recording_formats", "recording_info", "recording_info_fields",
    "recording_power", "recording_times", "recording_times_found", "restore", "rfi_flagger",
    "sample_encoding", "satellite_track", "set_threads", "site_velocity", "source_direction",
    "source_names", "stack", "sum_join", "tcp_source", "threads", "tracking", "udp_source",
    "unpack", "upload_rate", "van_vleck", "visibility_formats", "visibility_reducer",
    "visibility_sink", "window_names", "xengine"
])


def __getattr__(name):
    if name in _MODULE_OF:
        module = importlib.import_module(f".{_MODULE_OF[name]}", __name__)
        found = getattr(module, name) if MODULES[_MODULE_OF[name]] else module
    elif name.isidentifier() and name[0] != "_" and importlib.util.find_spec(f"{__name__}.{name}"):
        return importlib.import_module(f".{name}", __name__)  # a room: fringe.displays
    elif name.startswith("_") and name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        # All that is written in C++ comes with GNU Radio: `fringe --help` goes without.
        library = vars(importlib.import_module(".fringe_python", __name__))
        globals().update({key: value for key, value in library.items()
                          if not key.startswith("_") or key == "__version__"})
        if name not in globals():
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return globals()[name]
    globals()[name] = found
    return found


def __dir__():
    return sorted({*globals(), *__all__})
