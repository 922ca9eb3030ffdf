/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_presets.h"
#include "array/files_read.h"
#include <algorithm>
#include <stdexcept>

// The table, one line a preset: NAME is made by preset_NAME() in
// lib/io/packets/presets/NAME.cc.
#define FRINGE_PACKETS(PRESET)                                                           \
    PRESET(mwa)                                                                          \
    PRESET(vdif)                                                                         \
    PRESET(tbn)                                                                          \
    PRESET(drx)                                                                          \
    PRESET(meerkat)                                                                      \
    PRESET(ska_low)                                                                      \
    PRESET(snap2)                                                                        \
    PRESET(ata)                                                                          \
    PRESET(chips)                                                                        \
    PRESET(spead)                                                                        \
    PRESET(tbx)

namespace gr::fringe::io {

#define FRINGE_DECLARE_PRESET(NAME) packet_preset preset_##NAME();
FRINGE_PACKETS(FRINGE_DECLARE_PRESET)
#undef FRINGE_DECLARE_PRESET

const std::vector<packet_preset>& packet_presets()
{
#define FRINGE_MAKE_PRESET(NAME) preset_##NAME(),
    static const std::vector<packet_preset> all{FRINGE_PACKETS(FRINGE_MAKE_PRESET)};
#undef FRINGE_MAKE_PRESET
    return all;
}

namespace {

bool is_path(const std::string& preset)
{
    return preset.find('/') != std::string::npos || preset.find('.') != std::string::npos;
}

packet_layout from_file(const std::string& path, packet_settings& settings)
{
    return packet_layout_from_yaml(array::read_text_file(path), path, settings);
}

packet_layout by_name(const std::string& name, packet_settings& settings)
{
    std::string names;
    for (const packet_preset& preset : packet_presets()) {
        if (preset.name == name) {
            return preset.make(settings);
        }
        names += preset.name + ", ";
    }
    throw std::invalid_argument("preset: there is no packet layout '" + name +
                                "'; there are " + names +
                                "and files of your own (x.yml)");
}

} // namespace

packet_layout packet_layout_of(const std::string& preset,
                               const std::map<std::string, std::string>& values)
{
    packet_settings settings(preset, values);
    packet_layout layout =
        is_path(preset) ? from_file(preset, settings) : by_name(preset, settings);
    layout.name = preset;
    layout.sources = settings.list("sources");
    auto sorted = layout.sources;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
        settings.fail("sources", "names a source twice");
    }
    settings.refuse_others();
    layout.check();
    return layout;
}

} // namespace gr::fringe::io
