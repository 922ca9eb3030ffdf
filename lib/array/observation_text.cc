/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/earth_orientation.h"
#include "array/exact_degrees.h"
#include "array/geometry.h"
#include <charconv>
#include <gnuradio/fringe/observation.h>
#include <sstream>

namespace gr::fringe {

namespace {

// The shortest text that reads back as the same number. With a point before the exponent:
// YAML 1.1 (PyYAML) takes 4e+06 for a string.
std::string number(double value)
{
    std::array<char, 40> out;
    const auto end = std::to_chars(out.data(), out.data() + out.size(), value).ptr;
    std::string text(out.data(), end);
    const auto exponent = text.find('e');
    if (exponent != std::string::npos && text.find('.') == std::string::npos) {
        text.insert(exponent, ".0");
    }
    return text;
}

// Degrees that read back as the same number of radians: multiplying and dividing by
// pi / 180 may miss it by the last digit. One in ten has no such double: then there are
// more digits.
std::string degrees(double radians)
{
    const double guess = radians * 180 / M_PI;
    for (const double d :
         {guess, std::nextafter(guess, -1e9), std::nextafter(guess, 1e9)}) {
        if (d * M_PI / 180 == radians) {
            return number(d);
        }
    }
    std::array<char, 60> out;
    const long double exact = static_cast<long double>(radians) * 180 / array::exact_pi;
    const auto end = std::to_chars(out.data(),
                                   out.data() + out.size(),
                                   exact,
                                   std::chars_format::scientific,
                                   array::exact_digits)
                         .ptr;
    return std::string(out.data(), end);
}

std::string quoted(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        switch (c) {
        case '"':
        case '\\':
            out += std::string("\\") + c;
            break;
        case '\n':
            out += "\\n";
            break;
        default:
            out += c;
        }
    }
    return out + "\"";
}

std::string vector(const std::array<double, 3>& r)
{
    return "[" + number(r[0]) + ", " + number(r[1]) + ", " + number(r[2]) + "]";
}

void write_antenna(std::ostream& out, const observation& obs, const antenna& a)
{
    // The position it was given by is the one from which the other follows to the bit.
    const bool by_enu = array::itrf_from_enu(obs, a.enu) == a.itrf;
    out << "  - {name: " << quoted(a.name) << ", "
        << (by_enu ? "enu: " + vector(a.enu) : "itrf: " + vector(a.itrf));
    if (!a.mount.empty()) {
        out << ", mount: " << a.mount;
    }
    if (a.feed_angle != antenna().feed_angle) {
        const auto& [first, second] = a.feed_angle;
        out << ", feed_angle: "
            << (second == first + 90 ? number(first)
                                     : "[" + number(first) + ", " + number(second) + "]");
    }
    if (!a.receptors.empty()) {
        out << ", receptors: " << a.receptors;
    }
    out << "}\n";
}

void write_input(std::ostream& out, const observation& obs, const input& in)
{
    out << "  - {antenna: "
        << quoted(in.antenna < obs.antennas.size() ? obs.antennas[in.antenna].name : "")
        << ", polarization: " << in.polarization << ", stream: " << in.stream;
    if (in.inverted) {
        out << ", inverted: true";
    }
    if (in.cable_delay != 0) {
        out << ", cable_delay: " << number(in.cable_delay);
    }
    if (in.gain != 1) {
        out << ", gain: " << number(in.gain);
    }
    if (in.phase != 0) {
        out << ", phase: " << number(in.phase);
    }
    if (in.bad) {
        out << ", bad: true";
    }
    out << "}\n";
}

void write_phase_center(std::ostream& out, const fringe::phase_center& p)
{
    if (p.frame == phase_center::kind::zenith) {
        out << "phase_center: zenith\n";
        return;
    }
    if (p.frame == phase_center::kind::body) {
        out << "phase_center: " << p.name << "\n";
        return;
    }
    const bool celestial = p.frame == phase_center::kind::radec;
    out << "phase_center: {" << (celestial ? "ra: " : "az: ") << degrees(p.longitude)
        << (celestial ? ", dec: " : ", el: ") << degrees(p.latitude);
    if (!p.name.empty()) {
        out << ", name: " << quoted(p.name);
    }
    out << "}\n";
}

void write_sky(std::ostream& out, const observation& obs)
{
    out << "sky:\n  receiver_noise: " << number(obs.receiver_noise) << "\n";
    if (!obs.sky.empty()) {
        out << "  sources:\n";
    }
    for (const sky_source& s : obs.sky) {
        out << "    - {name: " << quoted(s.name);
        if (s.frame == sky_source::kind::lm) {
            out << ", l: " << number(s.a) << ", m: " << number(s.b);
        } else {
            out << ", az: " << degrees(s.a) << ", el: " << degrees(s.b);
        }
        out << ", flux: " << number(s.flux) << "}\n";
    }
}

// All the digits the instant has, and no more.
std::string instant(const epoch& t)
{
    std::string text = t.iso(18);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
        text.pop_back();
    }
    return text + "Z";
}

} // namespace

std::string observation::to_text() const
{
    std::ostringstream out;
    out << "telescope: " << quoted(telescope) << "\n";
    if (!observer.empty()) {
        out << "observer: " << quoted(observer) << "\n";
    }
    if (has_site) {
        out << "site: {latitude: " << number(site_latitude)
            << ", longitude: " << number(site_longitude)
            << ", height: " << number(site_height) << "}\n";
    }
    out << "antennas:\n";
    for (const antenna& a : antennas) {
        write_antenna(out, *this, a);
    }
    out << "inputs:\n";
    for (const input& in : inputs) {
        write_input(out, *this, in);
    }
    if (!format.empty()) {
        out << "format: " << quoted(format) << "\n";
    }
    if (sample_rate > 0) {
        out << "sample_rate: " << number(sample_rate) << "\n";
    }
    out << "center_frequency: " << number(center_frequency) << "\n";
    out << "sideband: " << (lower_sideband ? "lower" : "upper") << "\n";
    if (has_start_time) {
        out << "start_time: " << instant(start_time) << "\n";
    }
    write_phase_center(out, phase_center);
    if (earth_orientation) {
        out << "earth_orientation: " << quoted(earth_orientation->path()) << "\n";
    }
    if (!earth_orientation || dut1 != 0) {
        out << "dut1: " << number(dut1) << "\n";
    }
    if (tracking) {
        out << "tracking: true\n";
    }
    if (!fringe_stopping) {
        out << "fringe_stopping: false\n";
    }
    out << "channels: " << channels << "\ntaps: " << taps << "\nwindow: " << window
        << "\n";
    if (spectra > 0) {
        out << "spectra: " << spectra << "\n";
    } else {
        out << "integration: " << number(integration) << "\n";
    }
    out << "requantize: " << requantize << "\n";
    write_sky(out, *this);
    return out.str();
}

} // namespace gr::fringe
