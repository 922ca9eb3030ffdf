/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_WINDOW_SUMS_H
#define INCLUDED_FRINGE_BLOCKS_WINDOW_SUMS_H

#include "kernels/device/paired_memory.h"
#include "kernels/kurtosis/kurtosis.h"

namespace gr::fringe {

/*!
 * Powers of windows of spectra for a host that decides on them, wherever they are added up.
 *
 * On a device the sums of a window that has ended come back while the next ones are added
 * up, so that the device never waits for a decision: some windows may be on their way.
 */
class window_sums
{
public:
    //! `on`: null for a backend of the host. `maximum`: windows on their way from a device.
    window_sums(const std::shared_ptr<kernels::device>& on,
                const kernels::compute_target& backend,
                const kernels::kurtosis_params& p,
                std::size_t maximum);

    //! How the spectra are laid out; before any are added.
    void set_layout(kernels::spectra_layout layout);

    //! See kurtosis::add() and kurtosis::zero().
    void add(const void* spectra, std::size_t count, void* copy)
    {
        d_kernel->add(spectra, count, copy);
    }
    void zero(const std::vector<void*>& blocks,
              const std::vector<kernels::cell_run>& cells)
    {
        d_kernel->zero(blocks, cells);
    }

    //! Ends a window. Not while full().
    void end_window();
    //! No more windows may end before one has been taken.
    bool full() const { return d_ended == d_taken + d_slots.size(); }
    //! The sums of the oldest window that has ended are there. With `pause` a moment passes
    //! first unless they are: whoever asks again and again does not keep a core busy.
    bool arrived_after(bool pause) const;
    struct sums {
        const float *s1, *s2; //!< [channel][input], until the next window ends
    };
    //! Those sums; waits for them.
    sums take();
    //! Forgets everything.
    void clear();

private:
    const kernels::compute_target d_backend;
    kernels::kurtosis_params d_p;
    const std::size_t d_cells;
    std::unique_ptr<kernels::kurtosis> d_kernel;
    std::vector<kernels::paired_memory<float>> d_slots; // S1, S2
    std::uint64_t d_ended = 0, d_taken = 0;             // windows
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_WINDOW_SUMS_H */
