/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/channelizer/cuda/cufft.h"
#include <dlfcn.h>
#include <string>

namespace gr::fringe::kernels {

namespace {

// The part of cuFFT's interface that is used; the same since CUDA 9.
constexpr int complex_to_complex = 0x29;
constexpr int forward = -1;

struct cufft_library {
    int (*create)(int*);
    int (*make_plan)(int,
                     int,
                     long long*,
                     long long*,
                     long long,
                     long long,
                     long long*,
                     long long,
                     long long,
                     int,
                     long long,
                     std::size_t*);
    int (*set_stream)(int, cudaStream_t);
    int (*execute)(int, float2*, float2*, int);
    int (*destroy)(int);

    cufft_library()
    {
        void* library = nullptr;
        for (const char* name :
             {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"}) {
            library = library ? library : dlopen(name, RTLD_NOW | RTLD_LOCAL);
        }
        if (!library) {
            throw device_error(
                "cuda: images, dedispersion, and the channelizer with this "
                "number of channels, need cuFFT, and libcufft.so.12 or .11 is not "
                "where the dynamic linker looks; install it with the CUDA "
                "runtime");
        }
        find(library, create, "cufftCreate");
        find(library, make_plan, "cufftMakePlanMany64");
        find(library, set_stream, "cufftSetStream");
        find(library, execute, "cufftExecC2C");
        find(library, destroy, "cufftDestroy");
    }

    template <class F>
    static void find(void* library, F& function, const char* name)
    {
        function = reinterpret_cast<F>(dlsym(library, name));
        if (!function) {
            throw device_error(std::string("cuda: cuFFT has no function ") + name);
        }
    }

    static const cufft_library& open()
    {
        static const cufft_library the_one;
        return the_one;
    }
};

//! cuFFT calls it an internal error where a kernel failed earlier, and where the GPU has no
//! memory left for cuFFT's own code (some 8 MiB). The sentence says which.
void check_cufft(int result, const std::string& what)
{
    if (result == 0) {
        return;
    }
    std::size_t free = 0, all = 0;
    const cudaError_t earlier = cudaMemGetInfo(&free, &all);
    cudaGetLastError();
    throw device_error("cuda: cuFFT: " + what + ": error " + std::to_string(result) +
                       (earlier != cudaSuccess
                            ? ", as work on the GPU failed before: " +
                                  std::string(cudaGetErrorString(earlier))
                            : "; " + std::to_string(free >> 20) + " of " +
                                  std::to_string(all >> 20) +
                                  " MiB of the GPU's memory are free"));
}

} // namespace

cufft_transform::cufft_transform(const cuda_context& c,
                                 std::size_t points,
                                 std::size_t rows)
    : d_context(&c)
{
    const auto& library = cufft_library::open();
    c.use();
    check_cufft(library.create(&d_plan), "making a plan");
    long long n = static_cast<long long>(points);
    std::size_t work_bytes = 0;
    try {
        check_cufft(library.make_plan(d_plan,
                                      1,
                                      &n,
                                      &n,
                                      1,
                                      n,
                                      &n,
                                      1,
                                      n,
                                      complex_to_complex,
                                      static_cast<long long>(rows),
                                      &work_bytes),
                    "planning " + std::to_string(rows) + " transforms of " +
                        std::to_string(points) + " points");
        check_cufft(library.set_stream(d_plan, c.compute), "setting the stream");
    } catch (...) {
        library.destroy(d_plan);
        throw;
    }
}

cufft_transform::~cufft_transform()
{
    if (d_plan) {
        d_context->use_quietly();
        cufft_library::open().destroy(d_plan);
    }
}

void cufft_transform::run(float2* data) const
{
    d_context->use();
    check_cufft(cufft_library::open().execute(d_plan, data, data, forward),
                "transforming");
}

} // namespace gr::fringe::kernels
