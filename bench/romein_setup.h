/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BENCH_ROMEIN_SETUP_H
#define INCLUDED_FRINGE_BENCH_ROMEIN_SETUP_H

#include "cuda_timing.h"
#include "energy_counter.h"
#include "kernels/gridder/grid_plan.h"
#include "kernels/gridder/wprojection/w_kernels.h"
#include <chrono>
#include <cmath>
#include <random>

// The data of Romein (2012): 44 stations, 16 channels, 6 hours of 10 s, 4 polarizations, a grid
// of 4096 x 4096 cells. The stations are random.
namespace romein {

using namespace gr::fringe::kernels;

constexpr std::size_t stations = 44, channels = 16, grid_side = 4096, pols = 4;
constexpr double longest_cells = 1900; // of a baseline

__host__ __device__ inline float noise(std::size_t k)
{
    std::uint64_t x = k * 0x9e3779b97f4a7c15ull + 0x1234567;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 32;
    return float(double(x >> 11) / 9007199254740992.0 - 0.5);
}

__global__ static void fill(float* values, std::size_t count)
{
    for (std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; k < count;
         k += std::size_t(gridDim.x) * blockDim.x) {
        values[k] = noise(k);
    }
}

//! Tracks of all baselines, one after the other, of unit length at most: dense in the middle,
//! as LOFAR is.
inline std::vector<double> tracks(std::size_t times)
{
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> uniform;
    const double latitude = 52.9 * M_PI / 180, declination = 48 * M_PI / 180;
    std::vector<double> xyz;
    for (std::size_t s = 0; s < stations; s++) {
        const double r = 0.5 * std::pow(uniform(engine), 3),
                     a = 2 * M_PI * uniform(engine);
        const double e = r * std::cos(a), n = r * std::sin(a);
        xyz.insert(xyz.end(), {-std::sin(latitude) * n, e, std::cos(latitude) * n});
    }
    std::vector<double> uvw;
    for (std::size_t i = 0; i < stations; i++) {
        for (std::size_t j = i + 1; j < stations; j++) {
            const double x = xyz[3 * i] - xyz[3 * j], y = xyz[3 * i + 1] - xyz[3 * j + 1],
                         z = xyz[3 * i + 2] - xyz[3 * j + 2];
            for (std::size_t t = 0; t < times; t++) {
                const double h = (double(t) - double(times) / 2) * 10 * 7.2921e-5;
                const double along = std::cos(h) * x - std::sin(h) * y;
                uvw.push_back(std::sin(h) * x + std::cos(h) * y);
                uvw.push_back(-std::sin(declination) * along + std::cos(declination) * z);
                uvw.push_back(std::cos(declination) * along + std::sin(declination) * z);
            }
        }
    }
    return uvw;
}

struct observation {
    std::vector<double> uvw; // meters
    std::vector<double> frequencies;
    double max_w = 0; // wavelengths
    visibility_rows at() const
    {
        return {uvw.size() / 3, uvw.data(), channels, frequencies.data()};
    }
};

//! An image around which the longest baseline reaches `longest_cells`.
inline gridder_params image_of(double width)
{
    gridder_params p;
    p.columns = p.rows = std::size_t(grid_side / w_kernels::padding);
    p.pixel_l = p.pixel_m = width / double(p.columns);
    p.polarizations = pols;
    return p;
}

inline observation observe(const std::vector<double>& unit, const gridder_params& p)
{
    observation o;
    for (std::size_t c = 0; c < channels; c++) {
        o.frequencies.push_back(150e6 + 12207.0 * double(c));
    }
    double longest = 0;
    for (std::size_t k = 0; k < unit.size(); k += 3) {
        longest = std::max({longest, std::abs(unit[k]), std::abs(unit[k + 1])});
    }
    const double wave = speed_of_light / o.frequencies.back();
    const double scale = longest_cells / (p.pixel_l * grid_side) * wave / longest;
    o.uvw = unit;
    for (std::size_t k = 0; k < o.uvw.size(); k++) {
        o.uvw[k] *= scale;
        o.max_w = std::max(o.max_w, k % 3 == 2 ? std::abs(o.uvw[k]) / wave : 0);
    }
    return o;
}

inline double seconds()
{
    return std::chrono::duration<double>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace romein

#endif /* INCLUDED_FRINGE_BENCH_ROMEIN_SETUP_H */
