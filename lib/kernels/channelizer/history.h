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

namespace gr::fringe::kernels {

/*!
 * The samples that a polyphase filter bank still needs when a call is over: up to
 * taps - 1 + 2 max_shift_rows rows of one transform length per input. Kept rows and the rows of a
 * call count as one sequence.
 *
 * Windows may begin up to `max_shift_rows` rows before or behind the row they belong to; the
 * sequence begins with that many rows of zeros.
 */
class sample_history
{
public:
    sample_history(std::size_t inputs,
                   unsigned taps,
                   std::size_t row_bytes,
                   std::size_t max_shift_rows = 0);

    //! Spectra that `fresh` more rows complete.
    std::size_t spectra(std::size_t fresh) const;
    //! Row r of input i's windows, `shift` bytes from where it is without a shift; `in`
    //! holds the rows of this call. After join().
    const std::uint8_t* shifted_row(std::size_t i,
                                    std::size_t r,
                                    std::ptrdiff_t shift,
                                    const std::uint8_t* in) const
    {
        const auto at =
            static_cast<std::ptrdiff_t>((r + d_max_shift_rows) * d_row_bytes) + shift;
        const auto here = static_cast<std::ptrdiff_t>(d_rows * d_row_bytes);
        return at < here ? kept(i) + at : in + (at - here);
    }
    //! Puts the first of `fresh` rows behind the kept ones, for a shifted row that is part
    //! of both.
    void join(const std::uint8_t* in, std::size_t in_stride, std::size_t fresh);
    //! Keeps the last rows of a call with `fresh` rows, input i's from in + i in_stride
    //! (bytes).
    void keep(const std::uint8_t* in, std::size_t in_stride, std::size_t fresh);
    void clear();
    //! Rows that are kept at the most: a call of this number leaves none of those before it.
    std::size_t capacity() const { return d_capacity; }

private:
    const std::uint8_t* kept(std::size_t i) const
    {
        return d_data.data() + i * d_room * d_row_bytes;
    }

    const std::size_t d_inputs;
    const std::size_t d_max_shift_rows;
    const std::size_t d_capacity;
    const std::size_t d_room; //!< rows an input has in d_data
    const std::size_t d_row_bytes;
    std::size_t d_rows = 0;
    std::vector<std::uint8_t> d_data; // [input][row]
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_HISTORY_H */
