/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_RFI_CASES_H
#define INCLUDED_FRINGE_TESTS_RFI_CASES_H

#include "kernels/base/types.h"
#include "kernels/flagging/rfi_detector.h"
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
                                         : draw(noise) * std::sqrt(0.5f);
                    }
                }
            }
        }
    }

    //! Arguments of one call would be drawn in any order.
    value draw(std::normal_distribution<float>& normal)
    {
        const float re = normal(random);
        return value(re, normal(random));
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
    //! Each channel keeps a part of its samples, low to high, so that it is noisier.
    void weigh_channels(float low, float high)
    {
        std::uniform_real_distribution<float> log_weight(std::log(low), std::log(high));
        std::normal_distribution<float> more(0, 0.01f);
        for (std::size_t c = 0; c < channels; ++c) {
            const float weight = std::exp(log_weight(random));
            const float rest = std::sqrt(1 / weight - 1);
            for (std::size_t t = 0; t < v.size(); ++t) {
                for (std::size_t i = 0, b = 0; i < inputs; ++i) {
                    for (std::size_t j = i; j < inputs; ++j, ++b) {
                        w[t][c * baselines + b] = weight;
                        at(t, c, b) += i == j ? value(rest * more(random), 0)
                                              : draw(more) * rest * std::sqrt(0.5f);
                    }
                }
            }
        }
    }
    //! A steady source of a number of standard deviations of a visibility.
    void add_source(double deviations)
    {
        std::uniform_real_distribution<float> turn(0, 6.2831853f);
        for (std::size_t i = 0, b = 0; i < inputs; ++i) {
            for (std::size_t j = i; j < inputs; ++j, ++b) {
                const auto sky =
                    std::polar(static_cast<float>(0.01 * deviations), turn(random));
                for (std::size_t t = 0; t < v.size() && i != j; ++t) {
                    for (std::size_t c = 0; c < channels; ++c) {
                        at(t, c, b) += sky;
                    }
                }
            }
        }
    }
    /*!
     * Instead of all that: means of `samples` samples of inputs with a noise of 1 each and one
     * source of this power, with all that the samples have in common. The sample covariance of
     * L x, x independent, is L A A^H L^H / samples with A lower triangular: its diagonal the
     * roots of gamma variables, the rest normal (Bartlett 1933).
     */
    void hear(double power, std::size_t samples)
    {
        using complex = std::complex<double>;
        std::normal_distribution<double> normal(0, std::sqrt(0.5));
        // L of 1 + power everywhere on the diagonal, and power elsewhere.
        std::vector<double> l(inputs * inputs, 0);
        for (std::size_t j = 0; j < inputs; ++j) {
            for (std::size_t i = j; i < inputs; ++i) {
                double x = power + (i == j ? 1 : 0);
                for (std::size_t k = 0; k < j; ++k) {
                    x -= l[i * inputs + k] * l[j * inputs + k];
                }
                l[i * inputs + j] = i == j ? std::sqrt(x) : x / l[j * inputs + j];
            }
        }
        std::vector<complex> a(inputs * inputs), x(inputs * inputs);
        for (std::size_t cell = 0; cell < v.size() * channels; ++cell) {
            for (std::size_t i = 0; i < inputs; ++i) {
                std::gamma_distribution<double> gamma(static_cast<double>(samples - i));
                a[i * inputs + i] = std::sqrt(gamma(random));
                for (std::size_t j = 0; j < i; ++j) {
                    const double re = normal(random);
                    a[i * inputs + j] = complex(re, normal(random));
                }
                for (std::size_t j = 0; j <= i; ++j) {
                    x[i * inputs + j] = 0;
                    for (std::size_t k = j; k <= i; ++k) {
                        x[i * inputs + j] += l[i * inputs + k] * a[k * inputs + j];
                    }
                }
            }
            for (std::size_t i = 0, b = 0; i < inputs; ++i) {
                for (std::size_t j = i; j < inputs; ++j, ++b) {
                    complex sum = 0;
                    for (std::size_t k = 0; k <= i; ++k) {
                        sum += x[i * inputs + k] * std::conj(x[j * inputs + k]);
                    }
                    at(cell / channels, cell % channels, b) =
                        value(sum / static_cast<double>(samples));
                }
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
