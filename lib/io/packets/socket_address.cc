/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/socket_address.h"
#include <arpa/inet.h>
#include <cstring>
#include <functional>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdexcept>

namespace gr::fringe::io {

void refuse_address(const std::string& address, const std::string& why)
{
    throw std::invalid_argument("udp: " + address + ": " + why);
}

host_address host_of(std::uint32_t ipv4)
{
    host_address host{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    std::memcpy(host.data() + 12, &ipv4, sizeof(ipv4));
    return host;
}

host_address host_of(const sockaddr* name)
{
    if (name->sa_family != AF_INET6) {
        return host_of(reinterpret_cast<const sockaddr_in*>(name)->sin_addr.s_addr);
    }
    host_address host{};
    std::memcpy(host.data(),
                &reinterpret_cast<const sockaddr_in6*>(name)->sin6_addr,
                host.size());
    return host;
}

bool socket_name::is_multicast() const
{
    return is_v6() ? IN6_IS_ADDR_MULTICAST(&v6().sin6_addr)
                   : IN_MULTICAST(ntohl(v4().sin_addr.s_addr));
}

bool socket_name::is_of_link() const
{
    return is_v6() && (IN6_IS_ADDR_LINKLOCAL(&v6().sin6_addr) ||
                       IN6_IS_ADDR_MC_LINKLOCAL(&v6().sin6_addr));
}

socket_name resolve_host(const std::string& address, const std::string& host)
{
    addrinfo hints{};
    hints.ai_family = host.find(':') == std::string::npos ? AF_INET : AF_INET6;
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found);
    if (error != 0) {
        refuse_address(address, gai_strerror(error));
    }
    socket_name name;
    std::memcpy(&name.storage, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return name;
}

socket_name parse_address(const std::string& address)
{
    const std::size_t colon = address.rfind(':');
    const std::string port = colon == std::string::npos ? "" : address.substr(colon + 1);
    if (colon == 0 || port.empty() || port.size() > 5 ||
        port.find_first_not_of("0123456789") != std::string::npos ||
        std::stoul(port) > 65535) {
        refuse_address(address, "must be host:port, as in 127.0.0.1:7148");
    }
    std::string host = address.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    } else if (host.find(':') != std::string::npos) {
        refuse_address(address, "an IPv6 address stands in brackets, as in [::1]:7148");
    }
    socket_name name = resolve_host(address, host);
    const std::uint16_t number = htons(static_cast<std::uint16_t>(std::stoul(port)));
    (name.is_v6() ? name.v6().sin6_port : name.v4().sin_port) = number;
    return name;
}

socket_name bound_name(int fd)
{
    socket_name name;
    socklen_t size = sizeof(name.storage);
    getsockname(fd, name.get(), &size);
    return name;
}

ip_mreqn multicast_interface(const std::string& address, const std::string& interface)
{
    ip_mreqn request{};
    if (!interface.empty()) {
        request.imr_ifindex = static_cast<int>(if_nametoindex(interface.c_str()));
        if (request.imr_ifindex == 0 &&
            inet_pton(AF_INET, interface.c_str(), &request.imr_address) != 1) {
            refuse_address(
                address,
                "interface " + interface +
                    ": no interface has this name, and it is no address; ip link lists "
                    "the names");
        }
    }
    return request;
}

namespace {

// Calls for each interface and address that it has.
void each_address(const std::function<void(const char*, const sockaddr*)>& call)
{
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0) {
        return;
    }
    for (const ifaddrs* entry = all; entry; entry = entry->ifa_next) {
        const int family = entry->ifa_addr ? entry->ifa_addr->sa_family : AF_UNSPEC;
        if (family == AF_INET || family == AF_INET6) {
            call(entry->ifa_name, entry->ifa_addr);
        }
    }
    freeifaddrs(all);
}

} // namespace

unsigned interface_index(const std::string& address, const std::string& interface)
{
    in6_addr six{};
    host_address wanted{};
    if (inet_pton(AF_INET6, interface.c_str(), &six) == 1) {
        std::memcpy(wanted.data(), &six, wanted.size());
    } else {
        const ip_mreqn found = multicast_interface(address, interface);
        if (found.imr_address.s_addr == 0) {
            return static_cast<unsigned>(found.imr_ifindex);
        }
        wanted = host_of(found.imr_address.s_addr);
    }
    unsigned index = 0;
    each_address([&](const char* name, const sockaddr* found) {
        index = host_of(found) == wanted ? if_nametoindex(name) : index;
    });
    return index;
}

std::vector<std::uint32_t> addresses_here()
{
    std::vector<std::uint32_t> all;
    each_address([&](const char*, const sockaddr* address) {
        if (address->sa_family == AF_INET) {
            all.push_back(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr);
        }
    });
    return all;
}

} // namespace gr::fringe::io
