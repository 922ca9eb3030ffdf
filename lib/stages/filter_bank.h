/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_STAGES_FILTER_BANK_H
#define INCLUDED_FRINGE_STAGES_FILTER_BANK_H

#include "kernels/channelizer/channelizer.h"
#include "stages/filter_bank_plan.h"

namespace gr::fringe {

//! Makes the spectra that a filter_bank_plan has planned.
class FRINGE_API filter_bank
{
public:
    //! Throws std::invalid_argument naming the parameter.
    filter_bank(const kernels::compute_target& backend,
                const kernels::channelizer_params& p);

    //! Bytes of the spectra of a block in a layout, 0 where they are never in it.
    std::size_t block_bytes(kernels::spectra_layout layout) const;
    //! Spectra have this layout from now on. The filter begins anew.
    void set_layout(kernels::spectra_layout layout);
    const kernels::channelizer_params& params() const { return d_p; }
    kernels::channelizer& kernel() { return *d_kernel; }

    //! Makes the spectra of rows that lie at `in`, an item of whole blocks, and sets the
    //! lost ones to zero. `frequency` is that of the middle of the band. `saturated` [input]
    //! is increased.
    void make_spectra(filter_bank_plan::order order,
                      double frequency,
                      const void* in,
                      void* out,
                      std::uint64_t* saturated);

    //! Rows that the filter keeps from one item to the next.
    std::size_t kept_rows() const;
    //! The spectra of an item are made elsewhere, and so are those of the items behind it,
    //! up to the one that comes after `until_own`. Makes the filter ready for that one: it
    //! takes in the rows before it, and what lies at `out` afterwards means nothing.
    //! `ignored` [input] is increased.
    void pass_over(filter_bank_plan::order order,
                   std::uint64_t until_own,
                   double frequency,
                   const void* in,
                   void* out,
                   std::uint64_t* ignored);

private:
    const kernels::compute_target d_backend;
    kernels::channelizer_params d_p;
    std::unique_ptr<kernels::channelizer> d_kernel;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_STAGES_FILTER_BANK_H */
