/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/stages/finished_sums.h"
#include "blocks/ports/stream_tags.h"
#include "blocks/rfi/occupancy_port.h"
#include "stages/flagged_cells.h"
#include <algorithm>
#include <cstring>

namespace gr::fringe {

finished_sums::finished_sums(gr::block& block,
                             const kernels::channelizer_params& f,
                             const std::optional<kurtosis_search>& search,
                             std::size_t channels_per_item)
    : d_block(block),
      d_inputs(f.inputs),
      d_channels(f.channels),
      d_channels_per_item(channels_per_item),
      d_drop(search && search->drop)
{
    if (f.requantize_bits) {
        d_gains = f.gains;
        d_gains.resize(d_inputs, 1.0f);
    }
    if (search) {
        d_search.emplace(
            detector_of("channelizer", *search, d_inputs, d_channels, f.requantize_bits),
            search->period);
    }
    d_block.message_port_register_out(occupancy_port());
}

void finished_sums::add(stretch_sums done)
{
    std::vector<finished_sum> sums = described(done);
    search(done, sums);
    std::move(sums.begin(), sums.end(), std::back_inserter(d_sums));
}

// Takes the values of the sums over, with what their tags will say.
std::vector<finished_sums::finished_sum>
finished_sums::described(stretch_sums& done) const
{
    std::vector<finished_sum> sums;
    for (stretch_sums::sum& made : done.sums) {
        finished_sum next{subintegration(d_inputs), std::move(made.values)};
        next.sum.start = made.of.start;
        next.sum.rate = made.of.rate;
        next.sum.freq = made.frequency;
        next.sum.counts = std::move(made.counts);
        next.sum.gains = d_gains;
        sums.push_back(std::move(next));
    }
    return sums;
}

// Looks for interference in the windows of a stretch, and leaves it out of their sums.
void finished_sums::search(const stretch_sums& done, std::vector<finished_sum>& sums)
{
    auto sum = sums.begin();
    for (const stretch_sums::window& window : done.windows) {
        const auto end = sum + static_cast<std::ptrdiff_t>(window.sums);
        const auto& causes = d_search->decide(window.s1.data(),
                                              window.s2.data(),
                                              window.count,
                                              sum->sum.start.value_or(epoch()),
                                              sum->sum.rate);
        const auto cells = d_drop ? runs_of(causes) : std::vector<cell_run>();
        for (; sum != end; ++sum) {
            clear_flagged(cells, d_inputs, d_channels, sum->values->data());
            sum->sum.flag(cells);
        }
        publish(false);
    }
}

void finished_sums::publish(bool at_the_end)
{
    if (const auto message = d_search ? d_search->message(at_the_end) : nullptr) {
        d_block.message_port_pub(occupancy_port(), message);
    }
}

void finished_sums::tell_end() { publish(true); }

void finished_sums::add_empty(buffer_pool& buffers)
{
    const std::size_t bytes = 8 * d_channels * kernels::baselines(d_inputs);
    d_sums.push_back({subintegration(d_inputs), buffers.take(bytes)});
    std::fill_n(d_sums.back().values->data(), bytes, 0);
}

void finished_sums::send_item(
    void* out,
    const std::function<void(const pmt::pmt_t& key, const pmt::pmt_t& value)>& add_tag)
{
    const finished_sum& first = d_sums.front();
    const bool no_spectra = first.sum.counts.spectra() == 0;
    if (d_sent_channels == 0) {
        for (const auto& [key, value] : first.sum.tags()) {
            add_tag(key, value);
        }
        if (no_spectra) {
            add_tag(tag::damaged(), d_damaged);
        }
    }
    const std::size_t channel_bytes = 8 * kernels::baselines(d_inputs);
    std::memcpy(out,
                first.values->data() + d_sent_channels * channel_bytes,
                d_channels_per_item * channel_bytes);
    d_sent_channels += d_channels_per_item;
    if (d_sent_channels == d_channels) {
        d_sent_channels = 0;
        d_damaged = no_spectra ? nullptr : d_damaged;
        d_sums.pop_front();
    }
}

} // namespace gr::fringe
