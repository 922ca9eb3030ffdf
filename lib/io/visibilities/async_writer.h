/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_FRINGE_IO_ASYNC_WRITER_H
#define INCLUDED_FRINGE_IO_ASYNC_WRITER_H

#include "io/visibilities/visibility_writer.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace gr::fringe::io {

/*!
 * A visibility writer with a thread of its own, behind a queue of bounded size.
 *
 * write() copies the dump into the queue and comes back at once, unless the queue holds
 * `queue_bytes` already: then it waits, so a slow disk slows the correlator down and
 * nothing is lost. One dump is always taken, however large. An error in the thread is
 * thrown at the next write() or finish(); what follows is thrown away, and abandon()
 * leaves the file as that error left it.
 */
class FRINGE_API async_writer : public visibility_files
{
public:
    explicit async_writer(std::unique_ptr<visibility_files> writer,
                          std::size_t queue_bytes = 256u << 20);
    //! Without finish(), the same as abandon().
    ~async_writer() override;

    void write(const dump& d) override;
    std::uint64_t saved() const override { return d_saved; }
    //! After the last dump.
    void note(const std::string& line) override;
    void finish() override;
    void abandon() override;
    std::vector<std::string> files() const override { return d_writer->files(); }
    std::string kept() const override { return d_writer->kept(); }
    queue waiting() const override;

private:
    void run();
    void stop_thread();

    std::unique_ptr<visibility_files> d_writer;
    const std::size_t d_queue_bytes;
    mutable std::mutex d_mutex;
    std::condition_variable d_changed;
    std::deque<dump> d_queue; // the dump being written stays at its front
    std::size_t d_queued_bytes = 0;
    bool d_no_more = false;
    bool d_closed = false;
    std::atomic<std::uint64_t> d_saved{0};
    std::exception_ptr d_error;
    std::thread d_thread;
};

} // namespace gr::fringe::io

#endif /* INCLUDED_FRINGE_IO_ASYNC_WRITER_H */
