/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_CHANNELIZER_IMPL_H
#define INCLUDED_FRINGE_BLOCKS_CHANNELIZER_IMPL_H

#include "blocks/base/zero_item.h"
#include "blocks/compute/kernel_counters.h"
#include "blocks/compute/per_item_block.h"
#include "blocks/ports/stream_tags.h"
#include "stages/filter_bank.h"
#include <gnuradio/fringe/channelizer.h>

namespace gr::fringe {

//! Inputs that a channelizer computes.
struct input_part {
    std::size_t first, count;
};

class channelizer_impl : public channelizer, public per_item_block
{
public:
    channelizer_impl(const kernels::channelizer_params& p,
                     const kernels::compute_target& backend,
                     const tracking::sptr& towards,
                     const input_part& part);

    bool start() override;
    std::vector<std::uint64_t> saturated() const override { return d_saturated.read(); }
    std::size_t kept_samples() const override
    {
        return d_bank.kept_rows() * d_bank.params().points();
    }
    void set_corrections(const std::vector<std::complex<float>>& corrections,
                         const epoch& from) override;

private:
    bool compute_item(const void* in,
                      std::uint64_t item,
                      void* out,
                      std::uint64_t out_item) override;
    bool has_last_item() const override { return d_plan.has_delays(); }
    bool compute_last_item(void* out, std::uint64_t out_item) override;
    std::size_t item_bytes_in(kernels::spectra_layout layout) const override
    {
        return d_bank.block_bytes(layout);
    }
    void opened() override;
    bool begin(const item_tags& tags);
    std::size_t rows_of(const item_tags& tags) const;
    bool make_spectra(const filter_bank_plan::order& order,
                      const item_tags& tags,
                      const void* in,
                      void* out,
                      std::uint64_t out_item);
    void tag_output(std::uint64_t item,
                    const item_tags& tags,
                    const filter_bank_plan::order& order);

    void run_bank(const filter_bank_plan::order& order, const void* in, void* out);

    const kernels::channelizer_params d_p; // of all inputs
    const input_part d_part;
    filter_bank d_bank; // of the part
    filter_bank_plan d_plan;
    double d_freq = 0;
    bool d_new_time = false;  // the next spectra start a run or follow on a gap
    bool d_first_item = true; // nothing was sent yet in this run
    zero_item d_zeros;
    std::uint64_t d_elsewhere = 0; // of the current item
    bool d_short_item = false;     // the last one had fewer samples than a block
    kernel_counters d_saturated;   // [input of the part]
    kernel_counters d_ignored;     // the same of spectra that nobody uses
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_CHANNELIZER_IMPL_H */
