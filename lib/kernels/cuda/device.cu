/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cuda/device.h"
#include <array>

namespace gr::fringe::kernels {

namespace {

class cuda_event : public device_event
{
public:
    explicit cuda_event(const cuda_context& c) : d_context(c)
    {
        c.use();
        check_cuda(cudaEventCreateWithFlags(
                       &d_event, cudaEventDisableTiming | cudaEventBlockingSync),
                   "making an event");
    }
    ~cuda_event() override
    {
        d_context.use_quietly();
        cudaEventDestroy(d_event);
    }

    void make_wait(device& on, device_stream where) override
    {
        const cuda_context& c = dynamic_cast<cuda_device&>(on).context();
        c.use();
        check_cuda(cudaStreamWaitEvent(stream_of(c, where), d_event, 0),
                   "waiting in a stream of another GPU");
    }
    void record(device_stream where) override
    {
        d_context.use();
        check_cuda(cudaEventRecord(d_event, stream_of(d_context, where)),
                   "recording an event");
    }
    void make_wait(device_stream where) override
    {
        d_context.use();
        check_cuda(cudaStreamWaitEvent(stream_of(d_context, where), d_event, 0),
                   "waiting in a stream");
    }
    bool reached() override
    {
        d_context.use();
        const cudaError_t state = cudaEventQuery(d_event);
        if (state == cudaErrorNotReady) {
            cudaGetLastError();
            return false;
        }
        check_cuda(state, "work on the GPU");
        return true;
    }
    void wait() override
    {
        d_context.use();
        check_cuda(cudaEventSynchronize(d_event), "work on the GPU");
    }

private:
    const cuda_context& d_context;
    cudaEvent_t d_event = nullptr;
};

class cuda_timer : public device_timer
{
public:
    explicit cuda_timer(const cuda_context& c) : d_context(c)
    {
        c.use();
        check_cuda(cudaEventCreate(&d_begin), "making an event");
        check_cuda(cudaEventCreate(&d_end), "making an event");
    }
    ~cuda_timer() override
    {
        d_context.use_quietly();
        cudaEventDestroy(d_begin);
        cudaEventDestroy(d_end);
    }

    void begin(device_stream where) override { record(d_begin, where); }
    void end(device_stream where) override { record(d_end, where); }
    std::optional<double> seconds() override
    {
        d_context.use();
        const cudaError_t state = cudaEventQuery(d_end);
        if (state == cudaErrorNotReady) {
            cudaGetLastError();
            return {};
        }
        check_cuda(state, "work on the GPU");
        float ms = 0;
        check_cuda(cudaEventElapsedTime(&ms, d_begin, d_end), "reading a time");
        return 1e-3 * static_cast<double>(ms);
    }

private:
    void record(cudaEvent_t event, device_stream where)
    {
        d_context.use();
        check_cuda(cudaEventRecord(event, stream_of(d_context, where)),
                   "recording an event");
    }

    const cuda_context& d_context;
    cudaEvent_t d_begin = nullptr, d_end = nullptr;
};

std::string megabytes(std::size_t bytes)
{
    return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MB";
}

class opened_gpu : public cuda_device
{
public:
    opened_gpu(const device_info& info, int index)
        : d_info(info), d_context(make_context(index))
    {
    }
    ~opened_gpu() override
    {
        d_context.use_quietly();
        for (const cudaStream_t s : streams()) {
            cudaStreamDestroy(s);
        }
    }

    const device_info& info() const override { return d_info; }
    std::size_t free_memory() const override
    {
        d_context.use();
        std::size_t free = 0, total = 0;
        check_cuda(cudaMemGetInfo(&free, &total), "asking for the free memory");
        return free;
    }
    const cuda_context& context() const override { return d_context; }

    void* allocate(std::size_t bytes) override
    {
        d_context.use();
        void* memory = nullptr;
        const cudaError_t result = cudaMalloc(&memory, bytes);
        if (result == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            std::size_t free = 0, total = 0;
            cudaMemGetInfo(&free, &total);
            throw device_error("cuda: " + d_info.name + " has " + megabytes(free) +
                               " of memory left of " + megabytes(total) + "; " +
                               megabytes(bytes) +
                               " more are needed: take shorter blocks (block_spectra), "
                               "fewer channels or the cpu backend");
        }
        check_cuda(result, "allocating memory");
        return memory;
    }
    void release(void* memory) noexcept override
    {
        d_context.use_quietly();
        cudaFree(memory);
    }

    void* allocate_host(std::size_t bytes) override
    {
        d_context.use();
        void* memory = nullptr;
        check_cuda(cudaMallocHost(&memory, bytes), "allocating pinned host memory");
        return memory;
    }
    void release_host(void* memory) noexcept override
    {
        d_context.use_quietly();
        cudaFreeHost(memory);
    }
    void register_host(void* memory, std::size_t bytes) override
    {
        d_context.use();
        check_cuda(cudaHostRegister(memory, bytes, cudaHostRegisterPortable),
                   "registering a host buffer");
    }
    void unregister_host(void* memory) noexcept override
    {
        d_context.use_quietly();
        cudaHostUnregister(memory);
    }

