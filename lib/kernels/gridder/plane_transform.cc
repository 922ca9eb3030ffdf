/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/plane_transform.h"
#include "kernels/gridder/spread.h"
#include "kernels/simd.h"
#include "kernels/workers.h"
#include <algorithm>
#include <cstring>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

constexpr std::size_t at_once = 8; // columns: a cache line of complex numbers
constexpr std::size_t entries = 8192;

std::size_t modulo(long k, std::size_t n)
{
    const long m = k % long(n);
    return std::size_t(m < 0 ? m + long(n) : m);
}

//! Calls part(here, there, count) for the pieces of 0 ... count - 1, which lie from `first`
//! on in a period of n.
template <class F>
void pieces(long first, std::size_t count, std::size_t n, const F& part)
{
    for (std::size_t k = 0; k < count;) {
        const std::size_t there = modulo(first + long(k), n);
        const std::size_t now = std::min(count - k, n - there);
        part(k, there, now);
        k += now;
    }
}

//! sum += Re(line).
FRINGE_SIMD void add_real(const std::complex<float>* line, std::size_t count, float* sum)
{
    const auto parts = reinterpret_cast<const float*>(line);
    for (std::size_t k = 0; k < count; k++) {
        sum[k] += parts[2 * k];
    }
}

//! sum += Re(line times phase).
FRINGE_SIMD void add_turned(const std::complex<float>* line,
                            const float* re,
                            const float* im,
                            std::size_t count,
                            float* sum)
{
    const auto parts = reinterpret_cast<const float*>(line);
    for (std::size_t k = 0; k < count; k++) {
        sum[k] += parts[2 * k] * re[k] - parts[2 * k + 1] * im[k];
    }
}

FRINGE_SIMD void make_turned(
    const float* values, const float* re, const float* im, std::size_t count, float* out)
{
    for (std::size_t k = 0; k < count; k++) {
        out[2 * k] = values[k] * re[k];
        out[2 * k + 1] = values[k] * im[k];
    }
}

//! n - 1 - middle of pixels b = 0, 1 ... at m = b step.
FRINGE_SIMD void
depths_of(double l2, double step, std::size_t count, double middle, double* depths)
{
    for (std::size_t b = 0; b < count; b++) {
        const double m = double(std::int32_t(b)) * step;
        const double r = std::min(l2 + m * m, 1.0); // the horizon where it is below
        depths[b] = -r / (1 + std::sqrt(1 - r)) - middle;
    }
}

//! Turns of the phases -w depth, to within half a turn.
FRINGE_SIMD void turns_of(const double* depths, std::size_t count, double w, float* turns)
{
    for (std::size_t k = 0; k < count; k++) {
        const double phase = -w * depths[k];
        turns[k] = float(phase - std::floor(phase + 0.5));
    }
}

FRINGE_SIMD void add_cells(const float* from, std::size_t count, float* to)
{
    for (std::size_t k = 0; k < count; k++) {
        to[k] += from[k];
    }
}

} // namespace

plane_transform::plane_transform(const gridder_params& p,
                                 const grid_plan& plan,
                                 const cell_map& map,
                                 workers& all)
    : d_p(p),
      d_plan(plan),
      d_map(map),
      d_workers(all),
      d_along_u(plan.nu, true),
      d_along_v(plan.nv, true),
      d_scratch(all.slots()),
      d_u(p.columns),
      d_v(p.rows),
      d_w_entries(0),
      d_pitch((p.columns + at_once - 1) / at_once * at_once + at_once +
              ((p.columns + at_once - 1) / at_once % 2) * at_once),
      d_lines(map.height() * d_pitch),
      d_image(p.columns * p.rows)
{
    const std::size_t longest = std::max(plan.nu, plan.nv);
    for (auto& s : d_scratch) {
        s.in.resize(2 * longest);
        s.out.resize(longest);
        s.depths.resize(p.rows / 2 + 1);
        s.re.resize(p.rows + 1);
        s.im.resize(p.rows + 1);
    }
    for (std::size_t i = 0; i < p.columns; i++) {
        const double s = double(long(i) - long(p.columns / 2)) / double(plan.nu);
        d_u[i] = 1 / plan.kernel.transform(s);
    }
    for (std::size_t j = 0; j < p.rows; j++) {
        const double s = double(long(j) - long(p.rows / 2)) / double(plan.nv);
        d_v[j] = 1 / plan.kernel.transform(s);
    }
    if (plan.planes_in_w) {
        // Linear between so many entries is right to 1e-7.
        d_w_entries = entries / (2 * -plan.middle);
        d_w.resize(entries + 2);
        for (std::size_t k = 0; k <= entries / 2; k++) {
            const double n = -double(k) / d_w_entries - plan.middle;
            d_w[k] = 1 / plan.kernel.transform(n * plan.w_step);
            d_w[entries - k] = d_w[k]; // both ends are as far from the middle
        }
        d_w[entries + 1] = d_w[entries];
    }
}

