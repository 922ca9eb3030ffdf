/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_PACKETS_PRESETS_LWA_H
#define INCLUDED_FRINGE_IO_PACKETS_PRESETS_LWA_H

#include "io/packets/packet_layout.h"

namespace gr::fringe::io::lwa {

//! Hz, of the clock in whose ticks since 1970 the packets of the LWA count time.
constexpr std::uint64_t clock_rate = 196000000;
//! The first word of every packet.
constexpr std::uint64_t sync = 0xDEC0DE5C;

//! Time and frequency of a layout with that sample rate; `tuning` is the field of the
//! tuning word, in 2^-32 of the clock's rate.
inline void set_clock(packet_layout& l, std::uint64_t rate, const packet_field& tuning)
{
    l.frequency = tuning;
    l.frequency_step = static_cast<double>(clock_rate) / 4294967296.0;
    l.tick_rate = clock_rate;
    l.ticks_per_sample = clock_rate / rate;
    l.epoch = fringe::epoch{};
}

} // namespace gr::fringe::io::lwa

#endif /* INCLUDED_FRINGE_IO_PACKETS_PRESETS_LWA_H */
