/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/minor_cycle.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace gr::fringe::kernels {

namespace {

//! Half the side of the middle of the point spread function, in pixels.
constexpr std::size_t patch_half = 48;
//! Pixels that are searched at most.
constexpr std::size_t max_candidates = 20000;

class clark : public minor_cycle
{
public:
    clark(const image_size& size, const float* psf)
        : minor_cycle(size),
          d_half_columns(std::min(patch_half, size.columns / 2)),
          d_half_rows(std::min(patch_half, size.rows / 2)),
          d_psf(psf, psf + size.pixels()),
          d_components(size.pixels()),
          d_convolution(size, size, psf)
    {
        for (std::size_t r = 0; r < size.rows; r++) {
            for (std::size_t c = 0; c < size.columns; c++) {
                if (!in_patch(long(r) - long(size.rows / 2),
                              long(c) - long(size.columns / 2))) {
                    d_outside =
                        std::max(d_outside, std::abs(d_psf[r * size.columns + c]));
                }
            }
        }
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
        d_max_peak = 2 * std::abs(peak.value);
        // Pixels are compared with the level as a float everywhere. As a double it may lie below
        // a pixel that is not above the float, which nobody would take out then.
        const float lowest = float(level);
        while (report.iterations < max_iterations && std::abs(peak.value) > lowest) {
            const std::size_t before = report.iterations;
            choose(residual, use, peak.value, lowest);
            search(float(gain), lowest, max_iterations, model, report);
            if (report.iterations == before && !report.diverged) {
                break; // the peak is not a number that can be taken out
            }
            d_convolution.add(d_components.data(), -1, residual);
            for (const auto& pixel : d_candidates) {
                d_components[pixel.at] = 0;
            }
            peak = find_peak(d_size, residual, use);
            if (report.diverged || !(std::abs(peak.value) <= d_max_peak)) {
                report.diverged = true;
                break;
            }
        }
        report.peak = double(std::abs(peak.value));
        return report;
    }

private:
    struct candidate {
        std::size_t at;
        long row, column;
        float value;
    };

    bool in_patch(long rows, long columns) const
    {
        return std::abs(rows) <= long(d_half_rows) &&
               std::abs(columns) <= long(d_half_columns);
    }

    //! Lists the pixels that may be searched before all are to be seen again.
    void choose(const float* residual, const std::uint8_t* use, float peak, float level)
    {
        // What the source at the peak leaves outside of the patch is lower than this.
        // The peak itself is always among them.
        const float below_peak = 0.99f * std::abs(peak);
        d_limit = std::min(std::max(level, d_outside * std::abs(peak)), below_peak);
        d_candidates.clear();
        for (std::size_t k = 0; k < d_size.pixels(); k++) {
            if (use[k] == pixel_use::component && std::abs(residual[k]) > d_limit) {
                d_candidates.push_back(
                    {k, long(k / d_size.columns), long(k % d_size.columns), residual[k]});
            }
        }
        if (d_candidates.size() > max_candidates) {
            std::vector<float> sizes;
            for (const auto& pixel : d_candidates) {
                sizes.push_back(std::abs(pixel.value));
            }
            const auto cut = sizes.end() - long(max_candidates);
            std::nth_element(sizes.begin(), cut, sizes.end());
            d_limit = std::min(*cut, below_peak);
            d_candidates.erase(std::remove_if(d_candidates.begin(),
                                              d_candidates.end(),
                                              [this](const candidate& pixel) {
                                                  return !(std::abs(pixel.value) >
                                                           d_limit);
                                              }),
                               d_candidates.end());
        }
        d_rows.assign(d_size.rows + 1, d_candidates.size());
        for (std::size_t k = d_candidates.size(); k-- > 0;) {
            d_rows[std::size_t(d_candidates[k].row)] = k;
        }
        for (std::size_t r = d_size.rows; r-- > 0;) {
            d_rows[r] = std::min(d_rows[r], d_rows[r + 1]);
        }
    }

    //! Hoegbom's loop among the candidates.
    void search(float gain,
                float level,
                std::size_t max_iterations,
                float* model,
                minor_report& report)
    {
        // How far off a pixel may be, as sidelobes outside of the patch are not looked at.
        float unknown = 0;
        for (bool first = true; report.iterations < max_iterations; first = false) {
            const auto top =
                std::max_element(d_candidates.begin(),
                                 d_candidates.end(),
                                 [](const candidate& a, const candidate& b) {
                                     return std::abs(a.value) < std::abs(b.value);
                                 });
            if (top == d_candidates.end() || std::abs(top->value) <= level) {
                return;
            }
            if (!(std::abs(top->value) <= d_max_peak)) {
                report.diverged = true;
                return;
            }
            // There is one step at least, or it would go on for ever.
            if (!first && std::abs(top->value) <= std::max(d_limit, unknown)) {
                return;
            }
            const float amount = gain * top->value;
            model[top->at] += amount;
            d_components[top->at] += amount;
            unknown += std::abs(amount) * d_outside;
            report.iterations++;
            subtract(*top, amount);
        }
    }

    void subtract(const candidate source, float amount)
    {
        const std::size_t row = std::size_t(source.row);
        const std::size_t begin = d_rows[row - std::min(row, d_half_rows)];
        const std::size_t end = d_rows[std::min(row + d_half_rows + 1, d_size.rows)];
        const long rows = long(d_size.rows), columns = long(d_size.columns);
        for (std::size_t k = begin; k < end; k++) {
            auto& pixel = d_candidates[k];
            const long r = pixel.row - source.row, c = pixel.column - source.column;
            const long y = r + rows / 2, x = c + columns / 2;
            if (in_patch(r, c) && y >= 0 && y < rows && x >= 0 && x < columns) {
                pixel.value -= amount * d_psf[std::size_t(y * columns + x)];
            }
        }
    }

    const std::size_t d_half_columns, d_half_rows;
    const std::vector<float> d_psf;
    float d_outside = 0; // the highest sidelobe outside of the patch
    float d_limit = 0;
    float d_max_peak = 0;                // what no pixel exceeds unless it diverges
    std::vector<candidate> d_candidates; // in the order of pixels
    std::vector<std::size_t> d_rows;     // the first candidate of each row
    std::vector<float> d_components;
    image_convolution d_convolution;
};

} // namespace

std::unique_ptr<minor_cycle> make_clark(const image_size& size, const float* psf)
{
    return std::make_unique<clark>(size, psf);
}

} // namespace gr::fringe::kernels
