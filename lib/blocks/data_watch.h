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

namespace gr {
namespace fringe {

/*!
 * Says in the log which inputs of a live block have been silent for 5 seconds, and when
 * they speak again. A block that waits for data is not called, so a thread of its own
 * watches.
 */
class data_watch
{
public:
    //! `noun`: what there are `count` of ("input", "receiver").
    data_watch(const std::string& noun, std::size_t count);
    ~data_watch();

    void start(gr::logger_ptr logger);
    void stop();

    //! Data came from port k; or: the block can (not) go on without more of them.
    void arrived(std::size_t k) { d_ports[k].fresh = true; }
    void waiting(std::size_t k, bool yes) { d_ports[k].waiting = yes; }

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
    void say(const std::vector<std::size_t>& which, bool silent);

    const std::string d_noun;
    std::vector<port> d_ports;
    gr::logger_ptr d_logger;
    std::mutex d_mutex;
    std::condition_variable d_wake;
    bool d_stop = false;
    std::thread d_thread;
};

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_DATA_WATCH_H */
