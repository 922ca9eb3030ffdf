/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The beamformer against the X-engine of the same spectra, and against plain sums.
#include "beam_cases.h"
#include "kernels/xengine/xengine.h"
#include <gnuradio/fringe/threads.h>

using namespace gr::fringe::kernels;
using namespace kernel_cases;

namespace {

const backend backends[] = {backend::generic, backend::cpu};

beamformer_params some_params(component in)
{
    beamformer_params p;
    p.inputs = 9;
    p.channels = 6;
    p.block_spectra = 211;
    p.beams = 4;
    p.in = in;
    p.pairs = p.incoherent = true;
    return p;
}

using complexes = std::vector<std::complex<double>>;

//! sum_ij w_i V_ij conj(v_j) of an X-engine's sums [baseline], only the autocorrelations where
//! `autos`.
std::complex<double> expected_product(const std::complex<float>* w,
                                      const std::complex<float>* v,
                                      const complexes& sums,
                                      std::size_t inputs,
                                      bool autos = false)
{
    std::complex<double> all;
    for (std::size_t i = 0; i < inputs; i++) {
        for (std::size_t j = 0; j < inputs; j++) {
            const auto s = i <= j ? sums[baseline_index(i, j, inputs)]
                                  : std::conj(sums[baseline_index(j, i, inputs)]);
            if (!autos || i == j) {
                all += std::complex<double>(w[i]) * s *
                       std::conj(std::complex<double>(v[j]));
            }
        }
    }
    return all;
}

complexes sums_of(const beamformer_params& p, const bytes& in)
{
    xengine_params x{p.inputs, p.channels, p.block_spectra, p.in};
    const auto engine = make_xengine(backend::generic, x);
    engine->accumulate(in.data(), 0, p.block_spectra);
    const std::size_t count = p.channels * baselines(p.inputs);
    bytes out(8 * count);
    engine->read(0, p.channels, out.data());
    complexes sums(count);
    for (std::size_t n = 0; n < count; n++) {
        if (p.in == component::i8) {
            std::int32_t v[2];
            std::memcpy(v, &out[8 * n], 8);
            sums[n] = {double(v[0]), double(v[1])};
        } else {
            sums[n] = {component_at(out, component::f32, 2 * n),
                       component_at(out, component::f32, 2 * n + 1)};
        }
    }
    return sums;
}

} // namespace

BOOST_AUTO_TEST_CASE(power_of_a_beam_is_that_of_the_visibilities)
{
    for (const auto in : {component::f32, component::i8}) {
        const auto p = some_params(in);
        const auto spectra = random_spectra(p, 0, p.block_spectra);
        const auto weights = random_weights(p);
        const auto sums = sums_of(p, spectra);
        for (const auto which : backends) {
            const auto former = make_beamformer(which, p);
            former->set_weights(weights.data());
            former->add(spectra.data(), 0, 100);
            former->add(spectra.data(), 100, p.block_spectra - 100);
            std::vector<float> out(p.rows() * p.channels);
            former->read(1, out.data());
            double worst = 0;
            for (std::size_t c = 0; c < p.channels; c++) {
                const auto first = sums.begin() + long(c * baselines(p.inputs));
                const complexes v(first, first + long(baselines(p.inputs)));
                const auto row = [&](std::size_t r) {
                    return double(out[r * p.channels + c]);
                };
                for (std::size_t b = 0; b < p.beams; b++) {
                    const auto* w = &weights[(b * p.channels + c) * p.inputs];
                    const auto power = expected_product(w, w, v, p.inputs);
                    const auto alone = expected_product(w, w, v, p.inputs, true);
                    const double of = alone.real();
                    worst = std::max({worst,
                                      std::abs(power.imag()) / of,
                                      std::abs(row(b) - power.real()) / of,
                                      std::abs(row(2 * p.beams + b) - of) / of});
                    if (b % 2 == 0) {
                        const auto q =
                            expected_product(w, w + p.channels * p.inputs, v, p.inputs);
                        const std::complex<double> got(row(p.beams + b),
                                                       row(p.beams + b + 1));
                        worst = std::max(worst, std::abs(got - q) / of);
                    }
                }
            }
            BOOST_TEST(worst < 1e-5);
        }
    }
}

