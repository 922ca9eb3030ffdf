/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_COMPARE_PEELING_H
#define INCLUDED_FRINGE_TESTS_COMPARE_PEELING_H

#include "fast_kernels.h"
#include "kernels/peeling/peeling.h"

// Sources taken out of dumps: sums, levels, outliers, and what is left.
namespace kernel_cases {

class peeling_on_device : public peeling
{
public:
    explicit peeling_on_device(const peeling_params& p)
        : d_products(baselines(p.inputs)), d_kernel(make_peeling(tested().which, p))
    {
    }
    void begin(const peeling_sky& sky) override { d_kernel->begin(sky); }
    void take(std::size_t first,
              std::size_t count,
              const std::complex<float>* visibilities,
              const float* weights) override
    {
        const on_device v(visibilities, count * d_products * 8),
            w(weights, count * d_products * 4);
        d_kernel->take(first, count, v.get<std::complex<float>>(), w.get<float>());
    }
    peeling_sums sums(std::size_t hand,
                      std::size_t group,
                      const std::vector<std::complex<float>>& gains,
                      float clip) override
    {
        return d_kernel->sums(hand, group, gains, clip);
    }
    void set_gains(const std::vector<std::complex<float>>& gains) override
    {
        d_kernel->set_gains(gains);
    }
    void subtract(std::size_t first,
                  std::size_t count,
                  std::complex<float>* visibilities,
                  float* weights) override
    {
        const on_device v(visibilities, count * d_products * 8),
            w(weights, count * d_products * 4);
        d_kernel->subtract(first, count, v.get<std::complex<float>>(), w.get<float>());
        v.back(visibilities);
        w.back(weights);
    }

private:
    const std::size_t d_products;
    const std::unique_ptr<peeling> d_kernel;
};

inline std::unique_ptr<peeling> make_fast_peeling(const peeling_params& p)
{
    if (tested().which.kind != backend::cuda) {
        return make_peeling(tested().which, p);
    }
    return std::make_unique<peeling_on_device>(p);
}

inline std::complex<float> random_complex(double size)
{
    const auto c = random_components(component::f32, 2);
    float parts[2];
    std::memcpy(parts, c.data(), sizeof(parts));
    return {float(size) * parts[0], float(size) * parts[1]};
}

inline std::complex<float> random_turn()
{
    const double phase = 2 * M_PI * double(random_below(1 << 20)) / (1 << 20);
    return {float(std::cos(phase)), float(std::sin(phase))};
}

//! Antennas of one or two polarizations, and groups of channels.
inline peeling_params peeling_of(std::size_t antennas,
                                 std::size_t hands,
                                 std::size_t channels,
                                 std::size_t sources)
{
    peeling_params p;
    p.antennas = antennas;
    p.inputs = antennas * hands;
    p.channels = channels;
    p.sources = sources;
    p.hands.resize(hands);
    for (std::uint32_t i = 0; i < p.inputs; i++) {
        for (std::uint32_t j = i + 1; j < p.inputs; j++) {
            if (i % hands == j % hands && random_below(20) > 0) { // some are left out
                p.hands[i % hands].push_back(
                    {static_cast<std::uint32_t>(baseline_index(i, j, p.inputs)),
                     static_cast<std::uint32_t>(i / hands),
                     static_cast<std::uint32_t>(j / hands)});
            }
        }
    }
    for (std::size_t first = 0; first < channels;) {
        const std::size_t count = 1 + random_below(channels - first);
        p.groups.push_back({first, count});
        first += count;
    }
    for (std::size_t c = 0; c < channels; c++) {
        p.frequencies.push_back(150e6 + 30e3 * double(c));
    }
    return p;
}

//! A dump of sources, with noise and interference; some cells are lost, some not numbers.
struct peeling_dump {
    peeling_sky sky;
    std::vector<std::complex<float>> gains, visibilities; // gains: as subtract() has them
    std::vector<float> weights;

