/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_SHARED_RECORDING_H
#define INCLUDED_FRINGE_BLOCKS_SHARED_RECORDING_H

#include "blocks/base/loss_counter.h"
#include "blocks/stages/recorded_blocks.h"
#include "io/recordings/recording_set.h"
#include <atomic>
#include <gnuradio/logger.h>
#include <mutex>

namespace gr::fringe {

/*!
 * The recording of a file_source, with what became of it: how far it was read, what of it
 * is no good, and why it ended before its end. Other blocks may read it, too, with any
 * number of threads.
 */
class shared_recording : public recorded_blocks
{
public:
    //! The first `total` samples, in blocks of `block_samples`. `owner` gets the port
    //! `losses`.
    shared_recording(gr::block& owner,
                     gr::logger_ptr logger,
                     io::recording_set files,
                     std::size_t block_samples,
                     std::uint64_t total,
                     bool repeat);

    std::size_t samples_at(std::uint64_t position) const override;
    void read_at(std::uint64_t position,
                 std::uint8_t* out,
                 std::vector<io::lost_samples>& lost) override;
    void taken_until(std::uint64_t position) override;
    bool claim_losses() override { return !d_losses_claimed.exchange(true); }
    void count_lost(const std::vector<io::lost_samples>& lost) override;
    void skip(std::uint64_t samples) override;
    io::sample_range gap_at(std::uint64_t position) const override;
    void end_damaged(const std::string& sentence) override;

protected:
    //! Why the recording ended before its end, "" if it did not.
    std::string damage() const;
    //! finish() was called, or a damaged place was met.
    bool is_over() const { return d_finish || d_damaged; }

    const gr::logger_ptr d_log;
    const io::recording_set d_files;
    const std::size_t d_block;
    const std::uint64_t d_total; //!< samples
    const bool d_repeat;
    loss_counter d_losses;
    std::atomic<std::uint64_t> d_read{0}; //!< samples
    std::atomic<bool> d_finish{false};

private:
    std::atomic<bool> d_losses_claimed{false};
    std::atomic<bool> d_damaged{false};
    mutable std::mutex d_damage_mutex;
    std::string d_damage;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_SHARED_RECORDING_H */
