/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_TESTS_STAND_IN_DEVICE_H
#define INCLUDED_FRINGE_TESTS_STAND_IN_DEVICE_H

#include "kernels/device/device.h"
#include "poisoned_memory.h"
#include "test_seed.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

// The device of stand_in_device.cc.
namespace stand_in_device {

using namespace gr::fringe::kernels;

// What FRINGE_STAND_IN_<variable>_<index> says, or without it FRINGE_STAND_IN_<variable>.
inline const char* setting(const std::string& variable, std::size_t index)
{
    const std::string all = "FRINGE_STAND_IN_" + variable;
    const char* own = std::getenv((all + "_" + std::to_string(index)).c_str());
    return own ? own : std::getenv(all.c_str());
}

inline std::size_t
number_from(const std::string& variable, std::size_t index, std::size_t otherwise)
{
    const char* text = setting(variable, index);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// What all streams share: the first failure, as CUDA keeps it.
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

// One stream: a thread that does what it is given, in order.
class stream_thread
{
public:
    stream_thread() : d_thread([this] { run(); }) {}
    ~stream_thread()
    {
        put(nullptr);
        d_thread.join();
    }
    void put(std::function<void()> work)
    {
        {
            std::lock_guard<std::mutex> lock(d_mutex);
            d_queue.push_back(std::move(work));
        }
        d_added.notify_one();
    }
    bool idle()
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        return d_idle && d_queue.empty();
    }

private:
    void run()
    {
        for (;;) {
            std::unique_lock<std::mutex> lock(d_mutex);
            d_idle = true;
            d_added.wait(lock, [this] { return !d_queue.empty(); });
            d_idle = false;
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
    std::condition_variable d_added;
    std::deque<std::function<void()>> d_queue;
    bool d_idle = false;
    std::thread d_thread;
};

class stand_in;

// The number of the last record() of an event, and of the last one reached.
struct event_state {
    std::mutex mutex;
    std::condition_variable changed;
    std::uint64_t recorded = 0, reached = 0;

    void wait_for(std::uint64_t which)
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return reached >= which; });
    }
};

class stand_in_event : public device_event
{
public:
    explicit stand_in_event(stand_in& on) : d_on(on) {}
    void record(device_stream where) override;
    void make_wait(device_stream where) override;
    void make_wait(device& on, device_stream where) override;
    bool reached() override;
    void wait() override;

private:
    stand_in& d_on;
    const std::shared_ptr<event_state> d_state = std::make_shared<event_state>();
};

class stand_in_timer : public device_timer
{
public:
    explicit stand_in_timer(stand_in& on) : d_on(on) {}
    void begin(device_stream where) override { mark(0, where); }
    void end(device_stream where) override { mark(1, where); }
    std::optional<double> seconds() override
    {
        std::lock_guard<std::mutex> lock(d_state->mutex);
        if (d_state->marked[1] < d_state->asked[1]) {
            return {};
        }
        return std::chrono::duration<double>(d_state->at[1] - d_state->at[0]).count();
    }

private:
    struct times {
        std::mutex mutex;
        std::uint64_t asked[2] = {}, marked[2] = {};
        std::chrono::steady_clock::time_point at[2];
    };
    void mark(std::size_t which, device_stream where);

    stand_in& d_on;
    const std::shared_ptr<times> d_state = std::make_shared<times>();
};

class stand_in : public device
{
public:
    explicit stand_in(const device_info& info) : d_info(info) {}
    ~stand_in() override
    {
        for (const auto& range : d_allocated) {
            std::fprintf(stderr, "stand-in: %zu bytes were not released\n", range.second);
        }
    }

    const device_info& info() const override { return d_info; }
    std::size_t free_memory() const override
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        return d_info.memory_bytes - d_used;
    }

    void* allocate(std::size_t bytes) override
    {
        d_failure.check();
        std::lock_guard<std::mutex> lock(d_mutex);
        if (d_used + bytes > d_info.memory_bytes) {
            throw device_error("stand-in: " + std::to_string(bytes) +
                               " bytes more do not fit into its memory");
        }
        void* memory = poisoned_memory(bytes);
        d_used += bytes;
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
        release_poisoned(memory, it->second);
        d_used -= it->second;
        d_allocated.erase(it);
    }
    void* allocate_host(std::size_t bytes) override { return std::malloc(bytes); }
    void release_host(void* memory) noexcept override { std::free(memory); }
    void register_host(void* memory, std::size_t) override
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        if (number_from("PINNED", d_info.index, 1) == 0) {
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
        owns(to);
        put(device_stream::h2d, [=] { std::memcpy(to, from, bytes); });
    }
    void upload(const byte_rows<void>& to,
                const byte_rows<const void>& from,
                std::size_t width,
                std::size_t rows) override
    {
        owns(to.at);
        put(device_stream::h2d, [=] { copy_rows(to, from, width, rows); });
    }
    void download(void* to, const void* from, std::size_t bytes) override
    {
        owns(from);
        const char* hold = setting("HOLD", d_info.index);
        put(device_stream::d2h, [=, file = std::string(hold ? hold : "")] {
            while (!file.empty() && !std::ifstream(file)) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            std::memcpy(to, from, bytes);
        });
    }
    void copy(void* to, const void* from, std::size_t bytes) override
    {
        owns(to, from);
        put(device_stream::compute, [=] { std::memcpy(to, from, bytes); });
    }
    bool reaches(device& other) override
    {
        return &other == this || (number_from("PEERS", d_info.index, 1) != 0 &&
                                  number_from("PEERS", other.info().index, 1) != 0);
    }
    void copy_from(device& other,
                   const byte_rows<void>& to,
                   const byte_rows<const void>& from,
                   std::size_t width,
                   std::size_t rows) override
    {
        owns(to.at);
        dynamic_cast<stand_in&>(other).owns(from.at);
        put(device_stream::peer, [=] { copy_rows(to, from, width, rows); });
    }
    void fill(void* at,
              std::size_t pitch,
              int byte,
              std::size_t width,
              std::size_t rows) override
    {
        owns(at);
        put(device_stream::compute, [=] {
            for (std::size_t row = 0; row < rows; ++row) {
                std::memset(static_cast<char*>(at) + row * pitch, byte, width);
            }
        });
    }

    std::unique_ptr<device_event> make_event() override
    {
        return std::make_unique<stand_in_event>(*this);
    }
    std::unique_ptr<device_timer> make_timer() override
    {
        return std::make_unique<stand_in_timer>(*this);
    }
    void synchronize() override
    {
        drain();
        d_failure.check();
    }

    //! Throws where memory is not this device's, as a GPU fails that is given another's.
    template <class... T>
    void owns(const T*... memory)
    {
        (check_own(memory), ...);
    }

    //! Work that counts: it may be slow, and the device may be lost at it.
    void put(device_stream where, std::function<void()> work)
    {
        d_failure.check();
        put_event(where, [this, work = std::move(work)] {
            if (++d_done == d_lost) {
                d_failure.set("stand-in: the device is lost");
            }
            if (d_delay > 0) {
                static const auto seed = test_seed();
                static std::atomic<std::uint64_t> threads{0};
                thread_local std::mt19937 engine(seed + threads++);
                std::this_thread::sleep_for(
                    std::chrono::microseconds(engine() % d_delay));
            }
            work();
        });
    }
    void put_event(device_stream where, std::function<void()> work)
    {
        d_streams[static_cast<std::size_t>(where)].put(std::move(work));
    }
    void check() const { d_failure.check(); }