double plane_transform::correction(std::size_t row, std::size_t column) const
{
    const double l = double(long(column) - long(d_p.columns / 2)) * d_p.pixel_l;
    const double m = double(long(row) - long(d_p.rows / 2)) * d_p.pixel_m;
    if (l * l + m * m >= 1) {
        return 0;
    }
    double factor = d_u[column] * d_v[row];
    if (d_plan.planes_in_w) {
        const double at = -n_minus_1(l, m) * d_w_entries;
        const auto k = std::min(std::size_t(at), entries);
        const double part = at - double(k);
        factor *= (1 - part) * d_w[k] + part * d_w[k + 1];
    }
    return factor;
}

//! Calls column(i, scratch, number) for all columns, those at +l and -l one after the other:
//! the phases are set.
template <class F>
void plane_transform::columns(std::size_t number, const F& column)
{
    const std::size_t middle = d_p.columns / 2, parts = (middle + at_once) / at_once;
    d_workers.run(parts, [&](std::size_t part, unsigned slot) {
        auto& s = d_scratch[slot];
        const std::size_t end = std::min((part + 1) * at_once, middle + 1);
        for (std::size_t a = part * at_once; a < end; a++) {
            if (d_plan.planes_in_w) {
                const double l = double(a) * d_p.pixel_l;
                depths_of(
                    l * l, d_p.pixel_m, s.depths.size(), d_plan.middle, s.depths.data());
                set_phases(number, s);
            }
            column(middle - a, s);
            if (a > 0 && middle + a < d_p.columns) {
                column(middle + a, s);
            }
        }
    });
}

void plane_transform::set_phases(std::size_t number, scratch& s) const
{
    const std::size_t middle = d_p.rows / 2, count = middle + 1;
    aligned_vector<float>& turns = s.in; // free until a column is transformed
    turns_of(s.depths.data(), count, d_plan.plane_w(number), turns.data());
    waves(turns.data(), count, &s.re[middle], &s.im[middle]);
    for (std::size_t b = 1; b <= middle; b++) {
        s.re[middle - b] = s.re[middle + b];
        s.im[middle - b] = s.im[middle + b];
    }
}

void plane_transform::find_used(const std::vector<char>& used)
{
    d_used.clear();
    d_places.clear();
    for (std::size_t r = 0; r < d_map.height(); r++) {
        if (used[r]) {
            d_used.push_back(r);
            d_places.push_back(modulo(d_map.first_v + long(r), d_plan.nv));
        }
    }
}

void plane_transform::add_line(const float* line, complex* out, scratch& s) const
{
    std::fill_n(s.in.begin(), 2 * d_plan.nu, 0.f);
    const auto place = [&](std::size_t here, std::size_t there, std::size_t n) {
        add_cells(line + 2 * here, 2 * n, &s.in[2 * there]);
    };
    pieces(d_map.first_u, d_map.width(), d_plan.nu, place);
    d_along_u.run(s.in.data(), s.out.data());
    const auto take = [&](std::size_t here, std::size_t there, std::size_t n) {
        std::copy_n(&s.out[there], n, out + here);
    };
    pieces(-long(d_p.columns / 2), d_p.columns, d_plan.nu, take);
}

