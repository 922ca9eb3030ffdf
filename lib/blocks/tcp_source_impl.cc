/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/block_checks.h"
#include "blocks/data_watch.h"
#include "blocks/stream_tags.h"
#include "io/group_buffer.h"
#include "io/group_follower.h"
#include "io/mwa32t_group.h"
#include "io/tcp_streams.h"
#include <algorithm>
#include <gnuradio/fringe/tcp_source.h>
#include <gnuradio/io_signature.h>
#include <optional>

namespace gr {
namespace fringe {

namespace {

const std::string me = "tcp_source";
using clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds patience{100};
// Number of the first group of all: far enough from 0 for receivers that are behind.
constexpr std::uint64_t first_number = std::uint64_t(1) << 20;
constexpr std::uint64_t many_unsound = 1000;

epoch now_by_clock()
{
    const auto t = std::chrono::system_clock::now().time_since_epoch();
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(t).count();
    return epoch().plus_samples(ns, 1e9);
}

class tcp_source_impl : public tcp_source, private io::tcp_events
{
public:
    tcp_source_impl(const std::vector<std::string>& addresses,
                    std::size_t block_samples,
                    double sample_rate,
                    double center_frequency,
                    bool listen,
                    const std::optional<epoch>& start_time,
                    double buffer_seconds);
    ~tcp_source_impl() override { stop(); }

    std::size_t inputs() const override
    {
        return d_receivers.size() * io::mwa32t::streams;
    }
    std::vector<unsigned> ports() const override;
    std::size_t connected() const override;
    std::uint64_t samples_read() const override;
    std::uint64_t samples_missing() const override;
    std::uint64_t samples_dropped() const override;
    void finish() override;

    bool start() override;
    bool stop() override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

private:
    struct receiver {
        io::group_follower groups;
        bool connected = false;
        bool ever_connected = false;
        bool live = false; // what waited in the connection has been left out
        bool complained = false;
        std::uint64_t unsound_before = 0; // this connection
        clock::time_point since;          // the last group, or the connection
    };

    void opened(std::size_t k) override;
    void received(std::size_t k, const std::uint8_t* bytes, std::size_t count) override;
    void drained(std::size_t k) override;
    void closed(std::size_t k) override;
    bool all_came() const;
    io::group_follower::sink put(std::size_t k);
    std::uint64_t expected(std::size_t k) const;
    void begin();
    void tag_item(std::size_t count, const std::vector<io::lost_samples>& lost);

    const std::size_t d_block;
    const double d_rate;
    const double d_freq;
    std::optional<epoch> d_start;
    io::tcp_streams d_streams;
    std::vector<receiver> d_receivers;
    io::group_buffer d_buffer;
    data_watch d_watch;
    bool d_told = false; // that data have come
    bool d_ended = false;
    std::uint64_t d_read = 0;
    mutable std::mutex d_mutex; // of everything above
    std::condition_variable d_ready;
    std::atomic<bool> d_stop{false};
    std::thread d_thread;
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
      d_start(start_time),
      d_streams(addresses, listen),
      d_receivers(addresses.size()),
      d_buffer(addresses.size(),
               block_samples,
               static_cast<std::size_t>(sample_rate * buffer_seconds)),
      d_watch("receiver", addresses.size())
{
    use_whole_pages(*this, 0, output_signature()->sizeof_stream_item(0));
}

std::vector<unsigned> tcp_source_impl::ports() const
{
    std::vector<unsigned> list;
    for (std::size_t k = 0; k < d_receivers.size(); ++k) {
        list.push_back(d_streams.port(k));
    }
    return list;
}

std::size_t tcp_source_impl::connected() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return static_cast<std::size_t>(
        std::count_if(d_receivers.begin(), d_receivers.end(), [](const receiver& r) {
            return r.connected && r.live;
        }));
}

std::uint64_t tcp_source_impl::samples_read() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_read;
}

std::uint64_t tcp_source_impl::samples_missing() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_buffer.samples_missing();
}

std::uint64_t tcp_source_impl::samples_dropped() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return d_buffer.samples_dropped();
}

void tcp_source_impl::finish()
{
    std::lock_guard<std::mutex> lock(d_mutex);
    d_ended = d_stop = true;
    d_ready.notify_all();
}

bool tcp_source_impl::start()
{
    stop();
    d_stop = false;
    d_watch.start(d_logger);
    d_thread = std::thread([this] {
        while (!d_stop) {
            d_streams.serve(*this);
        }
    });
    return true;
}

bool tcp_source_impl::stop()
{
    d_stop = true;
    if (d_thread.joinable()) {
        d_thread.join();
    }
    d_watch.stop();
    return true;
}

bool tcp_source_impl::all_came() const
{
    return std::all_of(d_receivers.begin(), d_receivers.end(), [](const receiver& r) {
        return r.ever_connected;
    });
}

