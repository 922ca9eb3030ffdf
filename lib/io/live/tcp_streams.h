/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_TCP_STREAMS_H
#define INCLUDED_FRINGE_IO_TCP_STREAMS_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <string>
#include <vector>

namespace gr::fringe::io {

//! What happens on the connections, reported by the thread that runs them.
class FRINGE_API tcp_events
{
public:
    virtual ~tcp_events() = default;
    virtual void opened(std::size_t k) = 0;
    //! Another client wants the place of the one that is there: true if that has nothing to say
    //! any more, and is to be closed. `who`: its address.
    virtual bool gives_way(std::size_t k, const std::string& who) = 0;
    virtual void
    received(std::size_t k, const std::uint8_t* bytes, std::size_t count) = 0;
    //! Everything that had come was received: from now on bytes are fresh.
    virtual void drained(std::size_t k) = 0;
    virtual void closed(std::size_t k) = 0;
};

/*!
 * One TCP connection per sender, waited for or made; a connection that ends is waited for
 * or made again. Addresses are "host:port".
 */
class FRINGE_API tcp_streams
{
public:
    //! Listens at once (port 0 = any that is free). Throws std::invalid_argument with the
    //! address and what is wrong.
    tcp_streams(const std::vector<std::string>& addresses, bool listen);
    ~tcp_streams();
    tcp_streams(const tcp_streams&) = delete;
    tcp_streams& operator=(const tcp_streams&) = delete;

    //! Port that is listened on, or connected to.
    std::uint16_t port(std::size_t k) const;
    //! Serves the connections for about a tenth of a second at most.
    void serve(tcp_events& events);

private:
    struct connection {
        std::string address, host, service;
        int listener = -1;
        int socket = -1;
        bool connecting = false;
        std::chrono::steady_clock::time_point next_try;
    };

    void open_listener(connection& c);
    void try_to_connect(connection& c);
    bool open(std::size_t k, short happened, tcp_events& events);
    void read(std::size_t k, tcp_events& events);
    void receive_another(std::size_t k, tcp_events& events);

    const bool d_listen;
    std::vector<connection> d_connections;
    std::vector<std::uint8_t> d_buffer;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_TCP_STREAMS_H */
