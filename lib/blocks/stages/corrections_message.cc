/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/corrections_message.h"
#include "blocks/ports/message_port.h"
#include <pmt/pmt.h>
#include <stdexcept>

namespace gr::fringe {

namespace {

planned_corrections::change parsed(const pmt::pmt_t& message)
{
    const pmt::pmt_t factors = entry_of(message, "corrections");
    const auto from = time_in(entry_of(message, "time"));
    if (!pmt::is_c32vector(factors) || !from) {
        throw std::invalid_argument(
            "send a dictionary of `corrections`, a c32vector of input * channels, and, "
            "if "
            "they are to wait, `time`, a tuple (uint64 seconds, double fraction)");
    }
    planned_corrections::change c;
    c.factors = pmt::c32vector_elements(factors);
    c.from = *from;
    return c;
}

} // namespace

void add_corrections_port(gr::block& block,
                          const gr::logger_ptr& logger,
                          std::function<void(planned_corrections::change)> plan)
{
    add_message_port(block, logger, "corrections", [plan](const pmt::pmt_t& message) {
        plan(parsed(message));
    });
}

} // namespace gr::fringe
