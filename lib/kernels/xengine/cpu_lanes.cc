/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/aligned.h"
#include "kernels/base/workers.h"
#include "kernels/xengine/backends.h"
#include "kernels/xengine/lanes.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

template <class In>
struct loops;
template <>
struct loops<float> {
    using sum = float;
    static constexpr auto rows = add_rows_f32, spectra = add_spectra_f32;
};
template <>
struct loops<std::int8_t> {
    using sum = std::int32_t;
    static constexpr auto rows = add_rows_i8, spectra = add_spectra_i8;
};

//! Vectors run along channels.
template <class In, class Sum = typename loops<In>::sum>
class cpu_xengine_lanes : public xengine
{
public:
    explicit cpu_xengine_lanes(const xengine_params& p)
        : d_p(p),
          d_groups((p.channels + lanes - 1) / lanes),
          d_workers(workers::shared()),
          d_sums(d_groups * group_values())
    {
    }

    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        check_spectra(d_p, first, count);
        if (d_p.in == component::i8) {
            check_exact(d_spectra + count);
        }
        d_spectra += count;
        const auto in = static_cast<const In*>(spectra);
        const std::size_t cost = lanes * baselines(d_p.inputs) * count;
        const auto add = [&](std::size_t group, std::size_t groups, unsigned) {
            const std::size_t channel = group * lanes;
            const std::size_t channels = std::min(groups * lanes, d_p.channels - channel);
            Sum* const sums = d_sums.data() + group * group_values();
            if (is_time_major(d_p.layout)) {
                const std::size_t row = 2 * spectra_row(d_p.channels, d_p.layout);
                loops<In>::spectra(
                    {in + 2 * channel + first * row, d_p.block_spectra * row, row},
                    d_p.inputs,
                    count,
                    channels,
                    sums);
            } else {
                const std::size_t row = 2 * d_p.block_spectra;
                const std::size_t apart = d_p.inputs * row;
                loops<In>::rows({in + channel * apart + 2 * first, row, apart},
                                d_p.inputs,
                                count,
                                channels,
                                sums);
            }
        };
        share_channels(*d_workers, d_groups, cost, add);
    }

    void read(std::size_t first, std::size_t count, void* out) const override
    {
        check_channels(d_p, first, count);
        // A group's sums are gone through once, side by side as they lie.
        const std::size_t products = baselines(d_p.inputs);
        auto to = static_cast<Sum*>(out);
        for (std::size_t c = first; c < first + count;) {
            const std::size_t lane = c % lanes;
            const std::size_t many = std::min(lanes - lane, first + count - c);
            const Sum* from = d_sums.data() + c / lanes * group_values() + lane;
            for (std::size_t b = 0; b < products; b++, from += 2 * lanes) {
                for (std::size_t l = 0; l < many; l++) {
                    to[2 * (l * products + b)] = from[l];
                    to[2 * (l * products + b) + 1] = from[lanes + l];
                }
            }
            to += 2 * many * products;
            c += many;
        }
    }

    void clear() override
    {
        std::fill(d_sums.begin(), d_sums.end(), Sum(0));
        d_spectra = 0;
    }

private:
    std::size_t group_values() const { return 2 * lanes * baselines(d_p.inputs); }

    const xengine_params d_p;
    const std::size_t d_groups; //!< of `lanes` channels
    const std::shared_ptr<workers> d_workers;
    aligned_vector<Sum> d_sums; //!< [group][baseline][re, im][lane]
    std::size_t d_spectra = 0;
};

} // namespace

std::unique_ptr<xengine> make_cpu_xengine_lanes(const xengine_params& p)
{
    if (p.in == component::i8) {
        return std::make_unique<cpu_xengine_lanes<std::int8_t>>(p);
    }
    return std::make_unique<cpu_xengine_lanes<float>>(p);
}

} // namespace gr::fringe::kernels
