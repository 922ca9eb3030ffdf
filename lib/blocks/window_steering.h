/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_WINDOW_STEERING_H
#define INCLUDED_FRINGE_BLOCKS_WINDOW_STEERING_H

#include "array/timeline.h"
#include "blocks/stream_tags.h"
#include "kernels/channelizer/channelizer.h"
#include <gnuradio/fringe/tracking.h>
#include <vector>

namespace gr {
namespace fringe {

//! The instant in the middle of a window of so many samples that begins with sample
//! `first`.
inline epoch
window_middle(const array::timeline& time, std::uint64_t first, std::size_t window)
{
    return time.at(first).plus_half_samples(static_cast<std::int64_t>(window),
                                            time.rate());
}

/*!
 * The delays that a channelizer takes out of the spectra of one item, and which of them
 * its shifted windows make invalid.
 */
class window_steering
{
public:
    //! `towards` may be null: then nothing is steered. Throws std::invalid_argument when
    //! it is for another number of inputs.
    window_steering(const tracking::sptr& towards, const kernels::channelizer_params& p);

    explicit operator bool() const { return d_towards != nullptr; }
    //! Samples by which windows may be shifted, see kernels::channelizer_params.
    static std::size_t reach(const tracking::sptr& towards);

    //! The delays of `spectra` spectra, the first of which begins with sample `first`.
    //! Throws std::runtime_error where the time is not known, or the rate another one.
    void aim(const array::timeline& time, std::uint64_t first, std::size_t spectra);
    //! For the kernel, from spectrum `first` of the item on.
    kernels::steering steering(std::size_t first, double rate, double frequency) const;

    //! Invalid samples, counted from sample `origin`, where windows without a shift have
    //! to meet them.
    std::vector<invalid_run> met_by_windows(std::vector<invalid_run> runs,
                                            std::uint64_t origin) const;
    //! Spectra of the item whose windows reach back to before sample `begin`, where the
    //! data do; the item's first begins with sample `first`.
    std::vector<invalid_run>
    before(std::uint64_t begin, std::uint64_t first, std::size_t spectra) const;

private:
    std::int64_t shift(std::size_t input, std::size_t s) const;

    const tracking::sptr d_towards;
    const std::size_t d_inputs, d_points, d_window;
    std::vector<double> d_delays; // [input][spectrum]
    std::size_t d_spectra = 0;
};

} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_BLOCKS_WINDOW_STEERING_H */
