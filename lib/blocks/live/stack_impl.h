/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_STACK_IMPL_H
#define INCLUDED_FRINGE_BLOCKS_STACK_IMPL_H

#include "blocks/base/guarded_block.h"
#include "blocks/base/loss_counter.h"
#include "blocks/live/stacked_block.h"
#include "blocks/ports/data_watch.h"
#include <atomic>
#include <gnuradio/fringe/stack.h>
#include <mutex>

namespace gr::fringe {

class stack_impl : public stack, public guarded_block
{
public:
    stack_impl(std::size_t inputs,
               std::size_t block_samples,
               std::size_t sample_bytes,
               const stack_axis& axis,
               double center_frequency);

    std::uint64_t samples_sent() const override { return d_sent; }
    std::uint64_t samples_missing() const override;
    std::uint64_t samples_late() const override;
    loss_counter::counts losses() const override { return d_losses.by_cause(); }
    std::string error() const override
    {
        std::lock_guard<std::mutex> lock(d_error_mutex);
        return d_error;
    }

    bool start() override;
    bool stop() override;
    void forecast(int noutput_items, gr_vector_int& required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

private:
    using arrivals = stacked_block::arrivals;
    int stack_items(int maximum, arrivals& from, std::uint8_t* out);
    bool advance(arrivals& from);
    void send(std::uint8_t* out, std::uint64_t item, std::size_t samples);
    void fail(const std::string& why, std::uint64_t item);
    void count_losses();

    const std::size_t d_block;
    stacked_block d_under_way;
    loss_counter d_losses;
    data_watch d_watch;
    std::atomic<std::uint64_t> d_sent{0};
    mutable std::mutex d_error_mutex;
    std::string d_error;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_STACK_IMPL_H */
