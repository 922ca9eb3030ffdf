/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_SPECTRUM_CLOCK_H
#define INCLUDED_FRINGE_BLOCKS_SPECTRUM_CLOCK_H

#include <cmath>
#include <cstdint>
#include <gnuradio/fringe/epoch.h>

namespace gr::fringe {

/*!
 * Numbers spectra from an instant on, as F-engines do. It counts in samples, of which
 * `points` lie between one spectrum and the next:
 *
 *     time of a spectrum = synchronized + (spectrum * points + offset) / sample rate
 */
class spectrum_clock
{
public:
    spectrum_clock(const epoch& synchronized, std::size_t points)
        : d_synchronized(synchronized), d_points(points)
    {
    }

    //! The next spectrum begins at `time`; `rate`: spectra per second.
    void begin(const epoch& time, double rate)
    {
        const std::uint64_t samples = samples_until(time, rate);
        d_spectrum = samples / d_points;
        d_offset = samples % d_points;
    }
    const epoch& synchronized() const { return d_synchronized; }
    std::uint64_t spectrum() const { return d_spectrum; }
    std::uint64_t offset() const { return d_offset; }

private:
    // Integers where the sample rate is one, as it is nearly always: a double would not
    // tell samples apart after some days.
    std::uint64_t samples_until(const epoch& time, double rate) const
    {
        constexpr __int128 second = 1000000000000000000; // attoseconds
        const double samples = rate * static_cast<double>(d_points);
        const double whole = std::round(samples);
        const __int128 attos =
            (static_cast<__int128>(time.seconds) - d_synchronized.seconds) * second +
            static_cast<__int128>(time.attos) - d_synchronized.attos;
        if (std::abs(samples - whole) < 1e-9 * samples) {
            const auto hertz = static_cast<__int128>(whole);
            const __int128 n = attos / second * hertz;
            return static_cast<std::uint64_t>(n + (attos % second * hertz + second / 2) /
                                                      second);
        }
        return static_cast<std::uint64_t>(
            std::llround(static_cast<long double>(attos) * 1e-18L * samples));
    }

    const epoch d_synchronized;
    const std::size_t d_points;
    std::uint64_t d_spectrum = 0, d_offset = 0;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_SPECTRUM_CLOCK_H */
