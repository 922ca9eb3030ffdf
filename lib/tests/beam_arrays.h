/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_BEAM_ARRAYS_H
#define INCLUDED_FRINGE_TESTS_BEAM_ARRAYS_H

#include "stages/beam_directions.h"
#include <boost/test/unit_test.hpp>
#include <cmath>

// An array whose beams are tested, and their weights written out.
namespace beam_arrays {

using namespace gr::fringe;

inline constexpr double c_light = 299792458.0;
inline const epoch noon = epoch::from_iso("2026-06-12T12:00:00");

//! Antennas on a hill, in two polarizations where `both`.
inline observation hill(bool both = false)
{
    observation obs;
    obs.set_site(50, 8, 300);
    const std::array<double, 3> places[] = {
        {0, 0, 0}, {31, 4, 1}, {-12, 77, -2}, {140, -60, 3}, {-95, -33, 0}};
    for (const auto& place : places) {
        obs.add_antenna("", place);
        for (const char p : std::string(both ? "XY" : "X")) {
            input in;
            in.antenna = obs.antennas.size() - 1;
            in.polarization = p;
            in.stream = obs.inputs.size();
            obs.inputs.push_back(in);
        }
    }
    obs.sample_rate = 1e6;
    obs.center_frequency = 150e6;
    obs.channels = 16;
    return obs;
}

inline beam_spectra spectra_of(const observation& obs)
{
    beam_spectra s;
    s.channels = obs.channels;
    s.reference = beam_directions(obs).reference();
    return s;
}

//! A direction by azimuth and elevation, its weights written out: [channel][input].
inline std::vector<std::complex<double>>
plain_weights(const observation& obs, double az, double el)
{
    std::vector<std::complex<double>> w;
    const double a = az * M_PI / 180, e = el * M_PI / 180;
    for (const double f : obs.channel_frequencies(obs.channels, true)) {
        for (const input& in : obs.inputs) {
            const auto& r = obs.antennas[in.antenna].enu;
            const double way = r[0] * std::sin(a) * std::cos(e) +
                               r[1] * std::cos(a) * std::cos(e) + r[2] * std::sin(e);
            w.push_back(std::polar(1.0, 2 * M_PI * f * (-way / c_light)));
        }
    }
    return w;
}

template <class A, class B>
double farthest(const A& a, const B& b)
{
    double worst = a.size() == b.size() ? 0 : 1e9;
    for (std::size_t n = 0; n < a.size() && n < b.size(); ++n) {
        worst = std::max(
            worst, std::abs(std::complex<double>(a[n]) - std::complex<double>(b[n])));
    }
    return worst;
}

} // namespace beam_arrays

#endif /* INCLUDED_FRINGE_TESTS_BEAM_ARRAYS_H */
