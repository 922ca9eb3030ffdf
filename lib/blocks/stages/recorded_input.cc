/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/recorded_input.h"
#include "stages/fx_worker.h"

namespace gr::fringe {

recorded_input::recorded_input(const file_source::sptr& recording,
                               std::vector<std::size_t> rows)
    : d_recording(recording),
      d_blocks(dynamic_cast<recorded_blocks&>(*recording)),
      d_rows(std::move(rows)),
      d_counts_losses(d_blocks.claim_losses())
{
}

void recorded_input::expect(stream_description wanted) const
{
    const stream_description recorded = d_blocks.description();
    wanted.item_bytes = recorded.item_bytes; // other fields may make it another
    const std::string why = mismatch(wanted, recorded);
    if (!why.empty()) {
        throw std::invalid_argument(why);
    }
}

void recorded_input::skip_to(std::uint64_t position, std::uint64_t lost)
{
    if (d_counts_losses && lost > 0) {
        d_blocks.skip(lost);
    }
    d_position = position;
    d_blocks.taken_until(position);
}

std::shared_ptr<raw_block> recorded_input::next()
{
    const std::size_t samples = d_blocks.samples_at(d_position);
    if (samples == 0) {
        return nullptr;
    }
    auto block = std::make_shared<raw_block>();
    block->position = d_position;
    block->samples = samples;
    d_position += samples;
    d_blocks.taken_until(d_position);
    return block;
}

void recorded_input::read(const raw_block& block,
                          std::uint8_t* out,
                          std::vector<invalid_run>& invalid)
{
    std::vector<io::lost_samples> lost;
    try {
        d_blocks.read_at(block.position, out, lost);
    } catch (const io::damaged_recording& e) {
        throw damaged_block(e.what());
    }
    for (const io::lost_samples& l : lost) {
        invalid.push_back({d_rows[l.stream], l.first, l.count});
    }
    if (d_counts_losses && !block.counted.exchange(true)) {
        d_blocks.count_lost(lost);
    }
}

} // namespace gr::fringe
