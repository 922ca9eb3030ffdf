/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_PACKET_WATCH_H
#define INCLUDED_FRINGE_BLOCKS_PACKET_WATCH_H

#include "io/packets/udp_capture.h"
#include <chrono>
#include <gnuradio/logger.h>
#include <mutex>
#include <string>
#include <vector>

namespace gr::fringe {

//! Says in the log what becomes of packets: every few seconds, if some are lost, and when
//! none have come for 5 seconds, with the usual reasons.
class packet_watch
{
public:
    packet_watch(const io::udp_capture& capture, gr::logger_ptr logger);
    //! To be called some times a second.
    void look();
    //! What it all came to.
    void say_end();
    //! A warning for the log, and for who asks for warnings.
    void warn(const std::string& sentence);
    //! The warnings since the last call, the newest hundred; by any thread.
    std::vector<std::string> take_warnings();

    //! One line of counts, without those that are 0.
    static std::string in_words(const io::packet_counts& counts);

private:
    using clock = std::chrono::steady_clock;
    std::string input(std::size_t part) const;
    void look_at_times();
    std::string silence(const io::packet_counts& counts) const;

    const io::udp_capture& d_capture;
    gr::logger_ptr d_logger;
    clock::time_point d_heard = clock::now(), d_reported = clock::now();
    std::uint64_t d_good = 0;
    bool d_silent = false;
    io::packet_counts d_before;   // when losses were reported last
    std::uint64_t d_left_out = 0; // packets, for their time
    std::mutex d_mutex;           // of what follows
    std::vector<std::string> d_warnings;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_PACKET_WATCH_H */
