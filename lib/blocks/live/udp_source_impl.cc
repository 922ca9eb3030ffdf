/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/live/udp_source_impl.h"
#include "blocks/base/block_checks.h"
#include "blocks/base/items_ahead.h"
#include "blocks/live/live_start.h"
#include "blocks/ports/stream_kinds.h"
#include <algorithm>
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer.h>
#include <gnuradio/io_signature.h>
#include <sys/mman.h>
#include <utility>

namespace gr::fringe {

namespace {

// Of samples as they are in the packets, or of spectra of int8.
std::size_t bytes_of_items(const io::packet_layout& layout,
                           std::size_t inputs,
                           std::size_t block_samples)
{
    return layout.spectra() ? 2 * inputs * layout.all_channels * block_samples
                            : inputs * block_samples * layout.wire->raw_bits / 8;
}

// Slow streams must fill the buffer with whole items.
io::capture_sizes holding(const io::capture_sizes& sizes, std::size_t block_samples)
{
    io::capture_sizes all = sizes;
    all.block_samples = block_samples;
    return all;
}

constexpr std::size_t max_ring = std::size_t(256) << 20; // bytes

// Makes the memory of a ring be there before packets come, where the system can.
void populate(gr::buffer& ring)
{
#ifdef MADV_POPULATE_WRITE
    const std::size_t bytes = 2 * ring.bufsize() * ring.get_sizeof_item();
    madvise(const_cast<char*>(ring.base()), bytes, MADV_POPULATE_WRITE);
#else
    (void)ring;
#endif
}

} // namespace

udp_source_impl::udp_source_impl(const io::packet_layout& layout,
                                 const io::udp_settings& where,
                                 std::size_t inputs,
                                 std::size_t block_samples,
                                 double center_frequency,
                                 std::uint64_t samples,
                                 const io::capture_sizes& sizes,
                                 const std::vector<unsigned>& cores)
    : gr::block(
          "fringe_udp_source",
          gr::io_signature::make(0, 0, 0),
          gr::io_signature::make(
              1,
              1,
              item_bytes("udp_source", bytes_of_items(layout, inputs, block_samples)))),
      d_layout(layout),
      d_inputs(inputs),
      d_block(block_samples),
      d_limit(samples),
      d_capture(where,
                layout,
                inputs / layout.streams * layout.channel_blocks(),
                holding(sizes, block_samples),
                cores),
      d_losses(*this, d_capture, layout),
      d_tags(layout, inputs, center_frequency, block_samples, d_logger)
{
    if (layout.spectra()) {
        d_streams.send(0,
                       stream_kind::spectra,
                       {{"inputs", inputs},
                        {"channels", layout.all_channels},
                        {"block_spectra", d_block},
                        {"component", "i8"},
                        {"requantize", layout.wire->bits == 8 ? "4" : "8"}});
    } else {
        d_streams.send(0,
                       stream_kind::raw,
                       {{"format", encoding()},
                        {"inputs", inputs},
                        {"files", parts()},
                        {"block_samples", d_block}});
    }
    if (!layout.epoch) {
        d_streams.add({"time", dated_by_clock});
    }
    const std::size_t bytes = output_signature()->sizeof_stream_item(0);
    use_whole_pages(
        *this, 0, bytes, std::max(items_ahead(bytes), items_of_window(bytes)));
}

bool udp_source_impl::start()
{
    begin_run();
    auto watch = std::make_shared<packet_watch>(d_capture, d_logger);
    const std::string advice = d_capture.advice();
    if (!advice.empty()) {
        watch->warn(advice);
    }
    std::atomic_store(&d_watch, watch);
    d_watching = true;
    d_logger->info("receives packets of layout {:s} on {:s}",
                   d_layout.name,
                   d_capture.sockets().names());
    populate(*detail()->output(0));
    d_capture.start([watch] { watch->look(); });
    return true;
}

bool udp_source_impl::stop()
{
    d_capture.stop();
    if (std::exchange(d_watching, false)) {
        d_watch->say_end();
    }
    d_losses.tell_end(d_read);
    return true;
}

std::vector<std::string> udp_source_impl::warnings()
{
    const auto watch = std::atomic_load(&d_watch);
    return watch ? watch->take_warnings() : std::vector<std::string>();
}

std::pair<std::uint64_t, std::uint64_t> udp_source_impl::fill() const
{
    const io::packet_window& window = d_capture.window();
    return {window.waiting(), window.capacity()};
}

// The newest packets can be written to the ring itself if it is longer than the window.
std::size_t udp_source_impl::items_of_window(std::size_t bytes)
{
    const std::size_t window = d_capture.window().window() * d_layout.samples / d_block;
    return std::min(window + window / 4 + 4, max_ring / bytes);
}

// The free part of the ring is this block's until it has produced into it: payloads are
// written to their places in it when they come.
void udp_source_impl::offer(std::uint8_t* out)
{
    const int free = detail()->output(0)->space_available();
    d_capture.window().offer(out, static_cast<std::size_t>(std::max(free, 0)), d_block);
}

int udp_source_impl::send_block(std::uint8_t* out)
{
    const std::uint64_t left = d_limit > 0 ? d_limit - d_read : d_block;
    const auto maximum = static_cast<std::size_t>(std::min<std::uint64_t>(d_block, left));
    std::optional<io::packet_window::taken> t;
    if (maximum > 0) {
        offer(out);
        t = d_capture.window().take(out, d_block, maximum);
        if (!t) {
            return 0;
        }
    }
    if (!t || t->samples == 0) {
        d_losses.tell_end(d_read);
        return WORK_DONE;
    }
    const std::uint64_t item = nitems_written(0);
    for (const auto& [key, value] : d_tags.of_item(*t, item == 0)) {
        add_item_tag(0, item, key, value);
    }
    d_read += t->samples;
    d_losses.tell(d_read);
    return 1;
}

} // namespace gr::fringe
