/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_ARRIVAL_FRONT_H
#define INCLUDED_FRINGE_IO_ARRIVAL_FRONT_H

#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <vector>

namespace gr::fringe::io {

/*!
 * How far the packets of most sources have come.
 *
 * The front is the newest slot that more than half of the sources have reached: a source
 * whose clock is wrong moves it by nothing. A source counts from its first packet on, until
 * another one has sent a round of packets while it was silent.
 */
class FRINGE_API arrival_front
{
public:
    //! `round`: packets.
    arrival_front(std::size_t sources, std::size_t round);

    //! All begins anew behind a slot.
    void begin(std::int64_t slot);
    //! A packet of a source came for a slot.
    void arrived(std::size_t source, std::int64_t slot);

    std::int64_t slot() const { return d_slot; }
    //! It has sent packets lately.
    bool counts(std::size_t source) const { return d_sources[source].counts; }
    //! Sources that have.
    std::size_t counting() const { return d_counting; }
    //! The newest slot of a source, where it has sent packets.
    std::int64_t newest(std::size_t source) const { return d_sources[source].newest; }
    //! Slots by which the newest packet of a source that counts is ahead of most; else 0.
    std::int64_t lead(std::size_t source) const;

private:
    struct source_front {
        std::int64_t newest = 0;
        std::size_t in_round = 0;
        bool counts = false;
    };
    void end_round();
    void move();

    const std::size_t d_round;
    std::vector<source_front> d_sources;
    std::vector<std::int64_t> d_newest; // scratch
    std::int64_t d_slot = -1;
    std::size_t d_counting = 0, d_ahead = 0; // sources that count, and are ahead
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_ARRIVAL_FRONT_H */
