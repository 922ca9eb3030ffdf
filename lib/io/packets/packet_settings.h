/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_PACKET_SETTINGS_H
#define INCLUDED_FRINGE_IO_PACKET_SETTINGS_H

#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <gnuradio/fringe/epoch.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gr::fringe::io {

//! What a user says of packets that their headers do not: names and texts. All functions
//! throw std::invalid_argument with the preset, the name, the value and what would be right.
class FRINGE_API packet_settings
{
public:
    packet_settings(std::string preset, std::map<std::string, std::string> values);

    std::optional<std::uint64_t> whole(const std::string& name);
    std::uint64_t whole(const std::string& name, std::uint64_t otherwise);
    //! A number, as a frequency in Hz is.
    std::optional<double> number(const std::string& name);
    double number(const std::string& name, double otherwise);
    bool flag(const std::string& name, bool otherwise);
    std::string text(const std::string& name, const std::string& otherwise);
    //! Whole numbers separated by commas, and ranges (0-15).
    std::vector<std::uint64_t> list(const std::string& name);
    //! A rate in Hz that is a whole number; 1.28e6 is one.
    std::uint64_t rate(const std::string& name, std::uint64_t otherwise);
    //! ISO 8601, or seconds since 1970; none for "now".
    std::optional<fringe::epoch> instant(const std::string& name,
                                         const std::string& otherwise);
    //! How often a counter had wrapped; none for "clock".
    std::optional<std::int64_t> wraps();

    [[noreturn]] void fail(const std::string& name, const std::string& right) const;
    //! Refuses the settings that nobody has asked for.
    void refuse_others() const;

private:
    const std::string* find(const std::string& name);

    const std::string d_preset;
    const std::map<std::string, std::string> d_values;
    std::set<std::string> d_known;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_PACKET_SETTINGS_H */
