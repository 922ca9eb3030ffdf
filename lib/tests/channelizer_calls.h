/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_CHANNELIZER_CALLS_H
#define INCLUDED_FRINGE_TESTS_CHANNELIZER_CALLS_H

#include "fast_kernels.h"
#include "kernels/channelizer/backends.h"
#include <algorithm>
#include <optional>

// What the comparisons of channelizers hand to every backend alike.
namespace kernel_cases {

using namespace gr::fringe::kernels;

//! Of modulus 1, [input][channel].
inline std::vector<std::complex<float>> random_corrections(const channelizer_params& p)
{
    std::vector<std::complex<float>> corrections;
    std::uniform_real_distribution<float> turn(-3, 3);
    for (std::size_t n = 0; n < p.inputs * p.channels; n++) {
        corrections.push_back(std::polar(1.0f, turn(random_engine())));
    }
    return corrections;
}

//! Rows that the filter keeps at most, and those of a stream before its first.
inline std::size_t kept_rows(const channelizer_params& p)
{
    return p.taps - 1 + 2 * max_shift_rows(p);
}

//! New corrections during a call.
struct correction_change {
    std::size_t spectra, rows; //!< before they count
    std::vector<std::complex<float>> corrections;
};

//! None, or others or none from any spectrum on, of a call with `rows` rows after `kept`.
inline std::optional<correction_change>
random_change(const channelizer_params& p, std::size_t kept, std::size_t rows)
{
    if (random_below(2)) {
        return std::nullopt;
    }
    const std::size_t fill = kept_rows(p) - kept;
    const std::size_t spectra = rows > fill ? random_below(rows - fill) : 0;
    return correction_change{spectra,
                             spectra > 0 ? fill + spectra : 0,
                             random_below(3) ? random_corrections(p)
                                             : std::vector<std::complex<float>>()};
}

//! A call of process() with all that goes with it.
struct channelizer_call {
    const channelizer_params& p;
    const bytes& in;
    std::size_t stride, rows; //!< samples, of points() a row
    steering towards;
    std::optional<correction_change> change;

    //! The spectra of the whole call, `bits` each; a call is cut where corrections change,
    //! but not on a device.
    std::size_t
    give(channelizer& to, unsigned bits, bool cut, void* out, std::uint64_t* clipped)
    {
        std::size_t made = 0;
        if (change && cut) {
            made = part(to, 0, change->rows, 0, bits, out, clipped);
            to.set_corrections(change->corrections);
        } else if (change) {
            to.set_corrections_from(change->spectra, change->corrections);
        }
        const std::size_t first = change && cut ? change->rows : 0;
        return made + part(to, first, rows - first, made, bits, out, clipped);
    }

private:
    std::size_t part(channelizer& to,
                     std::size_t first,
                     std::size_t count,
                     std::size_t made,
                     unsigned bits,
                     void* out,
                     std::uint64_t* clipped)
    {
        const std::size_t row =
            p.points() * component_bytes(p.in) * (p.complex_samples ? 2 : 1);
        if (p.max_shift_samples > 0) {
            auto from = towards;
            from.delays += made;
            to.steer(from);
        }
        return to.process(in.data() + first * row,
                          stride,
                          count * p.points(),
                          static_cast<std::uint8_t*>(out) + made * (bits ? 2 : 8),
                          clipped);
    }
};

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_CHANNELIZER_CALLS_H */
