/* -*- c++ -*- */
/*
 * Copyright 2026 The gr-fringe authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "io/async_writer.h"
#include <stdexcept>

namespace gr {
namespace fringe {
namespace io {

namespace {

std::size_t dump_bytes(const dump& d)
{
    return sizeof(dump) + d.visibilities.size() * sizeof(d.visibilities[0]) +
           d.weights.size() * sizeof(d.weights[0]);
}

} // namespace

async_writer::async_writer(std::unique_ptr<visibility_writer> writer,
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
    std::unique_lock<std::mutex> lock(d_mutex);
    for (;;) {
        d_changed.wait(lock, [this] { return d_no_more || !d_queue.empty(); });
        if (d_queue.empty() || d_error)
            return;
        const dump& d = d_queue.front();
        lock.unlock();
        std::exception_ptr error;
        try {
            d_writer->write(d);
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        d_queued_bytes -= dump_bytes(d);
        d_queue.pop_front();
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

void async_writer::finish()
{
    stop_thread();
    if (d_error)
        std::rethrow_exception(d_error);
    d_writer->finish();
    d_closed = true;
}

void async_writer::abandon()
{
    stop_thread();
    if (d_closed)
        return;
    d_closed = true;
    d_writer->abandon();
}

} // namespace io
} // namespace fringe
} // namespace gr
