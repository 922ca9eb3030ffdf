# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
"""How every public function and class is called: the arguments, in their order and with names."""
import os

import numpy as np
from gnuradio import fringe
from gnuradio.fringe.calibration.solutions import solutions, term_solution

INPUTS, CHANNELS, BLOCK = 4, 64, 16
SAMPLES = CHANNELS * BLOCK
VALUES = CHANNELS * INPUTS * (INPUTS + 1) // 2
NOON = "2026-06-12T12:00:00Z"

#: What says so where there is no GPU, or no receiver: names, and a part of the sentence.
NO_DEVICE = {name: "GPU|device|CUDA|cuda" for name in (
    "corner_turn", "devices_reach_each_other", "link_rates", "raw_broadcast",
    "upload_rate")} | {"kraken_source": "no KrakenSDR answers"}


class each:
    """A value that is another for each call."""

    def __init__(self, make):
        self._make = make

    def __call__(self):
        return self._make()


class call:
    """Arguments in the order of the signature; `only` have names alone."""

    def __init__(self, only=(), **words):
        self.words, self._only = words, only

    def _made(self):
        return {key: value() if isinstance(value, each) else value
                for key, value in self.words.items()}

    def by_position(self, case):
        words = self._made()
        named = {key: words.pop(key) for key in self._only}
        return case(*words.values(), **named)

    def by_keyword(self, case):
        return case(**self._made())


def _recording(folder):
    """An observation with a little of its data: (observation, path, two files of bands that
    follow each other, correlations of all that are phased to no direction)."""
    obs = fringe.observation.from_text(repr({
        "site": {"latitude": 50.0, "longitude": 8.0, "height": 100.0},
        "antennas": [[0.0, 0.0, 0.0], [31.0, 4.0, 0.1], [7.0, 43.0, 0.2], [-22.0, 17.0, 0.0]],
        "sample_rate": 1.024e6, "center_frequency": 150e6, "start_time": NOON,
        "phase_center": "zenith", "channels": CHANNELS, "integration": 0.01, "format": "ci8",
        "sky": {"receiver_noise": 0.3, "sources": [{"az": 30.0, "el": 80.0, "flux": 1.0}]}}))
    path = os.path.join(folder, "recorded.ci8")
    fringe.simulate(obs, path, 40 * SAMPLES)
    bands = [os.path.join(folder, name) for name in ("low.uvh5", "high.uvh5")]
    for k, band in enumerate(bands):
        fringe.correlate(path, band, obs, center_frequency=150e6 + 1.024e6 * k)
    unphased = os.path.join(folder, "recorded.ACC")
    fringe.correlate(path, unphased, obs)
    return obs, path, bands, unphased


