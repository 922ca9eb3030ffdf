/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// A device library without a device: memory from malloc, lanes that are threads, stages
// that run the generic kernels in the lane `compute`. With it everything around the
// kernels (rings, copies, events, ends and failures of flowgraphs) is tested on machines
// without a GPU, with true concurrency: FRINGE_DEVICE_LIBRARY names it.
//
//     FRINGE_STAND_IN_DELAY=us     every piece of work first sleeps up to so long
//     FRINGE_STAND_IN_MEMORY=bytes more cannot be allocated
//     FRINGE_STAND_IN_LOST=n       the n-th piece of work fails, as on a device that is
//                                  lost
//     FRINGE_STAND_IN_PINNED=0     no host memory can be registered
//     FRINGE_STAND_IN_REFUSED=why  the device says why it cannot be used
//
// Memory is filled with poison when it is allocated and released.
#include "kernels/channelizer/backends.h"
#include "kernels/device/device.h"
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

using namespace gr::fringe::kernels;

namespace {

constexpr int poison = 0x81;

std::size_t number_from(const char* variable, std::size_t otherwise)
{
    const char* text = std::getenv(variable);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// What all lanes share: the first failure, as CUDA keeps it.
class failure
{
public:
    void set(const std::string& why)
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        d_why = d_why.empty() ? why : d_why;
    }
    void check() const
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        if (!d_why.empty()) {
            throw device_error(d_why);
        }
    }

private:
    mutable std::mutex d_mutex;
    std::string d_why;
};

// One lane: a thread that does what it is given, in order.
class worker
{
public:
    worker() : d_thread([this] { run(); }) {}
    ~worker()
    {
        put(nullptr);
        d_thread.join();
    }
    void put(std::function<void()> work)
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        d_queue.push_back(std::move(work));
        d_news.notify_all();
    }

private:
    void run()
    {
        for (;;) {
            std::unique_lock<std::mutex> lock(d_mutex);
            d_news.wait(lock, [this] { return !d_queue.empty(); });
            const auto work = std::move(d_queue.front());
            d_queue.pop_front();
            lock.unlock();
            if (!work) {
                return;
            }
            work();
        }
    }

    std::mutex d_mutex;
    std::condition_variable d_news;
    std::deque<std::function<void()>> d_queue;
    std::thread d_thread;
};

class stand_in;

// A mark: the number of the last record() and of the last one passed.
struct mark {
    std::mutex mutex;
    std::condition_variable news;
    std::uint64_t recorded = 0, passed = 0;

    void wait_for(std::uint64_t which)
    {
        std::unique_lock<std::mutex> lock(mutex);
        news.wait(lock, [&] { return passed >= which; });
    }
};

class stand_in_event : public device_event
{
public:
    explicit stand_in_event(stand_in& on) : d_on(on) {}
    void record(lane where) override;
    void hold(lane where) override;
    bool passed() override;
    void wait() override;

private:
    stand_in& d_on;
    const std::shared_ptr<mark> d_mark = std::make_shared<mark>();
};

class stand_in : public device
{
public:
    explicit stand_in(const device_info& info) : d_info(info) {}
    ~stand_in() override
    {
        for (const auto& one : d_allocated) {
            std::fprintf(stderr, "stand-in: %zu bytes were not released\n", one.second);
        }
    }

    const device_info& info() const override { return d_info; }

