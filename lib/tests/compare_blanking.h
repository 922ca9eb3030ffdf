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

inline void compare_blanking(const blanking_params& p, double tolerance)
{
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
        const std::size_t cells = random_below((held - first) / blanking::cell + 1);
        std::vector<double> a(p.inputs * cells), b(p.inputs * cells);
        reference->cell_powers(first, cells, a.data());
        fast.kernel().cell_powers(first, cells, b.data());
        double worst = 0;
        for (std::size_t k = 0; k < a.size(); k++) {
            const double error = std::abs(a[k] - b[k]) / (1e-300 + a[k]);
            worst = error <= worst ? worst : error;
        }
        BOOST_TEST(worst <= tolerance);

        const auto limits = random_limits(p);
        const std::size_t count = random_below(held - first + 1);
        BOOST_TEST((reference->find(first, count, limits) ==
                    fast.kernel().find(first, count, limits)));

        std::vector<sample_run> runs;
        for (std::size_t k = random_below(2 * p.inputs); held > 0 && k > 0; k--) {
            const std::size_t at = random_below(held);
            runs.push_back(
                {static_cast<std::uint32_t>(random_below(p.inputs)),
                 static_cast<std::uint32_t>(at),
                 static_cast<std::uint32_t>(std::min(held - at, random_below(40)))});
        }
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
    BOOST_CHECK_THROW(fast.kernel().cell_powers(0, held / blanking::cell + 1, nullptr),
                      std::invalid_argument);
}

inline void blankings(double tolerance)
{
    for (const auto in : {component::i8, component::i16, component::f32}) {
        for (const bool is_complex : {false, true}) {
            for (const std::size_t inputs : {1, 3, 31}) {
                const std::size_t block = pick<std::size_t>({3, 64, 515, 1100});
                compare_blanking({inputs, in, is_complex, block, 2 * block + 700},
                                 in == component::f32 ? tolerance : 0);
            }
        }
    }
}

} // namespace kernel_cases

#endif /* INCLUDED_FRINGE_TESTS_COMPARE_BLANKING_H */
