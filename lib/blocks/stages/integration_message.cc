/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/integration_message.h"
#include "blocks/ports/message_port.h"
#include <pmt/pmt.h>
#include <stdexcept>

namespace gr::fringe {

namespace {

void apply(const pmt::pmt_t& message,
           const std::function<void(double, std::uint64_t)>& set)
{
    const bool pair = pmt::is_pair(message);
    const pmt::pmt_t number = pair ? pmt::cdr(message) : message;
    const std::string unit = pair ? pmt::write_string(pmt::car(message)) : "seconds";
    if (!pmt::is_number(number) || pmt::is_complex(number) ||
        (unit != "seconds" && unit != "spectra") || !(pmt::to_double(number) > 0)) {
        throw std::invalid_argument(
            "message " + pmt::write_string(message) +
            ": send a positive number of seconds, or a pair (\"seconds\" . number) or "
            "(\"spectra\" . number)");
    }
    const double value = pmt::to_double(number);
    if (unit == "spectra") {
        set(0, static_cast<std::uint64_t>(value));
    } else {
        set(value, 0);
    }
}

} // namespace

void add_integration_port(gr::block& block,
                          const gr::logger_ptr& logger,
                          std::function<void(double, std::uint64_t)> set)
{
    add_message_port(block, logger, "integration", [set](const pmt::pmt_t& message) {
        apply(message, set);
    });
}

} // namespace gr::fringe