    void* allocate(std::size_t bytes) override
    {
        d_failure.check();
        std::lock_guard<std::mutex> lock(d_mutex);
        if (d_used + bytes > d_info.memory_bytes) {
            throw device_error("stand-in: " + std::to_string(bytes) +
                               " bytes more do not fit into its memory");
        }
        d_used += bytes;
        void* memory = std::malloc(bytes);
        std::memset(memory, poison, bytes);
        d_allocated[memory] = bytes;
        return memory;
    }
    void release(void* memory) noexcept override
    {
        if (!memory) {
            return;
        }
        drain(); // as cudaFree does
        std::lock_guard<std::mutex> lock(d_mutex);
        const auto it = d_allocated.find(memory);
        std::memset(memory, poison, it->second);
        d_used -= it->second;
        d_allocated.erase(it);
        std::free(memory);
    }
    void* allocate_host(std::size_t bytes) override { return std::malloc(bytes); }
    void release_host(void* memory) noexcept override { std::free(memory); }
    void register_host(void* memory, std::size_t) override
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        if (number_from("FRINGE_STAND_IN_PINNED", 1) == 0) {
            throw device_error("stand-in: no memory may be locked here");
        }
        if (d_registered[memory]++ > 0) {
            throw device_error("stand-in: this memory is registered already");
        }
    }
    void unregister_host(void* memory) noexcept override
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        d_registered.erase(memory);
    }

    void upload(void* to, const void* from, std::size_t bytes) override
    {
        put(lane::up, [=] { std::memcpy(to, from, bytes); });
    }
    void download(void* to, const void* from, std::size_t bytes) override
    {
        put(lane::down, [=] { std::memcpy(to, from, bytes); });
    }
    void copy(void* to, const void* from, std::size_t bytes) override
    {
        put(lane::compute, [=] { std::memcpy(to, from, bytes); });
    }
    void fill(void* at,
              std::size_t pitch,
              int byte,
              std::size_t width,
              std::size_t rows) override
    {
        put(lane::compute, [=] {
            for (std::size_t row = 0; row < rows; ++row) {
                std::memset(static_cast<char*>(at) + row * pitch, byte, width);
            }
        });
    }

    std::unique_ptr<device_event> make_event() override
    {
        return std::make_unique<stand_in_event>(*this);
    }
    void synchronize() override
    {
        drain();
        d_failure.check();
    }

    spectra_layout layout(const xengine_params&) const override
    {
        return spectra_layout::rows;
    }
    std::unique_ptr<unpacker> make_unpacker(const unpacker_params& p) override;
    std::unique_ptr<channelizer> make_channelizer(const channelizer_params& p) override;
    std::unique_ptr<kurtosis> make_kurtosis(const kurtosis_params& p) override;
    std::unique_ptr<xengine> make_xengine(const xengine_params& p) override;
    std::unique_ptr<integrator> make_integrator(const integrator_params& p) override;
    std::unique_ptr<convolver> make_convolver(const w_kernels& k,
                                              std::size_t polarisations) override;

    //! Work that counts: it may be slow, and the device may be lost at it.
    void put(lane where, std::function<void()> work)
    {
        d_failure.check();
        put_mark(where, [this, work = std::move(work)] {
            if (++d_done == d_lost) {
                d_failure.set("stand-in: the device is lost");
            }
            if (d_delay > 0) {
                thread_local std::mt19937 engine(std::random_device{}());
                std::this_thread::sleep_for(
                    std::chrono::microseconds(engine() % d_delay));
            }
            work();
        });
    }
    void put_mark(lane where, std::function<void()> work)
    {
        d_lanes[static_cast<std::size_t>(where)].put(std::move(work));
    }
    void check() const { d_failure.check(); }

private:
    void drain()
    {
        for (const lane where : {lane::up, lane::compute, lane::down}) {
            stand_in_event all(*this);
            all.record(where);
            try {
                all.wait();
            } catch (const device_error&) {
            }
        }
    }

    const device_info d_info;
    const std::size_t d_delay = number_from("FRINGE_STAND_IN_DELAY", 0);
    const std::size_t d_lost = number_from("FRINGE_STAND_IN_LOST", 0);
    std::atomic<std::size_t> d_done{0};
    std::mutex d_mutex;
    std::size_t d_used = 0;
    std::map<void*, std::size_t> d_allocated, d_registered;
    failure d_failure;
    worker d_lanes[3];
};

