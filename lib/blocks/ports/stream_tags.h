/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_STREAM_TAGS_H
#define INCLUDED_FRINGE_BLOCKS_STREAM_TAGS_H

#include "array/timeline.h"
#include "kernels/integrator/flagged_spectra.h"
#include "stages/invalid_run.h"
#include <cstdint>
#include <gnuradio/block.h>
#include <gnuradio/fringe/epoch.h>
#include <gnuradio/tags.h>
#include <optional>
#include <pmt/pmt.h>
#include <vector>

namespace gr::fringe {

//! The stream tags of gr-fringe's blocks (see docs/gnuradio_corners.md).
namespace tag {
const pmt::pmt_t& stream();
const pmt::pmt_t& rx_time();
const pmt::pmt_t& rx_rate();
const pmt::pmt_t& rx_freq();
const pmt::pmt_t& samples();
const pmt::pmt_t& spectra();
const pmt::pmt_t& invalid();
const pmt::pmt_t& blanked();
const pmt::pmt_t& lost();
const pmt::pmt_t& valid();
const pmt::pmt_t& flagged();
const pmt::pmt_t& flagged_spectra();
const pmt::pmt_t& gains();
const pmt::pmt_t& channel_width();
const pmt::pmt_t& interval();
const pmt::pmt_t& exposure();
const pmt::pmt_t& damaged();
const pmt::pmt_t& bin();
const pmt::pmt_t& elsewhere();
const pmt::pmt_t& weights();

pmt::pmt_t from_epoch(const epoch& t);
} // namespace tag

//! Cells of an item of spectra that were zeroed as interference.
using kernels::cell_run;

//! The tags of item number `item` of an input.
std::vector<tag_t> tags_of(const gr::block& self, unsigned port, std::uint64_t item);

//! What the tags of one item say.
struct item_tags {
    std::optional<epoch> rx_time;
    std::optional<double> rx_rate;
    std::optional<double> rx_freq;
    std::optional<std::uint64_t> samples;
    std::optional<std::uint64_t> spectra;
    std::optional<double> channel_width; //!< Hz
    std::optional<double> interval;
    std::optional<double> exposure;
    std::vector<invalid_run> invalid;
    std::vector<invalid_run> blanked; //!< samples that are zero, see blanked_spectra
    std::vector<lost_spectra> lost;   //!< in some channels only
    std::vector<std::uint64_t> valid; //!< in parts of a spectrum
    std::vector<cell_run> flagged;
    //! Of a sum, windows in which cells were flagged; their spectra in parts.
    std::vector<kernels::flagged_spectra> flagged_spectra;
    std::vector<float> gains;
    pmt::pmt_t damaged; //!< null when absent
    //! The item is computed on another GPU, and so are those behind it up to the one that
    //! comes after this number of items; 0: it is computed here.
    std::uint64_t elsewhere = 0;

    explicit item_tags(const std::vector<tag_t>& tags);

    //! The tags give the axis `so_far` a new start: an rx_time, or the first rx_rate, of a
    //! stream without time (which counts from 1970 on). Without a rate there is no axis.
    std::optional<array::beginning> start(const array::timeline& so_far) const;
};

//! `runs` as the value of the tag `invalid` or `blanked`: a u64vector of (input, first,
//! count) triples.
pmt::pmt_t from_invalid(const std::vector<invalid_run>& runs);

//! Parts of spectra [baseline] as the value of the tag `valid`: a u64vector of spectra, or an
//! f64vector where not all are whole.
pmt::pmt_t from_valid(const std::vector<std::uint64_t>& parts);

//! `lost` as the value of the tag `lost`: a u64vector, six numbers a run.
pmt::pmt_t from_lost(const std::vector<lost_spectra>& lost);

//! `runs` as the value of the tag `flagged`: a u32vector of (first, count) pairs.
pmt::pmt_t from_flagged(const std::vector<cell_run>& runs);

//! As the value of the tag `flagged_spectra`: a vector of pairs (spectra . runs); spectra:
//! uint64, or those of each baseline, as from_valid() has them, where some were lost.
pmt::pmt_t from_flagged_spectra(const std::vector<kernels::flagged_spectra>& windows);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_STREAM_TAGS_H */
