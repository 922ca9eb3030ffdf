/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_BLOCK_READER_H
#define INCLUDED_FRINGE_IO_BLOCK_READER_H

#include "io/recordings/recording_set.h"
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gr::fringe::io {

/*!
 * Reads blocks of a recording ahead of the one who asks for them, with several threads.
 *
 * One thread copies 3 to 5 GB/s out of the system's memory; a GPU takes ten times as much.
 * Blocks are cut into pieces, by files and by time, which the threads take in order. The caller of next() reads
 * too instead of waiting, and is the only one where `threads` is 1.
 *
 * begin() and next() are called by one thread.
 */
class FRINGE_API block_reader
{
public:
    //! Blocks of this number of samples of every stream. Throws std::system_error when the system
    //! gives no thread.
    block_reader(const recording_set& from, std::size_t block_samples, unsigned threads);
    ~block_reader();
    block_reader(const block_reader&) = delete;
    block_reader& operator=(const block_reader&) = delete;

    //! Samples n ... n + count - 1 of the recording become a block at `out`, which stays
    //! until next() or cancel() returns; behind them it is zero.
    void begin(std::uint64_t n, std::size_t count, std::uint8_t* out);
    //! Blocks that were begun and not taken.
    std::size_t size() const { return d_blocks.size(); }
    //! The oldest of them is there.
    bool ready() const;
    //! What is lost of the oldest one. Waits for it; throws what reading it threw, after
    //! which the others are still to be taken.
    std::vector<lost_samples> next();
    //! Forgets all blocks. Returns when nothing is being read any more.
    void cancel();

private:
    struct piece {
        recording_set::file_range files;
        std::uint64_t n;   // of the recording
        std::size_t first; // of the block
        std::size_t count;
        std::vector<lost_samples> lost;
    };
    struct block {
        std::uint8_t* out;
        std::size_t samples;
        std::vector<piece> pieces;
        std::size_t begun = 0, done = 0; // pieces
        std::exception_ptr failed;
    };

    void help();
    void end_threads();
    bool read_piece(std::unique_lock<std::mutex>& lock, const block* only);
    block* with_work();

    const recording_set& d_from;
    const std::size_t d_block, d_piece; // samples
    const std::size_t d_files;          // of a piece
    mutable std::mutex d_mutex;         // of what follows
    std::condition_variable d_read, d_work;
    std::deque<block> d_blocks;
    std::size_t d_reading = 0; // threads that read
    bool d_canceled = false, d_ended = false;
    std::vector<std::thread> d_threads; // none: the caller reads alone
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_BLOCK_READER_H */
