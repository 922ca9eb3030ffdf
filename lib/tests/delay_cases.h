/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_DELAY_CASES_H
#define INCLUDED_FRINGE_TESTS_DELAY_CASES_H

#include "array/delay_model.h"
#include "scratch.h"
#include <string>
#include <vector>

//! Three stations: 1 km and 3000 km from the first.
inline gr::fringe::observation wide_array()
{
    using namespace gr::fringe;
    observation obs = observation::example(1);
    obs.set_site(-27, 117, 300);
    obs.add_antenna("near", {700, 700, 5});
    const auto far = array::itrf_from_wgs84(-37.5, 145.3, 900);
    obs.add_antenna("far", array::enu_from_itrf(obs, far));
    for (std::size_t i = 1; i < 3; ++i) {
        input in;
        in.antenna = in.stream = i;
        obs.inputs.push_back(in);
    }
    obs.sky.clear();
    return obs;
}

inline gr::fringe::phase_center radec(double ra, double dec)
{
    return {gr::fringe::phase_center::kind::radec, ra, dec, ""};
}

const std::vector<gr::fringe::phase_center> directions{
    radec(3.2, -0.46), radec(0.7, 0.3), radec(5.5, -1.2), radec(1.9, -1.57)};

inline std::string file_with(const scratch& folder, const std::string& text)
{
    const std::string path = folder / "eop.txt";
    write_bytes(path, {text.begin(), text.end()});
    return path;
}

//! Round about the new year of 2017, which began with a leap second.
const char* const turn_of_2016 = "# MJD dut1 xp yp\n"
                                 "57751 -0.4054 0.0877 0.2632\n"
                                 "57752 -0.4062 0.0853 0.2634\n"
                                 "57753 -0.4074 0.0829 0.2633\n"
                                 "57754  0.5913 0.0805 0.2631\n"
                                 "57755  0.5901 0.0783 0.2631\n"
                                 "57756  0.5890 0.0762 0.2632\n";

#endif /* INCLUDED_FRINGE_TESTS_DELAY_CASES_H */
