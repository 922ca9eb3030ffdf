/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/live/vdif_sink_impl.h"
#include "blocks/base/block_checks.h"
#include "blocks/live/spectrum_clock.h"
#include "blocks/ports/stream_kinds.h"
#include "io/recordings/recording.h"
#include <algorithm>
#include <cmath>
#include <gnuradio/io_signature.h>
#include <utility>

namespace gr::fringe {

namespace {

constexpr double simultaneous = 1e-3; // samples

std::size_t raw_bytes(const io::vdif_params& p)
{
    return io::encoding_by_name(p.encoding).bytes(p.inputs, p.block_samples);
}

} // namespace

vdif_sink_impl::vdif_sink_impl(io::vdif_packets packets, const packet_destinations& to)
    : gr::sync_block("fringe_packet_sink",
                     gr::io_signature::make(
                         1, 1, item_bytes("packet_sink", raw_bytes(packets.params()))),
                     gr::io_signature::make(0, 0, 0)),
      d_packets(std::move(packets)),
      d_outlet(to),
      d_packet_bytes(d_packets.packet_bytes()),
      d_packet_samples(d_packets.samples())
{
    const io::vdif_params& p = d_packets.params();
    d_streams.expect(0,
                     stream_kind::raw,
                     {{"format", p.encoding},
                      {"inputs", p.inputs},
                      {"files", p.files},
                      {"block_samples", p.block_samples}});
}

bool vdif_sink_impl::start()
{
    begin_run();
    d_began = false;
    return true;
}

bool vdif_sink_impl::stop()
{
    d_outlet.count(d_packets.withheld(), *d_logger);
    d_outlet.say_end(*d_logger);
    return true;
}

int vdif_sink_impl::work(int noutput_items,
                         gr_vector_const_void_star& input_items,
                         gr_vector_void_star&)
{
    return guard(*this, *d_logger, {noutput_items}, [&] {
        // One at a time: while its packets wait for their turn nothing can be done here.
        take_item(item_tags(tags_of(*this, 0, nitems_read(0))),
                  static_cast<const std::uint8_t*>(input_items[0]));
        return 1;
    });
}

// The data begin, or go on behind a gap.
void vdif_sink_impl::begin(const epoch& time, double rate)
{
    if (rate != std::round(rate) || !(rate < 1e18)) {
        throw stream_mismatch(
            alias() + ": rx_rate: " + std::to_string(rate) +
            ": must be a whole number of Hz, as VDIF counts frames of a "
            "second");
    }
    const auto hertz = static_cast<std::uint64_t>(rate);
    d_packets.set_rate(hertz);
    d_packet_bytes = d_packets.packet_bytes();
    d_packet_samples = d_packets.samples();
    // Samples of the second at which the first one was taken, to the nearest.
    const epoch second{time.seconds, 0};
    spectrum_clock clock(second, 1);
    clock.begin(time, rate);
    d_packets.begin(second.seconds, clock.spectrum());
    d_rate = rate;
    d_began = true;
    const double frames = rate / static_cast<double>(d_packets.samples());
    d_outlet.set_data_rate(frames * static_cast<double>(d_packets.params().inputs) *
                           static_cast<double>(d_packets.packet_bytes()));
    say_beginning(time, time.fraction() * rate - static_cast<double>(clock.spectrum()));
}

// `late`: by how many samples the first one comes behind one that VDIF can date.
void vdif_sink_impl::say_beginning(const epoch& time, double late) const
{
    d_logger->info("sends VDIF frames of {:d} bytes, {:d} samples, of {:d} inputs from "
                   "{:s} on; they are received as preset=vdif&inputs={:d}&"
                   "sample_rate={:.0f}&bits={:d}&complex={:s}&frame_bytes={:d}",
                   d_packets.packet_bytes(),
                   d_packets.samples(),
                   d_packets.params().inputs,
                   time.iso(9),
                   d_packets.params().inputs,
                   d_rate,
                   d_packets.component_bits(),
                   d_packets.is_complex() ? "yes" : "no",
                   d_packets.packet_bytes());
    if (std::abs(late) > simultaneous) {
        d_logger->warn(
            "the data begin {:.3g} of a sample away from a whole number of samples "
            "since the second began, which VDIF cannot say",
            late);
    }
}

void vdif_sink_impl::take_item(const item_tags& tags, const std::uint8_t* samples)
{
    if (tags.rx_time) {
        const double rate = tags.rx_rate.value_or(d_rate);
        if (!(rate > 0)) {
            throw stream_mismatch(alias() + ": the samples carry no rx_rate: give the "
                                            "source a sample rate");
        }
        begin(*tags.rx_time, rate);
    }
    if (!d_began) {
        throw stream_mismatch(alias() + ": the samples carry no time (rx_time), which "
                                        "packets need: give the source a start time");
    }
    const std::size_t block = d_packets.params().block_samples;
    const std::size_t count = std::min<std::size_t>(tags.samples.value_or(block), block);
    for (std::size_t from = 0; from < count;) {
        const std::size_t taken = d_packets.fill(samples, from, count - from);
        for (const invalid_run& r : tags.invalid) {
            if (r.first < from + taken && r.first + r.count > from) {
                d_packets.spoil(r.input);
            }
        }
        from += taken;
        if (d_packets.complete()) {
            send();
        }
    }
    d_outlet.count(d_packets.withheld(), *d_logger);
}

void vdif_sink_impl::send()
{
    for (const auto& r : d_packets.take()) {
        d_outlet.send(r.range, r.packets, r.count, d_packets.packet_bytes());
    }
}

} // namespace gr::fringe
