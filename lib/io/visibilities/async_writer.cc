/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/visibilities/async_writer.h"
#include "kernels/base/thread_name.h"
#include <chrono>
#include <stdexcept>

namespace gr::fringe::io {

namespace {

// The queue was empty for so long: what the writer put off can be done.
constexpr std::chrono::milliseconds quiet(20);

std::size_t dump_bytes(const dump& d)
{
    return sizeof(dump) + d.visibilities.size() * sizeof(d.visibilities[0]) +
           d.weights.size() * sizeof(d.weights[0]) + d.flags.size();
}

} // namespace

async_writer::async_writer(std::unique_ptr<visibility_files> writer,
                           std::size_t queue_bytes)
    : d_writer(std::move(writer)),
      d_queue_bytes(queue_bytes),
      d_thread(&async_writer::run, this)
{
}

async_writer::~async_writer()
{
    try {
        abandon();
    } catch (const std::exception&) {
        // The partial file says by its name that it is not whole; there is nobody left
        // to tell more.
    }
}

void async_writer::run()
{
    name_thread("fringe_writer");
    std::unique_lock<std::mutex> lock(d_mutex);
    const auto wanted = [this] { return d_no_more || !d_queue.empty(); };
    bool put_off = false; // dumps were written since the last idle()
    for (;;) {
        bool idle = false;
        if (put_off)
            idle = !d_changed.wait_for(lock, quiet, wanted);
        else
            d_changed.wait(lock, wanted);
        if (!idle && (d_queue.empty() || d_error))
            return;
        lock.unlock();
        std::exception_ptr error;
        try {
            // Nobody but this thread takes from the queue, and what is added leaves the
            // others in their places.
            idle ? d_writer->idle() : d_writer->write(d_queue.front());
            d_saved = d_writer->saved();
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        put_off = !idle;
        if (!idle) {
            d_queued_bytes -= dump_bytes(d_queue.front());
            d_queue.pop_front();
        }
        d_error = error;
        d_changed.notify_all();
        if (error)
            return;
    }
}

void async_writer::write(const dump& d)
{
    dump copy = d;
    std::unique_lock<std::mutex> lock(d_mutex);
    d_changed.wait(lock, [&] {
        return d_error || d_queue.empty() ||
               d_queued_bytes + dump_bytes(d) <= d_queue_bytes;
    });
    if (d_error)
        std::rethrow_exception(d_error);
    if (d_no_more)
        throw std::runtime_error("visibility file: a dump came after the end");
    d_queued_bytes += dump_bytes(copy);
    d_queue.push_back(std::move(copy));
    d_changed.notify_all();
}

visibility_files::queue async_writer::waiting() const
{
    std::lock_guard<std::mutex> lock(d_mutex);
    return {d_queued_bytes, d_queue_bytes};
}

void async_writer::stop_thread()
{
    {
        std::lock_guard<std::mutex> lock(d_mutex);
        d_no_more = true;
        d_changed.notify_all();
    }
    if (d_thread.joinable())
        d_thread.join();
}

void async_writer::note(const std::string& line)
{
    stop_thread();
    if (!d_error && !d_closed)
        d_writer->note(line);
}

void async_writer::finish()
{
    stop_thread();
    if (d_error)
        std::rethrow_exception(d_error);
    d_writer->finish();
    d_saved = d_writer->saved();
    d_closed = true;
}

void async_writer::abandon()
{
    stop_thread();
    if (d_closed)
        return;
    d_closed = true;
    d_writer->abandon();
    d_saved = d_writer->saved();
}

} // namespace gr::fringe::io
