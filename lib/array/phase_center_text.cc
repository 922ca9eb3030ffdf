/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/phase_center_text.h"
#include "array/solar_system.h"
#include "array/yaml_text.h"
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gr::fringe {

namespace {

using array::read;
using array::yaml_field;

std::vector<std::string> words_of(const std::string& text)
{
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (c == ',') {
            words.emplace_back();
        } else if (c != ' ' || !words.back().empty()) {
            words.back() += c;
        }
    }
    for (std::string& word : words) {
        word.erase(word.find_last_not_of(' ') + 1);
    }
    return words;
}

// What follows the key of "az=120"; a key is given by both words or by none.
bool take_keys(std::vector<std::string>& words)
{
    if (words[0].rfind("az=", 0) != 0 || words[1].rfind("el=", 0) != 0) {
        return false;
    }
    words[0].erase(0, 3);
    words[1].erase(0, 3);
    return true;
}

} // namespace

namespace array {

phase_center read_phase_center(const yaml_field& f)
{
    phase_center p;
    if (!f.is_map()) {
        const std::string word = f.text();
        if (word == "zenith") {
            return p;
        }
        try {
            return phase_center_by_name(word);
        } catch (const std::invalid_argument& e) {
            f.fail(std::string(e.what()) + ", and zenith, {ra, dec} and {az, el}");
        }
    }
    f.allow({"ra", "dec", "az", "el", "name"});
    read(f, "name", p.name, &yaml_field::text);
    const bool celestial = f.get("ra") || f.get("dec");
    if (celestial && (f.get("az") || f.get("el"))) {
        f.fail("is given by ra and dec, or by az and el, not by both");
    }
    p.frame = celestial ? phase_center::kind::radec : phase_center::kind::azel;
    p.longitude = f.need(celestial ? "ra" : "az").angle(celestial);
    const yaml_field latitude = f.need(celestial ? "dec" : "el");
    p.latitude = latitude.angle(false);
    if (std::abs(p.latitude) > M_PI / 2) {
        latitude.fail("must lie in -90 ... 90 degrees");
    }
    return p;
}

} // namespace array

phase_center phase_center::from_text(const std::string& text, const std::string& name)
{
    if (!text.empty() && text[0] == '{') {
        try {
            return array::read_phase_center(yaml_field(array::load_yaml(text), name, ""));
        } catch (const YAML::ParserException& e) {
            throw std::invalid_argument(name + ": is not YAML: " + e.msg);
        }
    }
    const std::string forms = name + ": give RA,DEC or az=AZ,el=EL (degrees, or "
                                     "12h30m49.4s,+12d23m28s), zenith, or a name";
    std::vector<std::string> words = words_of(text);
    if (words.size() == 1 && words[0] == "zenith") {
        return {};
    }
    if (words.size() == 1 && !words[0].empty()) {
        try {
            return array::phase_center_by_name(words[0]);
        } catch (const std::invalid_argument& e) {
            throw std::invalid_argument(forms + ": " + e.what());
        }
    }
    if (words.size() > 3 || std::count(words.begin(), words.end(), "") != 0) {
        throw std::invalid_argument(forms);
    }
    const bool horizontal = take_keys(words);
    YAML::Node node;
    node[horizontal ? "az" : "ra"] = words[0];
    node[horizontal ? "el" : "dec"] = words[1];
    if (words.size() == 3) {
        node["name"] = words[2];
    }
    return array::read_phase_center(yaml_field(node, name, ""));
}

} // namespace gr::fringe
