/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_UDP_CAPTURE_H
#define INCLUDED_FRINGE_IO_UDP_CAPTURE_H

#include "io/packets/packet_engine.h"
#include "io/packets/packet_receiver.h"
#include <functional>
#include <thread>

namespace gr::fringe::io {

//! How many packets of a source are kept.
struct capture_sizes {
    double window_seconds = 0.05; //!< that packets may be out of order
    double buffer_seconds = 0.5;  //!< that the reader may be behind
    //! Samples that are taken at once. Two such blocks find room, however short the buffer.
    std::size_t block_samples = 0;
    static constexpr double max_bytes = 64e9;
};

//! Receives packets with threads of its own, and puts them in the order of their time.
class FRINGE_API udp_capture
{
public:
    //! `cores`: those that the threads are bound to, in turn; empty: the system chooses.
    //! Throws std::invalid_argument.
    udp_capture(const udp_settings& where,
                const packet_layout& layout,
                std::size_t parts,
                const capture_sizes& sizes,
                const std::vector<unsigned>& cores = {});
    ~udp_capture() { stop(); }

    //! `look` is called some times a second by a thread that receives.
    void start(std::function<void()> look);
    //! Receives no more until start().
    void stop();
    //! What has come can still be taken, and nothing more comes.
    void finish() { d_finish = true; }

    const packet_layout& layout() const { return d_receiver.layout(); }
    const udp_sockets& sockets() const { return d_sockets; }
    //! What the administrator could grant; "" = all is granted.
    std::string advice() const { return d_engines.front()->advice(); }
    packet_window& window() { return d_window; }
    const packet_window& window() const { return d_window; }
    //! The size of the last packet that had a wrong one, 0 = none had.
    std::size_t wrong_size() const { return d_receiver.wrong_size(); }
    std::uint64_t stretches() const { return d_receiver.stretches(); }
    packet_counts counts() const;
    //! Packets that were left out for their time.
    packet_receiver::strays left_out() const;
    //! Parts that are ahead of most by more than the window, and by how many seconds.
    std::map<std::size_t, double> ahead() const;
    part_counts counts_of(std::size_t part) const { return d_window.counts_of(part); }
    std::size_t parts() const { return d_parts; }
    double window_seconds() const;

private:
    using clock = std::chrono::steady_clock;
    class batch;
    void run(std::size_t reader);
    void look(std::size_t reader);
    void end_in_turn();
    void close_in_time(clock::time_point now);

    const std::size_t d_parts;
    udp_sockets d_sockets;
    const std::vector<std::unique_ptr<packet_engine>> d_engines; // [reader]
    const std::vector<unsigned> d_cores;
    packet_window d_window;
    mutable std::mutex
        d_mutex; // of what follows, and of the window where packets are put into it
    packet_receiver d_receiver;
    const std::chrono::duration<double> d_timeout;
    std::function<void()> d_look;
    std::uint64_t d_placed = 0; // packets, and when the last one came
    clock::time_point d_placed_at;
    std::size_t d_done = 0; // readers that will put nothing more
    std::vector<std::atomic<std::uint64_t>> d_kernel_dropped; // [reader]
    std::atomic<bool> d_stop{false}, d_finish{false};
    std::vector<std::thread> d_threads;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_UDP_CAPTURE_H */
