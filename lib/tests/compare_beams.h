/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_COMPARE_BEAMS_H
#define INCLUDED_FRINGE_TESTS_COMPARE_BEAMS_H

#include "beam_cases.h"
#include "fast_kernels.h"
#include <gnuradio/fringe/threads.h>

// Beamformers, generic against fast ones, over several calls.
namespace kernel_cases {

//! The largest difference of some values, of `scale`.
inline double
worst_of(const std::vector<float>& expected, const std::vector<float>& got, double scale)
{
    double worst = 0;
    for (std::size_t n = 0; n < expected.size(); n++) {
        const auto error = static_cast<double>(std::abs(expected[n] - got[n])) / scale;
        worst = error <= worst ? worst : error; // not a number: the worst
    }
    return worst;
}

//! All means that the sums give, with random scales, and the weights that are passed on.
inline void compare_means(const beamformer_params& p,
                          std::size_t average,
                          beamformer& reference,
                          beamformer& fast,
                          double scale,
                          double tolerance)
{
    const std::size_t cells = p.beams * p.channels / average;
    std::vector<float> scales(cells);
    for (float& s : scales) {
        s = static_cast<float>(random_below(1000)) / 1000;
    }
    std::vector<beam_mean> all{beam_mean::power};
    if (p.incoherent) {
        all.insert(all.end(), {beam_mean::incoherent, beam_mean::cross});
    }
    if (p.pairs && !p.incoherent) {
        all.insert(all.end(), {beam_mean::stokes_linear, beam_mean::stokes_circular});
    }
    for (const beam_mean what : all) {
        if (p.pairs && p.incoherent && what != beam_mean::power) {
            continue; // no product needs both
        }
        std::vector<float> a(is_stokes(what) ? 2 * cells : cells), b(a), w(cells);
        reference.mean(what, average, scales.data(), nullptr, a.data(), nullptr);
        fast.mean(what, average, scales.data(), scales.data(), b.data(), w.data());
        BOOST_TEST(worst_of(a, b, scale) <= tolerance);
        BOOST_TEST((w == scales));
    }
}

inline void compare_beamformer(const beamformer_params& p, double tolerance)
{
    if (is_of_another_part()) {
        return;
    }
    const auto reference = make_beamformer(backend::generic, p);
    gr::fringe::set_threads(pick({1, 2, 5}));
    const auto fast = make_fast_beamformer(p);
    const double rms = rms_of(p.in) * std::sqrt(2.0 * static_cast<double>(p.inputs));
    const std::size_t values = 2 * p.channels * p.beams * p.block_spectra;
    for (int call = 0; call < 4; call++) {
        const auto weights = random_weights(p);
        if (call == 3) { // the same inputs, turned
            const auto towards = random_steering(p, weights);
            reference->set_weights(towards.weights().data());
            fast->set_weights(weights.data());
            fast->steer(towards);
        } else if (call != 2) {
            reference->set_weights(weights.data());
            fast->set_weights(weights.data());
        }
        const std::size_t first = random_below(p.block_spectra);
        const std::size_t count = random_below(p.block_spectra - first + 1);
        const auto in = random_spectra(p, first, count);
        std::vector<float> expected(values + 16), got(values + 16);
        std::memset(expected.data(), poison, expected.size() * sizeof(float));
        got = expected;
        reference->form(in.data(), first, count, expected.data());
        fast->form(in.data(), first, count, got.data());
        take_out_poison(p, first, count, expected, got);
        BOOST_TEST(worst_of(expected, got, rms) <= tolerance);

        reference->add(in.data(), first, count);
        fast->add(in.data(), first, count);
        const std::size_t average = p.channels % 3 == 0 ? pick({1, 3}) : 1;
        const std::size_t sums = p.rows() * p.channels / average;
        std::vector<float> a(sums), b(sums + 1);
        std::memset(b.data(), poison, b.size() * sizeof(float));
        reference->read(average, a.data());
        fast->read(average, b.data());
        BOOST_TEST(std::isnan(b.back()));
        b.pop_back();
        const auto spectra = static_cast<double>(4 * p.block_spectra * average);
        BOOST_TEST(worst_of(a, b, rms * rms * spectra) <= tolerance);
        compare_means(p, average, *reference, *fast, rms * rms * spectra, tolerance);
        if (call == 2) {
            reference->clear();
            fast->clear();
        }
    }
}

//! The library of devices may know no beamformer.
inline bool device_forms_beams()
{
    try {
        make_fast_beamformer({});
        return true;
    } catch (const device_error& e) {
        BOOST_TEST_MESSAGE("skipped: beams: " << e.what());
        return false;
    }
}

inline void any_beamformer(beamformer_params p, double tolerance)
{
    p.pairs = p.beams % 2 == 0 && random_below(3) > 0;
    p.incoherent = random_below(2) > 0;
    BOOST_TEST_CONTEXT("inputs " << p.inputs << " beams " << p.beams << " block_spectra "
                                 << p.block_spectra << " pairs " << p.pairs)
    {
        compare_beamformer(p, tolerance);
    }
}

inline void beamformers(component in, bool half_precision, double tolerance)
{
    if (!device_forms_beams()) {
        return;
    }
    beamformer_params p;
    p.in = in;
    p.half_precision = half_precision;
    std::size_t row = 0;
    for (const std::size_t inputs : {1, 2, 3, 7, 32, 65}) {
        ++row;
        std::size_t column = 0;
        for (const std::size_t beams : {1, 2, 3, 6, 13}) {
            ++column;
            if (is_left_out(row, column)) {
                continue;
            }
            p.inputs = inputs;
            p.beams = beams;
            p.channels = pick({1, 5, 9});
            p.block_spectra = pick({1, 3, 8, 129, 700});
            any_beamformer(p, tolerance);
        }
    }
    p.inputs = 137; // several blocks of beams, and stages of inputs
    p.beams = 134;
    p.channels = 1;
    p.block_spectra = pick({257, 401});
    any_beamformer(p, tolerance);
}

inline void beamformer_f32(double tolerance)
{
    beamformers(component::f32, false, tolerance);
}
inline void beamformer_i8(double tolerance)
{
    beamformers(component::i8, false, tolerance);
}
inline void half_beamformer_i8(double tolerance)
{
    beamformers(component::i8, true, tolerance);
}

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_COMPARE_BEAMS_H */
