/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_FLAGGING_OCCUPANCY_H
#define INCLUDED_FRINGE_KERNELS_FLAGGING_OCCUPANCY_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <gnuradio/fringe/api.h>
#include <string>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * How many visibilities of each channel are flagged, and why. One that has several causes
 * counts for each of them, and once for "any".
 */
class FRINGE_API occupancy
{
public:
    //! Names of the causes, by the bits of flags.h.
    static const std::array<std::string, 7>& causes();

    explicit occupancy(std::size_t channels);
    void clear();
    //! A dump: flags [channel][baseline].
    void add(const std::uint8_t* flags, std::size_t baselines);

    //! Visibilities of one channel so far.
    std::uint64_t seen() const { return d_seen; }
    const std::vector<std::uint64_t>& any() const { return d_any; }
    const std::vector<std::uint64_t>& of(std::size_t cause) const { return d_of[cause]; }
    //! The part of each channel that is flagged, [channel].
    std::vector<float> part(const std::vector<std::uint64_t>& count) const;

private:
    std::uint64_t d_seen = 0;
    std::vector<std::uint64_t> d_any;
    std::array<std::vector<std::uint64_t>, 7> d_of;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_FLAGGING_OCCUPANCY_H */
