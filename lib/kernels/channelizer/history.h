/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_HISTORY_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_HISTORY_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gr {
namespace fringe {
namespace kernels {

/*!
 * The samples that a polyphase filter bank still needs when a call is over: up to
 * taps - 1 rows of one transform length per input. Kept rows and the rows of a call count
 * as one sequence.
 */
class sample_history
{
public:
    sample_history(std::size_t inputs, unsigned taps, std::size_t row_bytes);

    //! Rows kept so far, the same for every input.
    std::size_t rows() const { return d_rows; }
    //! Spectra that `fresh` more rows complete.
    std::size_t spectra(std::size_t fresh) const;
    //! Row r of input i; `in` holds the rows of this call.
    const std::uint8_t* row(std::size_t i, std::size_t r, const std::uint8_t* in) const
    {
        return r < d_rows ? d_data.data() + (i * d_capacity + r) * d_row_bytes
                          : in + (r - d_rows) * d_row_bytes;
    }
    //! Keeps the last rows of a call with `fresh` rows, input i's from in + i in_stride
    //! (bytes).
    void keep(const std::uint8_t* in, std::size_t in_stride, std::size_t fresh);
    void clear() { d_rows = 0; }

private:
    const std::size_t d_inputs;
    const std::size_t d_capacity;
    const std::size_t d_row_bytes;
    std::size_t d_rows = 0;
    std::vector<std::uint8_t> d_data; // [input][row]
};

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_HISTORY_H */
