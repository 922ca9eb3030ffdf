/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/field_text.h"
#include <cmath>
#include <cstdio>

namespace gr::fringe::io {

bool moving(const observation& obs)
{
    return obs.phase_center.frame == phase_center::kind::body;
}

std::string
field_name(const observation& obs, const std::array<double, 2>& radec, const epoch& when)
{
    const auto& center = obs.phase_center;
    if (!center.name.empty())
        return center.name;
    if (center.frame == phase_center::kind::zenith)
        return "zenith_" + when.iso(0);
    char text[64];
    const bool azel = center.frame == phase_center::kind::azel;
    std::snprintf(text,
                  sizeof text,
                  azel ? "az%.4f_el%+.4f" : "ra%.4f_dec%+.4f",
                  (azel ? center.longitude : radec[0]) * 180 / M_PI,
                  (azel ? center.latitude : radec[1]) * 180 / M_PI);
    return azel ? text + ("_" + when.iso(0)) : text;
}

// What a file says that has one direction only.
static std::string moving_history(const observation& obs,
                                  const std::array<double, 2>& radec,
                                  const epoch& when)
{
    char text[160];
    std::snprintf(text,
                  sizeof text,
                  "ICRS ra %.9f dec %+.9f degrees is where it was at ",
                  radec[0] * 180 / M_PI,
                  radec[1] * 180 / M_PI);
    return "Phase center: the moving " + obs.phase_center.name +
           ", seen from the site; the visibilities and u, v, w of each dump are towards "
           "where "
           "it was at the middle of that dump. " +
           text + when.iso();
}

std::string field_history(const observation& obs,
                          const std::array<double, 2>& radec,
                          const epoch& when)
{
    if (moving(obs))
        return moving_history(obs, radec, when);
    const char* how = obs.phase_center.frame == phase_center::kind::radec
                          ? "as given in the observation"
                      : obs.phase_center.frame == phase_center::kind::azel
                          ? "the azimuth and elevation of the observation at "
                          : "the zenith of the site at ";
    char text[160];
    std::snprintf(text,
                  sizeof text,
                  "Phase center ICRS ra %.9f dec %+.9f degrees: ",
                  radec[0] * 180 / M_PI,
                  radec[1] * 180 / M_PI);
    std::string message = text + std::string(how);
    if (obs.phase_center.frame != phase_center::kind::radec)
        message += when.iso() + ", the center of the first dump, and fixed from then on";
    return message;
}

} // namespace gr::fringe::io
