/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/workers.h"
#include "kernels/device/paired_memory.h"
#include "kernels/overlap_save/backends.h"
#include <algorithm>
#include <array>

namespace gr::fringe::kernels {

namespace {

using sample = std::complex<float>;

constexpr std::size_t usual_bytes = std::size_t(16) << 20; //!< of the samples of a slot

/*!
 * Brings some rows at a time to the device and back, through three slots in turn, so that copies
 * of the host, both ways over the bus and transforms run at once.
 */
class overlap_save_of_host : public overlap_save
{
public:
    overlap_save_of_host(const std::shared_ptr<device>& on,
                         std::unique_ptr<overlap_save> kernel)
        : overlap_save(kernel->params()),
          d_on(on),
          d_kernel(std::move(kernel)),
          d_workers(workers::shared()),
          d_slots{slot(d_on), slot(d_on), slot(d_on)}
    {
    }
    ~overlap_save_of_host() override
    {
        try {
            d_on->synchronize();
        } catch (const device_error&) {
            // Its work has failed, so nothing uses the memory any more.
        }
    }

private:
    void run(const job& j) override
    {
        const std::size_t made = d_p.made_of(j.samples);
        if (made == 0 || j.beams == 0) {
            return;
        }
        const std::size_t together = std::max<std::size_t>(
            1, usual_bytes / (j.beams * j.samples * sizeof(sample)));
        std::size_t turn = 0;
        for (slot& own : d_slots) {
            own.streams = 0; // a call before may have failed
        }
        for (std::size_t row = 0; row < j.rows; row += together, turn++) {
            slot& own = d_slots[turn % d_slots.size()];
            take_back(own, made);
            own.streams = std::min(together, j.rows - row) * j.beams;
            own.to = {j.out.at + row * j.beams * j.out.stride, j.out.stride};
            own.in.need(own.streams * j.samples);
            own.out.need(own.streams * made);
            const sample* from = j.in.at + row * j.beams * j.in.stride;
            d_workers->run(own.streams, [&](std::size_t k, unsigned) {
                std::copy_n(
                    from + k * j.in.stride, j.samples, own.in.here() + k * j.samples);
            });
            own.in.upload(own.streams * j.samples);
            d_kernel->filter(j.first + row,
                             own.streams / j.beams,
                             j.beams,
                             j.samples,
                             {own.in.there(), j.samples},
                             {own.out.there(), made});
            own.out.download(own.streams * made);
        }
        for (std::size_t k = 0; k < d_slots.size(); k++, turn++) {
            take_back(d_slots[turn % d_slots.size()], made);
        }
    }

    struct slot {
        explicit slot(const std::shared_ptr<device>& on) : in(on), out(on) {}
        paired_memory<sample> in, out;
        std::size_t streams = 0; //!< under way
        filtered_rows<sample> to{};
    };

    void take_back(slot& own, std::size_t made)
    {
        if (own.streams > 0) {
            own.out.wait();
            d_workers->run(own.streams, [&](std::size_t k, unsigned) {
                std::copy_n(
                    own.out.here() + k * made, made, own.to.at + k * own.to.stride);
            });
        }
        own.streams = 0;
    }

    const std::shared_ptr<device> d_on;
    const std::unique_ptr<overlap_save> d_kernel;
    const std::shared_ptr<workers> d_workers;
    std::array<slot, 3> d_slots;
};

} // namespace

device_factory<overlap_save, overlap_save_params, const std::complex<float>*>&
overlap_save_of_host_factory()
{
    static device_factory<overlap_save, overlap_save_params, const std::complex<float>*>
        the_factory;
    return the_factory;
}

std::unique_ptr<overlap_save> make_overlap_save_on(const std::shared_ptr<device>& on,
                                                   std::unique_ptr<overlap_save> kernel)
{
    return std::make_unique<overlap_save_of_host>(on, std::move(kernel));
}

std::unique_ptr<overlap_save>
make_overlap_save_of_host(const compute_target& where,
                          const overlap_save_params& p,
                          const std::complex<float>* filters)
{
    if (where.kind != backend::cuda) {
        return make_overlap_save(where, p, filters);
    }
    check_filters(p);
    return overlap_save_of_host_factory().make(where, p, filters);
}

} // namespace gr::fringe::kernels