// Incoherent sums with weights that change: each spectrum counts with its own.
BOOST_AUTO_TEST_CASE(weights_change_between_spectra)
{
    const auto p = some_params(component::f32);
    const auto spectra = random_spectra(p, 0, p.block_spectra);
    const auto before = random_weights(p), after = random_weights(p);
    for (const auto which : backends) {
        const auto both = make_beamformer(which, p), apart = make_beamformer(which, p);
        std::vector<float> sum(p.rows() * p.channels), part(sum.size()), got(sum.size());
        both->set_weights(before.data());
        both->add(spectra.data(), 0, 77);
        both->set_weights(after.data());
        both->add(spectra.data(), 77, 100);
        both->read(1, got.data());
        for (const auto* w : {&before, &after}) {
            apart->set_weights(w->data());
            apart->clear();
            apart->add(spectra.data(), w == &before ? 0 : 77, w == &before ? 77 : 100);
            apart->read(1, part.data());
            for (std::size_t n = 0; n < sum.size(); n++) {
                sum[n] += part[n];
            }
        }
        double worst = 0;
        for (std::size_t n = 0; n < sum.size(); n++) {
            worst = std::max(worst, double(std::abs(got[n] - sum[n])));
        }
        BOOST_TEST(worst < 1e-2); // of some 9 * 2 * 177
    }
}

BOOST_AUTO_TEST_CASE(the_same_bits_for_any_number_of_threads)
{
    auto p = some_params(component::f32);
    p.channels = 40;
    p.beams = 10;
    const auto spectra = random_spectra(p, 0, p.block_spectra);
    const auto weights = random_weights(p);
    std::vector<float> first_sums, first_beams;
    for (const int threads : {1, 2, 3, 7}) {
        gr::fringe::set_threads(threads);
        const auto former = make_beamformer(backend::cpu, p);
        former->set_weights(weights.data());
        std::vector<float> sums(p.rows() * p.channels);
        std::vector<float> beams(2 * p.channels * p.beams * p.block_spectra);
        former->form(spectra.data(), 0, p.block_spectra, beams.data());
        former->add(spectra.data(), 0, p.block_spectra);
        former->read(1, sums.data());
        if (first_sums.empty()) {
            first_sums = sums;
            first_beams = beams;
        }
        BOOST_TEST((sums == first_sums));
        BOOST_TEST((beams == first_beams));
    }
}

// What no beam reads may be anything, even no number.
BOOST_AUTO_TEST_CASE(inputs_without_weight_are_not_read)
{
    auto p = some_params(component::f32);
    auto spectra = random_spectra(p, 0, p.block_spectra);
    auto weights = random_weights(p);
    for (std::size_t n = 4; n < weights.size(); n += p.inputs) {
        weights[n] = 0;
    }
    const std::size_t row = 8 * p.block_spectra;
    for (std::size_t c = 0; c < p.channels; c++) {
        std::memset(&spectra[(c * p.inputs + 4) * row], poison, row);
    }
    for (const auto which : backends) {
        const auto former = make_beamformer(which, p);
        former->set_weights(weights.data());
        former->add(spectra.data(), 0, p.block_spectra);
        std::vector<float> sums(p.rows() * p.channels);
        former->read(1, sums.data());
        BOOST_TEST(std::all_of(
            sums.begin(), sums.end(), [](float x) { return std::isfinite(x); }));
    }
}

BOOST_AUTO_TEST_CASE(wrong_parameters)
{
    const auto refused = [](auto change) {
        auto p = some_params(component::f32);
        change(p);
        BOOST_CHECK_THROW(make_beamformer(backend::cpu, p), std::invalid_argument);
    };
    refused([](auto& p) { p.inputs = 0; });
    refused([](auto& p) { p.channels = 0; });
    refused([](auto& p) { p.block_spectra = 0; });
    refused([](auto& p) { p.beams = 0; });
    refused([](auto& p) { p.beams = 3; });
    refused([](auto& p) { p.in = component::i16; });
    refused([](auto& p) { p.layout = spectra_layout::tensor_tiles; });
    refused([](auto& p) { p.layout = spectra_layout::time_major; });
    const auto former = make_beamformer(backend::cpu, some_params(component::f32));
    std::vector<float> out(1000);
    BOOST_CHECK_THROW(former->add(out.data(), 200, 12), std::invalid_argument);
    BOOST_CHECK_THROW(former->read(4, out.data()), std::invalid_argument);
}