void stand_in_event::record(lane where)
{
    std::lock_guard<std::mutex> lock(d_mark->mutex);
    const auto number = ++d_mark->recorded;
    d_on.put_mark(where, [m = d_mark, number] {
        std::lock_guard<std::mutex> inner(m->mutex);
        m->passed = std::max(m->passed, number);
        m->news.notify_all();
    });
}

void stand_in_event::hold(lane where)
{
    std::lock_guard<std::mutex> lock(d_mark->mutex);
    d_on.put_mark(where,
                  [m = d_mark, number = d_mark->recorded] { m->wait_for(number); });
}

bool stand_in_event::passed()
{
    d_on.check();
    std::lock_guard<std::mutex> lock(d_mark->mutex);
    return d_mark->passed >= d_mark->recorded;
}

void stand_in_event::wait()
{
    std::uint64_t number;
    {
        std::lock_guard<std::mutex> lock(d_mark->mutex);
        number = d_mark->recorded;
    }
    d_mark->wait_for(number);
    d_on.check();
}

class stand_in_convolver : public convolver
{
public:
    stand_in_convolver(stand_in& on, const w_kernels& k, std::size_t polarisations)
        : convolver(k.geometry(), polarisations),
          d_on(on),
          d_kernel(make_generic_convolver(k, polarisations))
    {
    }
    void spread(const visibility_rows& at,
                const std::complex<float>* values,
                std::complex<float>* grid) override
    {
        d_on.put(lane::compute, [k = d_kernel, at, f = frequencies(at), values, grid] {
            k->spread({at.rows, at.uvw, at.channels, f.data()}, values, grid);
        });
    }
    void gather(const visibility_rows& at,
                const std::complex<float>* grid,
                std::complex<float>* values) override
    {
        d_on.put(lane::compute, [k = d_kernel, at, f = frequencies(at), values, grid] {
            k->gather({at.rows, at.uvw, at.channels, f.data()}, grid, values);
        });
    }

private:
    static std::vector<double> frequencies(const visibility_rows& at)
    {
        return {at.frequencies, at.frequencies + at.channels};
    }
    stand_in& d_on;
    const std::shared_ptr<convolver> d_kernel;
};

std::unique_ptr<convolver> stand_in::make_convolver(const w_kernels& k,
                                                    std::size_t polarisations)
{
    return std::make_unique<stand_in_convolver>(*this, k, polarisations);
}

class stand_in_unpacker : public unpacker
{
public:
    stand_in_unpacker(stand_in& on, const unpacker_params& p)
        : d_on(on), d_kernel(make_unpacker(backend::generic, p))
    {
    }
    void process(const void* raw, void* voltages) override
    {
        d_on.put(lane::compute,
                 [k = d_kernel, raw, voltages] { k->process(raw, voltages); });
    }
    void count_saturated(const void* voltages,
                         std::size_t samples,
                         std::uint64_t* counts) override
    {
        d_on.put(lane::compute, [k = d_kernel, voltages, samples, counts] {
            k->count_saturated(voltages, samples, counts);
        });
    }

private:
    stand_in& d_on;
    const std::shared_ptr<unpacker> d_kernel;
};

