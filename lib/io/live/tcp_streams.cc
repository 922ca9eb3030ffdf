/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/live/tcp_streams.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace gr::fringe::io {

namespace {

constexpr int patience_ms = 100;
constexpr std::chrono::milliseconds between_tries{500};
constexpr std::size_t read_bytes = 65536;

using addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

[[noreturn]] void refuse(const std::string& address, const std::string& why)
{
    throw std::invalid_argument("tcp: " + address + ": " + why);
}

addresses resolve(const std::string& host, const std::string& service, int& error)
{
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    error = getaddrinfo(host.c_str(), service.c_str(), &hints, &found);
    return addresses(found, &freeaddrinfo);
}

// A peer that is gone without a word is found out within some seconds.
void watch_peer(int fd)
{
    const int yes = 1, idle = 5, interval = 2, count = 3;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
}

std::string name_of(const sockaddr_storage& peer, socklen_t size)
{
    char host[NI_MAXHOST] = "", service[NI_MAXSERV] = "";
    getnameinfo(reinterpret_cast<const sockaddr*>(&peer),
                size,
                host,
                sizeof(host),
                service,
                sizeof(service),
                NI_NUMERICHOST | NI_NUMERICSERV);
    return std::string(host) + ":" + service;
}

// The peer has closed its end; there may still be bytes of it to read.
bool has_ended(int fd)
{
    pollfd at{fd, POLLRDHUP, 0};
    return poll(&at, 1, 0) > 0;
}

void close_socket(int& fd)
{
    if (fd >= 0) {
        close(fd);
    }
    fd = -1;
}

} // namespace

tcp_streams::tcp_streams(const std::vector<std::string>& list, bool listen)
    : d_listen(listen), d_buffer(read_bytes)
{
    for (const std::string& address : list) {
        connection c;
        const std::size_t colon = address.rfind(':');
        if (colon == std::string::npos || colon == 0 || colon + 1 == address.size() ||
            address.find_first_not_of("0123456789", colon + 1) != std::string::npos ||
            address.size() - colon > 6 || std::stoul(address.substr(colon + 1)) > 65535) {
            refuse(address, "must be host:port, as in 127.0.0.1:5001");
        }
        c.address = address;
        c.host = address.substr(0, colon);
        if (c.host.front() == '[' && c.host.back() == ']') { // IPv6
            c.host = c.host.substr(1, c.host.size() - 2);
        }
        c.service = address.substr(colon + 1);
        int error = 0;
        resolve(c.host, c.service, error);
        if (error != 0) {
            refuse(address, gai_strerror(error));
        }
        d_connections.push_back(c);
        if (listen) {
            open_listener(d_connections.back());
        }
    }
}

tcp_streams::~tcp_streams()
{
    for (connection& c : d_connections) {
        close_socket(c.listener);
        close_socket(c.socket);
    }
}

void tcp_streams::open_listener(connection& c)
{
    int error = 0;
    const addresses found = resolve(c.host, c.service, error);
    c.listener = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int yes = 1;
    setsockopt(c.listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (c.listener < 0 || bind(c.listener, found->ai_addr, found->ai_addrlen) != 0 ||
        ::listen(c.listener, 1) != 0) {
        const std::string why = std::strerror(errno);
        close_socket(c.listener);
        refuse(c.address, "cannot be listened on: " + why);
    }
}

std::uint16_t tcp_streams::port(std::size_t k) const
{
    sockaddr_storage name{};
    socklen_t size = sizeof(name);
    if (!d_listen || getsockname(d_connections[k].listener,
                                 reinterpret_cast<sockaddr*>(&name),
                                 &size) != 0) {
        return static_cast<std::uint16_t>(std::stoul(d_connections[k].service));
    }
    return ntohs(name.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6*>(&name)->sin6_port
                     : reinterpret_cast<const sockaddr_in*>(&name)->sin_port);
}

void tcp_streams::try_to_connect(connection& c)
{
    if (std::chrono::steady_clock::now() < c.next_try) {
        return;
    }
    c.next_try = std::chrono::steady_clock::now() + between_tries;
    int error = 0;
    const addresses found = resolve(c.host, c.service, error);
    if (error != 0) {
        return;
    }
    c.socket = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    c.connecting = true;
    if (connect(c.socket, found->ai_addr, found->ai_addrlen) != 0 &&
        errno != EINPROGRESS) {
        close_socket(c.socket);
    }
}

void tcp_streams::serve(tcp_events& events)
{
    std::vector<pollfd> fds;
    for (connection& c : d_connections) {
        if (c.socket < 0 && !d_listen) {
            try_to_connect(c);
        }
        const int fd = c.socket >= 0 ? c.socket : c.listener; // poll skips -1
        const bool want_out = c.socket >= 0 && c.connecting;
        fds.push_back({fd, static_cast<short>(want_out ? POLLOUT : POLLIN), 0});
    }
    for (const connection& c : d_connections) { // a second client
        fds.push_back({c.socket >= 0 ? c.listener : -1, POLLIN, 0});
    }
    if (poll(fds.data(), fds.size(), patience_ms) <= 0) {
        return;
    }
    // First the receiver that has just come, and then a look at all, so that it is known which
    // have data waiting from before.
    bool opened = false;
    const std::size_t count = d_connections.size();
    for (std::size_t k = 0; k < count; ++k) {
        if (fds[count + k].revents != 0) {
            receive_another(k, events);
        }
    }
    for (std::size_t k = 0; k < count; ++k) {
        const connection& c = d_connections[k];
        if (fds[k].revents != 0 && (c.socket < 0 || c.connecting)) {
            opened = open(k, fds[k].revents, events) || opened;
            fds[k].revents = 0;
        }
    }
    for (std::size_t k = 0; k < count; ++k) {
        const bool open = d_connections[k].socket >= 0 && !d_connections[k].connecting;
        if (open && (opened || fds[k].revents != 0)) {
            read(k, events);
        }
    }
}

// A connection has come about (true), or could not be made.
bool tcp_streams::open(std::size_t k, short happened, tcp_events& events)
{
    connection& c = d_connections[k];
    if (d_listen) {
        c.socket = accept4(c.listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    } else {
        int error = 0;
        socklen_t size = sizeof(error);
        getsockopt(c.socket, SOL_SOCKET, SO_ERROR, &error, &size);
        c.connecting = false;
        if (error != 0 || (happened & POLLOUT) == 0) {
            close_socket(c.socket);
        }
    }
    if (c.socket < 0) {
        return false;
    }
    watch_peer(c.socket);
    events.opened(k);
    return true;
}

// A client has come while there is one. It stays in the queue where that one has ended already:
// what it sent is read first.
void tcp_streams::receive_another(std::size_t k, tcp_events& events)
{
    connection& c = d_connections[k];
    if (has_ended(c.socket)) {
        return;
    }
    sockaddr_storage peer{};
    socklen_t size = sizeof(peer);
    int other = accept4(c.listener,
                        reinterpret_cast<sockaddr*>(&peer),
                        &size,
                        SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (other < 0) {
        return;
    }
    if (!events.gives_way(k, name_of(peer, size))) {
        close_socket(other);
        return;
    }
    close_socket(c.socket);
    c.socket = other;
    watch_peer(c.socket);
    events.opened(k);
}

void tcp_streams::read(std::size_t k, tcp_events& events)
{
    connection& c = d_connections[k];
    const ssize_t n = recv(c.socket, d_buffer.data(), d_buffer.size(), 0);
    if (n > 0) {
        events.received(k, d_buffer.data(), static_cast<std::size_t>(n));
        if (static_cast<std::size_t>(n) < d_buffer.size()) {
            events.drained(k);
        }
    } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
        events.drained(k);
    } else {
        close_socket(c.socket);
        events.closed(k);
    }
}

} // namespace gr::fringe::io
