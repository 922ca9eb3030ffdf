/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_GRIDDER_CASES_H
#define INCLUDED_FRINGE_TESTS_GRIDDER_CASES_H

#include "kernel_cases.h"
#include "kernels/gridder/gridder.h"
#include <cmath>

// Random arrays and visibilities, and the sums over them in double, for gridder tests.
namespace kernel_cases {

using namespace gr::fringe::kernels;

inline double uniform(double low, double high)
{
    return std::uniform_real_distribution<double>(low, high)(random_engine());
}

//! Baselines of random antennas on uneven ground, phased to a direction.
struct gridder_case {
    std::vector<double> uvw, frequencies;
    std::vector<std::complex<float>> data;
    std::vector<float> weights;
    std::size_t polarizations = 1;

    gridder_case(std::size_t antennas,
                 double extent,
                 double degrees,
                 std::size_t channels,
                 std::size_t planes = 1)
        : polarizations(planes)
    {
        const double s = std::sin(degrees * M_PI / 180),
                     c = std::cos(degrees * M_PI / 180);
        std::vector<double> places;
        for (std::size_t a = 0; a < antennas; a++) {
            const double e = uniform(-0.5, 0.5) * extent, n = uniform(-0.5, 0.5) * extent;
            const double up = uniform(-0.001, 0.001) * extent;
            places.insert(places.end(), {e, c * n - s * up, s * n + c * up});
        }
        for (std::size_t a = 0; a < antennas; a++) {
            for (std::size_t b = a + 1; b < antennas; b++) {
                for (std::size_t k = 0; k < 3; k++) {
                    uvw.push_back(places[3 * a + k] - places[3 * b + k]);
                }
            }
        }
        for (std::size_t k = 0; k < channels; k++) {
            frequencies.push_back(150e6 + 0.3e6 * double(k));
        }
        std::normal_distribution<float> normal;
        data.resize(planes * rows() * channels);
        for (auto& v : data) {
            v = {normal(random_engine()), normal(random_engine())};
        }
        for (std::size_t k = 0; k < data.size(); k++) {
            weights.push_back(random_below(10) == 0 ? 0 : float(uniform(0.1, 2)));
            if (weights.back() == 0 && random_below(2)) {
                data[k] = std::nanf(""); // must not be looked at
            }
        }
    }

    std::size_t rows() const { return uvw.size() / 3; }
    visibility_rows at() const
    {
        return {rows(), uvw.data(), frequencies.size(), frequencies.data()};
    }
    double turns(std::size_t k, double l, double m, bool w_term) const
    {
        const double* b = &uvw[3 * (k / frequencies.size() % rows())];
        const double n = std::sqrt(1 - l * l - m * m) - 1;
        return (b[0] * l + b[1] * m + (w_term ? b[2] * n : 0)) *
               frequencies[k % frequencies.size()] / 299792458.0;
    }
    //! The image of the first polarization at a point, in double.
    double pixel(double l, double m, bool w_term = true) const
    {
        double sum = 0;
        for (std::size_t k = 0; k < rows() * frequencies.size(); k++) {
            if (weights[k] > 0) {
                const double a = -2 * M_PI * turns(k, l, m, w_term);
                sum += double(weights[k]) * (double(data[k].real()) * std::cos(a) -
                                             double(data[k].imag()) * std::sin(a));
            }
        }
        return sum;
    }
};

inline gridder_params
image_of(std::size_t columns, std::size_t rows, double width, double epsilon)
{
    gridder_params p;
    p.columns = columns;
    p.rows = rows;
    p.pixel_l = width / double(columns);
    p.pixel_m = width / double(rows);
    p.epsilon = epsilon;
    return p;
}

inline double cosine(std::size_t pixel, std::size_t pixels, double step)
{
    return double(long(pixel) - long(pixels / 2)) * step;
}

inline std::vector<float> image_by(gridder& g, const gridder_case& c)
{
    std::vector<float> image(g.params().columns * g.params().rows * c.polarizations);
    g.grid(c.at(), c.data.data(), c.weights.data(), image.data());
    return image;
}

template <class T>
double rms(const std::vector<T>& values)
{
    double sum = 0;
    for (const auto& v : values) {
        sum += double(std::norm(v));
    }
    return std::sqrt(sum / double(values.size()));
}

template <class T>
double rms_difference(const std::vector<T>& a, const std::vector<T>& b)
{
    std::vector<T> d(a.size());
    for (std::size_t k = 0; k < a.size(); k++) {
        d[k] = a[k] - b[k];
    }
    return rms(d);
}

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_GRIDDER_CASES_H */
