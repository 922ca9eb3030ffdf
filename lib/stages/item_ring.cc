/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stages/item_ring.h"
#include "kernels/base/memory.h"
#include "kernels/base/stream_copy.h"
#include "kernels/base/workers.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace gr::fringe {

namespace {

constexpr std::size_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t max_items = std::size_t(1) << 30;
constexpr std::size_t huge_page = std::size_t(2) << 20; // bytes
// What a thread copies at a time, what is copied together, and what one thread copies alone:
// others would wake up to find it done.
constexpr std::size_t piece = std::size_t(1) << 20, together = 64 * piece,
                      alone = 4 * piece;

[[noreturn]] void refuse(const std::string& where, std::size_t bytes, int why)
{
    throw std::runtime_error(where + ": a ring of " + std::to_string(bytes) +
                             " bytes: " + std::strerror(why));
}

// A file without a name, `bytes` long, whose blocks are reserved: a disk that fills up later does
// not stop the stream.
int open_file(const std::string& folder, std::size_t bytes)
{
    std::string name = folder + "/.ring-XXXXXX";
    const int file = mkstemp(name.data());
    if (file < 0) {
        refuse(folder, bytes, errno);
    }
    unlink(name.c_str());
    if (const int why = posix_fallocate(file, 0, static_cast<off_t>(bytes))) {
        close(file);
        refuse(folder, bytes, why);
    }
    return file;
}

std::uint8_t* map_file(const std::string& folder, std::size_t bytes)
{
    const int file = open_file(folder, bytes);
    void* memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    const int why = errno;
    close(file);
    if (memory == MAP_FAILED) {
        refuse(folder, bytes, why);
    }
    return static_cast<std::uint8_t*>(memory);
}

// Memory whose pages are there before the stream comes. Where the system has huge pages, they are
// asked for: an ordinary page is looked up for each 4096 bytes that are copied.
std::uint8_t* map_memory(kernels::workers& by, std::size_t bytes)
{
    kernels::require_memory(
        "voltage_ring", "the items of a ring", static_cast<double>(bytes));
    void* memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        refuse("memory", bytes, errno);
    }
#ifdef MADV_HUGEPAGE
    madvise(memory, bytes, MADV_HUGEPAGE); // A wish: where it is refused nothing changes.
#endif
    auto* const at = static_cast<std::uint8_t*>(memory);
    by.run((bytes + huge_page - 1) / huge_page, [&](std::size_t k, unsigned) {
        const std::size_t end = std::min(bytes, (k + 1) * huge_page);
        for (std::size_t page = k * huge_page; page < end; page += 4096) {
            at[page] = 0;
        }
    });
    return at;
}

} // namespace

item_ring::item_ring(std::size_t item_bytes,
                     std::size_t items,
                     std::size_t readers,
                     const std::string& folder)
    : d_item_bytes(item_bytes), d_readers(readers), d_workers(kernels::workers::shared())
{
    if (!item_bytes || !items || !readers) {
        throw std::invalid_argument(
            "item_ring: items, their bytes and readers must be 1 or more");
    }
    const std::size_t places = items + readers;
    if (items > max_items || readers > max_items || places > largest / item_bytes) {
        throw std::invalid_argument("item_ring: " + std::to_string(items) + " items of " +
                                    std::to_string(item_bytes) + " bytes are too many");
    }
    d_slots.resize(items);
    for (std::size_t k = 0; k < items; ++k) {
        d_slots[k].place = k;
    }
    d_spare.resize(readers);
    std::iota(d_spare.begin(), d_spare.end(), items);
    d_holders.resize(places);
    d_replaced.resize(places);
    d_mapped = places * item_bytes;
    d_memory =
        folder.empty() ? map_memory(*d_workers, d_mapped) : map_file(folder, d_mapped);
}

item_ring::~item_ring() { munmap(d_memory, d_mapped); }

// Where the next item goes. What a reader holds there stays, and the slot gets a spare place: there
// is one for each reader.
std::uint8_t* item_ring::begin_item()
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    slot& s = d_slots[d_begun % d_slots.size()];
    if (d_holders[s.place]) {
        d_replaced[s.place] = true;
        s.place = d_spare.back();
        d_spare.pop_back();
    }
    s.filled = false;
    ++d_begun;
    return at(s.place);
}

void item_ring::finish_item()
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    d_slots[d_next % d_slots.size()].filled = true;
    ++d_next;
}

// Copies past the caches: items are read much later, if ever.
void item_ring::copy(const std::vector<std::uint8_t*>& to, const std::uint8_t* from)
{
    const std::size_t pieces = (d_item_bytes + piece - 1) / piece;
    const auto copy_piece = [&](std::size_t n, unsigned) {
        const std::size_t k = n / pieces, first = n % pieces * piece;
        kernels::stream_copy(to[k] + first,
                             from + k * d_item_bytes + first,
                             std::min(piece, d_item_bytes - first));
        kernels::stream_fence();
    };
    if (to.size() * d_item_bytes > alone) {
        d_workers->run(to.size() * pieces, copy_piece);
        return;
    }
    for (std::size_t n = 0; n < to.size() * pieces; ++n) {
        copy_piece(n, 0);
    }
}

void item_ring::put(const std::uint8_t* items, std::size_t count)
{
    const std::size_t maximum =
        std::clamp<std::size_t>(together / d_item_bytes, 1, d_slots.size());
    for (std::size_t done = 0; done < count;) {
        std::vector<std::uint8_t*> to(std::min(maximum, count - done));
        std::generate(to.begin(), to.end(), [this] { return begin_item(); });
        copy(to, items + done * d_item_bytes);
        for (std::size_t k = 0; k < to.size(); ++k) {
            finish_item();
        }
        d_came.notify_all();
        done += to.size();
    }
}

void item_ring::set_ended(bool ended)
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    d_ended = ended;
    d_came.notify_all();
}

bool item_ring::ended() const
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    return d_ended;
}

std::uint64_t item_ring::first() const
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    return d_begun > d_slots.size() ? d_begun - d_slots.size() : 0;
}

std::uint64_t item_ring::next() const
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    return d_next;
}

bool item_ring::wait_for(std::uint64_t number, double seconds)
{
    std::unique_lock<std::mutex> lock(d_mutex);
    d_came.wait_for(lock, std::chrono::duration<double>(seconds), [&] {
        return d_ended || d_next > number;
    });
    return d_next > number;
}

const std::uint8_t* item_ring::hold(std::uint64_t number)
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    const slot& s = d_slots[number % d_slots.size()];
    if (number >= d_next || d_next - number > d_slots.size() || !s.filled) {
        return nullptr;
    }
    if (d_held == d_readers) {
        throw std::logic_error("item_ring: as many items are held as there are readers");
    }
    ++d_held;
    ++d_holders[s.place];
    return at(s.place);
}

void item_ring::release(const std::uint8_t* item)
{
    const std::lock_guard<std::mutex> lock(d_mutex);
    const std::size_t place = static_cast<std::size_t>(item - d_memory) / d_item_bytes;
    if (item < d_memory || place >= d_holders.size() || !d_holders[place]) {
        throw std::logic_error("item_ring: this item is not held");
    }
    --d_held;
    if (--d_holders[place] == 0 && d_replaced[place]) {
        d_replaced[place] = false;
        d_spare.push_back(place);
    }
}

} // namespace gr::fringe
