/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/antenna_feed.h"
#include "array/earth_orientation.h"
#include "array/geometry.h"
#include "array/solar_system.h"
#include "array/vectors.h"
#include "kernels/channelizer/prototype.h"
#include <algorithm>
#include <cmath>
#include <gnuradio/fringe/observation.h>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

namespace gr::fringe {

namespace {

template <typename... Parts>
void require(bool fits, const Parts&... parts)
{
    if (!fits) {
        std::ostringstream sentence;
        sentence << "observation: ";
        (sentence << ... << parts);
        throw std::invalid_argument(sentence.str());
    }
}

std::string item(const char* list, std::size_t i)
{
    return std::string(list) + "[" + std::to_string(i) + "]";
}

void check_antennas(const observation& obs)
{
    require(!obs.antennas.empty(), "antennas: the list is empty; at least one is needed");
    std::map<std::string, std::size_t> names;
    for (std::size_t i = 0; i < obs.antennas.size(); ++i) {
        const antenna& a = obs.antennas[i];
        const auto [place, is_new] = names.emplace(a.name, i);
        require(is_new,
                item("antennas", i),
                ".name: '",
                a.name,
                "' is the name of antennas[",
                place->second,
                "] already; names must differ");
        const array::vec3 miss =
            array::add(array::itrf_from_enu(obs, a.enu), array::scale(a.itrf, -1));
        require(array::dot(miss, miss) < 1e-6,
                item("antennas", i),
                " (",
                a.name,
                "): enu and itrf are not the same place; use add_antenna and set_site, "
                "which keep them together");
    }
}

void check_inputs(const observation& obs)
{
    require(!obs.inputs.empty(), "inputs: the list is empty; at least one is needed");
    std::map<std::size_t, std::size_t> streams;
    const std::string order = "XYRL";
    for (std::size_t i = 0; i < obs.inputs.size(); ++i) {
        const input& in = obs.inputs[i];
        const std::string here = item("inputs", i);
        require(in.antenna < obs.antennas.size(),
                here,
                ".antenna: ",
                in.antenna,
                "; there are ",
                obs.antennas.size(),
                " antennas, counted from 0");
        require(in.polarization != '\0' &&
                    order.find(in.polarization) != std::string::npos,
                here,
                ".polarization: '",
                in.polarization,
                "'; it must be X, Y, R or L");
        require(array::is_circular(in.polarization) ==
                    array::is_circular(obs.inputs[0].polarization),
                here,
                ".polarization: '",
                in.polarization,
                "' beside '",
                obs.inputs[0].polarization,
                "'; all inputs must be linear (X, Y) or all circular (R, L)");
        if (i > 0) {
            const input& before = obs.inputs[i - 1];
            require(before.antenna < in.antenna ||
                        (before.antenna == in.antenna &&
                         order.find(before.polarization) < order.find(in.polarization)),
                    here,
                    ": inputs go antenna by antenna, X before Y and R before L, each "
                    "once; this one does not come after inputs[",
                    i - 1,
                    "]");
        }
        const auto [place, is_new] = streams.emplace(in.stream, i);
        require(is_new,
                here,
                ".stream: ",
                in.stream,
                " is the stream of inputs[",
                place->second,
                "] already; each input has a stream of its own");
        require(std::isfinite(in.cable_delay) && std::abs(in.cable_delay) < 1,
                here,
                ".cable_delay: ",
                in.cable_delay,
                " s; it must be smaller than one second");
        require(in.gain > 0 && std::isfinite(in.gain),
                here,
                ".gain: ",
                in.gain,
                "; it must be positive");
        require(
            std::isfinite(in.phase), here, ".phase: ", in.phase, "; it must be finite");
    }
}

void check_receiver(const observation& obs)
{
    const auto& windows = kernels::window_names();
    require(obs.sample_rate >= 0 && std::isfinite(obs.sample_rate),
            "sample_rate: ",
            obs.sample_rate,
            " Hz; it must be positive");
    require(std::isfinite(obs.center_frequency),
            "center_frequency: ",
            obs.center_frequency,
            " Hz; it must be a finite number");
    require(std::abs(obs.dut1) < 1,
            "dut1: ",
            obs.dut1,
            " s; UT1 - UTC is kept within 0.9 s of zero");
    if (obs.earth_orientation) {
        require(obs.dut1 == 0,
                "dut1: ",
                obs.dut1,
                " s, and earth_orientation, which holds UT1 - UTC as well; leave one of "
                "them out");
        if (obs.has_start_time) {
            try {
                obs.earth_orientation->at(obs.start_time);
            } catch (const std::invalid_argument& e) {
                require(false, "earth_orientation: ", e.what());
            }
        }
    }
    require(obs.channels > 0, "channels: 0; at least one is needed");
    require(obs.taps >= 1 && obs.taps <= 32, "taps: ", obs.taps, "; it must be 1 ... 32");
    require(std::find(windows.begin(), windows.end(), obs.window) != windows.end(),
            "window: '",
            obs.window,
            "'; it must be ",
            kernels::window_choices());
    require(
        obs.integration >= 0 && std::isfinite(obs.integration),
        "integration: ",
        obs.integration,
        " s; it must be a positive number of seconds, or 0 where spectra says how long a "
        "dump is");
    require((obs.integration > 0) != (obs.spectra > 0),
            "integration ",
            obs.integration,
            " s and spectra ",
            obs.spectra,
            "; the length of a dump is given by exactly one of them, the other being 0");
    require(obs.requantize == "none" || obs.requantize == "8" || obs.requantize == "4",
            "requantize: '",
            obs.requantize,
            "'; it must be none, 8 or 4");
}

void check_phase_center(const observation& obs)
{
    const fringe::phase_center& p = obs.phase_center;
    if (p.frame == phase_center::kind::zenith) {
        return;
    }
    if (p.frame == phase_center::kind::body) {
        require(array::is_body(p.name),
                "phase_center: '",
                p.name,
                "' is not the Sun, the Moon or a planet");
        require(obs.has_site, "site: is not given; the ", p.name, " is seen from there");
        return;
    }
    require(std::isfinite(p.longitude) && std::abs(p.latitude) <= M_PI / 2,
            "phase_center: its declination or elevation must lie in -90 ... 90 degrees");
    require(p.frame != phase_center::kind::radec || obs.has_site,
            "site: is not given; a phase center in right ascension and declination needs "
            "it");
}

void check_sky(const observation& given)
{
    observation obs = given;
    if (!obs.has_start_time) {
        obs.earth_orientation.reset(); // any instant will do, and it may not be in there
    }
    require(obs.receiver_noise >= 0 && std::isfinite(obs.receiver_noise),
            "sky.receiver_noise: ",
            obs.receiver_noise,
            "; a noise power is not negative");
    const array::vec3 up = array::axes_of_azel(obs, 0, M_PI / 2).w;
    const bool fixed = obs.phase_center.frame == phase_center::kind::zenith ||
                       obs.phase_center.frame == phase_center::kind::azel;
    for (std::size_t i = 0; i < obs.sky.size(); ++i) {
        const sky_source& s = obs.sky[i];
        const std::string here = item("sky.sources", i);
        require(s.flux >= 0 && std::isfinite(s.flux),
                here,
                ".flux: ",
                s.flux,
                "; a power is not negative");
        require(s.frame == sky_source::kind::azel || s.a * s.a + s.b * s.b < 1,
                here,
                ": l = ",
                s.a,
                ", m = ",
                s.b,
                " is not on the sky; l^2 + m^2 must be below 1");
        if (fixed || obs.has_start_time) {
            const double sine =
                array::dot(up, array::source_direction(obs, s, obs.start_time));
            require(sine > 0,
                    here,
                    ": is below the horizon, at an elevation of ",
                    std::asin(sine) * 180 / M_PI,
                    " degrees when the observation starts");
        }
    }
}

} // namespace

void observation::check() const
{
    check_antennas(*this);
    check_inputs(*this);
    array::check_feeds(*this);
    check_receiver(*this);
    check_phase_center(*this);
    check_sky(*this);
}

} // namespace gr::fringe
