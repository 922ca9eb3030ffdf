/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/base/block_checks.h"
#include "blocks/base/guarded_block.h"
#include "blocks/base/items_ahead.h"
#include "blocks/base/loss_counter.h"
#include "blocks/live/live_start.h"
#include "blocks/live/tcp_receivers.h"
#include "blocks/ports/stream_kinds.h"
#include "blocks/ports/stream_tags.h"
#include "io/recordings/mwa32t_group.h"
#include <gnuradio/fringe/tcp_source.h>
#include <gnuradio/io_signature.h>
#include <numeric>
#include <optional>

namespace gr::fringe {

namespace {

const std::string me = "tcp_source";
const std::string missing = "missing", dropped = "dropped";

class tcp_source_impl : public tcp_source, public watched_source, public guarded_block
{
public:
    tcp_source_impl(const std::vector<std::string>& addresses,
                    std::size_t block_samples,
                    double sample_rate,
                    double center_frequency,
                    bool listen,
                    const std::optional<epoch>& start_time,
                    double buffer_seconds);
    ~tcp_source_impl() override { d_receivers.stop(); }

    std::size_t inputs() const override
    {
        return d_receivers.count() * io::mwa32t::streams;
    }
    std::vector<unsigned> ports() const override { return d_receivers.ports(); }
    std::size_t connected() const override { return d_receivers.connected(); }
    std::uint64_t samples_read() const override { return d_read; }
    std::uint64_t samples_missing() const override { return sum(d_receivers.missing()); }
    std::uint64_t samples_dropped() const override { return sum(d_receivers.dropped()); }
    loss_counter::counts losses() const override
    {
        return {{missing, d_receivers.missing()}, {dropped, d_receivers.dropped()}};
    }
    void finish() override { d_receivers.finish(); }

    bool start() override
    {
        begin_run();
        d_receivers.start(d_logger);
        return true;
    }
    bool stop() override
    {
        d_receivers.stop();
        tell_end();
        return true;
    }
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
    static std::uint64_t sum(const std::vector<std::uint64_t>& of)
    {
        return std::accumulate(of.begin(), of.end(), std::uint64_t(0));
    }
    int send_block(std::uint8_t* out);
    void tag_item(std::size_t count, const std::vector<io::lost_samples>& lost);
    void count_losses();
    void tell_end();

    const std::size_t d_block;
    const double d_rate;
    const double d_freq;
    tcp_receivers d_receivers;
    loss_counter d_losses;
    std::atomic<std::uint64_t> d_read{0};
};

tcp_source_impl::tcp_source_impl(const std::vector<std::string>& addresses,
                                 std::size_t block_samples,
                                 double sample_rate,
                                 double center_frequency,
                                 bool listen,
                                 const std::optional<epoch>& start_time,
                                 double buffer_seconds)
    : gr::block("fringe_tcp_source",
                gr::io_signature::make(0, 0, 0),
                gr::io_signature::make(1,
                                       1,
                                       item_bytes(me,
                                                  addresses.size() * block_samples *
                                                      io::mwa32t::sample_bytes))),
      d_block(block_samples),
      d_rate(sample_rate),
      d_freq(center_frequency),
      d_receivers(addresses,
                  listen,
                  block_samples,
                  static_cast<std::size_t>(sample_rate * buffer_seconds),
                  sample_rate,
                  start_time),
      d_losses(*this, {missing, dropped}, inputs())
{
    d_streams.send(0,
                   stream_kind::raw,
                   {{"format", "mwa16"},
                    {"inputs", inputs()},
                    {"files", addresses.size()},
                    {"block_samples", block_samples}});
    if (!start_time) {
        d_streams.add({"time", dated_by_clock});
    }
    const std::size_t bytes = output_signature()->sizeof_stream_item(0);
    use_whole_pages(*this, 0, bytes, items_ahead(bytes));
}

void tcp_source_impl::tag_item(std::size_t count,
                               const std::vector<io::lost_samples>& lost)
{
    const std::uint64_t item = nitems_written(0);
    if (item == 0) { // of every run: what was on its way before it is lost
        const auto sent = static_cast<std::int64_t>(d_read - count);
        add_item_tag(
            0,
            0,
            tag::rx_time(),
            tag::from_epoch(d_receivers.start_time().plus_samples(sent, d_rate)));
        add_item_tag(0, 0, tag::rx_rate(), pmt::from_double(d_rate));
        add_item_tag(0, 0, tag::rx_freq(), pmt::from_double(d_freq));
    }
    if (count < d_block) {
        add_item_tag(0, item, tag::samples(), pmt::from_uint64(count));
    }
    std::vector<invalid_run> runs;
    for (const io::lost_samples& l : lost) {
        runs.push_back({l.stream, l.first, l.count});
    }
    if (!runs.empty()) {
        add_item_tag(0, item, tag::invalid(), from_invalid(runs));
    }
}

void tcp_source_impl::count_losses()
{
    d_losses.set(missing, d_receivers.missing());
    d_losses.set(dropped, d_receivers.dropped());
}

void tcp_source_impl::tell_end()
{
    count_losses();
    d_losses.tell_end(d_read);
}

int tcp_source_impl::send_block(std::uint8_t* out)
{
    std::vector<io::lost_samples> lost;
    const auto count = d_receivers.take(out, lost);
    if (!count) {
        return 0;
    }
    if (*count == 0) {
        tell_end();
        return WORK_DONE;
    }
    d_read += *count;
    tag_item(*count, lost);
    count_losses();
    d_losses.tell(d_read);
    return 1;
}

} // namespace

tcp_source::sptr tcp_source::make(const std::vector<std::string>& addresses,
                                  std::size_t block_samples,
                                  double sample_rate,
                                  double center_frequency,
                                  bool listen,
                                  const std::string& start_time,
                                  double buffer_seconds)
{
    require(
        !addresses.empty(), me, "addresses", "none", "give one host:port per receiver");
    require(block_samples > 0 && block_samples <= std::size_t(1) << 31,
            me,
            "block_samples",
            block_samples,
            "must be 1 ... 2^31");
    require(sample_rate > 0 && sample_rate < 1e12,
            me,
            "sample_rate",
            sample_rate,
            "must be a positive rate in Hz");
    require(buffer_seconds > 0 && buffer_seconds * sample_rate < 1e9,
            me,
            "buffer_seconds",
            buffer_seconds,
            "must be positive, and hold at most 1e9 samples of an input");
    return gnuradio::make_block_sptr<tcp_source_impl>(addresses,
                                                      block_samples,
                                                      sample_rate,
                                                      center_frequency,
                                                      listen,
                                                      live_start(start_time),
                                                      buffer_seconds);
}

} // namespace gr::fringe