private:
    static void copy_rows(const byte_rows<void>& to,
                          const byte_rows<const void>& from,
                          std::size_t width,
                          std::size_t rows)
    {
        for (std::size_t row = 0; row < rows; ++row) {
            std::memcpy(static_cast<char*>(to.at) + row * to.pitch,
                        static_cast<const char*>(from.at) + row * from.pitch,
                        width);
        }
    }
    void check_own(const void* memory)
    {
        if (!memory) {
            return;
        }
        std::lock_guard<std::mutex> lock(d_mutex);
        const auto next = d_allocated.upper_bound(const_cast<void*>(memory));
        const auto* at = static_cast<const char*>(memory);
        if (next == d_allocated.begin() ||
            at >= static_cast<const char*>(std::prev(next)->first) +
                      std::prev(next)->second) {
            throw device_error("stand-in: this memory is not of device " +
                               std::to_string(d_info.index));
        }
    }
    void drain()
    {
        for (const device_stream where : {device_stream::h2d,
                                          device_stream::compute,
                                          device_stream::d2h,
                                          device_stream::peer,
                                          device_stream::background}) {
            if (d_streams[static_cast<std::size_t>(where)].idle()) {
                continue; // To wake threads for each buffer took most of the time.
            }
            stand_in_event all(*this);
            all.record(where);
            try {
                all.wait();
            } catch (const device_error&) {
            }
        }
    }

    const device_info d_info;
    const std::size_t d_delay = number_from("DELAY", d_info.index, 0);
    const std::size_t d_lost = number_from("LOST", d_info.index, 0);
    std::atomic<std::size_t> d_done{0};
    mutable std::mutex d_mutex;
    std::size_t d_used = 0;
    std::map<void*, std::size_t> d_allocated, d_registered;
    failure d_failure;
    stream_thread d_streams[5];
};

inline void stand_in_event::record(device_stream where)
{
    std::lock_guard<std::mutex> lock(d_state->mutex);
    const auto number = ++d_state->recorded;
    d_on.put_event(where, [m = d_state, number] {
        std::lock_guard<std::mutex> inner(m->mutex);
        m->reached = std::max(m->reached, number);
        m->changed.notify_all();
    });
}

inline void stand_in_timer::mark(std::size_t which, device_stream where)
{
    std::lock_guard<std::mutex> lock(d_state->mutex);
    ++d_state->asked[which];
    d_on.put_event(where, [m = d_state, which] {
        std::lock_guard<std::mutex> inner(m->mutex);
        ++m->marked[which];
        m->at[which] = std::chrono::steady_clock::now();
    });
}

inline void stand_in_event::make_wait(device_stream where) { make_wait(d_on, where); }

inline void stand_in_event::make_wait(device& on, device_stream where)
{
    std::lock_guard<std::mutex> lock(d_state->mutex);
    dynamic_cast<stand_in&>(on).put_event(
        where, [m = d_state, number = d_state->recorded] { m->wait_for(number); });
}

inline bool stand_in_event::reached()
{
    d_on.check();
    std::lock_guard<std::mutex> lock(d_state->mutex);
    return d_state->reached >= d_state->recorded;
}

inline void stand_in_event::wait()
{
    std::uint64_t number;
    {
        std::lock_guard<std::mutex> lock(d_state->mutex);
        number = d_state->recorded;
    }
    d_state->wait_for(number);
    d_on.check();
}

//! The device with this number, made at the first call.
std::shared_ptr<stand_in> stand_in_number(std::size_t index);

} // namespace stand_in_device

#endif /* INCLUDED_FRINGE_TESTS_STAND_IN_DEVICE_H */
