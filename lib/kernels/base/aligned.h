/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_ALIGNED_H
#define INCLUDED_FRINGE_KERNELS_ALIGNED_H

#include <cstddef>
#include <new>
#include <vector>

namespace gr::fringe::kernels {

//! Memory that starts on a cache line, as the vector instructions and FFTW like it.
template <class T>
struct aligned_allocator {
    using value_type = T;
    static constexpr std::align_val_t alignment{64};

    aligned_allocator() = default;
    template <class U>
    aligned_allocator(const aligned_allocator<U>&)
    {
    }
    T* allocate(std::size_t n)
    {
        return static_cast<T*>(::operator new(n * sizeof(T), alignment));
    }
    void deallocate(T* p, std::size_t) { ::operator delete(p, alignment); }
    bool operator==(const aligned_allocator&) const { return true; }
    bool operator!=(const aligned_allocator&) const { return false; }
};

template <class T>
using aligned_vector = std::vector<T, aligned_allocator<T>>;

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_ALIGNED_H */
