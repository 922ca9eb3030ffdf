/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_LOSS_COUNTER_H
#define INCLUDED_FRINGE_BLOCKS_LOSS_COUNTER_H

#include <chrono>
#include <cstdint>
#include <gnuradio/block.h>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace gr::fringe {

/*!
 * Counts a block's unusable samples, by cause and input, and tells them through its
 * message port `losses`: a dictionary of `samples`, those of every input so far (uint64),
 * and for each cause a u64vector [input]. It is sent when something has changed, at most
 * once a second, and once at the end.
 */
class loss_counter
{
public:
    using counts = std::map<std::string, std::vector<std::uint64_t>>;

    //! Gives the block its port. All counts begin at 0.
    loss_counter(gr::block& block,
                 const std::vector<std::string>& causes,
                 std::size_t inputs);

    //! A cause that was not named before begins at 0.
    void add(const std::string& cause, std::size_t input, std::uint64_t samples);
    //! The same.
    void set(const std::string& cause, std::vector<std::uint64_t> samples);

    //! Samples of every input have been read so far: sends a message if the counts have changed.
    void tell(std::uint64_t samples);
    //! The same at the end of the data.
    void tell_end(std::uint64_t samples);

    counts by_cause() const;
    //! Of all inputs together.
    std::uint64_t total(const std::string& cause) const;

private:
    using clock = std::chrono::steady_clock;
    void send(std::uint64_t samples);

    gr::block& d_block;
    const std::size_t d_inputs;
    mutable std::mutex d_mutex;
    counts d_counts;
    bool d_changed = false;
    bool d_ended = false;
    clock::time_point d_sent; // the last message
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_LOSS_COUNTER_H */
