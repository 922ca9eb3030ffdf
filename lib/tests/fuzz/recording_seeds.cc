/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "recording_seeds.h"
#include <cstdio>

namespace fuzzed {

namespace {

std::string card(const std::string& key, const std::string& value)
{
    std::string text = key;
    text.resize(8, ' ');
    text += "= " + value;
    text.resize(80, ' ');
    return text;
}

} // namespace

bytes dada()
{
    bytes b;
    put(b,
        "HEADER DADA\nHDR_SIZE 512\nNBIT 8\nNDIM 2\nNPOL 2\nNCHAN 4\nNANT 2\nORDER TFPA\n"
        "TSAMP 1\nBW 4\nFREQ 100\nUTC_START 2026-01-01-00:00:00\nOBS_OFFSET 0\n"
        "MJD_START 61041.0\nFILE_SIZE 1600\nENDIAN BIG\n");
    b.resize(512 + 1600, 0);
    return b;
}

bytes guppi()
{
    bytes b;
    put(b,
        card("OBSNCHAN", "4") + card("NANTS", "2") + card("NPOL", "4") +
            card("NBITS", "8") + card("OBSBW", "2") + card("TBIN", "1E-6") +
            card("BLOCSIZE", "1600") + card("PKTIDX", "0") + card("PIPERBLK", "10") +
            card("OVERLAP", "4") + card("DIRECTIO", "1") + card("STT_IMJD", "61000") +
            card("PKTFMT", "'1SFA    '"));
    std::string end = "END";
    end.resize(80, ' ');
    put(b, end);
    b.resize((b.size() + 511) / 512 * 512 + 1600, 7);
    return b;
}

bytes wav()
{
    bytes b;
    put(b, "RF64");
    put_number(b, 0xffffffff, 4);
    put(b, "WAVEds64");
    put_number(b, 24, 4);
    for (const std::uint64_t n : {0, 1600, 0})
        put_number(b, n, 8);
    put(b, "auxi");
    put_number(b, 36, 4);
    for (const unsigned n : {2026, 1, 4, 1, 0, 0, 0, 0, 2026, 1, 4, 1, 0, 0, 1, 0})
        put_number(b, n, 2);
    put_number(b, 1420405751, 4);
    put(b, "fmt ");
    put_number(b, 16, 4);
    put_number(b, 1, 2);
    put_number(b, 2, 2);
    put_number(b, 1000000, 4);
    put_number(b, 4000000, 4);
    put_number(b, 4, 2);
    put_number(b, 16, 2);
    put(b, "data");
    put_number(b, 0xffffffff, 4);
    b.resize(b.size() + 1600, 3);
    return b;
}

namespace {

void put_entry(bytes& b, const std::string& key)
{
    put_number(b, 9, 1);
    put_number(b, 7, 1);
    put_number(b, 2, 1);
    put_number(b, key.size(), 2, true);
    put(b, key);
}

} // namespace

bytes file_meta()
{
    bytes b;
    for (std::uint64_t segment = 0; segment < 2; ++segment) {
        for (const auto& [key, value] :
             {std::pair<std::string, std::uint64_t>{"strt", 149}, {"bytes", 800}}) {
            put_entry(b, key);
            put_number(b, 11, 1);
            put_number(b, value, 8, true);
        }
        put_entry(b, "rx_rate");
        put_number(b, 4, 1);
        put_number(b, 0x412e848000000000, 8, true); // 1e6
        put_entry(b, "rx_time");
        put_number(b, 12, 1);
        put_number(b, 2, 4, true);
        put_number(b, 11, 1);
        put_number(b, 1780000000 + segment, 8, true);
        put_number(b, 4, 1);
        put_number(b, 0, 8);
        put_entry(b, "cplx");
        put_number(b, 0, 1);
        for (const auto& [key, value] : {std::pair<std::string, std::uint64_t>{"type", 1},
                                         {"size", 4},
                                         {"version", 0}}) {
            put_entry(b, key);
            put_number(b, 3, 1);
            put_number(b, value, 4, true);
        }
        put_number(b, 6, 1);
        b.resize(b.size() + 800, 5);
    }
    return b;
}

namespace {

void put_member(bytes& b, const std::string& name, const std::string& content)
{
    std::string header = name;
    header.resize(124, '\0');
    char size[13];
    std::snprintf(size, sizeof size, "%011o", static_cast<unsigned>(content.size()));
    header += size;
    header.resize(156, '\0');
    header += '0';
    header.resize(257, '\0');
    header += "ustar";
    header.resize(512, '\0');
    put(b, header + content);
    b.resize((b.size() + 511) / 512 * 512, 0);
}

} // namespace

bytes sigmf_archive()
{
    bytes b;
    put_member(b,
               "x.sigmf-meta",
               R"({"global": {"core:datatype": "ci16_be", "core:sample_rate": 1e6,
                "core:trailing_bytes": 4, "core:offset": 7, "core:version": "1.0.0"},
                "captures": [{"core:sample_start": 7, "core:header_bytes": 8},
                {"core:sample_start": 107, "core:header_bytes": 8}]})");
    put_member(b, "x.sigmf-data", std::string(1600, 'a'));
    b.resize(b.size() + 1024, 0);
    return b;
}

bytes vdif()
{
    bytes b;
    for (std::uint32_t n = 0; n < 10; ++n) {
        for (const std::uint32_t word : {n / 4,
                                         n % 4 | 52u << 24,
                                         17u | 1u << 29,
                                         1u << 31 | 7u << 26 | 0x4141u,
                                         4u << 24 | 1u << 16,
                                         0xacabfeedu,
                                         1u,
                                         0u})
            put_number(b, word, 4);
        b.resize(b.size() + 104, 9);
    }
    return b;
}

bytes mark5b()
{
    bytes b;
    for (std::uint32_t n = 0; n < 3; ++n) {
        for (const std::uint32_t word : {0xabaddeedu, n, 0x82186399u, 0x12340000u})
            put_number(b, word, 4);
        b.resize(b.size() + 10000, 9);
    }
    return b;
}

bytes mwa32t()
{
    bytes b;
    for (std::uint32_t n = 0; n < 40; ++n) {
        put_number(b, 65530 + n, 2);
        b.resize(b.size() + 32, 3);
    }
    return b;
}

} // namespace fuzzed