    explicit peeling_dump(const peeling_params& p)
    {
        for (std::size_t n = 0; n < p.sources * p.channels * p.antennas; n++) {
            sky.turns.push_back(random_below(50) ? random_turn() : 0);
        }
        for (const auto& rows : p.hands) {
            for (std::size_t n = 0; n < rows.size(); n++) {
                sky.lengths.push_back(float(1 + random_below(1000)));
            }
            for (std::size_t g = 0; g < p.groups.size(); g++) {
                sky.tapers.push_back(random_below(2) ? 3e8f * float(1 + random_below(50))
                                                     : 0);
            }
        }
        if (random_below(3)) {
            sky.left_out.resize(p.channels);
            sky.left_out[random_below(p.channels)] = 1;
        }
        for (std::size_t n = 0;
             n < p.groups.size() * p.hands.size() * p.sources * p.antennas;
             n++) {
            gains.push_back(random_turn() * (0.8f + 0.1f * float(random_below(5))));
        }
        for (std::size_t n = 0; n < p.channels * baselines(p.inputs); n++) {
            visibilities.push_back(random_complex(random_below(40) ? 1 : 300));
            weights.push_back(random_below(9) ? float(1 + random_below(100)) / 100 : 0);
        }
        for (int n = 0; n < 5; n++) {
            visibilities[random_below(visibilities.size())] = {std::nanf(""), 1};
        }
    }
};

//! Largest difference of two arrays, of the largest of all sums.
template <class T>
double difference(const std::vector<T>& x, const std::vector<T>& y)
{
    BOOST_REQUIRE(x.size() == y.size());
    double worst = 0, largest = 1e-30;
    for (std::size_t n = 0; n < x.size(); n++) {
        const auto error = double(std::abs(x[n] - y[n]));
        worst = error <= worst ? worst : error; // not a number is the worst
        largest = std::max(largest, double(std::abs(x[n])));
    }
    return worst / largest;
}

inline void compare_peeling_sums(peeling& reference,
                                 peeling& fast,
                                 const peeling_params& p,
                                 const peeling_dump& dump,
                                 double tolerance)
{
    const std::size_t values = p.sources * p.antennas;
    for (std::size_t g = 0; g < p.groups.size(); g++) {
        for (std::size_t hand = 0; hand < p.hands.size(); hand++) {
            for (const bool none : {true, false}) {
                const auto* from = &dump.gains[(g * p.hands.size() + hand) * values];
                std::vector<std::complex<float>> gains(from, from + values);
                if (none) {
                    gains.assign(values, 0);
                }
                const float clip = none ? 6 : 5;
                const auto x = reference.sums(hand, g, gains, clip);
                const auto y = fast.sums(hand, g, gains, clip);
                BOOST_TEST(difference(x.data, y.data) <= tolerance);
                BOOST_TEST(difference(x.models, y.models) <= tolerance);
                BOOST_TEST(difference(x.weights, y.weights) <= tolerance);
                BOOST_TEST(difference(x.all_weights, y.all_weights) <= tolerance);
                // Both find the taper's argument by the same roundings; expm1 and the product with
                // the weight are 3 units of the last place, 2^-23, apart at most: 4e-7.
                BOOST_TEST(std::abs(x.heaviest - y.heaviest) <= 1e-6f * x.heaviest);
                // A cell between two bins of levels may fall in either of them.
                BOOST_TEST(std::abs(x.level - y.level) <= 0.02f * x.level);
                BOOST_TEST(x.cells == y.cells);
                BOOST_TEST(x.outliers == y.outliers);
            }
        }
    }
}

inline void compare_peeling_rests(peeling& reference,
                                  peeling& fast,
                                  const peeling_params& p,
                                  double tolerance)
{
    const std::size_t products = baselines(p.inputs);
    for (std::size_t first = 0; first < p.channels;) {
        const std::size_t count = 1 + random_below(p.channels - first);
        const std::size_t size = count * products;
        std::vector<std::complex<float>> x(size), y(size + 1);
        std::vector<float> v(size), w(size + 1);
        std::memset(static_cast<void*>(y.data()), poison, y.size() * sizeof(y[0]));
        std::memset(w.data(), poison, w.size() * sizeof(w[0]));
        const bool weighted = random_below(3) > 0;
        reference.subtract(first, count, x.data(), weighted ? v.data() : nullptr);
        fast.subtract(first, count, y.data(), weighted ? w.data() : nullptr);
        BOOST_TEST(std::isnan(y[size].real()));
        BOOST_TEST(std::isnan(w[size]));
        y.pop_back();
        w.pop_back();
        if (weighted) {
            BOOST_TEST((v == w));
        }
        for (std::size_t n = 0; n < size; n++) { // not a number where it was none
            BOOST_REQUIRE(std::isnan(x[n].real()) == std::isnan(y[n].real()));
            x[n] = std::isnan(x[n].real()) ? 0 : x[n];
            y[n] = std::isnan(y[n].real()) ? 0 : y[n];
        }
        BOOST_TEST(difference(x, y) <= tolerance);
        first += count;
    }
}

inline void compare_peeling(const peeling_params& p, double tolerance)
{
    const auto reference = make_peeling(backend::generic, p);
    const auto fast = make_fast_peeling(p);
    const std::size_t products = baselines(p.inputs);
    for (int n = 0; n < 2; n++) {
        const peeling_dump dump(p);
        const bool weighted = random_below(3) > 0;
        reference->begin(dump.sky);
        fast->begin(dump.sky);
        for (std::size_t first = 0; first < p.channels;) {
            const std::size_t count = 1 + random_below(p.channels - first);
            const auto* v = &dump.visibilities[first * products];
            const auto* w = weighted ? &dump.weights[first * products] : nullptr;
            reference->take(first, count, v, w);
            fast->take(first, count, v, w);
            first += count;
        }
        compare_peeling_sums(*reference, *fast, p, dump, tolerance);
        reference->set_gains(dump.gains);
        fast->set_gains(dump.gains);
        compare_peeling_rests(*reference, *fast, p, tolerance);
    }
}

inline void peelings(double tolerance)
{
    for (const std::size_t antennas : {1, 2, 3, 17, 64}) {
        for (const std::size_t hands : {1, 2}) {
            for (const std::size_t channels : {1, 7, 40}) {
                const std::size_t sources = 1 + random_below(peeling_params::max_sources);
                BOOST_TEST_CONTEXT("antennas " << antennas << " hands " << hands
                                               << " channels " << channels << " sources "
                                               << sources)
                {
                    compare_peeling(peeling_of(antennas, hands, channels, sources),
                                    tolerance);
                }
            }
        }
    }
}

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_COMPARE_PEELING_H */
