/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DEVICE_PAIRED_MEMORY_H
#define INCLUDED_FRINGE_KERNELS_DEVICE_PAIRED_MEMORY_H

#include "kernels/device/device.h"
#include <utility>

namespace gr::fringe::kernels {

/*!
 * Numbers in the memory of a device, and their copy in memory of the host from which and to which
 * copies take no detour. Without a device the two are one, and nothing is copied.
 */
template <class T>
class paired_memory
{
public:
    //! `on`: null for the host.
    explicit paired_memory(std::shared_ptr<device> on, std::size_t count = 0)
        : d_on(std::move(on)), d_copied(d_on ? d_on->make_event() : nullptr)
    {
        need(count);
    }

    //! Makes room for so many numbers. Where that is more than before, those are lost.
    void need(std::size_t count)
    {
        if (count <= d_count) {
            return;
        }
        d_there = nullptr;
        d_here = nullptr;
        d_count = 0;
        const std::size_t bytes = count * sizeof(T);
        if (d_on) {
            d_there = {static_cast<T*>(d_on->allocate(bytes)),
                       [on = d_on](T* p) { on->release(p); }};
            d_here = {static_cast<T*>(d_on->allocate_host(bytes)),
                      [on = d_on](T* p) { on->release_host(p); }};
        } else {
            d_there = d_here = {new T[count], std::default_delete<T[]>()};
        }
        d_count = count;
    }
    std::size_t size() const { return d_count; }
    T* there() const { return d_there.get(); }
    T* here() const { return d_here.get(); }

    //! Begins to copy the first `count` numbers to the device, whose kernels wait for them.
    void upload(std::size_t count)
    {
        if (d_on) {
            d_on->upload(there(), here(), count * sizeof(T));
            d_copied->record(device_stream::h2d);
            d_copied->make_wait(device_stream::compute);
        }
    }
    //! Begins to copy the first `count` numbers from the device, behind the kernels that it has
    //! been asked for. Copies to the device go on meanwhile.
    void download(std::size_t count)
    {
        if (d_on) {
            d_copied->record(device_stream::compute);
            d_copied->make_wait(device_stream::d2h);
            d_on->download(here(), there(), count * sizeof(T));
            d_copied->record(device_stream::d2h);
        }
    }
    //! Whether the last copy is done; wait() waits for it. Throw device_error where the device
    //! has failed.
    bool arrived() const { return !d_on || d_copied->reached(); }
    void wait() const
    {
        if (d_on) {
            d_copied->wait();
        }
    }

private:
    std::shared_ptr<device> d_on;
    std::unique_ptr<device_event> d_copied;
    std::size_t d_count = 0;
    std::shared_ptr<T> d_there, d_here;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DEVICE_PAIRED_MEMORY_H */