void plane_transform::add_column(std::size_t column, scratch& s)
{
    std::fill_n(s.in.begin(), 2 * d_plan.nv, 0.f);
    const auto in = reinterpret_cast<complex*>(s.in.data());
    for (std::size_t k = 0; k < d_used.size(); k++) {
        in[d_places[k]] += d_lines[k * d_pitch + column];
    }
    d_along_v.run(s.in.data(), s.out.data());
    float* const sum = &d_image[column * d_p.rows];
    const auto take = [&](std::size_t here, std::size_t there, std::size_t n) {
        if (d_plan.planes_in_w) {
            add_turned(&s.out[there], &s.re[here], &s.im[here], n, sum + here);
        } else {
            add_real(&s.out[there], n, sum + here);
        }
    };
    pieces(-long(d_p.rows / 2), d_p.rows, d_plan.nv, take);
}

void plane_transform::add(const float* plane,
                          std::size_t number,
                          const std::vector<char>& used)
{
    find_used(used);
    const std::size_t lines = d_used.size();
    d_workers.run((lines + at_once - 1) / at_once, [&](std::size_t part, unsigned slot) {
        for (std::size_t k = part * at_once; k < std::min((part + 1) * at_once, lines);
             k++) {
            add_line(plane + 2 * d_used[k] * d_map.width(),
                     &d_lines[k * d_pitch],
                     d_scratch[slot]);
        }
    });
    columns(number, [&](std::size_t i, scratch& s) { add_column(i, s); });
}

void plane_transform::finish(float* image) const
{
    d_workers.run(d_p.rows, [&](std::size_t j, unsigned) {
        for (std::size_t i = 0; i < d_p.columns; i++) {
            image[j * d_p.columns + i] +=
                float(d_image[i * d_p.rows + j] * correction(j, i));
        }
    });
}

void plane_transform::load(const float* image)
{
    d_workers.run(d_p.rows, [&](std::size_t j, unsigned) {
        for (std::size_t i = 0; i < d_p.columns; i++) {
            const double factor = correction(j, i);
            // Pixels below the horizon may be anything, not-a-numbers too.
            d_image[i * d_p.rows + j] =
                factor == 0 ? 0 : float(image[j * d_p.columns + i] * factor);
        }
    });
}

void plane_transform::make_column(std::size_t column, scratch& s)
{
    const float* const values = &d_image[column * d_p.rows];
    std::fill_n(s.in.begin(), 2 * d_plan.nv, 0.f);
    const auto place = [&](std::size_t here, std::size_t there, std::size_t n) {
        if (d_plan.planes_in_w) {
            make_turned(values + here, &s.re[here], &s.im[here], n, &s.in[2 * there]);
        } else {
            for (std::size_t k = 0; k < n; k++) {
                s.in[2 * (there + k)] = values[here + k];
            }
        }
    };
    pieces(-long(d_p.rows / 2), d_p.rows, d_plan.nv, place);
    d_along_v.run(s.in.data(), s.out.data());
    for (std::size_t k = 0; k < d_used.size(); k++) {
        d_lines[k * d_pitch + column] = s.out[d_places[k]];
    }
}

void plane_transform::make_line(const complex* in, float* line, scratch& s) const
{
    std::fill_n(s.in.begin(), 2 * d_plan.nu, 0.f);
    const auto place = [&](std::size_t here, std::size_t there, std::size_t n) {
        std::copy_n(in + here, n, reinterpret_cast<complex*>(s.in.data()) + there);
    };
    pieces(-long(d_p.columns / 2), d_p.columns, d_plan.nu, place);
    d_along_u.run(s.in.data(), s.out.data());
    const auto take = [&](std::size_t here, std::size_t there, std::size_t n) {
        std::copy_n(&s.out[there], n, reinterpret_cast<complex*>(line) + here);
    };
    pieces(d_map.first_u, d_map.width(), d_plan.nu, take);
}

void plane_transform::make(float* plane,
                           std::size_t number,
                           const std::vector<char>& used)
{
    find_used(used);
    columns(number, [&](std::size_t i, scratch& s) { make_column(i, s); });
    const std::size_t lines = d_used.size();
    d_workers.run((lines + at_once - 1) / at_once, [&](std::size_t part, unsigned slot) {
        for (std::size_t k = part * at_once; k < std::min((part + 1) * at_once, lines);
             k++) {
            make_line(&d_lines[k * d_pitch],
                      plane + 2 * d_used[k] * d_map.width(),
                      d_scratch[slot]);
        }
    });
}

} // namespace kernels
} // namespace fringe
} // namespace gr
