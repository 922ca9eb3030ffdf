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
#include "blocks/live/packet_watch.h"
#include "blocks/loss_counter.h"
#include "blocks/ports/data_watch.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/ports/stream_tags.h"
#include "io/packets/packet_presets.h"
#include <cmath>
#include <gnuradio/fringe/udp_source.h>
#include <gnuradio/io_signature.h>
#include <optional>

namespace gr {
namespace fringe {

namespace {

const std::string me = "udp_source";
const std::string missing = "missing", late = "late", garbled = "garbled",
                  dropped = "dropped", invalid = "invalid";

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
    std::string encoding() const override { return d_layout.wire->encoding; }
    std::size_t parts() const override
    {
        return d_layout.stream_major ? d_inputs : d_capture.parts();
    }
    double sample_rate() const override { return d_layout.sample_rate(); }
    std::vector<unsigned> ports() const override { return d_capture.sockets().ports(); }
    std::uint64_t samples_read() const override { return d_read; }
    std::uint64_t total_samples() const override { return d_limit; }
    std::map<std::string, std::uint64_t> packets() const override;
    loss_counter::counts losses() const override;
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
    void begin(const io::packet_window::taken& t);
    void tag_item(const io::packet_window::taken& t);
    void tag_lost(const io::packet_window::taken& t);
    void count_losses();

    const io::packet_layout d_layout;
    const std::size_t d_inputs;
    const std::size_t d_block;
    const double d_given_freq;
    const std::uint64_t d_limit;
    io::udp_capture d_capture;
    loss_counter d_losses;
    std::optional<packet_watch> d_watch;
    std::atomic<std::uint64_t> d_read{0};
    epoch d_start;            // of the stretch of time
    double d_freq = 0;        // Hz
    std::int64_t d_since = 0; // samples sent of it
};

udp_source_impl::udp_source_impl(const io::packet_layout& layout,
                                 const io::udp_settings& where,
                                 std::size_t inputs,
                                 std::size_t block_samples,
                                 double center_frequency,
                                 std::uint64_t samples,
                                 const io::capture_sizes& sizes)
    : gr::block(
          "fringe_udp_source",
          gr::io_signature::make(0, 0, 0),
          gr::io_signature::make(
              1, 1, item_bytes(me, inputs * block_samples * layout.wire->raw_bits / 8))),
      d_layout(layout),
      d_inputs(inputs),
      d_block(block_samples),
      d_given_freq(center_frequency),
      d_limit(samples),
      d_capture(where, layout, inputs / layout.streams, sizes),
      d_losses(*this, {missing, late, garbled, dropped, invalid}, inputs)
{
    d_streams.send(0,
                   stream_kind::raw,
                   {{"format", encoding()},
                    {"inputs", inputs},
                    {"files", parts()},
                    {"block_samples", d_block}});
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
    count_losses();
    d_losses.tell_end(d_read);
    return true;
}

std::map<std::string, std::uint64_t> udp_source_impl::packets() const
{
    const io::packet_counts c = d_capture.counts();
    return {{"good", c.good},
            {missing, c.missing},
            {late, c.late},
            {"duplicate", c.duplicate},
            {garbled, c.garbled},
            {dropped, c.dropped},
            {"foreign", c.foreign},
            {"kernel_dropped", c.kernel_dropped}};
}

loss_counter::counts udp_source_impl::losses() const
{
    loss_counter::counts all;
    for (std::size_t part = 0; part < d_capture.parts(); ++part) {
        const io::part_counts c = d_capture.counts_of(part);
        const auto add = [&](const std::string& cause, std::uint64_t packets) {
            auto& list = all[cause];
            list.insert(list.end(), d_layout.streams, packets * d_layout.samples);
        };
        add(missing, c.missing);
        add(late, c.late);
        add(garbled, c.garbled);
        add(dropped, c.dropped);
        add(invalid, c.invalid);
    }
    return all;
}

void udp_source_impl::count_losses()
{
    for (auto& [cause, samples] : losses()) {
        d_losses.set(cause, samples);
    }
}

// The first packets, or those of another time.
void udp_source_impl::begin(const io::packet_window::taken& t)
{
    d_start = t.start;
    d_since = 0;
    d_freq = d_given_freq != 0 ? d_given_freq : t.frequency;
    if (t.frequency != 0 && std::abs(d_freq - t.frequency) > 1) {
        d_logger->warn("the packets say a frequency of {:.12g} Hz; {:.12g} Hz, as given, "
                       "goes before it",
                       t.frequency,
                       d_freq);
    }
    if (d_read == 0) {
        d_logger->info("first data: {:d} inputs at {:.10g} S/s, from {:s} on",
                       d_inputs,
                       sample_rate(),
                       d_start.iso(9));
    } else {
        d_logger->warn("the time of the packets has jumped: they go on at {:s}",
                       d_start.iso(9));
    }
}

void udp_source_impl::tag_item(const io::packet_window::taken& t)
{
    const std::uint64_t item = nitems_written(0);
    if (t.begins) {
        begin(t);
    }
    if (t.begins || item == 0) { // On the first item of a run, too.
        const auto ticks = d_since * static_cast<std::int64_t>(d_layout.ticks_per_sample);
        add_item_tag(
            0, item, tag::rx_time(), tag::from_epoch(d_layout.instant(d_start, ticks)));
        add_item_tag(0, item, tag::rx_rate(), pmt::from_double(sample_rate()));
        add_item_tag(0, item, tag::rx_freq(), pmt::from_double(d_freq));
    }
    if (t.samples < d_block) {
        add_item_tag(0, item, tag::samples(), pmt::from_uint64(t.samples));
    }
    tag_lost(t);
}

void udp_source_impl::tag_lost(const io::packet_window::taken& t)
{
    std::vector<invalid_run> runs;
    for (const auto& one : t.lost) {
        for (std::size_t k = 0; k < d_layout.streams; ++k) {
            runs.push_back({one.part * d_layout.streams + k, one.first, one.count});
        }
    }
    if (!runs.empty()) {
        add_item_tag(0, nitems_written(0), tag::invalid(), from_invalid(runs));
    }
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
        count_losses();
        d_losses.tell_end(d_read);
        return WORK_DONE;
    }
    tag_item(*t);
    d_since += static_cast<std::int64_t>(t->samples);
    d_read += t->samples;
    count_losses();
    d_losses.tell(d_read);
    return 1;
}

// What the sources' packets bring must be the inputs.
void check_inputs(const io::packet_layout& layout,
                  std::size_t inputs,
                  std::size_t block_samples)
{
    require(!layout.spectra(),
            me,
            "preset",
            layout.name,
            "has spectra, which udp_spectra receives; udp_source receives samples");
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
    require(block_samples * row * layout.wire->raw_bits % 8 == 0,
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
