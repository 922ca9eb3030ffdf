/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_PULSE_BLANKER_IMPL_H
#define INCLUDED_FRINGE_BLOCKS_PULSE_BLANKER_IMPL_H

#include "blocks/base/loss_counter.h"
#include "blocks/compute/compute_block.h"
#include "blocks/ports/stream_tags.h"
#include "stages/blanking_windows.h"
#include <deque>
#include <gnuradio/fringe/pulse_blanker.h>

namespace gr::fringe {

class pulse_blanker_impl : public pulse_blanker, public compute_block
{
public:
    pulse_blanker_impl(const kernels::blanking_params& p,
                       const pulse_search& search,
                       const kernels::compute_target& backend);

    loss_counter::counts losses() const override { return d_losses.by_cause(); }

    bool start() override;
    bool stop() override;
    void forecast(int noutput_items, gr_vector_int& required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

private:
    void opened() override;
    int blank_items(int space, int available, const void* in, void* out);
    bool take_item(const void* in, std::uint64_t item);
    void send_item(void* host, std::uint64_t item);
    bool starts_anew(const item_tags& tags);

    const kernels::blanking_params d_p;
    blanking_windows d_windows;
    std::deque<std::vector<tag_t>> d_held; // tags of the items that are held
    array::timeline d_time;                // of samples
    std::uint64_t d_next = 0;              // sample to come
    double d_freq = 0;                     // Hz; 0 = not known
    bool d_begins = true;                  // the next item is the first of its data
    std::uint64_t d_sent = 0;              // samples of every input
    loss_counter d_losses;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_PULSE_BLANKER_IMPL_H */
