/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_PACKET_PRESETS_H
#define INCLUDED_FRINGE_IO_PACKET_PRESETS_H

#include "io/packets/packet_layout.h"
#include "io/packets/packet_settings.h"

namespace gr::fringe::io {

/*!
 * A named packet layout. To add one: a file in lib/io/packets/presets/ that defines it and
 * a line in the table of lib/io/packets/packet_presets.cc.
 */
struct packet_preset {
    std::string name;
    std::string summary; //!< one line for tables and --help
    //! Makes the layout. Throws std::invalid_argument for settings that cannot be.
    packet_layout (*make)(packet_settings& settings);
};

//! All presets, in the order of the table.
FRINGE_API const std::vector<packet_preset>& packet_presets();

//! The layout that a preset's name, or the path of a YAML file, stands for. Settings that
//! the layout does not have are refused.
//! Throws std::invalid_argument.
FRINGE_API packet_layout packet_layout_of(
    const std::string& preset, const std::map<std::string, std::string>& settings);

//! A layout that a YAML text describes, see docs/packets.md; `file` names it in sentences.
FRINGE_API packet_layout packet_layout_from_yaml(const std::string& text,
                                                 const std::string& file,
                                                 packet_settings& settings);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_PACKET_PRESETS_H */
