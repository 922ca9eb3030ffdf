/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/blanking/held_voltages.h"

namespace gr::fringe::kernels {

namespace {

template <class T>
class generic_blanking : public held_voltages<T>
{
public:
    using held_voltages<T>::held_voltages;
    using held_voltages<T>::d_p;
    using held_voltages<T>::d_parts;
    using held_voltages<T>::d_held;

    void cell_powers(std::size_t first, std::size_t cells, double* powers) override
    {
        check_held(d_held, first, cells * blanking::cell);
        for (std::size_t i = 0; i < d_p.inputs; i++) {
            const T* x = this->samples_of(i, first);
            for (std::size_t k = 0; k < cells; k++) {
                double sum = 0;
                for (std::size_t n = 0; n < blanking::cell * d_parts; n++, x++) {
                    sum += static_cast<double>(*x) * static_cast<double>(*x);
                }
                powers[i * cells + k] = sum;
            }
        }
    }

    std::vector<std::uint64_t>
    find(std::size_t first, std::size_t count, const blanking_limits& limits) override
    {
        check_held(d_held, first, count);
        check_limits(d_p, limits);
        const std::size_t words = (count + 63) / 64;
        std::vector<std::uint64_t> found((d_p.inputs + 1) * words);
        for (std::size_t n = 0; n < count; n++) {
            const std::uint64_t bit = std::uint64_t(1) << n % 64;
            float sum = 0;
            for (std::size_t i = 0; i < d_p.inputs; i++) {
                const T* const x = this->samples_of(i, first + n);
                const auto re = static_cast<float>(x[0]);
                float power = re * re;
                if (d_parts == 2) {
                    const auto im = static_cast<float>(x[1]);
                    power += im * im;
                }
                if (power > limits.power[i]) {
                    found[i * words + n / 64] |= bit;
                }
                sum += limits.scale[i] * power;
            }
            if (sum > limits.sum) {
                found[d_p.inputs * words + n / 64] |= bit;
            }
        }
        return found;
    }
};

} // namespace

std::unique_ptr<blanking> make_generic_blanking(const blanking_params& p)
{
    return make_of_component<generic_blanking>(p);
}

} // namespace gr::fringe::kernels
