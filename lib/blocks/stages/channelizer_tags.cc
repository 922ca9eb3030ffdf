/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The tags of a channelizer's spectra.
#include "blocks/stages/channelizer_impl.h"

namespace gr::fringe {

void channelizer_impl::tag_output(std::uint64_t item,
                                  const item_tags& tags,
                                  const filter_bank_plan::order& order)
{
    const auto add = [&](const pmt::pmt_t& key, const pmt::pmt_t& value) {
        add_item_tag(0, item, key, value);
    };
    if (d_new_time && d_plan.time().started() && order.spectra > 0) {
        add(tag::rx_time(), tag::from_epoch(d_plan.start_of(order.first_sample)));
        add(tag::rx_rate(), pmt::from_double(d_plan.rate()));
        add(tag::rx_freq(), pmt::from_double(d_freq));
        d_new_time = false;
    }
    if (d_first_item && d_bank.params().requantize_bits) {
        std::vector<float> gains = d_p.gains;
        gains.resize(d_p.inputs, 1.0f);
        add(tag::gains(), pmt::init_f32vector(gains.size(), gains));
    }
    d_first_item = false;
    if (order.spectra < d_bank.params().block_spectra) {
        add(tag::spectra(), pmt::from_uint64(order.spectra));
    }
    if (tags.damaged) {
        add(tag::damaged(), tags.damaged);
    }
    if (d_elsewhere > 0) {
        add(tag::elsewhere(), pmt::from_uint64(d_elsewhere));
    }
    if (!order.lost.empty()) {
        add(tag::invalid(), from_invalid(order.lost));
    }
    if (!order.blanked.empty()) {
        add(tag::blanked(), from_invalid(order.blanked));
    }
}

} // namespace gr::fringe
