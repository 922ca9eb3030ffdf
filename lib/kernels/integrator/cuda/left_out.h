/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_INTEGRATOR_CUDA_LEFT_OUT_H
#define INCLUDED_FRINGE_KERNELS_INTEGRATOR_CUDA_LEFT_OUT_H

#include "kernels/cuda/staging.h"
#include "kernels/integrator/integrator.h"

namespace gr::fringe::kernels {

//! On the GPU: which inputs were flagged, in the order of their channels.
struct flagged_records {
    const std::uint32_t *channels, *first; //!< of each flagged channel; its first record
    const std::uint32_t *window, *bits;    //!< of each record
    const std::uint32_t* windows;          //!< spectra (low, high), table or none
    const unsigned long long* valid;       //!< [table][baseline]
    std::size_t table_size;                //!< from one to the next
    unsigned rows, words;                  //!< flagged channels; words of a record's bits
};

/*!
 * Spectra that are left out of sums, [channel][baseline] on the GPU. What goes there is
 * which inputs were flagged, a bit each; the GPU finds the baselines. The counts take
 * memory once something is flagged.
 */
class left_out_counts
{
public:
    left_out_counts(const cuda_context& c, const integrator_params& p);

    void add(const std::vector<flagged_spectra>& flagged);
    void clear();
    //! From a channel on; null while nothing is left out.
    const unsigned long long* of(std::size_t channel) const
    {
        return d_any ? d_counts.data() + channel * d_baselines : nullptr;
    }

private:
    //! Flagged inputs of a channel in the spectra of a window; its bits are in d_bits.
    struct record {
        std::uint32_t channel, window;
    };
    void open_window(const flagged_spectra& f);
    void add_record(std::size_t channel, const std::vector<std::size_t>& bad);
    flagged_records pack();
    void launch();

    const cuda_context& d_context;
    const integrator_params d_p;
    const std::size_t d_baselines, d_words; //!< d_words: of a record's bits
    // What goes to the GPU next.
    std::vector<record> d_records;
    std::vector<std::uint32_t> d_bits;    //!< [record][word]
    std::vector<std::uint32_t> d_windows; //!< spectra (low, high), table or none
    std::uint32_t d_tables = 0;
    std::vector<std::uint32_t> d_words_to_send;

    const cuda_array<std::uint32_t> d_there;
    const std::size_t d_table_size; //!< baselines, and what is copied is aligned
    const cuda_array<unsigned long long> d_valid; //!< [table][baseline]
    cuda_array<unsigned long long> d_counts;
    staging d_staging;
    bool d_any = false;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_INTEGRATOR_CUDA_LEFT_OUT_H */
