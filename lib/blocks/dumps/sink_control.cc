/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/dumps/sink_control.h"
#include "blocks/ports/message_port.h"
#include <chrono>
#include <pmt/pmt.h>
#include <stdexcept>
#include <utility>

namespace gr::fringe {

namespace {

std::int64_t now()
{
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace

sink_control::sink_control(gr::block& block, const gr::logger_ptr& logger)
{
    add_message_port(block, logger, "control", [this](const pmt::pmt_t& message) {
        obey(pmt::is_symbol(message) ? pmt::symbol_to_string(message)
                                     : pmt::write_string(message));
    });
}

void sink_control::obey(const std::string& word)
{
    if (word == "new_file") {
        begin_new_file();
    } else if (word == "start" || word == "stop") {
        set_writing(word == "start");
    } else {
        throw std::invalid_argument("message " + word + ": send new_file, start or stop");
    }
}

double sink_control::dump_age() const
{
    const std::int64_t came = d_came;
    return came == 0 ? -1 : 1e-9 * static_cast<double>(now() - came);
}

bool sink_control::takes(io::dump& d, sink_file& file, gr::logger& log)
{
    d_came = now();
    d_time = static_cast<double>(d.start.seconds) + d.start.fraction() + d.interval;
    d.begins_file = false;
    const bool paused = std::exchange(d_paused, !d_writes);
    if (d_paused) {
        if (!paused) {
            file.begin_next("writing was stopped by a message", log);
        }
        return false;
    }
    if (d_wants_file.exchange(false)) {
        d.begins_file = file.is_dated();
        if (!d.begins_file) {
            file.begin_next("a new file was asked for by a message", log);
        }
    }
    return true;
}

} // namespace gr::fringe
