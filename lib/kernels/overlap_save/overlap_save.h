/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_OVERLAP_SAVE_OVERLAP_SAVE_H
#define INCLUDED_FRINGE_KERNELS_OVERLAP_SAVE_OVERLAP_SAVE_H

#include "kernels/base/compute_target.h"
#include <complex>
#include <cstddef>
#include <gnuradio/fringe/api.h>
#include <memory>

namespace gr::fringe::kernels {

struct overlap_save_params {
    std::size_t rows = 1;   //!< each has a filter of its own
    std::size_t points = 0; //!< of a transform
    std::size_t past = 0,
                future = 0; //!< samples before and behind one that a filter takes from

    //! Samples that a transform makes.
    std::size_t step() const { return points - past - future; }
    //! What filter() makes of so many samples: whole steps.
    std::size_t made_of(std::size_t samples) const
    {
        return samples < points ? 0 : ((samples - points) / step() + 1) * step();
    }
};

//! Streams of samples of some rows, [row][beam][time]; a stream begins `stride` samples behind
//! the one before it.
template <class Sample>
struct filtered_rows {
    Sample* at;
    std::size_t stride;
};

/*!
 * Filters in time by transforms (overlap and save): with X the transform of `points` samples from
 * number n step on,
 *
 *     y_rb[n step + past + k] = (1 / points) sum_f H_r[f] X_rb[f] exp(2 pi i f (past + k) / points)
 *
 * for 0 <= k < step. It is what a filter h_r, the inverse transform of H_r, makes of an endless
 * stream, where h_r[m] is 0 but for -future <= m <= past.
 */
class FRINGE_API overlap_save
{
public:
    explicit overlap_save(const overlap_save_params& p) : d_p(p) {}
    virtual ~overlap_save() = default;
    const overlap_save_params& params() const { return d_p; }

    //! Filters `samples` samples of `beams` streams of the rows first ... first + rows - 1, and
    //! writes made_of(samples): the first one belongs to sample `past`. Throws
    //! std::invalid_argument for rows that are not there, and strides that are too short.
    void filter(std::size_t first,
                std::size_t rows,
                std::size_t beams,
                std::size_t samples,
                const filtered_rows<const std::complex<float>>& in,
                const filtered_rows<std::complex<float>>& out);

protected:
    //! What filter() was asked for, checked.
    struct job {
        std::size_t first, rows, beams, samples;
        filtered_rows<const std::complex<float>> in;
        filtered_rows<std::complex<float>> out;
    };
    virtual void run(const job& j) = 0;

    const overlap_save_params d_p;
};

//! filters: H, [row][points], in the host's memory; they are copied. Throws std::invalid_argument
//! where a transform makes no sample. On a device in and out are in its memory.
FRINGE_API std::unique_ptr<overlap_save>
make_overlap_save(const compute_target& where,
                  const overlap_save_params& p,
                  const std::complex<float>* filters);

//! The same for in and out in the host's memory, wherever it runs; calls return when it is done.
FRINGE_API std::unique_ptr<overlap_save>
make_overlap_save_of_host(const compute_target& where,
                          const overlap_save_params& p,
                          const std::complex<float>* filters);

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_OVERLAP_SAVE_OVERLAP_SAVE_H */
