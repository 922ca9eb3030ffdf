/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_TCP_RECEIVERS_H
#define INCLUDED_FRINGE_BLOCKS_TCP_RECEIVERS_H

#include "blocks/ports/data_watch.h"
#include "io/live/group_aligner.h"
#include "io/live/group_buffer.h"
#include "io/live/group_follower.h"
#include "io/live/tcp_streams.h"
#include "io/recordings/mwa32t_group.h"
#include <array>
#include <gnuradio/fringe/epoch.h>
#include <optional>

namespace gr::fringe {

/*!
 * MWA-32T receivers, one TCP connection each, put in step: a thread of its own takes what
 * they send, and blocks are fetched from another.
 */
class tcp_receivers : private io::tcp_events
{
public:
    //! Of `capacity` samples of every input. `start_time`: of the first, or the clock's.
    tcp_receivers(const std::vector<std::string>& addresses,
                  bool listen,
                  std::size_t block_samples,
                  std::size_t capacity,
                  double sample_rate,
                  const std::optional<epoch>& start_time);
    ~tcp_receivers() override { stop(); }

    void start(gr::logger_ptr logger);
    void stop();
    //! No more is taken; what has come can still be fetched.
    void finish();

    std::size_t count() const { return d_receivers.size(); }
    std::vector<unsigned> ports() const;
    //! Those with nothing left of what had waited in the connection.
    std::size_t connected() const;
    epoch start_time() const;
    //! Samples that never came, or were dropped, of every stream.
    std::vector<std::uint64_t> missing() const;
    std::vector<std::uint64_t> dropped() const;

    //! The next block: its number of samples, 0 at the end, nothing while it is not there.
    //! Waits for it a tenth of a second.
    std::optional<std::size_t> take(std::uint8_t* out,
                                    std::vector<io::lost_samples>& lost);

private:
    using clock = std::chrono::steady_clock;
    struct held_group {
        std::uint64_t number;
        std::array<std::uint8_t, io::mwa32t::sample_bytes> samples;
    };
    struct receiver {
        io::group_follower groups;
        bool connected = false;
        bool ever_connected = false;
        bool live = false; // what waited in the connection has been left out
        bool complained = false;
        std::optional<clock::time_point>
            refusal_logged;               // when the log last had a refusal
        unsigned refusals_unlogged = 0;   // since then
        std::uint64_t unsound_before = 0; // this connection
        clock::time_point since;          // the last group, or the connection
        clock::time_point heard;      // the last group in this connection, or its start
        std::vector<held_group> held; // till it is known when they were taken
    };

    void opened(std::size_t k) override;
    void received(std::size_t k, const std::uint8_t* bytes, std::size_t count) override;
    void drained(std::size_t k) override;
    void closed(std::size_t k) override;
    bool gives_way(std::size_t k, const std::string& who) override;
    void say_refused(std::size_t k, const std::string& who);
    void align();
    void tell_ready();
    void release(std::size_t k, std::int64_t turns);
    bool all_came() const;
    bool all_heard() const;
    io::group_follower::sink put(std::size_t k);
    std::uint64_t expected(std::size_t k) const;
    void begin();

    const std::size_t d_block;
    const double d_rate;
    std::optional<epoch> d_start;
    io::tcp_streams d_streams;
    std::vector<receiver> d_receivers;
    io::group_buffer d_buffer;
    io::group_aligner d_aligner;
    gr::logger_ptr d_logger;
    data_watch d_watch;
    bool d_begun = false; // that data have come
    bool d_ended = false;
    mutable std::mutex d_mutex; // of everything above
    std::condition_variable d_ready;
    std::atomic<bool> d_stop{false};
    std::thread d_thread;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_TCP_RECEIVERS_H */
