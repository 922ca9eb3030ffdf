/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/corrections_message.h"
#include <pmt/pmt.h>
#include <stdexcept>

namespace gr::fringe {

namespace {

planned_corrections::change parsed(const pmt::pmt_t& message)
{
    const auto entry = [&](const char* name) {
        return pmt::is_dict(message) ? pmt::dict_ref(message, pmt::mp(name), pmt::PMT_NIL)
                                     : pmt::PMT_NIL;
    };
    const pmt::pmt_t factors = entry("corrections"), time = entry("time");
    const bool timed = pmt::is_tuple(time) && pmt::length(time) == 2 &&
                       pmt::is_uint64(pmt::tuple_ref(time, 0)) &&
                       pmt::is_real(pmt::tuple_ref(time, 1));
    if (!pmt::is_c32vector(factors) || !(timed || pmt::is_null(time))) {
        throw std::invalid_argument(
            "send a dictionary of `corrections`, a c32vector of input * channels, and, "
            "if "
            "they are to wait, `time`, a tuple (uint64 seconds, double fraction)");
    }
    planned_corrections::change c;
    c.factors = pmt::c32vector_elements(factors);
    if (timed) {
        c.from = epoch::from_pair(pmt::to_uint64(pmt::tuple_ref(time, 0)),
                                  pmt::to_double(pmt::tuple_ref(time, 1)));
    }
    return c;
}

} // namespace

void add_corrections_port(gr::block& block,
                          const gr::logger_ptr& logger,
                          std::function<void(planned_corrections::change)> plan)
{
    const pmt::pmt_t port = pmt::mp("corrections");
    block.message_port_register_in(port);
    block.set_msg_handler(port, [logger, plan](const pmt::pmt_t& message) {
        try {
            plan(parsed(message));
        } catch (const std::exception& e) {
            logger->error("corrections: {:s}", e.what());
        }
    });
}

} // namespace gr::fringe
