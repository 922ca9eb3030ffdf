/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/live/packet_outlet.h"
#include <boost/thread/thread.hpp>

namespace gr::fringe {

packet_outlet::packet_outlet(const packet_destinations& to)
    : d_sender(to.addresses, to.interface, to.hops), d_speed(to.speed)
{
}

void packet_outlet::set_data_rate(double bytes_per_second)
{
    d_sender.set_rate(d_speed * bytes_per_second);
}

void packet_outlet::send(std::size_t address,
                         const std::uint8_t* packets,
                         std::size_t count,
                         std::size_t size)
{
    d_sender.send(address, packets, count, size, [] {
        boost::this_thread::interruption_point(); // GNU Radio's way to stop a thread
    });
}

void packet_outlet::count(std::uint64_t withheld, gr::logger& log)
{
    d_sent = d_sender.sent();
    d_withheld = withheld;
    d_refused = d_sender.refused();
    if (d_refused > 0 && !d_complained) {
        d_complained = true;
        log.warn("the system refuses to send packets: {:s}", d_sender.refusal());
    }
}

void packet_outlet::say_end(gr::logger& log) const
{
    log.info("packets: {:d} sent, {:d} withheld, {:d} refused",
             d_sent.load(),
             d_withheld.load(),
             d_refused.load());
}

} // namespace gr::fringe
