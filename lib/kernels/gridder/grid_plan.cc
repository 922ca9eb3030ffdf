/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/grid_plan.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace gr::fringe::kernels {

namespace {

//! Errors in u, v and w add up as squares, and rounding takes its part.
constexpr double share = 0.3;
//! A tile and the cells around it are less than half of a grid.
constexpr double min_cells = 64;

//! The lowest n - 1 of the image.
double lowest(const gridder_params& p)
{
    const double l = double(p.columns / 2) * p.pixel_l;
    const double m = double(p.rows / 2) * p.pixel_m;
    return l * l + m * m < 1 ? n_minus_1(l, m) : -1;
}

} // namespace

double n_minus_1(double l, double m)
{
    const double r = l * l + m * m; // no digits are lost near the center
    return -r / (1 + std::sqrt(1 - r));
}

std::size_t quick_length(double n)
{
    for (auto length = std::max<std::size_t>(2, 2 * std::size_t(std::ceil(n / 2)));;
         length += 2) {
        std::size_t rest = length;
        for (const std::size_t factor : {2, 3, 5, 7}) {
            while (rest % factor == 0) {
                rest /= factor;
            }
        }
        if (rest == 1) {
            return length;
        }
    }
}

uvw_extent extent_of(const visibility_rows& at, const float* weights)
{
    uvw_extent e;
    if (at.channels == 0) {
        return e;
    }
    const auto ends = std::minmax_element(at.frequencies, at.frequencies + at.channels);
    const double low = *ends.first / speed_of_light, high = *ends.second / speed_of_light;
    e.min_w = std::numeric_limits<double>::max();
    for (std::size_t r = 0; r < at.rows; r++) {
        const double* b = at.uvw + 3 * r;
        const float* w = weights ? weights + r * at.channels : nullptr;
        const std::size_t used =
            w ? std::size_t(
                    std::count_if(w, w + at.channels, [](float x) { return x > 0; }))
              : at.channels;
        if (!used || !std::isfinite(b[0]) || !std::isfinite(b[1]) ||
            !std::isfinite(b[2])) {
            continue;
        }
        e.visibilities += used;
        e.u = std::max(e.u, std::abs(b[0]) * high);
        e.v = std::max(e.v, std::abs(b[1]) * high);
        e.max_w = std::max(e.max_w, std::abs(b[2]) * high);
        e.min_w = std::min(e.min_w, std::abs(b[2]) * low);
    }
    e.min_w = std::min(e.min_w, e.max_w);
    return e;
}

grid_plan::grid_plan(const gridder_params& p, const uvw_extent& e, double oversampling)
    : kernel(share * p.epsilon, oversampling),
      nu(quick_length(std::max(oversampling * double(p.columns), min_cells))),
      nv(quick_length(std::max(oversampling * double(p.rows), min_cells))),
      u_cells(p.pixel_l * double(nu)),
      v_cells(p.pixel_m * double(nv)),
      planes_in_w(false)
{
    if (p.w_term) {
        set_planes(p, e, oversampling);
        set_nodes(p, e);
    }
}

void grid_plan::set_planes(const gridder_params& p,
                           const uvw_extent& e,
                           double oversampling)
{
    middle = lowest(p) / 2;
    const double half = -middle;
    planes_in_w = 2 * M_PI * e.max_w * half > 0.3 * p.epsilon;
    if (!planes_in_w) {
        return;
    }
    w_step = 0.5 / (half * oversampling);
    first_w = e.min_w - (0.5 * kernel.support() - 1 + 1e-6) * w_step;
    planes = std::size_t((e.max_w - first_w) / w_step + 0.5 * kernel.support()) + 2;
}

void grid_plan::set_nodes(const gridder_params& p, const uvw_extent& e)
{
    if (!planes_in_w) {
        return;
    }
    // Single precision is enough for the powers of this number of nodes.
    const std::size_t maximum = std::min({planes - 1,
                                          std::size_t(kernel.support() + 3),
                                          std::size_t(p.epsilon < 1e-4 ? 6 : 8)});
    const double range = std::max(e.max_w - e.min_w, 1e-6 * e.max_w);
    nodes = w_nodes(share * p.epsilon, range * 2 * -middle, maximum);
    if (nodes.count()) {
        first_w = e.min_w;
        w_step = range;
        planes = nodes.count();
    }
}

double grid_plan::plane_weight(double w, std::size_t plane) const
{
    const double at = (w - first_w) / w_step;
    return !planes_in_w    ? 1
           : nodes.count() ? nodes.weight(plane, at)
                           : kernel(at - double(plane));
}

double grid_plan::w_correction(double n) const
{
    return planes_in_w && !nodes.count() ? 1 / kernel.transform((n - middle) * w_step)
                                         : 1;
}

double grid_plan::cost(const gridder_params& p,
                       const uvw_extent& e,
                       const grid_costs& costs) const
{
    const double w = kernel.support(), at_once = costs.cells_at_once;
    const double cells = std::ceil(w * w / at_once) * at_once;
    const double deep =
        planes_in_w && costs.plane_terms > 0 ? costs.plane_terms : double(depth());
    const double gridding =
        double(e.visibilities) * (costs.visibility + costs.cell * cells * deep);
    const double occupied_v =
        std::min(double(nv), (planes_in_w ? 2 : 1) * e.v * v_cells + w);
    const double points = occupied_v * double(nu) * std::log2(double(nu)) +
                          double(p.columns) * double(nv) * std::log2(double(nv));
    return gridding + double(planes) * (costs.point * points +
                                        costs.pixel * double(p.columns * p.rows));
}

grid_plan
grid_plan::make(const gridder_params& p, const uvw_extent& e, const grid_costs& costs)
{
    std::optional<grid_plan> best;
    double least = 0;
    for (const double oversampling : {2.0, 1.75, 1.5, 1.25}) {
        grid_plan now(p, e, oversampling);
        const double cost = now.cost(p, e, costs);
        if (!best || (now.kernel.reached() && cost < least)) {
            best.emplace(now);
            least = cost;
        }
    }
    return *best;
}

} // namespace gr::fringe::kernels
