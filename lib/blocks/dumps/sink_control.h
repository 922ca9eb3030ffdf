/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_SINK_CONTROL_H
#define INCLUDED_FRINGE_BLOCKS_SINK_CONTROL_H

#include "blocks/dumps/sink_file.h"
#include <atomic>
#include <gnuradio/block.h>

namespace gr::fringe {

/*!
 * What other threads ask of a sink while it runs, a new file or a pause, through its message port
 * `control` too; and what they want to know of its dumps.
 */
class sink_control
{
public:
    //! Gives the block its port.
    sink_control(gr::block& block, const gr::logger_ptr& logger);

    void begin_new_file() { d_wants_file = true; }
    void set_writing(bool writes) { d_writes = writes; }
    bool writing() const { return d_writes; }
    double dump_age() const;
    double dump_time() const { return d_time; }

    //! A dump has come, by the thread that writes: does with the file what is asked for; whether
    //! the dump is to be written.
    bool takes(io::dump& d, sink_file& file, gr::logger& log);

private:
    void obey(const std::string& word);

    std::atomic<bool> d_wants_file{false}, d_writes{true};
    std::atomic<std::int64_t> d_came{0}; // ns of the steady clock; 0 = none
    std::atomic<double> d_time{0};
    bool d_paused = false; // as the thread that writes knows it
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_SINK_CONTROL_H */
