/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/yaml_array.h"
#include "array/antenna_feed.h"
#include "array/geometry.h"
#include <algorithm>
#include <cmath>
#include <erfa.h>
#include <erfam.h>

namespace gr::fringe::array {

namespace {

void read_site(const yaml_field& f, observation& obs)
{
    f.allow({"latitude", "longitude", "height"});
    double height = 0;
    read(f, "height", height, &yaml_field::number);
    const double latitude = f.need("latitude").number();
    const double longitude = f.need("longitude").number();
    if (std::abs(latitude) > 90) {
        f.need("latitude").fail("must lie in -90 ... 90 degrees");
    }
    if (std::abs(longitude) > 360) {
        f.need("longitude").fail("must lie in -180 ... 180 degrees");
    }
    obs.set_site(latitude, longitude, height);
}

// Without a site, the first antenna with an ITRF position is it.
void site_at(const vec3& itrf, observation& obs)
{
    vec3 r = itrf;
    double longitude = 0, latitude = 0, height = 0;
    eraGc2gd(ERFA_WGS84, r.data(), &longitude, &latitude, &height);
    obs.set_site(latitude * ERFA_DR2D, longitude * ERFA_DR2D, height);
}

void read_place(const yaml_field& f, observation& obs)
{
    if (!f.is_map()) {
        obs.add_antenna("", f.vector());
        return;
    }
    f.allow({"name", "enu", "itrf", "mount", "feed_angle", "receptors"});
    std::string name;
    read(f, "name", name, &yaml_field::text);
    const auto enu = f.get("enu"), itrf = f.get("itrf");
    if (enu.has_value() == itrf.has_value()) {
        f.fail("must have its position as either enu or itrf");
    }
    if (enu) {
        obs.add_antenna(name, enu->vector());
        return;
    }
    const vec3 r = itrf->vector();
    if (!obs.has_site) {
        site_at(r, obs);
    }
    obs.add_antenna(name, enu_from_itrf(obs, r));
    obs.antennas.back().itrf = r; // as given, without a rounding there and back
}

void read_antenna(const yaml_field& f, const antenna& shared, observation& obs)
{
    read_place(f, obs);
    antenna& a = obs.antennas.back();
    a.mount = shared.mount;
    a.receptors = shared.receptors;
    a.feed_angle = shared.feed_angle;
    if (f.is_map()) {
        read_feed(f, a);
    }
}

std::size_t antenna_of(const yaml_field& f, const observation& obs)
{
    const std::string name = f.text();
    for (std::size_t i = 0; i < obs.antennas.size(); ++i) {
        if (obs.antennas[i].name == name) {
            return i;
        }
    }
    const std::string& first = obs.antennas.front().name;
    f.fail("'" + name + "' is not an antenna; there " +
           (obs.antennas.size() == 1
                ? "is " + first
                : "are " + first + " ... " + obs.antennas.back().name));
}

char polarization_of(const yaml_field& f) { return f.choice({"X", "Y", "R", "L"})[0]; }

input read_input(const yaml_field& f, const observation& obs, std::size_t place)
{
    f.allow({"antenna",
             "polarization",
             "stream",
             "inverted",
             "cable_delay",
             "gain",
             "phase",
             "bad"});
    input in;
    in.antenna = antenna_of(f.need("antenna"), obs);
    if (const auto p = f.get("polarization")) {
        in.polarization = polarization_of(*p);
    }
    in.stream = place;
    read(f, "stream", in.stream, &yaml_field::count);
    read(f, "inverted", in.inverted, &yaml_field::flag);
    read(f, "cable_delay", in.cable_delay, &yaml_field::number);
    read(f, "gain", in.gain, &yaml_field::positive);
    read(f, "phase", in.phase, &yaml_field::number);
    read(f, "bad", in.bad, &yaml_field::flag);
    return in;
}

// Said here, and not by observation::check, while the inputs still have the file's order.
void refuse_repeated(const yaml_field& f, const std::vector<input>& inputs)
{
    const input& last = inputs.back();
    for (std::size_t i = 0; i + 1 < inputs.size(); ++i) {
        const std::string that = "inputs[" + std::to_string(i) + "]";
        if (inputs[i].stream == last.stream) {
            f.fail("its stream, " + std::to_string(last.stream) + ", is that of " + that +
                   " already; each input has a stream of its own");
        }
        if (inputs[i].antenna == last.antenna &&
            inputs[i].polarization == last.polarization) {
            f.fail("is the same antenna and polarization as " + that);
        }
    }
}

void read_inputs(const yaml_field& root, observation& obs)
{
    const auto listed = root.get("inputs"), short_form = root.get("polarizations");
    if (listed && short_form) {
        short_form->fail("is a shorthand for 'inputs', which is given as well; "
                         "leave one of them out");
    }
    if (listed) {
        for (const yaml_field& f : listed->items()) {
            obs.inputs.push_back(read_input(f, obs, obs.inputs.size()));
            refuse_repeated(f, obs.inputs);
        }
        if (obs.inputs.empty()) {
            listed->fail("is empty; leave it out for one X input of each antenna");
        }
        // Listed in any order, numbered antenna by antenna.
        static const std::string order = "XYRL";
        std::stable_sort(
            obs.inputs.begin(), obs.inputs.end(), [](const input& a, const input& b) {
                return a.antenna != b.antenna
                           ? a.antenna < b.antenna
                           : order.find(a.polarization) < order.find(b.polarization);
            });
        return;
    }
    std::string polarizations;
    if (short_form) {
        for (const yaml_field& f : short_form->items()) {
            polarizations += polarization_of(f);
        }
    }
    if (polarizations.empty()) {
        polarizations = "X";
    }
    for (std::size_t a = 0; a < obs.antennas.size(); ++a) {
        for (const char p : polarizations) {
            input in;
            in.antenna = a;
            in.polarization = p;
            in.stream = obs.inputs.size();
            obs.inputs.push_back(in);
        }
    }
}

} // namespace

void read_array(const yaml_field& root, observation& obs)
{
    if (const auto f = root.get("site")) {
        read_site(*f, obs);
    }
    antenna shared; // what the observation gives for all antennas
    read_feed(root, shared);
    for (const yaml_field& f : root.need("antennas").items()) {
        read_antenna(f, shared, obs);
    }
    if (obs.antennas.empty()) {
        root.need("antennas").fail("is empty; at least one antenna is needed");
    }
    read_inputs(root, obs);
}

} // namespace gr::fringe::array
