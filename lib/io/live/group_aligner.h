/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_GROUP_ALIGNER_H
#define INCLUDED_FRINGE_IO_GROUP_ALIGNER_H

#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <optional>
#include <vector>

namespace gr::fringe::io {

/*!
 * Finds how many turns of its counter an MWA-32T receiver has gone on by.
 *
 * A 16-bit counter does not tell a pause of n groups from one of n + 65536, which are 51 ms
 * at 1.28 MHz. So a receiver that was silent is under suspicion: its groups are to be held
 * until nothing of it and of the other receivers waits in the connections. Then it must be
 * where the others are, to the nearest turn. What was only late has come by then. Without
 * others it must be where this computer's clock says, provided that its groups come at their
 * rate; data that come at any other pace are no receiver's in real time, and follow on.
 *
 * Receivers that nobody suspected and that stand beside the others for good are found, too.
 *
 * Times are seconds of a clock that never jumps. Heads are numbers after the newest group.
 */
class FRINGE_API group_aligner
{
public:
    //! `rate`: groups a second. Groups are held for `max_seconds` at most.
    group_aligner(std::size_t receivers, double rate, double max_seconds);

    //! Before and after groups of receiver k are taken from its connection.
    void begin(std::size_t k, double now);
    void end(std::size_t k, std::uint64_t head, double now);
    //! Nothing more waits in its connection.
    void drained(std::size_t k) { d_receivers[k].drained = true; }
    //! It has just connected, and what its first groups were taken for is a guess.
    void connected(std::size_t k);
    //! It has left: turns for the groups that are held, as far as known.
    std::int64_t left(std::size_t k, double now);

    //! Its groups are to be held.
    bool holds(std::size_t k) const { return d_receivers[k].held; }
    //! Turns to be added to the numbers of those that are held, which go on then, and of all
    //! that come; nothing while that is not known. To be asked when all connections have been
    //! looked at.
    std::optional<std::int64_t> turns(std::size_t k, double now);

    //! Groups of a turn of the counter.
    static constexpr std::int64_t turn = 65536;

private:
    struct receiver {
        bool present = false, held = false, drained = false;
        bool spoke = true;      // since it is held
        std::uint64_t head = 0; // 0: none came
        double last = 0;        // when groups came
        double held_since = 0;
        // When it was known to be in step.
        std::uint64_t known_head = 0;
        double known = 0;
        // What it seems to be out of step by, and since when.
        std::int64_t beside = 0;
        std::uint64_t beside_head = 0;
        double beside_there = 0; // where it should have been
        double beside_since = 0;
    };

    std::vector<std::uint64_t> others(std::size_t k, double now) const;
    bool at_rest(std::size_t k) const;
    static bool keeps_pace(const receiver& r, double there);
    static std::int64_t turns_to(const receiver& r, double there);
    static void in_step(receiver& r, std::int64_t turns);

    const double d_rate;
    const double d_max;
    std::vector<receiver> d_receivers;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_GROUP_ALIGNER_H */
