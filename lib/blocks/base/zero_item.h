/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_BLOCKS_ZERO_ITEM_H
#define INCLUDED_FRINGE_BLOCKS_ZERO_ITEM_H

#include "kernels/base/aligned.h"
#include "kernels/device/device.h"
#include <cstdint>

namespace gr::fringe {

//! An item of zeros in the memory of a device, or of the host.
class zero_item
{
public:
    //! `on` may be null.
    zero_item(std::shared_ptr<kernels::device> on, std::size_t bytes)
        : d_on(std::move(on)), d_bytes(bytes)
    {
    }
    ~zero_item()
    {
        if (d_there) {
            d_on->release(d_there);
        }
    }
    zero_item(const zero_item&) = delete;
    zero_item& operator=(const zero_item&) = delete;

    //! Makes it when it is wanted first.
    const void* data()
    {
        if (!d_on) {
            d_here.resize(d_bytes);
            return d_here.data();
        }
        if (!d_there) {
            d_there = d_on->allocate(d_bytes);
            d_on->fill(d_there, d_bytes, 0, d_bytes, 1);
        }
        return d_there;
    }

private:
    const std::shared_ptr<kernels::device> d_on;
    const std::size_t d_bytes;
    kernels::aligned_vector<std::uint8_t> d_here;
    void* d_there = nullptr;
};

} // namespace gr::fringe

#endif /* INCLUDED_FRINGE_BLOCKS_ZERO_ITEM_H */
