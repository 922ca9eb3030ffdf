/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/transform/plane_transform.h"
#include "kernels/base/simd.h"
#include "kernels/base/workers.h"
#include "kernels/gridder/spread.h"
#include <algorithm>
#include <cstring>

namespace gr::fringe::kernels {

namespace {

constexpr std::size_t at_once = 8; // lines or columns: a cache line of complex numbers
constexpr std::size_t pairs = at_once / 2;

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

//! Turns of the phases -w (n - 1 - middle), to within half a turn, of the pixels b = 0, 1 ...
//! at m = b step.
FRINGE_SIMD void
turns_of(double l2, double step, std::size_t count, double middle, double w, float* turns)
{
    for (std::size_t b = 0; b < count; b++) {
        const double m = double(std::int32_t(b)) * step;
        const double r = std::min(l2 + m * m, 1.0); // the horizon where it is below
        const double phase = w * (r / (1 + std::sqrt(1 - r)) + middle);
        turns[b] = float(phase - std::floor(phase + 0.5));
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
      d_corrections(p, plan, all),
      // An odd number of cache lines, so that lanes do not share sets of the cache.
      d_longest(std::max(plan.nu, plan.nv) / at_once / 2 * 2 * at_once + 3 * at_once),
      d_blocks((p.columns / 2 + pairs) / pairs),
      d_scratch(all.slots()),
      d_lines(d_blocks * at_once * map.height()),
      d_image(p.columns * d_corrections.pitch())
{
    for (auto& s : d_scratch) {
        s.in.resize(2 * d_longest * at_once);
        s.out.resize(d_longest * at_once);
        s.turns.resize(p.rows / 2 + 1);
        s.re.resize(2 * (p.rows / 2) + 1);
        s.im.resize(2 * (p.rows / 2) + 1);
    }
}

plane_transform::complex* plane_transform::in(scratch& s, std::size_t lane) const
{
    return reinterpret_cast<complex*>(s.in.data()) + lane * d_longest;
}

plane_transform::complex* plane_transform::block_at(std::size_t block, std::size_t line)
{
    return &d_lines[(block * d_used.size() + line) * at_once];
}

//! Calls group(first used line, its end, scratch) for all, some at a time.
template <class F>
void plane_transform::lines(const F& group)
{
    const std::size_t count = d_used.size();
    d_workers.run((count + at_once - 1) / at_once, [&](std::size_t part, unsigned slot) {
        group(part * at_once, std::min((part + 1) * at_once, count), d_scratch[slot]);
    });
}

//! Calls block(number, scratch) for all blocks of columns.
template <class F>
void plane_transform::blocks(const F& block)
{
    d_workers.run(d_blocks,
                  [&](std::size_t b, unsigned slot) { block(b, d_scratch[slot]); });
}

/*!
 * Calls column(i, lane) for the columns of a block. Columns at -l and +l share their phases, so
 * a block has pairs of them: lanes 0 ... 3 hold the columns middle - a, lanes 4 ... 7 those at
 * middle + a, a = 4 b ... 4 b + 3.
 */
template <class F>
void plane_transform::columns(std::size_t block,
                              std::size_t number,
                              scratch& s,
                              const F& column) const
{
    const std::size_t middle = d_p.columns / 2;
    for (std::size_t k = 0, a = block * pairs; k < pairs && a <= middle; k++, a++) {
        set_phases(number, a, s);
        column(middle - a, k);
        if (a > 0 && middle + a < d_p.columns) {
            column(middle + a, pairs + k);
        }
    }
}

void plane_transform::set_phases(std::size_t number,
                                 std::size_t from_middle,
                                 scratch& s) const
{
    if (!d_plan.planes_in_w) {
        return;
    }
    const double l = double(from_middle) * d_p.pixel_l;
    const std::size_t middle = d_p.rows / 2, count = middle + 1;
    const double w = d_plan.plane_w(number);
    turns_of(l * l, d_p.pixel_m, count, d_plan.middle, w, s.turns.data());
    waves(s.turns.data(), count, &s.re[middle], &s.im[middle]);
    std::reverse_copy(s.re.begin() + long(count), s.re.end(), s.re.begin());
    std::reverse_copy(s.im.begin() + long(count), s.im.end(), s.im.begin());
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

void plane_transform::add_line(const float* line, scratch& s, std::size_t lane) const
{
    float* const cells = reinterpret_cast<float*>(in(s, lane));
    std::fill_n(cells, 2 * d_plan.nu, 0.f);
    const auto place = [&](std::size_t here, std::size_t there, std::size_t n) {
        add_cells(line + 2 * here, 2 * n, cells + 2 * there);
    };
    pieces(d_map.first_u, d_map.width(), d_plan.nu, place);
    d_along_u.run(cells, out(s, lane));
}

void plane_transform::add_column(std::size_t column, scratch& s, std::size_t lane)
{
    d_along_v.run(reinterpret_cast<float*>(in(s, lane)), out(s, lane));
    float* const sum = &d_image[column * d_corrections.pitch()];
    const auto take = [&](std::size_t here, std::size_t there, std::size_t n) {
        const complex* const from = out(s, lane) + there;
        if (d_plan.planes_in_w) {
            add_turned(from, &s.re[here], &s.im[here], n, sum + here);
        } else {
            add_real(from, n, sum + here);
        }
    };
    pieces(-long(d_p.rows / 2), d_p.rows, d_plan.nv, take);
}

void plane_transform::add(const float* plane,
                          std::size_t number,
                          const std::vector<char>& used)
{
    find_used(used);
    lines([&](std::size_t begin, std::size_t end, scratch& s) {
        for (std::size_t k = begin; k < end; k++) {
            add_line(plane + 2 * d_used[k] * d_map.width(), s, k - begin);
        }
        for (std::size_t b = 0; b < d_blocks; b++) {
            for (std::size_t k = begin; k < end; k++) {
                const complex* const right = out(s, k - begin) + b * pairs;
                const complex* const left = out(s, k - begin) + d_plan.nu - b * pairs;
                complex* const to = block_at(b, k);
                to[0] = b ? left[0] : right[0];
                for (std::size_t n = 1; n < pairs; n++) {
                    to[n] = left[-long(n)];
                }
                std::copy_n(right, pairs, to + pairs);
            }
        }
    });
    blocks([&](std::size_t b, scratch& s) {
        std::fill(s.in.begin(), s.in.end(), 0.f);
        complex* const cells = in(s, 0);
        for (std::size_t k = 0; k < d_used.size(); k++) {
            const complex* const from = block_at(b, k);
            for (std::size_t n = 0; n < at_once; n++) {
                cells[n * d_longest + d_places[k]] += from[n];
            }
        }
        columns(b, number, s, [&](std::size_t i, std::size_t n) { add_column(i, s, n); });
    });
}

void plane_transform::make_column(std::size_t column, scratch& s, std::size_t lane)
{
    const float* const values = &d_image[column * d_corrections.pitch()];
    float* const cells = reinterpret_cast<float*>(in(s, 0));
    std::fill_n(cells, 2 * d_plan.nv, 0.f);
    const auto place = [&](std::size_t here, std::size_t there, std::size_t n) {
        if (d_plan.planes_in_w) {
            make_turned(values + here, &s.re[here], &s.im[here], n, cells + 2 * there);
        } else {
            for (std::size_t k = 0; k < n; k++) {
                cells[2 * (there + k)] = values[here + k];
            }
        }
    };
    pieces(-long(d_p.rows / 2), d_p.rows, d_plan.nv, place);
    d_along_v.run(cells, out(s, lane));
}

void plane_transform::make_line(float* line, scratch& s, std::size_t lane) const
{
    d_along_u.run(reinterpret_cast<float*>(in(s, lane)), out(s, 0));
    const auto take = [&](std::size_t here, std::size_t there, std::size_t n) {
        std::copy_n(out(s, 0) + there, n, reinterpret_cast<complex*>(line) + here);
    };
    pieces(d_map.first_u, d_map.width(), d_plan.nu, take);
}

void plane_transform::make(float* plane,
                           std::size_t number,
                           const std::vector<char>& used)
{
    find_used(used);
    blocks([&](std::size_t b, scratch& s) {
        columns(
            b, number, s, [&](std::size_t i, std::size_t n) { make_column(i, s, n); });
        const complex* const from = out(s, 0);
        for (std::size_t k = 0; k < d_used.size(); k++) {
            complex* const to = block_at(b, k);
            for (std::size_t n = 0; n < at_once; n++) {
                to[n] = from[n * d_longest + d_places[k]];
            }
        }
    });
    const std::size_t middle = d_p.columns / 2;
    lines([&](std::size_t begin, std::size_t end, scratch& s) {
        std::fill(s.in.begin(), s.in.end(), 0.f);
        for (std::size_t b = 0; b < d_blocks; b++) {
            const std::size_t count = std::min(pairs, middle + 1 - b * pairs);
            for (std::size_t k = begin; k < end; k++) {
                complex* const to = in(s, k - begin);
                const complex* const from = block_at(b, k);
                for (std::size_t n = 0; n < count; n++) {
                    const std::size_t a = b * pairs + n;
                    to[a ? d_plan.nu - a : 0] = from[n];
                    if (a > 0 && middle + a < d_p.columns) {
                        to[a] = from[pairs + n];
                    }
                }
            }
        }
        for (std::size_t k = begin; k < end; k++) {
            make_line(plane + 2 * d_used[k] * d_map.width(), s, k - begin);
        }
    });
}

} // namespace gr::fringe::kernels
