/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/beams/beam_voltages_impl.h"
#include "blocks/base/block_checks.h"
#include "blocks/ports/stream_kinds.h"
#include "stages/lost_beams.h"
#include <gnuradio/io_signature.h>

namespace gr::fringe {

namespace {

int bytes_of_beams(const kernels::beamformer_params& p)
{
    return item_bytes("beamformer",
                      p.beams * p.channels * p.block_spectra *
                          sizeof(std::complex<float>));
}

} // namespace

beam_voltages_impl::beam_voltages_impl(const beam_setup& setup)
    : gr::block("fringe_beamformer",
                gr::io_signature::make(1, 1, bytes_of_beam_spectra(setup.kernel)),
                gr::io_signature::make(1, 1, bytes_of_beams(setup.kernel))),
      beamformer_base(setup),
      per_item_block(device_of(setup.backend))
{
    const auto& p = setup.kernel;
    d_streams.expect(0, stream_kind::spectra, spectra_of_beamformer(setup));
    d_streams.send(0,
                   stream_kind::spectra,
                   {{"inputs", p.beams},
                    {"channels", p.channels},
                    {"block_spectra", p.block_spectra},
                    {"component", "f32"},
                    {"requantize", "none"}});
}

// The item under way is gone with its ring.
bool beam_voltages_impl::start()
{
    d_forming.spectra().drop_item();
    return per_item_block::start();
}

bool beam_voltages_impl::compute_item(const void* in,
                                      std::uint64_t item,
                                      void* out,
                                      std::uint64_t out_item)
{
    const item_tags tags(tags_of(*this, 0, item));
    d_forming.open_item(tags, d_streams);
    warn_of_smearing();
    d_forming.losses().clear();
    while (d_forming.spectra().in_item()) {
        const std::uint64_t number = d_forming.spectra().next_spectrum();
        const sum_plan::part part = d_forming.spectra().next(true);
        d_forming.with_weights(number,
                               part.first,
                               part.count,
                               [&](std::uint64_t first, std::uint64_t count) {
                                   d_forming.kernel().form(in, first, count, out);
                               });
    }
    tag_output(out_item, tags);
    return true;
}

void beam_voltages_impl::tag_output(std::uint64_t item, const item_tags& tags)
{
    const auto add = [&](const pmt::pmt_t& key, const pmt::pmt_t& value) {
        add_item_tag(0, item, key, value);
    };
    const auto& p = d_forming.params();
    if (tags.rx_time) {
        add(tag::rx_time(), tag::from_epoch(*tags.rx_time));
    }
    if (tags.rx_rate) {
        add(tag::rx_rate(), pmt::from_double(*tags.rx_rate));
    }
    if (tags.rx_freq) {
        add(tag::rx_freq(), pmt::from_double(*tags.rx_freq));
    }
    if (tags.spectra) {
        add(tag::spectra(), pmt::from_uint64(*tags.spectra));
    }
    if (tags.damaged) {
        add(tag::damaged(), tags.damaged);
    }
    const auto lost = lost_beams(tags.invalid,
                                 tags.spectra.value_or(p.block_spectra),
                                 d_forming.plan().weights(),
                                 p.beams,
                                 p.inputs);
    if (!lost.empty()) {
        add(tag::invalid(), from_invalid(lost));
    }
    const beam_losses& losses = d_forming.losses();
    if (!losses.whole()) {
        std::vector<float> there(p.beams);
        for (std::size_t b = 0; b < p.beams; ++b) {
            const double all = losses.expected(b, 0, p.channels);
            there[b] =
                static_cast<float>(all > 0 ? losses.there(b, 0, p.channels) / all : 0);
        }
        add(tag::weights(), pmt::init_f32vector(there.size(), there));
    }
}

} // namespace gr::fringe
