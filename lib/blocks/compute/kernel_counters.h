/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_COMPUTE_KERNEL_COUNTERS_H
#define INCLUDED_FRINGE_BLOCKS_COMPUTE_KERNEL_COUNTERS_H

#include "kernels/device/paired_memory.h"
#include <mutex>
#include <vector>

namespace gr::fringe {

//! Counts that kernels add to, wherever they run, and that other threads read.
class kernel_counters
{
public:
    //! Counts on the device `on`, or on the host where that is null.
    kernel_counters(const std::shared_ptr<kernels::device>& on, std::size_t count);

    //! Memory that a kernel adds to; nobody reads on the host while this lives.
    class guard
    {
    public:
        explicit guard(kernel_counters& of)
            : d_lock(of.d_mutex), d_data(of.d_counts.there())
        {
        }
        std::uint64_t* data() const { return d_data; }

    private:
        std::lock_guard<std::mutex> d_lock;
        std::uint64_t* d_data;
    };
    guard lock() { return guard(*this); }

    //! Returns the values; waits for the device. Returns the last ones known where that fails.
    std::vector<std::uint64_t> read() const;
    //! Returns values without waiting: those of the last call of this kind, if they have come
    //! from the device by now, else older ones.
    std::vector<std::uint64_t> read_late() const;

private:
    void begin_copy() const;
    void end_copy() const;

    mutable std::mutex d_mutex;
    mutable kernels::paired_memory<std::uint64_t> d_counts;
    mutable std::vector<std::uint64_t> d_known;
    mutable bool d_copying = false;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_COMPUTE_KERNEL_COUNTERS_H */
