/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_PEELING_LEVEL_BINS_H
#define INCLUDED_FRINGE_KERNELS_PEELING_LEVEL_BINS_H

#include "kernels/base/host_device.h"
#include <cmath>
#include <cstdint>
#include <cstring>

namespace gr::fringe::kernels {

/*!
 * Bins of powers whose width grows with the power, 32 for a factor of two: exponent and first
 * bits of the mantissa of float32. A median is found among their counts without sorting.
 */
struct level_bins {
    static constexpr unsigned count = 1 << 13;
    static constexpr unsigned shift = 18; //!< bits of a float that a bin does not see

    //! The bin of a power, which is not negative.
    FRINGE_HOST_DEVICE static unsigned of(float power)
    {
        std::uint32_t bits;
        memcpy(&bits, &power, sizeof(bits));
        return (bits >> shift) & (count - 1);
    }
    //! The smallest power of a bin.
    FRINGE_HOST_DEVICE static float lowest(unsigned bin)
    {
        const std::uint32_t bits = bin << shift;
        float power;
        memcpy(&power, &bits, sizeof(power));
        return power;
    }
    //! The amplitude that half of the first `total` cells in bins do not reach; `bin`: where that
    //! is, `before`: cells below it, `here`: in it.
    FRINGE_HOST_DEVICE static float
    median(unsigned bin, std::uint64_t total, std::uint64_t before, std::uint64_t here)
    {
        const double part = (0.5 * double(total) - double(before)) / double(here);
        const double low = double(lowest(bin)), high = double(lowest(bin + 1));
        return float(std::sqrt(low + part * (high - low)));
    }
};

//! What outliers are, from the counts of powers in bins: amplitudes.
struct level_limits {
    float limit = 0; //!< larger ones stand out; 0 where there are no cells
    float level = 0; //!< the median of those that do not
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_PEELING_LEVEL_BINS_H */
