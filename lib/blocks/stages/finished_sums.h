/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_FINISHED_SUMS_H
#define INCLUDED_FRINGE_BLOCKS_FINISHED_SUMS_H

#include "blocks/rfi/subintegration.h"
#include "blocks/rfi/window_decisions.h"
#include "kernels/channelizer/channelizer.h"
#include "stages/stretch.h"
#include <deque>
#include <functional>
#include <gnuradio/block.h>

namespace gr::fringe {

/*!
 * The sums that workers have made, until they are sent as items of a stream: `channels_per_item`
 * channels of one sum after the other. Interference is searched in the powers that come with
 * them, and flagged cells are left out of their sums.
 */
class finished_sums
{
public:
    //! Gives the block a message port for what the search finds. Throws
    //! std::invalid_argument naming the parameter of the search.
    finished_sums(gr::block& block,
                  const kernels::channelizer_params& f,
                  const std::optional<kurtosis_search>& search,
                  std::size_t channels_per_item);

    bool empty() const { return d_sums.empty(); }
    //! Appends the sums of a stretch.
    void add(stretch_sums done);
    //! Appends a sum of no spectra: tags that are left to send go with it.
    void add_empty(buffer_pool& buffers);
    //! Writes the next item, and gives its tags to `add_tag`.
    void send_item(void* out,
                   const std::function<void(const pmt::pmt_t& key,
                                            const pmt::pmt_t& value)>& add_tag);
    //! The first item of a sum that was being sent will be sent again.
    void restart() { d_sent_channels = 0; }
    //! Sends on the message port what the search found and no message has reported yet.
    void tell_end();

    //! The next sum of no spectra carries this tag `damaged`.
    void set_damaged(const pmt::pmt_t& damaged) { d_damaged = damaged; }
    bool damaged() const { return static_cast<bool>(d_damaged); }
    //! What the search has found; null without a search.
    const cell_occupancy* occupancy() const
    {
        return d_search ? &d_search->occupancy() : nullptr;
    }

private:
    struct finished_sum {
        subintegration sum;
        buffer_pool::buffer values;
    };

    std::vector<finished_sum> described(stretch_sums& done) const;
    void search(const stretch_sums& done, std::vector<finished_sum>& sums);
    void publish(bool at_the_end);

    gr::block& d_block;
    const std::size_t d_inputs, d_channels, d_channels_per_item;
    std::vector<float> d_gains; // [input], of requantized spectra; else empty
    const bool d_drop;          // flagged cells
    std::optional<window_decisions> d_search;
    std::deque<finished_sum> d_sums;
    std::size_t d_sent_channels = 0; // of the first of them
    pmt::pmt_t d_damaged;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_FINISHED_SUMS_H */
