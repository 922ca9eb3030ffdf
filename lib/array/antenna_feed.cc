/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/antenna_feed.h"
#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace gr::fringe::array {

namespace {

const std::vector<std::string> mounts{"alt-az", "equatorial", "x-y", "fixed"};
const std::vector<std::string> kinds{"linear", "circular"};
constexpr double near = 1e-6; // degrees

[[noreturn]] void
refuse(std::size_t antenna, const std::string& field, const std::string& why)
{
    throw std::invalid_argument("observation: antennas[" + std::to_string(antenna) +
                                "]." + field + ": " + why);
}

void check_word(std::size_t number,
                const std::string& field,
                const std::string& word,
                const std::vector<std::string>& choices)
{
    if (word.empty() ||
        std::find(choices.begin(), choices.end(), word) != choices.end()) {
        return;
    }
    refuse(number, field, "'" + word + "'; it must be " + one_of(choices));
}

void check_angle(std::size_t number, const antenna& a, bool circular)
{
    const auto& [first, second] = a.feed_angle;
    std::ostringstream given;
    given << first << " and " << second << " degrees; ";
    if (!(std::abs(first) <= 360 && std::abs(second) <= 450)) {
        refuse(number, "feed_angle", given.str() + "it must lie in -360 ... 360");
    }
    const double apart = std::remainder(second - first, 360);
    if (circular ? std::abs(apart - 90) > near && std::abs(apart) > near
                 : std::abs(std::abs(apart) - 90) > near) {
        refuse(number,
               "feed_angle",
               given.str() + (circular ? "R and L turn together: give one number"
                                       : "X and Y must stand 90 degrees apart"));
    }
}

// "" = not known: the antenna has no inputs, and the file does not say.
std::string kind_of(const observation& obs, std::size_t number)
{
    for (const input& in : obs.inputs) {
        if (in.antenna == number) {
            return is_circular(in.polarization) ? "circular" : "linear";
        }
    }
    return obs.antennas[number].receptors;
}

} // namespace

bool is_circular(char polarization) { return polarization == 'R' || polarization == 'L'; }

void read_feed(const yaml_field& map, antenna& a)
{
    if (const auto f = map.get("mount")) {
        a.mount = f->choice(mounts);
    }
    if (const auto f = map.get("receptors")) {
        a.receptors = f->choice(kinds);
    }
    const auto f = map.get("feed_angle");
    if (f && f->is_list()) {
        const auto angles = f->items();
        if (angles.size() != 2) {
            f->fail("has " + std::to_string(angles.size()) +
                    " numbers; it must be that of X, or those of X and Y, in degrees");
        }
        a.feed_angle = {angles[0].number(), angles[1].number()};
    } else if (f) {
        a.feed_angle = {f->number(), f->number() + 90};
    }
}

void check_feeds(const observation& obs)
{
    for (std::size_t k = 0; k < obs.antennas.size(); ++k) {
        const antenna& a = obs.antennas[k];
        check_word(k, "mount", a.mount, mounts);
        check_word(k, "receptors", a.receptors, kinds);
        const std::string kind = kind_of(obs, k);
        check_angle(k, a, kind == "circular");
        if (!a.receptors.empty() && a.receptors != kind) {
            refuse(k,
                   "receptors",
                   "'" + a.receptors + "', but its inputs are " +
                       (kind == "linear" ? "X or Y" : "R or L") +
                       "; linear receptors have inputs X and Y, circular ones R and L");
        }
    }
}

} // namespace gr::fringe::array
