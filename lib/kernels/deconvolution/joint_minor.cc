/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/joint_minor.h"
#include "kernels/base/require.h"
#include "kernels/deconvolution/joint_spectrum.h"
#include "kernels/deconvolution/scale_space.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

//! Pixels that are searched at most.
constexpr std::size_t max_candidates = 40000;
//! Part of the highest value down to which one scale is searched before all are compared.
constexpr float comparison = 0.8f;

class joint_minor : public minor_cycle
{
public:
    joint_minor(const joint_params& params, const image_size& size, const float* psf)
        : minor_cycle(size),
          d_space(params, size, psf),
          d_spectrum(params, d_space),
          d_scale_means(d_space.scales()),
          d_squares(d_space.planes() > 1 ? d_space.scales() : 0),
          d_components(d_space.images() * size.pixels()),
          d_on_scale(d_space.has_shapes() ? d_components.size() : 0)
    {
        for (std::size_t k = 0; k < d_space.scales(); k++) {
            d_active.emplace_back(
                size, d_space.middle(k), d_space.weights_of_planes(), d_space.planes());
        }
        d_space.forget_middles();
    }

    std::size_t values() const override { return d_components.size(); }
    const float* mean(const float* values) override { return d_space.mean(values); }
    double peak(const float* residual, const std::uint8_t* use) override
    {
        return double(compare(residual, use).value);
    }

    minor_report run(float* residual,
                     float* model,
                     const std::uint8_t* use,
                     double gain,
                     double level,
                     std::size_t max_iterations) override
    {
        minor_report report;
        auto top = compare(residual, use);
        d_max_value = 2 * top.value;
        // Pixels are compared with the level as a float everywhere. As a double it may lie below
        // a pixel that is not above the float, which nobody would take out then.
        const float lowest = float(level);
        while (report.iterations < max_iterations && top.value > lowest) {
            const std::size_t before = report.iterations;
            const float floor =
                std::max(lowest, std::min(comparison * top.value, top.of_others));
            const float* values = residual;
            if (!d_space.is_point(top.scale)) {
                d_space.on_scale(top.scale, residual, d_on_scale.data());
                values = d_on_scale.data();
            }
            choose(top, values, use, floor);
            search(top.scale, float(gain), floor, max_iterations, report);
            if (report.iterations == before && !report.diverged) {
                break; // the peak is not a number that can be taken out
            }
            d_space.draw(top.scale, d_changed, d_components.data(), model);
            d_space.subtract(top.scale, d_components.data(), residual);
            for (const std::size_t at : d_changed) {
                for (std::size_t i = 0; i < images(); i++) {
                    d_components[i * d_size.pixels() + at] = 0;
                }
            }
            top = compare(residual, use);
            if (report.diverged || !(top.value <= d_max_value)) {
                report.diverged = true;
                break;
            }
        }
        report.peak = double(top.value);
        return report;
    }

private:
    std::size_t images() const { return d_space.images(); }

    struct best {
        std::size_t scale = 0;
        float value = 0;     //!< of s_k
        float of_others = 0; //!< the highest of the other scales
    };

    //! s_k of a scale before its factor.
    const float* sought(std::size_t k) const
    {
        if (!d_squares.empty()) {
            return d_squares[k].data();
        }
        return d_space.is_point(k) ? d_mean : d_scale_means[k].data();
    }

    //! The root of the sum of the squares of all planes' means, on each scale.
    void add_planes(const float* residual)
    {
        for (std::size_t plane = 0; plane < d_space.planes(); plane++) {
            const float* mean = d_space.mean(residual, plane);
            d_space.mean_on_scales(mean, d_scale_means);
            for (std::size_t k = 0; k < d_space.scales(); k++) {
                const float* values =
                    d_space.is_point(k) ? mean : d_scale_means[k].data();
                auto& to = d_squares[k];
                to.resize(d_size.pixels());
                for (std::size_t at = 0; at < to.size(); at++) {
                    to[at] = values[at] * values[at] + (plane ? to[at] : 0);
                }
            }
        }
        for (auto& values : d_squares) {
            for (auto& value : values) {
                value = std::sqrt(value);
            }
        }
    }

    //! The scale with the highest value.
    best compare(const float* residual, const std::uint8_t* use)
    {
        if (d_squares.empty()) {
            d_mean = d_space.mean(residual);
            d_space.mean_on_scales(d_mean, d_scale_means);
        } else {
            add_planes(residual);
        }
        best top;
        for (std::size_t k = 0; k < d_space.scales(); k++) {
            const float value =
                d_space.factor(k) * std::abs(find_peak(d_size, sought(k), use).value);
            if (!(value <= top.value)) {
                top = {k, value, top.value};
            } else {
                top.of_others = std::max(top.of_others, value);
            }
        }
        return top;
    }

