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

namespace gr {
namespace fringe {
namespace kernels {

//! One GPU as the stages see it: its properties and its three streams.
struct cuda_context {
    int index = 0;
    int capability = 0; //!< 10 major + minor: 75, 80, 90, ...
    int multiprocessors = 0;
    std::size_t shared_bytes = 0; //!< largest shared memory of a block (opt-in)
    std::size_t l2_bytes = 0;
    cudaStream_t up = nullptr, compute = nullptr, down = nullptr;

    //! Makes the GPU the calling thread's current one.
    void use() const;
};

//! Throws device_error "cuda: what: the runtime's words" unless `result` is cudaSuccess.
void check_cuda(cudaError_t result, const char* what);
//! After a kernel launch.
inline void check_launch(const char* kernel) { check_cuda(cudaGetLastError(), kernel); }

//! Memory of a GPU that is freed with its owner; not initialised.
template <class T>
class cuda_array
{
public:
    cuda_array() = default;
    cuda_array(const cuda_context& c, std::size_t count) : d_count(count)
    {
        c.use();
        if (count > 0) {
            check_cuda(cudaMalloc(reinterpret_cast<void**>(&d_data), count * sizeof(T)),
                       "allocating memory");
        }
    }
    ~cuda_array() { cudaFree(d_data); }
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
        std::swap(d_data, other.d_data);
        std::swap(d_count, other.d_count);
    }
    T* d_data = nullptr;
    std::size_t d_count = 0;
};

// The stages, each in lib/kernels/<stage>/cuda. The context outlives them. Parameters
// have been checked.
std::unique_ptr<unpacker> make_cuda_unpacker(const cuda_context& c,
                                             const unpacker_params& p);
std::unique_ptr<channelizer> make_cuda_channelizer(const cuda_context& c,
                                                   const channelizer_params& p);
std::unique_ptr<kurtosis> make_cuda_kurtosis(const cuda_context& c,
                                             const kurtosis_params& p);
//! Complex float32 [channel][input][time].
std::unique_ptr<xengine> make_cuda_xengine_f32(const cuda_context& c,
                                               const xengine_params& p);
//! Complex int8 [channel][input][time], without tensor cores: small arrays.
std::unique_ptr<xengine> make_cuda_xengine_i8_rows(const cuda_context& c,
                                                   const xengine_params& p);
//! Complex int8 in tiles, or in rows that it brings into tiles itself: tensor cores.
std::unique_ptr<xengine> make_cuda_xengine_i8_tiles(const cuda_context& c,
                                                    const xengine_params& p);
std::unique_ptr<integrator> make_cuda_integrator(const cuda_context& c,
                                                 const integrator_params& p);

} // namespace kernels
} // namespace fringe
} // namespace gr

#endif /* INCLUDED_FRINGE_KERNELS_CUDA_CONTEXT_H */
