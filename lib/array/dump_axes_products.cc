/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "array/dump_axes_errors.h"
#include "kernels/base/types.h"
#include <algorithm>

namespace gr::fringe {

namespace {

const std::string stokes = "IQUV";

constexpr std::size_t none = static_cast<std::size_t>(-1);

std::size_t input_of(const observation& obs, std::size_t antenna, char polarization)
{
    for (std::size_t i = 0; i < obs.inputs.size(); ++i) {
        if (obs.inputs[i].antenna == antenna &&
            obs.inputs[i].polarization == polarization) {
            return i;
        }
    }
    return none;
}

// <x_i conj(x_j)> as the correlator has it.
dump_axes::term product_of(std::size_t i, std::size_t j, std::size_t inputs)
{
    dump_axes::term t;
    t.conjugate = i > j;
    t.product = kernels::baseline_index(std::min(i, j), std::max(i, j), inputs);
    return t;
}

// A Stokes parameter of the four products in the order of "pq": XX XY YX YY or RR RL LR
// LL.
std::vector<dump_axes::term>
stokes_terms(char parameter, bool circular, const std::array<dump_axes::term, 4>& pq)
{
    // What X and Y give as Q, U, V, R and L give as V, Q, U.
    const std::size_t kind = stokes.find(parameter);
    const std::size_t as_linear = circular && kind > 0 ? kind % 3 + 1 : kind;
    const bool parallel = as_linear < 2;
    auto first = pq[parallel ? 0 : 1], second = pq[parallel ? 3 : 2];
    const std::complex<double> half =
        as_linear == 3 ? std::complex<double>(0, -0.5) : std::complex<double>(0.5);
    first.factor = half;
    second.factor = as_linear % 2 == 1 ? -half : half;
    return {first, second};
}

} // namespace

// Products are of antennas, made of those of their two polarizations.
bool dump_axes::of_pairs() const
{
    const std::string& p = selection.polarization;
    return stokes.find(p) != std::string::npos || (p.size() == 2 && p[0] != p[1]);
}

void dump_axes::select_inputs()
{
    const std::string& p = selection.polarization;
    const std::string both = p.size() == 2 && p[0] == p[1] ? p.substr(0, 1) : p;
    const bool known =
        p == "all" || (p.size() == 1 && (stokes + "XYRL").find(p) != std::string::npos) ||
        (p.size() == 2 && (p.find_first_not_of("XY") == std::string::npos ||
                           p.find_first_not_of("RL") == std::string::npos));
    if (!known) {
        refuse("polarization",
               p,
               "must be all, one of X Y R L, two of X Y or of R L, or one of I Q U V");
    }
    for (std::size_t i = 0; i < d_observation.inputs.size(); ++i) {
        if (both.size() > 1 || stokes.find(both) != std::string::npos ||
            d_observation.inputs[i].polarization == both[0]) {
            d_inputs.push_back(i);
        }
    }
    if (d_inputs.empty()) {
        refuse("polarization", p, "the observation has no such input");
    }
}

void dump_axes::keep(std::size_t i, std::size_t j, std::vector<term> of)
{
    baselines.push_back({i, j});
    d_terms.push_back(std::move(of));
}

// The product of two polarizations, or the Stokes parameter, of antennas a <= b.
void dump_axes::add_pair(std::size_t a, std::size_t b)
{
    const std::string& p = selection.polarization;
    const std::size_t n = d_observation.inputs.size();
    for (const std::string family : {"XY", "RL"}) {
        if (p.size() == 2 && p.find_first_not_of(family) != std::string::npos) {
            continue;
        }
        std::array<std::size_t, 4> in{};
        for (std::size_t k = 0; k < 4; ++k) {
            in[k] = input_of(d_observation, k < 2 ? a : b, family[k % 2]);
        }
        if (std::find(in.begin(), in.end(), none) != in.end()) {
            continue;
        }
        const std::array<term, 4> pq{product_of(in[0], in[2], n),
                                     product_of(in[0], in[3], n),
                                     product_of(in[1], in[2], n),
                                     product_of(in[1], in[3], n)};
        if (p.size() == 2) {
            keep(a, b, {pq[p[0] == family[0] ? 1 : 2]});
        } else {
            keep(a, b, stokes_terms(p[0], family == "RL", pq));
        }
        return;
    }
}

void dump_axes::select_products()
{
    const std::string& which = selection.products;
    if (which != "all" && which != "autos" && which != "crosses") {
        refuse("products", which, "must be all, autos or crosses");
    }
    const auto wanted = [&](std::size_t a, std::size_t b) {
        return which == "all" || (which == "autos") == (a == b);
    };
    const std::size_t n = d_observation.inputs.size();
    if (of_pairs()) {
        for (std::size_t a = 0; a < d_observation.antennas.size(); ++a) {
            for (std::size_t b = a; b < d_observation.antennas.size(); ++b) {
                if (wanted(a, b)) {
                    add_pair(a, b);
                }
            }
        }
    } else {
        for (std::size_t k = 0; k < d_inputs.size(); ++k) {
            for (std::size_t l = k; l < d_inputs.size(); ++l) {
                const std::size_t i = d_inputs[k], j = d_inputs[l];
                if (wanted(d_observation.inputs[i].antenna,
                           d_observation.inputs[j].antenna)) {
                    keep(i, j, {product_of(i, j, n)});
                }
            }
        }
    }
    if (baselines.empty()) {
        refuse("products, polarization",
               which + ", " + selection.polarization,
               "no product of the observation's inputs is left");
    }
}

} // namespace gr::fringe