class stand_in_channelizer : public channelizer
{
public:
    stand_in_channelizer(stand_in& on, const channelizer_params& p)
        : d_on(on), d_p(p), d_kernel(make_channelizer(backend::generic, p))
    {
    }
    std::size_t process(const void* in,
                        std::size_t in_stride,
                        std::size_t samples,
                        void* out,
                        std::uint64_t* saturated) override
    {
        const std::size_t fresh = samples / d_p.points();
        const std::size_t kept = d_p.taps - 1 + 2 * reach_rows(d_p);
        const std::size_t all = d_rows + fresh;
        // Corrections that are others from a spectrum on: two calls.
        const std::size_t before =
            std::min(fresh, d_change ? *d_change + kept - d_rows : 0);
        if (before > 0) {
            put_part(in, in_stride, 0, before, out, 0, saturated);
        }
        if (d_change) {
            set_corrections(d_next);
            d_change.reset();
        }
        const std::size_t made = d_rows + before > kept ? d_rows + before - kept : 0;
        put_part(in, in_stride, before, fresh - before, out, made, saturated);
        d_rows = std::min(all, kept);
        return all - d_rows;
    }
    void blank(void* out,
               std::size_t input,
               std::size_t first,
               std::size_t count) const override
    {
        d_on.put(lane::compute, [k = d_kernel, out, input, first, count] {
            k->blank(out, input, first, count);
        });
    }
    void reset() override
    {
        d_rows = reach_rows(d_p);
        d_on.put(lane::compute, [k = d_kernel] { k->reset(); });
    }
    void steer(const steering& towards) override { d_towards = towards; }
    void set_gains(const std::vector<float>& gains) override
    {
        d_on.put(lane::compute, [k = d_kernel, gains] { k->set_gains(gains); });
    }
    void set_corrections(const std::vector<std::complex<float>>& corrections) override
    {
        d_on.put(lane::compute,
                 [k = d_kernel, corrections] { k->set_corrections(corrections); });
    }
    void
    set_corrections_from(std::size_t from,
                         const std::vector<std::complex<float>>& corrections) override
    {
        d_change = from;
        d_next = corrections;
    }

private:
    //! Rows first ... first + rows - 1 of a call, to spectra from `made` on. The caller has
    //! its delays back when this returns.
    void put_part(const void* in,
                  std::size_t in_stride,
                  std::size_t first,
                  std::size_t rows,
                  void* out,
                  std::size_t made,
                  std::uint64_t* saturated)
    {
        const std::size_t row =
            d_p.points() * component_bytes(d_p.in) * (d_p.complex_samples ? 2 : 1);
        const std::size_t width = d_p.reach > 0 ? d_towards.stride * d_p.inputs : 0;
        std::vector<double> delays(d_towards.delays, d_towards.delays + width);
        d_on.put(lane::compute,
                 [k = d_kernel,
                  from = static_cast<const char*>(in) + first * row,
                  in_stride,
                  samples = rows * d_p.points(),
                  to = static_cast<char*>(out) + made * (d_p.requantize_bits ? 2 : 8),
                  made,
                  saturated,
                  towards = d_towards,
                  delays = std::move(delays)]() mutable {
                     if (!delays.empty()) {
                         towards.delays = delays.data() + made;
                         k->steer(towards);
                     }
                     k->process(from, in_stride, samples, to, saturated);
                 });
    }

    stand_in& d_on;
    const channelizer_params d_p;
    const std::shared_ptr<channelizer> d_kernel;
    steering d_towards{};
    std::optional<std::size_t> d_change; //!< spectrum from which on d_next counts
    std::vector<std::complex<float>> d_next;
    std::size_t d_rows = reach_rows(d_p); //!< kept
};

class stand_in_kurtosis : public kurtosis
{
public:
    stand_in_kurtosis(stand_in& on, const kurtosis_params& p)
        : d_on(on), d_kernel(make_kurtosis(backend::generic, p))
    {
    }
    void add(const void* spectra, std::size_t count, void* copy) override
    {
        d_on.put(lane::compute,
                 [k = d_kernel, spectra, count, copy] { k->add(spectra, count, copy); });
    }
    void read(float* s1, float* s2) const override
    {
        d_on.put(lane::compute, [k = d_kernel, s1, s2] { k->read(s1, s2); });
    }
    void clear() override
    {
        d_on.put(lane::compute, [k = d_kernel] { k->clear(); });
    }
    void zero(const std::vector<void*>& blocks,
              const std::vector<cell_run>& cells) override
    {
        d_on.put(lane::compute,
                 [k = d_kernel, blocks, cells] { k->zero(blocks, cells); });
    }

private:
    stand_in& d_on;
    const std::shared_ptr<kurtosis> d_kernel;
};