    void upload(void* to, const void* from, std::size_t bytes) override
    {
        d_context.use();
        check_cuda(
            cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, d_context.h2d),
            "copying to the GPU");
    }
    void upload(const byte_rows<void>& to,
                const byte_rows<const void>& from,
                std::size_t width,
                std::size_t rows) override
    {
        d_context.use();
        check_cuda(cudaMemcpy2DAsync(to.at,
                                     to.pitch,
                                     from.at,
                                     from.pitch,
                                     width,
                                     rows,
                                     cudaMemcpyHostToDevice,
                                     d_context.h2d),
                   "copying to the GPU");
    }
    void download(void* to, const void* from, std::size_t bytes) override
    {
        d_context.use();
        check_cuda(
            cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, d_context.d2h),
            "copying from the GPU");
    }
    void copy(void* to, const void* from, std::size_t bytes) override
    {
        d_context.use();
        check_cuda(
            cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, d_context.compute),
            "copying on the GPU");
    }
    bool reaches(device& other) override
    {
        const int there = dynamic_cast<cuda_device&>(other).context().index;
        if (there == d_context.index) {
            return true;
        }
        d_context.use();
        int able = 0;
        check_cuda(cudaDeviceCanAccessPeer(&able, d_context.index, there),
                   "asking for the link between two GPUs");
        if (!able) {
            return false;
        }
        const cudaError_t opened = cudaDeviceEnablePeerAccess(there, 0);
        if (opened == cudaErrorPeerAccessAlreadyEnabled) {
            cudaGetLastError();
            return true;
        }
        check_cuda(opened, "opening the link between two GPUs");
        return true;
    }
    // Where the link is not open the driver takes the way through pinned memory of its own.
    void copy_from(device& other,
                   const byte_rows<void>& to,
                   const byte_rows<const void>& from,
                   std::size_t width,
                   std::size_t rows) override
    {
        const int there = dynamic_cast<cuda_device&>(other).context().index;
        const bool one_piece = rows == 1 || (to.pitch == width && from.pitch == width);
        d_context.use();
        if (one_piece) {
            check_cuda(
                cudaMemcpyPeerAsync(
                    to.at, d_context.index, from.at, there, width * rows, d_context.peer),
                "copying from another GPU");
            return;
        }
        cudaMemcpy3DPeerParms p{};
        p.dstDevice = d_context.index;
        p.dstPtr = make_cudaPitchedPtr(to.at, to.pitch, width, rows);
        p.srcDevice = there;
        p.srcPtr =
            make_cudaPitchedPtr(const_cast<void*>(from.at), from.pitch, width, rows);
        p.extent = make_cudaExtent(width, rows, 1);
        check_cuda(cudaMemcpy3DPeerAsync(&p, d_context.peer), "copying from another GPU");
    }
    void fill(void* at,
              std::size_t pitch,
              int byte,
              std::size_t width,
              std::size_t rows) override
    {
        d_context.use();
        check_cuda(cudaMemset2DAsync(at, pitch, byte, width, rows, d_context.compute),
                   "filling memory of the GPU");
    }

    std::unique_ptr<device_event> make_event() override
    {
        return std::make_unique<cuda_event>(d_context);
    }
    std::unique_ptr<device_timer> make_timer() override
    {
        return std::make_unique<cuda_timer>(d_context);
    }
    void synchronize() override
    {
        d_context.use();
        for (const cudaStream_t s : streams()) {
            check_cuda(cudaStreamSynchronize(s), "work on the GPU");
        }
    }

private:
    std::array<cudaStream_t, 5> streams() const
    {
        const cuda_context& c = d_context;
        return {c.h2d, c.compute, c.d2h, c.peer, c.background};
    }
    static cuda_context make_context(int index)
    {
        cuda_context c;
        c.index = index;
        c.use();
        cudaDeviceProp properties;
        check_cuda(cudaGetDeviceProperties(&properties, c.index), "asking for the GPU");
        c.capability = 10 * properties.major + properties.minor;
        c.multiprocessors = properties.multiProcessorCount;
        c.shared_bytes = properties.sharedMemPerBlockOptin;
        c.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
        int least = 0, greatest = 0;
        check_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest),
                   "asking for the priorities of streams");
        for (cudaStream_t* s : {&c.h2d, &c.compute, &c.d2h, &c.peer, &c.background}) {
            check_cuda(
                cudaStreamCreateWithPriority(
                    s, cudaStreamNonBlocking, s == &c.background ? least : greatest),
                "making a stream");
        }
        return c;
    }

    const device_info d_info;
    const cuda_context d_context;
};

} // namespace

cudaStream_t stream_of(const cuda_context& c, device_stream where)
{
    switch (where) {
    case device_stream::h2d:
        return c.h2d;
    case device_stream::d2h:
        return c.d2h;
    case device_stream::peer:
        return c.peer;
    case device_stream::background:
        return c.background;
    default:
        return c.compute;
    }
}

std::shared_ptr<cuda_device> make_cuda_device(const device_info& info, int index)
{
    return std::make_shared<opened_gpu>(info, index);
}

} // namespace gr::fringe::kernels
