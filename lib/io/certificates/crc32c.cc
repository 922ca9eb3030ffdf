/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/certificates/crc32c.h"
#include <algorithm>
#include <array>
#include <cstring>
#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace gr::fringe::io {

namespace {

// Rows whose sums are made side by side: an instruction waits three cycles for the one before.
constexpr std::size_t together = 4;

std::array<std::uint32_t, 256> make_table()
{
    constexpr std::uint32_t polynomial = 0x82f63b78; // bits in reverse order
    std::array<std::uint32_t, 256> table;
    for (std::uint32_t k = 0; k < table.size(); k++) {
        std::uint32_t value = k;
        for (int bit = 0; bit < 8; bit++)
            value = (value >> 1) ^ ((value & 1) != 0 ? polynomial : 0);
        table[k] = value;
    }
    return table;
}

std::uint32_t
crc_by_table(std::uint32_t crc, const unsigned char* bytes, std::size_t count)
{
    static const auto table = make_table();
    for (std::size_t k = 0; k < count; k++)
        crc = (crc >> 8) ^ table[(crc ^ bytes[k]) & 0xff];
    return crc;
}

#if defined(__x86_64__)
bool has_instruction()
{
    static const bool has = __builtin_cpu_supports("sse4.2");
    return has;
}

std::uint64_t eight_bytes(const unsigned char* from)
{
    std::uint64_t value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

__attribute__((target("sse4.2"))) std::uint32_t
crc_by_instruction(std::uint32_t crc, const unsigned char* bytes, std::size_t count)
{
    std::uint64_t sum = crc;
    for (; count >= 8; bytes += 8, count -= 8)
        sum = _mm_crc32_u64(sum, eight_bytes(bytes));
    crc = static_cast<std::uint32_t>(sum);
    for (; count > 0; bytes++, count--)
        crc = _mm_crc32_u8(crc, *bytes);
    return crc;
}

__attribute__((target("sse4.2"))) void
crc_of_four(const unsigned char* bytes, std::size_t row_bytes, std::uint32_t* sums)
{
    std::uint64_t crc[together];
    std::fill_n(crc, together, 0xffffffffu);
    std::size_t at = 0;
    for (; at + 8 <= row_bytes; at += 8)
        for (std::size_t r = 0; r < together; r++)
            crc[r] = _mm_crc32_u64(crc[r], eight_bytes(bytes + r * row_bytes + at));
    for (std::size_t r = 0; r < together; r++)
        sums[r] = ~crc_by_instruction(static_cast<std::uint32_t>(crc[r]),
                                      bytes + r * row_bytes + at,
                                      row_bytes - at);
}
#endif

} // namespace

std::uint32_t crc32c(const void* bytes, std::size_t count, std::uint32_t before)
{
    const auto from = static_cast<const unsigned char*>(bytes);
#if defined(__x86_64__)
    if (has_instruction())
        return ~crc_by_instruction(~before, from, count);
#endif
    return ~crc_by_table(~before, from, count);
}

void crc32c_of_rows(const void* values,
                    std::size_t rows,
                    std::size_t row_bytes,
                    std::uint32_t* sums)
{
    const auto from = static_cast<const unsigned char*>(values);
    std::size_t r = 0;
#if defined(__x86_64__)
    if (has_instruction())
        for (; r + together <= rows; r += together)
            crc_of_four(from + r * row_bytes, row_bytes, sums + r);
#endif
    for (; r < rows; r++)
        sums[r] = crc32c(from + r * row_bytes, row_bytes);
}

} // namespace gr::fringe::io
