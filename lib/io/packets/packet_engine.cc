/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_engine.h"
#include "io/packets/packet_ring.h"
#include "io/packets/recvmmsg_engine.h"
#include <stdexcept>

namespace gr::fringe::io {

// Large packets that the kernel may join come faster through the sockets than through the
// ring, and the sockets need no rights: bench/network compares the two.
std::vector<std::unique_ptr<packet_engine>> make_packet_engines(udp_sockets& sockets)
{
    const udp_settings& settings = sockets.settings();
    if (settings.engine != "auto" && settings.engine != "recvmmsg" &&
        settings.engine != "packet_ring") {
        throw std::invalid_argument("udp_source: engine: " + settings.engine +
                                    ": must be auto, recvmmsg or packet_ring");
    }
    std::vector<std::unique_ptr<packet_engine>> engines;
    fanout_groups groups;
    for (std::size_t reader = 0; reader < settings.threads; ++reader) {
        if (settings.engine == "packet_ring") {
            engines.push_back(std::make_unique<packet_ring>(sockets, groups));
        } else {
            engines.push_back(std::make_unique<recvmmsg_engine>(sockets, reader));
        }
    }
    return engines;
}

} // namespace gr::fringe::io
