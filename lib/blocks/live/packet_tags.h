/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_LIVE_PACKET_TAGS_H
#define INCLUDED_FRINGE_BLOCKS_LIVE_PACKET_TAGS_H

#include "io/packets/packet_layout.h"
#include "io/packets/packet_window.h"
#include "stages/invalid_run.h"
#include <gnuradio/fringe/epoch.h>
#include <gnuradio/logger.h>
#include <pmt/pmt.h>
#include <utility>
#include <vector>

namespace gr::fringe {

//! Keeps the time and the frequency of samples, or spectra, that come in packets, and makes the tags of
//! the items that they fill.
class packet_tags
{
public:
    //! With `center_frequency` 0 the frequency is what the layout or the packets say. An item has room for
    //! `block_samples` samples of every input.
    packet_tags(const io::packet_layout& layout,
                std::size_t inputs,
                double center_frequency,
                std::size_t block_samples,
                gr::logger_ptr logger);

    //! Returns the tags of the next item, keys and values. The first item of a run has all
    //! of them.
    std::vector<std::pair<pmt::pmt_t, pmt::pmt_t>>
    of_item(const io::packet_window::taken& item, bool first_of_run);

private:
    void begin_stretch(const io::packet_window::taken& item);
    std::vector<invalid_run> invalid_runs(const io::packet_window::taken& item) const;
    std::vector<lost_spectra> lost_spectra_of(const io::packet_window::taken& item) const;

    const io::packet_layout d_layout;
    const std::size_t d_inputs;
    const double d_given_freq;
    const std::size_t d_block;
    const gr::logger_ptr d_logger;
    bool d_began = false;
    epoch d_start;            // of the stretch of time
    double d_freq = 0;        // Hz
    std::int64_t d_since = 0; // samples of the stretch before this item
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_LIVE_PACKET_TAGS_H */