class stand_in_xengine : public xengine
{
public:
    stand_in_xengine(stand_in& on, const xengine_params& p)
        : d_on(on), d_kernel(make_xengine(backend::generic, p))
    {
    }
    void accumulate(const void* spectra, std::size_t first, std::size_t count) override
    {
        d_on.put(lane::compute, [k = d_kernel, spectra, first, count] {
            k->accumulate(spectra, first, count);
        });
    }
    void read(std::size_t first, std::size_t count, void* out) const override
    {
        d_on.put(lane::compute,
                 [k = d_kernel, first, count, out] { k->read(first, count, out); });
    }
    void clear() override
    {
        d_on.put(lane::compute, [k = d_kernel] { k->clear(); });
    }

private:
    stand_in& d_on;
    const std::shared_ptr<xengine> d_kernel;
};

class stand_in_integrator : public integrator
{
public:
    stand_in_integrator(stand_in& on, const integrator_params& p)
        : d_on(on), d_p(p), d_kernel(make_integrator(backend::generic, p))
    {
    }
    void add(std::size_t first, std::size_t count, const void* sums) override
    {
        d_on.put(lane::compute,
                 [k = d_kernel, first, count, sums] { k->add(first, count, sums); });
    }
    void leave_out(const std::vector<flagged_spectra>& flagged) override
    {
        d_on.put(lane::compute, [k = d_kernel, flagged] { k->leave_out(flagged); });
    }
    void mean(std::size_t first,
              std::size_t count,
              const std::uint64_t* valid,
              std::uint64_t expected,
              const float* gains,
              std::complex<float>* visibilities,
              float* weights) const override
    {
        // What comes from the host is copied when the call returns.
        std::vector<std::uint64_t> n(valid, valid + baselines(d_p.inputs));
        std::vector<float> g;
        if (gains) {
            g.assign(gains, gains + d_p.inputs);
        }
        d_on.put(lane::compute, [=, k = d_kernel] {
            k->mean(first,
                    count,
                    n.data(),
                    expected,
                    g.empty() ? nullptr : g.data(),
                    visibilities,
                    weights);
        });
    }
    void clear() override
    {
        d_on.put(lane::compute, [k = d_kernel] { k->clear(); });
    }

private:
    stand_in& d_on;
    const integrator_params d_p;
    const std::shared_ptr<integrator> d_kernel;
};

std::unique_ptr<unpacker> stand_in::make_unpacker(const unpacker_params& p)
{
    return std::make_unique<stand_in_unpacker>(*this, p);
}
std::unique_ptr<channelizer> stand_in::make_channelizer(const channelizer_params& p)
{
    return std::make_unique<stand_in_channelizer>(*this, p);
}
std::unique_ptr<kurtosis> stand_in::make_kurtosis(const kurtosis_params& p)
{
    return std::make_unique<stand_in_kurtosis>(*this, p);
}
std::unique_ptr<xengine> stand_in::make_xengine(const xengine_params& p)
{
    return std::make_unique<stand_in_xengine>(*this, p);
}
std::unique_ptr<integrator> stand_in::make_integrator(const integrator_params& p)
{
    return std::make_unique<stand_in_integrator>(*this, p);
}

class stand_in_library : public device_library
{
public:
    std::vector<device_info> devices() override
    {
        device_info info;
        info.name = "stand-in";
        info.memory_bytes = number_from("FRINGE_STAND_IN_MEMORY", std::size_t(4) << 30);
        const char* refused = std::getenv("FRINGE_STAND_IN_REFUSED");
        info.refused = refused ? refused : "";
        return {info};
    }
    std::shared_ptr<device> open(std::size_t) override
    {
        return std::make_shared<stand_in>(devices()[0]);
    }
};

} // namespace

extern "C" FRINGE_API device_library* fringe_device_library(const char*, const char**)
{
    static stand_in_library library;
    return &library;
}
