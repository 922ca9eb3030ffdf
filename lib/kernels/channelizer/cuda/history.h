/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_HISTORY_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_HISTORY_H

#include "kernels/channelizer/cuda/fir.h"

namespace gr::fringe::kernels {

/*!
 * What sample_history is on the host, in a GPU's memory: the last taps - 1 + 2 max_shift_rows rows
 * of every input, which the filter itself writes there. A call with fewer rows than that
 * puts them behind those of earlier calls while there is room; else the ones still needed
 * move to the other half of the memory, where nothing of this call reads.
 */
class device_history
{
public:
    device_history(const cuda_context& c,
                   std::size_t inputs,
                   unsigned taps,
                   std::size_t row_bytes,
                   std::size_t max_shift_rows);

    //! Spectra that `fresh` more rows complete.
    std::size_t spectra(std::size_t fresh) const;
    //! Tells the filter of a call where the rows of earlier calls are, and which rows to
    //! keep where; from then on those are the rows of earlier calls.
    void pass(fir_call& f, std::size_t fresh);
    //! In the compute stream.
    void clear();

private:
    const cuda_context& d_context;
    const std::size_t d_inputs, d_row_bytes;
    const std::size_t d_max_shift_rows, d_capacity, d_room; //!< rows
    std::size_t d_first = 0, d_rows = 0;                    //!< of d_memory[d_half]
    unsigned d_half = 0;
    cuda_array<std::uint8_t> d_memory[2]; //!< [input][d_room]
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_HISTORY_H */
