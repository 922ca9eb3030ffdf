/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/active_pixels.h"
#include "kernels/deconvolution/minor_cycle.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace gr::fringe::kernels {

namespace {

//! Pixels that are searched at most.
constexpr std::size_t max_candidates = 40000;

class clark : public minor_cycle
{
public:
    clark(const image_size& size, const float* psf)
        : minor_cycle(size),
          d_active(size, psf),
          d_components(size.pixels()),
          d_convolution(size, size, psf)
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
        d_max_peak = 2 * std::abs(peak.value);
        // Pixels are compared with the level as a float everywhere. As a double it may lie below
        // a pixel that is not above the float, which nobody would take out then.
        const float lowest = float(level);
        while (report.iterations < max_iterations && std::abs(peak.value) > lowest) {
            const std::size_t before = report.iterations;
            choose(residual, use, peak.value, lowest);
            search(float(gain), max_iterations, report);
            if (report.iterations == before && !report.diverged) {
                break; // the peak is not a number that can be taken out
            }
            move_components(model);
            d_convolution.add(d_components.data(), -1, residual);
            for (const std::size_t at : d_candidates) {
                d_components[at] = 0;
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
    //! Lists the pixels that are searched before all are to be seen again: those above the level,
    //! or the highest of them. The peak is always among them.
    void choose(const float* residual, const std::uint8_t* use, float peak, float level)
    {
        d_limit = std::min(level, 0.99f * std::abs(peak));
        pixels_above(residual, use);
        if (d_candidates.size() > max_candidates) {
            std::vector<float> sizes;
            for (const std::size_t at : d_candidates) {
                sizes.push_back(std::abs(residual[at]));
            }
            const auto cut = sizes.end() - long(max_candidates);
            std::nth_element(sizes.begin(), cut, sizes.end());
            d_limit = std::min(*cut, 0.99f * std::abs(peak));
            pixels_above(residual, use);
        }
        d_active.begin(d_candidates, residual);
    }

    void pixels_above(const float* residual, const std::uint8_t* use)
    {
        d_candidates.clear();
        for (std::size_t k = 0; k < d_size.pixels(); k++) {
            if (std::abs(residual[k]) > d_limit && use[k] == pixel_use::component) {
                d_candidates.push_back(k);
            }
        }
    }

    //! Hoegbom's loop among the candidates, whose values stay exact.
    void search(float gain, std::size_t max_iterations, minor_report& report)
    {
        while (report.iterations < max_iterations) {
            const auto top = d_active.peak();
            if (!(std::abs(top.value) > d_limit)) {
                return;
            }
            if (!(std::abs(top.value) <= d_max_peak)) {
                report.diverged = true;
                return;
            }
            d_active.take(top.at, gain * top.value);
            report.iterations++;
        }
    }

    void move_components(float* model)
    {
        for (std::size_t k = 0; k < d_candidates.size(); k++) {
            const float flux = d_active.taken(k);
            d_components[d_candidates[k]] = flux;
            model[d_candidates[k]] += flux;
        }
    }

    active_pixels d_active;
    float d_limit = 0;
    float d_max_peak = 0;                  // what no pixel exceeds unless it diverges
    std::vector<std::size_t> d_candidates; // in the order of pixels
    std::vector<float> d_components;
    image_convolution d_convolution;
};

} // namespace

std::unique_ptr<minor_cycle> make_clark(const image_size& size, const float* psf)
{
    return std::make_unique<clark>(size, psf);
}

} // namespace gr::fringe::kernels
