/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_CELL_OCCUPANCY_H
#define INCLUDED_FRINGE_BLOCKS_CELL_OCCUPANCY_H

#include <array>
#include <cstdint>
#include <gnuradio/fringe/epoch.h>
#include <map>
#include <mutex>
#include <pmt/pmt.h>
#include <string>
#include <vector>

namespace gr::fringe {

//! Counts flagged cells per channel and cause, since the start and the last message.
class cell_occupancy
{
public:
    cell_occupancy(std::size_t inputs, std::size_t channels);

    //! A window: its causes [channel][input] and the valid spectra [input] in it.
    void add(const std::vector<std::uint8_t>& causes,
             const std::vector<std::uint32_t>& valid,
             std::uint64_t spectra);
    //! Spectra since the last message.
    std::uint64_t new_spectra() const { return d_new_spectra; }
    //! The message on what is new; then nothing is.
    pmt::pmt_t message(const epoch& start, double seconds);

    std::uint64_t spectra() const;
    std::vector<std::uint64_t> flagged() const;
    std::map<std::string, std::vector<std::uint64_t>> cells() const;

private:
    static constexpr std::size_t kinds = 6; // the causes, and any
    using counts = std::array<std::vector<std::uint64_t>, kinds>;

    const std::size_t d_inputs, d_channels;
    mutable std::mutex d_mutex;
    counts d_all, d_new; // [kind][channel]
    std::vector<std::uint64_t> d_flagged;
    std::uint64_t d_spectra = 0, d_new_spectra = 0;
    std::uint64_t d_windows = 0, d_new_windows = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_CELL_OCCUPANCY_H */
