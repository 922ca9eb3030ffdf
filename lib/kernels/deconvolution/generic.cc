/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/minor_cycle.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

//! Hoegbom's loop as it stands: what the others are compared with.
class generic_minor : public minor_cycle
{
public:
    generic_minor(const image_size& size, const float* psf)
        : minor_cycle(size), d_psf(psf, psf + size.pixels())
    {
    }

    minor_report run(float* residual,
                     float* model,
                     const std::uint8_t* use,
                     double gain,
                     double level,
                     std::size_t max_iterations) override
    {
        minor_report report;
        auto peak = find_peak(d_size, residual, use);
        const float limit = 2 * std::abs(peak.value);
        while (report.iterations < max_iterations &&
               std::abs(peak.value) > float(level) && !report.diverged) {
            const float amount = float(gain) * peak.value;
            model[peak.at] += amount;
            subtract(peak.at, amount, residual);
            peak = find_peak(d_size, residual, use);
            report.diverged = !(std::abs(peak.value) <= limit);
            report.iterations++;
        }
        report.peak = double(std::abs(peak.value));
        return report;
    }

private:
    void subtract(std::size_t source, float amount, float* residual) const
    {
        const long rows = long(d_size.rows), columns = long(d_size.columns);
        const long down = rows / 2 - long(source) / columns,
                   right = columns / 2 - long(source) % columns;
        for (long r = std::max(0L, -down); r < std::min(rows, rows - down); r++) {
            for (long c = std::max(0L, -right); c < std::min(columns, columns - right);
                 c++) {
                residual[r * columns + c] -=
                    amount * d_psf[std::size_t((r + down) * columns + c + right)];
            }
        }
    }

    const std::vector<float> d_psf;
};

} // namespace

std::unique_ptr<minor_cycle> make_generic_minor(const image_size& size, const float* psf)
{
    return std::make_unique<generic_minor>(size, psf);
}

} // namespace gr::fringe::kernels
