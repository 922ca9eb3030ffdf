/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/beams/beams_message.h"
#include "blocks/ports/message_port.h"
#include <pmt/pmt.h>
#include <stdexcept>

namespace gr::fringe {

namespace {

bool are_symbols(const pmt::pmt_t& value)
{
    bool all = pmt::is_vector(value);
    for (std::size_t n = 0; all && n < pmt::length(value); ++n) {
        all = pmt::is_symbol(pmt::vector_ref(value, n));
    }
    return all;
}

std::vector<std::string> texts_of(const pmt::pmt_t& value)
{
    std::vector<std::string> texts;
    for (std::size_t n = 0; !pmt::is_null(value) && n < pmt::length(value); ++n) {
        texts.push_back(pmt::symbol_to_string(pmt::vector_ref(value, n)));
    }
    return texts;
}

beams_message parsed(const pmt::pmt_t& message)
{
    const pmt::pmt_t directions = entry_of(message, "directions"),
                     nulls = entry_of(message, "nulls"),
                     amplitudes = entry_of(message, "amplitudes");
    const auto from = time_in(entry_of(message, "time"));
    if (!are_symbols(directions) || !(pmt::is_null(nulls) || are_symbols(nulls)) ||
        !(pmt::is_null(amplitudes) || pmt::is_f32vector(amplitudes)) || !from) {
        throw std::invalid_argument(
            "send a dictionary of `directions`, a vector of symbols, and, where they are "
            "wanted, `nulls`, the same, `amplitudes`, an f32vector, and `time`, a tuple "
            "(uint64 seconds, double fraction)");
    }
    beams_message m;
    m.directions = texts_of(directions);
    m.nulls = texts_of(nulls);
    if (!pmt::is_null(amplitudes)) {
        m.amplitudes = pmt::f32vector_elements(amplitudes);
    }
    m.from = *from;
    return m;
}

} // namespace

void add_beams_port(gr::block& block,
                    const gr::logger_ptr& logger,
                    std::function<void(const beams_message&)> point)
{
    add_message_port(block, logger, "beams", [point](const pmt::pmt_t& message) {
        point(parsed(message));
    });
}

} // namespace gr::fringe
