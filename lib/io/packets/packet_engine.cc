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

namespace gr {
namespace fringe {
namespace io {

// Large packets that the kernel may join come faster through the sockets than through the
// ring, and the sockets need no rights: bench/network compares the two.
std::unique_ptr<packet_engine> make_packet_engine(const std::string& name,
                                                  udp_sockets& sockets)
{
    if (name == "auto" || name == "recvmmsg") {
        return std::make_unique<recvmmsg_engine>(sockets);
    }
    if (name == "packet_ring") {
        return std::make_unique<packet_ring>(sockets);
    }
    throw std::invalid_argument("udp_source: engine: " + name +
                                ": must be auto, recvmmsg or packet_ring");
}

} // namespace io
} // namespace fringe
} // namespace gr
