/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/wprojection/w_kernels.h"
#include "kernels/base/aligned.h"
#include "kernels/base/require.h"
#include "kernels/base/workers.h"
#include "kernels/channelizer/fft.h"
#include "kernels/gridder/grid_plan.h"
#include <algorithm>
#include <cmath>

namespace gr::fringe::kernels {

namespace {

using complex = std::complex<double>;

const std::string me = "gridder";
//! Rms errors of the image, of its rms: of the taper's aliases, of the cut-off along an axis,
//! and of the interpolation between planes.
constexpr double alias_error = 1e-4, cut_off_error = 2e-4, plane_error = 2e-4;
//! The same without interpolation, which leaves several percent.
constexpr double rough_cut_off_error = 5e-3;
//! From this multiple of the distance of the image's corner on n - 1 is a straight line.
constexpr double beyond = 1.45;
constexpr std::size_t max_table_bytes = std::size_t(8) << 30;
//! The taper is taken as 0 beyond one cycle per cell; so samples are 2 / points apart, and a
//! transform of 4 points gives values at eighths of a cell.
constexpr std::size_t pads = 4;

double coordinate(std::size_t sample, std::size_t points)
{
    const long k = sample < points / 2 ? long(sample) : long(sample) - long(points);
    return 2 * double(k) / double(points);
}

} // namespace

w_kernels::w_kernels(const gridder_params& p, const choice& c, double max_w)
    : d_taper(alias_error, padding), d_max_w(p.w_term ? max_w : 0)
{
    const double l = double(p.columns / 2) * p.pixel_l,
                 m = double(p.rows / 2) * p.pixel_m;
    const double corner = std::min(std::hypot(l, m), 0.999);
    d_deepest = n_minus_1(corner, 0);
    d_rim = std::min(beyond * corner, std::max(corner, 0.95));
    w_geometry& g = d_geometry;
    g.w_term = d_max_w > 0;
    g.middle = g.w_term ? d_deepest / 2 : 0;
    g.margin = c.interpolate ? 1 : 0;
    for (g.support = c.support ? c.support : min_support;;) {
        const auto length = [&](std::size_t asked, std::size_t pixels) {
            const double least = std::max(padding * double(pixels), 2.0 * g.support);
            return asked ? asked : quick_length(least);
        };
        g.nu = std::uint32_t(length(c.nu, p.columns));
        g.nv = std::uint32_t(length(c.nv, p.rows));
        g.per_nu = 1.0 / g.nu;
        g.per_nv = 1.0 / g.nv;
        g.u_cells = p.pixel_l * g.nu;
        g.v_cells = p.pixel_m * g.nv;
        const unsigned needed = needed_support(p);
        if (needed <= g.support) {
            break;
        }
        const std::string why =
            "an image of " + std::to_string(2 * l) + " x " + std::to_string(2 * m) +
            " (direction cosines) and |w| up to " + std::to_string(d_max_w) +
            " wavelengths need kernels of a support of ";
        require(me,
                needed <= max_support,
                why + "more than " + std::to_string(max_support) +
                    " cells; take a smaller image, or the method separable");
        require(me,
                c.support == 0,
                "support is " + std::to_string(c.support) + "; " + why +
                    std::to_string(needed));
        g.support = needed;
        while (c.powers_of_two && (g.support & (g.support - 1)) != 0) {
            g.support += 2;
        }
    }
    require(me,
            std::min(g.nu, g.nv) >= 2 * g.support,
            "the grid has " + std::to_string(g.nu) + " x " + std::to_string(g.nv) +
                " cells; it must have twice the support, " + std::to_string(g.support) +
                ", along each axis");
    g.planes = std::uint32_t(c.planes ? c.planes : needed_planes());
    g.planes_per_w = g.planes > 1 ? (g.planes - 1) / d_max_w : 0;
    const double bytes = double(g.planes) * double(g.plane_step()) * sizeof(d_table[0]);
    require(me,
            bytes <= double(max_table_bytes),
            "the kernels of " + std::to_string(g.planes) +
                " planes in w with a support of " + std::to_string(g.support) +
                " cells would take " + std::to_string(std::size_t(bytes) >> 20) +
                " MB; take fewer planes, a smaller image, or the method separable");
    const auto reciprocals = [&](std::size_t pixels, std::size_t cells) {
        std::vector<double> out;
        for (std::size_t k = 0; k < pixels; k++) {
            const double x = (double(k) - double(pixels / 2)) / double(cells);
            // The nearest of eight fractions is off by up to a sixteenth of a cell.
            const double off = M_PI * x / w_geometry::oversampling;
            const double mean = c.interpolate || off == 0 ? 1 : std::sin(off) / off;
            out.push_back(1 / (d_taper.transform(x) * mean));
        }
        return out;
    };
    d_u = reciprocals(p.columns, g.nu);
    d_v = reciprocals(p.rows, g.nv);
    d_table.resize(g.planes * g.plane_step());
    const auto all = workers::shared();
    all->run(g.planes, [&](std::size_t plane, unsigned) { make_plane(plane); });
}

//! n - 1 - middle, and far beyond the image a straight line.
double w_kernels::depth(double l, double m) const
{
    const double r = std::hypot(l, m);
    if (r <= d_rim) {
        return n_minus_1(l, m) - d_geometry.middle;
    }
    const double n = n_minus_1(d_rim, 0);
    return n - d_geometry.middle - d_rim / (1 + n) * (r - d_rim);
}

//! The least support, from `s` on, whose cut-off leaves a small error along one axis of the
//! image, in the middle or at the edge of the other.
unsigned w_kernels::needed_along(const gridder_params& p,
                                 bool along_u,
                                 bool at_edge,
                                 unsigned s) const
{
    constexpr std::size_t points = 1024;
    const w_geometry& g = d_geometry;
    const double l = along_u   ? g.u_cells
                     : at_edge ? double(p.columns / 2) * p.pixel_l
                               : 0;
    const double m = along_u ? (at_edge ? double(p.rows / 2) * p.pixel_m : 0) : g.v_cells;
    const transform_f64 fft(pads * points);
    aligned_vector<complex> kernel(pads * points), line;
    const auto place = [&](std::size_t i) {
        return i < points / 2 ? i : kernel.size() - points + i;
    };
    std::vector<complex> wanted(points);
    for (std::size_t i = 0; i < points; i++) {
        const double x = coordinate(i, points);
        const double turns = -d_max_w * depth(along_u ? x * l : l, along_u ? m : x * m);
        wanted[i] = d_taper.transform(x) *
                    std::polar(1.0, 2 * M_PI * (turns - std::floor(turns)));
        kernel[place(i)] = wanted[i];
    }
    fft.run(kernel.data());
    const double edge =
        0.5 * double(along_u ? p.columns : p.rows) / double(along_u ? g.nu : g.nv);
    const double maximum = g.margin > 0 ? cut_off_error : rough_cut_off_error;
    for (; s <= max_support; s += 2) {
        // What is cut off, transformed back, beside what there should be. A kernel begins up
        // to half a cell off the middle.
        const auto kept = std::size_t((0.5 * s - 0.5) * w_geometry::oversampling);
        line = kernel;
        for (std::size_t j = 0; j < line.size(); j++) {
            line[j] = std::min(j, line.size() - j) <= kept ? 0 : std::conj(line[j]);
        }
        fft.run(line.data());
        double sum = 0;
        std::size_t count = 0;
        for (std::size_t i = 0; i < points; i++) {
            if (std::abs(coordinate(i, points)) <= edge) {
                sum += std::norm(line[place(i)] / double(line.size())) /
                       std::norm(wanted[i]);
                count++;
            }
        }
        if (sum <= maximum * maximum * double(count)) {
            break;
        }
    }
    return s;
}

unsigned w_kernels::needed_support(const gridder_params& p) const
{
    unsigned s = min_support;
    for (const bool along_u : {true, false}) {
        for (const bool at_edge : {true, false}) {
            s = needed_along(p, along_u, at_edge, s);
        }
    }
    return s;
}

std::size_t w_kernels::needed_planes() const
{
    // A parabola leaves 0.041 phase^3, of which the rms over the image is 1 / sqrt(7). To the
    // nearest plane it is phase / sqrt(12), with 1 / sqrt(3).
    const double turns = d_max_w * -d_deepest / 2;
    const double step = d_geometry.margin > 0
                            ? std::cbrt(plane_error * std::sqrt(7.0) / 0.041)
                            : 0.05 * 6;
    const double planes = 2 * M_PI * turns / step;
    return planes < 1e-3 ? 1 : 3 + std::size_t(planes);
}

void w_kernels::make_plane(std::size_t plane)
{
    const w_geometry& g = d_geometry;
    const std::size_t points = 4 * g.support, half = points / 2 + 1;
    const double w = g.planes > 1 ? double(plane) / g.planes_per_w : 0;
    // From 0 cells on, at eighths; the kernel is even in both coordinates.
    const std::size_t values = w_geometry::oversampling * (g.support / 2) + 2;
    const transform_f64 fft(pads * points);
    aligned_vector<complex> line(pads * points);
    std::vector<complex> lines(half * values);
    std::vector<double> taper(half);
    for (std::size_t i = 0; i < half; i++) {
        taper[i] = d_taper.transform(2 * double(i) / double(points)) *
                   (i == points / 2 ? 0.5 : 1) * 2 / double(points);
    }
    const auto run = [&] {
        for (std::size_t i = 1; i < half; i++) {
            line[line.size() - i] = line[i];
        }
        std::fill(line.begin() + long(half), line.end() - long(half) + 1, 0);
        fft.run(line.data());
    };
    for (std::size_t j = 0; j < half; j++) {
        const double m = 2 * double(j) / double(points) * g.v_cells;
        for (std::size_t i = 0; i < half; i++) {
            const double l = 2 * double(i) / double(points) * g.u_cells;
            const double turns = -w * depth(l, m);
            line[i] =
                std::polar(taper[i] * taper[j], 2 * M_PI * (turns - std::floor(turns)));
        }
        run();
        std::copy_n(line.begin(), values, &lines[j * values]);
    }
    std::vector<complex> kernel(values * values); // [u][v]
    for (std::size_t i = 0; i < values; i++) {
        for (std::size_t j = 0; j < half; j++) {
            line[j] = lines[j * values + i];
        }
        run();
        std::copy_n(line.begin(), values, &kernel[i * values]);
    }
    std::complex<float>* out = &d_table[plane * g.plane_step()];
    const auto at = [&](std::uint32_t f, std::uint32_t d) {
        const int eighths = w_geometry::oversampling * (int(d) - int(g.support / 2) + 1) -
                            (int(f) - int(g.margin));
        return std::size_t(std::abs(eighths));
    };
    for (std::uint32_t fv = 0; fv < g.fractions(); fv++) {
        for (std::uint32_t fu = 0; fu < g.fractions(); fu++) {
            for (std::uint32_t v = 0; v < g.support; v++) {
                for (std::uint32_t u = 0; u < g.support; u++) {
                    *out++ = std::complex<float>(kernel[at(fu, u) * values + at(fv, v)]);
                }
            }
        }
    }
}

} // namespace gr::fringe::kernels
