/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_CUDA_CONTEXT_H
#define INCLUDED_FRINGE_KERNELS_CUDA_CONTEXT_H

#include "kernels/device/device.h"
#include <cuda_runtime.h>
#include <utility>

namespace gr::fringe::kernels {

//! One GPU as the stages see it: its properties and its streams.
struct cuda_context {
    int index = 0;      //!< its number for the runtime
    int capability = 0; //!< 10 major + minor: 75, 80, 90, ...
    int multiprocessors = 0;
    std::size_t shared_bytes = 0; //!< largest shared memory of a block (opt-in)
    std::size_t l2_bytes = 0;
    cudaStream_t h2d = nullptr, compute = nullptr, d2h = nullptr, peer = nullptr;
    cudaStream_t background = nullptr; //!< of lower priority than compute

    //! Makes the GPU the calling thread's current one. A caller of the runtime does this
    //! first, in every call: the thread may be new, or may have used another GPU, and
    //! would else work (and take memory) on that one.
    void use() const;
    //! The same for destructors, where nothing can be done when it fails.
    void use_quietly() const noexcept;
};

//! The GPU with this number, which is opened at the first call and stays open. Throws
//! device_error.
const cuda_context& context_of(std::size_t index);
//! The same GPU, as the blocks see it.
std::shared_ptr<device> device_of(std::size_t index);

//! Throws device_error "cuda: what: the runtime's words" unless `result` is cudaSuccess.
void check_cuda(cudaError_t result, const char* what);
//! After a kernel launch.
inline void check_launch(const char* kernel) { check_cuda(cudaGetLastError(), kernel); }

//! Memory of a GPU that is freed with its owner; not initialized. The context outlives it.
template <class T>
class cuda_array
{
public:
    cuda_array() = default;
    cuda_array(const cuda_context& c, std::size_t count) : d_context(&c), d_count(count)
    {
        c.use();
        if (count > 0) {
            check_cuda(cudaMalloc(reinterpret_cast<void**>(&d_data), count * sizeof(T)),
                       "allocating memory");
        }
    }
    ~cuda_array()
    {
        if (d_data) {
            d_context->use_quietly();
            cudaFree(d_data);
        }
    }
    cuda_array(cuda_array&& other) noexcept { swap(other); }
    cuda_array& operator=(cuda_array&& other) noexcept
    {
        swap(other);
        return *this;
    }
    cuda_array(const cuda_array&) = delete;
    cuda_array& operator=(const cuda_array&) = delete;

    T* data() const { return d_data; }
    std::size_t size() const { return d_count; }
    std::size_t bytes() const { return d_count * sizeof(T); }

private:
    void swap(cuda_array& other) noexcept
    {
        std::swap(d_context, other.d_context);
        std::swap(d_data, other.d_data);
        std::swap(d_count, other.d_count);
    }
    const cuda_context* d_context = nullptr;
    T* d_data = nullptr;
    std::size_t d_count = 0;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_CUDA_CONTEXT_H */
