/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/deconvolution/beam.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace gr::fringe::kernels {

namespace {

constexpr float lobe_level = 0.35f;
constexpr std::size_t min_pixels = 5;

//! A pixel of the main lobe, from the center, in pixels.
struct sample {
    double x, y, value;
};

//! exp(-(a x^2 + 2 b x y + c y^2)).
using exponents = std::array<double, 3>;

std::array<double, 3> products(const sample& s)
{
    return {s.x * s.x, 2 * s.x * s.y, s.y * s.y};
}

//! Least squares of three unknowns.
class normal_equations
{
public:
    void add(const std::array<double, 3>& row, double value, double weight)
    {
        for (std::size_t i = 0; i < 3; i++) {
            for (std::size_t j = 0; j < 3; j++) {
                d_left[i][j] += weight * row[i] * row[j];
            }
            d_right[i] += weight * row[i] * value;
        }
    }

    //! By Cramer's rule; none where they are singular.
    std::optional<exponents> solve() const
    {
        const double whole = determinant(d_left);
        const double scale = d_left[0][0] * d_left[1][1] * d_left[2][2];
        if (!(std::abs(whole) > 1e-12 * scale)) {
            return std::nullopt;
        }
        exponents x;
        for (std::size_t k = 0; k < 3; k++) {
            auto part = d_left;
            for (std::size_t i = 0; i < 3; i++) {
                part[i][k] = d_right[i];
            }
            x[k] = determinant(part) / whole;
        }
        return x;
    }

private:
    using matrix = std::array<std::array<double, 3>, 3>;
    static double determinant(const matrix& m)
    {
        return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
               m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    }

    matrix d_left{};
    std::array<double, 3> d_right{};
};

//! Pixels above the level that are connected to the center; none where they reach the border.
std::vector<sample> main_lobe(const image_size& size, const float* psf)
{
    const std::size_t middle_row = size.rows / 2, middle = size.columns / 2;
    std::vector<sample> lobe;
    std::vector<char> seen(size.pixels());
    std::vector<std::size_t> next{middle_row * size.columns + middle};
    seen[next[0]] = 1;
    while (!next.empty()) {
        const std::size_t at = next.back();
        next.pop_back();
        if (!(psf[at] > lobe_level)) {
            continue;
        }
        const std::size_t row = at / size.columns, column = at % size.columns;
        if (row == 0 || column == 0 || row + 1 == size.rows ||
            column + 1 == size.columns) {
            return {};
        }
        lobe.push_back({double(column) - double(middle),
                        double(row) - double(middle_row),
                        double(psf[at])});
        for (const std::size_t near :
             {at - 1, at + 1, at - size.columns, at + size.columns}) {
            if (!seen[near]) {
                seen[near] = 1;
                next.push_back(near);
            }
        }
    }
    return lobe;
}

double model_at(const exponents& e, const std::array<double, 3>& p)
{
    return std::exp(-(e[0] * p[0] + e[1] * p[1] + e[2] * p[2]));
}

double misfit(const std::vector<sample>& lobe, const exponents& e)
{
    double sum = 0;
    for (const auto& s : lobe) {
        sum += std::pow(s.value - model_at(e, products(s)), 2);
    }
    return sum;
}

//! Steps of Gauss and Newton, halved until they improve the fit.
void refine(const std::vector<sample>& lobe, exponents& e)
{
    for (int step = 0; step < 30; step++) {
        normal_equations equations;
        for (const auto& s : lobe) {
            auto row = products(s);
            const double value = model_at(e, row);
            for (auto& entry : row) {
                entry *= -value;
            }
            equations.add(row, s.value - value, 1);
        }
        const auto change = equations.solve();
        if (!change) {
            return;
        }
        const double before = misfit(lobe, e);
        double part = 1;
        exponents better = e;
        for (; part > 1e-6; part /= 2) {
            for (std::size_t k = 0; k < 3; k++) {
                better[k] = e[k] + part * (*change)[k];
            }
            if (misfit(lobe, better) <= before) {
                break;
            }
        }
        if (part <= 1e-6) {
            return;
        }
        e = better;
    }
}

} // namespace

std::optional<gaussian_beam>
fit_beam(const image_size& size, const float* psf, double pixel_l, double pixel_m)
{
    const auto lobe = main_lobe(size, psf);
    if (lobe.size() < min_pixels) {
        return std::nullopt;
    }
    normal_equations logarithms;
    for (const auto& s : lobe) {
        logarithms.add(products(s), -std::log(std::min(s.value, 1.0)), s.value * s.value);
    }
    auto found = logarithms.solve();
    if (!found) {
        return std::nullopt;
    }
    refine(lobe, *found);
    const double a = (*found)[0] / (pixel_l * pixel_l);
    const double b = (*found)[1] / (pixel_l * pixel_m);
    const double c = (*found)[2] / (pixel_m * pixel_m);
    // Eigenvalues of the exponent: the smaller one belongs to the major axis.
    const double mean = (a + c) / 2, half = std::hypot((a - c) / 2, b);
    if (!(mean - half > 0)) {
        return std::nullopt;
    }
    gaussian_beam beam;
    beam.major = 2 * std::sqrt(std::log(2.0) / (mean - half));
    beam.minor = 2 * std::sqrt(std::log(2.0) / (mean + half));
    // q(angle) = mean + (c - a) / 2 cos(2 angle) + b sin(2 angle), from north to east, is
    // least along the major axis.
    beam.angle = std::atan2(-b, (a - c) / 2) / 2;
    if (beam.angle < 0) {
        beam.angle += M_PI;
    }
    return beam;
}

double beam_at(const gaussian_beam& beam, double l, double m)
{
    const double s = std::sin(beam.angle), c = std::cos(beam.angle);
    const double along = (l * s + m * c) / beam.major,
                 across = (l * c - m * s) / beam.minor;
    return std::exp(-4 * std::log(2.0) * (along * along + across * across));
}

void restore(const image_size& size,
             const float* model,
             const gaussian_beam& beam,
             double pixel_l,
             double pixel_m,
             float* image)
{
    // Beyond 2.2 widths the beam is below 2e-6.
    const auto reach = [&](double pixel) {
        return std::size_t(std::ceil(2.2 * beam.major / pixel));
    };
    const image_size kernel_size{2 * std::min(reach(pixel_l), size.columns) + 1,
                                 2 * std::min(reach(pixel_m), size.rows) + 1};
    std::vector<float> kernel(kernel_size.pixels());
    for (std::size_t r = 0; r < kernel_size.rows; r++) {
        for (std::size_t c = 0; c < kernel_size.columns; c++) {
            kernel[r * kernel_size.columns + c] =
                float(beam_at(beam,
                              (double(c) - double(kernel_size.columns / 2)) * pixel_l,
                              (double(r) - double(kernel_size.rows / 2)) * pixel_m));
        }
    }
    image_convolution(size, kernel_size, kernel.data()).add(model, 1, image);
}

} // namespace gr::fringe::kernels
