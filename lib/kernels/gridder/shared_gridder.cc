/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/require.h"
#include "kernels/base/worker_ranges.h"
#include "kernels/gridder/backends.h"
#include <algorithm>
#include <exception>
#include <thread>

namespace gr::fringe::kernels {

namespace {

//! Pixels above which images are added by several threads.
constexpr std::size_t many_pixels = 1 << 18;

//! A gridder for each target; each takes some of the rows, one thread a target.
class shared_gridder : public gridder
{
public:
    shared_gridder(const std::vector<compute_target>& targets, const gridder_params& p)
        : gridder(p), d_workers(workers::shared())
    {
        for (const auto& target : targets) {
            d_parts.push_back(make_gridder(target, p));
        }
        d_own.resize(targets.size());
    }

private:
    using complex = std::complex<float>;

    void grid_all(const visibility_rows& at,
                  const complex* data,
                  const float* weights,
                  float* images) override
    {
        // The first one adds to the images of the caller, the others to their own.
        const std::size_t values = d_p.columns * d_p.rows * d_p.polarizations;
        each_share(at, [&](std::size_t n, const share& s) {
            auto& own = d_own[n];
            if (n > 0) {
                own.images.assign(values, 0);
            }
            d_parts[n]->grid(s.at,
                             rows_of(at, s, data, own.data),
                             rows_of(at, s, weights, own.weights),
                             n > 0 ? own.images.data() : images);
        });
        run_ranges(*d_workers,
                   values > many_pixels,
                   values,
                   1,
                   [&](std::size_t first, std::size_t count) {
                       for (std::size_t n = 1; n < parts_for(at); n++) {
                           const float* own = d_own[n].images.data();
                           for (std::size_t k = first; k < first + count; k++) {
                               images[k] += own[k];
                           }
                       }
                   });
    }

    void
    degrid_all(const visibility_rows& at, const float* images, complex* data) override
    {
        each_share(at, [&](std::size_t n, const share& s) {
            if (d_p.polarizations == 1) {
                d_parts[n]->degrid(s.at, images, data + s.first * at.channels);
                return;
            }
            auto& made = d_own[n].data;
            made.resize(s.at.rows * at.channels * d_p.polarizations);
            d_parts[n]->degrid(s.at, images, made.data());
            for (std::size_t p = 0; p < d_p.polarizations; p++) {
                std::copy_n(&made[p * s.at.rows * at.channels],
                            s.at.rows * at.channels,
                            data + (p * at.rows + s.first) * at.channels);
            }
        });
    }

    void grid_one(const visibility_rows&, const complex*, const float*, float*) override
    {
    }
    void degrid_one(const visibility_rows&, const float*, complex*) override {}

    //! Some rows, and the number of the first.
    struct share {
        visibility_rows at;
        std::size_t first;
    };

    //! Values [polarization][row][channel] of a share, which are copied where they do not follow
    //! each other.
    template <class T>
    const T* rows_of(const visibility_rows& at,
                     const share& s,
                     const T* all,
                     std::vector<T>& copied) const
    {
        if (d_p.polarizations == 1) {
            return all + s.first * at.channels;
        }
        const std::size_t values = s.at.rows * at.channels;
        copied.resize(values * d_p.polarizations);
        for (std::size_t p = 0; p < d_p.polarizations; p++) {
            std::copy_n(
                all + (p * at.rows + s.first) * at.channels, values, &copied[p * values]);
        }
        return copied.data();
    }

    //! How many parts have rows.
    std::size_t parts_for(const visibility_rows& at) const
    {
        return std::min(at.rows, d_parts.size());
    }

    //! Calls work(number, share) for every part, side by side. The first exception is thrown here.
    template <class F>
    void each_share(const visibility_rows& at, const F& work)
    {
        const std::size_t parts = parts_for(at);
        std::vector<std::exception_ptr> failed(parts);
        std::vector<std::thread> threads;
        const auto one_part = [&](std::size_t n) {
            share s{at, n * at.rows / parts};
            s.at.rows = (n + 1) * at.rows / parts - s.first;
            s.at.uvw = at.uvw + 3 * s.first;
            try {
                work(n, s);
            } catch (...) {
                failed[n] = std::current_exception();
            }
        };
        for (std::size_t n = 1; n < parts; n++) {
            threads.emplace_back(one_part, n);
        }
        if (parts > 0) {
            one_part(0);
        }
        for (auto& thread : threads) {
            thread.join();
        }
        for (const auto& failure : failed) {
            if (failure) {
                std::rethrow_exception(failure);
            }
        }
    }

    //! What a part has of its own, kept from call to call: new memory costs more than copies.
    struct own_memory {
        std::vector<float> images, weights;
        std::vector<complex> data;
    };

    std::vector<std::unique_ptr<gridder>> d_parts;
    std::vector<own_memory> d_own; //!< of each part
    const std::shared_ptr<workers> d_workers;
};

} // namespace

std::unique_ptr<gridder> make_gridder(const std::vector<compute_target>& targets,
                                      const gridder_params& p)
{
    require("gridder", !targets.empty(), "there is nothing to compute on");
    return targets.size() == 1 ? make_gridder(targets.front(), p)
                               : std::make_unique<shared_gridder>(targets, p);
}

} // namespace gr::fringe::kernels