void tcp_source_impl::opened(std::size_t k)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    receiver& r = d_receivers[k];
    r.groups.restart();
    r.connected = r.ever_connected = true;
    r.live = r.complained = false;
    r.unsound_before = r.groups.unsound();
    r.since = r.since == clock::time_point() ? clock::now() : r.since;
    d_buffer.set_present(k, true);
    d_logger->info("receiver {:d}: connected", k);
}

io::group_follower::sink tcp_source_impl::put(std::size_t k)
{
    return [this, k](std::uint64_t number, const std::uint8_t* samples) {
        d_buffer.put(k, number, samples);
    };
}

// Number of the next group of a receiver that has just connected: what the others are at,
// else what the time since its last one says.
std::uint64_t tcp_source_impl::expected(std::size_t k) const
{
    std::uint64_t newest = 0;
    for (std::size_t j = 0; j < d_receivers.size(); ++j) {
        if (j != k && d_receivers[j].connected && d_receivers[j].live) {
            newest = std::max(newest, d_buffer.head(j));
        }
    }
    if (newest > 0) {
        return newest;
    }
    if (!d_buffer.heard(k)) {
        return first_number;
    }
    const std::chrono::duration<double> away = clock::now() - d_receivers[k].since;
    return d_buffer.head(k) + static_cast<std::uint64_t>(away.count() * d_rate);
}

void tcp_source_impl::begin()
{
    d_told = true;
    d_start = d_start.value_or(now_by_clock());
    d_logger->info("first data: {:d} receivers in step, {:f} Hz, from {:s} on",
                   d_receivers.size(),
                   d_rate,
                   d_start->iso(6));
}

void tcp_source_impl::received(std::size_t k,
                               const std::uint8_t* bytes,
                               std::size_t count)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    receiver& r = d_receivers[k];
    d_watch.arrived(k);
    if (!r.live) {
        r.groups.skip(bytes, count);
        // A sender that never pauses is never drained.
        r.live = all_came() && clock::now() - r.since > patience;
        return;
    }
    r.groups.feed(bytes, count, expected(k), put(k));
    r.since = clock::now();
    if (!r.complained && r.groups.unsound() - r.unsound_before >= many_unsound) {
        r.complained = true;
        d_logger->error("receiver {:d}: the first word of every 17 does not count up by "
                        "one; groups of a counter and 16 samples were expected",
                        k);
    }
    if (!d_told && d_buffer.begun()) {
        begin();
    }
    if (d_buffer.ready()) {
        d_ready.notify_all();
    }
}

void tcp_source_impl::drained(std::size_t k)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    d_receivers[k].live = d_receivers[k].live || all_came();
}

void tcp_source_impl::closed(std::size_t k)
{
    std::lock_guard<std::mutex> lock(d_mutex);
    receiver& r = d_receivers[k];
    r.groups.finish(put(k));
    r.connected = false;
    d_buffer.set_present(k, false);
    d_logger->info("receiver {:d}: the connection has ended", k);
    const bool alone = std::none_of(d_receivers.begin(),
                                    d_receivers.end(),
                                    [](const receiver& one) { return one.connected; });
    d_ended = d_ended || (alone && all_came());
    d_stop = d_stop || d_ended;
    d_ready.notify_all();
}

void tcp_source_impl::tag_item(std::size_t count,
                               const std::vector<io::lost_samples>& lost)
{
    const std::uint64_t item = nitems_written(0);
    if (item == 0) {
        add_item_tag(0, 0, tag::rx_time(), tag::from_epoch(d_start.value_or(epoch())));
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

int tcp_source_impl::general_work(int,
                                  gr_vector_int&,
                                  gr_vector_const_void_star&,
                                  gr_vector_void_star& output_items)
{
    std::unique_lock<std::mutex> lock(d_mutex);
    d_ready.wait_for(lock, patience, [this] { return d_ended || d_buffer.ready(); });
    const bool whole = d_buffer.ready();
    if (!whole && !d_ended) {
        return 0;
    }
    const std::size_t count = whole ? d_block : d_buffer.rest();
    if (count == 0) {
        return WORK_DONE;
    }
    if (!d_told) { // all of it came with the end
        begin();
    }
    std::vector<io::lost_samples> lost;
    d_buffer.take(count, static_cast<std::uint8_t*>(output_items[0]), lost);
    d_read += count;
    tag_item(count, lost);
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
    std::optional<epoch> start;
    if (!start_time.empty()) {
        start = epoch::from_iso(start_time);
    }
    return gnuradio::make_block_sptr<tcp_source_impl>(addresses,
                                                      block_samples,
                                                      sample_rate,
                                                      center_frequency,
                                                      listen,
                                                      start,
                                                      buffer_seconds);
}

} // namespace fringe
} // namespace gr
