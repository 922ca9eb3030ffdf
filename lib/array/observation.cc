/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/earth_orientation.h"
#include "array/geometry.h"
#include <cmath>
#include <filesystem>
#include <gnuradio/fringe/observation.h>
#include <set>

namespace gr::fringe {

observation observation::example(std::size_t antennas, double spacing)
{
    observation obs;
    for (std::size_t i = 0; i < antennas; ++i) {
        obs.add_antenna("", {spacing * static_cast<double>(i), 0, 0});
        input in;
        in.antenna = in.stream = i;
        obs.inputs.push_back(in);
    }
    obs.sample_rate = 1e6;
    obs.center_frequency = 150e6;
    obs.integration = 1;
    sky_source source; // something to see when it is simulated
    source.name = "one";
    source.a = 0.1;
    source.b = 0.05;
    obs.sky.push_back(source);
    return obs;
}

void observation::add_antenna(const std::string& name, const std::array<double, 3>& enu)
{
    antenna a;
    a.name = name.empty() ? "ant" + std::to_string(antennas.size()) : name;
    a.enu = enu;
    a.itrf = array::itrf_from_enu(*this, enu);
    antennas.push_back(a);
}

void observation::set_site(double latitude, double longitude, double height)
{
    array::itrf_from_wgs84(latitude, longitude, height); // throws for no place on earth
    site_latitude = latitude;
    site_longitude = longitude;
    site_height = height;
    has_site = true;
    for (antenna& a : antennas) {
        a.itrf = array::itrf_from_enu(*this, a.enu);
    }
}

void observation::set_earth_orientation(const std::string& path)
{
    // Absolute, so that the observation may be written down in another folder.
    earth_orientation = std::make_shared<const array::earth_orientation>(
        array::earth_orientation::from_file(std::filesystem::absolute(path).string()));
}

bool observation::dual_polarization() const
{
    std::set<std::size_t> seen;
    for (const input& in : inputs) {
        if (!seen.insert(in.antenna).second) {
            return true;
        }
    }
    return false;
}

std::vector<double> observation::channel_frequencies(std::size_t n,
                                                     bool complex_samples) const
{
    // Complex: zero frequency stands at channel floor(n/2). Real: the recorded band
    // starts a quarter of the sample rate below its middle.
    const double width = sample_rate / static_cast<double>(complex_samples ? n : 2 * n);
    const double middle =
        complex_samples ? static_cast<double>(n / 2) : static_cast<double>(n) / 2;
    std::vector<double> f(n);
    for (std::size_t k = 0; k < n; ++k) {
        f[k] = center_frequency + (static_cast<double>(k) - middle) * width;
    }
    return f;
}

std::vector<std::complex<float>> observation::corrections(std::size_t n,
                                                          bool complex_samples) const
{
    bool any = false;
    for (const input& in : inputs) {
        any |= (in.cable_delay != 0 && !tracking) || in.gain != 1 || in.phase != 0;
    }
    if (!any) {
        return {};
    }
    const std::vector<double> f = channel_frequencies(n, complex_samples);
    std::vector<std::complex<float>> factors;
    factors.reserve(inputs.size() * n);
    for (const input& in : inputs) {
        for (std::size_t k = 0; k < n; ++k) {
            // Whole turns are dropped first: thousands of them would cost digits.
            const double delay = tracking ? 0 : in.cable_delay;
            const double turns = f[k] * delay - in.phase / 360;
            factors.emplace_back(
                std::polar(1 / in.gain, 2 * M_PI * (turns - std::round(turns))));
        }
    }
    return factors;
}

std::vector<std::size_t> observation::streams() const
{
    std::vector<std::size_t> places;
    for (const input& in : inputs) {
        places.push_back(in.stream);
    }
    return places;
}

std::vector<char> observation::conjugated() const
{
    std::vector<char> flags;
    for (const input& in : inputs) {
        flags.push_back(in.inverted != lower_sideband);
    }
    return flags;
}

} // namespace gr::fringe
