/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/sdr_file_name.h"
#include <filesystem>
#include <regex>
#include <stdexcept>

namespace gr::fringe::io {

sdr_file_name::sdr_file_name(const std::string& path)
{
    const std::string name = std::filesystem::path(path).filename().string();
    static const std::regex time_of(
        "(\\d{4})(\\d{2})(\\d{2})_(\\d{2})(\\d{2})(\\d{2})(Z?)");
    static const std::regex number_of("_(\\d{1,15})(Hz|kHz|KHZ|MHz|)(?=[_.])");
    std::smatch m;
    if (!std::regex_search(name, m, time_of))
        return;
    try {
        time = epoch::from_iso(m[1].str() + "-" + m[2].str() + "-" + m[3].str() + "T" +
                               m[4].str() + ":" + m[5].str() + ":" + m[6].str());
    } catch (const std::invalid_argument&) {
        return; // digits, and no date
    }
    has_time = true;
    is_utc = m[7].length() > 0;
    const std::string rest = m.suffix();
    if (!std::regex_search(rest, m, number_of))
        return;
    const std::string unit = m[2].str();
    frequency_within = unit == "MHz" ? 1e6 : unit.size() == 3 ? 1e3 : 1;
    frequency = std::stod(m[1].str()) * frequency_within;
    const std::string behind = m.suffix();
    if (unit.empty() && std::regex_search(behind, m, number_of) && m.position() == 0)
        sample_rate = std::stod(m[1].str());
}

} // namespace gr::fringe::io
