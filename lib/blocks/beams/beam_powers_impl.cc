/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/beams/beam_powers_impl.h"
#include "blocks/base/block_checks.h"
#include "blocks/ports/stream_kinds.h"
#include <gnuradio/io_signature.h>

namespace gr::fringe {

beam_powers_impl::beam_powers_impl(const beam_setup& setup,
                                   const beam_means& means,
                                   double seconds,
                                   std::uint64_t spectra)
    : gr::block("fringe_beamformer",
                gr::io_signature::make(1, 1, bytes_of_beam_spectra(setup.kernel)),
                gr::io_signature::make2(
                    1,
                    2,
                    item_bytes("beamformer", means.values() * sizeof(float)),
                    item_bytes("beamformer", means.weights() * sizeof(float)))),
      beamformer_base(setup),
      summing_block(device_of(setup.backend), true, means.channels(), means.channels()),
      d_means(means),
      d_by_seconds(seconds > 0)
{
    d_streams.expect(0, stream_kind::spectra, spectra_of_beamformer(setup));
    const stream_fields fields{{"beams", setup.kernel.beams},
                               {"channels", means.channels()}};
    d_streams.send(0, stream_kind::beam_powers, fields);
    d_streams.send(1, stream_kind::beam_weights, fields);
    d_forming.spectra().cut_for(0, seconds, spectra);
}

// The item under way is gone with its ring, and so may be what was sent of a mean.
bool beam_powers_impl::start()
{
    d_forming.spectra().drop_item();
    return summing_block::start();
}

// A gap ends the mean before it.
void beam_powers_impl::open_item(std::uint64_t item)
{
    const item_tags tags(tags_of(*this, 0, item));
    if (d_forming.open_item(tags, d_streams)) {
        end_sum();
    }
    if (d_by_seconds && !d_forming.spectra().time().started()) {
        throw std::runtime_error(
            "beamformer: means of some seconds need the rate of the spectra, which came "
            "without the tags rx_time and rx_rate; give their length in spectra");
    }
    d_damaged = tags.damaged ? tags.damaged : d_damaged;
    warn_of_smearing();
}

bool beam_powers_impl::take(const void* in, std::uint64_t item)
{
    sum_plan& plan = d_forming.spectra();
    if (!plan.in_item()) {
        open_item(item);
        if (d_sending) { // the mean before a gap
            return false;
        }
    }
    if (empty()) {
        d_start = plan.next_time();
        d_rate = plan.time().started() ? plan.time().rate() : 0;
        d_sum_frequency = d_forming.frequency();
    }
    const std::uint64_t number = plan.next_spectrum();
    const sum_plan::part part = plan.next(empty());
    d_forming.with_weights(
        number, part.first, part.count, [&](std::uint64_t first, std::uint64_t count) {
            d_forming.kernel().add(in, first, count);
        });
    if (part.ends_sum) {
        end_sum();
    }
    return !plan.in_item();
}

// The tag of damage must arrive even when there is no mean left to carry it.
void beam_powers_impl::flush() { d_sending = !empty() || d_damaged; }

void beam_powers_impl::tag_sum(std::uint64_t item)
{
    dump_tags d;
    d.freq = d_sum_frequency;
    d.damaged = d_damaged;
    d.timed = d_start && d_rate > 0 && !empty();
    if (d.timed) {
        d.start = *d_start;
        d.interval = static_cast<double>(d_forming.losses().spectra()) / d_rate;
        d.exposure = d.interval;
        d.channel_width = d_rate * static_cast<double>(d_forming.params().channels) /
                          static_cast<double>(d_means.channels());
    }
    add_dump_tags(item, d);
}

void beam_powers_impl::write_sum(std::size_t, std::size_t, const gr_vector_void_star& out)
{
    d_means.write(d_forming.kernel(),
                  d_forming.losses(),
                  static_cast<float*>(out[0]),
                  out.size() > 1 ? static_cast<float*>(out[1]) : nullptr);
}

bool beam_powers_impl::sum_sent()
{
    d_forming.kernel().clear();
    d_forming.losses().clear();
    d_damaged = nullptr;
    return false;
}

} // namespace gr::fringe
