/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_FILTER_BANK_PLAN_H
#define INCLUDED_FRINGE_STAGES_FILTER_BANK_PLAN_H

#include "stages/blanked_samples.h"
#include "stages/spectra_mask.h"
#include "stages/window_plan.h"
#include <optional>
#include <vector>

namespace gr::fringe {

//! The factors [input][channel] of some of the inputs; none of none.
FRINGE_API std::vector<std::complex<float>>
corrections_of_inputs(const std::vector<std::complex<float>>& factors,
                      std::size_t inputs,
                      std::size_t first,
                      std::size_t count);

//! The parameters of some of the inputs of a channelizer. Throws std::invalid_argument naming
//! the parameter of the whole that is wrong.
FRINGE_API kernels::channelizer_params
params_of_inputs(kernels::channelizer_params p, std::size_t first, std::size_t count);

/*!
 * Plans what a channelizer makes of each item: how many spectra, when they are, which of them
 * are lost, and which delays and corrections count for them.
 */
class FRINGE_API filter_bank_plan : public window_plan
{
public:
    //! Some rows, and what becomes of them.
    struct order {
        //! New corrections.
        struct change {
            std::vector<std::complex<float>> factors;
            std::size_t spectra = 0; //!< that are made before they count
            std::size_t rows = 0;    //!< that the filter takes in for those
        };

        std::size_t inputs = 0;         //!< all of them
        std::size_t rows = 0;           //!< that the filter takes in
        std::size_t spectra = 0;        //!< that they complete
        std::uint64_t first_sample = 0; //!< of the window of the first spectrum
        window_delays delays;           //!< of the spectra; empty: none are taken out
        std::vector<invalid_run> lost;  //!< spectra with an invalid sample
        //! Samples in their windows, see blanked_spectra.
        std::vector<invalid_run> blanked;
        std::optional<change> corrections;

        //! The part of the order that concerns inputs first ... first + count - 1, which
        //! are counted from `first` there.
        order of_inputs(std::size_t first, std::size_t count) const;
    };

    //! `towards` may be null: no delays. Throws std::invalid_argument.
    filter_bank_plan(const kernels::channelizer_params& p, const tracking::sptr& towards);

    //! The next item begins at `start`, or follows on the one before. Returns nothing when
    //! it does follow; else the filter has to begin anew, and so many samples of every
    //! input are missing.
    std::optional<std::uint64_t> begin(const std::optional<array::beginning>& start);
    //! Plans the next rows. Invalid samples, and those that are zeros because they were
    //! blanked, are counted from the first of them.
    order plan(std::size_t rows,
               const std::vector<invalid_run>& invalid,
               const std::vector<invalid_run>& blanked = {});

    //! The data end here; what comes after them does not follow on them. The filter keeps
    //! what it holds.
    void end();
    //! The filter holds rows for the longest delay that there can be. Plans rows of zeros
    //! behind the data for the spectra none of whose windows has one of them; nothing when
    //! there are no more such rows.
    std::optional<order> plan_zeros();

    //! Spectra a second; without times a spectrum takes a second.
    double rate() const;
    //! The instant at which the spectrum begins whose window begins with this sample: that
    //! of the first of the N samples in the middle of the window. Without times they count
    //! from 1970 on.
    epoch start_of(std::uint64_t sample) const;

private:
    std::size_t rows_to_take_in() const;
    void plan_corrections(order& o, std::size_t rows_before);
    void restart(std::uint64_t sample);

    const std::size_t d_inputs;
    std::uint64_t d_next_window = 0; // first sample of the next spectrum's window
    spectra_mask d_mask;
    blanked_samples d_blanked;
    std::uint64_t d_end = 0;                // first sample behind data that have ended
    std::optional<std::size_t> d_zero_rows; // that the filter has still to take in
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_FILTER_BANK_PLAN_H */
