/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_POISONED_MEMORY_H
#define INCLUDED_FRINGE_TESTS_POISONED_MEMORY_H

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

// Memory of the device of stand_in_device.cc, filled with poison.
namespace stand_in_device {

constexpr int poison = 0x81;

// AddressSanitizer and ThreadSanitizer look at what comes from malloc.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                     \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool is_watched = true;
#else
constexpr bool is_watched = false;
#endif

// Large memory is this much poison, mapped again and again: a page of it takes memory, and time,
// when something is written to it. Most of a ring never is.
constexpr std::size_t stretch = std::size_t(1) << 20;

inline bool is_mapped(std::size_t bytes) { return bytes >= stretch / 16 && !is_watched; }

inline std::size_t mapped_bytes(std::size_t bytes)
{
    constexpr std::size_t page = 4096;
    return (bytes + page - 1) / page * page;
}

// A file of `stretch` bytes of poison.
inline int poison_file()
{
    static const int file = [] {
        const int made = memfd_create("poison", MFD_CLOEXEC);
        if (made < 0 || ftruncate(made, stretch) != 0) {
            throw std::bad_alloc();
        }
        void* at = mmap(nullptr, stretch, PROT_WRITE, MAP_SHARED, made, 0);
        if (at == MAP_FAILED) {
            throw std::bad_alloc();
        }
        std::memset(at, poison, stretch);
        munmap(at, stretch);
        return made;
    }();
    return file;
}

inline void* poisoned_memory(std::size_t bytes)
{
    if (!is_mapped(bytes)) {
        void* memory = std::malloc(bytes);
        if (!memory && bytes > 0) {
            throw std::bad_alloc();
        }
        std::memset(memory, poison, bytes);
        return memory;
    }
    const std::size_t size = mapped_bytes(bytes);
    void* memory = mmap(
        nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    for (std::size_t at = 0; at < size; at += stretch) {
        if (mmap(static_cast<std::uint8_t*>(memory) + at,
                 std::min(stretch, size - at),
                 PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
                 poison_file(),
                 0) == MAP_FAILED) {
            munmap(memory, size);
            throw std::bad_alloc();
        }
    }
    return memory;
}

// Who uses it after that finds poison, or ends by a signal.
inline void release_poisoned(void* memory, std::size_t bytes) noexcept
{
    if (is_mapped(bytes)) {
        munmap(memory, mapped_bytes(bytes));
        return;
    }
    std::memset(memory, poison, bytes);
    std::free(memory);
}

} // namespace stand_in_device

#endif
