/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/live/packet_sink_impl.h"
#include "blocks/base/block_checks.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/ports/stream_tags.h"
#include <algorithm>
#include <cmath>
#include <gnuradio/io_signature.h>

namespace gr::fringe {

packet_sink_impl::packet_sink_impl(const io::spectra_params& p,
                                   const packet_destinations& to,
                                   const std::optional<epoch>& synchronized,
                                   float gain)
    : gr::sync_block(
          "fringe_packet_sink",
          gr::io_signature::make(
              1,
              1,
              item_bytes("packet_sink",
                         p.inputs * p.channels * p.block_spectra * (gain > 0 ? 8 : 2))),
          gr::io_signature::make(0, 0, 0)),
      d_packets(p),
      d_outlet(to),
      d_given(synchronized),
      d_block(p.block_spectra),
      d_gain(gain),
      d_rounded(gain > 0 ? p.inputs * p.channels * p.block_spectra * 2 : 0)
{
    stream_fields fields{{"inputs", p.inputs},
                         {"channels", p.channels},
                         {"block_spectra", p.block_spectra}};
    const stream_field kind =
        gain > 0 ? stream_field{"component", "f32"} : stream_field{"requantize", p.bits};
    fields[kind.name] = kind.value;
    d_streams.expect(0, stream_kind::spectra, fields);
}

bool packet_sink_impl::start()
{
    begin_run();
    d_clock.reset();
    d_clipped = 0;
    return true;
}

bool packet_sink_impl::stop()
{
    d_outlet.count(d_packets.withheld(), *d_logger);
    d_outlet.say_end(*d_logger);
    if (d_clipped > 0) {
        d_logger->warn("{:d} values were too large for {:d} bits, and clipped: a smaller "
                       "gain would keep them",
                       d_clipped,
                       d_packets.params().bits);
    }
    return true;
}

int packet_sink_impl::work(int noutput_items,
                           gr_vector_const_void_star& input_items,
                           gr_vector_void_star&)
{
    return guard(*this, *d_logger, {noutput_items}, [&] {
        // One at a time: while its packets wait for their turn nothing can be done here.
        take_item(nitems_read(0),
                  d_gain > 0 ? rounded(static_cast<const float*>(input_items[0]))
                             : static_cast<const std::int8_t*>(input_items[0]));
        return 1;
    });
}

// The data begin, or go on behind a gap.
void packet_sink_impl::begin(const epoch& time, double rate)
{
    if (!d_clock) {
        const epoch start = d_given.value_or(epoch{time.seconds, 0});
        if (time < start) {
            throw stream_mismatch(alias() + ": sync_time: " + start.iso(0) +
                                  " must not be later than the data, which begin at " +
                                  time.iso(9));
        }
        d_clock.emplace(start, d_packets.params().points);
    }
    d_rate = rate;
    d_clock->begin(time, rate);
    d_packets.begin(d_clock->spectrum());
    d_outlet.set_data_rate(rate * d_packets.packets_a_spectrum() *
                           static_cast<double>(d_packets.packet_bytes()));
    d_logger->info(
        "sends {:.0f} packets of {:d} bytes a second from {:s} on, spectrum {:d} "
        "since {:s}",
        rate * d_packets.packets_a_spectrum(),
        d_packets.packet_bytes(),
        time.iso(9),
        d_clock->spectrum(),
        d_clock->synchronized().iso(0));
    if (d_clock->offset() != 0 && d_packets.params().layout == "snap2") {
        d_logger->warn("the spectra begin {:d} of {:d} samples behind a whole number of "
                       "spectra since sync_time, which the packets cannot say",
                       d_clock->offset(),
                       d_packets.params().points);
    }
}

const std::int8_t* packet_sink_impl::rounded(const float* spectra)
{
    const float limit = d_packets.params().bits == 8 ? 127 : 7;
    for (std::size_t n = 0; n < d_rounded.size(); n++) {
        const float value = std::nearbyint(spectra[n] * d_gain);
        const float kept = std::isnan(value) ? 0 : std::clamp(value, -limit, limit);
        d_clipped += std::abs(value) > limit;
        d_rounded[n] = static_cast<std::int8_t>(kept);
    }
    return d_rounded.data();
}

void packet_sink_impl::take_item(std::uint64_t item, const std::int8_t* spectra)
{
    const item_tags tags(tags_of(*this, 0, item));
    if (tags.rx_time) {
        const double rate = tags.rx_rate.value_or(d_rate);
        if (!(rate > 0)) {
            throw stream_mismatch(alias() + ": the spectra carry no rx_rate: give the "
                                            "source a sample rate");
        }
        begin(*tags.rx_time, rate);
    }
    if (!d_clock) {
        throw stream_mismatch(alias() + ": the spectra carry no time (rx_time), which "
                                        "packets need: give the source a start time");
    }
    const std::size_t count =
        std::min<std::size_t>(tags.spectra.value_or(d_block), d_block);
    for (std::size_t from = 0; from < count;) {
        const std::size_t taken = d_packets.fill(spectra, from, count - from);
        for (const invalid_run& r : tags.invalid) {
            const std::uint64_t first = std::max<std::uint64_t>(r.first, from);
            const std::uint64_t end =
                std::min<std::uint64_t>(r.first + r.count, from + taken);
            if (first < end) {
                d_packets.spoil(r.input, first - from, end - first);
            }
        }
        from += taken;
        if (d_packets.complete()) {
            send();
        }
    }
    d_outlet.count(d_packets.withheld(), *d_logger);
}

void packet_sink_impl::send()
{
    const auto runs = d_packets.take(d_clock->synchronized().seconds, d_clock->offset());
    for (const auto& r : runs) {
        d_outlet.send(r.range, r.packets, r.count, d_packets.packet_bytes());
    }
}

} // namespace gr::fringe
