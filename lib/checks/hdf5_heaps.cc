/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "checks/hdf5_heaps.h"
#include <cstring>

namespace gr::fringe::checks {

namespace {

constexpr std::size_t head = 16; // bytes of the head of a collection, and of an object

std::uint64_t number(const std::uint8_t* at, unsigned width)
{
    std::uint64_t value = 0;
    for (unsigned k = 0; k < width; ++k)
        value |= std::uint64_t(at[k]) << 8 * k;
    return value;
}

// Lengths of 8 bytes, as all files have them that are not made otherwise on purpose.
bool has_long_lengths(const std::uint8_t* file, std::size_t bytes)
{
    if (bytes < 48 || std::memcmp(file, "\x89HDF\r\n\x1a\n", 8) != 0)
        return false;
    return (file[8] < 2 ? file[14] : file[10]) == 8;
}

// A collection: its length, and objects with an index (0: what is free), a length, and content
// that is padded to 8 bytes.
bool is_whole(const std::uint8_t* collection, std::size_t left)
{
    const std::uint64_t length = number(collection + 8, 8);
    if (length < 2 * head || length > left)
        return false;
    std::uint64_t at = head;
    while (length - at >= head) {
        const std::uint64_t size = number(collection + at + 8, 8);
        const bool is_free = number(collection + at, 2) == 0;
        if (is_free)
            return size <= length - at;
        if (size > length - at - head)
            return false;
        at += head + (size + 7) / 8 * 8;
        if (at > length)
            return false;
    }
    return true;
}

} // namespace

std::string wrong_heap(const std::uint8_t* file, std::size_t bytes)
{
    if (!has_long_lengths(file, bytes))
        return "";
    const std::uint8_t* const end = file + bytes;
    for (const std::uint8_t* at = file; end - at >= std::ptrdiff_t(2 * head);) {
        at = static_cast<const std::uint8_t*>(
            memmem(at, static_cast<std::size_t>(end - at), "GCOL\1\0\0\0", 8));
        if (!at || end - at < std::ptrdiff_t(2 * head))
            break;
        if ((at - file) % 8 == 0 && !is_whole(at, static_cast<std::size_t>(end - at)))
            return "the heap of texts at byte " + std::to_string(at - file) +
                   " has lengths that cannot be";
        at += 8;
    }
    return "";
}

} // namespace gr::fringe::checks
