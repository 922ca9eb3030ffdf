/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/socket_address.h"
#include <arpa/inet.h>
#include <functional>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdexcept>
#include <sys/socket.h>

namespace gr {
namespace fringe {
namespace io {

void refuse_address(const std::string& address, const std::string& why)
{
    throw std::invalid_argument("udp: " + address + ": " + why);
}

std::uint32_t resolve_host(const std::string& address, const std::string& host)
{
    addrinfo hints{};
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found);
    if (error != 0) {
        refuse_address(address, gai_strerror(error));
    }
    const auto first = reinterpret_cast<const sockaddr_in*>(found->ai_addr)->sin_addr;
    freeaddrinfo(found);
    return first.s_addr;
}

sockaddr_in parse_address(const std::string& address)
{
    const std::size_t colon = address.rfind(':');
    const std::string port = colon == std::string::npos ? "" : address.substr(colon + 1);
    if (colon == 0 || port.empty() || port.size() > 5 ||
        port.find_first_not_of("0123456789") != std::string::npos ||
        std::stoul(port) > 65535) {
        refuse_address(address, "must be host:port, as in 127.0.0.1:7148");
    }
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = resolve_host(address, address.substr(0, colon));
    name.sin_port = htons(static_cast<std::uint16_t>(std::stoul(port)));
    return name;
}

bool is_multicast(const sockaddr_in& name)
{
    return IN_MULTICAST(ntohl(name.sin_addr.s_addr));
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
                    ": there is none of this name, nor is it an address; ip link lists "
                    "the names");
        }
    }
    return request;
}

namespace {

// Calls for each interface and IPv4 address that it has.
void each_address(const std::function<void(const char*, std::uint32_t)>& call)
{
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0) {
        return;
    }
    for (const ifaddrs* one = all; one; one = one->ifa_next) {
        if (one->ifa_addr && one->ifa_addr->sa_family == AF_INET) {
            call(one->ifa_name,
                 reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr.s_addr);
        }
    }
    freeifaddrs(all);
}

} // namespace

unsigned interface_index(const std::string& address, const std::string& interface)
{
    const ip_mreqn found = multicast_interface(address, interface);
    auto index = static_cast<unsigned>(found.imr_ifindex);
    if (found.imr_address.s_addr != 0) {
        each_address([&](const char* name, std::uint32_t one) {
            index = one == found.imr_address.s_addr ? if_nametoindex(name) : index;
        });
    }
    return index;
}

std::vector<std::uint32_t> addresses_here()
{
    std::vector<std::uint32_t> all;
    each_address([&](const char*, std::uint32_t one) { all.push_back(one); });
    return all;
}

} // namespace io
} // namespace fringe
} // namespace gr
