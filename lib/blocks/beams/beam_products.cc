/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/beams/beam_products.h"
#include "kernels/base/require.h"
#include "kernels/beamformer/backends.h"
#include <cmath>

namespace gr::fringe {

namespace {

const std::string me = "beamformer";

struct named_product {
    const char* word;
    beam_product product;
};

const named_product products[] = {
    {"voltages", beam_product::voltages},
    {"power", beam_product::power},
    {"incoherent", beam_product::incoherent},
    {"cross", beam_product::cross},
    {"stokes", beam_product::stokes},
};

} // namespace

beam_product beam_product_of(const std::string& word)
{
    std::string words;
    for (const auto& p : products) {
        if (word == p.word) {
            return p.product;
        }
        words += (words.empty() ? "" : ", ") + std::string(p.word);
    }
    throw std::invalid_argument(me + ": products: \"" + word +
                                "\" is not known; it must be one of: " + words);
}

beam_means::beam_means(beam_product product,
                       const std::string& polarizations,
                       std::size_t beams,
                       std::size_t channels,
                       std::size_t average)
    : d_product(product),
      d_circular(polarizations == "RL"),
      d_beams(beams),
      d_channels(channels),
      d_average(average)
{
    kernels::beamformer_params p;
    p.beams = beams;
    p.channels = channels;
    kernels::check_beam_average(p, average);
    require(me,
            product != beam_product::stokes || polarizations == "XY" || d_circular,
            "products: stokes: needs inputs of X and Y, or of R and L; the observation "
            "has " +
                polarizations);
    ask(p);
    d_rows.resize(p.rows() * this->channels());
}

void beam_means::ask(kernels::beamformer_params& p) const
{
    p.pairs = d_product == beam_product::stokes;
    p.incoherent =
        d_product == beam_product::incoherent || d_product == beam_product::cross;
}

std::size_t beam_means::values() const
{
    return (d_product == beam_product::stokes ? 2 : 1) * weights();
}

void beam_means::write(const kernels::beamformer& sums,
                       const beam_losses& of,
                       float* means,
                       float* weights)
{
    sums.read(d_average, d_rows.data());
    const double spectra =
        static_cast<double>(of.spectra()) * static_cast<double>(d_average);
    std::vector<double> scales(d_beams * channels());
    for (std::size_t n = 0; n < scales.size(); ++n) {
        const std::size_t beam = n / channels(), first = n % channels() * d_average;
        const double there = of.there(beam, first, d_average);
        scales[n] = there > 0 ? of.expected(beam, first, d_average) / there / spectra : 0;
        if (weights) {
            weights[n] = static_cast<float>(spectra > 0 ? there / spectra : 0);
        }
    }
    if (d_product == beam_product::stokes) {
        write_stokes(scales, means);
        return;
    }
    for (std::size_t n = 0; n < scales.size(); ++n) {
        const auto power = static_cast<double>(d_rows[n]);
        const auto alone = d_product == beam_product::power
                               ? 0
                               : static_cast<double>(d_rows[scales.size() + n]);
        means[n] = static_cast<float>(
            scales[n] * (d_product == beam_product::incoherent ? alone : power - alone));
    }
}

// Of beams in pairs. The kernel gives the powers of all, and Re and Im of the products.
void beam_means::write_stokes(const std::vector<double>& scales, float* means) const
{
    const std::size_t n = channels();
    for (std::size_t b = 0; b < d_beams; b += 2) {
        float* const out = means + 2 * b * n;
        for (std::size_t c = 0; c < n; ++c) {
            const double of_a = scales[b * n + c], of_b = scales[(b + 1) * n + c];
            const double aa = of_a * static_cast<double>(row(b)[c]);
            const double bb = of_b * static_cast<double>(row(b + 1)[c]);
            const double both = std::sqrt(of_a * of_b);
            const double re = both * static_cast<double>(row(d_beams + b)[c]);
            const double im = both * static_cast<double>(row(d_beams + b + 1)[c]);
            const double half = (aa - bb) / 2;
            out[c] = static_cast<float>((aa + bb) / 2);
            out[n + c] = static_cast<float>(d_circular ? re : half);
            out[2 * n + c] = static_cast<float>(d_circular ? im : re);
            out[3 * n + c] = static_cast<float>(d_circular ? half : im);
        }
    }
}

} // namespace gr::fringe
