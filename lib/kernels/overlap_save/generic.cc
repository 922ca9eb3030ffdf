/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/aligned.h"
#include "kernels/channelizer/fft.h"
#include "kernels/overlap_save/backends.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

class generic_overlap_save : public overlap_save
{
public:
    generic_overlap_save(const overlap_save_params& p, const std::complex<float>* filters)
        : overlap_save(p),
          d_filters(filters, filters + p.rows * p.points),
          d_transform(p.points),
          d_values(p.points)
    {
    }

private:
    void run(const job& j) override
    {
        for (std::size_t stream = 0; stream < j.rows * j.beams; stream++) {
            for (std::size_t at = 0; at < d_p.made_of(j.samples); at += d_p.step()) {
                transform(d_filters.data() + (j.first + stream / j.beams) * d_p.points,
                          j.in.at + stream * j.in.stride + at,
                          j.out.at + stream * j.out.stride + at);
            }
        }
    }

    void transform(const std::complex<float>* filter,
                   const std::complex<float>* in,
                   std::complex<float>* out)
    {
        std::copy_n(in, d_p.points, d_values.begin());
        d_transform.run(d_values.data());
        for (std::size_t f = 0; f < d_p.points; f++) {
            d_values[f] *= std::complex<double>(filter[f]);
        }
        // The backward transform is the conjugate of the forward one of the conjugate.
        for (auto& value : d_values) {
            value = std::conj(value);
        }
        d_transform.run(d_values.data());
        for (std::size_t k = 0; k < d_p.step(); k++) {
            out[k] = std::complex<float>(std::conj(d_values[d_p.past + k]) /
                                         static_cast<double>(d_p.points));
        }
    }

    const std::vector<std::complex<float>> d_filters;
    const transform_f64 d_transform;
    aligned_vector<std::complex<double>> d_values;
};

} // namespace

std::unique_ptr<overlap_save>
make_generic_overlap_save(const overlap_save_params& p,
                          const std::complex<float>* filters)
{
    return std::make_unique<generic_overlap_save>(p, filters);
}

} // namespace gr::fringe::kernels
