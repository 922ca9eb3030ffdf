/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_COMPUTE_KERNEL_TIMES_H
#define INCLUDED_FRINGE_BLOCKS_COMPUTE_KERNEL_TIMES_H

#include "kernels/device/device.h"
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gr::fringe {

/*!
 * How long the kernels of a block take on a device: from when their stream reaches them to
 * when they are done. Blocks share the stream `compute`, so kernels that another block starts in between
 * count for both. On the CPU nothing is measured.
 */
class FRINGE_API kernel_times
{
public:
    explicit kernel_times(std::shared_ptr<kernels::device> on) : d_on(std::move(on)) {}

    //! Kernels that are started while this lives are measured.
    class guard
    {
    public:
        guard(guard&& other) noexcept
            : d_timer(std::exchange(other.d_timer, nullptr)), d_where(other.d_where)
        {
        }
        guard& operator=(guard&&) = delete;
        ~guard();

    private:
        friend class kernel_times;
        guard(kernels::device_timer* timer, kernels::device_stream where)
            : d_timer(timer), d_where(where)
        {
        }
        kernels::device_timer* d_timer;
        kernels::device_stream d_where;
    };
    //! One thread calls this, and begins anew when the last guard has gone.
    [[nodiscard]] guard
    measure(kernels::device_stream where = kernels::device_stream::compute);

    //! Whether there is a device.
    bool on_device() const { return d_on != nullptr; }
    //! Seconds so far. Where the device is far behind some calls are not measured, and count as
    //! the others do in the mean. Any thread may call this.
    double seconds() const;

private:
    void collect();

    const std::shared_ptr<kernels::device> d_on;
    std::vector<std::unique_ptr<kernels::device_timer>> d_timers;
    std::size_t d_first = 0, d_running = 0; // of the timers, in turn
    std::atomic<std::uint64_t> d_calls{0}, d_measured{0}, d_nanoseconds{0};
};

//! A block whose kernels are measured.
class FRINGE_API timed_block
{
public:
    virtual ~timed_block() = default;
    virtual const kernel_times& times() const = 0;
};

//! Seconds of the kernels of each block on a device, by name. edges: what
//! top_block::edge_list() returns.
FRINGE_API std::vector<std::pair<std::string, double>>
kernel_seconds(const std::string& edges);

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_COMPUTE_KERNEL_TIMES_H */
