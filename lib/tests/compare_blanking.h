/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_COMPARE_BLANKING_H
#define INCLUDED_FRINGE_TESTS_COMPARE_BLANKING_H

#include "fast_kernels.h"
#include "kernels/blanking/blanking.h"

// Voltages that are held, searched and zeroed: generic against fast.
namespace kernel_cases {

using namespace gr::fringe::kernels;

//! A blanking under test; blocks of the host are copied where it is on a device.
class fast_blanking
{
public:
    explicit fast_blanking(const blanking_params& p)
        : d_bytes(p.inputs * p.block_samples * (p.complex_samples ? 2 : 1) *
                  component_bytes(p.in)),
          d_sample(component_bytes(p.in) * (p.complex_samples ? 2 : 1)),
          d_kernel(make_blanking(tested().which, p))
    {
    }
    blanking& kernel() { return *d_kernel; }
    void append(const void* block, std::size_t samples)
    {
        if (tested().which.kind != backend::cuda) {
            d_kernel->append(block, samples);
            return;
        }
        const on_device in(block, d_bytes, random_below(9) * d_sample);
        d_kernel->append(in.get(), samples);
        open_device(tested().which.index)->synchronize();
    }
    void take(void* block, std::size_t samples)
    {
        if (tested().which.kind != backend::cuda) {
            d_kernel->take(block, samples);
            return;
        }
        const on_device out(block, d_bytes, random_below(9) * d_sample);
        d_kernel->take(out.get(), samples);
        out.back(block);
    }

private:
    const std::size_t d_bytes, d_sample;
    const std::unique_ptr<blanking> d_kernel;
};

//! Limits that some samples exceed, and inputs that are in no sum.
inline blanking_limits random_limits(const blanking_params& p)
{
    const double power = rms_of(p.in) * rms_of(p.in) * (p.complex_samples ? 2 : 1);
    blanking_limits l;
    for (std::size_t i = 0; i < p.inputs; i++) {
        l.power.push_back(static_cast<float>(power * pick({0.5, 1.5, 2.5, 100.0})));
        l.scale.push_back(static_cast<float>(pick({0.0, 1 / power, 1.7 / power})));
    }
    l.sum = static_cast<float>(p.inputs) * pick({0.5f, 1.0f, 1.2f});
    return l;
}

inline std::vector<sample_run>
random_runs(std::size_t inputs, std::size_t held, std::size_t longest)
{
    std::vector<sample_run> runs;
    for (std::size_t k = random_below(2 * inputs); held > 0 && k > 0; k--) {
        const std::size_t at = random_below(held);
        runs.push_back(
            {static_cast<std::uint32_t>(random_below(inputs)),
             static_cast<std::uint32_t>(at),
             static_cast<std::uint32_t>(std::min(held - at, random_below(longest)))});
    }
    return runs;
}

//! The largest difference of levels, relative to them.
inline double difference(const std::vector<window_levels>& a,
                         const std::vector<window_levels>& b)
{
    double worst = a.size() == b.size() ? 0 : 1;
    const auto compare = [&](float x, float y) {
        const auto u = static_cast<double>(x), v = static_cast<double>(y);
        const double error = std::abs(u - v) / (1e-30 + std::abs(u));
        worst = error <= worst ? worst : error;
    };
    const auto compare_levels = [&](const cell_levels& x, const cell_levels& y) {
        worst = x.cells == y.cells ? worst : 1;
        compare(x.low, y.low);
        compare(x.median, y.median);
        compare(x.high, y.high);
    };
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); k++) {
        if (a[k].inputs.size() != b[k].inputs.size() ||
            a[k].runs.size() != b[k].runs.size()) {
            return 1;
        }
        for (std::size_t i = 0; i < a[k].inputs.size(); i++) {
            compare_levels(a[k].inputs[i], b[k].inputs[i]);
        }
        compare_levels(a[k].sum, b[k].sum);
        for (std::size_t j = 0; j < a[k].runs.size(); j++) {
            compare(a[k].runs[j], b[k].runs[j]);
        }
    }
    return worst;
}

inline bool same_samples(const std::vector<found_samples>& a,
                         const std::vector<found_samples>& b)
{
    return std::equal(a.begin(),
                      a.end(),
                      b.begin(),
                      b.end(),
                      [](const found_samples& x, const found_samples& y) {
                          return x.input == y.input && x.first == y.first &&
                                 x.bits == y.bits;
                      });
}

inline void compare_blanking(const blanking_params& p, double tolerance)
{
    if (is_of_another_part()) {
        return;
    }
    const auto reference = make_blanking(backend::generic, p);
    fast_blanking fast(p);
    const std::size_t parts = p.complex_samples ? 2 : 1;
    std::size_t held = 0;
    for (int call = 0; call < 12; call++) {
        const std::size_t more =
            random_below(std::min(p.block_samples, p.held_samples - held) + 1);
        const bytes block = random_components(p.in, p.inputs * p.block_samples * parts);
        reference->append(block.data(), more);
        fast.append(block.data(), more);
        held += more;

        const std::size_t first = random_below(held + 1);
        const std::size_t count = random_below(held - first + 1);
        const sample_windows windows{first, count, pick<std::size_t>({160, 700, 4000})};
        const auto lost = random_runs(p.inputs, held, call % 3 ? 40 : 1);
        BOOST_TEST(difference(reference->levels(windows, lost),
                              fast.kernel().levels(windows, lost)) <= tolerance);

        std::vector<blanking_limits> limits;
        for (std::size_t k = 0; k < windows.windows(); k++) {
            limits.push_back(random_limits(p));
        }
        BOOST_TEST(same_samples(reference->find(windows, limits),
                                fast.kernel().find(windows, limits)));

        const auto runs = random_runs(p.inputs, held, 40);
        reference->zero(runs);
        fast.kernel().zero(runs);

        const std::size_t out = random_below(std::min(held, p.block_samples) + 1);
        bytes x(block.size(), poison), y(block.size(), poison);
        reference->take(x.data(), out);
        fast.take(y.data(), out);
        BOOST_TEST((x == y));
        held -= out;
        if (call == 8) {
            reference->clear();
            fast.kernel().clear();
            held = 0;
        }
    }
    BOOST_CHECK_THROW(fast.kernel().levels({0, held + 1, 160}, {}),
                      std::invalid_argument);
}

inline void blankings(double tolerance)
{
    for (const auto in : {component::i8, component::i16, component::f32}) {
        for (const bool is_complex : {false, true}) {
            for (const std::size_t inputs : {1, 3, 31}) {
                const std::size_t block = pick<std::size_t>({3, 64, 515, 1100});
                blanking_params p{inputs, in, is_complex, block, 2 * block + 1900};
                if (inputs > 1) {
                    p.bad_input.assign(inputs, 0);
                    p.bad_input[random_below(inputs)] = 1;
                }
                compare_blanking(p, in == component::f32 ? tolerance : 0);
            }
        }
    }
}

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_COMPARE_BLANKING_H */
