/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/aligned.h"
#include "kernels/workers.h"
#include "kernels/xengine/backends.h"
#include "kernels/xengine/products.h"
#include <algorithm>
#include <complex>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

//! For few inputs: vectors run along channels.
class cpu_xengine_few : public xengine
{
public:
    explicit cpu_xengine_few(const xengine_params& p)
        : d_p(p),
          d_groups((p.channels + lanes - 1) / lanes),
          d_workers(workers::shared()),
          d_sums(d_groups * group_floats())
    {
    }

    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        check_spectra(d_p, first, count);
        const auto in = static_cast<const float*>(spectra) + 2 * first;
        const std::size_t cost = lanes * baselines(d_p.inputs) * count;
        const auto add = [&](std::size_t group, std::size_t groups, unsigned) {
            const std::size_t channel = group * lanes;
            add_products_f32(in + 2 * channel * d_p.inputs * d_p.block_spectra,
                             d_p.inputs,
                             d_p.block_spectra,
                             count,
                             std::min(groups * lanes, d_p.channels - channel),
                             d_sums.data() + group * group_floats());
        };
        share_channels(*d_workers, d_groups, cost, add);
    }

    void read(std::size_t first, std::size_t count, void* out) const override
    {
        check_channels(d_p, first, count);
        auto to = static_cast<std::complex<float>*>(out);
        for (std::size_t c = first; c < first + count; c++) {
            const float* from = d_sums.data() + c / lanes * group_floats() + c % lanes;
            for (std::size_t b = 0; b < baselines(d_p.inputs); b++) {
                *to++ = {from[2 * lanes * b], from[2 * lanes * b + lanes]};
            }
        }
    }

    void clear() override { std::fill(d_sums.begin(), d_sums.end(), 0.0f); }

private:
    std::size_t group_floats() const { return 2 * lanes * baselines(d_p.inputs); }

    const xengine_params d_p;
    const std::size_t d_groups; //!< of `lanes` channels
    const std::shared_ptr<workers> d_workers;
    aligned_vector<float> d_sums; //!< [group][baseline][re, im][lane]
};

} // namespace

std::unique_ptr<xengine> make_cpu_xengine_few(const xengine_params& p)
{
    return std::make_unique<cpu_xengine_few>(p);
}

} // namespace kernels
} // namespace fringe
} // namespace gr
