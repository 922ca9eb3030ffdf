/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/gridder/device_convolver.h"
#include <algorithm>
#include <limits>
#include <vector>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

//! A block of a device's memory.
class device_block
{
public:
    device_block(device& on, std::size_t bytes)
        : d_on(on), d_bytes(bytes), d_memory(on.allocate(bytes))
    {
    }
    ~device_block() { d_on.release(d_memory); }
    device_block(const device_block&) = delete;
    device_block& operator=(const device_block&) = delete;

    template <class T>
    T* get() const
    {
        return static_cast<T*>(d_memory);
    }
    void upload(const void* from)
    {
        d_on.upload(d_memory, from, d_bytes);
        d_on.synchronize();
    }
    void download(void* to)
    {
        d_on.synchronize();
        d_on.download(to, d_memory, d_bytes);
        d_on.synchronize();
    }

private:
    device& d_on;
    const std::size_t d_bytes;
    void* d_memory;
};

/*!
 * The rows in an order in which neighbours are near each other. Files have all baselines of a
 * time after each other: the row that is nearest to the first then is the same baseline at the
 * next time, and the rows of each baseline are put together.
 */
std::vector<std::size_t> tracks(const visibility_rows& at)
{
    std::size_t step = 1;
    double nearest = std::numeric_limits<double>::max();
    for (std::size_t r = 1; r < at.rows; r++) {
        double d = 0;
        for (std::size_t k = 0; k < 3; k++) {
            const double x = at.uvw[3 * r + k] - at.uvw[k];
            d += x * x;
        }
        if (d < nearest) {
            nearest = d;
            step = r;
        }
    }
    std::vector<std::size_t> order;
    for (std::size_t first = 0; first < std::min(step, at.rows); first++) {
        for (std::size_t r = first; r < at.rows; r += step) {
            order.push_back(r);
        }
    }
    return order;
}

class device_convolver : public convolver
{
public:
    device_convolver(const std::shared_ptr<device>& on,
                     const w_kernels& k,
                     const convolver_params& p)
        : convolver(k.geometry(), p.polarisations),
          d_on(on),
          d_convolver(convolver_factory().make({backend::cuda, on->info().index}, k, p))
    {
    }

    void spread(const visibility_rows& at,
                const std::complex<float>* values,
                std::complex<float>* grid) override
    {
        const std::size_t row = at.channels * d_polarisations;
        const auto order = tracks(at);
        std::vector<std::complex<float>> ordered;
        for (const std::size_t r : order) {
            ordered.insert(ordered.end(), values + r * row, values + (r + 1) * row);
        }
        const auto uvw = places(at, order);
        device_block cells(*d_on, grid_values() * sizeof(*grid));
        device_block there(*d_on, ordered.size() * sizeof(ordered[0]));
        cells.upload(grid);
        there.upload(ordered.data());
        d_convolver->spread(on_device(at, *uvw),
                            there.get<std::complex<float>>(),
                            cells.get<std::complex<float>>());
        cells.download(grid);
    }

    void gather(const visibility_rows& at,
                const std::complex<float>* grid,
                std::complex<float>* values) override
    {
        const std::size_t row = at.channels * d_polarisations;
        const auto order = tracks(at);
        std::vector<std::complex<float>> ordered(at.rows * row);
        const auto uvw = places(at, order);
        device_block cells(*d_on, grid_values() * sizeof(*grid));
        device_block there(*d_on, ordered.size() * sizeof(ordered[0]));
        cells.upload(grid);
        d_convolver->gather(on_device(at, *uvw),
                            cells.get<std::complex<float>>(),
                            there.get<std::complex<float>>());
        there.download(ordered.data());
        for (std::size_t k = 0; k < order.size(); k++) {
            std::copy_n(&ordered[k * row], row, values + order[k] * row);
        }
    }

private:
    std::unique_ptr<device_block> places(const visibility_rows& at,
                                         const std::vector<std::size_t>& order)
    {
        std::vector<double> uvw;
        for (const std::size_t r : order) {
            uvw.insert(uvw.end(), at.uvw + 3 * r, at.uvw + 3 * r + 3);
        }
        auto there = std::make_unique<device_block>(*d_on, uvw.size() * sizeof(uvw[0]));
        there->upload(uvw.data());
        return there;
    }
    static visibility_rows on_device(visibility_rows at, const device_block& uvw)
    {
        at.uvw = uvw.get<double>();
        return at;
    }

    const std::shared_ptr<device> d_on;
    const std::unique_ptr<convolver> d_convolver;
};

} // namespace

device_factory<convolver, w_kernels, convolver_params>& convolver_factory()
{
    static device_factory<convolver, w_kernels, convolver_params> the_factory;
    return the_factory;
}

device_factory<convolver, w_kernels, convolver_params>& host_convolver_factory()
{
    static device_factory<convolver, w_kernels, convolver_params> the_factory;
    return the_factory;
}

std::unique_ptr<convolver> make_device_convolver(const std::shared_ptr<device>& on,
                                                 const w_kernels& k,
                                                 const convolver_params& p)
{
    return std::make_unique<device_convolver>(on, k, p);
}

} // namespace kernels
} // namespace fringe
} // namespace gr
