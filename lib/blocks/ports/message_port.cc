/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/ports/message_port.h"
#include <pmt/pmt.h>

namespace gr::fringe {

void add_message_port(gr::block& block,
                      const gr::logger_ptr& logger,
                      const std::string& name,
                      std::function<void(const pmt::pmt_t&)> take)
{
    const pmt::pmt_t port = pmt::mp(name);
    block.message_port_register_in(port);
    block.set_msg_handler(port, [logger, name, take](const pmt::pmt_t& message) {
        try {
            take(message);
        } catch (const std::exception& e) {
            logger->error("{:s}: {:s}", name, e.what());
        }
    });
}

pmt::pmt_t entry_of(const pmt::pmt_t& message, const std::string& name)
{
    return pmt::is_dict(message) ? pmt::dict_ref(message, pmt::mp(name), pmt::PMT_NIL)
                                 : pmt::PMT_NIL;
}

std::optional<epoch> time_in(const pmt::pmt_t& value)
{
    if (pmt::is_null(value)) {
        return epoch();
    }
    if (!pmt::is_tuple(value) || pmt::length(value) != 2 ||
        !pmt::is_uint64(pmt::tuple_ref(value, 0)) ||
        !pmt::is_real(pmt::tuple_ref(value, 1))) {
        return std::nullopt;
    }
    return epoch::from_pair(pmt::to_uint64(pmt::tuple_ref(value, 0)),
                            pmt::to_double(pmt::tuple_ref(value, 1)));
}

} // namespace gr::fringe
