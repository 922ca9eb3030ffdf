/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/solar_system.h"
#include "array/vectors.h"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <erfa.h>
#include <erfam.h>
#include <stdexcept>

namespace gr::fringe::array {

namespace {

constexpr double au = 149597870700.0; // meters, by definition

// The number is that of eraPlan94; the earth, 3, is where the observer is.
struct body_entry {
    const char* name;
    int number;
};
constexpr int sun = 0, moon = -1;
constexpr body_entry bodies[] = {{"Sun", sun},
                                 {"Moon", moon},
                                 {"Mercury", 1},
                                 {"Venus", 2},
                                 {"Mars", 4},
                                 {"Jupiter", 5},
                                 {"Saturn", 6},
                                 {"Uranus", 7},
                                 {"Neptune", 8}};

// ICRS, degrees.
struct star_entry {
    const char* name;
    double ra, dec;
};
constexpr star_entry stars[] = {{"Cas A", 350.85, 58.815},
                                {"Cyg A", 299.868166667, 40.733916667},
                                {"Tau A", 83.633083333, 22.0145},
                                {"Vir A", 187.705916667, 12.391111111},
                                {"Sgr A*", 266.416833333, -29.007805556},
                                {"Her A", 252.784166667, 4.9925},
                                {"Hyd A", 139.523541667, -12.095555556},
                                {"Pic A", 79.957083333, -45.778888889},
                                {"Cen A", 201.365, -43.019166667}};

// A name as it is compared: small letters and digits only.
std::string plain(const std::string& name)
{
    std::string out;
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c))) {
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return out;
}

int number_of(const std::string& body)
{
    for (const auto& entry : bodies) {
        if (body == entry.name) {
            return entry.number;
        }
    }
    throw std::invalid_argument("'" + body + "' is not the Sun, the Moon or a planet");
}

// Where the center of the earth and a body are, astronomical units from the center of mass
// of the solar system. Barycentric time differs from terrestrial time by 2 ms at most,
// which moves none of them by more than a hundred meters.
struct places {
    vec3 earth, body;
};

places places_at(int number, double days, double fraction)
{
    double from_sun[2][3], from_barycenter[2][3];
    eraEpv00(days, fraction, from_sun, from_barycenter);
    places out{};
    double moving[2][3] = {};
    if (number == moon) {
        eraMoon98(days, fraction, moving);
    } else if (number != sun) {
        eraPlan94(days, fraction, number, moving);
    }
    for (std::size_t k = 0; k < 3; ++k) {
        out.earth[k] = from_barycenter[0][k];
        out.body[k] =
            from_barycenter[0][k] - (number == moon ? 0 : from_sun[0][k]) + moving[0][k];
    }
    return out;
}

} // namespace

std::vector<std::string> source_names()
{
    std::vector<std::string> names;
    for (const auto& entry : bodies) {
        names.emplace_back(entry.name);
    }
    for (const auto& star : stars) {
        names.emplace_back(star.name);
    }
    return names;
}

phase_center phase_center_by_name(const std::string& name)
{
    const std::string word = plain(name);
    for (const auto& entry : bodies) {
        if (word == plain(entry.name)) {
            return {phase_center::kind::body, 0, 0, entry.name};
        }
    }
    for (const auto& star : stars) {
        if (word == plain(star.name)) {
            return {phase_center::kind::radec,
                    star.ra * ERFA_DD2R,
                    star.dec * ERFA_DD2R,
                    star.name};
        }
    }
    std::string all;
    for (const std::string& known : source_names()) {
        all += (all.empty() ? "" : ", ") + known;
    }
    throw std::invalid_argument("'" + name +
                                "' is no source that has a name here; there are " + all);
}

bool is_body(const std::string& name)
{
    return std::any_of(std::begin(bodies), std::end(bodies), [&name](const auto& entry) {
        return name == entry.name;
    });
}

vec3 astrometric_place(const std::string& body,
                       double days,
                       double fraction,
                       const vec3& observer)
{
    const int number = number_of(body);
    const vec3 here =
        add(places_at(number, days, fraction).earth, scale(observer, 1 / au));
    // The light left when the body was elsewhere: each round is exact to the body's speed
    // over that of light, 1e-4, of the round before.
    vec3 way{};
    double on_the_way = 0; // days
    for (int round = 0; round < 4; ++round) {
        const vec3 there = places_at(number, days, fraction - on_the_way).body;
        way = scale(add(there, scale(here, -1)), au);
        on_the_way = std::sqrt(dot(way, way)) / ERFA_CMPS / ERFA_DAYSEC;
    }
    return way;
}

} // namespace gr::fringe::array
