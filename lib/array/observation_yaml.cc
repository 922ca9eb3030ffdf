/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/files_read.h"
#include "array/phase_center_text.h"
#include "array/yaml_array.h"
#include "array/yaml_field.h"
#include "array/yaml_text.h"
#include "kernels/channelizer/prototype.h"
#include <cmath>
#include <filesystem>
#include <gnuradio/fringe/observation.h>
#include <sstream>
#include <stdexcept>

namespace gr::fringe {

namespace {

using array::read;
using array::yaml_field;

sky_source read_source(const yaml_field& f, std::size_t number)
{
    f.allow({"name", "l", "m", "az", "el", "flux"});
    sky_source s;
    s.name = "source" + std::to_string(number);
    read(f, "name", s.name, &yaml_field::text);
    read(f, "flux", s.flux, &yaml_field::number);
    const bool horizontal = f.get("az") || f.get("el");
    if (horizontal && (f.get("l") || f.get("m"))) {
        f.fail("is given by l and m, or by az and el, not by both");
    }
    if (horizontal) {
        s.frame = sky_source::kind::azel;
        s.a = f.need("az").angle(false);
        s.b = f.need("el").angle(false);
    } else {
        s.a = f.need("l").number();
        s.b = f.need("m").number();
    }
    return s;
}

void read_sky(const yaml_field& f, observation& obs)
{
    f.allow({"receiver_noise", "sources"});
    read(f, "receiver_noise", obs.receiver_noise, &yaml_field::number);
    if (const auto sources = f.get("sources")) {
        for (const yaml_field& s : sources->items()) {
            obs.sky.push_back(read_source(s, obs.sky.size()));
        }
    }
}

void read_receiver(const yaml_field& root, observation& obs)
{
    read(root, "format", obs.format, &yaml_field::text);
    read(root, "sample_rate", obs.sample_rate, &yaml_field::positive);
    read(root, "center_frequency", obs.center_frequency, &yaml_field::number);
    read(root, "dut1", obs.dut1, &yaml_field::number);
    read(root, "tracking", obs.tracking, &yaml_field::flag);
    read(root, "fringe_stopping", obs.fringe_stopping, &yaml_field::flag);
    if (const auto f = root.get("sideband")) {
        obs.lower_sideband = f->choice({"upper", "lower"}) == "lower";
    }
    if (const auto f = root.get("start_time")) {
        try {
            obs.start_time = epoch::from_iso(f->text());
        } catch (const std::invalid_argument& e) {
            f->fail(e.what());
        }
        obs.has_start_time = true;
    }
}

// The file lies beside the observation's, if its path does not say otherwise.
void read_orientation(const yaml_field& root,
                      const std::filesystem::path& folder,
                      observation& obs)
{
    const auto f = root.get("earth_orientation");
    if (!f) {
        return;
    }
    if (root.get("dut1")) {
        f->fail("holds UT1 - UTC, and dut1 is given as well; leave one of them out");
    }
    try {
        obs.set_earth_orientation((folder / f->text()).string());
    } catch (const std::invalid_argument& e) {
        f->fail(e.what());
    }
}

void read_correlator(const yaml_field& root, observation& obs)
{
    read(root, "channels", obs.channels, &yaml_field::count);
    if (const auto f = root.get("taps")) {
        const std::size_t taps = f->count();
        if (taps < 1 || taps > 32) {
            f->fail(f->text() + "; it must be 1 ... 32");
        }
        obs.taps = static_cast<unsigned>(taps);
    }
    if (const auto f = root.get("window")) {
        obs.window = f->choice(kernels::window_names());
    }
    if (const auto f = root.get("requantize")) {
        obs.requantize = f->choice({"none", "8", "4"});
    }
    read(root, "integration", obs.integration, &yaml_field::seconds);
    read(root, "spectra", obs.spectra, &yaml_field::count);
    if (!root.get("integration") && !root.get("spectra")) {
        obs.integration = 1;
    }
}

observation read_observation(const yaml_field& root, const std::filesystem::path& folder)
{
    root.allow({"telescope", "observer",       "site",         "antennas",
                "mount",     "feed_angle",     "receptors",    "polarizations",
                "inputs",    "format",         "sample_rate",  "center_frequency",
                "sideband",  "start_time",     "phase_center", "dut1",
                "channels",  "taps",           "window",       "integration",
                "spectra",   "requantize",     "sky",          "earth_orientation",
                "tracking",  "fringe_stopping"});
    observation obs;
    read(root, "telescope", obs.telescope, &yaml_field::text);
    read(root, "observer", obs.observer, &yaml_field::text);
    array::read_array(root, obs);
    read_receiver(root, obs);
    read_orientation(root, folder, obs);
    read_correlator(root, obs);
    if (const auto f = root.get("phase_center")) {
        obs.phase_center = array::read_phase_center(*f);
    }
    if (const auto f = root.get("sky")) {
        read_sky(*f, obs);
    }
    return obs;
}

// False for a recording, say, whose bytes no message could quote: text is UTF-8 without
// control characters.
bool is_text(const std::string& bytes)
{
    unsigned follow = 0; // bytes of the character that are still to come
    for (const unsigned char c : bytes) {
        if (follow > 0 ? (c & 0xc0) != 0x80 : (c >= 0x80 && c < 0xc2) || c > 0xf4) {
            return false;
        }
        if (follow > 0) {
            --follow;
        } else if (c >= 0x80) {
            follow = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
        } else if (c < 0x20 && c != '\n' && c != '\r' && c != '\t') {
            return false;
        }
    }
    return follow == 0;
}

} // namespace

observation observation::from_text(const std::string& yaml, const std::string& name)
{
    YAML::Node node;
    try {
        node = array::load_yaml(yaml);
    } catch (const YAML::ParserException& e) {
        throw std::invalid_argument(name + ", line " + std::to_string(e.mark.line + 1) +
                                    ": is not YAML: " + e.msg);
    }
    const observation obs = read_observation(yaml_field(node, name, ""),
                                             std::filesystem::path(name).parent_path());
    try {
        obs.check();
    } catch (const std::invalid_argument& e) {
        const std::string sentence = e.what();
        throw std::invalid_argument(name + sentence.substr(sentence.find(':')));
    }
    return obs;
}

observation observation::from_file(const std::string& path)
{
    const std::string text = array::read_text_file(path);
    if (text.empty()) {
        throw std::invalid_argument(path + ": is empty");
    }
    if (!is_text(text)) {
        throw std::invalid_argument(path + ": is not text, as an observation file must "
                                           "be");
    }
    return from_text(text, path);
}

} // namespace gr::fringe
