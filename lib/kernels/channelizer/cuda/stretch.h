/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_STRETCH_H
#define INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_STRETCH_H

#include "kernels/base/host_device.h"
#include <cstddef>

namespace gr::fringe::kernels {

/*!
 * Shifted windows in the samples of one input: those kept of earlier calls and then those
 * of this one, counted in components from the first of this call, so that the kept ones
 * are negative.
 */
struct shifted_windows {
    int components;   //!< of a row
    int rows_before;  //!< kept rows less max_shift_rows: where row 0 is without a shift
    int taps, offset; //!< components by which windows begin later

    //! The first component of row r of the windows: rows s ... s + taps - 1 of spectrum s.
    FRINGE_HOST_DEVICE std::ptrdiff_t at(unsigned r) const
    {
        return (static_cast<std::ptrdiff_t>(r) - rows_before) * components + offset;
    }

    enum place { kept, both, fresh };
    //! Spectra that follow one another, the last rows of whose windows are all in `where`.
    struct stretch {
        unsigned end;
        place where;
    };

    //! The stretch of spectra from s on, up to `end` at most.
    FRINGE_HOST_DEVICE stretch from(unsigned s, unsigned end) const
    {
        const int whole = offset / components - (offset % components < 0 ? 1 : 0);
        // The spectrum whose window ends with the last row that has a kept component.
        const int split = rows_before - whole - taps;
        const int now = static_cast<int>(s);
        if (now > split) {
            return {end, fresh};
        }
        const auto until = static_cast<unsigned>(now < split ? split : split + 1);
        return {until < end ? until : end, now < split ? kept : both};
    }
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CHANNELIZER_CUDA_STRETCH_H */
