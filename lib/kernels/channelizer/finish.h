/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_FINISH_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_FINISH_H

#include "kernels/base/aligned.h"
#include "kernels/channelizer/rows.h"
#include "kernels/channelizer/slope_factors.h"
#include "kernels/channelizer/window_filter.h"

namespace gr::fringe::kernels {

//! Rows of transforms, complex, `stride` bytes apart.
struct bin_rows {
    std::uint8_t* first;
    std::size_t stride;

    float* at(std::size_t n) const
    {
        return reinterpret_cast<float*>(first + n * stride);
    }
};

/*!
 * What is done to the bins of a transform: corrections, what is left of a delay, order of
 * channels and requantizer. One for each thread.
 */
class spectrum_finish
{
public:
    //! The parameters stay where they are; corrections and gains in them may change.
    spectrum_finish(const channelizer_params& p, const std::vector<run_of_bins>& runs);

    //! There is nothing to multiply the spectra of input i by.
    bool plain() const { return d_p.max_shift_samples == 0 && d_p.corrections.empty(); }
    //! Factors that serve for all of these spectra, and how each differs, to `turns`: true
    //! where there are such. Factors without a delay have no turns.
    bool common_factors(std::size_t i,
                        const steered* how,
                        std::size_t count,
                        row_factors& factors,
                        row_turn* turns);
    //! Multiplies spectra, max_tile_spectra at most, in place and in the order of bins.
    void multiply(std::size_t i,
                  const steered* how,
                  std::size_t count,
                  const bin_rows& spectra);
    //! Writes a spectrum as the output has it, in the order of channels.
    void write(std::size_t i, const float* bins, void* out);
    //! Spectra components of input i that were clipped; then the count is 0.
    std::uint64_t take_saturated(std::size_t i);

    //! The corrections are others now.
    void forget();

private:
    const float* corrections(std::size_t i) const
    {
        return d_p.corrections.empty()
                   ? nullptr
                   : reinterpret_cast<const float*>(&d_p.corrections[i * d_p.channels]);
    }

    const channelizer_params& d_p;
    const std::vector<run_of_bins>& d_runs;
    std::vector<slope_factors> d_factors;   //!< [input]
    std::vector<std::uint64_t> d_saturated; //!< [input]
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_FINISH_H */
