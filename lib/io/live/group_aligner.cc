/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/live/group_aligner.h"
#include <algorithm>
#include <cmath>
#include <functional>

namespace gr::fringe::io {

namespace {

constexpr double quiet = group_aligner::turn / 4; // groups that a silence is long by
constexpr double settle = 0.1;                    // s that what is found must last
constexpr double settle_unsuspected = 0.3;        // s
constexpr double recent =
    0.1; // s within which others must have sent, to be compared with

// Of heads in order.
double middle(const std::vector<std::uint64_t>& heads)
{
    return static_cast<double>(heads[(heads.size() - 1) / 2]);
}

} // namespace

group_aligner::group_aligner(std::size_t receivers, double rate, double max_seconds)
    : d_rate(rate), d_max(max_seconds), d_receivers(receivers)
{
}

void group_aligner::begin(std::size_t k, double now)
{
    receiver& r = d_receivers[k];
    r.drained = false;
    if (r.held || r.head == 0) {
        return;
    }
    bool behind = false;
    for (const receiver& other : d_receivers) {
        behind = behind ||
                 (other.present && !other.held &&
                  static_cast<double>(other.head) > static_cast<double>(r.head) + quiet);
    }
    if (behind || (now - r.last) * d_rate > quiet) {
        r.held = true;
        r.spoke = false;
        r.beside = 0;
    }
}

void group_aligner::end(std::size_t k, std::uint64_t head, double now)
{
    receiver& r = d_receivers[k];
    if (head == 0 || head == r.head) {
        return; // no group, or none that is believed yet
    }
    if (r.head == 0) {
        r.known_head = head;
        r.known = now;
    }
    if (!r.spoke) {
        r.spoke = true;
        r.held_since = now;
    }
    r.head = head;
    r.last = now;
}

void group_aligner::connected(std::size_t k)
{
    receiver& r = d_receivers[k];
    r.present = true;
    r.drained = false;
    r.held = r.head > 0; // what comes first follows on nothing
    r.spoke = !r.held;
    r.beside = 0;
}

std::int64_t group_aligner::left(std::size_t k, double now)
{
    receiver& r = d_receivers[k];
    const auto heads = others(k, now);
    const std::int64_t found = r.held && !heads.empty() ? turns_to(r, middle(heads)) : 0;
    in_step(r, found);
    r.present = false;
    return found;
}

// Heads of the receivers that are in step as far as is known, the newest first.
std::vector<std::uint64_t> group_aligner::others(std::size_t k, double now) const
{
    std::vector<std::uint64_t> heads;
    for (std::size_t j = 0; j < d_receivers.size(); ++j) {
        const receiver& r = d_receivers[j];
        if (j != k && r.present && !r.held && r.head > 0 && now - r.last < recent) {
            heads.push_back(r.head);
        }
    }
    std::sort(heads.begin(), heads.end(), std::greater<>());
    return heads;
}

bool group_aligner::at_rest(std::size_t k) const
{
    return d_receivers[k].drained &&
           std::all_of(d_receivers.begin(), d_receivers.end(), [](const receiver& r) {
               return !r.present || r.held || r.drained;
           });
}

// It does not catch up, nor fall behind: groups come as fast as they should.
bool group_aligner::keeps_pace(const receiver& r, double there)
{
    const double came = static_cast<double>(r.head) - static_cast<double>(r.beside_head);
    const double expected = there - r.beside_there;
    return came > 0 && std::abs(came - expected) < 0.1 * expected + quiet / 2;
}

std::int64_t group_aligner::turns_to(const receiver& r, double there)
{
    return std::lround((there - static_cast<double>(r.head)) / static_cast<double>(turn));
}

void group_aligner::in_step(receiver& r, std::int64_t turns)
{
    r.head += static_cast<std::uint64_t>(turns * turn);
    r.known_head = r.head;
    r.known = r.last;
    r.held = false;
    r.beside = 0;
}

std::optional<std::int64_t> group_aligner::turns(std::size_t k, double now)
{
    receiver& r = d_receivers[k];
    const bool held = r.held, rest = at_rest(k);
    const bool too_long = held && now - r.held_since >= d_max;
    if (!r.present || r.head == 0 || !r.spoke || !(held || rest)) {
        return std::nullopt;
    }
    const auto heads = others(k, now);
    if (heads.empty() && !held) {
        in_step(r, 0); // nothing is known better than its own counter
        return std::nullopt;
    }
    const double by_clock = static_cast<double>(r.known_head) + (now - r.known) * d_rate;
    const double there = heads.empty() ? by_clock : middle(heads);
    const std::int64_t beside = turns_to(r, there);
    // Of two that nobody suspected, the one behind has lost something.
    if ((beside == 0 && (rest || too_long)) ||
        (!held && heads.size() == 1 && beside < 0)) {
        in_step(r, 0);
        return held ? std::optional<std::int64_t>(0) : std::nullopt;
    }
    if (r.beside != beside) {
        r.beside = beside;
        r.beside_since = now;
        r.beside_head = r.head;
        r.beside_there = there;
    }
    const bool lasted = now - r.beside_since >= (held ? settle : settle_unsuspected);
    const bool sure = lasted && keeps_pace(r, there);
    if (!too_long && !(sure && rest)) {
        r.beside = lasted && !sure ? 0 : r.beside; // looks again
        return std::nullopt;
    }
    const std::int64_t found = sure ? beside : 0; // else it may still catch up
    in_step(r, found);
    return found;
}

} // namespace gr::fringe::io
