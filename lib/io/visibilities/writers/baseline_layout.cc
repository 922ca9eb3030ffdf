/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/writers/baseline_layout.h"
#include "kernels/base/types.h"
#include <algorithm>
#include <stdexcept>

namespace gr::fringe::io {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

// The codes that MeasurementSets use for correlations (casacore's Stokes types).
int correlation_code(char p, char q)
{
    const std::string linear = "XY", circular = "RL";
    const auto& family = linear.find(p) != std::string::npos ? linear : circular;
    const int first = &family == &linear ? 9 : 5;
    return first + 2 * static_cast<int>(family.find(p)) +
           static_cast<int>(family.find(q));
}

std::string polarizations_of(const observation& obs, const std::string& name)
{
    for (const std::string family : {"XY", "RL"}) {
        std::string used;
        for (const char p : family)
            if (std::any_of(obs.inputs.begin(), obs.inputs.end(), [&](const input& i) {
                    return i.polarization == p;
                }))
                used += p;
        if (std::all_of(obs.inputs.begin(), obs.inputs.end(), [&](const input& i) {
                return used.find(i.polarization) != std::string::npos;
            }))
            return used;
    }
    throw std::invalid_argument(name + ": the inputs' polarizations must be all of X, Y "
                                       "or all of R, L in a file of antenna pairs");
}

} // namespace

baseline_layout::baseline_layout(const observation& obs, const std::string& name)
    : polarizations(polarizations_of(obs, name))
{
    const std::size_t npol = polarizations.size();
    // [antenna][polarization]
    std::vector<std::size_t> input_of(obs.antennas.size() * npol, none);
    for (std::size_t i = 0; i < obs.inputs.size(); i++) {
        const auto& in = obs.inputs[i];
        if (in.antenna >= obs.antennas.size())
            throw std::invalid_argument(name + ": input " + std::to_string(i) +
                                        " is of antenna " + std::to_string(in.antenna) +
                                        ", of which there are " +
                                        std::to_string(obs.antennas.size()));
        auto& place = input_of[in.antenna * npol + polarizations.find(in.polarization)];
        if (place != none)
            throw std::invalid_argument(name + ": inputs " + std::to_string(place) +
                                        " and " + std::to_string(i) +
                                        " are both polarization " + in.polarization +
                                        " of antenna " + obs.antennas[in.antenna].name +
                                        "; a file of antenna pairs holds one of each");
        place = i;
    }

    for (const char p : polarizations)
        for (const char q : polarizations)
            correlations.push_back(correlation_code(p, q));

    std::vector<std::size_t> present;
    for (std::size_t a = 0; a < obs.antennas.size(); a++)
        for (std::size_t p = 0; p < npol; p++)
            if (input_of[a * npol + p] != none &&
                (present.empty() || present.back() != a))
                present.push_back(a);

    for (std::size_t m = 0; m < present.size(); m++)
        for (std::size_t n = m; n < present.size(); n++) {
            const std::size_t a = present[m], b = present[n];
            rows.push_back({static_cast<int>(a), static_cast<int>(b)});
            for (std::size_t p = 0; p < npol; p++)
                for (std::size_t q = 0; q < npol; q++) {
                    const std::size_t i = input_of[a * npol + p];
                    const std::size_t j = input_of[b * npol + q];
                    product c;
                    c.exists = i != none && j != none;
                    if (c.exists) {
                        c.conjugate = i > j;
                        c.bad = obs.inputs[i].bad || obs.inputs[j].bad;
                        c.index = kernels::baseline_index(
                            std::min(i, j), std::max(i, j), obs.inputs.size());
                    }
                    products.push_back(c);
                }
        }
}

} // namespace gr::fringe::io
