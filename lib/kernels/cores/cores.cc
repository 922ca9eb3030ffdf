/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/cores/cores.h"
#include <cstdlib>
#include <cstring>
#include <gnuradio/fringe/threads.h>
#include <new>

namespace gr {
namespace fringe {
namespace kernels {

namespace {

//! Everything that was put when it was recorded.
class cores_event : public device_event
{
public:
    explicit cores_event(item_lines& on) : d_on(on) {}
    void record(lane) override {}
    void hold(lane) override {}
    bool passed() override
    {
        wait();
        return true;
    }
    void wait() override { d_on.wait_for_all(); }

private:
    item_lines& d_on;
};

class cores : public device
{
public:
    explicit cores(unsigned count)
        : d_info{std::to_string(count) + " cores", 0, 0, 0, ""},
          d_lines(std::make_shared<item_lines>(count))
    {
    }

    const device_info& info() const override { return d_info; }
    item_lines* on_host() const override { return d_lines.get(); }

    void* allocate(std::size_t bytes) override
    {
        void* const memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
        if (!memory) {
            throw std::bad_alloc();
        }
        return memory;
    }
    void release(void* memory) noexcept override { std::free(memory); }
    void* allocate_host(std::size_t bytes) override { return allocate(bytes); }
    void release_host(void* memory) noexcept override { std::free(memory); }
    void register_host(void*, std::size_t) override {}
    void unregister_host(void*) noexcept override {}
    void upload(void* to, const void* from, std::size_t bytes) override
    {
        copy(to, from, bytes);
    }
    void download(void* to, const void* from, std::size_t bytes) override
    {
        copy(to, from, bytes);
    }
    void copy(void* to, const void* from, std::size_t bytes) override
    {
        d_lines->wait_for_all();
        std::memcpy(to, from, bytes);
    }
    void fill(void* at,
              std::size_t pitch,
              int byte,
              std::size_t width,
              std::size_t rows) override
    {
        d_lines->wait_for_all();
        for (std::size_t row = 0; row < rows; row++) {
            std::memset(static_cast<char*>(at) + row * pitch, byte, width);
        }
    }
    std::unique_ptr<device_event> make_event() override
    {
        return std::make_unique<cores_event>(*d_lines);
    }
    void synchronize() override { d_lines->wait_for_all(); }

    spectra_layout layout(const xengine_params& p) const override
    {
        return cpu_layout(p);
    }
    std::unique_ptr<unpacker> make_unpacker(const unpacker_params& p) override
    {
        return make_cores_unpacker(d_lines, p);
    }
    std::unique_ptr<channelizer> make_channelizer(const channelizer_params& p) override
    {
        return make_cores_channelizer(d_lines, p);
    }
    std::unique_ptr<xengine> make_xengine(const xengine_params& p) override
    {
        return make_cores_xengine(d_lines, p);
    }
    // Nothing is gained by putting these off.
    std::unique_ptr<kurtosis> make_kurtosis(const kurtosis_params& p) override
    {
        return kernels::make_kurtosis(backend::cpu, p);
    }
    std::unique_ptr<integrator> make_integrator(const integrator_params& p) override
    {
        return kernels::make_integrator(backend::cpu, p);
    }

private:
    const device_info d_info;
    const std::shared_ptr<item_lines> d_lines;
};

} // namespace

std::shared_ptr<device> shared_cores()
{
    static std::mutex mutex;
    static std::weak_ptr<device> last;
    static int made_for = 0;
    std::lock_guard<std::mutex> lock(mutex);
    auto now = last.lock();
    if (!now || made_for != threads()) {
        made_for = threads();
        now = std::make_shared<cores>(static_cast<unsigned>(made_for));
        last = now;
    }
    return now;
}

} // namespace kernels
} // namespace fringe
} // namespace gr
