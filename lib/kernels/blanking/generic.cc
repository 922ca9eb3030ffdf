/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/blanking/held_voltages.h"

namespace gr::fringe::kernels {

namespace {

struct plain_loops {
    template <class T>
    struct of_type {
        explicit of_type(bool is_complex) : values(blanking::cell * (is_complex ? 2 : 1))
        {
        }
        void cells(const T* x, std::size_t cells, double* powers) const
        {
            for (std::size_t k = 0; k < cells; k++) {
                double sum = 0;
                for (std::size_t n = 0; n < values; n++, x++) {
                    sum += static_cast<double>(*x) * static_cast<double>(*x);
                }
                powers[k] = sum;
            }
        }
        const std::size_t values; // of a cell
    };

    static void quartiles(float* values, std::size_t count, cell_levels& l)
    {
        std::sort(values, values + count);
        l.low = values[(count - 1) / 4];
        l.median = values[(count - 1) / 2];
        l.high = values[3 * (count - 1) / 4];
    }
    static void add(const double* powers, double factor, double* sums, std::size_t count)
    {
        for (std::size_t k = 0; k < count; k++) {
            sums[k] += factor * powers[k];
        }
    }
};

template <class T>
class generic_blanking : public searched_voltages<T, plain_loops>
{
public:
    using searched_voltages<T, plain_loops>::searched_voltages;
    using held_voltages<T>::d_p;
    using held_voltages<T>::d_parts;
    using held_voltages<T>::d_held;

    std::vector<found_samples> find(const sample_windows& in,
                                    const std::vector<blanking_limits>& limits) override
    {
        check_windows(d_held, in);
        check_limits(d_p, in, limits);
        std::vector<found_samples> found;
        for (std::size_t i = 0; i <= d_p.inputs; i++) {
            for (std::size_t w = 0; w < in.windows(); w++) {
                for (std::size_t n = 0; n < in.samples(w); n++) {
                    if (n % 64 == 0) {
                        const std::size_t at = in.begin(w) + n;
                        found.push_back({static_cast<std::uint32_t>(i),
                                         static_cast<std::uint32_t>(at),
                                         0});
                    }
                    const bool above = is_above(i, in.begin(w) + n, limits[w]);
                    found.back().bits |= std::uint64_t(above) << n % 64;
                    if ((n % 64 == 63 || n + 1 == in.samples(w)) && !found.back().bits) {
                        found.pop_back();
                    }
                }
            }
        }
        return found;
    }

private:
    float power(std::size_t i, std::size_t n)
    {
        const T* const x = this->samples_of(i, n);
        const auto re = static_cast<float>(x[0]);
        float power = re * re;
        if (d_parts == 2) {
            const auto im = static_cast<float>(x[1]);
            power += im * im;
        }
        return power;
    }

    bool is_above(std::size_t input, std::size_t n, const blanking_limits& l)
    {
        if (input < d_p.inputs) {
            return power(input, n) > l.power[input];
        }
        float sum = 0;
        for (std::size_t i = 0; i < d_p.inputs; i++) {
            sum += l.scale[i] * power(i, n);
        }
        return sum > l.sum;
    }
};

} // namespace

std::unique_ptr<blanking> make_generic_blanking(const blanking_params& p)
{
    return make_of_component<generic_blanking>(p);
}

} // namespace gr::fringe::kernels
