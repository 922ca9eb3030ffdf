/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/clean.h"
#include "kernels/base/require.h"
#include "kernels/deconvolution/beam.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace gr::fringe::kernels {

namespace {

constexpr double sigma_of_median_deviation = 1.4826;
//! Major cycles may raise the highest pixel by this much above the lowest it was.
constexpr double growth = 1.5;
//! Minor cycles before a major one go down to this much of the threshold, because the residual
//! that is made anew lies a little above theirs in a few pixels.
constexpr double below_threshold = 0.95;
//! A major cycle that lowers it by less has no effect; CLEAN ends after `max_wasted` such cycles.
constexpr double progress = 0.99;
constexpr int max_wasted = 4;
//! So often minor cycles become shorter where the residual grew, until that ends it. The response
//! of a wide field is not the same everywhere, so deep minor cycles may do more harm than good.
constexpr int retreats = 3;

double median(std::vector<float>& values)
{
    const auto middle = values.begin() + long(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return double(*middle);
}

void check(const clean_params& p)
{
    require(p.gain > 0 && p.gain <= 1,
            "CLEAN",
            "gain",
            p.gain,
            "must be more than 0 and at most 1");
    require(p.major_gain > 0 && p.major_gain <= 1,
            "CLEAN",
            "major_gain",
            p.major_gain,
            "must be more than 0 and at most 1");
    require(p.threshold >= 0 && std::isfinite(p.threshold),
            "CLEAN",
            "threshold",
            p.threshold,
            "must be 0 or more");
    require(p.sigmas >= 0 && std::isfinite(p.sigmas),
            "CLEAN",
            "sigmas",
            p.sigmas,
            "must be 0 or more");
}

//! The model and residual of the lowest peak so far.
class best_so_far
{
public:
    //! True where this is better than all before.
    bool keep(double peak, const float* model, const float* residual, std::size_t values)
    {
        if (!(peak < d_peak)) {
            return false;
        }
        const bool better = peak < progress * d_peak;
        d_peak = peak;
        d_model.assign(model, model + values);
        d_residual.assign(residual, residual + values);
        return better;
    }
    void restore(float* model, float* residual) const
    {
        std::copy(d_model.begin(), d_model.end(), model);
        std::copy(d_residual.begin(), d_residual.end(), residual);
    }
    double peak() const { return d_peak; }

private:
    double d_peak = std::numeric_limits<double>::max();
    std::vector<float> d_model, d_residual;
};

} // namespace

double sidelobe_of(const image_size& size, const float* psf)
{
    const auto beam = fit_beam(size, psf, 1, 1);
    if (!beam) {
        return 0.5;
    }
    double maximum = 0;
    for (std::size_t r = 0; r < size.rows; r++) {
        const double m = double(r) - double(size.rows / 2);
        for (std::size_t c = 0; c < size.columns; c++) {
            const double l = double(c) - double(size.columns / 2);
            const double lobe =
                std::hypot(l, m) < 3 * beam->major ? beam_at(*beam, l, m) : 0;
            maximum =
                std::max(maximum, std::abs(double(psf[r * size.columns + c]) - lobe));
        }
    }
    return maximum;
}

double noise_of(const image_size& size, const float* image, const std::uint8_t* use)
{
    std::vector<float> values;
    values.reserve(size.pixels());
    for (std::size_t k = 0; k < size.pixels(); k++) {
        if (use[k] != pixel_use::none) {
            values.push_back(image[k]);
        }
    }
    if (values.empty()) {
        return 0;
    }
    const float middle = float(median(values));
    for (auto& value : values) {
        value = std::abs(value - middle);
    }
    return sigma_of_median_deviation * median(values);
}

clean_report clean(const clean_params& params,
                   const image_size& size,
                   const float* psf,
                   const std::uint8_t* use,
                   float* residual,
                   float* model,
                   const residual_function& make_residual)
{
    const auto minor = make_minor_cycle(params.where, params.how, size, psf);
    const bool looked_at = make_residual && params.major_gain < 1;
    return clean(params,
                 *minor,
                 looked_at ? sidelobe_of(size, psf) : 0,
                 use,
                 residual,
                 model,
                 make_residual);
}

clean_report clean(const clean_params& params,
                   minor_cycle& minor,
                   double sidelobe,
                   const std::uint8_t* use,
                   float* residual,
                   float* model,
                   const residual_function& make_residual)
{
    check(params);
    const auto size = minor.size();
    double floor = 0, margin = 1;
    if (make_residual) {
        margin = below_threshold;
        floor =
            std::max(1 - params.major_gain, params.major_gain < 1 ? 1.5 * sidelobe : 0);
        floor = std::min(floor, 0.9);
    }

    clean_report report;
    best_so_far best;
    bool diverged = false;
    for (int wasted = 0, retreated = 0;;) {
        report.peak = minor.peak(residual, use);
        report.sigma = noise_of(size, minor.mean(residual), use);
        report.threshold = std::max(params.threshold, params.sigmas * report.sigma);
        if (diverged || !(report.peak <= growth * best.peak())) {
            if (make_residual && retreated < retreats &&
                report.iterations < params.max_iterations) {
                retreated++;
                diverged = false;
                floor = (1 + floor) / 2;
                best.restore(model, residual);
                continue;
            }
            report.end = clean_end::diverged;
            break;
        }
        wasted = best.keep(report.peak, model, residual, minor.values()) ? 0 : wasted + 1;
        if (report.peak <= report.threshold) {
            report.end = clean_end::threshold;
            break;
        }
        if (report.iterations >= params.max_iterations) {
            report.end = clean_end::iterations;
            break;
        }
        if (wasted == max_wasted) {
            report.end = clean_end::stalled;
            break;
        }
        const auto done =
            minor.run(residual,
                      model,
                      use,
                      params.gain,
                      std::max(margin * report.threshold, floor * report.peak),
                      params.max_iterations - report.iterations);
        report.iterations += done.iterations;
        diverged = done.diverged;
        if (make_residual && !diverged) {
            make_residual(model, residual);
            report.major_cycles++;
        }
    }
    if (report.end == clean_end::diverged || report.end == clean_end::stalled) {
        best.restore(model, residual);
        report.peak = best.peak();
        report.sigma = noise_of(size, minor.mean(residual), use);
    }
    const float* mean = minor.mean(model);
    report.flux = std::accumulate(mean, mean + size.pixels(), 0.0);
    return report;
}

} // namespace gr::fringe::kernels
