/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/block_checks.h"
#include "blocks/guarded_block.h"
#include "blocks/items_ahead.h"
#include "blocks/live/live_start.h"
#include "blocks/live/packet_losses.h"
#include "blocks/live/packet_tags.h"
#include "blocks/live/packet_watch.h"
#include "blocks/ports/data_watch.h"
#include "blocks/ports/stream_kinds.h"
#include "io/packets/packet_presets.h"
#include <gnuradio/fringe/udp_source.h>
#include <gnuradio/io_signature.h>
#include <optional>

namespace gr {
namespace fringe {

namespace {

const std::string me = "udp_source";

class udp_source_impl : public udp_source, public watched_source, public guarded_block
{
public:
    udp_source_impl(const io::packet_layout& layout,
                    const io::udp_settings& where,
                    std::size_t inputs,
                    std::size_t block_samples,
                    double center_frequency,
                    std::uint64_t samples,
                    const io::capture_sizes& sizes);
    ~udp_source_impl() override { d_capture.stop(); }

    std::size_t inputs() const override { return d_inputs; }
    std::string encoding() const override
    {
        return d_layout.spectra() ? "ci8" : d_layout.wire->encoding;
    }
    std::size_t channels() const override
    {
        return d_layout.spectra() ? d_layout.all_channels : 0;
    }
    std::size_t parts() const override
    {
        return d_layout.spectra()      ? 1
               : d_layout.stream_major ? d_inputs
                                       : d_capture.parts();
    }
    double sample_rate() const override { return d_layout.sample_rate(); }
    std::vector<unsigned> ports() const override { return d_capture.sockets().ports(); }
    std::uint64_t samples_read() const override { return d_read; }
    std::uint64_t total_samples() const override { return d_limit; }
    std::map<std::string, std::uint64_t> packets() const override
    {
        return d_losses.packets();
    }
    loss_counter::counts losses() const override { return d_losses.samples(); }
    std::string error() const override { return ""; }
    void finish() override { d_capture.finish(); }

    bool start() override;
    bool stop() override;
    int general_work(int,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star&,
                     gr_vector_void_star& output_items) override
    {
        return guard(*this, *d_logger, ninput_items, [&] {
            return send_block(static_cast<std::uint8_t*>(output_items[0]));
        });
    }

private:
    int send_block(std::uint8_t* out);

    const io::packet_layout d_layout;
    const std::size_t d_inputs;
    const std::size_t d_block;
    const std::uint64_t d_limit;
    io::udp_capture d_capture;
    packet_losses d_losses;
    packet_tags d_tags;
    std::optional<packet_watch> d_watch;
    std::atomic<std::uint64_t> d_read{0};
};

// Of samples as they are in the packets, or of spectra of int8.
std::size_t bytes_of_items(const io::packet_layout& layout,
                           std::size_t inputs,
                           std::size_t block_samples)
{
    return layout.spectra() ? 2 * inputs * layout.all_channels * block_samples
                            : inputs * block_samples * layout.wire->raw_bits / 8;
}

udp_source_impl::udp_source_impl(const io::packet_layout& layout,
                                 const io::udp_settings& where,
                                 std::size_t inputs,
                                 std::size_t block_samples,
                                 double center_frequency,
                                 std::uint64_t samples,
                                 const io::capture_sizes& sizes)
    : gr::block("fringe_udp_source",
                gr::io_signature::make(0, 0, 0),
                gr::io_signature::make(
                    1, 1, item_bytes(me, bytes_of_items(layout, inputs, block_samples)))),
      d_layout(layout),
      d_inputs(inputs),
      d_block(block_samples),
      d_limit(samples),
      d_capture(where, layout, inputs / layout.streams * layout.channel_blocks(), sizes),
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
    use_whole_pages(*this, 0, bytes, items_ahead(bytes));
}

bool udp_source_impl::start()
{
    begin_run();
    const std::string advice = d_capture.sockets().buffer_advice();
    if (!advice.empty()) {
        d_logger->warn("{:s}", advice);
    }
    d_logger->info("receives packets of layout {:s} on {:s}",
                   d_layout.name,
                   d_capture.sockets().names());
    d_watch.emplace(d_capture, d_logger);
    d_capture.start([this] { d_watch->look(); });
    return true;
}

bool udp_source_impl::stop()
{
    d_capture.stop();
    if (d_watch) {
        d_watch->say_end();
        d_watch.reset();
    }
    d_losses.tell_end(d_read);
    return true;
}

int udp_source_impl::send_block(std::uint8_t* out)
{
    const std::uint64_t left = d_limit > 0 ? d_limit - d_read : d_block;
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(d_block, left));
    std::optional<io::packet_window::taken> t;
    if (most > 0) {
        t = d_capture.window().take(out, d_block, most);
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

// What the sources' packets bring must be the inputs.
void check_inputs(const io::packet_layout& layout,
                  std::size_t inputs,
                  std::size_t block_samples)
{
    require(inputs > 0 && inputs % layout.streams == 0 && inputs <= 65536,
            me,
            "inputs",
            inputs,
            layout.streams == 1
                ? "must be 1 ... 65536"
                : "must be a multiple of the " + std::to_string(layout.streams) +
                      " inputs that a packet of layout " + layout.name + " holds");
    require(layout.sources.empty() || layout.sources.size() * layout.streams == inputs,
            me,
            "inputs",
            inputs,
            "but the setting sources names " + std::to_string(layout.sources.size()) +
                ", with " + std::to_string(layout.streams) +
                (layout.streams == 1 ? " input each" : " inputs each"));
    require(block_samples > 0 && block_samples <= std::size_t(1) << 31,
            me,
            "block_samples",
            block_samples,
            "must be 1 ... 2^31");
    const std::size_t row = layout.stream_major ? 1 : layout.streams;
    require(layout.spectra() || block_samples * row * layout.wire->raw_bits % 8 == 0,
            me,
            "block_samples",
            block_samples,
            "must fill whole bytes with samples of code " + layout.wire->name);
}

} // namespace

udp_source::sptr udp_source::make(const std::vector<std::string>& addresses,
                                  std::size_t inputs,
                                  std::size_t block_samples,
                                  const std::string& preset,
                                  const std::map<std::string, std::string>& settings,
                                  double center_frequency,
                                  const std::string& interface,
                                  const std::vector<std::string>& senders,
                                  std::uint64_t samples,
                                  double window_seconds,
                                  double buffer_seconds,
                                  std::size_t socket_bytes)
{
    const io::packet_layout layout = io::packet_layout_of(preset, settings);
    check_inputs(layout, inputs, block_samples);
    require(socket_bytes >= 4096 && socket_bytes <= std::size_t(1) << 30,
            me,
            "socket_bytes",
            socket_bytes,
            "must be 4096 ... 2^30");
    io::udp_settings where;
    where.addresses = addresses;
    where.interface = interface;
    where.senders = {senders.begin(), senders.end()};
    where.buffer_bytes = socket_bytes;
    io::capture_sizes sizes;
    sizes.window_seconds = window_seconds;
    sizes.buffer_seconds = buffer_seconds;
    return gnuradio::make_block_sptr<udp_source_impl>(
        layout, where, inputs, block_samples, center_frequency, samples, sizes);
}

} // namespace fringe
} // namespace gr
