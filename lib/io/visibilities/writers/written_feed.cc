/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/written_feed.h"
#include "array/antenna_feed.h"
#include <cmath>

namespace gr::fringe::io {

namespace {

std::string mount_of(const observation& obs, const antenna& a)
{
    if (!a.mount.empty())
        return a.mount;
    const bool follows_the_ground =
        obs.phase_center.frame == phase_center::kind::zenith ||
        obs.phase_center.frame == phase_center::kind::azel;
    return follows_the_ground ? "fixed" : "alt-az";
}

// An antenna without inputs may have receptors of the other kind.
char hand_of(const antenna& a, char hand)
{
    const std::string linear = "XY", circular = "RL";
    if (a.receptors == "linear" && array::is_circular(hand))
        return linear[circular.find(hand)];
    if (a.receptors == "circular" && !array::is_circular(hand))
        return circular[linear.find(hand)];
    return hand;
}

} // namespace

written_feed feed_of(const observation& obs, std::size_t number, const std::string& hands)
{
    const antenna& a = obs.antennas[number];
    written_feed feed;
    feed.mount = mount_of(obs, a);
    for (const char hand : hands) {
        feed.hands += hand_of(a, hand);
        feed.angles.push_back(a.feed_angle[feed.hands.back() == 'Y'] * M_PI / 180);
    }
    return feed;
}

} // namespace gr::fringe::io
