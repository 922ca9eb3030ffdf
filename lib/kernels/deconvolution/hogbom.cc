/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/simd.h"
#include "kernels/base/workers.h"
#include "kernels/deconvolution/minor_cycle.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t lanes = 16;
//! Pixels that are worth a thread's while.
constexpr std::size_t pixels_a_part = 1 << 17;

FRINGE_SIMD void subtract(const float* psf, std::size_t count, float amount, float* row)
{
    for (std::size_t k = 0; k < count; k++) {
        row[k] -= amount * psf[k];
    }
}

//! The largest |row used|; used: 1 or 0.
FRINGE_SIMD float largest(const float* row, const float* used, std::size_t count)
{
    float maximum[lanes] = {};
    std::size_t k = 0;
    for (; k + lanes <= count; k += lanes) {
        for (std::size_t n = 0; n < lanes; n++) {
            const float size = std::abs(row[k + n]) * used[k + n];
            maximum[n] = size > maximum[n] ? size : maximum[n];
        }
    }
    for (; k < count; k++) {
        maximum[0] = std::max(maximum[0], std::abs(row[k]) * used[k]);
    }
    return *std::max_element(maximum, maximum + lanes);
}

class hogbom : public minor_cycle
{
public:
    hogbom(const image_size& size, const float* psf)
        : minor_cycle(size),
          d_psf(psf, psf + size.pixels()),
          d_used(size.pixels()),
          d_workers(workers::shared()),
          d_peaks(std::max<std::size_t>(
              1, std::min<std::size_t>(size.rows, size.pixels() / pixels_a_part)))
    {
    }

    minor_report run(float* residual,
                     float* model,
                     const std::uint8_t* use,
                     double gain,
                     double level,
                     std::size_t max_iterations) override
    {
        for (std::size_t k = 0; k < d_used.size(); k++) {
            d_used[k] = use[k] == pixel_use::component;
        }
        minor_report report;
        auto peak = find_peak(d_size, residual, use);
        const float limit = 2 * std::abs(peak.value);
        while (report.iterations < max_iterations && std::abs(peak.value) > level) {
            const float amount = float(gain) * peak.value;
            model[peak.at] += amount;
            peak = without(peak.at, amount, residual);
            report.iterations++;
            if (!(std::abs(peak.value) <= limit)) {
                report.diverged = true;
                break;
            }
        }
        report.peak = double(std::abs(peak.value));
        return report;
    }

private:
    //! Subtracts a source, and finds the highest pixel of what is left.
    image_peak without(std::size_t at, float amount, float* residual)
    {
        const std::size_t parts = d_peaks.size();
        const auto band = [&](std::size_t part, unsigned) {
            d_peaks[part] = band_without(d_size.rows * part / parts,
                                         d_size.rows * (part + 1) / parts,
                                         at,
                                         amount,
                                         residual);
        };
        if (parts == 1) {
            band(0, 0);
        } else {
            d_workers->run(parts, band);
        }
        image_peak peak;
        for (const auto& candidate : d_peaks) {
            if (std::abs(candidate.value) > std::abs(peak.value)) {
                peak = candidate;
            }
        }
        return peak;
    }

    image_peak band_without(std::size_t begin,
                            std::size_t end,
                            std::size_t at,
                            float amount,
                            float* residual) const
    {
        const std::size_t n = d_size.columns;
        const long shift_row = long(at / n) - long(d_size.rows / 2);
        const long shift = long(at % n) - long(n / 2);
        const std::size_t first = std::size_t(std::max(0L, shift));
        const std::size_t last = std::size_t(long(n) + std::min(0L, shift));
        image_peak peak;
        for (std::size_t r = begin; r < end; r++) {
            float* row = residual + r * n;
            const long from = long(r) - shift_row;
            if (from >= 0 && from < long(d_size.rows)) {
                subtract(&d_psf[std::size_t(from) * n + std::size_t(long(first) - shift)],
                         last - first,
                         amount,
                         row + first);
            }
            const float* used = &d_used[r * n];
            const float maximum = largest(row, used, n);
            if (maximum > std::abs(peak.value)) {
                std::size_t c = 0;
                while (std::abs(row[c]) * used[c] != maximum) {
                    c++;
                }
                peak = {r * n + c, row[c]};
            }
        }
        return peak;
    }

    const std::vector<float> d_psf;
    std::vector<float> d_used;
    const std::shared_ptr<workers> d_workers;
    std::vector<image_peak> d_peaks; // [part]
};

} // namespace

std::unique_ptr<minor_cycle> make_hogbom(const image_size& size, const float* psf)
{
    return std::make_unique<hogbom>(size, psf);
}

} // namespace gr::fringe::kernels
