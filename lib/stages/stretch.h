/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_STRETCH_H
#define INCLUDED_FRINGE_STAGES_STRETCH_H

#include "stages/buffer_pool.h"
#include "stages/running_mean.h"
#include "stages/valid_counts.h"
#include "stages/window_search.h"
#include "stages/window_steering.h"
#include <atomic>
#include <complex>
#include <gnuradio/fringe/epoch.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace gr::fringe {

//! A block of raw samples of every input, as recorded.
struct raw_block {
    //! Null: whoever needs the samples reads them.
    std::shared_ptr<const std::uint8_t> bytes;
    std::uint64_t position = 0;       //!< of the first sample in the recording
    std::size_t samples = 0;          //!< samples of every input that are there
    std::vector<invalid_run> invalid; //!< samples that must not be used
    bool zeros = false;               //!< behind the data; no window has them
    //! Where the samples are read by the workers: what is lost in them has been counted.
    mutable std::atomic<bool> counted{false};
    //! Where means are taken out: what the samples add up to. The first worker that needs
    //! it adds them up.
    mutable std::once_flag added_up;
    mutable std::shared_ptr<const sample_sums> sums;
};

//! Factors [input][channel] of the spectra, or none.
using correction_factors = std::vector<std::complex<float>>;

/*!
 * A work order: consecutive spectra that one worker makes and multiplies, from raw samples
 * to sums. It depends on no other stretch: it begins with as many samples before its first
 * spectrum as the filter needs.
 */
struct stretch {
    //! Consecutive spectra that are added up to one sum.
    struct sum {
        std::size_t spectra = 0;
        std::optional<epoch> start; //!< of the first spectrum, where times are known
        double rate = 0;            //!< spectra a second
    };
    //! New factors from a spectrum on, counted from the first that goes into a sum.
    struct correction {
        std::size_t first;
        std::shared_ptr<const correction_factors> factors;
    };

    std::vector<std::shared_ptr<const raw_block>> blocks;
    //! Blocks before the first of them, and behind the last, that the windows of a search for
    //! pulses reach to.
    std::vector<std::shared_ptr<const raw_block>> lead, after;
    //! Blocks before all of these over which the running mean goes, too.
    std::vector<std::shared_ptr<const raw_block>> before;
    std::size_t first_row = 0;      //!< of the first block; a row is `points` samples
    std::size_t rows = 0;           //!< rows from there on that are used
    std::size_t new_blocks = 0;     //!< the first block that no earlier stretch used
    std::size_t skipped = 0;        //!< spectra that are made and go into no sum
    std::uint64_t first_sample = 0; //!< number of the first sample in the stream
    std::uint64_t begin = 0;        //!< number of the sample that the data begin with
    double frequency = 0;           //!< Hz, middle of the band
    window_delays delays;           //!< of all spectra that are made
    std::vector<sum> sums;
    //! Sums that each window of the interference search is made of; empty: no search.
    std::vector<std::size_t> windows;
    std::vector<correction> corrections; //!< the first one counts from spectrum 0 on
};

//! What a worker made of a stretch.
struct stretch_sums {
    struct sum {
        stretch::sum of;
        double frequency = 0;
        valid_counts counts;
        buffer_pool::buffer values; //!< [channel][baseline], complex float32 or int32
    };
    //! Powers of the spectra of a window as the X-engine takes them, [channel][input], see
    //! kernels::kurtosis.
    struct window {
        std::size_t sums = 0; //!< that it is made of
        counted_spectra count;
        std::vector<float> s1, s2;
    };
    std::vector<sum> sums;
    std::vector<window> windows;
    std::vector<std::uint64_t> saturated; //!< [input], samples at the rail of the format
    std::vector<std::uint64_t> blanked;   //!< [input], samples that are pulses
    std::vector<std::uint64_t> clipped;   //!< [input], components of spectra
    //! Why the sums end before the stretch does: the recording is damaged there.
    std::string damaged;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_STRETCH_H */
