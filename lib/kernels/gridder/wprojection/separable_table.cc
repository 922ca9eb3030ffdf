/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/wprojection/separable_table.h"
#include <cmath>

namespace gr::fringe::kernels {

separable_table::separable_table(const w_kernels& k)
{
    using complex = std::complex<double>;
    const w_geometry& g = k.geometry();
    const std::size_t f0 = g.margin, d0 = g.support / 2 - 1; // the middle of the kernel
    const auto kernel = [&](std::size_t plane,
                            std::size_t fv,
                            std::size_t fu,
                            std::size_t v,
                            std::size_t u) {
        return complex(k.table()[plane * g.plane_step() + fv * g.v_step() +
                                 fu * g.cells() + v * g.support + u]);
    };
    complex last_root = 1;
    for (std::size_t plane = 0; plane < g.planes; plane++) {
        // Both factors get the same size, so neither leaves the range of short numbers, and a
        // root that is near that of the plane before, so that planes can be interpolated.
        complex root = std::sqrt(kernel(plane, f0, f0, d0, d0));
        root *= std::real(root * std::conj(last_root)) < 0 ? -1 : 1;
        last_root = root;
        for (std::size_t f = 0; f < g.fractions(); f++) {
            for (std::size_t d = 0; d < g.support; d++) {
                u.emplace_back(kernel(plane, f0, f, d0, d) / root);
                v.emplace_back(kernel(plane, f, f0, d, d0) / root);
            }
        }
    }
    const std::size_t last = g.planes - 1, rows = last * g.fractions();
    double sum = 0, square = 0;
    for (std::size_t f = 0; f < g.fractions(); f++) {
        for (std::size_t j = 0; j < g.support; j++) {
            for (std::size_t i = 0; i < g.support; i++) {
                const complex whole = kernel(last, f, f, j, i);
                const complex product = complex(u[(rows + f) * g.support + i]) *
                                        complex(v[(rows + f) * g.support + j]);
                sum += std::norm(whole - product);
                square += std::norm(whole);
            }
        }
    }
    error = std::sqrt(sum / square);
}

} // namespace gr::fringe::kernels