def _catalogue(folder, place="ra: 10.0, dec: 50.0"):
    path = os.path.join(folder, f"{place[:2]}.yml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"- {{name: A, {place}, flux: 1.0}}\n")
    return path


def _solutions(vis):
    """A gain of 1 of every antenna for the whole of a file."""
    ones = np.ones((1, 1, len(vis.antennas), 1))
    return solutions(vis.antennas, "X", [term_solution(
        "G", [vis.seconds[0]], [1.0], [vis.frequencies.mean()], [1e7], ones, 0 * ones, 0 * ones,
        ones)])


def _beam():
    """A round beam, and a sky of it: [row][column]."""
    place = np.arange(64) - 32
    return np.exp(-0.5 * (place[:, None] ** 2 + place ** 2) / 9).astype(np.float32)


def calls(folder):
    """{name: call}, with files in a folder."""
    obs, recorded, bands, unphased = _recording(folder)
    vis = fringe.read_visibilities(bands[0])
    frequencies = np.asarray(vis.frequencies)
    gains = np.ones((CHANNELS, INPUTS), np.complex64)
    ones = np.ones((CHANNELS, INPUTS * (INPUTS + 1) // 2), np.complex64)
    common = fringe.solve_common_signal(ones, frequencies)
    when = fringe.epoch.from_iso(NOON)
    axes = fringe.dump_axes(obs, CHANNELS)
    horn = fringe.observation.from_file(fringe.example_file("one_receiver.yml"))
    mesh = dict(columns=64, rows=64, pixel_l=1e-3, pixel_m=1e-3)
    sky = {"observation": obs, "channels": CHANNELS, "size": 64}
    sizes = {"inputs": INPUTS, "channels": CHANNELS}
    new = iter(os.path.join(folder, f"new{k}") for k in range(100))

    def path(ending):
        """Files that every call makes anew."""
        return each(lambda: next(new) + ending)

    return {name: case if isinstance(case, call) else call(**case) for name, case in {
        "all_sky_imager": {"observation": obs, "format": "ci8", "channels": CHANNELS},
        "antenna": {},
        "antenna_uvw": {"observation": obs, "axes": np.eye(3)},
        "apply_gains": {"vis": vis, "gains": gains},
        "apply_solutions": {"vis": vis, "tables": _solutions(vis)},
        "axes_of_azel": {"observation": obs, "az": 0.1, "el": 1.2},
        "axes_of_radec": {"ra": 0.1, "dec": 0.2, "time": when, "dut1": 0.0},
        "baseline_select": {**sizes, "i": 0, "j": 1},
        "beamformer": {"observation": obs, "directions": ["zenith"], "products": "power"},
        "block_spectra": sizes,
        "calibrate_by_common_signal": {"vis": fringe.read_visibilities(unphased),
                                       "observation": obs},
        "calibrate_by_sources": {"vis": vis, "observation": obs,
                                 "sources": fringe.read_catalogue(
                                     _catalogue(folder, "az: 30.0, el: 80.0"))},
        "calibrated": {"observation_": obs, "found": common},
        "calibration_source": {"name": "A", "direction": (0.0, 1.0), "flux": 1.0},
        "calibrator": {"observation": obs, "path": path(".yml"), "channels": CHANNELS},
        "channelizer": {**sizes, "block_spectra": BLOCK},
        "channels_per_item": sizes,
        "clean": {"dirty": _beam(), "psf": _beam(), "use": np.ones((64, 64), np.uint8)},
        "compute_target": {"backend": "cpu"},
        "crc32c": {"bytes": b"123456789", "before": 0},
        "convert": call(path=bands[0], output=path(".ms")),
        "corner_turn": {"inputs": [2, 2], "channels": [32, 32], "block_spectra": BLOCK,
                        "component": "f32", "devices": ["cuda:0", "cuda:1"]},
        "correlate": call(("overwrite",), recordings=recorded, outputs=path(".ms"), obs=obs,
                          overwrite=True),
        "deconvolver": sky,
        "degridder": {"observation": obs, "model": _catalogue(folder), "channels": CHANNELS},
        "delay_model": {"observation": obs, "direction": obs.phase_center},
        "delays": {"observation": obs, "direction": [0.0, 0.0, 1.0]},
        "devices_reach_each_other": {"devices": ["cuda:0", "cuda:1"]},
        "dump_axes": {"obs": obs, "channels": CHANNELS},
        "dump_binner": {"axes": axes, "phase": fringe.pulse_phase.from_period(0.1), "bins": 4},
        "dump_join": {"inputs": INPUTS, "channels": [32, 32], "channels_per_item": 32},
        "dump_publisher": {"observation": obs, "channels": CHANNELS,
                           "address": "tcp://127.0.0.1:*"},
        "dump_reader": {"address": "tcp://127.0.0.1:5560", "timeout": 1.0},
        "encoding_by_name": {"name": "ci8"},
        "enu_from_itrf": {"observation": obs, "itrf": [4e6, 5e5, 4.9e6]},
        "example_file": {"name": "two_antennas.yml"},
        "failure": {"block": fringe.unpack("ci8", INPUTS, SAMPLES)},
        "file_source": {"paths": [recorded], "format": "ci8", "inputs": INPUTS,
                        "block_samples": SAMPLES, "sample_rate": 1e6},
        "filterbank_sink": {"observation": obs, "directions": ["zenith"], "path": path(".fil")},
        "files_of_recording": {"path": recorded},
        "find_devices": {},
        "fit_beam": {"psf": _beam(), "pixel_l": 1e-3, "pixel_m": 1e-3},
        "format_by_content": {"path": recorded},
        "format_by_ending": {"path": recorded},
        "fx_correlator": {**sizes, "format": "ci8"},
        "fx_engine": {"format": "ci8", **sizes, "block_spectra": BLOCK, "taps": 4,
                      "window": "hann", "requantize": "none", "gains": [], "conjugate": [],
                      "corrections": [], "files": 1, "streams": [], "dump_seconds": 1.0},
        "gains_of": {"receivers": common, "frequencies": frequencies},
        "gpu_block_spectra": sizes,
        "gridder": mesh,
        "image_sink": {"path": path(".fits"), "values": 64 * 64},
        "imager": sky,
        "imaging_weights": {"gridder": fringe.gridder(**mesh)},
        "input": {},
        "integrator": {**sizes, "component": "f32", "seconds": 1.0},
        "itrf_from_enu": {"observation": obs, "enu": [1.0, 2.0, 3.0]},
        "itrf_from_wgs84": {"latitude": 0.9, "longitude": 0.1, "height": 100.0},
        "join": call(paths=bands, output=path(".uvh5")),
        "kraken_source": {"address": "127.0.0.1:1", "inputs": 5, "block_samples": SAMPLES,
                          "sample_rate": 1e6},
        "kurtosis_flagger": {**sizes, "block_spectra": BLOCK},
        "kurtosis_search": {"window": 0, "false_alarm": 1e-3},
        "line_spectrometer": {"observation": horn, "channels": CHANNELS},
        "link_rates": {"gpus": ["cuda:0", "cuda:1"], "bytes": 1 << 20},
        "live_calibrator": {"observation": obs, "sources": _catalogue(folder),
                            "channels": CHANNELS},
        "live_plot": {"observation": obs, "channels": CHANNELS},
        "local_sidereal_time": {"observation": obs, "time": when},
        "new_file": {"path": path(".txt"), "overwrite": False, "text": True},
        "observation": {},
        "packet_layout": {"preset": "vdif", "settings": {"sample_rate": "1e6", "bits": "8"}},
        "packet_presets": {},
        "packet_sink": {"addresses": ["127.0.0.1:5999"], **sizes, "block_spectra": BLOCK},
        "peeler": {"observation": obs, "sources": _catalogue(folder), "channels": CHANNELS},
        "phase_center": {},
        "phase_center_direction": {"observation": obs, "time": when},
        "phase_center_radec": {"observation": obs, "time": when},
        "point_source": {"l": 0.1, "m": 0.2, "flux": 1.0, "name": "A"},
        "power_trigger": {"observation": obs, "directions": ["zenith"], "products": "power"},
        "pulse_blanker": {"inputs": INPUTS, "block_samples": SAMPLES, "component": "i8"},
        "pulse_gates": {"phase": fringe.pulse_phase.from_period(0.1), "gates": [(0.0, 0.5)],
                        "dm": 0.0, "frequencies": [150e6]},
        "pulse_search": {"false_alarm": 1e-4, "guard": 4},
        "radec_of_azel": {"observation": obs, "az": 0.1, "el": 1.2, "time": when},
        "radiometer": {"observation": obs, "channels": CHANNELS},
        "raw_broadcast": {"item_bytes": 4096, "devices": ["cuda:0", "cuda:1"]},
        "raw_sky_source": {"observation": obs, "format": "ci8", "block_samples": SAMPLES},
        "read_catalogue": {"path": _catalogue(folder)},
        "read_solutions": {"path": fringe.write_solutions(
            os.path.join(folder, "night.h5"), _solutions(vis))[0]},
        "read_visibilities": {"path": bands[0]},
        "readable_visibility_formats": {},
        "recording_format_by_name": {"name": "ci8"},
        "recording_formats": {},
        "recording_info": {"path": recorded, "format": "ci8", "streams": INPUTS},
        "recording_power": {"path": recorded, "format": "ci8", "streams": INPUTS},
        "recording_times": {"paths": [recorded], "format": "ci8", "inputs": INPUTS},
        "restore": {"model": _beam(), "residual": _beam(), "beam": (2e-3, 2e-3, 0.0),
                    "pixel_l": 1e-3, "pixel_m": 1e-3},
        "rfi_flagger": {"obs": obs, "channels": CHANNELS},
        "satellite_track": {"name": "S", "times": [when.plus_seconds(10.0 * k) for k in range(12)],
                            "itrf": [[7e6, 1e4 * k, 0.0] for k in range(12)]},
        "set_threads": {"count": 0},
        "simulate": {"obs": obs, "path": path(".ci8"), "samples": 100},
        "simulate_lab": {"name": "y-factor", "folder": path("_lab"), "seed": 1,
                         "start_time": "2026-06-21T12:00:00Z", "site": (50, 8, 100),
                         "overwrite": True},
        "simulator": {"obs": obs, "complex_samples": True, "seed": 1},
        "site_velocity": {"observation": obs, "time": when},
        "sky_source": {"observation": obs, "complex_samples": True, "seed": 1},
        "solve_baselines": {"sets": [vis], "observation": obs, "sources": fringe.read_catalogue(
            _catalogue(folder, "az: 30.0, el: 80.0")), "reference": 0, "channels": None,
            "fix": ("positions",)},
        "solve_common_signal": {"visibilities": ones, "channel_frequencies": frequencies},
        "source_direction": {"observation": obs, "source": obs.sky[0], "time": when},
        "source_names": {},
        "spectra_correlator": {**sizes, "seconds": 1.0},
        "stack": {"inputs": INPUTS, "block_samples": SAMPLES, "sample_rate": 1e6},
        "start_aligner": {"inputs": 2, "sample_rate": 1e6},
        "sum_join": {"parts": 2, **sizes, "component": "f32", "channels_per_item": CHANNELS},
        "tcp_source": {"addresses": ["127.0.0.1:0"], "block_samples": SAMPLES,
                       "sample_rate": 1e6},
        "threads": {},
        "totals": {"samples": 1, "seconds": 1.0, "dumps": 1, "losses": {}, "elapsed": 1.0,
                   "files": []},
        "tracking": {"observation": obs, "fringe_stopping": True, "sign": 1, "same_instant": False},
        "udp_source": {"addresses": ["127.0.0.1:0"], "inputs": 1, "block_samples": SAMPLES,
                       "preset": "vdif", "settings": {"sample_rate": "1e6", "bits": "8"}},
        "unpack": {"format": "ci8", "inputs": INPUTS, "block_samples": SAMPLES},
        "unsolved": {},
        "upload_rate": {"bytes": 1 << 20, "backend": "cuda"},
        "van_vleck": {**sizes, "complex_samples": True, "bits": 2},
        "visibility_formats": {},
        "visibility_gridder": sky,
        "visibility_reducer": {"axes": axes},
        "visibility_sink": {"obs": obs, "path": path(".ms"), "channels": CHANNELS},
        "voltage_ring": {"inputs": INPUTS, "block_samples": SAMPLES, "sample_rate": 1e6,
                         "seconds": 0.1, "path": path(".vdif")},
        "web_page": {"observation": obs, "channels": CHANNELS, "listen": "127.0.0.1:0"},
        "window_names": {},
        "write_solutions": {"path": path(".h5"), "found": _solutions(vis)},
        "xengine": {**sizes, "block_spectra": BLOCK},
    }.items()}


def by_themselves(table):
    """{name: (what makes an object of the class, call)} of classes without a constructor."""
    made = {name: call(**table[name].words) for name in (
        "encoding_by_name", "recording_format_by_name", "recording_info", "recording_times")}
    model = fringe.delay_model(**table["delay_model"].words)
    when = table["local_sidereal_time"].words["time"]
    return {
        "delay_polynomial": (lambda start, seconds: model.polynomials(start, seconds)[1],
                             call(start=when, seconds=10.0)),
        "device_error": (lambda text: fringe.device_error(text), call(text="no memory is left")),
        "epoch": (fringe.epoch.from_iso, call(text=NOON)),
        "pulse_phase": (fringe.pulse_phase.from_period, call(period=0.1)),
        "recording_format": (fringe.recording_format_by_name, made["recording_format_by_name"]),
        "recording_info_fields": (fringe.recording_info, made["recording_info"]),
        "recording_times_found": (fringe.recording_times, made["recording_times"]),
        "sample_encoding": (fringe.encoding_by_name, made["encoding_by_name"])}
