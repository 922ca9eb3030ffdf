/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_DATA_WATCH_H
#define INCLUDED_FRINGE_BLOCKS_DATA_WATCH_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <gnuradio/logger.h>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gr::fringe {

//! A source that has a data_watch: what comes behind need not watch it again.
class watched_source
{
public:
    virtual ~watched_source() = default;
};

/*!
 * Says in the log when the first data come and at what rate, what has been silent for 5
 * seconds, when it speaks again, and what it all came to. A block that waits for data is
 * not called, so a thread of its own watches.
 */
class data_watch
{
public:
    //! `noun`: what there are `count` of ("input", "receiver"); "" = one, of all inputs.
    data_watch(const std::string& noun, std::size_t count);
    ~data_watch();

    void start(gr::logger_ptr logger);
    void stop();

    //! Data came from port k; or: the block can (not) go on without more of them.
    void arrived(std::size_t k) { d_ports[k].fresh = true; }
    void waiting(std::size_t k, bool yes) { d_ports[k].waiting = yes; }

    //! The first data are those of `what` ("2 inputs"), sampled at `rate` Hz.
    void began(const std::string& what, double rate, const std::string& since);
    //! `samples` samples of every input were taken.
    void passed(std::uint64_t samples);

private:
    using clock = std::chrono::steady_clock;
    struct port {
        std::atomic<bool> fresh{false};
        std::atomic<bool> waiting{true};
        bool silent = false;
        clock::time_point since; // of the last data, or of having no need of them
    };

    void run();
    void look();
    void look_at_rate();
    void say(const std::vector<std::size_t>& which, bool silent);
    std::string speed() const;

    const std::string d_noun;
    std::vector<port> d_ports;
    gr::logger_ptr d_logger;
    std::mutex d_mutex; // of what follows
    std::condition_variable d_wake;
    bool d_stop = false;
    double d_rate = 0;                 // Hz
    std::uint64_t d_passed = 0;        // samples of every input
    std::uint64_t d_at_first = 0;      // of them in the first block since `first`
    clock::time_point d_first, d_last; // block since the start, or a silence
    bool d_speed_logged = false;       // since `first`
    std::thread d_thread;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_DATA_WATCH_H */
