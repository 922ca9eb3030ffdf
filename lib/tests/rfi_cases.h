/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_RFI_CASES_H
#define INCLUDED_FRINGE_TESTS_RFI_CASES_H

#include "kernels/flagging/rfi_detector.h"
#include "kernels/types.h"
#include <gnuradio/fringe/flags.h>
#include <random>

//! A window of dumps of Gaussian noise, for tests of what is found in it.
struct rfi_case {
    using value = std::complex<float>;

    rfi_case(std::size_t inputs, std::size_t channels, std::size_t dumps, unsigned seed)
        : inputs(inputs),
          channels(channels),
          baselines(gr::fringe::kernels::baselines(inputs)),
          random(seed),
          v(dumps, std::vector<value>(baselines * channels)),
          w(dumps, std::vector<float>(baselines * channels, 1)),
          f(dumps, std::vector<std::uint8_t>(baselines * channels, 0))
    {
        // Powers of 10^4 samples: 1 +- 0.01; products 0 +- 0.01, half in each part.
        std::normal_distribution<float> noise(0, 0.01f);
        for (auto& dump : v) {
            for (std::size_t c = 0, k = 0; c < channels; ++c) {
                for (std::size_t i = 0; i < inputs; ++i) {
                    for (std::size_t j = i; j < inputs; ++j, ++k) {
                        dump[k] = i == j ? value(1 + noise(random), 0)
                                         : value(noise(random), noise(random)) *
                                               std::sqrt(0.5f);
                    }
                }
            }
        }
    }

    value& at(std::size_t dump, std::size_t c, std::size_t b)
    {
        return v[dump][c * baselines + b];
    }
    std::uint8_t& flags(std::size_t dump, std::size_t c, std::size_t b)
    {
        return f[dump][c * baselines + b];
    }
    //! Interference of this power (noise of one input: 1) that all inputs hear.
    void interfere(std::size_t dump, std::size_t c, float power)
    {
        std::uniform_real_distribution<float> turn(0, 6.2831853f);
        std::vector<float> phase(inputs);
        for (float& p : phase) {
            p = turn(random);
        }
        for (std::size_t i = 0, b = 0; i < inputs; ++i) {
            for (std::size_t j = i; j < inputs; ++j, ++b) {
                at(dump, c, b) += std::polar(power, phase[i] - phase[j]);
            }
        }
    }
    gr::fringe::kernels::rfi_params params() const
    {
        gr::fringe::kernels::rfi_params p;
        p.inputs = inputs;
        p.channels = channels;
        return p;
    }
    gr::fringe::kernels::rfi_window window()
    {
        gr::fringe::kernels::rfi_window win;
        for (std::size_t t = 0; t < v.size(); ++t) {
            win.visibilities.push_back(v[t].data());
            win.weights.push_back(w[t].data());
            win.flags.push_back(f[t].data());
            win.seconds.push_back(1);
        }
        return win;
    }
    //! The part of a channel's visibilities of one dump that has any of these causes.
    double part(std::size_t dump, std::size_t c, unsigned causes = 0xff)
    {
        double n = 0;
        for (std::size_t b = 0; b < baselines; ++b) {
            n += (flags(dump, c, b) & causes) != 0;
        }
        return n / static_cast<double>(baselines);
    }
    double part()
    {
        double n = 0;
        for (std::size_t t = 0; t < v.size(); ++t) {
            for (std::size_t c = 0; c < channels; ++c) {
                n += part(t, c);
            }
        }
        return n / static_cast<double>(v.size() * channels);
    }

    std::size_t inputs, channels, baselines;
    std::mt19937 random;
    std::vector<std::vector<value>> v;
    std::vector<std::vector<float>> w;
    std::vector<std::vector<std::uint8_t>> f;
};

#endif /* INCLUDED_FRINGE_TESTS_RFI_CASES_H */
