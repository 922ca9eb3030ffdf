/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_DEVICE_DEVICE_BLOCK_H
#define INCLUDED_FRINGE_KERNELS_DEVICE_DEVICE_BLOCK_H

#include "kernels/device/device.h"

namespace gr::fringe::kernels {

//! A block of a device's memory. Copies are done when a call returns.
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
    void upload(const void* from) { upload(0, from, d_bytes); }
    //! To a place `at` bytes behind the first one.
    void upload(std::size_t at, const void* from, std::size_t bytes)
    {
        d_on.upload(static_cast<char*>(d_memory) + at, from, bytes);
        d_on.synchronize();
    }
    void download(void* to) const { download(to, 0, d_bytes); }
    void download(void* to, std::size_t at, std::size_t bytes) const
    {
        d_on.synchronize();
        d_on.download(to, static_cast<const char*>(d_memory) + at, bytes);
        d_on.synchronize();
    }

private:
    device& d_on;
    const std::size_t d_bytes;
    void* d_memory;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_DEVICE_DEVICE_BLOCK_H */
