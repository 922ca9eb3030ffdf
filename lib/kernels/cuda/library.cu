/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cuda/device.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace gr::fringe::kernels {

namespace {

// CUDA 13 builds nothing for older ones.
constexpr int min_capability = 75;

std::string version_text(int version)
{
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

class cuda_library : public device_library
{
public:
    std::vector<device_info> devices() override
    {
        int count = 0;
        const cudaError_t result = cudaGetDeviceCount(&count);
        cudaGetLastError();
        if (result == cudaErrorNoDevice) {
            return {};
        }
        if (result != cudaSuccess) {
            throw device_error(why_not(result));
        }
        std::vector<device_info> found;
        for (int n = 0; n < count * copies(); ++n) {
            found.push_back(describe(n, n % count));
        }
        return found;
    }

    std::shared_ptr<device> open(std::size_t index) override { return opened(index); }

    //! A driver does not like to be left, so a GPU stays open.
    std::shared_ptr<cuda_device> opened(std::size_t index)
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        std::shared_ptr<cuda_device>& gpu = d_opened[index];
        if (!gpu) {
            int count = 1;
            check_cuda(cudaGetDeviceCount(&count), "counting the GPUs");
            const auto n = static_cast<int>(index);
            gpu = make_cuda_device(describe(n, n % count), n % count);
        }
        return gpu;
    }

private:
    //! FRINGE_CUDA_COPIES=2 lists every GPU twice, each with streams of its own: tests of
    //! several GPUs run on a machine with one.
    static int copies()
    {
        const char* asked = std::getenv("FRINGE_CUDA_COPIES");
        return asked ? std::max(1, std::atoi(asked)) : 1;
    }
    static std::string why_not(cudaError_t result)
    {
        int driver = 0, runtime = 0;
        cudaDriverGetVersion(&driver);
        cudaRuntimeGetVersion(&runtime);
        if (driver == 0) {
            return "no NVIDIA driver is installed here";
        }
        if (driver < runtime) {
            return "the NVIDIA driver is too old: it knows CUDA " + version_text(driver) +
                   ", gr-fringe was built with " + version_text(runtime);
        }
        return std::string("the NVIDIA driver does not answer: ") +
               cudaGetErrorString(result);
    }

    //! GPU number `index` for the runtime, listed as number `listed`.
    static device_info describe(int listed, int index)
    {
        device_info info;
        info.index = static_cast<std::size_t>(listed);
        cudaDeviceProp properties;
        const cudaError_t result = cudaGetDeviceProperties(&properties, index);
        if (result != cudaSuccess) {
            cudaGetLastError();
            info.name = "GPU " + std::to_string(index);
            info.refused =
                std::string("it does not answer: ") + cudaGetErrorString(result);
            return info;
        }
        info.name = properties.name;
        info.major = properties.major;
        info.minor = properties.minor;
        info.memory_bytes = properties.totalGlobalMem;
        if (10 * info.major + info.minor < min_capability) {
            info.refused = "its compute capability is " + std::to_string(info.major) +
                           "." + std::to_string(info.minor) + "; it must be at least 7.5";
        }
        return info;
    }

    std::mutex d_mutex;
    std::map<std::size_t, std::shared_ptr<cuda_device>> d_opened;
};

// Never destroyed: flowgraphs may be, when the process ends, after this library.
cuda_library& the_library()
{
    static cuda_library& all = *new cuda_library;
    return all;
}

} // namespace

const cuda_context& context_of(std::size_t index)
{
    return the_library().opened(index)->context();
}

std::shared_ptr<device> device_of(std::size_t index)
{
    return the_library().opened(index);
}

} // namespace gr::fringe::kernels

extern "C" __attribute__((visibility("default"))) gr::fringe::kernels::device_library*
fringe_device_library(const char* version, const char** why)
{
    if (std::strcmp(version, FRINGE_VERSION) != 0) {
        *why = "it belongs to another version of gr-fringe, " FRINGE_VERSION;
        return nullptr;
    }
    return &gr::fringe::kernels::the_library();
}
