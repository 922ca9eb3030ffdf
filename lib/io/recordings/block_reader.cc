/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/recordings/block_reader.h"
#include "kernels/base/thread_name.h"
#include <algorithm>
#include <numeric>

namespace gr::fringe::io {

namespace {

// Large enough that a piece costs little besides its copy, small enough that all threads
// have one and that what a format has to look at again is in the core's cache.
constexpr std::size_t piece_bytes = std::size_t(1) << 19;

// Pieces begin where samples of a format may be read, with whole bytes of every stream. They
// are of one file where that has enough samples in a block: these lie one behind the other.
std::size_t piece_samples(const recording_set& from, std::size_t block)
{
    const std::size_t step = std::lcm(from.format().granule, std::size_t(8));
    const std::size_t bytes = from.encoding().bytes(from.streams() / from.files(), step);
    return std::min(std::max<std::size_t>(piece_bytes / bytes, 1) * step, block);
}

std::size_t piece_files(const recording_set& from, std::size_t block)
{
    const std::size_t bytes = from.encoding().bytes(from.streams() / from.files(), block);
    return std::clamp<std::size_t>(
        piece_bytes / std::max<std::size_t>(bytes, 1), 1, from.files());
}

// Pieces cut runs of lost samples, too.
std::vector<lost_samples> joined(std::vector<lost_samples> runs)
{
    std::stable_sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
        return a.stream != b.stream ? a.stream < b.stream : a.first < b.first;
    });
    std::vector<lost_samples> all;
    for (const lost_samples& r : runs) {
        const bool goes_on = !all.empty() && all.back().stream == r.stream &&
                             all.back().cause == r.cause &&
                             all.back().first + all.back().count == r.first;
        if (goes_on)
            all.back().count += r.count;
        else
            all.push_back(r);
    }
    return all;
}

} // namespace

block_reader::block_reader(const recording_set& from,
                           std::size_t block_samples,
                           unsigned threads)
    : d_from(from),
      d_block(block_samples),
      d_piece(piece_samples(from, block_samples)),
      d_files(piece_files(from, block_samples))
{
    try {
        for (unsigned n = 1; n < threads; ++n)
            d_threads.emplace_back([this] {
                name_thread("fringe_reader");
                help();
            });
    } catch (...) {
        end_threads();
        throw;
    }
}

block_reader::~block_reader()
{
    cancel();
    end_threads();
}

void block_reader::end_threads()
{
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        d_ended = true;
    }
    d_work.notify_all();
    for (std::thread& thread : d_threads)
        thread.join();
}

// A thread reads pieces for as long as there are any, and waits for more.
void block_reader::help()
{
    std::unique_lock<std::mutex> lock(d_mutex);
    while (!d_ended) {
        if (!read_piece(lock, nullptr))
            d_work.wait(lock, [this] { return d_ended || with_work(); });
    }
}

void block_reader::begin(std::uint64_t n, std::size_t count, std::uint8_t* out)
{
    block b;
    b.out = out;
    b.samples = count;
    for (std::size_t k = 0; k < d_from.files(); k += d_files) {
        const std::size_t files = std::min(d_files, d_from.files() - k);
        for (std::size_t at = 0; at < count; at += d_piece)
            b.pieces.push_back(
                {{k, files}, n + at, at, std::min(d_piece, count - at), {}});
    }
    std::size_t for_others = b.pieces.size();
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        if (d_blocks.empty() && for_others > 0)
            --for_others; // the caller reads that one: nobody has to be woken for it
        d_blocks.push_back(std::move(b));
    }
    for (std::size_t k = 0; k < std::min(for_others, d_threads.size()); ++k)
        d_work.notify_one();
}

// The oldest block of which there is a piece to read, or null.
block_reader::block* block_reader::with_work()
{
    for (block& b : d_blocks) {
        if (b.begun < b.pieces.size())
            return &b;
    }
    return nullptr;
}

// Reads the next piece, of `only` if that is given; false without one.
bool block_reader::read_piece(std::unique_lock<std::mutex>& lock, const block* only)
{
    block* const b = with_work();
    if (!b || (only && b != only))
        return false;
    piece& p = b->pieces[b->begun++];
    ++d_reading;
    lock.unlock();
    std::exception_ptr failed;
    try {
        d_from.read_piece(p.files, p.n, p.count, p.first, d_block, b->out, p.lost);
    } catch (...) {
        failed = std::current_exception();
    }
    lock.lock();
    --d_reading;
    b->failed = b->failed ? b->failed : failed;
    if (++b->done == b->pieces.size() || d_canceled)
        d_read.notify_all();
    return true;
}

bool block_reader::ready() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return !d_blocks.empty() && d_blocks.front().done == d_blocks.front().pieces.size();
}

std::vector<lost_samples> block_reader::next()
{
    std::unique_lock<std::mutex> lock(d_mutex);
    block& b = d_blocks.front();
    while (read_piece(lock, &b)) {
    }
    d_read.wait(lock, [&] { return b.done == b.pieces.size(); });
    const block whole = std::move(b);
    d_blocks.pop_front();
    lock.unlock();
    if (whole.failed)
        std::rethrow_exception(whole.failed);
    if (whole.samples < d_block)
        d_from.clear_rest(whole.samples, d_block, whole.out);
    std::vector<lost_samples> lost;
    for (const piece& p : whole.pieces)
        lost.insert(lost.end(), p.lost.begin(), p.lost.end());
    return whole.pieces.size() > 1 ? joined(std::move(lost)) : lost;
}

void block_reader::cancel()
{
    std::unique_lock<std::mutex> lock(d_mutex);
    for (block& b : d_blocks)
        b.begun = b.pieces.size();
    d_canceled = true;
    d_read.wait(lock, [this] { return d_reading == 0; });
    d_canceled = false;
    d_blocks.clear();
}

} // namespace gr::fringe::io
