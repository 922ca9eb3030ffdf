/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_UNPACK_IMPL_H
#define INCLUDED_FRINGE_BLOCKS_UNPACK_IMPL_H

#include "blocks/compute/kernel_counters.h"
#include "blocks/compute/per_item_block.h"
#include "blocks/ports/stream_tags.h"
#include "blocks/stages/gathered_tags.h"
#include "blocks/stages/raw_input.h"
#include "kernels/unpack/unpacker.h"
#include "stages/item_turns.h"
#include "stages/running_mean.h"
#include <gnuradio/fringe/unpack.h>
#include <optional>

namespace gr::fringe {

//! The counts of unpacks that take items in turn: those of one.
using shared_counters = std::vector<std::shared_ptr<kernel_counters>>;

class unpack_impl : public unpack, public per_item_block
{
public:
    //! Blocks come in items of `item_samples` samples of every input.
    unpack_impl(const kernels::unpacker_params& p,
                std::size_t item_samples,
                const kernels::compute_target& backend,
                std::size_t mean_blocks,
                const item_turns& turns,
                const std::shared_ptr<shared_counters>& counters);

    loss_counter::counts losses() const override { return d_raw.losses(); }

    bool start() override;
    bool stop() override;
    void forecast(int noutput_items, gr_vector_int& required) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

private:
    bool next_item(const void* in, std::size_t available) override;
    bool compute_item(const void* in,
                      std::uint64_t item,
                      void* out,
                      std::uint64_t out_item) override;
    bool has_last_item() const override { return !d_gathered.empty(); }
    bool compute_last_item(void* out, std::uint64_t out_item) override;
    needed_bytes needed_bytes_of_block() const;
    void unpack_block(const void* raw, void* out, std::uint64_t out_item);
    std::vector<std::uint64_t> saturated(bool late) const;
    item_tags forward_tags(std::uint64_t out_item);
    void remove_mean(void* out, std::size_t samples, const item_tags& tags);

    const kernels::unpacker_params d_p;
    const std::unique_ptr<kernels::unpacker> d_kernel;
    std::optional<running_mean> d_mean;
    gathered_tags d_gathered;  // of the block that comes next
    std::uint64_t d_block = 0; // its number, of this run
    const item_turns d_turns;
    const std::shared_ptr<shared_counters> d_counters;  // of all that take turns
    const std::shared_ptr<kernel_counters> d_saturated; // [input]
    raw_input d_raw;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_UNPACK_IMPL_H */
