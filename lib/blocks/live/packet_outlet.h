/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_LIVE_PACKET_OUTLET_H
#define INCLUDED_FRINGE_BLOCKS_LIVE_PACKET_OUTLET_H

#include "io/packets/udp_sender.h"
#include <atomic>
#include <cstdint>
#include <gnuradio/logger.h>
#include <map>
#include <string>
#include <vector>

namespace gr::fringe {

//! Where the packets of a packet_sink go to, and to whom.
struct packet_destinations {
    std::vector<std::string> addresses;
    double speed = 1.25; //!< how much faster than the data packets are sent; 0 = at once
    std::string interface;
    unsigned hops = 1;
};

//! Sends the packets of a block, and counts them for other threads that ask.
class packet_outlet
{
public:
    explicit packet_outlet(const packet_destinations& to);

    //! Bytes that come a second; packets go out a little faster.
    void set_data_rate(double bytes_per_second);
    //! Sends packets that lie behind each other to an address by its number; waits as the
    //! rate says, until GNU Radio stops the thread.
    void send(std::size_t address,
              const std::uint8_t* packets,
              std::size_t count,
              std::size_t size);
    //! Takes over what was sent; `withheld` are packets that were not to be sent. Warns once
    //! when the system refuses to send.
    void count(std::uint64_t withheld, gr::logger& log);
    void say_end(gr::logger& log) const;

    std::map<std::string, std::uint64_t> packets() const
    {
        return {{"sent", d_sent}, {"withheld", d_withheld}, {"refused", d_refused}};
    }

private:
    io::udp_sender d_sender;
    const double d_speed;
    bool d_complained = false;
    std::atomic<std::uint64_t> d_sent{0}, d_withheld{0}, d_refused{0};
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_LIVE_PACKET_OUTLET_H */
