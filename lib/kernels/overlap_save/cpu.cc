/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/aligned.h"
#include "kernels/base/workers.h"
#include "kernels/channelizer/fft.h"
#include "kernels/overlap_save/backends.h"
#include <algorithm>

namespace gr::fringe::kernels {

namespace {

class cpu_overlap_save : public overlap_save
{
public:
    cpu_overlap_save(const overlap_save_params& p, const std::complex<float>* filters)
        : overlap_save(p),
          d_filters(filters, filters + p.rows * p.points),
          d_transform(p.points, true),
          d_workers(workers::shared()),
          d_scratch(d_workers->slots())
    {
        for (auto& factor : d_filters) {
            factor /= static_cast<float>(p.points);
        }
        for (scratch& own : d_scratch) {
            own.in.resize(p.points);
            own.out.resize(p.points);
        }
    }

private:
    void run(const job& j) override
    {
        const std::size_t steps = d_p.made_of(j.samples) / d_p.step();
        d_workers->run(j.rows * j.beams * steps, [&](std::size_t part, unsigned slot) {
            const std::size_t stream = part / steps, at = part % steps * d_p.step();
            transform(d_filters.data() + (j.first + stream / j.beams) * d_p.points,
                      j.in.at + stream * j.in.stride + at,
                      j.out.at + stream * j.out.stride + at,
                      d_scratch[slot]);
        });
    }

    //! Of a thread.
    struct scratch {
        aligned_vector<std::complex<float>> in, out;
    };

    void transform(const std::complex<float>* filter,
                   const std::complex<float>* in,
                   std::complex<float>* out,
                   scratch& own) const
    {
        const auto numbers = reinterpret_cast<float*>(own.in.data());
        std::copy_n(in, d_p.points, own.in.data());
        d_transform.run(numbers, own.out.data());
        // Conjugates, since the backward transform is the conjugate of the forward one of them.
        const auto x = reinterpret_cast<const float*>(own.out.data());
        const auto h = reinterpret_cast<const float*>(filter);
        for (std::size_t f = 0; f < 2 * d_p.points; f += 2) {
            numbers[f] = x[f] * h[f] - x[f + 1] * h[f + 1];
            numbers[f + 1] = -(x[f] * h[f + 1] + x[f + 1] * h[f]);
        }
        d_transform.run(numbers, own.out.data());
        for (std::size_t k = 0; k < d_p.step(); k++) {
            out[k] = std::conj(own.out[d_p.past + k]);
        }
    }

    aligned_vector<std::complex<float>> d_filters; //!< divided by the points
    const transform_f32 d_transform;
    const std::shared_ptr<workers> d_workers;
    std::vector<scratch> d_scratch;
};

} // namespace

std::unique_ptr<overlap_save> make_cpu_overlap_save(const overlap_save_params& p,
                                                    const std::complex<float>* filters)
{
    return std::make_unique<cpu_overlap_save>(p, filters);
}

} // namespace gr::fringe::kernels
