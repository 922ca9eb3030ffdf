/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "blocks/beams/beam_products.h"
#include "kernels/base/require.h"
#include "kernels/base/workers.h"
#include "kernels/beamformer/backends.h"
#include <algorithm>

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

kernels::beam_mean beam_means::what() const
{
    switch (d_product) {
    case beam_product::incoherent:
        return kernels::beam_mean::incoherent;
    case beam_product::cross:
        return kernels::beam_mean::cross;
    case beam_product::stokes:
        return d_circular ? kernels::beam_mean::stokes_circular
                          : kernels::beam_mean::stokes_linear;
    default:
        return kernels::beam_mean::power;
    }
}

void beam_means::write(kernels::beamformer& sums,
                       const beam_losses& of,
                       float* means,
                       float* weights)
{
    const double spectra =
        static_cast<double>(of.spectra()) * static_cast<double>(d_average);
    d_scales.resize(this->weights());
    d_weights.resize(d_scales.size());
    const auto by = kernels::workers::shared();
    const auto write_beam = [&](std::size_t beam) {
        for (std::size_t k = 0; k < channels(); ++k) {
            const double there = of.there(beam, k * d_average, d_average);
            const double scale =
                there > 0 ? of.expected(beam, k * d_average, d_average) / there / spectra
                          : 0;
            const std::size_t n = beam * channels() + k;
            d_scales[n] = static_cast<float>(scale);
            d_weights[n] = static_cast<float>(spectra > 0 ? there / spectra : 0);
        }
    };
    of.sum_up();
    by->run(d_beams, [&](std::size_t beam, unsigned) {
        if (of.like(beam) == beam) {
            write_beam(beam);
        }
    });
    by->run(d_beams, [&](std::size_t beam, unsigned) {
        const std::size_t from = of.like(beam) * channels(), to = beam * channels();
        if (from != to) {
            std::copy_n(&d_scales[from], channels(), &d_scales[to]);
            std::copy_n(&d_weights[from], channels(), &d_weights[to]);
        }
    });
    sums.mean(what(), d_average, d_scales.data(), d_weights.data(), means, weights);
}

} // namespace gr::fringe
