/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_KERNELS_WORKERS_H
#define INCLUDED_FRINGE_KERNELS_WORKERS_H

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <gnuradio/fringe/threads.h>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace gr::fringe::kernels {

/*!
 * Threads that help a caller with a job of independent parts.
 *
 * The caller works on its job, too, and takes whatever parts nobody has begun: when all
 * cores are busy with other blocks of the flowgraph it does not wait for a helper to get
 * one. There are threads() - 1 helpers for all kernels of the process together.
 */
class FRINGE_API workers
{
public:
    //! part(k, slot): slot < slots() tells apart the threads that work on one job at a
    //! time, so that each can have memory of its own.
    using part_function = std::function<void(std::size_t part, unsigned slot)>;

    explicit workers(unsigned threads);
    ~workers();
    workers(const workers&) = delete;
    workers& operator=(const workers&) = delete;

    //! Those of the process, made when first asked for; they end with the last kernel.
    static std::shared_ptr<workers> shared();

    //! While one of these lives on a thread, shared() gives it workers that are the caller
    //! alone.
    class FRINGE_API serial_region
    {
    public:
        serial_region();
        ~serial_region();
        serial_region(const serial_region&) = delete;
        serial_region& operator=(const serial_region&) = delete;
    };

    unsigned slots() const { return static_cast<unsigned>(d_threads.size()) + 1; }
    //! Calls part() for 0 ... parts - 1, in any order and on several threads, and returns
    //! when all are done. An exception of a part is thrown here.
    void run(std::size_t parts, const part_function& part);

private:
    struct job;
    void end();
    void help(unsigned slot);
    void work_on(job& j, unsigned slot, std::unique_lock<std::mutex>& lock);

    std::mutex d_mutex;
    std::condition_variable d_wake;
    std::vector<job*> d_jobs; //!< those with parts that nobody has begun
    bool d_ended = false;
    std::vector<std::thread> d_threads;
};

} // namespace gr::fringe::kernels

#endif /* INCLUDED_FRINGE_KERNELS_WORKERS_H */
