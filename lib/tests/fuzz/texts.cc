/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/earth_orientation.h"
#include "array/satellite.h"
#include "fuzzed_readers.h"
#include "io/packets/packet_presets.h"
#include <gnuradio/fringe/observation.h>
#include <gnuradio/fringe/pulse_phase.h>
#include <memory>

using namespace gr::fringe;

namespace fuzzed {

namespace {

const char* const small_array = R"(telescope: My array
site: {latitude: -37.5, longitude: 77.5, height: 100}
antennas:
  - {name: A, enu: [0, 0, 0], mount: fixed, feed_angle: [90, 0]}
  - {name: B, enu: [12.5, -3, 0.2]}
  - [40, 8, 0]
polarizations: [X, Y]
receptors: linear
format: ci8
sample_rate: 20e6
center_frequency: 150e6
sideband: lower
start_time: 2026-06-12T11:20:40Z
phase_center: {ra: 12h30m49.4s, dec: +12d23m28s, name: M87}
channels: 256
taps: 4
window: hann
integration: 0.5
requantize: 8
dut1: 0.1
)";

const char* const second_array = R"(antennas:
  - {name: A, itrf: [5109943, 2006850, -3238921]}
  - {name: B, itrf: [5109950, 2006900, -3238880]}
inputs:
  - {antenna: A, polarization: R, stream: 1, cable_delay: 3e-9, phase: 20, gain: 1.5}
  - {antenna: B, polarization: R, stream: 0, inverted: true, bad: true}
sample_rate: 1e6
phase_center: {az: 30, el: 60}
spectra: 100
sky:
  receiver_noise: 0.5
  sources:
    - {az: 10, el: 30, flux: 10}
    - {l: 0.1, m: 0.2, flux: 3}
)";

// What is read can be written, and read again.
void take_observation(const std::string& text)
{
    const std::string again = observation::from_text(text, "x.yml").to_text();
    try {
        observation::from_text(again, "again.yml");
    } catch (const std::exception& e) {
        throw fault("what to_text() writes is refused: " + std::string(e.what()));
    }
}

const char* const samples_layout = R"(header_bytes: 16
samples: 1024
code: ci8
tick_rate: 2.048e6
epoch: 2026-06-12T11:20:40.5
fields:
  magic:        {offset: 0, bytes: 2}
  antenna:      {offset: 2, bytes: 1}
  polarization: {offset: 3, bytes: 1, shift: 4}
  number:       {offset: 4, bytes: 4, endian: little}
must_be: {magic: 0xBEEF}
source:
  - {field: antenna, first: 1, step: 2}
  - {field: polarization, below: 2}
time:
  - {field: number, step: 1024, wraps: true}
)";

const char* const spectra_layout = R"(spead: true
packet_channels: 384
samples: 2
stations: 3
polarizations: 2
axes: [channel, time, station, polarization]
code: ci4
tick_rate: 500e6
points: 16384
channel_zero: 0
epoch: 2026-06-12T11:20:40
fields:
  spectrum: {item: 0x1600, shift: 29}
  channel:  {item: 0x4103, bits: 13}
  antenna:  {item: 0x4101, bits: 16}
only: {antenna: first}
source:
  - {field: antenna, unit: 3}
channel:
  - {field: channel}
time:
  - {field: spectrum, step: 16384}
)";

void take_layout(const std::string& text)
{
    io::packet_settings settings("x.yml", {});
    const io::packet_layout layout = io::packet_layout_from_yaml(text, "x.yml", settings);
    layout.check();
    if (layout.packet_bytes() > 65507)
        throw fault("a packet that no datagram holds");
}

const char* const polyco_text =
    R"(0329+54    7-Mar-26   120000.00   61106.500000000000            26.764100 -0.512 -6.301
   1234567890.123456    1.399541538720    1   60    4 1420.000
  1.23456789012345678D-05 -3.45678901234567890D-02  2.50000000000000000D-07
 -1.10000000000000000D-09
0329+54    7-Mar-26   130000.00   61106.541666666667            26.764100 -0.512 -6.301
   1234572928.471234    1.399541538720    1   60    4 1420.000
 -2.23456789012345678D-05 -3.45600000000000000e-02  2.60000000000000000D-07
 -1.20000000000000000D-09
)";

// Day after day of UT1 - UTC and of the pole.
std::string orientation_text()
{
    std::string text = "# MJD  UT1-UTC  xp  yp\n";
    for (int day = 61100; day < 61108; ++day)
        text += std::to_string(day) + " 0.12" + std::to_string(day % 10) + " 0.1 0.3\n";
    return text;
}

std::string satellite_text()
{
    std::string text = "# UTC x y z\n";
    for (int minute = 10; minute < 22; ++minute)
        text += "2026-06-12T23:" + std::to_string(minute) + ":00 26560000 " +
                std::to_string(1000 * minute) + " 15000000.5\n";
    return text;
}

bytes bytes_of(const std::string& text) { return bytes(text.begin(), text.end()); }

// A reader of a text that lies in a file.
void add_table(std::vector<reader>& to,
               const std::string& name,
               const std::string& seed,
               void (*read)(const std::string& path))
{
    const auto file = std::make_shared<input_file>("x.txt");
    to.push_back({name,
                  [seed] { return std::vector<bytes>{bytes_of(seed)}; },
                  [file, read](const bytes& b) {
                      file->write(b);
                      return reads(file->path(), [&] { read(file->path()); });
                  }});
}

void add_text(std::vector<reader>& to,
              const std::string& name,
              const std::vector<std::string>& seeds,
              void (*read)(const std::string& text))
{
    to.push_back({name,
                  [seeds] {
                      std::vector<bytes> all;
                      for (const std::string& seed : seeds)
                          all.push_back(bytes_of(seed));
                      return all;
                  },
                  [read](const bytes& b) {
                      return reads("x.yml",
                                   [&] { read(std::string(b.begin(), b.end())); });
                  }});
}

} // namespace

void add_texts(std::vector<reader>& to)
{
    add_text(to, "observation", {small_array, second_array}, take_observation);
    add_text(to, "packet_layout", {samples_layout, spectra_layout}, take_layout);
    add_table(to, "polyco", polyco_text, [](const std::string& path) {
        pulse_phase::from_polyco(path).at(epoch::from_iso("2026-03-07T12:10:00"));
    });
    add_table(to, "earth_orientation", orientation_text(), [](const std::string& path) {
        array::earth_orientation::from_file(path).at(
            epoch::from_iso("2026-03-04T12:10:00"));
    });
    add_table(to, "satellite", satellite_text(), [](const std::string& path) {
        array::satellite_track::from_file(path).at(
            epoch::from_iso("2026-06-12T23:15:30"));
    });
}

} // namespace fuzzed
