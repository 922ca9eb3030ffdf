/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CORES_CORES_H
#define INCLUDED_FRINGE_KERNELS_CORES_CORES_H

#include "kernels/cores/item_lines.h"
#include "kernels/device/device.h"

namespace gr {
namespace fringe {
namespace kernels {

/*!
 * The processor's cores as a device: unpack, F-engine and X-engine return when the work on
 * an item is put, and a core takes it through all while it is in its cache (item_lines).
 * Its memory is the host's. Every core has sums of its own, so sums of floats may differ
 * in rounding from those of one core; the same number of cores gives the same bits.
 */
FRINGE_API std::shared_ptr<device> shared_cores();

std::unique_ptr<unpacker> make_cores_unpacker(std::shared_ptr<item_lines> on,
                                              const unpacker_params& p);
std::unique_ptr<channelizer> make_cores_channelizer(std::shared_ptr<item_lines> on,
                                                    const channelizer_params& p);
std::unique_ptr<xengine> make_cores_xengine(std::shared_ptr<item_lines> on,
                                            const xengine_params& p);

//! Memory that the sums of an X-engine on the cores may take, all cores' together.
constexpr std::size_t most_bytes_of_sums = std::size_t(512) << 20;

//! A stage's work that is under way; its end waits for it.
class stage_work
{
public:
    explicit stage_work(std::shared_ptr<item_lines> on) : d_on(std::move(on)) {}
    ~stage_work() { d_on->wait_for(d_group); }
    stage_work(const stage_work&) = delete;
    stage_work& operator=(const stage_work&) = delete;

    void put(const void* in, const void* out, item_task work, const item_order& when = {})
    {
        d_on->put(in, out, d_group, std::move(work), when);
    }
    bool idle() const { return d_on->idle(d_group); }
    //! Throws what failed.
    void wait()
    {
        d_on->wait_for(d_group);
        if (d_group.failed) {
            std::rethrow_exception(d_group.failed);
        }
    }
    unsigned lines() const { return d_on->lines(); }

private:
    const std::shared_ptr<item_lines> d_on;
    item_group d_group;
};

//! Counters that several cores add to.
inline void add_counts(const std::vector<std::uint64_t>& more, std::uint64_t* counts)
{
    for (std::size_t k = 0; k < more.size(); k++) {
        if (more[k] > 0) {
            __atomic_fetch_add(counts + k, more[k], __ATOMIC_RELAXED);
        }
    }
}

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_CORES_CORES_H */
