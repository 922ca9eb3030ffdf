/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_PACKET_FILTER_H
#define INCLUDED_FRINGE_IO_PACKET_FILTER_H

#include <cstdint>
#include <linux/filter.h>
#include <vector>

namespace gr::fringe::io {

/*!
 * A program for the kernel (BPF) that lets Ethernet frames pass which hold a whole UDP
 * datagram for this computer, to one of the addresses (IPv4, in network order) and the port.
 * `loopback`: to any address 127.x.y.z, too.
 */
std::vector<sock_filter>
datagrams_to(const std::vector<std::uint32_t>& addresses, bool loopback, unsigned port);

//! One that lets nothing pass.
std::vector<sock_filter> nothing();

//! A filter that chooses one of `sockets` sockets that share a port.
std::vector<sock_filter> one_at_random(std::uint32_t sockets);

//! Sets a program for what a socket receives; false where the system refuses.
bool set_filter(int fd, std::vector<sock_filter> program);

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_PACKET_FILTER_H */
