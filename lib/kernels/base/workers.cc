/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "kernels/base/workers.h"
#include "kernels/base/thread_name.h"
#include <algorithm>
#include <atomic>
#include <exception>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <system_error>

namespace gr::fringe {

namespace {

std::atomic<int> wanted_threads{0};

thread_local unsigned serial_regions = 0;

// What taskset, a container or a batch system allows counts, not what the machine has.
int usable_cores()
{
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
        return CPU_COUNT(&allowed);
    }
#endif
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

} // namespace

void set_threads(int count)
{
    if (count < 0 || count > 1024) {
        throw std::invalid_argument("threads: " + std::to_string(count) +
                                    ": must be 1 to 1024, or 0 for one per core");
    }
    wanted_threads = count;
}

int threads()
{
    const int wanted = wanted_threads;
    return wanted > 0 ? wanted : usable_cores();
}

void check_threads(unsigned count)
{
    std::mutex mutex;
    std::condition_variable leave;
    bool may_leave = false;
    std::vector<std::thread> threads;
    threads.reserve(count);
    std::string why;
    try {
        while (threads.size() < count) {
            threads.emplace_back([&] {
                std::unique_lock<std::mutex> lock(mutex);
                leave.wait(lock, [&] { return may_leave; });
            });
        }
    } catch (const std::system_error& error) {
        why = "the system gives no more than " + std::to_string(threads.size()) +
              " threads, " + std::to_string(count) + " are needed (" + error.what() +
              "): allow more memory or processes (ulimit -v, ulimit -u), or take fewer "
              "(threads=N)";
    }
    {
        std::lock_guard<std::mutex> lock(mutex);
        may_leave = true;
    }
    leave.notify_all();
    for (std::thread& thread : threads) {
        thread.join();
    }
    if (!why.empty()) {
        throw std::runtime_error(why);
    }
}

namespace kernels {

//! A call of run(). All but `part` is guarded by the workers' mutex.
struct workers::job {
    const part_function& part;
    const std::size_t parts;
    std::size_t begun = 0;
    std::size_t done = 0;
    std::exception_ptr error;
    std::condition_variable finished;
};

workers::workers(unsigned threads)
{
    try {
        for (unsigned slot = 1; slot < threads; slot++) {
            d_threads.emplace_back([this, slot] {
                name_thread("fringe_worker");
                help(slot);
            });
        }
    } catch (...) { // the system gives no more threads
        end();
        throw;
    }
}

workers::~workers() { end(); }

void workers::end()
{
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        d_ended = true;
    }
    d_wake.notify_all();
    for (auto& thread : d_threads) {
        thread.join();
    }
}

workers::serial_region::serial_region() { serial_regions++; }
workers::serial_region::~serial_region() { serial_regions--; }

std::shared_ptr<workers> workers::shared()
{
    if (serial_regions > 0) {
        return std::make_shared<workers>(1);
    }
    static std::mutex mutex;
    static std::weak_ptr<workers> last;
    std::lock_guard<std::mutex> lock(mutex);
    auto now = last.lock();
    const auto wanted = static_cast<unsigned>(threads());
    if (!now || now->slots() != wanted) {
        now = std::make_shared<workers>(wanted);
        last = now;
    }
    return now;
}

void workers::run(std::size_t parts, const part_function& part)
{
    if (d_threads.empty() || parts < 2) {
        for (std::size_t k = 0; k < parts; k++) {
            part(k, 0);
        }
        return;
    }
    job mine{part, parts, 0, 0, nullptr, {}};
    std::unique_lock<std::mutex> lock(d_mutex);
    d_jobs.push_back(&mine);
    const std::size_t helpers = std::min(parts - 1, d_threads.size());
    for (std::size_t k = 0; k < helpers; k++) {
        d_wake.notify_one();
    }
    work_on(mine, 0, lock);
    mine.finished.wait(lock, [&] { return mine.done == mine.parts; });
    if (mine.error) {
        std::rethrow_exception(mine.error);
    }
}

// Takes parts of a job until all are begun.
void workers::work_on(job& j, unsigned slot, std::unique_lock<std::mutex>& lock)
{
    while (j.begun < j.parts) {
        const std::size_t k = j.begun++;
        if (j.begun == j.parts) {
            d_jobs.erase(std::find(d_jobs.begin(), d_jobs.end(), &j));
        }
        lock.unlock();
        std::exception_ptr error;
        try {
            j.part(k, slot);
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        if (error) {
            j.error = error;
        }
        if (++j.done == j.parts) {
            j.finished.notify_one();
            return; // the job may be gone as soon as the mutex is
        }
    }
}

void workers::help(unsigned slot)
{
    std::unique_lock<std::mutex> lock(d_mutex);
    for (;;) {
        d_wake.wait(lock, [this] { return d_ended || !d_jobs.empty(); });
        if (d_ended) {
            return;
        }
        work_on(*d_jobs.front(), slot, lock);
    }
}

} // namespace kernels
} // namespace gr::fringe
