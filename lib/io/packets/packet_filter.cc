/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/packets/packet_filter.h"
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sys/socket.h>

namespace gr::fringe::io {

namespace {

// Offsets in a frame.
constexpr unsigned type = 12, ip = ETH_HLEN, fragment = ip + 6, protocol = ip + 9,
                   destination = ip + 16, udp_destination = ip + 2;
constexpr std::uint32_t whole_frame = 0x40000;

class assembler
{
public:
    void load(unsigned how, std::uint32_t at) { add(std::uint16_t(BPF_LD | how), at); }
    void load_header_length() { add(BPF_LDX | BPF_B | BPF_MSH, ip); }
    void modulo(std::uint32_t n) { add(BPF_ALU | BPF_MOD | BPF_K, n); }
    void end_with_loaded() { add(BPF_RET | BPF_A, 0); }
    void mask(std::uint32_t bits) { add(BPF_ALU | BPF_AND | BPF_K, bits); }
    void end(std::uint32_t bytes) { add(BPF_RET | BPF_K, bytes); }
    // Goes on where the comparison with what was loaded holds, or where it does not; ends
    // the program with `otherwise` bytes of the packet where not.
    void
    only_if(unsigned compare, std::uint32_t value, bool holds, std::uint32_t otherwise)
    {
        program.push_back({std::uint16_t(BPF_JMP | compare | BPF_K),
                           std::uint8_t(holds),
                           std::uint8_t(!holds),
                           value});
        end(otherwise);
    }
    std::vector<sock_filter> program;

private:
    void add(std::uint16_t code, std::uint32_t k) { program.push_back({code, 0, 0, k}); }
};

} // namespace

std::vector<sock_filter>
datagrams_to(const std::vector<std::uint32_t>& addresses, bool loopback, unsigned port)
{
    assembler a;
    a.load(BPF_W | BPF_ABS, std::uint32_t(SKF_AD_OFF + SKF_AD_PKTTYPE));
    a.only_if(BPF_JGT, PACKET_MULTICAST, false, 0); // others are not for this computer
    a.load(BPF_H | BPF_ABS, type);
    a.only_if(BPF_JEQ, ETH_P_IP, true, 0);
    a.load(BPF_B | BPF_ABS, protocol);
    a.only_if(BPF_JEQ, IPPROTO_UDP, true, 0);
    a.load(BPF_H | BPF_ABS, fragment);
    a.only_if(BPF_JSET, 0x3fff, false, 0);
    a.load_header_length();
    a.load(BPF_H | BPF_IND, udp_destination);
    a.only_if(BPF_JEQ, port, true, 0);
    a.load(BPF_W | BPF_ABS, destination);
    for (const std::uint32_t address : addresses) {
        a.only_if(BPF_JEQ, ntohl(address), false, whole_frame);
    }
    if (loopback) {
        a.mask(0xff000000);
        a.only_if(BPF_JEQ, 0x7f000000, false, whole_frame);
    }
    a.end(0);
    return a.program;
}

std::vector<sock_filter> nothing()
{
    assembler a;
    a.end(0);
    return a.program;
}

std::vector<sock_filter> one_at_random(std::uint32_t sockets)
{
    assembler a;
    a.load(BPF_W | BPF_ABS, std::uint32_t(SKF_AD_OFF + SKF_AD_RANDOM));
    a.modulo(sockets);
    a.end_with_loaded();
    return a.program;
}

bool set_filter(int fd, std::vector<sock_filter> program)
{
    const sock_fprog all{static_cast<unsigned short>(program.size()), program.data()};
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &all, sizeof(all)) == 0;
}

} // namespace gr::fringe::io