    //! Lists the pixels that may be searched before all are to be seen again.
    void
    choose(const best& top, const float* values, const std::uint8_t* use, float floor)
    {
        d_limit = std::min(std::max(floor, d_space.middle(top.scale).outside * top.value),
                           0.99f * top.value);
        pixels_above(top.scale, use);
        if (d_candidates.size() > max_candidates) {
            std::vector<float> sizes;
            for (const std::size_t at : d_candidates) {
                sizes.push_back(value_of(top.scale, at));
            }
            const auto cut = sizes.end() - long(max_candidates);
            std::nth_element(sizes.begin(), cut, sizes.end());
            d_limit = std::min(*cut, 0.99f * top.value);
            pixels_above(top.scale, use);
        }
        d_active[top.scale].begin(d_candidates, values);
    }

    float value_of(std::size_t scale, std::size_t pixel) const
    {
        return d_space.factor(scale) * std::abs(sought(scale)[pixel]);
    }

    void pixels_above(std::size_t scale, const std::uint8_t* use)
    {
        const float* values = sought(scale);
        const float factor = d_space.factor(scale);
        d_candidates.clear();
        for (std::size_t k = 0; k < d_size.pixels(); k++) {
            if (factor * std::abs(values[k]) > d_limit &&
                use[k] == pixel_use::component) {
                d_candidates.push_back(k);
            }
        }
    }

    //! Finds components among the candidates, in d_components at d_changed.
    void search(std::size_t scale,
                float gain,
                float floor,
                std::size_t max_iterations,
                minor_report& report)
    {
        d_changed.clear();
        auto& active = d_active[scale];
        std::vector<float> values(images()), amounts(images());
        // How far off a value may be, as sidelobes outside of the patch are not looked at.
        float unknown = 0;
        for (bool first = true; report.iterations < max_iterations; first = false) {
            const auto top = active.peak();
            const float value = d_space.factor(scale) * std::abs(top.value);
            // There is one step at least, or it would go on for ever.
            if (!(value > 0) ||
                (!first && !(value > std::max({d_limit, unknown, floor})))) {
                return;
            }
            if (!(value <= d_max_value)) {
                report.diverged = true;
                return;
            }
            active.values(top.at, values.data());
            d_spectrum.fluxes(scale, values.data(), gain, amounts.data());
            const std::size_t at = d_candidates[top.at];
            bool is_new = true;
            for (std::size_t i = 0; i < images(); i++) {
                float& component = d_components[i * d_size.pixels() + at];
                is_new = is_new && component == 0;
                component += amounts[i];
            }
            if (is_new) {
                d_changed.push_back(at);
            }
            unknown += gain * value * d_space.middle(scale).outside;
            report.iterations++;
            active.take(top.at, amounts.data());
        }
    }

    scale_space d_space;
    const joint_spectrum d_spectrum;
    const float* d_mean = nullptr; // of the images as compare() saw them
    std::vector<std::vector<float>> d_scale_means, d_squares;
    std::vector<float> d_components; // [image][pixel]
    std::vector<float> d_on_scale;   // images on a scale, [image][pixel]
    std::vector<std::size_t> d_changed;
    float d_limit = 0;
    float d_max_value = 0;                 // what no pixel exceeds unless it diverges
    std::vector<std::size_t> d_candidates; // in the order of pixels
    std::vector<active_pixels> d_active;   // on each scale
};

} // namespace

std::unique_ptr<minor_cycle>
make_joint_minor(const joint_params& params, const image_size& size, const float* psf)
{
    require("CLEAN", size.pixels() > 0, "an image has no pixels");
    require("CLEAN",
            params.planes > 0 && !params.weights.empty() &&
                params.weights.size() % params.planes == 0,
            "there are no images, or planes with different numbers of them");
    for (std::size_t i = 0; i < params.weights.size(); i++) {
        const float* of = psf + i * size.pixels();
        const float center = of[size.rows / 2 * size.columns + size.columns / 2];
        require(std::abs(center - 1) < 1e-3f,
                "CLEAN",
                "the point spread function's center",
                center,
                "must be 1");
        require(params.weights[i] > 0,
                "CLEAN",
                "weight",
                params.weights[i],
                "must be above 0");
    }
    require("CLEAN", !params.scales.empty(), "there are no scales");
    for (const double scale : params.scales) {
        require(scale >= 0 && scale <= double(std::min(size.columns, size.rows)),
                "CLEAN",
                "scale",
                scale,
                "must be 0 (a point) to the pixels of a side of the image");
    }
    require(params.scale_bias > 0 && params.scale_bias <= 1,
            "CLEAN",
            "scale_bias",
            params.scale_bias,
            "must be more than 0 and at most 1");
    return std::make_unique<joint_minor>(params, size, psf);
}

} // namespace gr::fringe::kernels
