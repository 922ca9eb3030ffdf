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
        std::vector<std::vector<float>> made(d_parts.size());
        each_share(at, [&](std::size_t n, const share& s) {
            if (n > 0) {
                made[n].resize(values);
            }
            const auto own_data = rows_of(at, s, data);
            const auto own_weights = rows_of(at, s, weights);
            d_parts[n]->grid(
                s.at, own_data.get(), own_weights.get(), n > 0 ? made[n].data() : images);
        });
        run_ranges(*d_workers,
                   values > many_pixels,
                   values,
                   1,
                   [&](std::size_t first, std::size_t count) {
                       for (const auto& image : made) {
                           for (std::size_t k = first;
                                k < first + (image.empty() ? 0 : count);
                                k++) {
                               images[k] += image[k];
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
            std::vector<complex> made(s.at.rows * at.channels * d_p.polarizations);
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
    class share_values
    {
    public:
        share_values(const T* there, std::vector<T> copied)
            : d_there(there), d_copied(std::move(copied))
        {
        }
        const T* get() const { return d_there ? d_there : d_copied.data(); }

    private:
        const T* const d_there;
        const std::vector<T> d_copied;
    };
    template <class T>
    share_values<T> rows_of(const visibility_rows& at, const share& s, const T* all) const
    {
        if (d_p.polarizations == 1) {
            return {all + s.first * at.channels, {}};
        }
        std::vector<T> some;
        some.reserve(s.at.rows * at.channels * d_p.polarizations);
        for (std::size_t p = 0; p < d_p.polarizations; p++) {
            const T* begin = all + (p * at.rows + s.first) * at.channels;
            some.insert(some.end(), begin, begin + s.at.rows * at.channels);
        }
        return {nullptr, std::move(some)};
    }

    //! Calls work(number, share) for every part, side by side. The first exception is thrown here.
    template <class F>
    void each_share(const visibility_rows& at, const F& work)
    {
        const std::size_t parts = d_parts.size();
        std::vector<std::exception_ptr> failed(parts);
        std::vector<std::thread> threads;
        const auto one_part = [&](std::size_t n) {
            share s{at, n * at.rows / parts};
            s.at.rows = (n + 1) * at.rows / parts - s.first;
            s.at.uvw = at.uvw + 3 * s.first;
            try {
                if (s.at.rows > 0) {
                    work(n, s);
                }
            } catch (...) {
                failed[n] = std::current_exception();
            }
        };
        for (std::size_t n = 1; n < parts; n++) {
            threads.emplace_back(one_part, n);
        }
        one_part(0);
        for (auto& thread : threads) {
            thread.join();
        }
        for (const auto& failure : failed) {
            if (failure) {
                std::rethrow_exception(failure);
            }
        }
    }

    std::vector<std::unique_ptr<gridder>> d_parts;
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
